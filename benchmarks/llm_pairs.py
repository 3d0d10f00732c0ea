"""What comes of pairs that a language model writes for the rules of an error list, and what stops them on the way.

    python benchmarks/llm_pairs.py [LIST] [--rules 8] [--pairs 4] [--dictionary lt-LT.dic] [--workspace DIR] [--server]
    python benchmarks/llm_pairs.py [LIST] --rules 22 --pairs 50 --estimate
    python benchmarks/llm_pairs.py LIST --published PAIRS.csv

LIST is an error list in Lithuanian, by default the sample. The model is the small local one, which needs neither a key
nor the network and whose Lithuanian is poor; `--server` asks the one of the workspace's pairwright.toml. Printed are

- the answers: how many requests, how many of them fit, what was paid in tokens;
- the pairs: proposed, not taken by reason, rejected by the checks by check, and what passes, with its warnings;
- the judge: its verdicts on those pairs; and, as a measure of itself, on pairs of the list and on the same pairs with
  the good and the bad sentence exchanged, which nobody should accept.

`--estimate` asks nothing. It prints the requests that so many pairs take if every answer is good, those of the judge
with them, their tokens, and how much of each request begins as the last one by the same prompt does, so that a server
need not read it again. `--published` asks nothing either. It gives the hand-written pairs of a published set
(benchmarks/error_list.py describes the file; rows that are not the list's own count), each alone, to the screen that a
model's pairs pass, and counts why they are not taken.
"""

import argparse
import csv
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from error_list import read_list
from pairwright.checks.calibration import Judged, calibrate, calibration_text
from pairwright.checks.judging import Judge
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings, Config, GenerateSettings, JudgeSettings
from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, CheckedPair, LLMJudgment, Rejection, Rule, Verdict
from pairwright.core.workspace import Workspace
from pairwright.languages import Language, load_language
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.morphology import lemmatiser_of
from pairwright.models.chat import LLM, Answer, Completer, Request, open_llm
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.pairs import llm_candidates, pair_requests
from pairwright.sources.asked.targets import PairTask, Vocabulary, licenses_pairs, pair_targets
from pairwright.sources.given import source_candidates

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
    judgments = list(Judge(known, language, _ANY_METHOD).judge([*right, *wrong], completer))
    judged: list[Judged] = [(it, verdicts[it.pair_id]) for it in judgments if isinstance(it, LLMJudgment)]
    print(f"\nthe judge on {len(right)} pairs of the list and the same exchanged: {len(judged)} judgments")
    print(calibration_text(calibrate(judged)))


def task_of(rules: list[Rule], language: Language, settings: GenerateSettings) -> PairTask:
    return PairTask(tuple(rules), language, settings, lemmatiser_of(language), Corpus(rules))


def say_estimate(rules: list[Rule], language: Language, llm: LLM, settings: GenerateSettings) -> None:
    """What pairs and their judgments would take. Stand-ins for the pairs are the list's own, over and over."""
    by_rule = {rule.id: rule for rule in rules}
    own: dict[str, list[Candidate]] = {}
    for pair in source_candidates(rules):
        own.setdefault(pair.rule_id, []).append(pair)
    judged = [
        pairs[place % len(pairs)].model_copy(update={"id": f"{rule_id}-{place}", "method": "llm"})
        for rule_id, pairs in own.items()
        for place in range(settings.pairs_per_rule)
    ]
    writing = list(pair_requests(task_of(rules, language, settings)))
    judging = list(Judge(by_rule, language, JudgeSettings()).requests(judged))
    for label, requests in (("pairs", writing), ("judge", judging), ("both", [*writing, *judging])):
        total = llm.estimate(requests)
        share = shared_beginnings(requests)
        print(f"{label:<6} {total.requests:>6,} requests {total.input_tokens:>10,} tokens in, {share:.0%} as before")


def shared_beginnings(requests: Iterable[Request[Any]]) -> float:
    """The share of the characters of requests with which the last request by the same prompt begins, too."""
    last: dict[str, str] = {}
    same = whole = 0
    for request in requests:
        text = "\n".join(message.content for message in request.prompt.messages)
        before = last.get(request.prompt.label, "")
        same += next((at for at, (a, b) in enumerate(zip(text, before, strict=False)) if a != b), len(before))
        whole += len(text)
        last[request.prompt.label] = text
    return same / max(1, whole)


def say_published(path: Path, rules: list[Rule], language: Language, settings: GenerateSettings) -> None:
    """How many hand-written pairs the screen takes."""
    reasons: Counter[str] = Counter()
    with path.open(encoding="utf-8-sig", newline="") as handle:
        rows = [row for row in csv.DictReader(handle, delimiter=";") if row["origin_of_the_sentence"] != "vlkk"]
    by_code = {rule.code: rule for rule in rules}
    for row in rows:
        rule = by_code.get(row["error_name"].split()[0].rstrip("."))
        if rule is None or row["note_exception"].strip():
            continue
        target = next(iter(pair_targets(replace(task_of(rules, language, settings), rules=(rule,)))))
        fault = target.fault_of_free(row["correct_sentence"], row["incorrect_sentence"])
        reasons[fault.split(":")[0] if fault else "taken"] += 1
    print(f"{reasons.total()} published pairs that the list does not have")
    told(reasons)


def measure(rules: list[Rule], language: Language, completer: Completer, settings: GenerateSettings) -> None:
    asking, begun = Counting(completer), time.monotonic()
    found = list(llm_candidates(task_of(rules, language, settings), asking))
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
        for item in Judge(known, language, JudgeSettings()).judge(passed, completer)
    )
    print(f"the judge on the {len(passed)} that passed")
    told(verdicts)
    say_calibration(rules, len(rules), language, completer)


def prepare(folder: Path, dictionary: Path | None) -> None:
    """The settings of a workspace of the benchmark's own: short answers, none asked for again."""
    lines = ["[llm]", 'model = "any"', "repairs = 0", "max_output_tokens = 400", "timeout = 600"]
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
    parser.add_argument("--estimate", action="store_true", help="ask nothing, and print what it would take")
    parser.add_argument("--published", type=Path, help="ask nothing, and screen these pairs")
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
        if arguments.published:
            say_published(arguments.published, read, language, config.generate)
            return
        with open_llm(workspace, local=not arguments.server, offline=arguments.estimate) as llm:
            if arguments.estimate:
                say_estimate(rules, language, llm, settings)
                return
            measure(rules, language, llm, settings)
            print("", *llm.ledger(), sep="\n")


if __name__ == "__main__":
    main()
