"""How a rule is described to language models, whether they write pairs for it or judge them."""

from collections.abc import Container, Iterable, Iterator, Sequence

from pairwright.core.errors import one_line
from pairwright.core.records import Example, Rule
from pairwright.core.records.rules import Licence
from pairwright.core.text import comparison_key
from pairwright.languages.features import NO_FEATURES, Demand, parse_demand, show_features

_LONGEST_QUOTE = 600
# Of what a grammar says beside a rule, in characters: of one rule, and of all.
_LONGEST_RULE, _LONGEST_BESIDE = 240, 3000
_LICENCES: dict[Licence, str] = {
    "banned": "The source rules the bad sentence out.",
    "obligatory": "The source states the rule, and that the bad sentence is wrong follows from it.",
    "none": "The source rules nothing out.",
}


def describe_rule(rule: Rule) -> str:
    """A rule in the words of its source, one thing per line, without its examples."""
    lines = [rule.title, rule.description]
    if not any(_stands_in(sentence, rule.quote) for sentence in example_sentences(rule.examples)):
        quote = rule.quote.removeprefix(rule.code).lstrip(".) ")
        lines.append(quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE]} …")
    # Of a rule that a language model stated, the notes say what became of its answers.
    lines += () if rule.asked else rule.notes
    if rule.contrast:
        lines.append(_LICENCES[rule.contrast.licence])
        if rule.contrast.support is None:
            lines.append(f"What the good sentence has and the bad one has not: {rule.contrast.what}")
    lines.append(_demand_in_words(demanded_features(rule)))
    lines += [f"The rule does not hold here: {words}" for words in rule.exceptions]
    lines = list({comparison_key(line): line.strip() for line in reversed(lines) if line.strip()}.values())[::-1]
    # A title is often the beginning of the description.
    return "\n".join(line for line in lines if not any(line != other and _stands_in(line, other) for other in lines))


def rules_beside(stated: Sequence[Rule], rules: Iterable[Rule]) -> str:
    """What a grammar says beside some rules, a line a rule: by it, what breaks them may be good after all.

    Those come first that require nothing, as they permit, then those that share words or labels with one of them, then
    those nearest in the book; what is too much is left out.
    """
    own = {rule.id: {*rule.words, *rule.labels} for rule in stated}

    def distance(other: Rule) -> tuple[bool, int, int]:
        shared = max(len(about.intersection((*other.words, *other.labels))) for about in own.values())
        sections = (zip(rule.section, other.section, strict=False) for rule in stated)
        requires = other.contrast is not None and other.contrast.licensed
        return requires, -shared, -max(sum(one == two for one, two in pairs) for pairs in sections)

    lines, left = list[str](), _LONGEST_BESIDE
    for other in sorted((it for it in rules if it.asked and it.id not in own), key=distance):
        lines.append(f"- {one_line(other.description, _LONGEST_RULE)}")
        left -= len(lines[-1])
        if left < 0:
            break
    return "\n".join(lines)


def feature_demand(rule: Rule) -> Demand:
    """The demand of a rule; an empty one where its lines can't be read."""
    try:
        return parse_demand(demanded_features(rule))
    except ValueError:
        return Demand(NO_FEATURES, NO_FEATURES)


def _demand_in_words(lines: tuple[str, ...]) -> str:
    """A demand as an instruction; lines that are none stay as they are."""
    try:
        good, bad = parse_demand(lines)
    except ValueError:
        return f"The changed words: {'; '.join(lines)}"
    sides = [f"{show_features(side)} in the {name} sentence" for name, side in (("good", good), ("bad", bad)) if side]
    return f"The changed words are {' and '.join(sides)}; all else stays." if sides else ""


def demanded_features(rule: Rule) -> tuple[str, ...]:
    """The features that the rule demands of the changed words."""
    return rule.contrast.features if rule.contrast else ()


def examples_shown(rule: Rule, most: int, without: Container[str] = ()) -> list[Example]:
    """The first `most` examples of a rule, those with two sentences before those with one, and no exceptions.

    without  leave out the examples that have a sentence with one of these comparison keys
    """
    fitting = [
        example
        for example in rule.examples
        if example.default
        and not example.exception
        and not any(comparison_key(sentence) in without for sentence in example_sentences([example]))
    ]
    return sorted(fitting, key=lambda example: example.bad is None)[:most]


def example_sentences(examples: Iterable[Example]) -> Iterator[str]:
    """All sentences of examples: good ones, bad ones, and other corrections."""
    for example in examples:
        yield from filter(None, (example.good, example.bad, *example.alternatives))


def show_example(good: str, bad: str | None = None, translation: str | None = None) -> str:
    """An example as a prompt shows it, one sentence per line."""
    lines = [f"good: {good}", f"bad: {bad}" if bad else "", f"translation: {translation}" if translation else ""]
    return "\n".join(filter(None, lines))


def _stands_in(sentence: str, text: str) -> bool:
    return f" {comparison_key(sentence)} " in f" {comparison_key(text)} "
