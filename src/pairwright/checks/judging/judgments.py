"""The back-check: a language model says which of two sentences breaks a rule, without knowing which one should.

Its answers become an `LLMJudgment`, which checks read. Reviewers judge what passes and a share of what does not, and
`calibration` measures how far the two agree. A model alone decides nothing but rejections, so it looks once more at a
pair that it rejects, with the sentences in the other order.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.checks.judging.requests import (
    LLM_STAGE,
    About,
    JudgeRequests,
    PairJudgement,
    TranslationJudgement,
    ask_in_batches,
    shown_as,
)
from pairwright.core.config import JudgeSettings
from pairwright.core.errors import one_line
from pairwright.core.ids import digest
from pairwright.core.records import Candidate, LLMCall, LLMJudgment, Rejection, Rule
from pairwright.core.records.pairs import Letter
from pairwright.core.text import squeeze
from pairwright.languages import Language
from pairwright.models.chat import Completer, Request

_LONGEST_REASON = 400


class _Look(NamedTuple):
    """What the judge says of a pair in one order of its sentences. It says nothing where it knows no such language."""

    pair: Candidate
    said: PairJudgement | None
    good: Letter
    call: LLMCall

    @property
    def bad(self) -> Letter:
        return "B" if self.good == "A" else "A"

    @property
    def good_grammatical(self) -> bool:
        return self.said is not None and (self.said.a_grammatical if self.good == "A" else self.said.b_grammatical)

    @property
    def bad_breaks_rule(self) -> bool:
        if self.said is None:
            return False
        grammatical = self.said.a_grammatical if self.bad == "A" else self.said.b_grammatical
        return self.said.breaks_rule == self.bad and not grammatical

    @property
    def rejects(self) -> bool:
        if self.said is None:
            return False
        natural = bool(self.said.reading.strip()) and self.said.reading_natural
        sound = self.good_grammatical and self.bad_breaks_rule and self.said.instance and self.said.only_change
        return not sound or natural

    @property
    def names(self) -> str:
        """Which sentence breaks the rule: good, bad, both or neither."""
        named = self.said.breaks_rule if self.said else "neither"
        return "good" if named == self.good else "bad" if named == self.bad else named


def judge_requests(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: JudgeSettings,
    workspace: Path | None = None,
    *,
    earlier: Iterable[LLMJudgment] = (),
    asker: str = "",
) -> Iterator[Request[Any]]:
    """What `judge_pairs` asks before it has any answer, for a batch or an estimate. Second looks come on top."""
    requests = JudgeRequests(rules, language, settings, workspace, asker)
    judged = [pair for pair in candidates if _is_judged(pair, settings) and pair.rule_id in rules]
    standing = _standing(requests, judged, earlier)
    judged = [pair for pair in judged if pair.id not in standing]
    yield from map(requests.of_pairs, requests.batches(judged))
    yield from map(requests.of_translations, requests.translation_batches(judged))


def judge_pairs(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: JudgeSettings,
    completer: Completer,
    workspace: Path | None = None,
    *,
    earlier: Iterable[LLMJudgment] = (),
    asker: str = "",
) -> Iterator[LLMJudgment | Rejection]:
    """A judgment on every pair whose method is to be judged, in order; a Rejection if the model gave none.

    earlier  judgments of a run before: they stand while the rule, the prompts and the `asker` are the same, so that a
             pair is not asked about again because others come to stand beside it
    asker    what decides answers of the model, such as a digest of its name and settings

    The Rejection is of the judgment, not of the pair. Raises PromptError, and LLMError and BudgetError as the
    `completer` does.
    """
    judged = [pair for pair in candidates if _is_judged(pair, settings)]
    requests = JudgeRequests(rules, language, settings, workspace, asker)
    with_rule = [pair for pair in judged if pair.rule_id in rules]
    standing = _standing(requests, with_rule, earlier)
    asked = [pair for pair in with_rule if pair.id not in standing]
    first, unanswered = _looks(requests, completer, asked, exchanged=False)
    rejected = [pair for pair in asked if pair.id in first and first[pair.id].rejects]
    second, _ = _looks(requests, completer, rejected, exchanged=True)
    translations = _translations(requests, completer, asked)
    for pair in judged:
        if pair.id in standing:
            yield _audited(standing[pair.id], pair, settings)
        elif look := first.get(pair.id):
            judgment = _judgment(look, second.get(pair.id), translations.get(pair.id))
            yield _audited(judgment.model_copy(update={"basis": requests.basis(pair)}), pair, settings)
        elif about := unanswered.get(pair.id):
            yield _unanswered(about)
        else:
            yield _rejection(pair, "no judgment, no rule: its rule is not among the rules; run the rules stage")


def _is_judged(pair: Candidate, settings: JudgeSettings) -> bool:
    return pair.method in settings.methods


def _standing(
    requests: JudgeRequests, pairs: Iterable[Candidate], earlier: Iterable[LLMJudgment]
) -> dict[str, LLMJudgment]:
    """The earlier judgments that hold for these pairs still, by the pairs' ids."""
    known = {judgment.pair_id: judgment for judgment in earlier}
    return {
        pair.id: known[pair.id] for pair in pairs if pair.id in known and known[pair.id].basis == requests.basis(pair)
    }


