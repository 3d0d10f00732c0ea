"""The sentences and words of a grammar that may be starred, each with its mark, its place and its quotation.

They are in numbered and glossed examples, in tables, in lists and in running text. Inside one example, `(*X)` forbids
X, `*(X)` requires it, and `{X/*Y}`, `X/*Y` and `*X/Y` choose; `(*X)` after another form of the same word replaces it:
`Laukiu autobuso (*autobusą)`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pairwright.core.records import Block, Gloss
from pairwright.core.text import split_translation, squeeze, words
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.glosses import is_segmented, join_morphemes
from pairwright.languages.linguistics.likeness import sentence_similarity, similarity
from pairwright.languages.linguistics.sentences import (
    ANY_STAR,
    DISPUTED,
    MARKS,
    READING,
    SIGNS,
    STARS,
    is_sentence,
    replaced,
    split_mark,
    tag_mark,
)
from pairwright.sources.grammar.starred.prose import LISTED, Prose

_WORD = r"[^\s(){}\[\]/]*[^\s(){}\[\]/.,;:!?…]"
_PLACE = re.compile(
    rf"""
    \((?P<refused>{SIGNS}[^(){{}}]*)\)                              # (*X), (*X/Y)
    | (?P<mark>{SIGNS})\((?P<needed>[^()*{{}}]+)\)                   # *(X)
    | \{{(?P<braced>[^{{}}]*)\}}                                     # {{X/*Y}}
    | \((?P<chosen>[^(){{}}/]*/[^(){{}}]*{SIGNS}[^(){{}}]*)\)        # (X/*Y)
    | (?<!\S)(?P<slashed>(?:{SIGNS})?{_WORD}(?:/(?:{SIGNS})?{_WORD})+)  # X/*Y
    """,
    re.VERBOSE,
)
# The least similarity (0-1) of two forms of one word.
_SAME_WORD = 0.9
_LOOSE_SLASH = re.compile(rf"\s/\s*{SIGNS}(?=\S)|(?:^|\s){SIGNS}\S+\s+/\s")
# The longest sentence of an example, and of an item of a list, in characters.
LONGEST, _LONGEST_ITEM = 600, 200
# The least similarity (0-1) of another wording of a starred sentence in the same example.
_LEAST_VARIANT = 0.5
# How many characters are shown around a star that marks no form; how far around one its sentence may reach.
_SHOWN, _WINDOW = 40, 1000
# How many starred forms no passage has.
_MOST_STARS = 500
# A linguist's labelled brackets, the gap that a moved word leaves, and the index of a referent.
_NOTATION = re.compile(r"\[(?:[A-Z][A-Za-z]{0,3}['′]?\d?(?=\s)|(?=\S))|\]|(?<!\S)_+(?=\W|$)|(?<=\w)_[a-z]\b|[ᵢⱼₖ]")
# What follows a whole sentence in brackets, such as `(cf. (4))`.
_AFTERWORD = re.compile(r"(?<=[.!?…])\s+\((?:[^()]|\([^()]*\))*\)$")
_SPEAKERS = re.compile(rf"(?:\s+\([{MARKS}]*[A-Z]{{1,4}}(?:,\s*[{MARKS}]*[A-Z]{{1,4}})*\))+\s*$")
_STAR = re.compile(rf"(?<![\w{STARS}])(?P<mark>[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}})(?=[\w(\[{{/∅‘“„-])")
_INNER_MARK = re.compile(rf"(?<=\s){SIGNS}(?=\w)")
_NUMBERED = re.compile(r"^(?:[(\[]?(?P<number>\d{1,4}(?:\.\d{1,3})*)[)\].]\s*)?(?P<body>\S.*)$", re.DOTALL)
_QUOTED = re.compile(r"^[‘“„«]([^‘“„«]+)[’”“»]\.?$")
_RUN_END = re.compile(r"[.,;:()\[\]‘’“”„«»]|$")

WORD_FORM = "a single word form, not a sentence"
_RECONSTRUCTED = "a reconstructed form"
_SIGN = "a star behind a word or by itself: the sign of a note, not of a form"


class NoPairError(ValueError):
    """A starred form makes no pair; the message is the reason."""


class Variant(NamedTuple):
    """A starred variant of an example and the acceptable one beside it. `others` are further acceptable ones."""

    good: str
    bad: str
    mark: str
    others: tuple[str, ...] = ()


class _Choice(NamedTuple):
    """A place that chooses between accepted and refused wordings, these with marks. An ending alone is `unclear`."""

    start: int
    end: int
    good: tuple[str, ...]
    bad: tuple[tuple[str, str], ...]
    unclear: bool = False


def has_variants(text: str) -> bool:
    """Whether an object line holds a starred variant."""
    return any(True for _ in _choices(text)) or bool(_LOOSE_SLASH.search(text))


def starred_variants(text: str) -> list[Variant]:
    """Each refused wording of a line with the first accepted ones. Raises NoPairError where one is unclear."""
    choices = list(_choices(text))
    if _LOOSE_SLASH.search(_PLACE.sub("", text)):
        raise NoPairError("it can't be told how many words a slash chooses between")
    if any(choice.unclear for choice in choices):
        raise NoPairError("it can't be told which ending the starred one replaces")
    if not all(choice.good for choice in choices):
        raise NoPairError("every variant of the example is starred")

    def line(changed: _Choice | None = None, wording: str = "") -> str:
        edits = ((it.start, it.end, wording if it is changed else it.good[0]) for it in choices)
        return squeeze(replaced(text, edits))

    return [
        Variant(line(), line(choice, wording), mark, tuple(line(choice, other) for other in choice.good[1:]))
        for choice in choices
        for mark, wording in choice.bad
    ]


def _choices(text: str) -> Iterator[_Choice]:
    for match in _PLACE.finditer(text):
        if match["needed"] is not None:
            yield _Choice(*match.span(), (match["needed"],), ((match["mark"], ""),))
            continue
        inside = next(part for part in match.group("refused", "braced", "chosen", "slashed") if part is not None)
        options = [split_mark(option.strip()) for option in inside.split("/")]
        good = tuple(re.sub("^[∅Ø–—]$", "", wording) for mark, wording in options if not mark)
        bad = tuple(option for option in options if option[0])
        if match["refused"] is not None and not good:
            start = _replaced_from(text[: match.start()], bad[0][1])
            yield _Choice(start, match.end(), (text[start : match.start()].rstrip(),), bad)
        elif bad:
            yield _Choice(*match.span(), good, bad, any(wording.startswith("-") for _, wording in bad))


def _replaced_from(before: str, wording: str) -> int:
    """Where the words begin that `(*X)` replaces: the last ones before it that are other forms of X's last ones."""
    words, start = wording.split(), len(before)
    if not before[-1:].isspace() or wording.startswith("-"):
        return start
    for match, word in zip(reversed(list(re.finditer(r"[^\s(){}\[\]/]+", before))), reversed(words), strict=False):
        if similarity(match[0], word) < _SAME_WORD:
            break
        start = match.start()
    # A word that is repeated is added.
    repeats = {word.casefold() for word in words} <= set(before[start:].casefold().split())
    return len(before) if repeats else start


