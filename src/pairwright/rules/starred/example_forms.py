"""The sentences of a grammar's numbered and glossed examples, each with its mark, its place and its quotation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pairwright.languages.linguistics.likeness import sentence_similarity
from pairwright.languages.linguistics.marks import (
    ANY_STAR,
    MARKS,
    READING,
    SIGNS,
    is_other_reading,
    tag_mark,
    without_label,
)
from pairwright.languages.linguistics.morphemes import is_segmented, join_morphemes
from pairwright.records import Block, Gloss
from pairwright.rules.starred.conventions import Conventions, ProseWords
from pairwright.rules.starred.references import without_pointer
from pairwright.rules.starred.variants import has_variants
from pairwright.text import split_translation, squeeze

_LABELLED = re.compile(r"\[(?:[A-Z][A-Za-z]{0,3}['′]?\d?(?=\s)|(?=\S))|\]")
# The gap that a moved word leaves, and the index of a referent.
_TRACE = re.compile(r"(?<!\S)_+(?=\W|$)|(?<=\w)_[a-z]\b|[ᵢⱼₖ]")
_NOTE_SIGN = re.compile(r"(?<=\S)[⁰¹²³⁴⁵⁶⁷⁸⁹]+$")
# How many characters stand on either side of a star that marks no form.
_SHOWN = 40
# The least similarity (0-1) of another wording of a starred sentence in the same example.
LEAST_VARIANT = 0.5
# The longest sentence of an example, in characters.
LONGEST = 600
# The most characters between two words of a sentence where glosses stand between them.
_BETWEEN_WORDS = 600
_TAGS = re.compile(r"(?:\s*\([^()]*\))+\s*$")
_SPEAKERS = re.compile(rf"(?:\s+\([{MARKS}]*[A-Z]{{1,4}}(?:,\s*[{MARKS}]*[A-Z]{{1,4}})*\))+\s*$")
RECONSTRUCTED = "a reconstructed form"
WORD_FORM = "a single word form, not a sentence"


@dataclass(frozen=True)
class Form:
    """A sentence or word as an example gives it.

    order        the index of its block among all blocks
    example      shared by the sub-examples and lines of one example
    place        its numbers and letters, outermost first, such as ("16", "b")
    written      the object line without its mark; starred variants are still in it
    mark         the acceptability mark of the source; DISPUTED where its speakers differ
    quote        the words as they stand in the block
    boundaries   the signs that cut its words into morphemes; empty where it is no segmented line
    morphemes    the line below it that cuts its words into morphemes; empty where there is none
    reading      whether the source says that it has another reading, or refuses only one of its readings
    tags         what stands behind it in brackets: a speaker, a reference
    flaw         why it can't be used, where that is clear already
    beside       the accepted form that its passage or table gives in its place
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
    reading: bool = False
    gloss: str | None = None
    translation: str | None = None
    language: str | None = None
    tags: str | None = None
    flaw: str | None = None
    beside: "Form | None" = None


def sentence(written: str, boundaries: str = "") -> str:
    """A form's words as a sentence: without the linguist's brackets, gaps and indices, footnote signs and loose spaces.

    boundaries  the signs of a segmented line, whose morphemes are joined
    """
    text = _TRACE.sub("", _LABELLED.sub("", squeeze(written)))
    if boundaries:
        text = join_morphemes(text, boundaries)
    text = re.sub(r"\s+([.,;:!?…])(?=\s|$)", r"\1", squeeze(text.replace("\u00ad", "")))
    return _NOTE_SIGN.sub("", text).strip()


def plain_form(order: int, block: Block, mark: str, written: str) -> Form:
    """A form of a block that has no lines of an example; a translation behind it is no part of it."""
    text, translation = split_translation(written)
    return Form(order, block, block.id, (), text, mark, quote=f"{mark}{written}", translation=translation)


def quoted(text: str, mark: str, written: str) -> str:
    """A form and its mark as they stand in a text, perhaps with glosses between the words; else the whole text."""
    parts = written.split() if len(written) <= LONGEST else []
    for pieces in (["".join(parts)], parts) if parts else ():
        # Spaces may part the letters.
        loose = [re.compile(r"[^\S\n]*".join(map(re.escape, piece))) for piece in (mark + pieces[0], *pieces[1:])]
        match = loose[0].search(text)
        start = match.start() if match else 0
        for pattern in loose[1:]:
            match = match and pattern.search(text, match.end(), match.end() + _BETWEEN_WORDS)
        if match:
            return text[start : match.end()]
    return text


