"""Nothing leaves the machine: no connection and no name look-up, by Python or by a library under it, in any process."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

ROOT = Path(__file__).parents[1]
RECORDER = Path(__file__).parent / "support" / "offline"
# An address of the internet in strace's words; and the question of a name, which a resolver on this machine passes on.
ABROAD = re.compile(r'inet_addr\("(?!127\.)[^"]+"\)|inet_pton\(AF_INET6, "(?!::1")[^"]+"|htons\(53\)')


def network_use(command: Sequence[str], folder: Path, **environment: str) -> list[str]:
    """Runs a command in a folder; gives what its processes asked of the network. Each such call fails."""
    record, trace = folder / "network.txt", folder / "strace.txt"
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not re.search("TELEMETRY|TRACK|UPDATE|PREFECT|PADDLE|^CI$", name)
    }
    paths = {"PYTHONPATH": str(RECORDER), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    calls = "trace=connect,sendto,sendmsg,sendmmsg"
    watched = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", calls, "-e", "signal=none", "-o", str(trace)]
    strace = shutil.which("strace") and not subprocess.run([*watched, "true"], check=False).returncode
    done = subprocess.run(
        [*(watched if strace else []), *command],
        cwd=folder,
        env={**inherited, **paths, **environment, "NETWORK_RECORD": str(record)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    traced = trace.read_text(encoding="utf-8", errors="replace").splitlines() if strace else []
    return [*lines, *(line for line in traced if ABROAD.search(line))]


def test_the_record_has_what_a_process_asks_of_the_network(tmp_path: Path) -> None:
    code = "import socket\ntry: socket.create_connection(('example.com', 80), 1)\nexcept OSError: pass"
    assert any("example.com" in line for line in network_use([sys.executable, "-c", code], tmp_path))


@pytest.mark.skipif(not shutil.which("strace"), reason="without strace only Python is watched")
def test_the_record_has_what_a_library_asks_of_the_network(tmp_path: Path) -> None:
    code = (
        "import ctypes, socket, struct\n"
        "address = struct.pack('=H', socket.AF_INET) + struct.pack('!H4s8x', 9, bytes([192, 0, 2, 1]))\n"
        "udp = socket.socket(type=socket.SOCK_DGRAM)\n"
        "ctypes.CDLL(None).connect(udp.fileno(), address, 16)"
    )
    assert any("192.0.2.1" in line for line in network_use([sys.executable, "-c", code], tmp_path))


def short_book(folder: Path) -> Path:
    """A page of the sample grammar."""
    path = folder / "book.pdf"
    with pymupdf.open(ROOT / "sources" / "lt-sample-grammar" / "book.pdf") as document:
        document.select([3])
        document.save(path)
    return path


READING = """
from pairwright.cli import main
import onnxruntime, sys
main()
assert "prefect" not in sys.modules
"""


def test_reading_a_pdf_asks_nothing_and_starts_no_server(tmp_path: Path) -> None:
    arguments = ["build", str(short_book(tmp_path)), "--until", "blocks", "--language", "lt"]
    assert network_use([sys.executable, "-c", READING, *arguments], tmp_path) == []
    assert list((tmp_path / "output" / "work").glob("*/blocks.jsonl"))


EVERYTHING = """
import importlib, pkgutil
import pairwright
for module in pkgutil.walk_packages(pairwright.__path__, "pairwright."):
    importlib.import_module(module.name)
import paddleocr, pymupdf.layout
"""


@pytest.mark.slow
def test_loading_everything_asks_nothing(tmp_path: Path) -> None:
    assert network_use([sys.executable, "-c", EVERYTHING], tmp_path) == []


@pytest.mark.slow
def test_reading_the_picture_of_a_page_asks_nothing(tmp_path: Path) -> None:
    book = str(short_book(tmp_path))
    assert (
        network_use(["pairwright", "build", book, "--until", "blocks", "--language", "lt", "--reader", "ocr"], tmp_path)
        == []
    )
    assert list((tmp_path / "output" / "work").glob("*/blocks.jsonl"))


PAIRS = "good,bad\nNematau kalnų.,Nematau kalnus.\n"
RULE = "# Verbs\n\nThe verb *laukti* 'wait' governs the genitive. The accusative is ruled out after it.\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["pairwright", "score", "pairs.csv", "--model", "embedded", "--out", "scored"],
        ["pairwright", "build", "page.md", "--kind", "grammar-book", "--language", "lt", "--llm", "local"],
        ["python", str(ROOT / "flows" / "build.py"), "list.md", "--language", "lt", "--workspace", "."],
    ],
    ids=["the embedded model", "the local language model", "a flow with a server of its own"],
)
def test_the_models_and_a_flow_ask_nothing(command: list[str], tmp_path: Path) -> None:
    for name, text in (("pairs.csv", PAIRS), ("page.md", RULE), ("list.md", "# A\n\n- Nematau kalnus (= kalnų).\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert network_use(command, tmp_path, PREFECT_HOME=str(tmp_path / "prefect")) == []
