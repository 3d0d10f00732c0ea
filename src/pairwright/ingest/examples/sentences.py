"""Finds the sentences that no number announces: glossed ones, and those in the type of examples over a translation."""

from collections.abc import Sequence

from pairwright.ingest.examples.finder import FoundExample
from pairwright.ingest.examples.interlinear import Edges, read_leaf
from pairwright.ingest.examples.sources import is_attribution, is_reference
from pairwright.ingest.examples.text_place import TextPlace
from pairwright.ingest.examples.texts import find_glossed
from pairwright.ingest.examples.translation import read_translation, starts_translation
from pairwright.ingest.page.rows import Row, count_while, style

# The most rows of a sentence.
_MAX_ROWS = 3


def find_text(upcoming: Sequence[Row], place: TextPlace) -> list[FoundExample]:
    """The sentences that begin with the first of `upcoming` rows: one, or all of a text that runs on without
    translations. Empty where none begins."""
    return find_glossed(upcoming, place) or _find_unglossed(upcoming, place)


def _find_unglossed(upcoming: Sequence[Row], place: TextPlace) -> list[FoundExample]:
    """The sentence that begins with the first of `upcoming` rows, if it is indented, all of it in the type of the
    book's object lines and not of its prose, and a translation in quotation marks stands right below it."""
    own, profile = style(upcoming[0].main), place.profile
    numbered = profile.conventions.number(upcoming[0].words[0].text) is not None
    is_object = not numbered and any(own == above for above, _ in profile.gloss_styles)
    left = upcoming[0].x0
    if not is_object or own == (profile.body_font, profile.body_size) or left < place.left + 0.8 * profile.body_size:
        return []

    def is_near(index: int) -> bool:
        row, above = upcoming[index], upcoming[index - 1]
        return row.baseline - above.baseline < 1.4 * profile.leading and abs(row.x0 - left) < 2

    def goes_on(index: int) -> bool:
        return is_near(index) and style(upcoming[index].main) == own

    n_rows = count_while(upcoming[: _MAX_ROWS + 1], goes_on)
    alike = all(style(word.main) == own for row in upcoming[:n_rows] for word in row.words)
    below = n_rows < len(upcoming) and is_near(n_rows) and starts_translation(upcoming[n_rows], profile.conventions)
    if not (alike and below) or n_rows > _MAX_ROWS:
        return []
    _, end, _ = read_translation(upcoming, n_rows, profile.leading, profile.conventions)
    if not profile.conventions.ends_translation(upcoming[end - 1].text) and end < len(upcoming):
        return []
    if end < len(upcoming) and upcoming[end].baseline - upcoming[end - 1].baseline < 1.4 * profile.leading:
        row = upcoming[end]
        end += is_attribution(row, upcoming[end - 1], left, place.right) or is_reference(row.text)
    return [FoundExample(end, read_leaf(upcoming[:end], Edges(left, place.right, profile)))]
