"""The meaning of a dictionary's or inflection table's tags, in the names of Universal Dependencies."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from pairwright.core.config import Settings
from pairwright.languages.features import NO_FEATURES, Features, override, parse_features

UPOS = frozenset(
    {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"}
    | {"SCONJ", "SYM", "VERB", "X"}
)
"""The parts of speech of Universal Dependencies 2."""

# The fields of hunspell(5) for grammar; the others are about spelling, sound or derivation.
_FIELDS = ("po", "is", "ts", "ip", "tp")
_FIELD = re.compile(r"([a-z]{2}):(\S*)")


class Tagset(Settings):
    """A tagset. `separator` stands between the parts of a tag, each of which has its meaning; None where a tag is one.

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
