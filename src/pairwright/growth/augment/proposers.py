"""Who proposes the words for a slot: a slot lexicon ranked by a causal model, a masked model, a chat model."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel

from pairwright.core.records import Candidate, Rejection, Tree
from pairwright.core.text import TOKEN
from pairwright.growth.augment.frames import Frame, frame_of
from pairwright.growth.augment.lexicon import LLM_STAGE, SlotLexicon, SlotWord, fits
from pairwright.growth.augment.seeds import MisalignedError, Place
from pairwright.languages import Language
from pairwright.languages.features import show_features
from pairwright.languages.linguistics.concord import NOUNS, concord
from pairwright.languages.morphology.inflection import Inflector, NotInflected
from pairwright.models.chat import Completer, Request
from pairwright.models.prompts.files import Prompt, load_prompt

AugmentMethod = Literal["lexicon", "masked-lm", "cloze"]
Rank = Callable[[Sequence[str]], list[float]]
"""How probable a causal model finds sentences: their log-probabilities in nats, in the order of the sentences."""
Fill = Callable[[str, str, int], list[str]]
"""The most probable words between two pieces of a sentence, so many at most, the best first."""

CLOZE_WORDS = 20
_FILLED_WORDS = 60
# The most frequent ones, where a slot could take more words.
_MOST_OPTIONS = 200
# Of a word's own log-probability, so much is taken off that of its sentence.
OWN_SHARE = 0.5
# Sentences that are ranked together: a run that is killed has the ranks of all before.
_RANKED_TOGETHER = 1500


class ProposedWords(BaseModel):
    """The answer to `propose_words`: dictionary forms, the best first."""

    words: list[str]


class Slot(NamedTuple):
    """A place of a frame whose word may be replaced."""

    frame: Frame
    number: int

    @property
    def place(self) -> Place:
        return self.frame.places[self.number]


class Slots(NamedTuple):
    """A frame and, by the number of each slot, the lemmas that can take it, the best first."""

    frame: Frame
    lemmas: dict[int, list[str]]


class Proposal(NamedTuple):
    """The lemmas for a slot, the best first, or the reason why there are none."""

    lemmas: tuple[str, ...]
    reason: str = ""


class Proposer(Protocol):
    """Proposes words; `model` names who ranks them."""

    method: AugmentMethod
    model: str

    def propose(self, slots: Sequence[Slot]) -> Iterator[Proposal]:
        """For each slot in turn its lemmas, the best first, whether or not they can be inflected."""
        ...


class LexiconProposer:
    """The words of a slot lexicon that the language has a form for, ranked by a causal model.

    A sentence with a long or rare word is less probable whatever it says. So a word's log-probability by itself is
    taken off: the whole would make it pointwise mutual information (Holtzman et al. 2021, Surface Form Competition),
    which prefers rare words; half is taken.
    """

    method: AugmentMethod = "lexicon"

    def __init__(
        self, lexicon: SlotLexicon, inflector: Inflector, rank: Rank, model: str, *, classes: bool = True
    ) -> None:
        self.model = model
        self._lexicon, self._inflector, self._rank, self._classes = lexicon, inflector, rank, classes

    def propose(self, slots: Sequence[Slot]) -> Iterator[Proposal]:
        """For each slot in turn its lemmas, the best first."""
        waiting: list[tuple[Slot, list[tuple[str, str, str]]]] = []
        for slot in slots:
            waiting.append((slot, list(self._options(slot))))
            if sum(len(options) for _, options in waiting) >= _RANKED_TOGETHER:
                yield from self._ranked(waiting)
                waiting = []
        yield from self._ranked(waiting)

    def _options(self, slot: Slot) -> Iterator[tuple[str, str, str]]:
        """Lemmas with the good sentence that each makes, and its form there."""
        entry = entry_of(self._lexicon, slot.place)
        if entry is None and self._classes:
            return
        lemma, upos = entry.key if entry else (slot.place.lemma, slot.place.upos)
        for word in self._lexicon.alike(lemma, upos, classes=self._classes)[:_MOST_OPTIONS]:
            variant = slot.frame.realise(((slot.number, word.lemma),), self._inflector)
            if not isinstance(variant, NotInflected):
                form = next(item.new for item in variant.replacements if not item.agrees)
                yield word.lemma, variant.good, form

    def _ranked(self, waiting: Sequence[tuple[Slot, list[tuple[str, str, str]]]]) -> Iterator[Proposal]:
        texts = dict.fromkeys(text for _, options in waiting for _, *both in options for text in both)
        scores = dict(zip(texts, self._rank(list(texts)), strict=True))
        for slot, options in waiting:
            ranked = sorted(options, key=lambda option: (OWN_SHARE * scores[option[2]] - scores[option[1]], option[0]))
            yield Proposal(tuple(lemma for lemma, _, _ in ranked), "" if ranked else self._without(slot))

    def _without(self, slot: Slot) -> str:
        entry = entry_of(self._lexicon, slot.place)
        if self._classes and not (entry and entry.classes):
            return "the slot lexicon has no class for it"
        return "no word of the slot lexicon fits"


class MaskedProposer:
    """The words that a masked model puts into a slot, in whatever form, by their lemmas."""

    method: AugmentMethod = "masked-lm"

    def __init__(self, fill: Fill, inflector: Inflector, model: str) -> None:
        self.model = model
        self._fill, self._inflector = fill, inflector

    def propose(self, slots: Sequence[Slot]) -> Iterator[Proposal]:
        """For each slot in turn its lemmas, the best first."""
        for slot in slots:
            token, good = slot.place.good, slot.frame.seed.good
            words = self._fill(good[: token.at], good[token.end :], _FILLED_WORDS)
            lemmas = dict.fromkeys(lemma for word in words for lemma in self._lemmas(word, slot.place))
            yield Proposal(tuple(lemmas), "" if lemmas else "the model proposes no word whose form fits")

    def _lemmas(self, word: str, place: Place) -> Iterator[str]:
        for reading in self._inflector.analyses(word):
            same_kind = reading.upos == place.upos or {reading.upos, place.upos} <= set(NOUNS)
            if same_kind and any(concord(reading.features, good) or not good for good, _ in place.bundles):
                yield reading.lemma


class ClozeProposer:
    """A chat model's words: one request a slot asks for twenty lemmas that fit."""

    method: AugmentMethod = "cloze"

    def __init__(self, completer: Completer, language: Language, model: str, workspace: Path | None) -> None:
        self.model = model
        self._completer, self._language = completer, language
        self._prompt = propose_prompt(workspace)

    def propose(self, slots: Sequence[Slot]) -> Iterator[Proposal]:
        """For each slot in turn its lemmas, the best first. Raises LLMError, BudgetError."""
        requests = [cloze_request(slot, self._prompt, self._language) for slot in slots]
        for answer in self._completer.run(requests):
            words = answer.value.words if answer.value else []
            lemmas = dict.fromkeys(word.strip() for word in words if TOKEN.fullmatch(word.strip()))
            yield Proposal(tuple(lemmas), answer.reason or ("" if lemmas else "the model proposes no word"))


