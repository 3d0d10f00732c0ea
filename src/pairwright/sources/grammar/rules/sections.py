"""A grammar's sections, and which of them state rules of syntax and morphology."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby

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


def section_number(path: Sequence[str]) -> str:
    """The number of the innermost heading that has one, such as `3.1.1`; empty where none has."""
    return next((match["number"] for heading in reversed(path) if (match := _NUMBER.match(heading))), "")


def split_sections(blocks: Iterable[Block]) -> list[GrammarSection]:
    """The sections of a document, in order. Headings appear only in the paths."""
    text = (block for block in blocks if block.kind != "heading")
    return [GrammarSection(path, tuple(group)) for path, group in groupby(text, key=lambda block: block.section)]


def why_left_out(path: Sequence[str], patterns: SectionPatterns, prose: Sequence[Language]) -> str:
    """Why a section states no rules of syntax or morphology, by the user's patterns and the words of its headings.

    The innermost heading that says something in one of the languages of the `prose` decides; where none does, the
    section is read, and there is no reason. A bibliography and the like, with all that stands under it, is never read.
    """
    if any(_matches(glob, path) for glob in patterns.include):
        return ""
    if matching := next((glob for glob in patterns.exclude if _matches(glob, path)), None):
        return f"'{matching}' is among the excluded sections"
    headings = [" ".join(words(_NUMBER.sub("", squeeze(heading)).casefold())) for heading in path]
    apart = [word for language in prose for word in language.sections.apart]
    telling = [(word, True) for language in prose for word in language.sections.grammar]
    telling += [(word, False) for language in prose for word in language.sections.other]
    deciding = [(word, False) for heading in headings for word in apart if _stands_at_an_end(word, heading)]
    for heading in reversed(headings):
        deciding += [(word, included) for word, included in telling if word_pattern(word.casefold()).search(heading)]
    word, is_grammar = next(iter(deciding), ("", True))
    return "" if is_grammar else f"'{word.removesuffix('*')}' is in its heading"


def sections_left_out(
    blocks: Iterable[Block], patterns: SectionPatterns, prose: Sequence[Language]
) -> dict[tuple[str, ...], str]:
    """The sections that are not read, by the headings over them, each with the reason."""
    found = {block.section: why_left_out(block.section, patterns, prose) for block in blocks}
    return {path: f"its section is not read: {reason}" for path, reason in found.items() if reason}


def _matches(glob: str, path: Sequence[str]) -> bool:
    texts = [squeeze(text).casefold() for text in (*path, " > ".join(path))]
    return any(fnmatchcase(text, squeeze(glob).casefold()) for text in texts)


def _stands_at_an_end(word: str, heading: str) -> bool:
    """Whether a heading begins or ends with a word: `References`, `Name index`."""
    spans = (match.span() for match in word_pattern(word.casefold()).finditer(heading))
    return any(start == 0 or end == len(heading) for start, end in spans)
