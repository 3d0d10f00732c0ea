"""Checks of a pair against the pairs that passed before it, of its own source and of others."""

from collections.abc import Iterator

from pairwright.checks.check import Context, Fault
from pairwright.checks.index import Known, family, place_of
from pairwright.records import Candidate, Side


def same_pair(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair has the same two sentences."""
    known = context.index.pair(candidate.good, candidate.bad)
    if known:
        yield Fault(f"the same pair is {known.as_seen_from(candidate)}")


def swapped_pair(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair has the same two sentences the other way round."""
    known = context.index.pair(candidate.bad, candidate.good)
    if known and not context.index.pair(candidate.good, candidate.bad):
        yield Fault(f"good and bad are exchanged in {known.as_seen_from(candidate)}; one of the two is wrong")


def contradiction(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A sentence is good here and bad in an earlier pair, or the other way round."""
    if _known_whole(candidate, context):
        return
    if known := context.index.with_bad(candidate.good):
        yield Fault(
            f"the good sentence is the bad one of {known.as_seen_from(candidate)}", "good", (0, len(candidate.good))
        )
    if known := context.index.with_good(candidate.bad):
        yield Fault(
            f"the bad sentence is the good one of {known.as_seen_from(candidate)}", "bad", (0, len(candidate.bad))
        )


def same_bad_sentence(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair that this one wasn't derived from corrects the same bad sentence in another way."""
    known = context.index.with_bad(candidate.bad)
    if known and known.family != family(candidate) and not _known_whole(candidate, context):
        yield Fault(
            f"the bad sentence is also that of {known.as_seen_from(candidate)}, with another good one",
            "bad",
            (0, len(candidate.bad)),
        )


def copied_example(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A pair that was newly written has a sentence of the source's own examples, or of another source's pair.

    Pairs that are taken or made from the source's examples have them by right, and so have a reviewer's corrections.
    """
    if candidate.method not in ("llm", "manual") or candidate.parent_id is not None:
        return
    sentences: tuple[tuple[Side, str], ...] = (("good", candidate.good), ("bad", candidate.bad))
    for side, sentence in sentences:
        if there := context.index.example(sentence):
            yield Fault(
                f"the {side} sentence stands in {there.file or 'the source'} ({place_of(there)}) as an example",
                side,
                (0, len(sentence)),
            )
        elif (known := context.index.with_good(sentence) or context.index.with_bad(sentence)) and (
            known.source_id != candidate.source_id and not _known_whole(candidate, context)
        ):
            yield Fault(f"the {side} sentence stands in {known.as_seen_from(candidate)}", side, (0, len(sentence)))


def _known_whole(candidate: Candidate, context: Context) -> Known | None:
    index = context.index
    return index.pair(candidate.good, candidate.bad) or index.pair(candidate.bad, candidate.good)
