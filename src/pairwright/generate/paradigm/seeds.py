"""A seed: a pair whose sentences are cut into subject, object, verb and the words that go with the verb."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pairwright.generate.paradigm.frames import Frames
from pairwright.languages.features import Features
from pairwright.records import Candidate

Role = Literal["S", "O", "V", "rest", "leading"]


class Lexeme(NamedTuple):
    """What a word is a form of: its lemma, part of speech and features in its sentence."""

    lemma: str
    upos: str
    features: Features


class SeedWord(NamedTuple):
    """A word as the good and the bad sentence have it, written as inside of a sentence; empty where one lacks it.

    lexeme     None where nothing is known of it
    inflected  whether it changes where its constituent is inflected: the head, and the words that agree with it
    glued      whether no space comes before it, as before a comma
    """

    good: str
    bad: str
    lexeme: Lexeme | None = None
    inflected: bool = False
    glued: bool = False


class Constituent(NamedTuple):
    """Neighbouring words with one role.

    forms     what a person wrote for the whole constituent, by condition
    features  of a dropped subject: those of its pronoun
    coordinated  whether it has several heads, whose features are not its own
    """

    role: Role
    words: tuple[SeedWord, ...]
    forms: Mapping[str, str] = {}
    features: Features | None = None
    coordinated: bool = False


@dataclass(frozen=True)
class Seed:
    """A pair with its constituents in order, and the mark at its end.

    marked_up  a person wrote it, no treebank
    immovable  why its constituents can't change their places; empty where they can
    """

    pair: Candidate
    constituents: tuple[Constituent, ...]
    mark: str
    marked_up: bool = False
    immovable: str = ""
    frames: Frames = field(repr=False, default_factory=Frames)

    def of_role(self, *roles: Role) -> tuple[Constituent, ...]:
        """The constituents with these roles, in order."""
        return tuple(constituent for constituent in self.constituents if constituent.role in roles)

    @property
    def subject(self) -> Constituent:
        return self.of_role("S")[0]

    @property
    def verb(self) -> Constituent:
        return self.of_role("V")[0]


class Sentences(NamedTuple):
    """The good and the bad sentence."""

    good: str
    bad: str


def written(words: Iterable[SeedWord]) -> Sentences:
    """Words as they follow each other inside of a sentence."""
    listed = list(words)
    good, bad = (
        "".join(("" if word.glued else " ") + form for word, form in zip(listed, forms, strict=True) if form).strip()
        for forms in ([word.good for word in listed], [word.bad for word in listed])
    )
    return Sentences(good, bad)


def sentences(words: Iterable[SeedWord], mark: str, frames: Frames) -> Sentences:
    """Words as sentences, with a capital at the beginning and a mark at the end."""
    good, bad = (frames.capitalised(text) + mark for text in written(words))
    return Sentences(good, bad)
