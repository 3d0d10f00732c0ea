"""Feature bundles in the names of Universal Dependencies, such as `Case=Gen|Number=Plur`."""

import re
from collections.abc import Iterable
from typing import NamedTuple

Features = frozenset[tuple[str, str]]
"""Names with their values. A name stands once; several values of it stay one value, as in `PronType=Int,Rel`."""

NO_FEATURES: Features = frozenset()

_FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")


def parse_features(text: str) -> Features:
    """A bundle from the FEATS column of CoNLL-U; `_` and the empty text are the empty bundle.

    Raises ValueError, with the part that is wrong, where the text is no such bundle.
    """
    if text.strip() in ("", "_"):
        return NO_FEATURES
    found: dict[str, str] = {}
    for part in text.split("|"):
        match = _FEATURE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"'{part.strip()}' is no feature; write Name=Value, such as Case=Gen")
        if match[1] in found:
            raise ValueError(f"'{match[1]}' stands twice")
        found[match[1]] = match[2]
    return frozenset(found.items())


def show_features(features: Iterable[tuple[str, str]]) -> str:
    """A bundle as CoNLL-U writes it: sorted by name without regard to case, `_` where it is empty."""
    return "|".join(f"{name}={value}" for name, value in sorted(features, key=lambda item: item[0].lower())) or "_"


def override(features: Features, by: Features) -> Features:
    """The first bundle with the values of the second in place of its own."""
    return frozenset((dict(features) | dict(by)).items())


class Demand(NamedTuple):
    """The features that the changed words of a good and of a bad sentence must have; empty where nothing is said."""

    good: Features
    bad: Features


def parse_demand(lines: Iterable[str]) -> Demand:
    """A demand from a candidate's `features`: `good: Case=Gen`, `bad: Case=Nom|Number=Sing`.

    Raises ValueError, with the line that is wrong, where one says anything else.
    """
    sides: dict[str, Features] = {}
    for line in lines:
        side, colon, bundle = line.partition(":")
        side = side.strip()
        if side not in ("good", "bad") or not colon or side in sides:
            raise ValueError(f"'{line}' is no demand; write one line a side, such as good: Case=Gen")
        sides[side] = parse_features(bundle)
    return Demand(sides.get("good", NO_FEATURES), sides.get("bad", NO_FEATURES))


def reverse_demand(lines: Iterable[str]) -> tuple[str, ...]:
    """A demand turned round: what was demanded of the good sentence is demanded of the bad one, and the reverse.

    What is no demand stays as it is, for the check that says so.
    """
    told = tuple(lines)
    try:
        demand = parse_demand(told)
    except ValueError:
        return told
    return show_demand(Demand(demand.bad, demand.good))


def show_demand(demand: Demand) -> tuple[str, ...]:
    """A demand as `parse_demand` reads it; a side of which nothing is demanded is left out."""
    sides = (("good", demand.good), ("bad", demand.bad))
    return tuple(f"{side}: {show_features(features)}" for side, features in sides if features)
