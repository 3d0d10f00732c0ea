"""Feature bundles in the names of Universal Dependencies, such as `Case=Gen|Number=Plur`."""

import re
from collections.abc import Iterable
from typing import NamedTuple

Features = frozenset[tuple[str, str]]
"""Feature names with their values. A name occurs once; its values together are one value, as in `PronType=Int,Rel`."""

NO_FEATURES: Features = frozenset()

_FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")


def parse_features(text: str) -> Features:
    """Read a bundle as CoNLL-U writes it; `_` and "" are the empty one. Raises ValueError, naming the faulty part."""
    if text.strip() in ("", "_"):
        return NO_FEATURES
    features: dict[str, str] = {}
    for part in text.split("|"):
        match = _FEATURE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"'{part.strip()}' is no feature; write Name=Value, such as Case=Gen")
        if match[1] in features:
            raise ValueError(f"'{match[1]}' stands twice")
        features[match[1]] = match[2]
    return frozenset(features.items())


def show_features(features: Iterable[tuple[str, str]]) -> str:
    """Write a bundle as CoNLL-U does: sorted by name without regard to case, `_` where it is empty."""
    return "|".join(f"{name}={value}" for name, value in sorted(features, key=lambda item: item[0].lower())) or "_"


def override(features: Features, by: Features) -> Features:
    """The first bundle with the values of the second, which replace its own."""
    return frozenset((dict(features) | dict(by)).items())


class Demand(NamedTuple):
    """The features that the changed words of a good and of a bad sentence must have; empty without a demand."""

    good: Features
    bad: Features


def parse_demand(lines: Iterable[str]) -> Demand:
    """Read lines such as `good: Case=Gen` and `bad: Case=Nom|Number=Sing`. Raises ValueError, naming the line."""
    sides: dict[str, Features] = {}
    for line in lines:
        side, colon, bundle = line.partition(":")
        side = side.strip()
        if side not in ("good", "bad") or not colon or side in sides:
            raise ValueError(f"'{line}' is no demand; write one line a side, such as good: Case=Gen")
        sides[side] = parse_features(bundle)
    return Demand(sides.get("good", NO_FEATURES), sides.get("bad", NO_FEATURES))


def reverse_demand(lines: Iterable[str]) -> tuple[str, ...]:
    """A demand with its sides swapped. Lines that are no demand stay as they are: a check reports them."""
    lines = tuple(lines)
    try:
        good, bad = parse_demand(lines)
    except ValueError:
        return lines
    return show_demand(Demand(bad, good))


def show_demand(demand: Demand) -> tuple[str, ...]:
    """Write a demand as `parse_demand` reads it, without a side that has no features."""
    sides = (("good", demand.good), ("bad", demand.bad))
    return tuple(f"{side}: {show_features(features)}" for side, features in sides if features)
