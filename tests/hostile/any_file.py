"""Valid files of every kind that a user can name, the commands that read them, and what may stand in their place."""

import base64
import io
import json
import os
import random
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from parts import LIST, docx, epub, paragraph, pdf

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sources" / "lt-sample-treebank"
RELEASE = "cases-1.0.0"
LISTS = {".md": LIST, ".txt": LIST, ".csv": "taisyklinga,klaidinga\nMatau namą.,Matau namas.\n"}
CHAPTER = "<h1>Verbs</h1><p>The verb <i>laukti</i> must take the genitive.</p><p>*Laukiu namas.</p>"
ROWS = [("Nematau kalnų.", "Nematau kalnus."), ("Matau namą.", "Matau namas."), ("Laukiu vėjo.", "Laukiu vėją.")]


class Reading(NamedTuple):
    """A file, and a command that reads it. Both are relative to a folder in which `workspace` is the workspace."""

    file: str
    command: tuple[str, ...]


def _pairs(folder: Path) -> Iterator[Reading]:
    rows = [{"good": good, "bad": bad, "rule": "1", "id": f"p{n}"} for n, (good, bad) in enumerate(ROWS)]
    (folder / "pairs.csv").write_text("good,bad\n" + "".join(f"{good},{bad}\n" for good, bad in ROWS), "utf-8")
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "pairs.json").write_text(json.dumps(rows, indent=1), "utf-8")
    pq.write_table(pa.Table.from_pylist(rows), folder / "pairs.parquet")
    for name in ("pairs.csv", "pairs.jsonl", "pairs.json", "pairs.parquet"):
        yield Reading(name, ("check", name, "--language", "lt"))


def _documents(folder: Path) -> Iterator[Reading]:
    for suffix, text in LISTS.items():
        (folder / f"list{suffix}").write_text(text, "utf-8")
        yield Reading(f"list{suffix}", ("notation", "try", f"list{suffix}"))
        yield Reading(f"list{suffix}", ("build", f"list{suffix}", "--language", "lt"))
    (folder / "book.html").write_text(f"<html><body>{CHAPTER}</body></html>", "utf-8")
    docx(folder / "book.docx", paragraph("The verb stands in the second place."))
    epub(
        folder / "book.epub",
        '<itemref idref="a"/>',
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>',
        a=CHAPTER,
    )
    pdf(folder / "book.pdf", 2)
    for name in ("book.html", "book.docx", "book.epub", "book.pdf"):
        yield Reading(name, ("build", name, "--until", "blocks", "--language", "lt", "--kind", "grammar-book"))
    sentences = (next(SAMPLE.glob("*.conllu")).read_text("utf-8")).split("\n\n")[:4]
    (folder / "trees.conllu").write_text("\n\n".join(sentences) + "\n\n", "utf-8")
    yield Reading("trees.conllu", ("build", "trees.conllu", "--language", "lt"))
    yield Reading("trees.conllu", ("extras", "scala", "trees.conllu", "--language", "lt", "--out", "scala"))


def _answers(folder: Path) -> Iterator[Reading]:
    sheet = next((folder / "workspace" / "annotations" / "sarasas").glob("ana.csv"))
    rows = [line.split(";") for line in sheet.read_text("utf-8-sig").splitlines()]
    pair_id = next(cell for cell in rows[1] if cell.startswith("pair-"))
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / "ana.xlsx")
    (folder / "jonas.csv").write_bytes(sheet.read_bytes())
    (folder / "tasks.json").write_text(
        json.dumps([{"data": {"pair_id": pair_id, "reviewer": "ana"}, "annotations": [{"result": []}]}]), "utf-8"
    )
    for name in ("ana.xlsx", "jonas.csv", "tasks.json"):
        yield Reading(name, ("review", "import", "--queue", "sarasas", "--reviewer", "ana", name))
    (folder / "again.csv").write_text(f"pair_id,reason\n{pair_id},odd\n", "utf-8")
    yield Reading("again.csv", ("review", "sync", "sarasas", "--recheck", "again.csv"))
    (folder / "texts.csv").write_text("text,english\nNematau kalnų.,I see no hills.\n", "utf-8")
    yield Reading("texts.csv", ("tasks", RELEASE, "--texts", "texts.csv", "--out", "items"))


