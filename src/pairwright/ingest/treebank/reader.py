"""Reads the sentences of a CoNLL-U treebank (https://universaldependencies.org/format.html)."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELD_PARSERS, parse_line
from pydantic import ValidationError

from pairwright.errors import SourceError, at
from pairwright.files import open_file, read_all
from pairwright.ids import content_id
from pairwright.ingest import STAGE
from pairwright.ingest.text.decode import decode_text
from pairwright.languages.features import parse_features
from pairwright.languages.tagset import UPOS
from pairwright.records import Block, Rejection, Source
from pairwright.records.trees import Tree, Word
from pairwright.store import package_versions
from pairwright.text import squeeze

_COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
# The features stay as they are written; the enhanced graph is not read.
_PARSERS: dict[str, Any] = {key: DEFAULT_FIELD_PARSERS[key] for key in ("id", "head", "misc")}


class _Sentence(NamedTuple):
    """The lines of a sentence with their numbers: its comments by key, and its words."""

    comments: dict[str, str]
    lines: list[tuple[int, str]]


class _Fault(Exception):
    """Why a line can't be read."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def read_treebank(path: Path, name: str, source: Source, encoding: str, max_bytes: int) -> Iterator[Block | Rejection]:
    """The sentences of a treebank in order, as blocks with trees.

    path       the file; `name` is its path as the source names it, which the blocks carry
    encoding   of a file without a byte-order mark
    max_bytes  the largest size of a file

    A sentence with a faulty line becomes a Rejection with that line, and the others are read. One whose `# text` is not
    what its words say gives a Rejection beside its block: the words count. Raises SourceError where the file can't be
    read, or no sentence of it is one of CoNLL-U.
    """
    with open_file(path, SourceError) as file:
        data = read_all(file, path, max_bytes, SourceError)
    sha256 = hashlib.sha256(data).hexdigest()
    if any(item.path == name and item.sha256 != sha256 for item in source.files):
        raise SourceError(f"{path}: the file has changed since it was looked at; run again")
    reader = f"conllu {package_versions(['conllu'])['conllu']}"
    repetitions: Counter[str] = Counter()
    first_fault: _Fault | None = None
    for number, sentence in enumerate(_sentences(decode_text(path, data, encoding)), start=1):
        sent_id = sentence.comments.get("sent_id") or f"{Path(name).stem}-{number}"
        line = sentence.lines[0][0]
        try:
            text, tree = _tree(sentence, sent_id)
        except _Fault as fault:
            first_fault = first_fault or fault
            yield _rejection(source, name, fault.line, f"{fault}; mend the line", f"sentence {sent_id}")
            continue
        if (stated := sentence.comments.get("text")) and squeeze(stated) != text:
            yield _rejection(source, name, line, "its # text differs from its words, which count", stated)
        repetitions[text] += 1
        yield Block(
            id=content_id("block", source.id, "sentence", text, repetitions[text]),
            source_id=source.id,
            kind="sentence",
            text=text,
            file=name,
            page=1,
            line=line,
            tree=tree,
            reader=reader,
        )
    if not repetitions:
        reason = f"{at(path, first_fault.line)}: {first_fault}" if first_fault else f"{path}: no sentence"
        raise SourceError(
            f"{reason}; a treebank has to be in CoNLL-U: convert it, or take the .conllu file of its release"
        )


def _sentences(text: str) -> Iterator[_Sentence]:
    """The sentences of a file: blank lines part them."""
    comments: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments.setdefault(key.strip(), value.strip())
        elif line.strip():
            lines.append((number, line))
        else:
            if lines:
                yield _Sentence(comments, lines)
            comments, lines = {}, []


def _tree(sentence: _Sentence, sent_id: str) -> tuple[str, Tree]:
    """The text of a sentence and its tree. The words of a multiword token have its place. Raises _Fault."""
    text, words, numbers = "", list[Word](), list[int]()
    token_end, space = 0, ""
    for number, line in sentence.lines:
        row = _row(line, number)
        first, last = (row["id"], row["id"]) if isinstance(row["id"], int) else (row["id"][0], row["id"][2])
        is_empty_node = not isinstance(row["id"], int) and row["id"][1] == "."
        if is_empty_node:
            continue
        if first > token_end:
            text += space
            start, text = len(text), text + squeeze(row["form"])
            token_end, space = last, "" if (row["misc"] or {}).get("SpaceAfter") == "No" else " "
        if isinstance(row["id"], int):
            words.append(_word(row, len(words) + 1, (start, len(text)), number))
            numbers.append(number)
    for word, number in zip(words, numbers, strict=True):
        if word.head > len(words):
            raise _Fault(number, f"its head {word.head} is no word of the sentence")
    if token_end > len(words) or not words:
        raise _Fault(sentence.lines[-1][0], "the sentence ends before its last word")
    return text, Tree(sent_id=sent_id, words=tuple(words))


def _row(line: str, number: int) -> dict[str, Any]:
    n_columns = line.count("\t") + 1
    if n_columns != len(_COLUMNS):
        raise _Fault(number, f"{n_columns} columns and not the ten of CoNLL-U, parted by tabs")
    try:
        row = dict(parse_line(line, _COLUMNS, _PARSERS))
    except ParseException as fault:
        raise _Fault(number, str(fault)) from None
    except ValueError:
        # The digits that Python turns into a number are limited.
        raise _Fault(number, "a number with thousands of digits") from None
    if row["id"] is None or not row["form"].strip():
        raise _Fault(number, "no id or no form")
    return row


def _word(row: dict[str, Any], wanted: int, place: tuple[int, int], number: int) -> Word:
    if row["id"] != wanted:
        raise _Fault(number, f"word {row['id']} stands where word {wanted} is due")
    if row["upos"] not in UPOS:
        raise _Fault(number, f"'{row['upos']}' is no part of speech of Universal Dependencies")
    if row["head"] is None:
        raise _Fault(number, "the word has no head")
    try:
        parse_features(row["feats"])
        fields = {key: row[key] for key in ("id", "form", "lemma", "upos", "feats", "head", "deprel")}
        return Word(start=place[0], end=place[1], **fields)
    except ValidationError as fault:
        raise _Fault(number, fault.errors(include_url=False)[0]["msg"]) from None
    except ValueError as fault:
        raise _Fault(number, str(fault)) from None


def _rejection(source: Source, name: str, line: int, reason: str, text: str) -> Rejection:
    return Rejection(stage=STAGE.name, source_id=source.id, reason=reason, text=text, file=name, page=1, line=line)
