"""What the morphological checks say about published Lithuanian case pairs, and how well a dictionary covers a treebank.

    python benchmarks/morphology_pairs.py PAIRS.csv --dictionary lt-LT.dic [--treebank FILE.conllu ...] [--misses]

PAIRS.csv is the published set: `;`, with the columns error_name, correct_sentence, incorrect_sentence, note_exception.
The name of a rule begins with the case that it bans; the case that it requires may stand after "instead of the". Each
pair is checked with the features that its rule demands. In an exception, the banned case is the good one.

The second table shows for how many nouns of a treebank the dictionary makes the form from lemma, case and number.
"""

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from made_records import language_with, make_candidate, make_evidence
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, CheckedPair, Finding
from pairwright.languages import Language
from pairwright.languages.features import NO_FEATURES, Demand, parse_features, show_demand, show_features
from pairwright.languages.linguistics.forms import changed_words
from pairwright.languages.morphology import Analyser, Analysis, analyser_of
from pairwright.languages.morphology.lexicon import treebank_tokens

CASES = {"nominative": "Nom", "genitive": "Gen", "dative": "Dat", "accusative": "Acc", "instrumental": "Ins"} | {
    "locative": "Loc",
    "vocative": "Voc",
}
_NAMES = "|".join(CASES)
_BANNED = re.compile(rf"^[\d. ]*(?:The )?({_NAMES})", re.IGNORECASE)
_REQUIRED = re.compile(rf"instead of the (?:\w+ )?({_NAMES})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """A published pair; `line` is its row number in the file."""

    line: int
    code: str
    demand: Demand
    candidate: Candidate


def demand_of(rule: str, *, exception: bool) -> Demand:
    """The cases of the good and of the bad form by a rule's name."""
    sides = []
    for pattern in (_REQUIRED, _BANNED):
        match = pattern.search(rule)
        sides.append(parse_features(f"Case={CASES[match[1].lower()]}" if match else "_"))
    required, banned = sides
    return Demand(banned, NO_FEATURES) if exception else Demand(required, banned)


def read_rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        for line, row in enumerate(csv.DictReader(handle, delimiter=";"), start=2):
            good, bad, rule = row["correct_sentence"].strip(), row["incorrect_sentence"].strip(), row["error_name"]
            exception = bool(row["note_exception"].strip())
            demand, code = demand_of(rule, exception=exception), rule.split()[0].rstrip(".")
            place = {"rule_id": code, "evidence": make_evidence(good, file=str(path), line=line)}
            yield Row(
                line, code, demand, make_candidate(good, bad, method="manual", features=show_demand(demand), **place)
            )


def one_lemma(row: Row, analyser: Analyser) -> str:
    """Empty where a changed word is confirmed as another case of the same lemma, else the reason why not."""
    contrasts, good, bad = changed_words(row.candidate.good, row.candidate.bad, analyser)
    if any(_cases(left) != _cases(right) for pair in contrasts for left, right in pair.readings):
        return ""
    if contrasts:
        return "forms of one lemma that differ in other features than case"
    unknown = [word for word, _ in good + bad if not analyser.analyse(word)]
    if unknown:
        return f"not in the dictionary: {', '.join(unknown)}"
    replaced = " ".join(word for word, _ in good) or "nothing", " ".join(word for word, _ in bad) or "nothing"
    return f"other words: {replaced[0]} for {replaced[1]}"


def as_the_rule_says(row: Row, analyser: Analyser) -> bool:
    """Whether a changed word has a reading with the cases that the rule's name gives."""
    changed = changed_words(row.candidate.good, row.candidate.bad, analyser)
    return any(pair.showing(row.demand) for pair in changed.contrasts)


def pairs_table(rows: list[Row], language: Language, analyser: Analyser) -> None:
    """What the analyser confirms of the pairs, and what the checks say of them."""
    with_cases = [row for row in rows if any(row.demand)]
    confirmed = sum(not one_lemma(row, analyser) for row in rows)
    fitting = sum(as_the_rule_says(row, analyser) for row in with_cases)
    checked = list(check_pairs((row.candidate for row in rows), {}, language, CheckSettings(spelling=False)))
    rejected = [pair for pair in checked if any(finding.level == "error" for finding in _morphological(pair))]
    print(f"pairs                                      {len(rows)}")
    print(f"same lemma, different case                 {_share(confirmed, len(rows))}")
    print(f"cases as the rule's name says              {_share(fitting, len(with_cases))}")
    print(f"  the name gives the bad case              {sum(bool(row.demand.bad) for row in with_cases)}")
    print(f"  the name gives the good case             {sum(bool(row.demand.good) for row in with_cases)}")
    print(f"rejected by a morphological check          {_share(len(rejected), len(rows))}")
    for name, count in sorted(Counter(name for pair in checked for name in _names(pair)).items()):
        print(f"  {name:<40} {count}")
    lines = {row.candidate.id: row.line for row in rows}
    for pair in rejected:
        for finding in _morphological(pair):
            print(f"  line {lines[pair.candidate.id]}: {finding.message}")


def misses_table(rows: list[Row], analyser: Analyser) -> None:
    """The pairs that the analyser does not confirm, with the changed words and the reason."""
    for row in rows:
        reason = one_lemma(row, analyser)
        if not reason and any(row.demand) and not as_the_rule_says(row, analyser):
            reason = "other cases than the rule's name says"
        if reason:
            words = "; ".join(f"{change.good or '-'} / {change.bad or '-'}" for change in row.candidate.changes)
            print(f"line {row.line}, {row.code} ({', '.join(row.candidate.features)}): {words}: {reason}")


def treebank_table(path: Path, analyser: Analyser) -> None:
    """How many nouns of a treebank the dictionary makes of lemma, case and number, and analyses so."""
    counts: Counter[str] = Counter()
    lacking: dict[str, None] = {}
    for cell in treebank_tokens(path):
        asked = frozenset(item for item in cell.analysis.features if item[0] in ("Case", "Number"))
        if cell.analysis.upos != "NOUN" or len(asked) < 2 or not cell.form.isalpha():
            continue
        counts["nouns"] += 1
        lemma = cell.analysis.lemma
        counts["analysed"] += any(it.lemma == lemma and asked <= it.features for it in analyser.analyse(cell.form))
        if any(it.lemma == lemma for it in analyser.analyse(lemma)) or analyser.inflect(lemma, NO_FEATURES):
            counts["known"] += 1
            made = cell.form in analyser.inflect(lemma, asked)
            counts["made"] += made
            if not made:
                lacking[f"{cell.form} ({lemma}, {show_features(asked)})"] = None
    print(f"{path.name}: nouns with case and number         {counts['nouns']}")
    print(f"  the dictionary has the lemma              {_share(counts['known'], counts['nouns'])}")
    print(f"  lemma, case, number give the form         {_share(counts['made'], counts['known'])}")
    print(f"  the form is analysed as these             {_share(counts['analysed'], counts['nouns'])}")
    print(f"  not given: {'; '.join(lacking) or 'none'}")


def _morphological(pair: CheckedPair) -> list[Finding]:
    return [finding for finding in pair.findings if finding.check.startswith("morphology-")]


def _names(pair: CheckedPair) -> set[str]:
    return {finding.check for finding in _morphological(pair)} or {"none"}


def _cases(analysis: Analysis) -> set[str]:
    return {value for name, value in analysis.features if name == "Case"}


def _share(count: int, total: int) -> str:
    return f"{count} of {total} ({100 * count / total:.1f} %)" if total else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--dictionary", type=Path, required=True)
    parser.add_argument("--treebank", type=Path, nargs="*", default=[])
    parser.add_argument("--misses", action="store_true", help="list the pairs that are not confirmed")
    arguments = parser.parse_args()
    language = language_with(arguments.dictionary)
    analyser = analyser_of(language)
    if analyser is None:
        sys.exit(f"{arguments.dictionary}: no such dictionary")
    rows = list(read_rows(arguments.pairs))
    pairs_table(rows, language, analyser)
    if arguments.misses:
        misses_table(rows, analyser)
    for path in arguments.treebank:
        treebank_table(path, analyser)


if __name__ == "__main__":
    main()
