"""How many of a published set of pairs the error-list reader finds in the list that they come from.

    python benchmarks/error_list.py LIST PAIRS.csv [--notation NAME] [--workspace FOLDER] [--all]

LIST is the error list (Markdown, HTML, text). PAIRS.csv is the published set: `;`, with the columns error_name (which
begins with the rule's code), correct_sentence, incorrect_sentence, note_exception and origin_of_the_sentence. Rows of
origin `vlkk` count. Sentences are compared without case and punctuation. The counts leave out bad sentences that do not
stand in the list, because the authors edited them.
"""

import argparse
import csv
import re
from dataclasses import dataclass
from pathlib import Path

from made_records import make_source
from pairwright.core.config import IngestSettings
from pairwright.core.records import Example, Rejection, Rule
from pairwright.core.text import comparison_key
from pairwright.documents.flowing.reader import read_text_document
from pairwright.languages import load_language
from pairwright.sources.error_list.corrections import Rank
from pairwright.sources.error_list.reader import read_error_list


@dataclass(frozen=True)
class Published:
    """A row of the published set; `line` is its row number in the file."""

    line: int
    code: str
    good: str
    bad: str
    exception: bool


def read_list(
    path: Path, notation: str | None, language: str, workspace: Path | None = None, rank: Rank | None = None
) -> list[Rule | Rejection]:
    """What the reader makes of a list, with the morphology of a workspace where one is given."""
    source = make_source(path, language=language, notation=notation)
    blocks = read_text_document(path, path.name, source, "utf-8", IngestSettings().max_bytes)
    return list(read_error_list(blocks, source, load_language(language, workspace), workspace, rank))


def read_published(path: Path) -> list[Published]:
    """The rows of origin `vlkk`."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter=";"))
    return [
        Published(
            line=number,
            code=row["error_name"].split()[0].rstrip("."),
            good=row["correct_sentence"],
            bad=row["incorrect_sentence"],
            exception=bool(row["note_exception"].strip()),
        )
        for number, row in enumerate(rows, start=2)
        if row["origin_of_the_sentence"] == "vlkk"
    ]


def verbatim(rows: list[Published], text: str) -> list[Published]:
    """The rows whose bad sentence stands in the list once the corrections are taken out."""
    plain = comparison_key(re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]", " ", text))
    padded = f" {plain} "
    return [row for row in rows if f" {comparison_key(row.bad)} " in padded]


def main() -> None:
    """Prints the counts, then every miss with its line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--notation")
    parser.add_argument("--language", default="lt")
    parser.add_argument("--workspace", type=Path, help="has the language's morphology")
    parser.add_argument("--all", action="store_true", help="also print every pair that comes out, to be read by eye")
    arguments = parser.parse_args()
    items = read_list(arguments.list, arguments.notation, arguments.language, arguments.workspace)
    rules = [item for item in items if isinstance(item, Rule)]
    rejected = [item for item in items if isinstance(item, Rejection)]
    published = read_published(arguments.pairs)
    report(rules, rejected, published, arguments.list.read_text(encoding="utf-8-sig"))
    if arguments.all:
        for rule in rules:
            for example in rule.examples:
                print(f"{rule.code}\t{example.evidence.line}\t{example.bad}\t{example.good}")


def report(rules: list[Rule], rejected: list[Rejection], published: list[Published], text: str) -> None:
    """Compares the rules' examples with the published rows and prints the table."""
    examples = [(rule, example) for rule in rules for example in rule.examples]
    exceptions = {comparison_key(good) for _, e in examples if e.exception for good in (e.good, *e.alternatives)}
    kept_apart = [row for row in published if row.exception and comparison_key(row.good) in exceptions]
    rows = verbatim([row for row in published if not row.exception], text)
    misses = [(reason, row) for row in rows if (reason := fault(row, examples))]
    no_bad = sum(reason == "bad sentence not found" for reason, _ in misses)
    no_good = sum(reason == "good sentence differs" for reason, _ in misses)
    no_code = sum(reason == "rule code differs" for reason, _ in misses)
    pairs = [example for _, example in examples if example.bad is not None]
    print(f"rules                          {len(rules)}")
    first = [example for example in pairs if example.default]
    print(f"pairs that come out            {len(pairs)}, of these first readings {len(first)}")
    print(f"first readings, uncertain      {sum(example.uncertain for example in first)}")
    print(f"brackets not resolved          {len(rejected)}")
    print(f"published bad sentences        {len(published)}, in the list verbatim and no exception {len(rows)}")
    print(f"bad sentences found            {len(rows) - no_bad} of {len(rows)}")
    print(f"pairs found, any alternative   {len(rows) - no_bad - no_good} of {len(rows)}")
    print(f"rule codes right               {len(rows) - no_bad - no_code} of {len(rows) - no_bad}")
    print(f"exceptions kept apart          {len(kept_apart)} of {sum(row.exception for row in published)}")
    for reason, row in misses:
        print(f"row {row.line}: {reason}: {row.code} | {row.bad} | {row.good}")
    for item in rejected:
        print(f"line {item.line}: {item.reason} | {item.text}")


def fault(row: Published, examples: list[tuple[Rule, Example]]) -> str | None:
    """What the reader got wrong of a published row; None where bad and good sentence and code are there."""
    matches = [(r, e) for r, e in examples if e.bad and comparison_key(e.bad) == comparison_key(row.bad)]
    if not matches:
        return "bad sentence not found"
    if not any(comparison_key(row.code) == comparison_key(rule.code) for rule, _ in matches):
        return "rule code differs"
    same_good = any(comparison_key(example.good) == comparison_key(row.good) for _, example in matches)
    return None if same_good else "good sentence differs"


if __name__ == "__main__":
    main()
