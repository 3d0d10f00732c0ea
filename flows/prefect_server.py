"""The Prefect server of one run: on loopback, behind a password of its own, and ended when the run ends in any way.

    python prefect_server.py < its settings as one line of JSON > its address

Prefect's own temporary server lets anybody on the machine in and outlives a run that is killed. This one ends when its
standard input does, which is when the process that started it closes it, or is no more.
"""

import atexit
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
START_SECONDS = 180
STOP_SECONDS = 5


def start_server() -> dict[str, str]:
    """Starts a server that ends with this process. Returns Prefect's settings to reach it.

    Raises ConfigError where it can't be started.
    """
    from prefect.settings import get_current_settings

    from pairwright.errors import ConfigError

    login = f"pairwright:{secrets.token_urlsafe(32)}"
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Ctrl-C is for the run, which then ends the server.
        start_new_session=True,
        env=os.environ | get_current_settings().to_environment_variables(exclude_unset=True),
    )
    assert process.stdin
    assert process.stdout
    # By standard input, where no list of processes shows it.
    process.stdin.write(json.dumps({"PREFECT_SERVER_API_AUTH_STRING": login}) + "\n")
    process.stdin.flush()
    began, late = time.monotonic(), threading.Timer(START_SECONDS, process.kill)
    late.start()
    address = process.stdout.readline().strip()
    late.cancel()
    if not address.startswith("http"):
        in_time = time.monotonic() < began + START_SECONDS
        process.kill()
        reason = address or (f"exit code {process.wait()}" if in_time else f"not ready after {START_SECONDS} s")
        raise ConfigError(
            f"{get_current_settings().home}: Prefect's server does not start there ({reason}); set PREFECT_HOME to a "
            "folder that can be written, or use the commands of pairwright, which need no server"
        )
    atexit.register(_stop, process)
    return {"api.url": f"{address}/api", "api.auth_string": login}


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin:
        process.stdin.close()
    process.wait()


def main() -> None:
    """Serves until standard input ends. Standard output gets the address when the server answers, or why it can't."""
    settings = json.loads(sys.stdin.readline())
    listener = socket.socket()
    listener.bind((HOST, 0))
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    # Prefect reads its environment when it is imported. No page of a browser may ask, whatever address it came from.
    os.environ.update(settings)
    os.environ.update(
        PREFECT_UI_ENABLED="0",
        PREFECT__SERVER_EPHEMERAL="1",
        PREFECT__SERVER_FINAL="1",
        PREFECT_SERVER_CORS_ALLOWED_ORIGINS=address,
        PREFECT_SERVER_CSRF_PROTECTION_ENABLED="true",
    )
    try:
        serve(listener, address)
    except Exception as fault:
        print(" ".join(f"{type(fault).__name__}: {fault}".split())[:300], flush=True)


def serve(listener: socket.socket, address: str) -> None:
    """Serves Prefect's API on an open socket, to requests that name this address as their host."""
    import uvicorn
    from prefect.server.api.server import create_app
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print(address, flush=True)

    app: Any = TrustedHostMiddleware(create_app(), allowed_hosts=[HOST])
    server = Server(uvicorn.Config(app, lifespan="on", log_level="critical"))
    threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    server.run([listener])


def _end_with_input(server: Any) -> None:
    sys.stdin.read()
    server.should_exit = True
    time.sleep(STOP_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    # The flows beside this file have names of their own, such as `release`, that the server's packages may have, too.
    flows = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != flows]
    main()
