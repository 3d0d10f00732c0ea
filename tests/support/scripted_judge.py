"""A judge of pairs for scripted servers: it knows which sentences are right."""

import re
from collections.abc import Container
from typing import Any

_PAIR = re.compile(r"pair (\d+), of rule \d+\nA: (.*)\nB: (.*)")


def pairs_in(words: str) -> list[tuple[str, str, str]]:
    """The number and the sentences A and B of the pairs that a request asks about."""
    return _PAIR.findall(words)


def pair_entry(number: str, a: str, right: Container[str], **changed: Any) -> dict[str, Any]:
    """What a judge says of a pair if the sentence shown as A is right or wrong."""
    entry = {
        "id": number,
        "change": "one ending",
        "decided_by": "language",
        "only_change": True,
        "a_grammatical": a in right,
        "b_grammatical": a not in right,
        "breaks_rule": "B" if a in right else "A",
        "instance": True,
        "reading": "",
        "reading_natural": False,
        "score": 9,
        "reason": "The other form is wrong.",
    }
    return entry | changed


def pair_answer(words: str, right: Container[str], **changed: Any) -> dict[str, Any]:
    """The whole answer of a judge that accepts every pair with one of the right sentences."""
    entries = [pair_entry(number, a, right, **changed) for number, a, _ in pairs_in(words)]
    return {"judgements": entries}
