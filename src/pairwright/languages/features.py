"""Feature bundles in the names of Universal Dependencies, such as `Case=Gen|Number=Plur`, and what tags mean."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from pairwright.core.config import Settings

Features = frozenset[tuple[str, str]]
"""Feature names with their values. A name occurs once; its values together are one value, as in `PronType=Int,Rel`."""

NO_FEATURES: Features = frozenset()

UPOS = frozenset(
    {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"}
    | {"SCONJ", "SYM", "VERB", "X"}
)
"""The parts of speech of Universal Dependencies 2."""

# The fields of hunspell(5) for grammar; the others are about spelling, sound or derivation.
_FIELDS = ("po", "is", "ts", "ip", "tp")
_FIELD = re.compile(r"([a-z]{2}):(\S*)")

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


def show_demand(demand: Demand) -> tuple[str, ...]:
    """Write a demand as `parse_demand` reads it, without a side that has no features."""
    sides = (("good", demand.good), ("bad", demand.bad))
    return tuple(f"{side}: {show_features(features)}" for side, features in sides if features)


class Tagset(Settings):
    """The meaning of a dictionary's or inflection table's tags.

    separator        stands between the parts of a tag, each of which has its meaning; None where a tag is one
    parts_of_speech  `noun = "NOUN"`, or with features that every such word has: `noun_name = "PROPN NameType=Giv"`
    features         `Gen = "Case=Gen"`; empty for what has no name in Universal Dependencies

    Where two parts of a tag name the same feature, the later one wins.
    """

    title: str
    separator: Annotated[str, Field(min_length=1)] | None = None
    parts_of_speech: dict[str, str]
    features: dict[str, str]

    @field_validator("parts_of_speech", "features")
    @classmethod
    def _readable(cls, meanings: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        for meaning in meanings.values():
            upos, _, features = meaning.partition(" ") if info.field_name == "parts_of_speech" else ("X", "", meaning)
            if upos not in UPOS:
                raise ValueError(f"'{upos}' is no part of speech of Universal Dependencies")
            parse_features(features)
        return meanings

    def meaning(self, *tags: str) -> tuple[str | None, Features]:
        """The part of speech and the features of tags, such as `po:noun is:Masc_Sg`. Unknown parts add nothing."""
        upos: str | None = None
        features = NO_FEATURES
        for part in chain.from_iterable(map(self._parts, tags)):
            if upos is None and part in self.parts_of_speech:
                upos, _, own = self.parts_of_speech[part].partition(" ")
                # The features of a part of speech are defaults.
                features = override(parse_features(own), features)
            else:
                features = override(features, parse_features(self.features.get(part, "")))
        return upos, features

    def is_part_of_speech(self, tag: str) -> bool:
        """Whether a tag gives a part of speech."""
        return any(part in self.parts_of_speech for part in self._parts(tag))

    def unknown(self, tag: str) -> list[str]:
        """The parts of a tag to which the tagset gives no meaning."""
        return [part for part in self._parts(tag) if part not in self.parts_of_speech and part not in self.features]

    def _parts(self, tag: str) -> Iterator[str]:
        fields = _FIELD.findall(tag)
        for value in [value for name, value in fields if name in _FIELDS] if fields else [tag]:
            whole = value in self.parts_of_speech or value in self.features
            yield from [value] if whole or not self.separator else filter(None, value.split(self.separator))