def example_forms(blocks: Sequence[Block], conventions: Conventions) -> Iterator[Form]:
    """The forms of the numbered and glossed examples, in order.

    A line without glosses counts as segmented where other lines of its example are, or most glossed lines of the book.
    """
    boundaries = conventions.boundaries
    chain: dict[str | None, str] = {}
    glossed = [leaf for block in blocks if block.gloss for _, leaf in block.gloss.leaves() if leaf.glosses]
    book = 2 * sum(is_segmented(leaf, boundaries) for leaf in glossed) > len(glossed)
    for order, block in enumerate(blocks):
        if block.gloss is None:
            continue
        chain[block.id] = chain.get(block.continues, block.id)
        segmented = book or any(is_segmented(leaf, boundaries) for _, leaf in block.gloss.leaves())
        starred = False
        for place, leaf in block.gloss.leaves():
            cut = is_segmented(leaf, boundaries) or (segmented and not leaf.glosses)
            for form in _leaf_forms(block, order, place, leaf, conventions):
                starred = starred or bool(form.mark) or form.reading or has_variants(form.written)
                yield replace(form, example=chain[block.id], boundaries=boundaries if cut else "")
        if not starred and ANY_STAR.search(block.text):
            yield lone_star(order, block, "a star on a gloss, a label or a tag, not on a sentence")


def lone_star(order: int, block: Block, flaw: str) -> Form:
    """The first star of a block that marks no form, with the text around it; `flaw` says what it is."""
    match = ANY_STAR.search(block.text)
    star = match.start() if match else 0
    shown = block.text[max(0, star - _SHOWN) : star + _SHOWN]
    return Form(order, block, block.id, (), shown, "*", quote=shown, flaw=flaw)


def _leaf_forms(
    block: Block, order: int, place: tuple[str, ...], leaf: Gloss, conventions: Conventions
) -> Iterator[Form]:
    """The object line, and the lines below it that are variants of it."""
    written, prose = leaf.object_line, conventions.prose
    if not written:
        return
    variants = list(_variant_lines(leaf, conventions))
    tags = _own_tags(leaf, written) if variants else leaf.source
    if speakers := _SPEAKERS.search(written):
        written, tags = written[: speakers.start()], speakers[0]
    leading, written = conventions.split_mark(without_pointer(written, prose))
    mark = leaf.judgement or leading
    quote = quoted(block.text, mark, written)
    inner = re.search(rf"(?<=\s){SIGNS}(?=\w)", written)
    if not mark and inner and "/" not in written:
        mark, written = inner[0], written[: inner.start()] + written[inner.end() :]
    refused = any(READING.search(line) for line in (leaf.translation or "", *leaf.notes))
    form = Form(
        order=order,
        block=block,
        example=block.id,
        place=place,
        written=written,
        mark=mark or tag_mark(tags),
        quote=quote,
        reading=refused or bool(mark and any(is_other_reading(line, prose.other_readings) for line in leaf.notes)),
        morphemes=" ".join(leaf.segmentation) if leaf.surface else "",
        gloss=" ".join(filter(None, leaf.glosses[0])) if leaf.glosses else None,
        translation=_translation(leaf, prose),
        language=leaf.language,
        tags=tags,
        flaw=RECONSTRUCTED if prose.history.search(f"{leaf.language} {leaf.title}") else None,
    )
    yield form
    for line in variants:
        mark, body = conventions.split_mark(line)
        tags = _own_tags(leaf, body)
        yield replace(
            form,
            written=_TAGS.sub("", body) if tag_mark(body) else body,
            mark=mark or tag_mark(tags),
            quote=quoted(block.text, mark, body),
            tags=tags,
            morphemes="",
            gloss=None,
        )


def _variant_lines(leaf: Gloss, conventions: Conventions) -> Iterator[str]:
    """The notes where one of them is starred; beside a starred sentence those that are much like it."""
    labels = conventions.prose.other_readings
    if any(conventions.split_mark(note)[0] and not is_other_reading(note, labels) for note in leaf.notes):
        yield from leaf.notes
    elif leaf.judgement:
        yield from (note for note in leaf.notes if sentence_similarity(note, leaf.object_line) >= LEAST_VARIANT)


def _translation(leaf: Gloss, prose: ProseWords) -> str | None:
    """The translation, which may stand in a line of its own behind a label: `Intended: ‘…’`."""
    labelled = (without_label(note, prose.intended) for note in leaf.notes)
    meant = (text for note, text in zip(leaf.notes, labelled, strict=True) if text != note)
    return without_label(leaf.translation, prose.intended) or next(meant, None)


def _own_tags(leaf: Gloss, written: str) -> str | None:
    """The brackets behind a line of an example, as they stand in the document."""
    ending = _TAGS.sub("", "".join(written.split()))
    lines = (line for line in leaf.raw.splitlines() if "".join(_TAGS.sub("", line).split()).endswith(ending))
    tags = _TAGS.search(next(lines, ""))
    return tags[0].strip() if tags else None
