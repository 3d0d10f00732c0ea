"""Headings of a grammar in four layouts, against their truth: `python benchmarks/layout_headings.py [--show]`.

The pages are those of `grammar_layouts.py`, which have no outline. A heading is found where its number and title are
one heading of its page. A run-in heading, which begins a paragraph, is none of its own and would count as extra.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from rapidfuzz import fuzz

from grammar_layouts import make
from pairwright.core.records import Block
from pairwright.documents.read.reader import learn_book, link, read_pages
from typesetting import Json

SAME_TITLE = 90


def read_headings(path: Path) -> list[Block]:
    pages = link(read_pages(learn_book(path, path.stem)))
    return [block for page in pages for block in page.blocks if block.kind == "heading"]


def score_headings(blocks: list[Block], truth: list[Json]) -> tuple[str, list[str]]:
    """The row of a layout, and what is missing, extra or of another level; levels may be shifted by one for all."""
    left, wrong = list(blocks), []
    matched: list[tuple[Block, Json]] = []
    headings = [heading for heading in truth if not heading["run_in"]]
    for heading in headings:
        title = " ".join(filter(None, (heading["number"], heading["title"])))
        alike = (b for b in left if b.page == heading["page"] and fuzz.ratio(b.text, title) > SAME_TITLE)
        block = next(alike, None)
        if block is None:
            wrong.append(f"missing: p. {heading['page']} {title}")
        else:
            left.remove(block)
            matched.append((block, heading))
    shifts = Counter((block.level or 1) - heading["level"] for block, heading in matched)
    usual, level_right = shifts.most_common(1)[0] if shifts else (0, 0)
    wrong += [f"extra: p. {block.page} {block.text}" for block in left]
    wrong += [f"level {b.level}: {b.text}" for b, heading in matched if (b.level or 1) - heading["level"] != usual]
    precision, recall = len(matched) / max(len(blocks), 1), len(matched) / len(headings)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    level = level_right / max(len(matched), 1)
    return f"{len(headings)} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {level:.3f}", wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what is missing or extra")
    arguments = parser.parse_args()
    print("| layout | headings | precision | recall | F1 | level right |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, truth in make(Path(folder)).items():
            row, wrong = score_headings(read_headings(Path(folder) / f"{name}.pdf"), truth["headings"])
            print(f"| {name} | {row} |")
            if arguments.show:
                print(*(f"   {line}\n" for line in wrong), sep="", end="")


if __name__ == "__main__":
    main()
