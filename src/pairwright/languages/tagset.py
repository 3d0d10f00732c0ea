"""What the tags of a dictionary or an inflection table mean, in the names of Universal Dependencies."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, field_validator

from pairwright.config import Settings
from pairwright.languages.features import NO_FEATURES, Features, override, parse_features

UPOS = frozenset(
    {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT"}
    | {"SCONJ", "SYM", "VERB", "X"}
)
"""The parts of speech of Universal Dependencies 2."""

# The fields of hunspell(5) that say what a form is; the others say how it is written, sounds or came to be.
_FIELDS = ("po", "is", "ts", "ip", "tp")
_FIELD = re.compile(r"([a-z]{2}):(\S*)")


class Tagset(Settings):
    """A tagset: `separator` stands between the parts of a tag, and each part has its meaning.

    parts_of_speech  `noun = "NOUN"`, or with features that every such word has: `noun_name = "PROPN NameType=Giv"`
    features         `Gen = "Case=Gen"`; an empty meaning is for what has no name in Universal Dependencies

    A later part of a tag overrides what an earlier one said of the same feature.
    """

    title: str
    separator: Annotated[str, Field(min_length=1)]
    parts_of_speech: dict[str, str]
    features: dict[str, str]

    @field_validator("parts_of_speech")
    @classmethod
    def _readable_parts_of_speech(cls, meanings: dict[str, str]) -> dict[str, str]:
        for meaning in meanings.values():
            upos, features = _part_of_speech(meaning)
            if upos not in UPOS:
                raise ValueError(f"'{upos}' is no part of speech of Universal Dependencies")
            parse_features(features)
        return meanings

    @field_validator("features")
    @classmethod
    def _readable_features(cls, meanings: dict[str, str]) -> dict[str, str]:
        for meaning in meanings.values():
            parse_features(meaning)
        return meanings

    def meaning(self, tag: str) -> tuple[str | None, Features]:
        """Part of speech and features of a tag: fields such as `po:noun is:Masc_Sg`, or parts such as `N;GEN;SG`.

        What the tagset doesn't know adds nothing; `unknown` names it.
        """
        upos: str | None = None
        features = NO_FEATURES
        for part in self._parts(tag):
            if upos is None and part in self.parts_of_speech:
                upos, own = _part_of_speech(self.parts_of_speech[part])
                # A part of speech says what its words are unless their tag says something else.
                features = override(parse_features(own), features)
            else:
                features = override(features, parse_features(self.features.get(part, "")))
        return upos, features

    def unknown(self, tag: str) -> list[str]:
        """The parts of a tag to which the tagset gives no meaning."""
        return [part for part in self._parts(tag) if part not in self.parts_of_speech and part not in self.features]

    def _parts(self, tag: str) -> Iterator[str]:
        fields = _FIELD.findall(tag)
        values = [value for name, value in fields if name in _FIELDS] if fields else [tag]
        for value in values:
            if value in self.parts_of_speech or value in self.features:
                yield value
            else:
                yield from filter(None, value.split(self.separator))


def _part_of_speech(meaning: str) -> tuple[str, str]:
    upos, _, features = meaning.partition(" ")
    return upos, features
