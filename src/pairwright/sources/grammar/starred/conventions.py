"""What a book means by its marks, its morpheme signs and the words around its examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from re import Pattern

from pairwright.core.records import MarkMeaning, Source
from pairwright.core.text import word_pattern
from pairwright.languages import BOUNDARIES, Language, load_language
from pairwright.languages.linguistics.marks import DISPUTED, MEANINGS, WEAK, meaning, plain_mark, split_mark


class ProseWords:
    """The words by which a grammar's prose speaks of examples, as patterns over all languages that it is written in."""

    def __init__(self, languages: Sequence[Language]) -> None:
        def pattern(name: str) -> Pattern[str]:
            return word_pattern(*(word for language in languages for word in getattr(language.examples, name)))

        self.contrasts, self.refusals, self.history = pattern("contrasts"), pattern("refusals"), pattern("history")
        self.references, self.comparisons = pattern("references"), pattern("comparisons")
        self.intended = pattern("intended")
        self.abbreviations = frozenset(word.casefold() for language in languages for word in language.abbreviations)


@dataclass(frozen=True)
class Conventions:
    """How a book gives its examples.

    languages   that its prose is written in; English where none is given
    boundaries  the signs between morphemes, as in `Language.boundaries`
    marks       what its acceptability marks mean, where that differs from the usual, as in `Source.marks`
    """

    languages: tuple[Language, ...] = ()
    boundaries: str = BOUNDARIES
    marks: Mapping[str, MarkMeaning] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Source, workspace: Path | None = None) -> "Conventions":
        """Those of a source. Raises ConfigError where the file of one of its languages has a fault."""
        languages = tuple(load_language(code, workspace) for code in source.written_in)
        return cls(languages, load_language(source.language, workspace).boundaries, dict(source.marks))

    @cached_property
    def prose(self) -> ProseWords:
        return ProseWords(self.languages or (load_language("en"),))

    def split_mark(self, text: str) -> tuple[str, str]:
        """The mark at the beginning of a text, empty where there is none, and the text behind it."""
        own = (mark for mark in sorted(self.marks, key=len, reverse=True) if mark not in MEANINGS)
        for mark in own:
            rest = text.removeprefix(mark)
            if rest != text and rest[:1].strip():
                return mark, rest
        return split_mark(text)

    def meaning(self, mark: str) -> MarkMeaning:
        """What a mark says of its form."""
        return meaning(mark, self.marks)

    def why_no_pair(self, mark: str) -> str:
        """The reason for which a form with a mark that does not call it bad makes no pair by itself."""
        if mark == DISPUTED:
            return "the source's speakers differ about it"
        plain = plain_mark(mark)
        if plain in WEAK and plain not in self.marks:
            return WEAK[plain]
        return f"marked '{plain}': {'doubtful' if self.meaning(mark) == 'doubtful' else 'not ungrammatical'}"