def propose_prompt(workspace: Path | None = None) -> Prompt:
    """The prompt that asks for words. Raises PromptError."""
    return load_prompt("propose_words", workspace=workspace)


def cloze_request(slot: Slot, prompt: Prompt, language: Language) -> Request[ProposedWords]:
    """The request for the words of a slot."""
    place, good = slot.place, slot.frame.seed.good
    rendered = prompt.render(
        {
            "language": language.name,
            "count": CLOZE_WORDS,
            "kind": f"{place.upos} {show_features(place.bundles[0][0])}",
            "sentence": f"{good[: place.good.at]}[[{place.good.text}]]{good[place.good.end :]}",
            "word": place.good.text,
            "lemma": place.lemma,
        }
    )
    return Request(rendered, ProposedWords, LLM_STAGE, slot.frame.seed.source_id, f"pair {slot.frame.seed.id}")


def entry_of(lexicon: SlotLexicon, place: Place) -> SlotWord | None:
    """The entry of a word; lexicons do not agree on what is a proper noun."""
    kinds = (place.upos, *(upos for upos in NOUNS if place.upos in NOUNS and upos != place.upos))
    return next(filter(None, (lexicon.find(place.lemma, upos) for upos in kinds)), None)


def fitting(
    slot: Slot, lemmas: Iterable[str], lexicon: SlotLexicon | None, inflector: Inflector, most: int
) -> tuple[list[str], dict[str, str]]:
    """The first lemmas that a slot can take, `most` at most; and those before them that it can't, with the reasons.

    A lemma that the slot lexicon puts into another class than the replaced word does not fit.
    """
    entry = entry_of(lexicon, slot.place) if lexicon else None
    taken: list[str] = []
    refused: dict[str, str] = {}
    for lemma in lemmas:
        if len(taken) == most:
            break
        other = entry and lexicon and lexicon.find(lemma, entry.upos)
        if lemma == slot.place.lemma:
            continue
        if entry and other and entry.classes and other.classes and not fits(other, entry):
            refused[lemma] = f"its class is {' '.join(other.classes)}, not {' '.join(entry.classes)}"
            continue
        variant = slot.frame.realise(((slot.number, lemma),), inflector)
        if isinstance(variant, NotInflected):
            refused[lemma] = variant.reason
        else:
            taken.append(lemma)
    return taken, refused


