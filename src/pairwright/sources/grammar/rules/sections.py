"""A grammar's sections, and which of them state rules of syntax and morphology."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby
from typing import NamedTuple

from pairwright.core.config import SectionPatterns
from pairwright.core.records import Block
from pairwright.core.text import squeeze, word_pattern, words
from pairwright.languages import Language

# A heading's number: `3.1.1`, `§ 12`, `IV.`, `A.2`.
_NUMBER = re.compile(r"^(?:§+\s*)?(?P<number>(?:\d+|[A-Z]|[IVXLC]+)(?:\.\d+)*)[.)]?\s+(?=\S)")


@dataclass(frozen=True)
class GrammarSection:
    """The blocks below one heading, up to the next one. `path` is the headings above, outermost first."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        """The headings joined by ` > `."""
        return " > ".join(self.path) or "(before the first heading)"

    def excerpt(self, length: int) -> str:
        """The beginning of the text in one line, up to so many characters."""
        text = squeeze(" ".join(block.text[:1000] for block in self.blocks[:5]))
        return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


def section_number(path: Sequence[str]) -> str:
    """The number of the innermost heading that has one, such as `3.1.1`; empty where none has."""
    return next((match["number"] for heading in reversed(path) if (match := _NUMBER.match(heading))), "")


class Inclusion(NamedTuple):
    """Whether a section is read, and why; `included` is None where its headings don't say."""

    included: bool | None
    reason: str


def split_sections(blocks: Iterable[Block]) -> list[GrammarSection]:
    """The sections of a document, in order. Headings appear only in the paths."""
    text = (block for block in blocks if block.kind != "heading")
    return [GrammarSection(path, tuple(group)) for path, group in groupby(text, key=lambda block: block.section)]


def inclusion_of(section: GrammarSection, patterns: SectionPatterns, prose: Sequence[Language]) -> Inclusion:
    """Whether a section states rules of syntax or morphology, by the user's patterns and the words of its headings.

    The innermost heading that says something in one of the languages of the `prose` decides. A bibliography and the
    like, with all that stands under it, is never read.
    """
    for included, globs in ((True, patterns.include), (False, patterns.exclude)):
        if matching := next((glob for glob in globs if _matches(glob, section.path)), None):
            return Inclusion(included, f"'{matching}' is among the {'included' if included else 'excluded'} sections")
    headings = [" ".join(words(_NUMBER.sub("", squeeze(heading)).casefold())) for heading in section.path]
    apart = [word for language in prose for word in language.sections.apart]
    telling = [(word, True) for language in prose for word in language.sections.grammar]
    telling += [(word, False) for language in prose for word in language.sections.other]
    deciding = [(word, False) for heading in headings for word in apart if _stands_at_an_end(word, heading)]
    for heading in reversed(headings):
        deciding += [(word, included) for word, included in telling if word_pattern(word.casefold()).search(heading)]
    if not deciding:
        return Inclusion(None, "its headings don't say")
    return Inclusion(deciding[0][1], f"'{deciding[0][0].removesuffix('*')}' is in its heading")


def sections_left_out(
    blocks: Iterable[Block], patterns: SectionPatterns, prose: Sequence[Language]
) -> dict[tuple[str, ...], str]:
    """The sections that are not read, by the headings over them, each with the reason."""
    found = {section.path: inclusion_of(section, patterns, prose) for section in split_sections(blocks)}
    return {
        path: f"its section is not read: {reason}" for path, (included, reason) in found.items() if included is False
    }


def _matches(glob: str, path: tuple[str, ...]) -> bool:
    texts = [squeeze(text).casefold() for text in (*path, " > ".join(path))]
    return any(fnmatchcase(text, squeeze(glob).casefold()) for text in texts)


def _stands_at_an_end(word: str, heading: str) -> bool:
    """Whether a heading begins or ends with a word: `References`, `Name index`."""
    spans = (match.span() for match in word_pattern(word.casefold()).finditer(heading))
    return any(start == 0 or end == len(heading) for start, end in spans)
