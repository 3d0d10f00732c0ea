"""A grammar's sections, and which of them state rules of syntax and morphology."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import groupby

from pairwright.config import SectionPatterns
from pairwright.languages import Language
from pairwright.records import Block
from pairwright.text import squeeze, words

# A heading's number: `3.1.1`, `§ 12`, `IV.`, `A.2`.
_NUMBER = re.compile(r"^(?:§+\s*)?(?P<number>(?:\d+|[A-Z]|[IVXLC]+)(?:\.\d+)*)[.)]?\s+(?=\S)")


@dataclass(frozen=True)
class Section:
    """The blocks below one heading, up to the next one. `path` are the headings above, outermost first."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        return " > ".join(self.path) or "(before the first heading)"

    @property
    def number(self) -> str:
        """The number of the innermost heading that has one, such as `3.1.1`; empty where none has."""
        return next((match["number"] for heading in reversed(self.path) if (match := _NUMBER.match(heading))), "")


@dataclass(frozen=True)
class Choice:
    """Whether a section is read, and why; `reads` is None where its headings don't say."""

    reads: bool | None
    reason: str


def split_sections(blocks: Iterable[Block]) -> list[Section]:
    """The sections of a document in its order. Headings stand in the paths alone."""
    text = (block for block in blocks if block.kind != "heading")
    return [Section(path, tuple(group)) for path, group in groupby(text, key=lambda block: block.section)]


def choose(section: Section, patterns: SectionPatterns, prose: Sequence[Language]) -> Choice:
    """Whether a section states rules of syntax or morphology, by the user's patterns and the words of its headings.

    prose  the languages that the grammar is written in. The innermost heading that says something decides, except that
    a bibliography and its like, and what stands under it, are never read.
    """
    for wanted, globs in ((True, patterns.include), (False, patterns.exclude)):
        if found := next((glob for glob in globs if _matches(glob, section.path)), None):
            return Choice(wanted, f"'{found}' is among the {'included' if wanted else 'excluded'} sections")
    headings = [_bare(heading) for heading in section.path]
    for heading in headings:
        if word := _word_at_an_end(heading, [word for language in prose for word in language.sections.apart]):
            return Choice(False, f"'{word}' stands in its heading")
    for heading in reversed(headings):
        if word := _word_in(heading, [word for language in prose for word in language.sections.grammar]):
            return Choice(True, f"'{word}' stands in its heading")
        if word := _word_in(heading, [word for language in prose for word in language.sections.other]):
            return Choice(False, f"'{word}' stands in its heading")
    return Choice(None, "its headings don't say")


def excerpt(section: Section, length: int) -> str:
    """The beginning of a section's text in one line."""
    text = squeeze(" ".join(_first_texts(section)))
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


def _first_texts(section: Section) -> Iterator[str]:
    for block in section.blocks[:5]:
        yield block.text[:1000]


def _matches(glob: str, path: tuple[str, ...]) -> bool:
    texts = [squeeze(text).casefold() for text in (*path, " > ".join(path))]
    return any(fnmatchcase(text, squeeze(glob).casefold()) for text in texts)


def _bare(heading: str) -> str:
    """A heading's words alone, in small letters, between spaces."""
    return f" {' '.join(words(_NUMBER.sub('', squeeze(heading)).casefold()))} "


@cache
def _pattern(word: str) -> re.Pattern[str]:
    end = r"\w*" if word.endswith("*") else ""
    return re.compile(rf"(?<!\w){re.escape(word.removesuffix('*').casefold())}{end}(?!\w)")


def _word_in(heading: str, listed: Iterable[str]) -> str | None:
    """The first listed word that a heading has, without its star."""
    return next((word.removesuffix("*") for word in listed if _pattern(word).search(heading)), None)


def _word_at_an_end(heading: str, listed: Iterable[str]) -> str | None:
    """The first listed word by which a heading begins or ends: `References`, `Name index`."""
    bare = heading.strip()
    for word in listed:
        if any(match.start() == 0 or match.end() == len(bare) for match in _pattern(word).finditer(bare)):
            return word.removesuffix("*")
    return None
