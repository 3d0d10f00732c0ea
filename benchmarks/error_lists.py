"""Error lists against what people wrote down of each mistake, and against pairs that were published from a list.

The published set, DATA/lithuanian-cases/Use_of_Cases.csv, separates columns with `;`: error_name (which begins with the
rule's code), correct_sentence, incorrect_sentence, note_exception, origin_of_the_sentence. Rows of origin `vlkk` come
from the list DATA/vlkk/section3-linksniu-vartojimas.md. Sentences are compared without case and punctuation, and bad
sentences that do not stand in the list are left out, because the authors edited them.

The truth of a list is a file of JSON lines, `truth.jsonl` beside `list.md`. A line is a mistake: `n`, `line`,
`sentence` (the bad one), `goods` (all good ones that a reader accepts), `kind` (pair, ambiguous, enumeration,
not-a-correction), in some lists `bracket` as printed; where a sentence has two mistakes, `partial` and `bad_also` with
only one of them corrected. Sentences are compared without case and punctuation here, too: a wrong comma counts as
right.
"""

import csv
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from common import SOURCES, Json, miss, need, share
from made_records import make_source
from pairwright.core.config import IngestSettings
from pairwright.core.records import Example, Rejection, Rule
from pairwright.core.text import comparison_key
from pairwright.documents.flowing.reader import read_text_document
from pairwright.languages import load_language
from pairwright.sources.error_list.corrections import Rank
from pairwright.sources.error_list.reader import read_error_list

SAMPLE = SOURCES / "lt-sample" / "list.md"
LISTS = Path(__file__).parent / "data" / "lists"
# How many of the ranked spans of an uncertain pair a reviewer is expected to look at.
_FIRST = 3


@dataclass(frozen=True)
class Published:
    """A row of the published set: `line` is its row number in the file, `rule` its error_name."""

    line: int
    rule: str
    good: str
    bad: str
    exception: bool
    origin: str

    @property
    def code(self) -> str:
        return self.rule.split()[0].rstrip(".")


def read_list(
    path: Path, workspace: Path | None = None, rank: Rank | None = None, language: str = "lt"
) -> list[Rule | Rejection]:
    """What the reader makes of a list, with the morphology of a workspace where one is given."""
    source = make_source(path, language=language)
    blocks = read_text_document(path, path.name, source, IngestSettings().max_bytes)
    return list(read_error_list(blocks, source, load_language(language, workspace), workspace, rank))


def real_list(data: Path) -> Path:
    return need(data / "vlkk" / "section3-linksniu-vartojimas.md")


def read_published(data: Path) -> list[Published]:
    """All rows of the published set."""
    path = need(data / "lithuanian-cases" / "Use_of_Cases.csv")
    with path.open(encoding="utf-8-sig", newline="") as handle:
        return [
            Published(
                number,
                row["error_name"],
                row["correct_sentence"].strip(),
                row["incorrect_sentence"].strip(),
                bool(row["note_exception"].strip()),
                row["origin_of_the_sentence"],
            )
            for number, row in enumerate(csv.DictReader(handle, delimiter=";"), start=2)
        ]


def verbatim(rows: Sequence[Published], text: str) -> list[Published]:
    """The rows whose bad sentence stands in the list once the corrections are taken out, exceptions aside."""
    plain = comparison_key(re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]", " ", text))
    return [row for row in rows if not row.exception and f" {comparison_key(row.bad)} " in f" {plain} "]


def fault(row: Published, examples: Sequence[tuple[Rule, Example]]) -> str | None:
    """What the reader got wrong of a published row; None where bad and good sentence and code are there."""
    matches = [(r, e) for r, e in examples if e.bad and comparison_key(e.bad) == comparison_key(row.bad)]
    if not matches:
        return "bad sentence not found"
    if not any(comparison_key(row.code) == comparison_key(rule.code) for rule, _ in matches):
        return "rule code differs"
    same_good = any(comparison_key(example.good) == comparison_key(row.good) for _, example in matches)
    return None if same_good else "good sentence differs"


def partly_corrected(row: Json) -> list[str]:
    """The sentences with only one of two brackets corrected, a text or a list of texts each."""
    given = (row.get(name) or [] for name in ("partial", "bad_also"))
    return [text for value in given for text in ([value] if isinstance(value, str) else value)]


def with_and_without_morphology(data: Path) -> Iterator[tuple[str, Path | None]]:
    """Nothing, and a workspace that has the tagged dictionary: that of DATA, or `ws` in DATA."""
    yield "", None
    if (data / "ws").exists():
        yield ", morphology", data / "ws"
    elif (dictionary := data / "morphology" / "lt-LT.dic").exists():
        with tempfile.TemporaryDirectory() as folder:
            lexicon = f'kind = "hunspell"\npath = "{dictionary.resolve()}"\ntagset = "lt-hunspell"\n'
            (Path(folder) / "pairwright.toml").write_text(f"[[morphology.lt]]\n{lexicon}", encoding="utf-8")
            yield ", morphology", Path(folder)


