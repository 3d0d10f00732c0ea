"""Refuses and records what a Python process asks of the network beyond this machine. Python imports this at its start
where the folder is on PYTHONPATH, in each process of a run; NETWORK_RECORD names the file.
"""

import ipaddress
import os
import sys
from typing import Any

ADDRESSED = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
LOOKED_UP = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}


def _is_here(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode()
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ADDRESSED:
        address = arguments[1]
        # Sockets of files have a path for an address, and those of an answer to a request have none.
        here = not isinstance(address, tuple) or _is_here(address[0] or "0.0.0.0")
    elif event in LOOKED_UP:
        here = _is_here(arguments[0])
    else:
        return
    if not here:
        with open(os.environ["NETWORK_RECORD"], "a", encoding="utf-8") as record:
            record.write(f"{' '.join(sys.argv)[:200]}: {event} {arguments[0 if event in LOOKED_UP else 1]}\n")
        raise OSError(f"{event}: refused, for nothing may leave this machine")


sys.addaudithook(_watch)
