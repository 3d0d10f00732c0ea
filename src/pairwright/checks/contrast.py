"""Checks of what tells the two sentences of a pair apart."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from pairwright.checks.check import Context, Fault, IndexedPair, pair_check, pair_sentence_key, place_of
from pairwright.core.config import CheckSettings
from pairwright.core.errors import ConfigError, counted
from pairwright.core.records import Candidate, Rule, Side
from pairwright.core.text import nfc, words
from pairwright.languages.linguistics.edits import changes


@pair_check("contrast-identical", "error")
def identical(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The two sentences are the same but for white space, the case of the first letter and the end punctuation."""
    if pair_sentence_key(candidate.good) == pair_sentence_key(candidate.bad):
        yield Fault("the good and the bad sentence are the same")


@pair_check("contrast-not-minimal", "warning")
def not_minimal(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The pair has more differing spans, or a larger share of changed words, than its rule, its source or the general
    setting allows."""
    max_spans, max_share = limits(candidate, context.rules, context.settings)
    good, bad = nfc(candidate.good), nfc(candidate.bad)
    if words(good) and words(bad):
        spans, share = len(changes(good, bad)), edit_share(good, bad)
        reasons = [f"{spans} differing spans (limit {max_spans})"] if spans > max_spans else []
        reasons += [f"{share:.2f} of the words changed (limit {max_share:.2f})"] if share > max_share else []
        if reasons:
            yield Fault(" and ".join(reasons))


@pair_check("contrast-wider", "warning")
def wider_than_examples(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """More words differ than in any pair that the source itself gives for the rule."""
    rule = context.rules.get(candidate.rule_id)
    if rule is None or candidate.method == "source":
        return
    widest = max((word_distance(item.good, item.bad) for item in rule.examples if item.bad), default=None)
    differing = word_distance(candidate.good, candidate.bad)
    if widest is not None and differing > widest:
        yield Fault(f"{counted(differing, 'word')} differ, and at most {widest} in the examples of the rule")


@lru_cache(10_000)
def word_distance(good: str, bad: str) -> int:
    """How many words differ: the Levenshtein distance in words, case ignored."""
    left, right = ([word.casefold() for word in words(nfc(sentence))] for sentence in (good, bad))
    return int(Levenshtein.distance(left, right))


def edit_share(good: str, bad: str) -> float:
    """The share of words that differ, 0-1: Levenshtein distance in words by the longer sentence's words, case ignored.

    It is 0 if neither sentence has words.
    """
    longer = max(len(words(nfc(sentence))) for sentence in (good, bad))
    return word_distance(good, bad) / longer if longer else 0.0


def limits(candidate: Candidate, rules: Mapping[str, Rule], settings: CheckSettings) -> tuple[int, float]:
    """The most spans and the largest share of words for a pair: of its rule, else of its source, else in general."""
    rule = rules.get(candidate.rule_id)
    code = rule.code if rule else candidate.rule_id
    max_spans, max_share = settings.max_spans, settings.max_edit_share
    for key in (candidate.source_id, f"{candidate.source_id}/{code}"):
        if own := settings.limits.get(key):
            max_spans = own.max_spans or max_spans
            max_share = own.max_edit_share or max_share
    return max_spans, max_share


def verify_limits(rules: Mapping[str, Rule], settings: CheckSettings) -> None:
    """Raises ConfigError if a limit is set for a rule that one of these sources doesn't have."""
    codes = {(rule.source_id, rule.code) for rule in rules.values()}
    sources = {source for source, _ in codes}
    for key in settings.limits:
        source, slash, code = key.partition("/")
        if slash and source in sources and (source, code) not in codes:
            raise ConfigError(
                f"pairwright.toml: checks.limits: '{key}': source '{source}' has no rule with the code '{code}'; "
                f"write {source}/CODE with a code of its rules.jsonl, or '{source}' alone for all its rules"
            )


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
    """A sentence of a newly written pair is one of the source's own examples, or in a pair of another source."""
    # Pairs that come from the source's examples may have their sentences, and so may reviewers' corrections.
    if candidate.method not in ("llm", "manual") or candidate.parent_id is not None:
        return
    sentences: tuple[tuple[Side, str], ...] = (("good", candidate.good), ("bad", candidate.bad))
    # The good sentence of a grounded pair is meant to be attested, and the bad one may be what the source stars.
    is_grounded = bool(candidate.attested_ids)
    for side, sentence in sentences[is_grounded:]:
        if example := context.index.example(sentence, starred=not is_grounded):
            place = f"{example.file or 'the source'} ({place_of(example)})"
            yield _fault(candidate, side, f"is in {place} as an example")
        elif (earlier := context.index.pair(good=sentence) or context.index.pair(bad=sentence)) and (
            earlier.source_id != candidate.source_id and not _same_sentences(candidate, context)
        ):
            yield _fault(candidate, side, f"is in {earlier.as_seen_from(candidate)}")


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
