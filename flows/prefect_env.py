"""A quiet and private Prefect. Import this before Prefect, which reads its environment when it is imported."""

import os
import warnings

# Nothing is sent anywhere, and what goes wrong is said once.
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_INTERNAL_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_TO_API_ENABLED", "false")
os.environ.setdefault("PREFECT_RESULTS_PERSIST_BY_DEFAULT", "false")
# The server that Prefect starts for one process takes its time on a busy machine.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "180")

warnings.filterwarnings("ignore", category=DeprecationWarning)
