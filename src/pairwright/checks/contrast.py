"""Checks of what tells the two sentences of a pair apart."""

from collections.abc import Iterator, Mapping

from rapidfuzz.distance import Levenshtein

from pairwright.checks.check import Context, Fault
from pairwright.checks.index import pair_sentence_key
from pairwright.config import CheckSettings
from pairwright.errors import ConfigError
from pairwright.records import Candidate, Rule
from pairwright.text import changes, nfc, words


def identical(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The two sentences are equal but for white space, the case of the first letter and the end punctuation."""
    if pair_sentence_key(candidate.good) == pair_sentence_key(candidate.bad):
        yield Fault("the good and the bad sentence are the same")


def not_minimal(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """More differing spans, or a larger share of changed words, than the limits of the rule allow.

    A sentence without words is left to the check for empty ones.
    """
    max_spans, max_share = limits(candidate, context.rules, context.settings)
    good, bad = nfc(candidate.good), nfc(candidate.bad)
    if not words(good) or not words(bad):
        return
    spans, share = len(changes(good, bad)), edit_share(good, bad)
    reasons = []
    if spans > max_spans:
        reasons.append(f"{spans} differing spans (limit {max_spans})")
    if share > max_share:
        reasons.append(f"{share:.2f} of the words changed (limit {max_share:.2f})")
    if reasons:
        yield Fault(" and ".join(reasons))


def wider_than_examples(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """More words differ than in any pair that the source itself gives for the rule."""
    rule = context.rules.get(candidate.rule_id)
    if rule is None or candidate.method == "source":
        return
    widest = max((word_distance(item.good, item.bad) for item in rule.examples if item.bad), default=None)
    differing = word_distance(candidate.good, candidate.bad)
    if widest is not None and differing > widest:
        yield Fault(f"{differing} words differ, and at most {widest} in the examples of the rule")


def word_distance(good: str, bad: str) -> int:
    """How many words differ: the Levenshtein distance in words, case ignored."""
    left, right = ([word.casefold() for word in words(nfc(sentence))] for sentence in (good, bad))
    return int(Levenshtein.distance(left, right))


def edit_share(good: str, bad: str) -> float:
    """The share of words that differ, 0-1: Levenshtein distance in words by the longer sentence's words, case ignored.

    Two sentences without words have a share of 0.
    """
    longer = max(len(words(nfc(sentence))) for sentence in (good, bad))
    return word_distance(good, bad) / longer if longer else 0.0


def limits(candidate: Candidate, rules: Mapping[str, Rule], settings: CheckSettings) -> tuple[int, float]:
    """The largest number of spans and share of words for a pair: of its rule, else of its source, else the general."""
    rule = rules.get(candidate.rule_id)
    code = rule.code if rule else candidate.rule_id
    max_spans, max_share = settings.max_spans, settings.max_edit_share
    for key in (candidate.source_id, f"{candidate.source_id}/{code}"):
        own = settings.limits.get(key)
        if own is not None:
            max_spans = own.max_spans if own.max_spans is not None else max_spans
            max_share = own.max_edit_share if own.max_edit_share is not None else max_share
    return max_spans, max_share


def verify_limits(rules: Mapping[str, Rule], settings: CheckSettings) -> None:
    """Raises ConfigError where a limit is set for a rule that a source at hand doesn't have."""
    codes = {(rule.source_id, rule.code) for rule in rules.values()}
    sources = {source for source, _ in codes}
    for key in settings.limits:
        source, slash, code = key.partition("/")
        if slash and source in sources and (source, code) not in codes:
            raise ConfigError(
                f"pairwright.toml: checks.limits: '{key}': source '{source}' has no rule with the code '{code}'; "
                f"write {source}/CODE with a code of its rules.jsonl, or '{source}' alone for all its rules"
            )
