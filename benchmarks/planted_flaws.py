"""What the mechanical checks stop, with no language model: flaws of eleven kinds, and honest pairs that should pass.

    python benchmarks/planted_flaws.py --dictionary lt-LT.dic [--published PAIRS.csv] [--show]

The flawed pairs are ours (data/planted_flaws.tsv), for rules of the sample list. PAIRS.csv is the published set that
`morphology_pairs.py` reads; each of its pairs is checked with the cases that its rule's name gives and with the other
pairs of its rule as the source's own. The third table spoils those of them that show the contrast with a single word:
the sentences exchanged, the bad form in another number or case, a word dropped. All pairs count as written by a
machine, for which the checks are strictest.
"""

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from error_list import read_list
from made_records import language_with, make_candidate
from morphology_pairs import CASES, read_rows
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, CheckedPair, Example, Rule
from pairwright.languages import Language
from pairwright.languages.features import override, parse_demand, parse_features
from pairwright.languages.linguistics.edits import changes, replaced
from pairwright.languages.linguistics.forms import changed_words
from pairwright.languages.morphology import Analyser, analyser_of

ROOT = Path(__file__).parents[1]
PLANTED = Path(__file__).parent / "data" / "planted_flaws.tsv"
SAMPLE = ROOT / "sources" / "lt-sample" / "list.md"
_NOTHING = "no finding above info"


def planted(rules: dict[str, Rule]) -> Iterator[tuple[str, Candidate]]:
    """Each pair with the kind of its flaw."""
    with PLANTED.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            rule, good, bad = rules[row["rule"]], row["good"], row["bad"]
            identity = pair_id(rule.id, row["flaw"], good + bad)
            place = {"rule_id": rule.id, "source_id": rule.source_id, "features": row["features"].split("; ")}
            yield row["flaw"], make_candidate(good, bad, id=identity, method="masked-lm", **place)


def outcome(pair: CheckedPair) -> tuple[str, str]:
    """The gravest level of what was found of a pair, and the checks of that level."""
    for level in ("error", "warning"):
        if names := sorted({finding.check for finding in pair.findings if finding.level == level}):
            return level, ", ".join(names)
    return "passes", _NOTHING


def checked_alone(pair: Candidate, rules: dict[str, Rule], language: Language) -> CheckedPair:
    """A pair without the others, which have the same sentences."""
    (checked,) = check_pairs([pair], rules, language, CheckSettings())
    return checked


def table(results: Iterable[tuple[str, CheckedPair]], *, show: bool) -> None:
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for kind, pair in results:
        level, checks = outcome(pair)
        kinds[kind][level] += 1
        names[kind][checks] += 1
        if show and ((kind == "honest") != (level == "passes")):
            print(f"  {kind}: {pair.candidate.good} / {pair.candidate.bad}: {level}: {checks}")
    print("| pairs | n | rejected | warned | pass unremarked | by |")
    print("|---|---:|---:|---:|---:|---|")
    for kind, levels in kinds.items():
        by = ", ".join(f"{name} {count}" for name, count in names[kind].most_common(7) if name != _NOTHING)
        figures = " | ".join(str(levels[level]) for level in ("error", "warning", "passes"))
        print(f"| {kind} | {levels.total()} | {figures} | {by} |")


def published(path: Path) -> Iterator[tuple[Candidate, Rule]]:
    """Each published pair with a rule whose examples are the other pairs of its error."""
    rows = list(read_rows(path))
    for row in rows:
        pair = row.candidate.model_copy(update={"method": "masked-lm", "rule_id": f"{row.code}-{row.line}"})
        others = [it.candidate for it in rows if it.code == row.code and it is not row]
        examples = tuple(Example(good=it.good, bad=it.bad, evidence=it.evidence) for it in others)
        known = {"id": pair.rule_id, "source_id": pair.source_id, "code": row.code, "title": row.code}
        known |= {"description": row.code, "category": "case", "phenomenon": "case", "quote": row.code}
        yield pair, Rule.model_validate(known | {"block_ids": (), "page": 1, "examples": examples, "extracted_by": ""})


def spoilt(pair: Candidate, analyser: Analyser) -> Iterator[tuple[str, Candidate]]:
    """A sound pair with a flaw of each kind that can be made mechanically."""
    demand = parse_demand(pair.features)
    changed = changed_words(pair.good, pair.bad, analyser)
    if len(changed.contrasts) != 1 or changed.good or changed.bad or not changed.contrasts[0].showing(demand):
        return
    word = changed.contrasts[0]
    _, shown = word.showing(demand)[0]
    good, bad = (dict(reading.features) for reading in word.showing(demand)[0])
    yield "sentences exchanged", _with(pair, pair.bad, pair.good)
    others = {"another number": f"Number={'Plur' if bad.get('Number') == 'Sing' else 'Sing'}"}
    others["another case"] = f"Case={next(case for case in CASES.values() if case not in (good['Case'], bad['Case']))}"
    for kind, features in others.items():
        if forms := analyser.inflect(shown.lemma, override(shown.features, parse_features(features))):
            yield kind, _with(pair, pair.good, replaced(pair.bad, [(*word.bad.span, forms[0])]))
    kept = [token for token in pair.bad.split() if word.bad.text not in token]
    if len(kept) > 2:
        dropped = kept[len(kept) // 2]
        yield "a word dropped", _with(pair, pair.good, " ".join(it for it in pair.bad.split() if it != dropped))


def _with(pair: Candidate, good: str, bad: str) -> Candidate:
    return pair.model_copy(update={"good": good, "bad": bad, "changes": changes(good, bad)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dictionary", type=Path, required=True)
    parser.add_argument("--published", type=Path)
    parser.add_argument(
        "--show", action="store_true", help="list the honest pairs that are stopped, the flaws that are not"
    )
    arguments = parser.parse_args()
    language = language_with(arguments.dictionary)
    listed = [item for item in read_list(SAMPLE, None, "lt") if isinstance(item, Rule)]
    by_code, by_id = {rule.code: rule for rule in listed}, {rule.id: rule for rule in listed}
    table(((kind, checked_alone(pair, by_id, language)) for kind, pair in planted(by_code)), show=arguments.show)
    if arguments.published:
        pairs = list(published(arguments.published))
        found = [checked_alone(pair, {rule.id: rule}, language) for pair, rule in pairs]
        table((("published", pair) for pair in found), show=False)
        if analyser := analyser_of(language):
            sound = [item for item, checked in zip(pairs, found, strict=True) if checked.verdict == "pass"]
            flawed = ((kind, it, rule) for pair, rule in sound for kind, it in spoilt(pair, analyser))
            table(((kind, checked_alone(it, {rule.id: rule}, language)) for kind, it, rule in flawed), show=False)
        for pair in found if arguments.show else ():
            for finding in pair.findings:
                if finding.level == "error":
                    print(f"  {pair.candidate.good} / {pair.candidate.bad}: {finding.check}: {finding.message[:120]}")


if __name__ == "__main__":
    main()
