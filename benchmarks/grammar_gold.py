"""Rules and licences of a part of a grammar against a linguist's list: `python benchmarks/grammar_gold.py WORK GOLD`.

WORK is the folder of a source that was built with a language model (`output/work/<source>`). GOLD is a JSON file that
was made before anything was built: `pages` [first, last], `rules` with page, quote, licence, pairable and pairs (good,
bad), and `traps`, passages that license nothing. Both belong to documents that are not part of the project.

A rule of the list is found where a rule quotes the same words on its page. A rule that quotes none of the list's words
is extra; `--show` prints these for a person to judge, as a list is never complete. A pair of the list can come out
where a rule that states its own is licensed, and the screen and the checks let the pair through if a model gives it.
Of the requests for pairs it says how many show, for rules that demand features, a form of a word of an attested
sentence that has those of the bad side, and how many show the sentence that is shown most often.
"""

import argparse
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz

from made_records import make_candidate
from pairwright.checks.registry import check_pairs
from pairwright.core.config import Config
from pairwright.core.records import Block, CheckedPair, Rule
from pairwright.core.store import read_jsonl
from pairwright.core.text import words
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.languages import Language, load_language, load_tagset
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.languages.morphology import lemmatiser_of
from pairwright.models.prompts.rule_description import demanded_features
from pairwright.sources.asked.attested import Attested, Corpus
from pairwright.sources.asked.targets import PairTarget, PairTask, own_pairs, pair_targets
from typesetting import Json

# Two quotations state one rule where the shorter one stands almost whole in the other.
_SAME, _LEAST_LETTERS = 85, 20


class Outcome(NamedTuple):
    """The rules of the list with the rules that quote their words, the rules that quote none, and those in traps."""

    matched: list[tuple[Json, list[Rule]]]
    extra: list[Rule]
    trapped: list[tuple[Json, Rule]]


def letters(text: str) -> str:
    """Letters and digits alone, so that hyphens, ligatures and spaces don't count."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text).casefold())


def same_words(rule: Rule, page: int, quote: str) -> bool:
    """Whether one of a rule's quotations has the words of a quotation, or lies within them."""
    wanted = letters(quote)
    for part in rule.evidence:
        said = letters(part.quote)
        near = abs(part.page - page) <= 1 and min(len(said), len(wanted)) >= min(_LEAST_LETTERS, len(wanted))
        if near and fuzz.partial_ratio(said, wanted) >= _SAME:
            return True
    return False


def compare(rules: Sequence[Rule], gold: Json) -> Outcome:
    first, last = gold["pages"]
    inside = [rule for rule in rules if rule.asked and first <= rule.page <= last]
    matched = [(item, [r for r in inside if same_words(r, item["page"], item["quote"])]) for item in gold["rules"]]
    used = {rule.id for _, found in matched for rule in found}
    traps = [(trap, r) for trap in gold["traps"] for r in inside if same_words(r, trap["page"], trap["quote"])]
    return Outcome(
        matched,
        [rule for rule in inside if rule.id not in used],
        [(trap, rule) for trap, rule in traps if rule.contrast and rule.contrast.licensed and rule.id not in used],
    )


def licence_of(rules: Sequence[Rule]) -> str:
    """The strongest licence of the rules that state one rule of the list."""
    licences = {rule.contrast.licence for rule in rules if rule.contrast}
    return next((name for name in ("banned", "obligatory") if name in licences), "none")


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.2f})" if whole else "none"


def print_rules(outcome: Outcome) -> None:
    found = [(item, rules) for item, rules in outcome.matched if rules]
    pairable = [(item, rules) for item, rules in outcome.matched if item["pairable"]]
    licensed = [(item, rules) for item, rules in found if licence_of(rules) != "none"]
    right = [item for item, _ in licensed if item["licence"] != "none"]
    given = len(licensed) + len(outcome.trapped)
    stated = len({rule.id for _, rules in found for rule in rules}) + len(outcome.extra)
    print(f"rules of the list found       {share(len(found), len(outcome.matched))}")
    print(f"rules that quote no rule of the list  {share(len(outcome.extra), stated)}")
    print(f"pairable rules licensed       {share(sum(licence_of(r) != 'none' for _, r in pairable), len(pairable))}")
    print(f"licences right                {share(len(right), given)}, {len(outcome.trapped)} of them in traps")
    same = sum(item["licence"] == licence_of(rules) for item, rules in found)
    print(f"classes of licences alike     {share(same, len(found))}")


def print_pairs(pairs: Sequence[CheckedPair], outcome: Outcome) -> None:
    own = {rule.id for _, rules in outcome.matched for rule in rules} | {rule.id for rule in outcome.extra}
    made = [pair for pair in pairs if pair.candidate.rule_id in own and pair.candidate.method == "llm"]
    passed = [pair for pair in made if pair.verdict == "pass"]
    sides = {(letters(pair.candidate.good), letters(pair.candidate.bad)) for pair in passed}
    wanted = [pair for item, _ in outcome.matched for pair in item["pairs"]]
    came = sum((letters(pair["good"]), letters(pair["bad"])) in sides for pair in wanted)
    print(f"pairs of the model            {len(made)}, {len(passed)} of them pass the checks")
    print(f"pairs of the list among them  {share(came, len(wanted))}")


