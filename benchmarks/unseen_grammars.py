"""Five short grammars that nobody who works on the reader made: `python benchmarks/unseen_grammars.py [--show KIND]`.

A linguist who had seen neither the reader nor what comes of it wrote and set them (`data/unseen/`: a PDF without an
outline and its truth in JSON each):

    alpha   decimal headings, examples (12a) in two to four lines, tables side by side and with notes, small capitals
    beta    headings and examples without numbers, prose in two columns, a text of 40 sentences in three or four lines
    gamma   "Chapter 2" over its title, sections with §, examples (2.3a), judgements in a column, a vowel chart
    delta   the manners of three presses in one book
    epsilon examples (3-12) counted by chapters, in notes and side by side, stars inside sentences, tables and prose

Printed are headings, lines of examples, pairs from stars, cells and notes of tables, and words that a line end divides.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from unicodedata import combining, normalize

from rapidfuzz import fuzz

from pairwright.core.records import Block, Gloss
from pairwright.documents.read.reader import ReadOptions, learn_book, link, read_pages
from pairwright.languages import load_tagset
from pairwright.languages.conventions import usual_conventions
from pairwright.sources.grammar.starred.pairs import StarredPair, starred_pairs
from table_scores import Tally
from typesetting import Json

UNSEEN = Path(__file__).parent / "data" / "unseen"
LINES = ("surface", "segmentation", "gloss", "translation", "source", "judgement")
# What may stand around a word, with the marks of footnotes.
AROUND = "“”‘’().,;:!?*⁰¹²³⁴⁵⁶⁷⁸⁹"
SAME_TITLE, SAME_SENTENCE = 90, 95


class Outcome(NamedTuple):
    """How many are right, read and there, and what was wrong, for people."""

    tally: Tally
    wrong: list[str]


def plain(text: str | None) -> str:
    """Letters alone, in small case: quotation marks, brackets, spaces and marks of judgement do not count."""
    composed = normalize("NFC", (text or "").casefold())
    return "".join(char for char in composed if char.isalnum() or combining(char))


def matches(read: Iterable[tuple[int, str]], there: Iterable[tuple[int, str]], least: float) -> Outcome:
    """Texts with their pages, each matched once with one that is much the same on the same page or the next."""
    left, tally, wrong = list(read), Tally(), []
    there = list(there)
    tally.read, tally.there = len(left), len(there)
    for page, text in there:
        alike = (it for it in left if abs(it[0] - page) <= 1 and fuzz.ratio(plain(it[1]), plain(text)) >= least)
        if match := next(alike, None):
            left.remove(match)
            tally.right += 1
        else:
            wrong.append(f"missing p. {page}: {text}")
    return Outcome(tally, wrong + [f"extra p. {page}: {text}" for page, text in left])


def headings(blocks: Sequence[Block], truth: Json) -> Outcome:
    read = [(block.page, block.text) for block in blocks if block.kind == "heading"]
    title = plain(truth.get("title") or "")
    read = [(page, text) for page, text in read if not title or fuzz.ratio(plain(text), title) < SAME_TITLE]
    return matches(read, [(item["page"], item["text"]) for item in truth["headings"]], SAME_TITLE)


def line_of(gloss: Gloss, name: str) -> str:
    match name:
        case "surface":
            return gloss.surface or ""
        case "segmentation":
            return " ".join(gloss.segmentation) or gloss.surface or ""
        case "gloss":
            return " ".join(" ".join(row) for row in gloss.glosses)
        case "judgement":
            return gloss.judgement or ""
        case _:
            return getattr(gloss, name) or ""


def examples(blocks: Sequence[Block], truth: Json) -> dict[str, Outcome]:
    """For each line that an example may have: how often it is right, of those that are printed."""
    leaves = [(block.page, leaf) for block in blocks if block.gloss for _, leaf in block.gloss.leaves()]
    outcomes = {name: Outcome(Tally(), []) for name in ("sentence", *LINES)}
    left = list(leaves)
    for item in truth["examples"]:
        printed = plain(item["surface"] or item["segmentation"])
        best = max(left, key=lambda it: sentence_fit(it, item["page"], printed), default=None)
        leaf = best[1] if best and sentence_fit(best, item["page"], printed) >= SAME_SENTENCE else None
        if best and leaf:
            left.remove(best)
        for name, (tally, wrong) in outcomes.items():
            text = printed if name == "sentence" else item[name]
            if not text:
                continue
            tally.there += 1
            tally.read += leaf is not None
            read = line_of(leaf, name) if leaf and name != "sentence" else None
            right = leaf is not None and (read is None or agrees(name, read, text))
            tally.right += right
            if not right:
                wrong.append(f"p. {item['page']} {item['number']}{item['sub'] or ''} {name}: {read!r} for {text!r}")
    outcomes["sentence"].tally.read = len(leaves)
    outcomes["sentence"].wrong.extend(f"extra p. {page}: {leaf.object_line}" for page, leaf in left)
    return outcomes


def sentence_fit(read: tuple[int, Gloss], page: int, printed: str) -> float:
    """How like a sentence on the same page, or one beside it, is to the printed one, 0-100."""
    near = abs(read[0] - page) <= 1
    lines = (read[1].surface, " ".join(read[1].segmentation))
    return max(fuzz.ratio(plain(line), printed) for line in lines) if near else 0.0


def agrees(name: str, read: str, text: str) -> bool:
    # A translation is read without its label.
    there = usual_conventions().intended.sub("", text) if name == "translation" else text
    return read == text if name == "judgement" else plain(read) == plain(there)


def stars(blocks: Sequence[Block], truth: Json) -> Outcome:
    """Pairs of a bad and a good form; the truth's are those with a partner."""
    pairs, _ = starred_pairs(blocks, load_tagset("leipzig"))
    there = {(plain(item["bad"]), plain(item["good"])) for item in truth["stars"] if item["good"]}
    read = {(plain(pair.example.bad), plain(pair.example.good)): pair for pair in pairs}
    tally = Tally()
    tally.add(set(read), set(there))
    return Outcome(tally, [f"missing: {pair}" for pair in there - set(read)] + wrong_pairs(read, there))


