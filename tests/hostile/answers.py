"""Servers of language models that answer what no client expects: what becomes of the command that asks.

What the client makes of each such answer stands in tests/llm.
"""

import json
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attempts import ATTEMPTS, FINE, REFUSED, Attempt, Outcome, attempt, lasting_folder, run
from parts import register
from raw_server import Pieces, RawServer, http, raw_server

from pairwright.core.workspace import Workspace
from pairwright.models.chat import ledger

Attack = Generator[tuple[str | Path, ...], Outcome, None]
Talk = Callable[[dict[str, Any]], Pieces]

PAGE = """\
# Verbs

## Government

The verb *laukti* ‘wait’ must take the genitive. The accusative is ruled out after it, as every grammar says.
"""


def completion(content: str) -> bytes:
    """A chat completion whose content is given as JSON text."""
    message = f'{{"role": "assistant", "content": {content}}}'
    choice = f'{{"index": 0, "message": {message}, "finish_reason": "stop"}}'
    head = '{"id": "c", "object": "chat.completion", "created": 1, "model": "writer"'
    return f'{head}, "choices": [{choice}], "usage": null}}'.encode()


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


def counted(folder: Path, server: RawServer) -> None:
    """Whatever the server may bill is in the ledger."""
    assert server.seen, "nothing was sent"
    lines = ledger(Workspace(folder / "workspace"))
    requests = sum(line.requests + line.unanswered for line in lines)
    assert requests >= len(server.seen), f"{len(server.seen)} requests were sent, {requests} are in the ledger"
    assert spent(folder) > 0, "what was sent cost nothing"


def answers(talk: Talk) -> Callable[[Path], Attack]:
    """An attempt in which the server says the same to every request."""

    def script(folder: Path) -> Attack:
        with raw_server(talk) as server:
            yield prepared(folder, server.base_url)
            counted(folder, server)

    return script


def says(content: str) -> Talk:
    return lambda _: http(completion(content))


def pour(_: dict[str, Any]) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    yield from (b" " * 2**20 for _ in range(4096))


def headed(_: dict[str, Any]) -> Pieces:
    return http(completion(RULES), **{f"X-{number}": "x" * 100 for number in range(100_000)})


RULES = json.dumps(json.dumps({"rules": []}))
# By name: how the command ends, and what the server says. Where no answer of the run can be used, it is refused.
TALKS: dict[str, tuple[int, Talk]] = {
    "half a pair of surrogates": (FINE, says('"{\\"rules\\": [\\ud800]}"')),
    "a body nested two hundred thousand deep": (REFUSED, lambda _: http(b'{"choices": ' + b"[" * 200_000)),
    "a body without end": (REFUSED, pour),
    "a hundred thousand headers": (REFUSED, headed),
}
for _name, (_code, _talk) in TALKS.items():
    ATTEMPTS.append(Attempt(_name, answers(_talk), _code, (), _talk in (pour, headed)))


@attempt(REFUSED, "replies.sqlite", "damaged")
def a_cache_of_answers_with_values_of_another_kind(folder: Path) -> Attack:
    with raw_server(says(RULES)) as server:
        arguments = prepared(folder, server.base_url)
        assert run(*arguments).code == 0
        [path] = (folder / "workspace" / "output" / "llm").glob("*.sqlite")
        with sqlite3.connect(path) as file:
            file.execute("UPDATE replies SET input_tokens = 'many'")
        shutil.rmtree(folder / "workspace" / "output" / "work")
        assert run("build", "page", "--until", "blocks", "--workspace", folder / "workspace").code == 0
        yield arguments
