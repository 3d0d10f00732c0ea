"""Seeds -> frames with the words that their slots can take; what can't be used is a Rejection."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from pairwright.generate.augment.frames import Frame, frame_of
from pairwright.generate.augment.growth import Slots
from pairwright.generate.augment.places import MisalignedError
from pairwright.generate.augment.proposers import Proposer, Slot, fitting
from pairwright.languages import Language
from pairwright.morphology.inflection import Inflector
from pairwright.morphology.slot_lexicon import SlotLexicon
from pairwright.records import Candidate, Rejection, Tree

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
