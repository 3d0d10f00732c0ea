"""The sample grammar line by line, as a text PDF and as a scan: `python benchmarks/sample_grammar.py [--show]`.

`sources/lt-sample-grammar/truth.jsonl` says what stands on each page. Small capitals are compared without regard to
case, straight quotation marks with curly ones, and marks of footnotes do not count. Each row of the table prints how
many pieces there are, how many were found as what they are, and how well they read.
"""

import argparse
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from pairwright.core.records import Block, Gloss
from pairwright.documents.pages.ocr import OcrReader
from pairwright.documents.read.reader import lay_out, learn_book, learn_scans, link, read_pages
from pairwright.languages import load_language

SOURCES = Path(__file__).parent.parent / "sources"
BOOKS = {
    "text": SOURCES / "lt-sample-grammar" / "book.pdf",
    "scan": SOURCES / "lt-sample-grammar-scan" / "book-scan.pdf",
}
TRUTH = SOURCES / "lt-sample-grammar" / "truth.jsonl"
TEXTS = ("heading", "paragraph", "list_item", "footnote", "caption")
FIELDS = ("judgement", "object", "segmented", "gloss", "translation", "reference", "language")
QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00ad": None})
# A piece counts as found where no more than this share of its characters is wrong.
FOUND = 0.3

Piece = dict[str, Any]


def plain(text: str | None) -> str:
    """A text as it is compared."""
    folded = " ".join(unicodedata.normalize("NFC", text or "").translate(QUOTES).casefold().split())
    return "".join(char for char in folded if char not in "⁰¹²³⁴⁵⁶⁷⁸⁹").strip()


@dataclass
class Score:
    """Pieces there and found, and the characters and wrong characters of those found.

    `whole` counts the pieces of which every character is right, `extra` the pieces that do not exist.
    """

    there: int = 0
    found: int = 0
    whole: int = 0
    extra: int = 0
    characters: int = 0
    errors: int = 0
    wrong: list[str] = field(default_factory=list)

    def row(self, *labels: str) -> str:
        cer = 100 * self.errors / max(self.characters, 1)
        counts = f"{self.there} | {self.found} | {self.extra} | {self.whole}"
        return f"| {' | '.join(labels)} | {counts} | {cer:.2f} |"


def read_text(path: Path) -> list[Block]:
    """The blocks of a book that has a text layer."""
    return [block for page in link(read_pages(learn_book(path, path.stem))) for block in page.blocks]


def read_scan(path: Path) -> list[Block]:
    """The blocks of a scanned book in Lithuanian, with one profile for all of its pages."""
    reader = OcrReader(load_language("lt"))
    book = learn_book(path, path.stem)
    pages = list(read_pages(book, ocr=reader.read))
    book = learn_scans(book, (page.scan for page in pages if page.scan))
    return [block for page in link(lay_out(page, book) for page in pages) for block in page.blocks]


READERS = {"text": read_text, "scan": read_scan}


def joined(blocks: Sequence[Block]) -> list[Piece]:
    """Blocks of text as pieces of the truth's form; what goes on from the page before is one piece with it."""
    pieces: list[Piece] = []
    by_id: dict[str, Piece] = {}
    for block in blocks:
        before = by_id.get(block.continues or "")
        if before is not None and block.kind in TEXTS:
            cut = before["text"].endswith("-")
            before["text"] = before["text"][:-1] + block.text if cut else f"{before['text']} {block.text}"
            by_id[block.id] = before
            continue
        piece = {"kind": block.kind, "page": block.page, "text": block.text, "level": block.level, "cells": block.cells}
        pieces.append(piece)
        by_id[block.id] = piece
    return pieces


def distance(one: str, two: str) -> float:
    return float(Levenshtein.normalized_distance(one, two))


def score_texts(truth: Sequence[Piece], pieces: Sequence[Piece], kind: str) -> Score:
    """Each piece of a kind with the likest of the pages' pieces of that kind."""
    score = Score()
    left = [piece for piece in pieces if piece["kind"] == kind]
    for record in truth:
        if record["kind"] != kind:
            continue
        score.there += 1
        text = plain(printed(record))
        near = [piece for piece in left if piece["page"] == record["page"]]
        best = min(near, key=lambda piece: distance(plain(piece["text"]), text), default=None)
        if best is None or distance(plain(best["text"]), text) > FOUND:
            score.wrong.append(f"p. {record['page']} missing: {printed(record)}")
            continue
        left.remove(best)
        level = kind != "heading" or best["level"] == record["level"]
        add(score, plain(best["text"]), text, level, f"p. {record['page']} {best['text']}")
    titles = {plain(record["text"]) for record in truth if record["kind"] == "title"}
    left = [piece for piece in left if plain(piece["text"]) not in titles]
    score.extra = len(left)
    score.wrong += [f"p. {piece['page']} extra: {piece['text'][:90]}" for piece in left]
    return score


def printed(record: Piece) -> str:
    """A piece's text with its printed number."""
    number = record.get("number")
    return f"{number} {record['text']}" if number and record["kind"] == "heading" else record["text"]


def add(score: Score, found: str, truth: str, also: bool, name: str) -> None:
    errors = Levenshtein.distance(found, truth)
    score.found += 1
    score.characters += len(truth)
    score.errors += errors
    score.whole += errors == 0 and also
    if errors or not also:
        score.wrong.append(f"{name}\n      truth: {truth}")


def leaves(gloss: Gloss) -> Iterator[tuple[str, str | None, Gloss]]:
    """The sentences of an example: number, letter and lines."""
    for part in gloss.parts or (gloss,):
        yield gloss.number or "", part.number if gloss.parts else None, part


