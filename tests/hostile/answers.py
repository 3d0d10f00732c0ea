"""Servers of language models that answer what no client expects: what becomes of the command that asks.

What the client makes of each such answer stands in tests/llm.
"""

import json
import shutil
import socketserver
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from attempts import FINE, REFUSED, Outcome, attempt, lasting_folder, run
from parts import register

from pairwright.core.workspace import Workspace
from pairwright.models.chat import ledger

Attack = Generator[tuple[str | Path, ...], Outcome, None]
Talk = Callable[[socketserver.StreamRequestHandler], None]

PAGE = """\
# Verbs

## Government

The verb *laukti* ‘wait’ must take the genitive. The accusative is ruled out after it, as every grammar says.
"""


class _Handler(socketserver.StreamRequestHandler):
    """Reads one request and lets the attempt answer it in bytes."""

    server: "HostileServer"

    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n") and (line := self.rfile.readline()):
            head += line
        headers = dict(line.lower().split(b":", 1) for line in head.splitlines() if b":" in line)
        self.server.bodies.append(self.rfile.read(int(headers.get(b"content-length", 0))))
        with suppress(OSError):
            self.server.talk(self)


class HostileServer(socketserver.ThreadingTCPServer):
    """A server on loopback that says the same to everyone; `bodies` are what it was sent."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, talk: Talk) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.talk = talk
        self.bodies: list[bytes] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving(talk: Talk) -> Iterator[HostileServer]:
    with HostileServer(talk) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def http(body: bytes, *headers: str, status: str = "200 OK") -> Talk:
    lines = (f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers)
    data = "".join(f"{line}\r\n" for line in (*lines, "Connection: close")).encode() + b"\r\n" + body
    return lambda handler: void(handler.wfile.write(data))


def void(_: object) -> None:
    return None


def completion(content: str, usage: str = "null") -> bytes:
    """A chat completion whose content and usage are given as JSON texts."""
    message = f'{{"role": "assistant", "content": {content}}}'
    choice = f'{{"index": 0, "message": {message}, "finish_reason": "stop"}}'
    head = '{"id": "c", "object": "chat.completion", "created": 1, "model": "writer"'
    return f'{head}, "choices": [{choice}], "usage": {usage}}}'.encode()


def usage(input_tokens: str, output_tokens: str = "1", total: str = "1") -> str:
    return f'{{"prompt_tokens": {input_tokens}, "completion_tokens": {output_tokens}, "total_tokens": {total}}}'


@cache
def ingested() -> Path:
    """A workspace in which a page of grammar is read, in a language without dictionaries; it is copied."""
    root = lasting_folder() / "workspace"
    source = register(root, "page", "page.md", PAGE.encode(), "grammar-book").with_name("source.toml")
    source.write_text(source.read_text(encoding="utf-8").replace('"lt"', '"sje"'), encoding="utf-8")
    outcome = run("build", "page", "--until", "blocks", "--workspace", root)
    assert outcome.code == 0, outcome.err
    return root


def prepared(folder: Path, address: str, *options: str) -> tuple[str | Path, ...]:
    """The command that finds rules and pairs in a page of grammar with the language model of a server."""
    root = Path(shutil.copytree(ingested(), folder / "workspace"))
    (root / "pairwright.toml").write_text(
        f'[llm]\nbase_url = "{address}"\nmodel = "writer"\nstructured = "schema"\nretries = 1\nbackoff_seconds = 0.01\n'
        "timeout = 1\n[llm.prices.writer]\ninput = 10.0\noutput = 10.0\n",
        encoding="utf-8",
    )
    return ("build", "page", "--until", "pairs", "--llm", "server", "--workspace", root, *options)


def spent(folder: Path) -> float:
    return sum(line.cost for line in ledger(Workspace(folder / "workspace")))


def counted(folder: Path, server: HostileServer) -> None:
    """Whatever the server may bill is in the ledger."""
    assert server.bodies, "nothing was sent"
    lines = ledger(Workspace(folder / "workspace"))
    requests = sum(line.requests + line.unanswered for line in lines)
    assert requests >= len(server.bodies), f"{len(server.bodies)} requests were sent, {requests} are in the ledger"
    assert spent(folder) > 0, "what was sent cost nothing"


def answers(talk: Talk) -> Callable[[Path], Attack]:
    """An attempt in which the server says the same to every request."""

    def script(folder: Path) -> Attack:
        with serving(talk) as server:
            yield prepared(folder, server.address)
            counted(folder, server)

    return script


def pour(handler: socketserver.StreamRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    for _ in range(4096):
        handler.wfile.write(b" " * 2**20)


def headed(handler: socketserver.StreamRequestHandler) -> None:
    http(completion(RULES), *(f"X-{number}: {'x' * 100}" for number in range(100_000)))(handler)


RULES = json.dumps(json.dumps({"rules": []}))
# By name: how the command ends, and what the server says. Where no answer of the run can be used, it is refused.
TALKS: dict[str, tuple[int, Talk]] = {
    "half a pair of surrogates": (FINE, http(completion('"{\\"rules\\": [\\ud800]}"'))),
    "a usage of five thousand digits": (FINE, http(completion(RULES, usage("9" * 5000)))),
    "a body nested two hundred thousand deep": (REFUSED, http(b'{"choices": ' + b"[" * 200_000)),
    "a body without end": (REFUSED, pour),
    "a hundred thousand headers": (REFUSED, headed),
}
for _name, (_code, _talk) in TALKS.items():
    attempt("answers", _code, name=_name, slow=_talk in (pour, headed))(answers(_talk))


@attempt("answers", REFUSED, "127.0.0.1")
def a_redirect_to_another_server(folder: Path) -> Attack:
    with serving(http(completion(RULES))) as other:
        elsewhere = other.address.replace("127.0.0.1", "localhost")
        with serving(http(b"", f"Location: {elsewhere}/chat/completions", status="307 Temporary Redirect")) as server:
            yield prepared(folder, server.address)
        assert not other.bodies, "the document was sent to another server"


@attempt("answers", REFUSED, "replies.sqlite", "damaged")
def a_cache_of_answers_with_values_of_another_kind(folder: Path) -> Attack:
    with serving(http(completion(RULES))) as server:
        arguments = prepared(folder, server.address)
        assert run(*arguments).code == 0
        [path] = (folder / "workspace" / "output" / "llm").glob("*.sqlite")
        with sqlite3.connect(path) as file:
            file.execute("UPDATE replies SET input_tokens = 'many'")
        shutil.rmtree(folder / "workspace" / "output" / "work")
        assert run("build", "page", "--until", "blocks", "--workspace", folder / "workspace").code == 0
        yield arguments
