"""Checks of a pair against the pairs that passed before it, of its own source and of others."""

from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, pair_check
from pairwright.checks.index import IndexedPair, place_of
from pairwright.records import Candidate, Side


@pair_check("duplicate-pair", "error")
def same_pair(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair has the same two sentences; a reviewer's correction is no duplicate of what it corrects."""
    earlier = context.index.pair(candidate.good, candidate.bad)
    if earlier and not _corrects(candidate, earlier, context):
        yield Fault(f"the same pair is {earlier.as_seen_from(candidate)}")


@pair_check("duplicate-swapped", "error")
def swapped_pair(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair has the same two sentences the other way round."""
    earlier = context.index.pair(candidate.bad, candidate.good)
    if earlier and not context.index.pair(candidate.good, candidate.bad) and not _corrects(candidate, earlier, context):
        yield Fault(f"good and bad are exchanged in {earlier.as_seen_from(candidate)}; one of the two is wrong")


@pair_check("contradiction", "warning")
def contradiction(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A sentence is good in this pair and bad in an earlier one, or the other way round."""
    if not _same_sentences(candidate, context):
        if earlier := context.index.pair(bad=candidate.good):
            yield _fault(candidate, "good", f"is the bad one of {earlier.as_seen_from(candidate)}")
        if earlier := context.index.pair(good=candidate.bad):
            yield _fault(candidate, "bad", f"is the good one of {earlier.as_seen_from(candidate)}")


@pair_check("duplicate-bad-sentence", "info")
def same_bad_sentence(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair that this one was not derived from corrects the same bad sentence in another way."""
    earlier = context.index.pair(bad=candidate.bad)
    if earlier and earlier.family != context.index.family(candidate) and not _same_sentences(candidate, context):
        yield _fault(candidate, "bad", f"is also that of {earlier.as_seen_from(candidate)}, with another good one")


@pair_check("duplicate-example", "error")
def copied_example(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A sentence of a newly written pair stands among the source's own examples, or in a pair of another source."""
    # Pairs that come from the source's examples may have their sentences, and so may reviewers' corrections.
    if candidate.method not in ("llm", "manual") or candidate.parent_id is not None:
        return
    sentences: tuple[tuple[Side, str], ...] = (("good", candidate.good), ("bad", candidate.bad))
    # The good sentence of a grounded pair is meant to be attested.
    for side, sentence in sentences[bool(candidate.attested_ids) :]:
        if example := context.index.example(sentence):
            place = f"{example.file or 'the source'} ({place_of(example)})"
            yield _fault(candidate, side, f"stands in {place} as an example")
        elif (earlier := context.index.pair(good=sentence) or context.index.pair(bad=sentence)) and (
            earlier.source_id != candidate.source_id and not _same_sentences(candidate, context)
        ):
            yield _fault(candidate, side, f"stands in {earlier.as_seen_from(candidate)}")


def _corrects(candidate: Candidate, earlier: IndexedPair, context: Context) -> bool:
    """Whether a reviewer made the pair by correcting the earlier one, or another of the same family."""
    is_correction = candidate.method == "manual" and candidate.parent_id is not None
    return is_correction and earlier.family == context.index.family(candidate)


def _fault(candidate: Candidate, side: Side, message: str) -> Fault:
    sentence = candidate.good if side == "good" else candidate.bad
    return Fault(f"the {side} sentence {message}", side, (0, len(sentence)))


def _same_sentences(candidate: Candidate, context: Context) -> IndexedPair | None:
    """An earlier pair with the same two sentences, either way round."""
    good, bad = candidate.good, candidate.bad
    return context.index.pair(good, bad) or context.index.pair(bad, good)