def wrong_pairs(read: dict[tuple[str, str], StarredPair], there: set[tuple[str, str]]) -> list[str]:
    extra = (pair.example for sides, pair in read.items() if sides not in there)
    return [f"extra p. {item.evidence.page}: {item.good} / {item.bad}" for item in extra]


def tables(blocks: Sequence[Block], truth: Json) -> dict[str, Outcome]:
    """Cells by page, row, column and text, and notes. A table of the truth is held against the one most like it."""
    cells, notes = Outcome(Tally(), []), Outcome(Tally(), [])
    left = [block for block in blocks if block.kind == "table"]
    for item in truth["tables"]:
        there = grid(item["rows"])
        best = max(left, key=lambda block: len(grid(block.cells or ()) & there), default=None)
        read = grid(best.cells or ()) if best and grid(best.cells or ()) & there else set()
        if best and read:
            left.remove(best)
        cells.tally.add(set(read), set(there))
        cells.wrong.extend(f"{item['caption']}: {kind} {cell}" for kind, cell in differences(read, there))
    cells.tally.read += sum(len(grid(block.cells or ())) for block in left)
    cells.wrong.extend(f"extra table p. {block.page}: {block.text[:80]!r}" for block in left)
    noted = [(item["page"], note["text"]) for item in truth["tables"] for note in item["notes"]]
    read_notes = [(b.page, note) for b in blocks if b.kind == "table" for note in getattr(b, "notes", ())]
    found = matches([(page, getattr(note, "text", str(note))) for page, note in read_notes], noted, SAME_TITLE)
    return {"cells": cells, "notes": Outcome(found.tally, notes.wrong + found.wrong)}


def grid(rows: Iterable[Sequence[str]]) -> set[tuple[int, int, str]]:
    cells = ((r, c, plain(cell)) for r, row in enumerate(rows) for c, cell in enumerate(row))
    return {cell for cell in cells if cell[2]}


def differences(
    read: set[tuple[int, int, str]], there: set[tuple[int, int, str]]
) -> list[tuple[str, tuple[int, int, str]]]:
    return [*(("missing", cell) for cell in sorted(there - read)), *(("extra", cell) for cell in sorted(read - there))]


def broken_words(blocks: Sequence[Block], truth: Json) -> Outcome:
    """Words that a line end divides, as they should stand in the text."""
    text = {bare(w) for b in blocks if b.kind in {"paragraph", "footnote"} for w in b.text.split()}
    tally, wrong = Tally(), []
    for item in truth["broken_words"]:
        right = bare(item["whole"]) in text
        tally.right += right
        tally.read += 1
        tally.there += 1
        wrong += [] if right else [f"{item['whole']}"]
    return Outcome(tally, wrong)


def bare(word: str) -> str:
    """A word without what stands around it and without combining marks, some of which the truth leaves out."""
    return "".join(char for char in normalize("NFD", word.strip(AROUND)) if not combining(char))


def score(path: Path) -> dict[str, Outcome]:
    """All outcomes of a document by their names."""
    truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    book = learn_book(path, path.stem, ReadOptions(use_outline=False))
    blocks = [block for page in link(read_pages(book)) for block in page.blocks]
    lines = {f"line: {name}": outcome for name, outcome in examples(blocks, truth).items()}
    cells = {f"table: {name}": outcome for name, outcome in tables(blocks, truth).items()}
    single = {"headings": headings(blocks, truth), "stars: pairs": stars(blocks, truth)}
    return {**single, **lines, **cells, "broken words": broken_words(blocks, truth)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", metavar="KIND", help="print what is wrong in this row, such as headings")
    parser.add_argument("--folder", type=Path, default=UNSEEN, help="PDFs with their truth beside them")
    arguments = parser.parse_args()
    print("| grammar | what | there | right | recall | precision |\n|---|---|---:|---:|---:|---:|")
    for path in sorted(arguments.folder.glob("*.pdf")):
        for name, (tally, wrong) in score(path).items():
            if tally.there:
                recall, precision = tally.right / tally.there, tally.right / max(tally.read, 1)
                print(f"| {path.stem} | {name} | {tally.there} | {tally.right} | {recall:.2f} | {precision:.2f} |")
            if arguments.show == name:
                print(*(f"   {line}\n" for line in wrong), sep="", end="")


if __name__ == "__main__":
    main()
