"""Takes the marks of a page's footnotes off the words of examples: they are no letters of the words."""

from collections.abc import Collection, Sequence

from pairwright.ingest.page.data import Run
from pairwright.ingest.page.glyphs import SUPERSCRIPTS
from pairwright.ingest.page.rows import Row, Word, filled_rows, is_raised

_FIGURES = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def without_marks(row: Row, marks: Collection[str]) -> tuple[Row, str | None]:
    """A row without the footnote's mark that one of its words bears, and the mark; None where none bears one.

    Where several words bear raised figures, these are tones or the like, and the row stays.
    """
    bare = [_without_mark(word, row, marks) for word in row.words]
    here = [mark for _, mark in bare if mark]
    if len(here) != 1:
        return row, None
    kept = filled_rows([[word for word, _ in bare if word is not None]])
    return (kept[0], here[0]) if kept else (row, None)


def _without_mark(word: Word, row: Row, marks: Collection[str]) -> tuple[Word | None, str | None]:
    """A word without its mark, or None where it is nothing but a mark, and the mark."""
    *before, last = word.runs
    text = last.text.translate(SUPERSCRIPTS)
    if is_raised(last, word.main if before else row.main):
        return (_word(before) if before else None, text) if text in marks else (word, None)
    bare = last.text.rstrip(_FIGURES)
    mark = last.text[len(bare) :]
    if mark not in marks:
        return word, None
    return _word([*before, *([last._replace(text=bare, xs=last.xs[: len(bare)])] if bare else [])]), mark


def _word(runs: Sequence[Run]) -> Word | None:
    return Word(tuple(runs)) if runs else None
