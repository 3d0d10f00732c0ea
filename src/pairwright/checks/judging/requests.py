"""The judge's requests: several pairs of one rule, or several sentences with their translations.

The judge sees the sentences of a pair as A and B, in an order that the pair's id decides, because models prefer a place
(Zheng et al., 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, Field

from pairwright.core.config import JudgeSettings
from pairwright.core.ids import digest
from pairwright.core.records import Candidate, Example, Rule
from pairwright.core.records.pairs import Letter
from pairwright.core.text import comparison_key, squeeze, words
from pairwright.languages import Language
from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.models.chat import Answer, Completer, Request, ask_about
from pairwright.models.prompts.files import load_prompt
from pairwright.models.prompts.rule_description import describe_rule, examples_shown

_Score = Annotated[int, Field(ge=0, le=10)]


class PairJudgement(BaseModel):
    """What a model says of one pair; `id` is its number in the request."""

    id: str
    change: str
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

    language_known: bool
    judgements: list[PairJudgement]


class TranslationJudgement(BaseModel):
    """What a model says of one translation; `id` is its number in the request."""

    id: str
    fault: str
    score: _Score


class TranslationJudgements(BaseModel):
    """The answer to `judge_translation`."""

    language_known: bool
    judgements: list[TranslationJudgement]


LLM_STAGE = "judge"
"""The stage's name in `[llm.models]`, in the ledger and of its rejections."""

_PROMPTS = ("judge_pair", "judge_translation")


def judge_prompts(workspace: Path | None = None) -> dict[str, str]:
    """The prompts in use by their labels, with the SHA-256 of their files, on which freshness depends.

    Raises PromptError.
    """
    prompts = [load_prompt(name, workspace=workspace) for name in _PROMPTS]
    return {prompt.label: prompt.sha256 for prompt in prompts}


def shown_as(identity: str) -> Letter:
    """The letter under which the judge first sees the good sentence of a pair; of many pairs, half get A."""
    return "A" if int(digest(["order of the judge", identity])[:8], 16) % 2 == 0 else "B"


class JudgeRequests:
    """Makes the requests of the stage; `asker` is what decides answers of the model. Raises PromptError."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        language: Language,
        settings: JudgeSettings,
        workspace: Path | None,
        asker: str,
    ) -> None:
        self._asker = [asker, judge_prompts(workspace)]
        self._rules, self._language, self._settings = rules, language, settings
        self._about_pairs, self._about_translations = (load_prompt(name, workspace=workspace) for name in _PROMPTS)

    def basis(self, pair: Candidate) -> str:
        """A digest of what decides the judgment on a pair, beside its sentences and the examples shown with it."""
        rule = self._rules[pair.rule_id]
        described = describe_rule(rule, _exception(pair, rule))
        return digest([self._asker, self._language.name, self._cautions(), described, pair.translation])

    def batches(self, pairs: Iterable[Candidate]) -> list[Sequence[Candidate]]:
        """Pairs that are judged in one request: of one rule, or of one of its exceptions."""
        groups: dict[tuple[str, str | None], list[Candidate]] = {}
        for pair in pairs:
            key = pair.rule_id, _exception(pair, self._rules[pair.rule_id])
            groups.setdefault(key, []).append(pair)
        size = self._settings.pairs_per_request
        return [batch for group in groups.values() for batch in batched(group, size)]

    def of_pairs(
        self, pairs: Sequence[Candidate], attempt: int = 0, *, exchanged: bool = False
    ) -> Request[PairJudgements]:
        """A request about pairs of one rule; with `exchanged`, in the order that they did not have at first.

        None of them stands among the examples of the rule.
        """
        rule = self._rules[pairs[0].rule_id]
        attested = {identity for pair in pairs for identity in pair.attested_ids}
        own = {comparison_key(sentence) for pair in pairs for sentence in (pair.good, pair.bad)}
        # Those that the pairs were made from come first.
        listed = sorted(rule.examples, key=lambda example: example.evidence.block_id not in attested)
        first = rule.model_copy(update={"examples": tuple(listed)})
        examples = examples_shown(first, self._settings.examples, without=own)
        rendered = self._about_pairs.render(
            {
                "language": [self._language.name, *self._cautions()],
                "rule": describe_rule(rule, _exception(pairs[0], rule)),
                "examples": "\n\n".join(map(show_glossed, examples)) or "(no example)",
                "pairs": "\n\n".join(
                    f"pair {number}\n{_shown(pair, rule, exchanged=exchanged)}"
                    for number, pair in enumerate(pairs, start=1)
                ),
            }
        )
        subject = f"{len(pairs)} pairs of rule {rule.code}" if len(pairs) > 1 else pairs[0].id
        return Request(rendered, PairJudgements, LLM_STAGE, rule.source_id, subject, sample=attempt)

    def _cautions(self) -> list[str]:
        cautions = [f"- {caution}" for caution in self._language.cautions]
        return ["", "What to mind in this language:", *cautions] if cautions else []

    def translation_batches(self, pairs: Iterable[Candidate]) -> list[Sequence[Candidate]]:
        """Pairs whose translations are judged in one request: not those of the source's own sentences."""
        doubtful = [it for it in pairs if it.translation and not (it.attested_ids and has_own_gloss(it))]
        return list(batched(doubtful, self._settings.pairs_per_request))

    def of_translations(self, pairs: Sequence[Candidate], attempt: int = 0) -> Request[TranslationJudgements]:
        """A request about the translations of the pairs' good sentences."""
        rendered = self._about_translations.render(
            {
                "language": self._language.name,
                "sentences": "\n\n".join(
                    f"sentence {number}: {squeeze(pair.good)}\n"
                    + "".join(f"{line}\n" for line in _own_gloss(pair))
                    + f"translation: {squeeze(pair.translation or '')}"
                    for number, pair in enumerate(pairs, start=1)
                ),
            }
        )
        subject = f"{len(pairs)} translations"
        return Request(rendered, TranslationJudgements, LLM_STAGE, pairs[0].source_id, subject, sample=attempt)