_SHOWN_WORDS = 5


def frames_of(
    seeds: Iterable[Candidate],
    language: Language,
    inflector: Inflector,
    tree_of: Callable[[Candidate], Tree | None],
    keep: Sequence[str],
    stage: str,
) -> Iterator[Frame | Rejection]:
    """A frame for each seed, a Rejection for each whose sentences do not align and for each word that is no slot."""
    for seed in seeds:
        try:
            frame = frame_of(seed, language, inflector, tree_of(seed), keep)
        except MisalignedError as fault:
            yield seed.rejection(stage, f"the sentences do not align: {fault}", f"{seed.good} / {seed.bad}")
            continue
        for word, reason in frame.skipped:
            yield seed.rejection(stage, f"no slot: {reason}", f"{word}: {seed.good}")
        yield frame


def filled(
    frames: Sequence[Frame],
    proposer: Proposer,
    lexicon: SlotLexicon | None,
    inflector: Inflector,
    most: int,
    stage: str,
) -> Iterator[Slots | Rejection]:
    """The frames with the words for their slots, in order; a Rejection for what a proposer gave that does not fit.

    lexicon  whose classes the words must have; None where they don't matter
    most     words for a slot
    """
    slots = [Slot(frame, number) for frame in frames for number in frame.slots]
    words: dict[str, dict[int, list[str]]] = {frame.seed.id: {} for frame in frames}
    for slot, proposal in zip(slots, proposer.propose(slots), strict=True):
        seed = slot.frame.seed
        taken, refused = fitting(slot, proposal.lemmas, lexicon, inflector, most)
        if taken:
            words[seed.id][slot.number] = taken
        elif not refused:
            reason = proposal.reason or "no word is proposed"
            yield seed.rejection(stage, f"no words: {reason}", f"{slot.place.good.text}: {seed.good}")
        for reason, count in Counter(refused.values()).items():
            shown = ", ".join([lemma for lemma, why in refused.items() if why == reason][:_SHOWN_WORDS])
            more = ", …" if count > _SHOWN_WORDS else ""
            yield seed.rejection(stage, f"words refused: {reason}", f"{slot.place.good.text}: {shown}{more}")
    yield from (Slots(frame, words[frame.seed.id]) for frame in frames if words[frame.seed.id])
