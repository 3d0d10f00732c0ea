"""The back-check: a language model says which of two sentences breaks a rule, without knowing which one should.

It sees the sentences of a pair as A and B, in an order that the pair's id decides, because models prefer a place (Zheng
et al., 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena). A model alone decides nothing but rejections, so
it looks once more at a pair that it rejects, with the sentences in the other order; a pair that it can't tell goes to
people. Checks read the `LLMJudgment`; `calibration` says how far people agree with it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from rapidfuzz.distance import Postfix, Prefix

from pairwright.checks.check import Context, Fault, pair_check
from pairwright.core.config import JudgeSettings
from pairwright.core.errors import counted, one_line
from pairwright.core.ids import digest
from pairwright.core.records import (
    Candidate,
    DecisionWord,
    Example,
    LLMCall,
    LLMJudgment,
    Rejection,
    Rule,
    Verdict,
)
from pairwright.core.records.pairs import DecidedBy, Letter
from pairwright.core.text import comparison_key, squeeze, words
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.languages.linguistics.glosses import GlossedBook, join_morphemes
from pairwright.models.chat import Answer, Completer, Request, ask_about
from pairwright.models.prompts import describe_rule, examples_shown, load_prompt, prompt_hashes, rules_beside
from pairwright.stats.intervals import wilson

LLM_STAGE = "judge"  # in `[llm.models]`, in the ledger and of its rejections
PROMPTS = ("judge_pair",)
_ATTEMPTS = 3
_LONGEST_REASON = 400
# How many analyses of a word are shown, and how many refused pairs of a rule.
_MOST_GLOSSES, _MOST_FALLEN = 3, 5
# How many attested sentences are shown for a phrase, and how many other forms of a word that only one sentence has.
_MOST_ELSEWHERE, _MOST_FORMS = 2, 5
_PUNCTUATION = " .,;:!?…"
_Score = Annotated[int, Field(ge=0, le=10)]


def human_verdict(decisions: Iterable[DecisionWord]) -> Verdict | None:
    """What the majority of reviewers say of a pair as it stands; None if they are even, unsure, or there are none.

    A pair that has to be corrected is not right as it stands, so `fix` counts against it.
    """
    balance = sum({"approve": 1, "fix": -1, "reject": -1, "unsure": 0}[decision] for decision in decisions)
    return None if balance == 0 else "pass" if balance > 0 else "reject"


def calibration(judgments: Iterable[LLMJudgment], votes: Mapping[str, Mapping[str, DecisionWord]]) -> Iterator[str]:
    """A judge against people on the pairs about which people are clear, in lines; `votes` go by pair and reviewer.

    People see the pairs that the judge accepts and a random share of those that it rejects or holds back. So all shares
    are of what the judge says; kappa would depend on how many rejected pairs people see.
    """
    said: dict[str, list[Verdict]] = {"pass": [], "doubt": [], "reject": []}
    for judgment in judgments:
        people = human_verdict(votes.get(judgment.pair_id, {}).values())
        if people and judgment.decided_by != "nothing":
            said["reject" if judgment.held else judgment.verdict].append(people)
    if not any(said.values()):
        yield "no pair has both a judgment of the judge and a clear decision of people; judge pairs that were reviewed"
        return
    yield f"pairs judged by both  {sum(map(len, said.values()))}"
    yield f"wrongly accepted      {_share(said['pass'], 'reject')} of the pairs that it accepts"
    yield f"wrongly rejected      {_share(said['reject'], 'pass')} of its rejections that people saw"
    yield f"good, and doubted     {_share(said['doubt'], 'pass')} of the pairs that it doubts"
    yield from ("", "95% intervals after Wilson")


def _share(people: list[Verdict], verdict: Verdict) -> str:
    """How often people say this of some pairs, with the 95% Wilson interval."""
    if not people:
        return "none"
    count, of = people.count(verdict), len(people)
    interval = wilson(count, of)
    return f"{count}/{of} {count / of:.3f}  [{interval.low:.3f}, {interval.high:.3f}]"


class PairJudgement(BaseModel):
    """What a model says of one pair; `id` is its number in the request."""

    id: str
    change: str
    decided_by: DecidedBy
    only_change: bool
    a_grammatical: bool
    b_grammatical: bool
    breaks_rule: Literal["A", "B", "both", "neither"]
    instance: bool
    reading: str
    reading_natural: bool
    score: _Score
    reason: str


class PairJudgements(BaseModel):
    """The answer to `judge_pair`."""

    judgements: list[PairJudgement]


@dataclass(frozen=True)
class _Look:
    """What the judge says of a pair whose good sentence it sees under the letter `good`."""

    said: PairJudgement
    good: Letter
    call: LLMCall

    @property
    def names(self) -> str:
        """Which sentence breaks the rule: good, bad, both or neither."""
        named = self.said.breaks_rule
        return named if named in ("both", "neither") else "good" if named == self.good else "bad"

    @property
    def good_grammatical(self) -> bool:
        return self.said.a_grammatical if self.good == "A" else self.said.b_grammatical

    @property
    def bad_breaks_rule(self) -> bool:
        grammatical = self.said.b_grammatical if self.good == "A" else self.said.a_grammatical
        return self.names == "bad" and not grammatical

    @property
    def reading_natural(self) -> bool:
        return self.said.reading_natural and bool(self.said.reading.strip())

    @property
    def rejects(self) -> bool:
        sound = self.good_grammatical and self.bad_breaks_rule and self.said.instance and self.said.only_change
        return self.said.decided_by != "nothing" and (not sound or self.reading_natural)


def shown_as(identity: str) -> Letter:
    """The letter under which the judge first sees the good sentence of a pair; of many pairs, half get A."""
    return "A" if int(digest(["order of the judge", identity])[:8], 16) % 2 == 0 else "B"


class Judge:
    """Has a language model judge pairs.

    rules     by id
    attested  what the source has, if it is a grammar: its glosses and translations are shown
    title     of the grammar, which names the variety that it describes
    reasons   why pairs that stand no more were refused, by the pair's id
    earlier   judgments of a run before: they stand while the rule, the prompts and the `asker` are the same, so that a
              pair is not asked about again because others come to stand beside it
    asker     what decides answers of the model, such as a digest of its name and settings

    Raises PromptError.
    """

    def __init__(
        self,
        rules: Mapping[str, Rule],
        language: Language,
        settings: JudgeSettings,
        workspace: Path | None = None,
        *,
        attested: AttestedWords | None = None,
        title: str = "",
        reasons: Mapping[str, str] | None = None,
        earlier: Iterable[LLMJudgment] = (),
        asker: str = "",
    ) -> None:
        self._rules, self._language, self._settings = rules, language, settings
        self._prompt = load_prompt(PROMPTS[0], workspace=workspace)
        self._book = attested.book if attested else GlossedBook()
        self._earlier = {judgment.pair_id: judgment for judgment in earlier}
        self._reasons = dict(reasons or {})
        self._fallen = defaultdict[str, list[str]](list)
        self._title = title
        self._asker = [asker, title, prompt_hashes(PROMPTS, workspace)]
        cautions = [f"- {caution}" for caution in language.cautions]
        self._cautions = ["", "What to mind in this language:", *cautions] if cautions else []

    def requests(self, candidates: Iterable[Candidate]) -> Iterator[Request[Any]]:
        """What `judge` asks before it has any answer, for a batch or an estimate. Second looks come on top."""
        asked = [pair for pair in self._judged(candidates) if pair.rule_id in self._rules and not self._standing(pair)]
        yield from map(self._of_pairs, self._batches(asked))

    def judge(self, candidates: Iterable[Candidate], completer: Completer) -> Iterator[LLMJudgment | Rejection]:
        """A judgment on every pair whose method is to be judged, in order; a Rejection if the model gave none.

        A pair of an exception, in which what its rule forbids is right, is left to people.
        The Rejection is of the judgment, not of the pair. Raises LLMError and BudgetError as the `completer` does.
        """
        judged = self._judged(candidates)
        standing = {pair.id: known for pair in judged if (known := self._standing(pair))}
        self._fallen.clear()
        for pair in judged:
            before = standing.get(pair.id)
            if reason := before.reason if before and before.verdict == "reject" else self._reasons.get(pair.id):
                self._fallen[pair.rule_id].append(f"{squeeze(pair.good)} / {squeeze(pair.bad)}: {one_line(reason)}")
        asked = [pair for pair in judged if pair.rule_id in self._rules and pair.id not in standing]
        first, others = self._looks(completer, asked)
        rejected = [pair for pair in asked if pair.id in first and first[pair.id].rejects]
        second, _ = self._looks(completer, rejected, exchanged=True)
        judgments = dict(standing)
        for pair in (it for it in asked if it.id in first):
            said = _looked(first[pair.id], second.get(pair.id))
            judgments[pair.id] = LLMJudgment.model_validate({"pair_id": pair.id, "basis": self._basis(pair), **said})
        # A reading by which a bad sentence is good holds under any rule.
        saved = {
            _sentences(pair): judgment
            for pair in judged
            if (judgment := judgments.get(pair.id)) and judgment.verdict == "reject" and judgment.reading_natural
        }
        said_of = {it.id: saved.get(_sentences(it), judgments[it.id]) for it in judged if it.id in judgments}
        # Of the pairs of a rule that a reading may save, people weigh the one with the highest score, if the rule has
        # no surer one.
        best: dict[str, str] = {}
        accepted = (it for it in judged if _accepts(said_of.get(it.id)))
        for pair in sorted(accepted, key=lambda it: (bool(said_of[it.id].reading), -said_of[it.id].score)):
            best.setdefault(pair.rule_id, pair.id)
        for pair in judged:
            if judgment := said_of.get(pair.id):
                held = _accepts(judgment) and bool(judgment.reading) and best[pair.rule_id] != pair.id
                own = {"pair_id": pair.id, "basis": judgments[pair.id].basis, "held": held}
                yield self._audited(judgment.model_copy(update=own), pair)
            elif pair.rule_id not in self._rules:
                yield _rejection(pair, "no judgment, no rule: its rule is not among the rules; run the rules stage")
            else:
                answer = others[pair.id]
                left_out = answer.value is not None
                reason = "the answers leave the pair out" if left_out else f"{answer.outcome}: {answer.reason}"
                yield _rejection(pair, f"no judgment, {reason}", answer.text)

    def _judged(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        return [pair for pair in candidates if pair.method in self._settings.methods and not pair.exception]

    def _standing(self, pair: Candidate) -> LLMJudgment | None:
        """The earlier judgment on a pair, if it holds still."""
        known = self._earlier.get(pair.id)
        return known if known and pair.rule_id in self._rules and known.basis == self._basis(pair) else None

    def _basis(self, pair: Candidate) -> str:
        """A digest of what decides the judgment on a pair, beside its sentences and the examples shown with it."""
        described, glossed = describe_rule(self._rules[pair.rule_id]), self._glossed(pair.good, pair.bad)
        return digest([self._asker, self._language.name, self._cautions, described, pair.translation, glossed])

    def _audited(self, judgment: LLMJudgment, pair: Candidate) -> LLMJudgment:
        """A judgment with whether people see a pair that it stops: by the pair's id, so they always see the same ones.

        A derived pair is not audited: it would belong to a lot, most of which is released unseen.
        """
        place = int(digest(["audit of the judge", judgment.pair_id])[:8], 16) / 2**32
        stops = judgment.held or judgment.verdict == "reject"
        audited = stops and pair.derivation is None and place < self._settings.audit_share
        return judgment.model_copy(update={"audited": audited})

    def _looks(
        self, completer: Completer, pairs: list[Candidate], *, exchanged: bool = False
    ) -> tuple[dict[str, _Look], dict[str, Answer[Any]]]:
        """The judge's looks at pairs in one order by the pairs' ids; and of the others, what it answered.

        An entry counts if its number, from 1, stands in the answer once. Pairs without one are asked about again in
        ever smaller requests.
        """
        looks: dict[str, _Look] = {}
        others: dict[str, Answer[Any]] = {}
        batches = self._batches(pairs)
        for attempt in range(_ATTEMPTS):
            left: list[Sequence[Candidate]] = []
            requests = ((batch, self._of_pairs(batch, attempt, exchanged=exchanged)) for batch in batches)
            for batch, answer in ask_about(completer, requests):
                said = answer.value.judgements if answer.value else []
                numbers = [match[0] if (match := re.search(r"\d+", entry.id)) else "" for entry in said]
                entries = {n: entry for n, entry in zip(numbers, said, strict=True) if numbers.count(n) == 1}
                for number, pair in enumerate(batch, start=1):
                    if entry := entries.get(str(number)):
                        good: Letter = "A" if (shown_as(pair.id) == "A") != exchanged else "B"
                        looks[pair.id] = _Look(entry, good, answer.call)
                    else:
                        others[pair.id] = answer
                left += _batched([pair for pair in batch if pair.id not in looks], max(1, len(batch) // 2))
            batches = left
        return looks, {key: answer for key, answer in others.items() if key not in looks}

    def _batches(self, pairs: Iterable[Candidate]) -> list[Sequence[Candidate]]:
        """Pairs that are judged in one request, those of one rule side by side."""
        groups = defaultdict[str, list[Candidate]](list)
        for pair in pairs:
            groups[pair.rule_id].append(pair)
        return list(_batched([pair for group in groups.values() for pair in group], self._settings.pairs_per_request))

    def _of_pairs(
        self, pairs: Sequence[Candidate], attempt: int = 0, *, exchanged: bool = False
    ) -> Request[PairJudgements]:
        """A request about pairs; with `exchanged`, in the order that they did not have at first.

        None of them stands among the examples of the rules.
        """
        rules = list(dict.fromkeys(pair.rule_id for pair in pairs))
        described = [f"rule {at}\n{self._described(rule, pairs)}" for at, rule in enumerate(rules, start=1)]
        shown = (
            f"pair {number}, of rule {rules.index(pair.rule_id) + 1}\n{self._shown(pair, exchanged=exchanged)}"
            for number, pair in enumerate(pairs, start=1)
        )
        rendered = self._prompt.render(
            {
                "language": [self._language.name, *self._cautions],
                "described": self._title,
                "rules": "\n\n".join(described),
                "beside": rules_beside([self._rules[it] for it in rules], self._rules.values()),
                "pairs": "\n\n".join(shown),
            }
        )
        first = self._rules[rules[0]]
        of_rules = f"rule {first.code}" if len(rules) == 1 else counted(len(rules), "rule")
        subject = f"{len(pairs)} pairs of {of_rules}" if len(pairs) > 1 else pairs[0].id
        return Request(rendered, PairJudgements, LLM_STAGE, first.source_id, subject, sample=attempt)

    def _described(self, rule_id: str, pairs: Sequence[Candidate]) -> str:
        """A rule as the grammar states and shows it, and the last pairs of it that were refused."""
        rule = self._rules[rule_id]
        attested = {identity for pair in pairs for identity in pair.attested_ids}
        own = {comparison_key(sentence) for pair in pairs for sentence in (pair.good, pair.bad)}
        # Those that the pairs were made from come first.
        listed = sorted(rule.examples, key=lambda example: example.evidence.block_id not in attested)
        first = rule.model_copy(update={"examples": tuple(listed)})
        examples = map(_show_example, examples_shown(first, self._settings.examples, without=own))
        fallen = self._fallen[rule_id][-_MOST_FALLEN:]
        return "\n\n".join([describe_rule(rule), *examples, *(f"refused: {it}" for it in fallen)])

    def _shown(self, pair: Candidate, *, exchanged: bool) -> str:
        """The sentences on lines of their own, so that none can pass for a pair, what they mean, and their words."""
        first, second = squeeze(pair.good), squeeze(pair.bad)
        if (shown_as(pair.id) == "B") != exchanged:
            first, second = second, first
        # The translation that the source itself gives of the good sentence.
        one = self._book.good.get(self._book.key(pair.good))
        meaning = pair.translation if one and one.translation == pair.translation else None
        lines = {"A": first, "B": second, "meaning": meaning, "words": self._glossed(pair.good, pair.bad)}
        sides = {"A": (first, second), "B": (second, first)}
        lines |= {f"{name} elsewhere": self._elsewhere(pair, *side) for name, side in sides.items()}
        return "\n".join(f"{name}: {squeeze(text)}" for name, text in lines.items() if text)

    def _elsewhere(self, pair: Candidate, sentence: str, other: str) -> str:
        """Attested sentences with the words by which a sentence differs from the other one, and one beside them."""
        own, its = words(sentence), words(other)
        start = Prefix.similarity(own, its)
        end = len(own) - Postfix.similarity(own[start:], its[start:])
        with_neighbours = own[max(0, start - 1) : end + 1], own[max(0, start - 1) : end], own[start : end + 1]
        for phrase in (it for it in with_neighbours if len(it) > 1):
            found = [it for it in self._book.with_words(*phrase) if it.block_id not in pair.attested_ids]
            shown = [f"{it.sentence} = {it.gloss or ''} ‘{it.translation or ''}’" for it in found[:_MOST_ELSEWHERE]]
            if shown:
                return " / ".join(shown)
        return ""

    def _glossed(self, *sentences: str) -> str:
        """The words of sentences with all that the source makes of them: `lauk-ia = wait-PRS or wait-NMLZ`.

        Each comes once, in the order of letters. Of words that differ, all are glossed or none: what the source lacks
        is mostly the bad side. Where it lacks one, the other forms that it has of their lemmas come in their place.
        """
        sides = [{word.casefold() for word in words(sentence)} for sentence in sentences]
        alike, every = set[str].intersection(*sides), set[str]().union(*sides)
        known = {word for word in every if self._book.of(word)}
        if every - alike - known:
            others = {it.form.casefold() for word in known - alike for it in self._book.other_forms(word)[:_MOST_FORMS]}
            known = (known & alike) | (others - every)
        listed = []
        for word in sorted(known):
            found = self._book.of(word)
            cuts = list(dict.fromkeys(it.cut.casefold().strip(_PUNCTUATION) for it in found))[:_MOST_GLOSSES]
            glosses = list(dict.fromkeys(it.gloss.strip(_PUNCTUATION) for it in found))[:_MOST_GLOSSES]
            cut = " or ".join(cuts)
            joins = word in map(join_morphemes, cuts)
            listed.append(f"{cut if joins else f'{word} ({cut})'} = {' or '.join(glosses)}")
        return "; ".join(listed)


def _sentences(pair: Candidate) -> tuple[str, str]:
    return comparison_key(pair.good), comparison_key(pair.bad)


def _accepts(judgment: LLMJudgment | None) -> bool:
    return judgment is not None and judgment.verdict == "pass" and judgment.decided_by != "nothing"


def _looked(look: _Look, second: _Look | None) -> dict[str, Any]:
    """What a judgment keeps of the looks at a pair."""
    said = look.said
    agreed = second is not None and second.rejects and second.names == look.names
    reason = f"{squeeze(said.reason)} (A is the {'good' if look.good == 'A' else 'bad'} sentence)"
    verdict = (
        "doubt" if said.decided_by == "nothing" else "pass" if not look.rejects else "reject" if agreed else "doubt"
    )
    return {
        "good_shown_as": look.good,
        "decided_by": said.decided_by,
        "exchanged": look.names == "good",
        "instance": said.instance,
        "good_grammatical": look.good_grammatical,
        "bad_breaks_rule": look.bad_breaks_rule,
        "only_change": said.only_change,
        "change": one_line(said.change),
        "reading": one_line(said.reading),
        "reading_natural": look.reading_natural,
        "score": said.score,
        "named": (said.breaks_rule, *((second.said.breaks_rule,) if second else ())),
        "verdict": verdict,
        "reason": one_line(reason, _LONGEST_REASON),
        "asked": look.call,
        "asked_again": second.call if second else None,
    }


def _rejection(candidate: Candidate, reason: str, answer: str = "") -> Rejection:
    text = one_line(f"{candidate.id}: {candidate.good} / {candidate.bad} {answer}", _LONGEST_REASON)
    return candidate.rejection(LLM_STAGE, reason, text)


def _show_example(example: Example) -> str:
    """An example of the source with its lines by their names."""
    lines = {"good": example.good, "parts": example.segmentation, "gloss": example.gloss}
    lines |= {"translation": example.translation, "bad": example.bad}
    return "\n".join(f"{name}: {squeeze(text)}" for name, text in lines.items() if text)


def _batched(pairs: Sequence[Candidate], size: int) -> Iterator[Sequence[Candidate]]:
    """Pairs in groups of `size`, the last one smaller."""
    return (pairs[start : start + size] for start in range(0, len(pairs), size))


@pair_check("judge-reject", "error")
def rejected(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The language model that judges pairs rejects this one, or takes the bad sentence for the good one, in both orders
    of the sentences."""
    judgment = context.judgments.get(candidate.id)
    if judgment and judgment.verdict == "reject" and not judgment.audited:
        yield Fault(f"{_judge(judgment)} {_objections(judgment)}: {judgment.reason}")


