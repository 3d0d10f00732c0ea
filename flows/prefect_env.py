"""A quiet and private Prefect, and its server. Import this before Prefect, which reads its environment as it loads."""

import atexit
import logging
import os
import secrets
import subprocess
import sys
import warnings
from pathlib import Path

import pairwright  # noqa: F401  its telemetry and that of all libraries is off

_QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # Prefect's own temporary server outlives a run that is killed, and begins only when Prefect is loaded.
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
}
os.environ.update(_QUIET | os.environ)
warnings.filterwarnings("ignore", category=DeprecationWarning)
# It logs outside Prefect's loggers that events wait to be sent.
logging.getLogger("EventsWorker").setLevel(logging.CRITICAL)

# It listens before Prefect is loaded, so that its first request waits in place of failing, and ends when its standard
# input does, which is when the process that started it ends in any way. The folder of the flows is not on its path:
# packages of the server have modules of the same names.
_SERVE = """
import os, socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
import uvicorn; from prefect.server.api.server import create_app
uvicorn.Server(uvicorn.Config(create_app(), lifespan="on", log_level="critical")).run([listener])
"""


def start_server() -> dict[str, str]:
    """Starts a server that ends with this process; returns the settings of its clients, without which none gets in."""
    login = f"pairwright:{secrets.token_urlsafe(32)}"
    own = {"PREFECT_SERVER_API_AUTH_STRING": login, "PREFECT_UI_ENABLED": "0", "PREFECT_API_URL": ""}
    own |= {"PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"}
    command, pipe, folder = [sys.executable, "-c", _SERVE], subprocess.PIPE, Path(sys.executable).parent
    # In a session of its own: Ctrl-C is for the run, which then ends the server.
    options = {"stdin": pipe, "stdout": pipe, "stderr": subprocess.DEVNULL, "start_new_session": True, "cwd": folder}
    process: subprocess.Popen[bytes] = subprocess.Popen(command, env=os.environ | own, **options)  # type: ignore[call-overload]
    atexit.register(process.kill)
    assert process.stdout
    return {"api.url": f"http://127.0.0.1:{int(process.stdout.readline())}/api", "api.auth_string": login}


# Loading its server takes longer than all else that a flow does at its start, so a script begins with it.
_is_script = Path(sys.argv[0]).resolve().parent == Path(__file__).resolve().parent
OWN = start_server() if _is_script and "PREFECT_API_URL" not in os.environ and "--help" not in sys.argv else None
