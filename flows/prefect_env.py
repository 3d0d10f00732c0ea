"""A quiet and private Prefect. Import this before Prefect, which reads its environment when it is imported."""

import os
import warnings

# Telemetry is off.
import pairwright  # noqa: F401

os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
# A server that Prefect starts by itself would let anybody on the machine in: the command line of a flow starts its own.
os.environ.setdefault("PREFECT_SERVER_ALLOW_EPHEMERAL_MODE", "false")
# What goes wrong is said once.
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_INTERNAL_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_TO_API_ENABLED", "false")
os.environ.setdefault("PREFECT_RESULTS_PERSIST_BY_DEFAULT", "false")

warnings.filterwarnings("ignore", category=DeprecationWarning)
