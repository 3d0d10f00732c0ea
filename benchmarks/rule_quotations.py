"""Are true quotations found, and false ones not? `python benchmarks/rule_quotations.py SOURCE... [--workspace DIR]`.

Each SOURCE is an ingested grammar. Every line of its prose, examples and tables that a language model would see is
quoted back, once as shown and once with one letter changed. Prints how many of each are found.
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pairwright.core.config import RuleSettings
from pairwright.core.records import Block
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.languages import load_language
from pairwright.sources.grammar.rules.extract import GrammarReader
from pairwright.sources.grammar.rules.passages import Window
from pairwright.sources.grammar.rules.quotations import find_quotation

_LETTERS = "aeioubdgptk"


def lines(window: Window) -> Iterator[tuple[str, str]]:
    """The lines of a window from the book, with their kinds, without the names that the program gives."""
    in_table = False
    for line in window.text.splitlines():
        in_table = (in_table and " | " in line) or line.startswith("[table]") or (in_table and line == "---")
        shown = re.sub(r"^\[(?:footnote|table)\] ?", "", line)
        if line.startswith(("[E", "## ")) or line == "---" or not shown:
            continue
        name, _, rest = shown.strip().partition(": ")
        if name in ("segmentation", "gloss", "translation"):
            yield "gloss", rest
        else:
            yield ("table" if in_table else "line"), shown


def altered(line: str, chance: random.Random) -> str | None:
    """The line with one letter changed; None where it has no such letter."""
    places = [at for at, char in enumerate(line) if char in _LETTERS]
    if not places:
        return None
    at = chance.choice(places)
    return line[:at] + chance.choice([char for char in _LETTERS if char != line[at]]) + line[at + 1 :]


def measure(workspace: Workspace, name: str) -> None:
    source = load_source(workspace.sources / name)
    blocks = read_jsonl(workspace.work(source.id) / "blocks.jsonl", Block)
    settings = RuleSettings(include=("*",))
    language = load_language(source.language, workspace.root)
    reader = GrammarReader(blocks, source, language, settings, workspace.root)
    chance = random.Random(0)
    counts: Counter[tuple[str, str]] = Counter()
    for window in reader.windows():
        for kind, line in lines(window):
            counts[kind, "quoted"] += 1
            counts[kind, "found"] += bool(find_quotation(line, window.blocks))
            false = altered(line, chance)
            if false:
                counts[kind, "altered"] += 1
                counts[kind, "wrongly"] += bool(find_quotation(false, window.blocks))
    for kind in ("line", "gloss", "table"):
        figures = [counts[kind, figure] for figure in ("quoted", "found", "altered", "wrongly")]
        print(f"{name:<20} {kind:<6} " + " ".join(f"{figure:>10,}" for figure in figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", help="ids of grammars under sources/, already ingested")
    parser.add_argument("--workspace", type=Path, default=Path())
    arguments = parser.parse_args()
    print(f"{'':<27} " + " ".join(f"{head:>10}" for head in ("quoted", "found", "altered", "found")))
    for name in arguments.sources:
        measure(Workspace(arguments.workspace), name)


if __name__ == "__main__":
    main()
