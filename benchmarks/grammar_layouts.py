"""A made-up language in four layouts: `python benchmarks/grammar_layouts.py --make DIR [--examples]`.

Writes `one.pdf` to `four.pdf`, which have the text of `data/layouts/grammar.toml` in four manners of real grammars, and
beside each its truth: `one.json` has the headings, the lines of the examples, the pairs of sentences or words that a
linguist takes from the page, and the traps: what bears an asterisk and makes no pair. Glosses are in capitals in the
truth where the page has small ones, and no ligatures stand in it. The page of a piece is the one on which it begins.

    one     decimal headings; (12) a. and b.; words over their glosses, then the translation
    two     (3.12); the words as they are said, with the star; below them morphemes, glosses, translation
    three   roman chapters, sections with §; examples without numbers, each with its source on a line of its own
    four    "Chapter 3" over its title, bold and run-in headings; (12a); words and translation; ligatures
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grammar_layouts_book import DATA, LAYOUTS, Setting, read_book
from pairwright.core.records import Block, Gloss
from pairwright.core.text import squeeze
from pairwright.documents.read.reader import ReadOptions, learn_book, link, read_pages
from typesetting import Json, set_pages

COLUMNS = ("found", "surface", "segmentation", "gloss", "translation", "judgement", "no title")


def with_pages(truth: Any, pages: dict[str, int]) -> Any:
    """The truth with pages in place of the ids of what was set."""
    if isinstance(truth, dict):
        rest = {key: with_pages(value, pages) for key, value in truth.items() if key != "at"}
        return {"page": pages[truth["at"]], **rest} if "at" in truth else rest
    return [with_pages(value, pages) for value in truth] if isinstance(truth, list) else truth


def make(folder: Path) -> dict[str, Json]:
    """Writes the PDFs and their truth; returns the truth by the names of the layouts."""
    book = read_book()
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for layout in LAYOUTS:
        setting = Setting(book, layout)
        pdf, places = set_pages(DATA / f"{layout.name}.typ", setting.pages())
        truth = with_pages(setting.truth(), {place["id"]: place["page"] for place in places})
        (folder / f"{layout.name}.pdf").write_bytes(pdf)
        text = json.dumps(truth, ensure_ascii=False, indent=1)
        (folder / f"{layout.name}.json").write_text(text + "\n", encoding="utf-8")
        made[layout.name] = truth
    return made


def same(read: str | None, printed: str | None) -> bool:
    """Whether a line is as printed, whatever its case, quotation marks and spaces."""
    plain = [re.sub(r"^Intended: |[‘’\s]", "", text or "").casefold() for text in (read, printed)]
    return plain[0] == plain[1]


def score_examples(path: Path, truth: Json) -> str:
    """A row: the sentences of the truth, those that were found, and those with each of their lines right."""
    gloss_of: dict[tuple[int, str], Gloss] = {}
    for block in blocks_of(path):
        for place, gloss in block.gloss.leaves() if block.gloss else ():
            gloss_of.setdefault((block.page, "".join(place) or squeeze(gloss.object_line)), gloss)
    right: Counter[str] = Counter()
    sentences = [(example, line) for example in truth["examples"] for line in example["lines"]]
    for example, line in sentences:
        key = (example["number"] or "") + (line["letter"] or "")
        pages = (line["page"], example["lines"][0]["page"])
        printed = line["surface"] or line["segmentation"]
        names = [(page, name) for page in pages for name in (key, printed)]
        leaf = next((gloss_of[name] for name in names if name in gloss_of), None)
        if leaf is None:
            continue
        segmentation = " ".join(leaf.segmentation) or (None if line["surface"] else leaf.surface)
        right["found"] += 1
        right["surface"] += same(leaf.surface if leaf.segmentation or line["surface"] else None, line["surface"])
        right["segmentation"] += same(segmentation, line["segmentation"])
        right["gloss"] += same(" ".join(" ".join(row) for row in leaf.glosses), line["gloss"])
        right["translation"] += same(leaf.translation, line["translation"])
        right["judgement"] += (leaf.judgement or "") == line["judgement"]
        right["no title"] += leaf.title is None
    counts = (right[name] for name in COLUMNS)
    return f"| {truth['layout']} | {len(sentences)} | {' | '.join(map(str, counts))} |"


def blocks_of(path: Path) -> Iterator[Block]:
    book = learn_book(path, path.stem, ReadOptions(use_outline=False))
    return (block for page in link(read_pages(book)) for block in page.blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", type=Path, metavar="DIR", required=True, help="write the PDFs and their truth here")
    parser.add_argument("--examples", action="store_true", help="read them, and count the sentences with right lines")
    arguments = parser.parse_args()
    made = make(arguments.make)
    for name, truth in made.items():
        counts = ", ".join(f"{len(truth[kind])} {kind}" for kind in ("headings", "examples", "pairs", "traps"))
        print(f"{arguments.make / name}.pdf: {counts}")
    if arguments.examples:
        print(f"| layout | sentences | {' | '.join(COLUMNS)} |\n|---|{'---:|' * (1 + len(COLUMNS))}")
        for name, truth in made.items():
            print(score_examples(arguments.make / f"{name}.pdf", truth))


if __name__ == "__main__":
    main()
