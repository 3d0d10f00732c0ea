"""How well the error-list reader resolves the brackets of a list whose truth was written down by a person.

    python benchmarks/error_list_truth.py LIST TRUTH.jsonl [--half seen|held-out] [--workspace FOLDER]
        [--model NAME] [--misses]

A line of TRUTH is a bracket: `n`, `line`, `bracket` as printed, `sentence` (the bad one), `goods` (all good ones that a
reader accepts), `kind` (pair, ambiguous, enumeration, not-a-correction); where a sentence has two brackets, `partial`
and `bad_also` with only one of them corrected. Sentences are compared with their commas, but without outer quotation
marks and the mark at their end. A hash of `n` decides the half of a bracket. A workspace gives the language its
morphology, and a model, such as `embedded`, ranks the good sentences where the evidence leaves the words open.
"""

import argparse
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from error_list import read_list
from pairwright.core.records import Example, Rejection, Rule
from pairwright.core.text import squeeze, words
from pairwright.core.workspace import Workspace
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.ranking import SentenceRanker

# How many of the ranked spans of an uncertain pair a reviewer is expected to look at.
_FIRST = 3


@dataclass(frozen=True)
class Bracket:
    """A bracket of the truth with what the reader made of it."""

    truth: dict[str, Any]
    pairs: list[Example]
    rejections: list[Rejection]

    @property
    def uncertain(self) -> bool:
        """Whether its pairs are marked as uncertain."""
        return any(pair.uncertain for pair in self.pairs)

    @property
    def wrong_pairs(self) -> list[Example]:
        """The pairs with a sentence that no reader would accept."""
        return [pair for pair in self.pairs if not self._is_right(pair.bad or "", pair.good)]

    @property
    def best_is_right(self) -> bool:
        """Whether the first pair is right."""
        return bool(self.pairs) and self.pairs[0] not in self.wrong_pairs

    @property
    def first_have_right(self) -> bool:
        """Whether the first pair, or one of the first alternatives beside it, is right."""
        best = self.pairs[0]
        return any(self._is_right(best.bad or "", good) for good in [best.good, *best.alternatives][:_FIRST])

    def _is_right(self, bad: str, good: str) -> bool:
        goods = {key(text) for text in self.truth["goods"]}
        bads = {key(self.truth["sentence"]), key(self.truth.get("bad_also") or self.truth["sentence"])}
        partial = {key(text) for text in self.truth.get("partial", ())}
        return key(good) in goods and (key(bad) in bads | partial)


def key(text: str) -> str:
    """A sentence with its commas, without outer quotation marks and the mark at its end."""
    return squeeze(text).strip("„“”\"'»«").rstrip(".!?… ").strip("„“”\"'»«")


def half(number: int) -> str:
    """The half of the truth that a bracket stands in."""
    return "seen" if hashlib.sha256(str(number).encode()).digest()[0] % 2 else "held-out"


def brackets(truth: Path, items: list[Rule | Rejection]) -> list[Bracket]:
    """The brackets of the truth, each with the pairs and rejections that quote it."""
    examples = [example for item in items if isinstance(item, Rule) for example in item.examples if example.bad]
    rejections = [item for item in items if isinstance(item, Rejection)]
    rows = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    return [
        Bracket(
            row,
            [e for e in examples if e.evidence.line == row["line"] and _has(e.evidence.quote, row)],
            [r for r in rejections if r.line == row["line"] and row["bracket"] in r.text],
        )
        for row in rows
    ]


def _has(quote: str, row: dict[str, Any]) -> bool:
    """Whether a quoted sentence of the list is the one with the bracket: others of its line may have one like it."""
    return row["bracket"] in quote and set(words(row["sentence"])) <= set(words(quote))


def share(part: int, whole: int) -> str:
    """Two counts with their share in percent."""
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"


def report(rows: list[Bracket]) -> None:
    """Prints the counts."""
    resolvable = [row for row in rows if row.truth["kind"] == "pair"]
    certain = [row for row in resolvable if row.pairs and not row.uncertain]
    uncertain = [row for row in rows if row.uncertain]
    pairs = [(row, pair) for row in rows for pair in row.pairs if not pair.uncertain]
    wrong = [pair for row, pair in pairs if pair in row.wrong_pairs]
    print(f"brackets                            {len(rows)}, resolvable {len(resolvable)}")
    print(f"resolvable: come out                {share(sum(bool(row.pairs) for row in resolvable), len(resolvable))}")
    print(f"resolvable: all pairs right         {share(sum(not r.wrong_pairs for r in certain), len(resolvable))}")
    print(f"wrong pairs, not marked uncertain   {share(len(wrong), len(pairs))}")
    for kind in ("ambiguous", "enumeration", "not-a-correction"):
        of_kind = [row for row in rows if row.truth["kind"] == kind]
        bad = sum(bool(row.wrong_pairs) and not row.uncertain for row in of_kind)
        marked = sum(row.uncertain for row in of_kind)
        print(f"{kind:35} {len(of_kind)}: wrongly paired {bad}, uncertain {marked}")
    print(f"brackets marked uncertain           {share(len(uncertain), len(rows))}")
    print(f"uncertain: best guess right         {share(sum(r.best_is_right for r in uncertain), len(uncertain))}")
    first = sum(row.first_have_right for row in uncertain)
    print(f"uncertain: right one in the first {_FIRST} {share(first, len(uncertain))}")
    reasons = Counter(item.reason.split("'")[0] for row in rows for item in row.rejections if not row.pairs)
    silent = sum(not row.pairs and not row.rejections for row in rows)
    print(f"rejected brackets                   {sum(reasons.values())}, neither paired nor rejected {silent}")
    for reason, count in reasons.most_common():
        print(f"  {count} {reason}")


def misses(rows: list[Bracket]) -> None:
    """Prints every bracket with a wrong, an uncertain or no pair, beside its truth."""
    for row in rows:
        if row.pairs and not row.wrong_pairs and not row.uncertain:
            continue
        truth = row.truth
        about = " ".join(truth[key] for key in ("rule", "banned", "note") if truth.get(key))
        print(f"\n{truth['n']} {truth['kind']} line {truth['line']} [{about}]")
        print(f"  {truth['sentence']} | {truth.get('wrong', '')} | {truth['bracket']}")
        print(f"  truth: {truth['goods']}")
        for pair in row.pairs:
            mark = "?" * pair.uncertain + ("wrong" if pair in row.wrong_pairs else "right")
            print(f"  {mark}: {pair.bad} -> {pair.good} {list(pair.alternatives) if pair.uncertain else ''}")
        for item in row.rejections:
            print(f"  rejected: {item.reason}")


def main() -> None:
    """Reads the list, compares, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--half", choices=("seen", "held-out"))
    parser.add_argument("--notation")
    parser.add_argument("--language", default="lt")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--model", help="as span_model of pairwright.toml")
    parser.add_argument("--misses", action="store_true", help="also print what did not come out as a right pair")
    arguments = parser.parse_args()
    context = Context(Workspace(arguments.workspace or Path()))
    model = arguments.model
    rank = SentenceRanker(context, ModelSettings(name=model), per_byte=True) if model else None
    items = read_list(arguments.list, arguments.notation, arguments.language, arguments.workspace, rank)
    rows = brackets(arguments.truth, items)
    if arguments.half:
        rows = [row for row in rows if half(row.truth["n"]) == arguments.half]
    report(rows)
    if arguments.misses:
        misses(rows)


if __name__ == "__main__":
    main()
