"""Finds headings and their levels: by the document's outline if it has one, else by style and number."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from pairwright.documents.lines.data import HeadingStyle, OutlineEntry, Profile
from pairwright.documents.lines.profile import (
    LEADER,
    MAX_HEADING,
    count_title_rows,
    depth,
    in_capitals,
    is_set_like,
    leading_words,
    stands_apart,
)
from pairwright.documents.lines.rows import Row, Word, count_while, join_words
from pairwright.languages.conventions import Conventions

# A heading may stand this far from the height that the outline gives, in points: the target is often set above it.
NEAR = 40.0
PUNCTUATED_END = re.compile(r"[.;,:]$")
# The most white between `Chapter 3` and its title, from baseline to baseline, in parts of the larger type.
FAR_TITLE = 3.5


@dataclass(frozen=True)
class FoundHeading:
    """A heading: the rows it fills, its text, its level, and the words that follow a run-in heading on its last row."""

    n_rows: int
    text: str
    level: int
    rest: Row | None = None


def find_heading(
    upcoming: Sequence[Row], profile: Profile, targets: Sequence[OutlineEntry], page: int, gap_above: float
) -> FoundHeading | None:
    """The heading that begins with the first of `upcoming` rows, or None.

    `targets` are the outline's entries on this page, `gap_above` is the distance from the row before, in points.
    """
    row = upcoming[0]
    heading = _by_style(upcoming, profile, page, gap_above)
    if heading is None and (not profile.headings or row.measured):
        heading = _by_number(upcoming, profile, gap_above)
    entry = _target(heading.text if heading else row.text, row, targets, profile.conventions)
    if entry is None:
        return heading
    return replace(heading, level=entry.level) if heading else _rows_of_title(upcoming, entry, profile)


def _by_style(upcoming: Sequence[Row], profile: Profile, page: int, gap_above: float) -> FoundHeading | None:
    row = upcoming[0]
    head = leading_words(row)
    heading = _style_of(row, profile)
    text = join_words(head)
    if heading is None or not any(map(str.isalpha, text)):
        return None
    # An entry of a table of contents, not the heading over it.
    if page in profile.contents and row.text[-1].isdigit():
        return None
    number = profile.conventions.heading.match(text)
    if not number and profile.contents and page < min(profile.contents):
        return None
    whole = len(head) == len(row.words)
    words, n_rows, rest = _wrapped(upcoming, list(row.words) if whole else head, heading, profile.conventions)
    if (heading.size < 1.1 * profile.body_size or not whole) and not (number and heading.numbered):
        may_be = whole and rest is None and heading.apart and not profile.conventions.caption.match(row.text)
        if not may_be or not stands_apart(upcoming, n_rows, gap_above, profile.leading):
            return None
    if number and number["word"] and number.end() == len(text):
        below, n_rows = _title_below(upcoming, n_rows, heading, profile)
        words += below
    level = depth(number) if number and not number["word"] else heading.level
    title = join_words(words)
    return FoundHeading(n_rows, title, level, rest) if len(title) <= MAX_HEADING else None


def _title_below(
    upcoming: Sequence[Row], n_rows: int, heading: HeadingStyle, profile: Profile
) -> tuple[list[Word], int]:
    """The words of the title under `Chapter 3`, in its type or that of another heading, and the rows of both."""
    if n_rows > 1 or len(upcoming) < 2:
        return [], n_rows
    first = upcoming[1]
    other = _style_of(first, profile)
    larger = first.size >= 1.1 * profile.body_size or (other is not None and other.bold)
    near = first.baseline - upcoming[0].baseline < FAR_TITLE * max(heading.size, first.size)
    if not near or not larger or profile.conventions.heading.match(first.text):
        return [], n_rows
    n_more = count_title_rows(upcoming[1:])
    return [word for row in upcoming[1 : 1 + n_more] for word in row.words], 1 + n_more


def _wrapped(
    upcoming: Sequence[Row], words: list[Word], heading: HeadingStyle, conventions: Conventions
) -> tuple[list[Word], int, Row | None]:
    """The words of a heading with those on its further rows, the rows it fills, and what follows on its last row."""
    n_rows, rest = 1, upcoming[0].words[len(words) :]
    numbered = conventions.heading.match(upcoming[0].text) is not None
    while n_rows < len(upcoming) and not rest:
        following = upcoming[n_rows]
        more = leading_words(following)
        near = following.baseline - upcoming[n_rows - 1].baseline < 1.6 * heading.size
        if not near or not is_set_like(following, upcoming[0]) or conventions.heading.match(following.text):
            break
        # Text follows the bold words below a title of its own: they begin a paragraph.
        if not numbered and len(more) < len(following.words):
            break
        n_rows, words, rest = n_rows + 1, [*words, *more], following.words[len(more) :]
    return words, n_rows, Row(rest) if rest else None


def _style_of(row: Row, profile: Profile) -> HeadingStyle | None:
    """The style of headings in which a row begins."""
    run = row.words[0].main
    fitting = (style for style in profile.headings if style.font == run.font and abs(style.size - run.size) < 0.15)
    return next((style for style in fitting if not style.capitals or in_capitals(row)), None)


def _by_number(upcoming: Sequence[Row], profile: Profile, gap_above: float) -> FoundHeading | None:
    """In a book whose headings look like its text: a short row of its own that begins with a number such as 3.2."""
    row = upcoming[0]
    number = profile.conventions.heading.match(row.text)
    if not number or ("." not in number["number"] and not number["word"]) or LEADER.search(row.text):
        return None
    gap_below = upcoming[1].baseline - row.baseline if len(upcoming) > 1 else 99.0
    alone = gap_above > 1.25 * profile.leading and gap_below > 1.1 * profile.leading
    title = alone and len(row.text) <= 80 and not PUNCTUATED_END.search(row.text)
    return FoundHeading(1, row.text, depth(number)) if title else None


def plain_title(text: str, conventions: Conventions) -> str:
    number = conventions.heading.match(text)
    return re.sub(r"\W+", "", text[number.end() :] if number else text).casefold()


def _target(text: str, row: Row, targets: Sequence[OutlineEntry], conventions: Conventions) -> OutlineEntry | None:
    plain = plain_title(text, conventions)
    for entry in targets:
        title = plain_title(entry.title, conventions)
        near = entry.y is None or -10.0 < row.baseline - entry.y < NEAR
        alike = fuzz.ratio(plain, title)
        # Many outlines point to the page's top only: then the words alone must tell.
        if title and (alike > 93 or (near and (alike > 85 or (len(plain) > 12 and title.startswith(plain))))):
            return entry
    return None


def _rows_of_title(upcoming: Sequence[Row], entry: OutlineEntry, profile: Profile) -> FoundHeading:
    """As many rows as the outline's title fills."""
    length = 0.9 * len(plain_title(entry.title, profile.conventions))
    n_rows = count_while(
        upcoming,
        lambda n: (
            len(plain_title(_text(upcoming[:n]), profile.conventions)) < length
            and upcoming[n].baseline - upcoming[n - 1].baseline <= 1.6 * profile.leading
        ),
    )
    return FoundHeading(n_rows, _text(upcoming[:n_rows]), entry.level)


def _text(members: Sequence[Row]) -> str:
    return " ".join(row.text for row in members)