@pair_check("judge-held", "error")
def held(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge finds a forced reading in which the bad sentence is good, and the rule has a better pair."""
    judgment = context.judgments.get(candidate.id)
    if judgment and judgment.held and not judgment.audited:
        yield Fault(f"{_judge(judgment)} finds the bad sentence good in a forced reading: {judgment.reading}", "bad")


@pair_check("judge-doubt", "warning")
def doubted(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge rejects the pair in one order of its sentences alone, or accepts it with a low score, or with a reading
    in which the bad sentence may be good."""
    judgment, least = context.judgments.get(candidate.id), context.judge.accept_score
    if judgment is None or judgment.decided_by == "nothing" or (judgment.held and not judgment.audited):
        return
    if judgment.verdict == "doubt":
        second = "contradicts that with the sentences exchanged" if judgment.asked_again else "gave no second answer"
        yield Fault(f"{_judge(judgment)} {_objections(judgment)} and {second}: {judgment.reason}")
    elif judgment.verdict == "pass" and judgment.score < least:
        yield Fault(f"{_judge(judgment)} gives it {judgment.score} of 10 (limit {least}): {judgment.reason}")
    elif judgment.verdict == "pass" and judgment.reading:
        yield Fault(f"{_judge(judgment)} finds the bad sentence good in a forced reading: {judgment.reading}", "bad")


@pair_check("judge-unknown-language", "warning")
def unknown_language(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge can't tell: it does not know the language well enough, and nothing in the source decides."""
    judgment = context.judgments.get(candidate.id)
    if judgment and judgment.decided_by == "nothing":
        yield Fault(f"{_judge(judgment)} can't tell in {context.language.name}: people alone decide")


def _judge(judgment: LLMJudgment) -> str:
    return f"the judge {one_line(judgment.asked.model_label, 60)}"


def _objections(judgment: LLMJudgment) -> str:
    """Everything that a judgment says against a pair."""
    if judgment.exchanged:
        return "takes the bad sentence for the good one"
    objections = {
        "the sentences are no instances of the rule": not judgment.instance,
        "the good sentence is not acceptable": not judgment.good_grammatical,
        "the bad sentence does not break this rule": not judgment.bad_breaks_rule,
        "more than one thing differs": not judgment.only_change,
        f"the bad sentence is right in another reading ({judgment.reading})": judgment.reading_natural,
    }
    return f"says that {' and that '.join(words for words, applies in objections.items() if applies)}"