def manners(data: Path) -> pd.DataFrame:
    """How lists come out, each in a manner of its own; `data/lists/CODE-N` and those of DATA have a language's code.

    right      certain pairs whose sentences are as in the truth, of all certain ones
    first      the same of uncertain ones; first 3, with one of the alternatives beside it
    """
    rows, names = list[dict[str, tuple[int, int]]](), list[str]()
    for path in sorted([*LISTS.glob("*/list.md"), *data.glob("*/list.md")]):
        truth = [json.loads(line) for line in path.with_name("truth.jsonl").read_text("utf-8").splitlines()]
        goods = defaultdict[str, set[str]](set)
        for row in truth:
            partial = partly_corrected(row)
            goods[comparison_key(row["sentence"])] |= {*map(comparison_key, [*row["goods"], *partial])}
            for text in partial:
                goods[comparison_key(text)] |= {*map(comparison_key, row["goods"])}
        items = read_list(path, language=path.parent.name.split("-")[0])
        examples = [each for item in items if isinstance(item, Rule) for each in item.examples if each.bad]
        first = [each for each in examples if each.default]

        def is_right(each: Example, n_shown: int = 1) -> bool:
            shown = [each.good, *each.alternatives][:n_shown]
            return not goods[comparison_key(each.bad or "")].isdisjoint(map(comparison_key, shown))  # noqa: B023

        certain, unsure = ([each for each in first if each.uncertain is is_unsure] for is_unsure in (False, True))
        pairs = [row for row in truth if row["goods"]]
        known = {comparison_key(each.bad or "") for each in examples}
        out = [not known.isdisjoint(map(comparison_key, [row["sentence"], *partly_corrected(row)])) for row in pairs]
        for each in (each for each in first if not is_right(each)):
            miss(f"{path.parent.name} line {each.evidence.line}{' ?' * each.uncertain}: {each.bad} -> {each.good}")
        counted = {
            "out": out,
            "certain: right": [*map(is_right, certain)],
            "uncertain: first": [*map(is_right, unsure)],
            f"first {_FIRST}": [is_right(each, _FIRST) for each in unsure],
        }
        rows.append({name: (sum(own), len(own)) for name, own in counted.items()})
        names.append(path.parent.name)
        miss(f"{names[-1]}: {rows[-1]}")
    frame, is_lithuanian = pd.DataFrame(rows), np.array([name.startswith("lt") for name in names])
    groups = {"Lithuanian": is_lithuanian, "other languages": ~is_lithuanian, "all": is_lithuanian | True}
    found = [
        {"lists": f"{title}, {own.sum()}"}
        | {name: share(*map(sum, zip(*frame[name][own], strict=True))) for name in frame}
        for title, own in groups.items()
    ]
    return pd.DataFrame(found)


def published(data: Path) -> pd.DataFrame:
    """How many of the published pairs the reader finds in the list that they come from."""
    rows, text = [row for row in read_published(data) if row.origin == "vlkk"], real_list(data).read_text("utf-8-sig")
    columns = {}
    for label, workspace in with_and_without_morphology(data):
        items = read_list(real_list(data), workspace)
        rules = [item for item in items if isinstance(item, Rule)]
        examples = [(rule, example) for rule in rules for example in rule.examples]
        first = [example for _, example in examples if example.bad and example.default]
        own = verbatim(rows, text)
        faults = Counter(fault(row, examples) for row in own)
        found = len(own) - faults["bad sentence not found"]
        kept = {comparison_key(good) for _, e in examples if e.exception for good in (e.good, *e.alternatives)}
        apart = [row for row in rows if row.exception and comparison_key(row.good) in kept]
        for row in own:
            if reason := fault(row, examples):
                miss(f"row {row.line}: {reason}: {row.code} | {row.bad} | {row.good}")
        columns[f"section 3{label}"] = {
            "rules": len(rules),
            "pairs that come out, first readings": f"{sum(e.bad is not None for _, e in examples)}, {len(first)}",
            "first readings, uncertain": sum(example.uncertain for example in first),
            "brackets not resolved": len(items) - len(rules),
            "published bad sentences, in the list verbatim and no exception": f"{len(rows)}, {len(own)}",
            "bad sentences found": share(found, len(own)),
            "pairs found, any alternative": share(found - faults["good sentence differs"], len(own)),
            "rule codes right": share(found - faults["rule code differs"], found),
            "exceptions kept apart": share(len(apart), sum(row.exception for row in rows)),
        }
    return pd.DataFrame(columns).rename_axis("").reset_index()