@dataclass(frozen=True)
class Form:
    """A sentence or word as the book gives it.

    order    the index of its block among all blocks
    example  shared by the sub-examples and lines of one example
    place    its numbers and letters, outermost first, such as ("16", "b")
    written  the object line without its mark; starred variants are still in it
    quote    the words as they stand in the block
    boundaries  the signs that cut its words into morphemes; empty where it is no segmented line
    morphemes   the line below it that cuts its words into morphemes; empty where there is none
    flaw     why it makes no pair, where that is clear already
    """

    order: int
    block: Block
    example: str
    place: tuple[str, ...]
    written: str
    mark: str
    quote: str
    boundaries: str = ""
    morphemes: str = ""
    gloss: str | None = None
    translation: str | None = None
    language: str | None = None
    tags: str | None = None
    flaw: str | None = None

    @property
    def sentence(self) -> str:
        """The form without the linguist's signs and loose spaces, its morphemes joined. Of `(X)`, X stays."""
        return as_sentence(self.written, self.boundaries)

    @property
    def says_sentence(self) -> bool:
        """Whether its translation is that of a sentence."""
        return is_sentence(self.translation or "")

    @property
    def is_starred(self) -> bool:
        """Whether it has a mark, or a variant of it has."""
        return bool(self.mark) or has_variants(self.written)


def as_sentence(written: str, boundaries: str) -> str:
    """Written words as a sentence, see `Form.sentence`."""
    text = _AFTERWORD.sub("", squeeze(written.replace("\u00ad", "")))
    text = re.sub(r"\(([^()]*)\)", r"\1", _NOTATION.sub("", text))
    text = join_morphemes(text, boundaries) if boundaries else squeeze(text)
    return re.sub(r"\s+([.,;:!?…])(?=\s|$)", r"\1", text)