def _shown(pair: Candidate, rule: Rule, *, exchanged: bool) -> str:
    # On lines of their own, so that no sentence can pass for a pair.
    first, second = squeeze(pair.good), squeeze(pair.bad)
    if (shown_as(pair.id) == "B") != exchanged:
        first, second = second, first
    words = glossed_words(pair, rule)
    return "\n".join([f"A: {first}", f"B: {second}", *([f"words: {'; '.join(words)}"] if words else [])])


def _own_gloss(pair: Candidate) -> Iterator[str]:
    if has_own_gloss(pair):
        yield f"parts: {squeeze(pair.segmentation or '')}"
        yield f"gloss: {squeeze(pair.gloss or '')}"


def _exception(candidate: Candidate, rule: Rule) -> str | None:
    """The exception that a pair is about: its note if this is one of the rule's exceptions, else all of them."""
    if not candidate.exception:
        return None
    return candidate.note if candidate.note in rule.exceptions else "; ".join((*rule.exceptions, *rule.notes))


_OUTER = '.,;:!?…„“”"‘’()[]'


def show_glossed(example: Example) -> str:
    """An example of the source with its lines by their names."""
    lines = {
        "good": example.good,
        "parts": example.segmentation,
        "gloss": example.gloss,
        "translation": example.translation,
        "bad": example.bad,
    }
    return "\n".join(f"{name}: {squeeze(text)}" for name, text in lines.items() if text)


def glossed_words(pair: Candidate, rule: Rule) -> list[str]:
    """The words of a pair as the source glosses them: `lauk-ia = wait-PRS`, each word once, in the order of letters.

    If some changed word has no gloss, none has: only the attested sentence is glossed whole, and this would show which
    one it is.
    """
    glosses: dict[str, str] = {}
    for example in rule.examples:
        glosses |= _by_word(example.good, example.segmentation, example.gloss)
    if has_own_gloss(pair):
        glosses |= _by_word(pair.good, pair.segmentation, pair.gloss)
    good, bad = ({word.casefold() for word in words(sentence)} for sentence in (pair.good, pair.bad))
    glossed = good | bad if good ^ bad <= glosses.keys() else good & bad
    return [glosses[word] for word in sorted(glossed) if word in glosses]


def has_own_gloss(pair: Candidate) -> bool:
    """Whether a pair's gloss is that of its good sentence, and not only of the attested one that it was made from."""
    attested = join_morphemes(pair.segmentation or "")
    return bool(pair.gloss) and comparison_key(attested) == comparison_key(join_morphemes(pair.good))


def _by_word(sentence: str, segmentation: str | None, gloss: str | None) -> dict[str, str]:
    """The words of a sentence, in small letters, with their parts and glosses; none if the lines don't match."""
    surface, parts, meanings = sentence.split(), (segmentation or "").split(), (gloss or "").split()
    if not len(surface) == len(parts) == len(meanings):
        return {}
    bare = [word.strip(_OUTER).casefold() for word in surface]
    shown = [f"{part.strip(_OUTER)} = {meaning}" for part, meaning in zip(parts, meanings, strict=True)]
    return dict(zip(bare, shown, strict=True))


X = TypeVar("X")
_ATTEMPTS = 3


class Entry(Protocol):
    """What an answer says of one item; `id` is the item's number, from 1."""

    id: str


E = TypeVar("E", bound=Entry)


class About(NamedTuple, Generic[X, E]):
    """An item with its entry of an answer; None if the answer has no place for it, or can't be used."""

    item: X
    entry: E | None
    answer: Answer[Any]


def ask_in_batches(
    completer: Completer,
    batches: Sequence[Sequence[X]],
    request_of: Callable[[Sequence[X], int], Request[Any]],
) -> Iterator[About[X, Any]]:
    """Every item once, with what the answers say of it. An entry counts if its number stands in the answer once.

    Items without one are asked about again in ever smaller requests; `request_of` makes one of a batch and the number
    of the attempt. The answers have `language_known`, which ends the asking where it is False, and `judgements`.
    """
    for attempt in range(_ATTEMPTS):
        left: list[Sequence[X]] = []
        last = attempt == _ATTEMPTS - 1
        for batch, answer in ask_about(completer, ((batch, request_of(batch, attempt)) for batch in batches)):
            entries = _by_number(answer.value.judgements) if answer.value else {}
            unknown = answer.value is not None and not answer.value.language_known
            missing = []
            for number, item in enumerate(batch, start=1):
                entry = None if unknown else entries.get(str(number))
                if entry or unknown or last:
                    yield About(item, entry, answer)
                else:
                    missing.append(item)
            left += batched(missing, max(1, len(batch) // 2))
        batches = left


def batched(items: Sequence[X], size: int) -> Iterator[Sequence[X]]:
    """Items in groups of `size`, the last one smaller."""
    rest = iter(items)
    while group := tuple(islice(rest, size)):
        yield group


def _by_number(entries: Sequence[E]) -> dict[str, E]:
    """Entries by their numbers, without those whose number stands twice."""
    numbers = [match[0] if (match := re.search(r"\d+", entry.id)) else "" for entry in entries]
    counts = Counter(numbers)
    return {number: entry for number, entry in zip(numbers, entries, strict=True) if counts[number] == 1}