def pair_task(work: Path) -> PairTask:
    """The pairs to be written for a source, all of them from attested sentences."""
    root = work.parents[2]
    source = load_source(root / "sources" / work.name)
    language, settings = load_language(source.language, root), Workspace(root).config().generate
    rules = tuple(read_jsonl(work / "rules.jsonl", Rule))
    described = f"{source.title} {language.name}"
    blocks = read_jsonl(work / "blocks.jsonl", Block)
    corpus = Corpus(rules, blocks, language.boundaries, load_tagset("leipzig", root), described)
    grounded = settings.model_copy(update={"directions": ("grounded",)})
    return PairTask(rules, language, grounded, lemmatiser_of(language), corpus, workspace=root, title=source.title)


def print_requests(task: PairTask, targets: Sequence[PairTarget]) -> None:
    """What the first requests for pairs show."""
    asked = [target for target in targets if target.ground_fault is None]
    shown = {target: target.attested() for target in asked}
    changeable = [
        sum(bool(task.corpus.contrasting(one, target.demand)) for one in shown[target])
        for target in asked
        if target.demand.bad
    ]
    sentences = sum(len(shown[target]) for target in asked if target.demand.bad)
    recurrence = Counter(one.sentence for listed in shown.values() for one in listed)
    print(f"rules that are not asked about  {len(targets) - len(asked)} of {len(targets)}")
    print(f"requests with a form for the bad sentence  {share(sum(map(bool, changeable)), len(changeable))}")
    print(f"sentences in them with one    {share(sum(changeable), sentences)}")
    print(f"requests that show one sentence, at most  {max(recurrence.values(), default=0)} of {len(asked)}")


def can_come_out(
    task: PairTask, targets: Sequence[PairTarget], config: Config, outcome: Outcome
) -> dict[str, list[str]]:
    """Why each pair of the list could not come out, by its two sentences; an empty list for one that can."""
    by_rule = {target.rule.id: target for target in targets}
    given = {(letters(good), letters(bad)) for rule in task.rules for good, bad in own_pairs(rule)}
    reasons: dict[str, list[str]] = {}
    for item, stating in outcome.matched:
        for pair in item["pairs"]:
            faults = reasons[f"{item['id']}: {pair['good']} / {pair['bad']}"] = []
            if (letters(pair["good"]), letters(pair["bad"])) in given:
                continue
            faults += ["no rule that states it licenses pairs"]
            for target in (by_rule[rule.id] for rule in stating if rule.id in by_rule):
                found = list(faults_of(pair, target, task.corpus.words, task.language, config))
                faults[:] = found
                if not found:
                    break
    return reasons


def faults_of(
    pair: Json, target: PairTarget, attested: AttestedWords, language: Language, config: Config
) -> Iterator[str]:
    """What the screen of the stage and the errors of the checks say of a pair that a model would give."""
    rule = target.rule
    good, bad = (join_morphemes(pair[side], language.boundaries) for side in ("good", "bad"))
    if target.ground_fault:
        yield target.ground_fault
        return
    own = set(words(good.casefold()))

    def nearness(one: Attested) -> tuple[int, float]:
        return len(own.intersection(words(one.sentence.casefold()))), fuzz.token_sort_ratio(one.sentence, good)

    near = max(target.bearing, key=nearness, default=None)
    if fault := target.fault_of_grounded(near, good, bad):
        yield fault
        return
    place = {"rule_id": rule.id, "source_id": rule.source_id, "evidence": rule.evidence[0]}
    attested_ids = (near.block_id,) if near else ()
    candidate = make_candidate(
        good, bad, method="llm", features=demanded_features(rule), attested_ids=attested_ids, **place
    )
    for checked in check_pairs([candidate], {rule.id: rule}, language, config.checks, attested=attested):
        yield from (f"{item.check}: {item.message}" for item in checked.findings if item.level == "error")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="the source's folder under output/work")
    parser.add_argument("gold", type=Path, help="the linguist's list")
    parser.add_argument("--show", action="store_true", help="print what is missing, extra or licensed otherwise")
    arguments = parser.parse_args()
    gold = json.loads(arguments.gold.read_text(encoding="utf-8"))
    outcome = compare(list(read_jsonl(arguments.work / "rules.jsonl", Rule)), gold)
    print_rules(outcome)
    checked = arguments.work / "checked.jsonl"
    print_pairs(list(read_jsonl(checked, CheckedPair) if checked.exists() else ()), outcome)
    task = pair_task(arguments.work)
    targets = list(pair_targets(task))
    print_requests(task, targets)
    faults = can_come_out(task, targets, Workspace(arguments.work.parents[2]).config(), outcome)
    print(f"pairs of the list that can come out  {share(sum(not found for found in faults.values()), len(faults))}")
    if not arguments.show:
        return
    print(*(f"  {pair}: {'; '.join(found)}\n" for pair, found in faults.items() if found), sep="", end="")
    for item, rules in outcome.matched:
        if not rules or licence_of(rules) != item["licence"]:
            state = f"{licence_of(rules)} for {item['licence']}" if rules else "missing"
            print(f"  {item['id']} p. {item['page']} {state}: {item['description']}")
            print(*(f"      {r.contrast.what if r.contrast else ''} | {'; '.join(r.notes)}\n" for r in rules), end="")
    for rule in outcome.extra:
        licence = rule.contrast.licence if rule.contrast else "none"
        print(f"  extra p. {rule.page} {licence}: {rule.title}: {rule.quote[:160]!r}")
    for trap, rule in outcome.trapped:
        print(f"  trap p. {trap['page']}: {rule.title}: {trap['why']}")


if __name__ == "__main__":
    main()
