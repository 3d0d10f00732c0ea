"""Feature bundles in the names of Universal Dependencies, such as `Case=Gen|Number=Plur`."""

import re
from collections.abc import Iterable

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
