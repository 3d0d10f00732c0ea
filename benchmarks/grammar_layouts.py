"""A small grammar of a made-up language in four layouts: `python benchmarks/grammar_layouts.py --make DIR`.

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
from pathlib import Path
from typing import Any

from grammar_layouts_book import DATA, LAYOUTS, Setting, read_book
from typesetting import Json, set_pages


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", type=Path, metavar="DIR", required=True, help="write the PDFs and their truth here")
    arguments = parser.parse_args()
    for name, truth in make(arguments.make).items():
        counts = ", ".join(f"{len(truth[kind])} {kind}" for kind in ("headings", "examples", "pairs", "traps"))
        print(f"{arguments.make / name}.pdf: {counts}")


if __name__ == "__main__":
    main()
