"""What comes of pairs that a language model writes for the rules of an error list, and what stops them on the way.

    python benchmarks/llm_pairs.py [LIST] [--rules 8] [--pairs 4] [--dictionary lt-LT.dic] [--workspace DIR] [--server]

LIST is an error list in Lithuanian, by default the sample. The model is the small local one, which needs neither a key
nor the network and whose Lithuanian is poor; `--server` asks the one of the workspace's pairwright.toml. Printed are

- the answers: how many requests, how many of them fit, what was paid in tokens;
- the pairs: proposed, not taken by reason, rejected by the checks by check, and what passes, with its warnings;
- the judge: its verdicts on those pairs; and, as a measure of itself, on pairs of the list and on the same pairs with
  the good and the bad sentence exchanged, which nobody should accept.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from error_list import read_list
from pairwright.checks.calibration import Judged, calibrate, calibration_text
from pairwright.checks.judging.judgments import judge_pairs
from pairwright.checks.registry import check_pairs
from pairwright.config import CheckSettings, Config, GenerateSettings, JudgeSettings
from pairwright.generate.llm import llm_candidates
from pairwright.generate.pair_targets import licenses_pairs
from pairwright.generate.source import source_candidates
from pairwright.generate.vocabulary import Vocabulary
from pairwright.ids import pair_id
from pairwright.languages import Language, load_language
from pairwright.llm import Answer, Completer, Request, open_llm
from pairwright.morphology import lemmatiser_of
from pairwright.records import Candidate, CheckedPair, LLMJudgment, Rejection, Rule, Verdict
from pairwright.text import changes
from pairwright.workspace import Workspace

T = TypeVar("T", bound=BaseModel)

SAMPLE = Path(__file__).parents[1] / "sources" / "lt-sample" / "list.md"
_SHOWN = 12
_ANY_METHOD = JudgeSettings(methods=("source", "llm", "manual"))


class Counting:
    """A completer that counts how the answers came out."""

    def __init__(self, completer: Completer) -> None:
        self._completer = completer
        self.outcomes: Counter[str] = Counter()
        self.tokens = 0

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        for answer in self._completer.run(requests):
            self.outcomes[answer.outcome] += 1
            self.tokens += answer.usage.output_tokens
            yield answer


def spread(rules: list[Rule], count: int) -> list[Rule]:
    """Rules from the whole list, evenly."""
    step = max(1, len(rules) // count)
    return rules[::step][:count]


def told(counts: Counter[str], indent: str = "    ") -> None:
    for name, count in counts.most_common():
        print(f"{indent}{count:>5}  {name}")


def say_pairs(asking: Counting, found: list[Candidate | Rejection], seconds: float) -> list[Candidate]:
    """What was asked, answered and taken."""
    taken = [item for item in found if isinstance(item, Candidate)]
    reasons = Counter(item.reason.split(":")[0] for item in found if isinstance(item, Rejection))
    print(f"requests {asking.outcomes.total()} in {seconds:.0f} s, {asking.tokens:,} tokens written")
    told(asking.outcomes)
    print(f"not taken {reasons.total()}")
    told(reasons)
    print(f"taken     {len(taken)}")
    return taken


def say_variety(pairs: list[Candidate], vocabulary: Vocabulary) -> None:
    """How varied the good sentences are. A word with several lemmas counts under the first."""
    lemmas = [min(lemmas) for pair in pairs for lemmas in vocabulary.content(pair.good).values()]
    frames = {frame for pair in pairs if (frame := vocabulary.frame(pair.good))}
    print(f"variety   {len(set(lemmas))} lemmas in {len(lemmas)} content words, {len(frames)} frames")


def say_checks(checked: list[CheckedPair]) -> None:
    """What the checks say of the pairs that were taken."""
    for level, verdict in (("error", "reject"), ("warning", "pass")):
        of = [pair for pair in checked if pair.verdict == verdict]
        names = Counter(
            name for pair in of for name in {finding.check for finding in pair.findings if finding.level == level}
        )
        print(f"{'rejected' if verdict == 'reject' else 'passed':<9} {len(of)}, with {level}s:")
        told(names)
    clean = sum(all(finding.level == "info" for finding in pair.findings) for pair in checked)
    print(f"without error and warning {clean}")


def exchanged(candidate: Candidate) -> Candidate:
    """The pair with its sentences the wrong way round."""
    good, bad = candidate.bad, candidate.good
    return candidate.model_copy(
        update={
            "id": pair_id(candidate.rule_id, good, bad),
            "good": good,
            "bad": bad,
            "changes": changes(good, bad),
            "method": "manual",
            "translation": None,
        }
    )


def say_calibration(rules: list[Rule], count: int, language: Language, completer: Completer) -> None:
    """The judge against the list itself."""
    known = {rule.id: rule for rule in rules}
    firsts = {candidate.rule_id: candidate for candidate in source_candidates(rules)}
    right = list(firsts.values())[:count]
    verdicts: dict[str, Verdict] = {pair.id: "pass" for pair in right}
    wrong = [exchanged(pair) for pair in right]
    verdicts |= {pair.id: "reject" for pair in wrong}
    judgments = list(judge_pairs([*right, *wrong], known, language, _ANY_METHOD, completer))
    judged: list[Judged] = [(it, verdicts[it.pair_id]) for it in judgments if isinstance(it, LLMJudgment)]
    print(f"\nthe judge on {len(right)} pairs of the list and the same exchanged: {len(judged)} judgments")
    print(calibration_text(calibrate(judged)))


def measure(rules: list[Rule], language: Language, completer: Completer, settings: GenerateSettings) -> None:
    asking, begun = Counting(completer), time.monotonic()
    found = list(llm_candidates(rules, language, settings, asking, lemmatiser_of(language)))
    taken = say_pairs(asking, found, time.monotonic() - begun)
    say_variety(taken, Vocabulary(language, lemmatiser_of(language)))
    known = {rule.id: rule for rule in rules}
    both = [*source_candidates(rules), *taken]
    checked = [pair for pair in check_pairs(both, known, language, CheckSettings()) if pair.candidate.method == "llm"]
    say_checks(checked)
    for pair in checked[:_SHOWN]:
        print(f"  {pair.verdict:<6} {pair.candidate.good} / {pair.candidate.bad}")
    passed = [pair.candidate for pair in checked if pair.verdict == "pass"]
    verdicts = Counter(
        item.verdict if isinstance(item, LLMJudgment) else "no judgment"
        for item in judge_pairs(passed, known, language, JudgeSettings(), completer)
    )
    print(f"the judge on the {len(passed)} that passed")
    told(verdicts)
    say_calibration(rules, len(rules), language, completer)


def prepare(folder: Path, dictionary: Path | None) -> None:
    """The settings of a workspace of the benchmark's own: short answers, none asked for again."""
    lines = ["[llm]", "repairs = 0", "max_output_tokens = 400", "timeout = 600"]
    if dictionary:
        lines += [
            "[[morphology.lt]]",
            'kind = "hunspell"',
            f'path = "{dictionary.resolve()}"',
            'tagset = "lt-hunspell"',
        ]
    (folder / "pairwright.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path, nargs="?", default=SAMPLE)
    parser.add_argument("--rules", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=4, help="wanted for each rule")
    parser.add_argument("--dictionary", type=Path, help="a Hunspell dictionary with tags")
    parser.add_argument("--workspace", type=Path, help="where answers are kept; else they are thrown away")
    parser.add_argument("--server", action="store_true", help="ask the server of the workspace's pairwright.toml")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as beside:
        folder = arguments.workspace or Path(beside)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "pairwright.toml").exists():
            prepare(folder, arguments.dictionary)
        workspace = Workspace(folder)
        config: Config = workspace.config()
        language = load_language("lt", folder)
        read = [item for item in read_list(arguments.list, None, "lt") if isinstance(item, Rule)]
        rules = spread([rule for rule in read if licenses_pairs(rule)], arguments.rules)
        settings = config.generate.model_copy(update={"pairs_per_rule": arguments.pairs})
        print(f"{len(rules)} of {len(read)} rules, {arguments.pairs} pairs wanted of each, {settings.rounds} rounds")
        with open_llm(workspace, local=not arguments.server) as llm:
            measure(rules, language, llm, settings)
            print("", *llm.ledger(), sep="\n")


if __name__ == "__main__":
    main()