def _looks(
    requests: JudgeRequests, completer: Completer, pairs: list[Candidate], *, exchanged: bool
) -> tuple[dict[str, _Look], dict[str, About[Candidate, PairJudgement]]]:
    """The judge's looks at pairs in one order by the pairs' ids, and the pairs that no answer speaks of."""
    looks: dict[str, _Look] = {}
    unanswered: dict[str, About[Candidate, PairJudgement]] = {}
    ask = ask_in_batches(
        completer,
        requests.batches(pairs),
        lambda batch, attempt: requests.of_pairs(batch, attempt, exchanged=exchanged),
    )
    for about in ask:
        pair, value = about.item, about.answer.value
        first = shown_as(pair.id)
        good: Letter = ("B" if first == "A" else "A") if exchanged else first
        if value is not None and (about.entry or not value.language_known):
            looks[pair.id] = _Look(pair, about.entry, good, about.answer.call)
        else:
            unanswered[pair.id] = about
    return looks, unanswered


def _translations(
    requests: JudgeRequests, completer: Completer, pairs: list[Candidate]
) -> dict[str, TranslationJudgement]:
    """What the judge says of the pairs' translations; nothing of those that it can't read."""
    abouts = ask_in_batches(completer, requests.translation_batches(pairs), requests.of_translations)
    return {about.item.id: about.entry for about in abouts if about.entry}


def _judgment(look: _Look, second: _Look | None, translation: TranslationJudgement | None) -> LLMJudgment:
    pair, said = look.pair, look.said
    judged = {"pair_id": pair.id, "good_shown_as": look.good, "asked": look.call}
    if translation:
        judged |= {"translation_score": translation.score, "translation_fault": one_line(translation.fault)}
    if said is None:
        unknown = {"language_known": False, "verdict": "doubt", "reason": "it does not know the language"}
        return LLMJudgment.model_validate(judged | unknown)
    agreed = second is not None and second.rejects and second.names == look.names
    verdict = "pass" if not look.rejects else "reject" if agreed else "doubt"
    reason = f"{squeeze(said.reason)} (A is the {'good' if look.good == 'A' else 'bad'} sentence)"
    again = second.said if second else None
    return LLMJudgment.model_validate(
        judged
        | {
            "exchanged": look.names == "good",
            "instance": said.instance,
            "good_grammatical": look.good_grammatical,
            "bad_breaks_rule": look.bad_breaks_rule,
            "only_change": said.only_change,
            "change": one_line(said.change),
            "reading": one_line(said.reading),
            "reading_natural": bool(said.reading.strip()) and said.reading_natural,
            "score": said.score,
            "named": (said.breaks_rule, *((again.breaks_rule,) if again else ())),
            "verdict": verdict,
            "reason": one_line(reason, _LONGEST_REASON),
            "asked_again": second.call if second else None,
        }
    )


def _audited(judgment: LLMJudgment, pair: Candidate, settings: JudgeSettings) -> LLMJudgment:
    """A judgment with whether people are asked about the rejected pair: by its id, so always about the same ones.

    A derived pair is not audited: it would belong to a lot, most of which is released unseen.
    """
    place = int(digest(["audit of the judge", judgment.pair_id])[:8], 16) / 2**32
    audited = judgment.verdict == "reject" and pair.derivation is None and place < settings.audit_share
    return judgment.model_copy(update={"audited": audited})


def _unanswered(about: About[Candidate, PairJudgement]) -> Rejection:
    answer = about.answer
    left_out = answer.value is not None
    reason = "the answers leave the pair out" if left_out else f"{answer.outcome}: {answer.reason}"
    return _rejection(about.item, f"no judgment, {reason}", answer.text)


def _rejection(candidate: Candidate, reason: str, answer: str = "") -> Rejection:
    text = one_line(f"{candidate.id}: {candidate.good} / {candidate.bad} {answer}", _LONGEST_REASON)
    return candidate.rejection(LLM_STAGE, reason, text)