def _settings(folder: Path) -> Iterator[Reading]:
    """The files that people put into a workspace."""
    workspace, package = folder / "workspace", ROOT / "src" / "pairwright"
    for kind, name in (("languages", "lt"), ("contrasts", "lt"), ("frames", "lt"), ("tagsets", "lt-hunspell")):
        (workspace / kind).mkdir(exist_ok=True)
        shutil.copy(package / kind / f"{name}.toml", workspace / kind)
    shutil.copytree(package / "notations", workspace / "notations")
    for kind, name in (("matrix_templates", "en-cos"), ("matrix_lexicons", "en-cos")):
        (workspace / kind).mkdir()
        shutil.copy(package / "extras" / "matrices" / kind / f"{name}.toml", workspace / kind)
        yield Reading(f"workspace/{kind}/{name}.toml", ("extras", "matrices", "show", "en-cos"))
    for name in ("vlkk", "columns"):
        yield Reading(f"workspace/notations/{name}.toml", ("notation", "try", "list.md", "--notation", name))
    for command in (("notation", "try", "list.md"), ("build", "sarasas"), ("status", "sarasas"), ("doctor",)):
        yield Reading("workspace/languages/lt.toml", command)
        yield Reading("workspace/pairwright.toml", command)
    yield Reading("workspace/contrasts/lt.toml", ("build", "trees.conllu", "--language", "lt"))
    marked = workspace / "sources" / "sarasas" / "paradigms.txt"
    marked.write_text("[S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].\n", "utf-8")
    for path in (marked, workspace / "frames" / "lt.toml"):
        yield Reading(str(path.relative_to(folder)), ("grow", "orders", "sarasas"))
    (workspace / "questionnaire.toml").write_text(
        'consent = "Sutinku."\n[[question]]\nid = "age"\ntext = "Amžius"\n', "utf-8"
    )
    yield Reading("workspace/questionnaire.toml", ("review", "questionnaire", "--queue", "sarasas"))
    prompt = next((ROOT / "prompts").glob("*/v*.md"))
    shutil.copytree(ROOT / "prompts", workspace / "prompts")
    for path in sorted((workspace / "prompts").glob("*/v*.md")):
        if path.parent.name == prompt.parent.name or "section" in path.parent.name:
            yield Reading(str(path.relative_to(folder)), ("build", "sarasas", "--llm", "server", "--offline"))


def _kept(folder: Path) -> Iterator[Reading]:
    """What pairwright itself wrote, which people merge, mail and edit all the same."""
    release = folder / "workspace" / "output" / "releases" / RELEASE
    pair = json.loads((release / "pairs.jsonl").read_text("utf-8").partition("\n")[0])["id"]
    for path in sorted(release.rglob("*")):
        if path.is_file():
            yield Reading(str(path.relative_to(folder)), ("release", "verify", str(release.relative_to(folder))))
    commands = (
        *(("status",), ("show", "sarasas"), ("build", "sarasas"), ("status", "sarasas"), ("review", "invite")),
        *(("review", "import", "--queue", "sarasas"), ("review", "settle", "--queue", "sarasas")),
        *(("review", "sync", "sarasas"), ("release", "create", "--name", "cases", "--version", "1.0.1")),
        *(("review", "agreement", "--queue", "sarasas"), ("report", "board")),
        ("trace", pair),
    )
    for below in ("annotations", "sources", "output/work"):
        for path in sorted((folder / "workspace" / below).rglob("*")):
            if path.is_file():
                yield from (Reading(str(path.relative_to(folder)), command) for command in commands)


