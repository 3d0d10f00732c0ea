"""Variants of an acceptable sentence: `Pone daktare / Ponas daktare, čia jūsų eilė.` are two sentences."""

import re

from pairwright.rules.error_lists.alignment import similarity


def variants(sentence: str) -> list[str]:
    """The sentences that a sentence with ` / ` stands for, in order; the sentence itself where it has no such stroke
    or the words around it don't answer each other."""
    left, stroke, right = sentence.partition(" / ")
    if not stroke:
        return [sentence]
    before, after = left.split(), right.split()
    for size in range(min(len(before), len(after)), 0, -1):
        first, second = before[-size:], after[:size]
        alike = [similarity(_bare(a), _bare(b)) >= 0.9 for a, b in zip(first, second, strict=True)]
        capitals = first[0][0].isupper() == second[0][0].isupper()
        if capitals and alike[0] and sum(alike) * 2 >= size:
            mark = re.search(r"[^\w]*$", second[-1])
            tail = (mark.group() if mark else "", *after[size:])
            opening = before[:-size]
            chosen = " ".join([*opening, *first]) + " ".join(tail[:1]) + "".join(f" {word}" for word in tail[1:])
            other = " ".join([*opening, *after])
            return [chosen, other]
    return [sentence]


def _bare(word: str) -> str:
    return re.sub(r"^\W+|\W+$", "", word) or word
