"""The headwords under which a source lists the examples of a rule, and the words that they stand for."""

import re
from collections.abc import Sequence
from typing import TypeVar

from pairwright.core.records import Example, Rule
from pairwright.core.text import words

T = TypeVar("T")

# "(pa)siekti", "mokyti(s)": brackets that touch a word. More of them than any headword has are left as they are.
_OPTIONAL = re.compile(r"[(\[]([^()\[\]\s]*)[)\]](?=\w)|(?<=\w)[(\[]([^()\[\]\s]*)[)\]]")
_MOST_OPTIONAL = 4


def headword_examples(rule: Rule) -> list[Example]:
    """The first pair under each headword of a rule, in the order of the source; none where it has no headwords."""
    firsts: dict[str, Example] = {}
    for example in rule.examples:
        if example.entry and example.bad and example.default and not example.exception:
            firsts.setdefault(example.entry, example)
    return list(firsts.values())


def window(items: Sequence[T], start: int, size: int) -> list[T]:
    """So many items from a place on, going round at the end, each once."""
    return [items[(start + offset) % len(items)] for offset in range(min(size, len(items)))]


def named_words(entry: str) -> list[str]:
    """The words of a headword, those with brackets in each of their forms: `(pa)siekti` is `pasiekti` and `siekti`."""
    spellings = [entry]
    for _ in range(_MOST_OPTIONAL):
        spellings = [other for spelling in spellings for other in _without_bracket(spelling)]
    return list(dict.fromkeys(word for spelling in spellings for word in words(spelling)))


def _without_bracket(entry: str) -> list[str]:
    """A headword with the content of its first optional part and without it; as it is where it has none."""
    part = _OPTIONAL.search(entry)
    if part is None:
        return [entry]
    before, after = entry[: part.start()], entry[part.end() :]
    return [f"{before}{part[1] or part[2] or ''}{after}", f"{before}{after}"]