def find_forms(blocks: Sequence[Block], book: Conventions, prose: Prose) -> list[Form]:
    """The forms of a book, in order. A starred one that can't be used has a flaw, as has a star that marks no form.

    A line without glosses counts as segmented where most glossed lines of the book are.
    """
    boundaries = book.examples.boundaries
    glossed = [leaf for block in blocks if block.gloss for _, leaf in block.gloss.leaves() if leaf.glosses]
    cut_book = 2 * sum(is_segmented(leaf, boundaries) for leaf in glossed) > len(glossed)
    firsts: dict[str | None, str] = {}
    forms: list[Form] = []
    for order, block in enumerate(blocks):
        historical = any(map(prose.history.search, block.section))
        if block.gloss:
            firsts[block.id] = firsts.get(block.continues, block.id)
            found = list(_example_forms(block, order, book, prose, cut=cut_book))
            if ANY_STAR.search(block.text) and not any(form.is_starred for form in found):
                found.append(_lone_star(order, block, "a star on a gloss, a label or a tag, not on a sentence"))
            forms += [replace(form, example=firsts[block.id]) for form in found]
            continue
        found = list(_table_forms(order, block) if block.kind == "table" else _text_forms(order, block, book, prose))
        for form in found:
            # A hyphen in a sentence of several words may belong to its spelling.
            cut = len(form.written.split()) == 1 and form.translation
            flaw = _RECONSTRUCTED if historical and form.mark and form.flaw != _SIGN else form.flaw
            forms.append(replace(form, flaw=flaw, boundaries=boundaries if cut else ""))
    return forms


def _plain_form(order: int, block: Block, mark: str, written: str, flaw: str | None = None) -> Form:
    """A form of a block that has no lines of an example; a translation after it is not part of it."""
    text, translation = split_translation(written)
    return Form(order, block, block.id, (), text, mark, f"{mark}{written}", translation=translation, flaw=flaw)


def _lone_star(order: int, block: Block, flaw: str) -> Form:
    """The first star of a block that marks no form, with the text around it; `flaw` says what it is."""
    match = ANY_STAR.search(block.text)
    star = match.start() if match else 0
    shown = block.text[max(0, star - _SHOWN) : star + _SHOWN]
    return Form(order, block, block.id, (), shown, "*", shown, flaw=flaw)


def _quoted(text: str, mark: str, written: str) -> str:
    """A form and its mark as they stand in a text, else the whole text."""
    if len(written) > LONGEST:
        return text
    # Spaces and line ends may separate the letters.
    match = re.search(r"\s*".join(map(re.escape, "".join(f"{mark}{written}".split()))), text)
    return match[0] if match else text


def _example_forms(block: Block, order: int, book: Conventions, prose: Prose, *, cut: bool) -> Iterator[Form]:
    """The object lines of an example, and the lines below them that are variants of them, where one is starred.

    cut  whether lines without glosses are segmented
    """
    boundaries = book.examples.boundaries
    for place, leaf in block.gloss.leaves() if block.gloss else ():
        segmented = is_segmented(leaf, boundaries) or (cut and not leaf.glosses)
        starred = leaf.judgement or any(split_mark(note)[0] and not READING.match(note) for note in leaf.notes)
        alike = (note for note in leaf.notes if sentence_similarity(note, leaf.object_line) >= _LEAST_VARIANT)
        notes = tuple(alike) if starred else ()
        flaw = _RECONSTRUCTED if prose.history.search(f"{leaf.language} {leaf.title}") else None
        reading = any(READING.search(text) for text in (leaf.translation or "", *leaf.notes))
        for number, line in enumerate((leaf.object_line, *notes) if leaf.object_line else ()):
            is_note = number > 0
            speakers = _SPEAKERS.search(line)
            leading, written = book.split_mark(line[: speakers.start()] if speakers else line)
            mark = leading if is_note else leaf.judgement or leading
            tags = speakers[0] if speakers else _own_tags(leaf, written) if notes else leaf.source
            quote = _quoted(block.text, mark, written)
            inner = _INNER_MARK.search(written)
            # As in `lupus (from *wlkwos)`; a bracket that begins with the star chooses between variants.
            before = written[: inner.start()] if inner else ""
            in_remark = before.count("(") > before.count(")")
            if not mark and inner and "/" not in written:
                mark, written = inner[0], written[: inner.start()] + written[inner.end() :]
            of_speakers = tag_mark(tags)
            yield Form(
                order=order,
                block=block,
                example=block.id,
                place=place,
                written=written,
                mark=DISPUTED if of_speakers == DISPUTED else mark or of_speakers or "*" * reading,
                quote=quote,
                boundaries=boundaries if segmented else "",
                morphemes=" ".join(leaf.segmentation) if leaf.surface and not is_note else "",
                gloss=" ".join(filter(None, leaf.glosses[0])) if leaf.glosses and not is_note else None,
                translation=_translation(leaf, book),
                language=leaf.language,
                tags=tags,
                flaw="bad under one reading only" if reading else _RECONSTRUCTED if in_remark else flaw,
            )


def _own_tags(leaf: Gloss, written: str) -> str | None:
    """The brackets after one of several lines of an example, as they stand in the document."""
    letters = "".join(written.split())
    ends = (re.search(r"(?:\s*\([^()]*\))*\s*$", line) for line in leaf.raw.splitlines())
    tags = (end[0].strip() for end in ends if end and "".join(end.string[: end.start()].split()).endswith(letters))
    return next(tags, None)


