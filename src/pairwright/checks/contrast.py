"""Checks of what tells the two sentences of a pair apart."""

from collections.abc import Iterator, Mapping

from rapidfuzz.distance import Levenshtein

from pairwright.checks.check import Context, Fault, pair_check
from pairwright.checks.index import pair_sentence_key
from pairwright.config import CheckSettings
from pairwright.errors import ConfigError, counted
from pairwright.languages.linguistics.edits import changes
from pairwright.records import Candidate, Rule
from pairwright.text import nfc, words


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
