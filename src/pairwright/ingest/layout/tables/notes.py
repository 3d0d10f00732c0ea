"""Finds the notes right below a table, and takes their marks off the words of its cells."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import normalize

from pairwright.ingest.layout.hyphens import join_rows
from pairwright.ingest.page.data import BBox, Profile, Run, union
from pairwright.ingest.page.rows import Row, Word, is_raised

# Superscript digits and letters, and the signs that mark notes.
SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃ-ᵏᵐᵒᵖᵗᵘᵛᶜᶠᶻⁱⁿʰʲˡʳˢʷˣʸ"
SIGNS = "*†‡§¶"
SIGN = re.compile(rf"[{SUPERSCRIPT}](?:[,{SUPERSCRIPT}])*|[{SIGNS}]+")
BEHIND = re.compile(rf"(?<=\S)(?P<mark>{SIGN.pattern})$")
BEFORE = re.compile(rf"^(?P<mark>[{SUPERSCRIPT}]+|[{SIGNS}]+)")
# A mark on the line: a letter, a number or signs, with or without what closes it.
PLAIN = re.compile(rf"^\(?(?P<mark>[a-z]|\d{{1,2}}|[{SIGNS}]{{1,3}})[.):]?$")
# A word such as `Note:` or `Source:`, in whatever language.
LABEL = re.compile(r"^[^\W\d_]{3,15}:$")
# The most white between a table and its notes, in em; notes without a mark, or in the type of the text, stand nearer.
FAR, NEAR = 1.8, 1.0
# Notes are smaller than the text by this share at least, and their lines no farther apart than this, in em.
SMALLER, LINE = 0.95, 1.45


class Note(NamedTuple):
    """A note: its mark, empty where it has none, and its rows without the mark."""

    mark: str
    rows: list[Row]


class NotesBelow(NamedTuple):
    """The notes below a table: how many rows they fill, their box, and each one."""

    n_rows: int
    box: BBox
    notes: list[Note]

    def texts(self, profile: Profile) -> list[tuple[str, str]]:
        """The mark and the text of each note."""
        return [(note.mark, join_rows(note.rows, profile)) for note in self.notes]


def find_notes(below: Sequence[Row], table: BBox, members: Sequence[Row], profile: Profile) -> NotesBelow | None:
    """The notes with which the rows `below` a table begin, None where there are none; `members` are its own rows."""
    if not below:
        return None
    marks = {mark for row in members for word in row.words for mark in split_mark(word)[1]}
    first = below[0]
    white = (first.baseline - 0.75 * first.size - table[3]) / first.size
    mark = _leading(first, marks)[0]
    small = first.size < SMALLER * profile.body_size
    labelled = LABEL.match(first.words[0].text) is not None and len(first.words) > 1
    begins = mark in marks or (not mark and (small or labelled) and white < NEAR)
    if not begins or white > FAR or profile.conventions.caption.match(first.text) or len(first.cells) > 2:
        return None
    notes: list[Note] = []
    n_rows = 0
    for number, row in enumerate(below):
        near = number == 0 or row.baseline - below[number - 1].baseline <= LINE * first.size
        if not near or abs(row.size - first.size) > 0.6 or profile.conventions.caption.match(row.text):
            break
        mark, rest = _leading(row, marks)
        if mark or not notes or LABEL.match(row.words[0].text):
            notes.append(Note(mark, []))
        _add(notes, rest, marks)
        n_rows += 1
    return NotesBelow(n_rows, union(row.box for row in below[:n_rows]), notes) if all(n.rows for n in notes) else None


def _add(notes: list[Note], row: Row | None, marks: set[str]) -> None:
    """Adds a row to the last note, and begins another one at each raised mark in it."""
    words: list[Word] = []
    for word in row.words if row else ():
        mark, rest = _raised_before(word, row.main if row else word.main)
        if mark in marks:
            if words:
                notes[-1].rows.append(Row(tuple(words)))
            notes.append(Note(mark, []))
            words = [rest] if rest else []
        else:
            words.append(word)
    if words:
        notes[-1].rows.append(Row(tuple(words)))


def _leading(row: Row, marks: set[str]) -> tuple[str, Row | None]:
    """The mark with which a row begins, empty where it has none, and the row behind it."""
    first, others = row.words[0], row.words[1:]
    mark, rest = _raised_before(first, row.main)
    plain = PLAIN.match(first.text)
    if not mark and plain and plain["mark"] in marks and others:
        mark, rest = plain["mark"], None
    words = (rest, *others) if mark and rest else others if mark else row.words
    return mark, Row(words) if words else None


def _raised_before(word: Word, main: Run) -> tuple[str, Word | None]:
    """The raised mark with which a word begins, and what follows in the word."""
    if is_raised(word.runs[0], main):
        return _plain(word.runs[0].text), Word(word.runs[1:]) if len(word.runs) > 1 else None
    sign = BEFORE.match(word.text)
    if sign is None:
        return "", word
    first, n = word.runs[0], len(sign.group())
    if n > len(first.text):
        return "", word
    kept = [_cut(first, n, len(first.text))] if n < len(first.text) else []
    runs = (*kept, *word.runs[1:])
    return _plain(sign["mark"]), Word(runs) if runs else None


def split_mark(word: Word) -> tuple[Word, list[str]]:
    """A word without the marks of notes behind it, and these marks."""
    last = word.runs[-1]
    if len(word.runs) > 1 and (is_raised(last, word.main) or SIGN.fullmatch(last.text)):
        return Word(word.runs[:-1], word.x0), _marks(last.text)
    sign = BEHIND.search(last.text)
    if sign is None:
        return word, []
    return Word((*word.runs[:-1], _cut(last, 0, sign.start())), word.x0), _marks(sign["mark"])


def without_marks(members: Iterable[Row], marks: set[str]) -> tuple[list[Row], list[tuple[str, float, float]]]:
    """The rows of a table without the marks of its notes, and each mark with the place of the word before it."""
    rows: list[Row] = []
    places: list[tuple[str, float, float]] = []
    for row in members:
        words = []
        for word in row.words:
            rest, own = split_mark(word)
            if own and set(own) <= marks:
                word = rest
                places += [(mark, (rest.x0 + rest.x1) / 2, row.baseline - 0.3 * row.size) for mark in own]
            words.append(word)
        rows.append(Row(tuple(words)))
    return rows, places


def _cut(run: Run, start: int, end: int) -> Run:
    """A part of a run; it ends where the next character begins."""
    x0 = run.xs[start] if run.xs else run.x0
    x1 = run.xs[end] if run.xs and end < len(run.xs) else run.x1
    return run._replace(text=run.text[start:end], xs=run.xs[start:end], x0=x0, x1=x1)


def _marks(text: str) -> list[str]:
    if "," in text:
        return [mark for part in text.split(",") if (mark := _plain(part))]
    plain = _plain(text)
    return [plain] if plain else []


def _plain(mark: str) -> str:
    """A mark as it stands on the line: superscript letters and digits become plain ones."""
    return normalize("NFKC", mark).strip(" .):,")