def lines_of(gloss: Gloss, language: str | None) -> dict[str, str]:
    """The fields of one sentence as they are compared."""
    return {
        "judgement": gloss.judgement or "",
        "object": plain(gloss.object_line),
        "segmented": plain(" ".join(gloss.segmentation)) if gloss.surface else "",
        "gloss": plain(" ".join(" ".join(line) for line in gloss.glosses)),
        "translation": plain(gloss.translation),
        "reference": plain(gloss.source),
        "language": plain(language),
    }


def score_examples(truth: Sequence[Piece], blocks: Sequence[Block]) -> dict[str, Score]:
    """Sentences by number and letter, field by field; `all` is right where all fields are."""
    found: dict[tuple[str, str | None], dict[str, str]] = {}
    extra = Counter[str]()
    for block in blocks:
        for number, letter, leaf in leaves(block.gloss) if block.gloss else ():
            language = leaf.language or (block.gloss.language if block.gloss else None)
            extra["all"] += (number, letter) in found
            found[number, letter] = lines_of(leaf, language)
    scores = {name: Score() for name in (*FIELDS, "all")}
    for record in (piece for piece in truth if piece["kind"] == "gloss"):
        name = f"({record['number']}) {record['letter'] or ''}".strip()
        got = found.pop((record["number"], record["letter"]), None)
        right = True
        for key in FIELDS:
            value = record[key]
            line = plain(" ".join(value) if isinstance(value, list) else value) if key != "judgement" else value or ""
            if key != "all" and (line or (got and got[key])):
                score = scores[key]
                score.there += bool(line)
                score.extra += not line
                if got is not None:
                    add(score, got[key], line, True, f"{name} {key}: {got[key]}")
                    right = right and got[key] == line
        scores["all"].there += 1
        scores["all"].found += got is not None
        scores["all"].whole += got is not None and right
        if got is None:
            scores["all"].wrong.append(f"missing: {name} {record['text']}")
    scores["all"].extra = len(found) + extra["all"]
    scores["all"].wrong += [f"extra: {name}" for name in found]
    return scores


def score_tables(truth: Sequence[Piece], pieces: Sequence[Piece]) -> Score:
    """Filled cells, by row and column, of the tables in their order."""
    score = Score()
    records = [record for record in truth if record["kind"] == "table"]
    for record in records:
        got = [piece for piece in pieces if piece["kind"] == "table" and piece["page"] == record["page"]]
        best = max(got, key=lambda piece: len(shared(piece["cells"], record["cells"])), default=None)
        there = filled(record["cells"])
        found = filled(best["cells"]) if best else {}
        score.there += len(there)
        score.extra += len(found.keys() - there.keys())
        for place, text in there.items():
            if place in found:
                add(score, found[place], text, True, f"p. {record['page']} {place} {found[place]}")
            else:
                score.wrong.append(f"p. {record['page']} missing {place} {text}")
    return score


def filled(cells: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    return {(r, c): plain(text) for r, row in enumerate(cells) for c, text in enumerate(row) if text}


def shared(one: Sequence[Sequence[str]], two: Sequence[Sequence[str]]) -> set[tuple[tuple[int, int], str]]:
    return set(filled(one).items()) & set(filled(two).items())


def score_furniture(truth: Sequence[Piece], pieces: Sequence[Piece]) -> Score:
    """Running heads and page numbers: found is what was left out of the text, as it should be."""
    score = Score()
    for kind in ("running-head", "page-number"):
        for record in (piece for piece in truth if piece["kind"] == kind):
            text = plain(record["text"])
            alike = [piece for piece in truth if piece["page"] == record["page"] and plain(printed(piece)) == text]
            shown = [p for p in pieces if p["page"] == record["page"] and plain(p["text"]) == text]
            gone = len(shown) <= len([piece for piece in alike if piece["kind"] == "heading"])
            score.there += 1
            score.found += gone
            score.whole += gone
            if not gone:
                score.wrong.append(f"p. {record['page']} shown: {record['text']}")
    return score


def score_order(truth: Sequence[Piece], pieces: Sequence[Piece]) -> Score:
    """Neighbouring pieces of running text that come in the truth's order."""
    score = Score()
    names = {(piece["page"], plain(piece["text"])): index for index, piece in enumerate(pieces)}
    kinds = {"heading", "paragraph", "caption", "list_item"}
    keys = [(record["page"], plain(printed(record))) for record in truth if record["kind"] in kinds]
    places = [names[key] for key in keys if key in names]
    score.there = len(keys) - 1
    score.found = len(places) - 1
    score.whole = sum(one < two for one, two in pairwise(places))
    return score


def score_book(blocks: Sequence[Block], truth: Sequence[Piece]) -> dict[str, Score]:
    pieces = joined(blocks)
    scores: dict[str, Score] = {kind: score_texts(truth, pieces, kind) for kind in TEXTS}
    scores["cells of tables"] = score_tables(truth, pieces)
    scores |= {f"example: {name}": score for name, score in score_examples(truth, blocks).items()}
    scores["heads and numbers left out"] = score_furniture(truth, pieces)
    scores["pieces in order"] = score_order(truth, pieces)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what is not right")
    parser.add_argument("--books", nargs="+", choices=BOOKS, default=list(BOOKS))
    arguments = parser.parse_args()
    truth = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    print("| book | what | there | found | extra | all right | CER % of those found |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name in arguments.books:
        for what, score in score_book(READERS[name](BOOKS[name]), truth).items():
            print(score.row(name, what))
            if arguments.show:
                print(*(f"   {line}" for line in score.wrong), sep="\n")


if __name__ == "__main__":
    main()