def _replies(folder: Path) -> Iterator[Reading]:
    from pairwright.models.chat.ledger import Ledger

    path = folder / "workspace" / "output" / "llm" / "replies.sqlite"
    Ledger(path).close()
    with sqlite3.connect(path) as file:
        columns = [row[1:3] for row in file.execute("PRAGMA table_info(replies)")]
        values = [{"TEXT": "a", "BLOB": b"{}", "REAL": 1.0}.get(kind, 1) for _, kind in columns]
        file.execute(f"INSERT INTO replies VALUES ({', '.join('?' * len(values))})", values)
    file.close()
    for command in (("status",), ("build", "sarasas", "--llm", "server", "--offline")):
        yield Reading("workspace/output/llm/replies.sqlite", command)


def readings(folder: Path) -> list[Reading]:
    """Puts valid files into a folder beside and in its workspace; what reads them."""
    makers = (_pairs, _documents, _answers, _settings, _kept, _replies)
    return [reading for maker in makers for reading in maker(folder)]


# Values that are right for nothing, as JSON, TOML and tables can write them.
ODD = (
    *(b"null", b"true", b"-1", b"1e999", b"NaN", b'""', b"[]", b"{}", b"[[[1]]]", b'{"a": 1}', b'"\\ud800"', b"1.5"),
    *(b"9" * 5000, b'"' + b"x" * 20_000 + b'"', b"0", b'"\\u0000"', b"99999999999999999999", b"2026-13-45", b"'", b'"'),
    *(b'"../../x"', b'"~nosuch/x"', b"[" * 5000, b"\xff\xfe", b"\x00", b"\xed\xa0\x80", b"\r", b"\x1b[31m", b"=1+1"),
)
_VALUE = re.compile(rb'"[^"\n]*"|-?\d+(?:\.\d+)?|true|false|null|\w+')


def noise(data: bytes, draw: random.Random) -> bytes:
    return draw.randbytes(draw.choice((0, 1, 10, 1000, 100_000)))


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def flip(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 5, 50)) if changed else 0):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def put_in(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.choice((*ODD, draw.randbytes(20))) + data[place:]


def exchange(data: bytes, draw: random.Random) -> bytes:
    """Puts an odd value in the place of another."""
    places = [match.span() for match in _VALUE.finditer(data[:200_000])]
    for start, end in sorted(draw.sample(places, min(len(places), draw.choice((1, 1, 3)))), reverse=True):
        data = data[:start] + draw.choice(ODD) + data[end:]
    return data


def shuffle(data: bytes, draw: random.Random) -> bytes:
    """Doubles, drops or moves lines."""
    lines = data.splitlines(keepends=True)
    return b"".join(draw.choices(lines, k=draw.randrange(2 * len(lines)))) if lines else b""


def re_encode(data: bytes, draw: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "utf-16-le", "cp1257", "utf-7")), "replace")


def in_archive(data: bytes, draw: random.Random) -> bytes:
    """Changes a member of a ZIP archive; of another file the beginning."""
    if not zipfile.is_zipfile(io.BytesIO(data)) or not data.startswith(b"PK"):
        return exchange(data[:1000], draw) + data[1000:]
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(result, "w") as new:
        chosen = draw.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, draw.choice((exchange, put_in, cut, flip))(content, draw) if name == chosen else content)
    return result.getvalue()


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(noise, cut, flip, put_in, put_in, exchange, exchange, exchange, exchange, shuffle, re_encode, in_archive),
)


def spoil(path: Path, draw: random.Random) -> str:
    """Puts something else in the place of a file; says what."""
    if draw.random() < 0.06:
        path.unlink()
        kind = draw.choice(("a folder", "a pipe", "a link to nothing", "nothing"))
        if kind == "a folder":
            path.mkdir()
        elif kind == "a pipe":
            os.mkfifo(path)
        elif kind == "a link to nothing":
            path.symlink_to("nowhere")
        return kind
    changes = draw.sample(CHANGES, draw.choice((1, 1, 2)))
    if in_archive in changes:
        changes = [in_archive]
    data = path.read_bytes()
    for change in changes:
        data = change(data, draw)
    path.write_bytes(data)
    shown = base64.b64encode(data).decode() if len(data) < 300 else f"{len(data):,} bytes"
    return f"{', '.join(change.__name__ for change in changes)}: {shown}"