def _translation(leaf: Gloss, book: Conventions) -> str | None:
    """The translation without a label; it may stand in a line of its own after one: `Intended: ‘…’`."""
    texts = ((text, book.intended.match(text)) for text in (leaf.translation or "", *leaf.notes))
    meant = next((book.unquoted(text[label.end() :]) for text, label in texts if label), None)
    return meant if not leaf.translation or book.intended.match(leaf.translation) else leaf.translation


def _table_forms(order: int, block: Block) -> Iterator[Form]:
    """The starred cells of a table with the other sentences of their rows and columns.

    Stars after labels are one form for the table.
    """
    rows = [[re.sub(rf"^([{STARS}]+)\s+(?=\S)", r"\1", cell.strip()) for cell in row] for row in block.cells or ()]
    accepted = {join_morphemes(cell) for row in rows for cell in row if not ANY_STAR.search(cell)}
    starred = {column for row in rows for column, cell in enumerate(row) if split_mark(cell)[0]}
    for number, row in enumerate(rows if starred else ()):
        translation = next((match[1] for cell in row if (match := _QUOTED.match(cell))), None)
        marked = any(split_mark(cell)[0] for cell in row)
        for column, cell in enumerate(row):
            mark, _ = split_mark(cell)
            form = _plain_form(order, block, mark, cell.lstrip(f"{MARKS} ") if mark else cell)
            form = replace(form, translation=form.translation or translation)
            lone = len(words(form.written)) < 2 and not form.says_sentence
            if not form.written or _QUOTED.match(cell) or not (mark or (not lone and (marked or column in starred))):
                continue
            flaw = WORD_FORM if lone else None
            if mark and join_morphemes(form.written) in accepted:
                flaw = "the same form stands unstarred in the table, for something else"
            quote = (block.cells or ())[number][column].strip()
            yield replace(form, example=f"{block.id} row {number}", quote=quote, flaw=flaw)
    if any(ANY_STAR.search(cell) and not split_mark(cell)[0] for row in rows for cell in row):
        yield _lone_star(order, block, _SIGN)


def _text_forms(order: int, block: Block, book: Conventions, prose: Prose) -> Iterator[Form]:
    """An item of a list or a line with a number or mark before it, as one form; else the starred forms of the text."""
    match = _NUMBERED.match(block.text)
    mark, written = book.split_mark(match["body"] if match else block.text)
    listed = block.kind == "list_item" or LISTED.match(block.text)
    n_stars = len(_STAR.findall(block.text))
    is_item = block.kind != "footnote" and len(written) <= _LONGEST_ITEM and "\n" not in written
    if is_item and (mark or (listed and (not ANY_STAR.search(block.text) or has_variants(written)))):
        form = _plain_form(order, block, mark, written)
        flaw = WORD_FORM if mark and len(words(form.written)) < 2 and not form.says_sentence else None
        yield replace(form, place=(match["number"],) if match and match["number"] else (), flaw=flaw)
    elif n_stars > _MOST_STARS:
        yield _lone_star(order, block, f"more than {_MOST_STARS} starred forms stand together; split the passage")
    elif n_stars:
        yield from (_inline(order, block, star, prose) for star in _STAR.finditer(block.text))
        # What the page emphasises beside a starred form may be its partner.
        for start, end in block.emphasis:
            text = block.text[start:end].strip()
            before = block.text[max(0, start - _WINDOW) : start].rstrip()
            if len(words(text)) > 1 and not (split_mark(text)[0] or before.endswith(tuple(STARS))):
                yield _plain_form(order, block, "", text)
    elif ANY_STAR.search(block.text):
        yield _lone_star(order, block, _SIGN)


def _inline(order: int, block: Block, star: re.Match[str], prose: Prose) -> Form:
    """A starred form in running text. Its end is certain where the page sets it in italics or bold."""
    text, start = block.text, star.end()
    span = next((b for a, b in block.emphasis if a <= start < b), None)
    run = _RUN_END.search(text, start, start + LONGEST)
    written = text[start : span or (run.start() if run else start + LONGEST)].strip()
    before, after = text[max(0, start - _WINDOW) : start], text[start : start + _WINDOW]
    sentence = re.split(r"[.!?]\s", before)[-1] + re.split(r"[.!?]", after)[0]
    flaws = (
        (_SIGN, block.kind == "footnote" and star.start() == 0),
        (_RECONSTRUCTED, prose.history.search(sentence)),
        ("a bound form, not a word", re.match(r"[-=]|\S+[-=](?:\s|$)|$", written)),
        (WORD_FORM, len(written.split()) < 2),
        ("inline, and nothing shows where the form ends", span is None),
    )
    flaw = next((flaw for flaw, holds in flaws if holds), None)
    return _plain_form(order, block, star["mark"], written, flaw)
