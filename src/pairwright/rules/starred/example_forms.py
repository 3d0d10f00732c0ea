"""The sentences of a grammar's examples as forms: each with its mark, its place and the words that stand there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pairwright.records import Block, Gloss
from pairwright.rules.starred.marks import (
    LEADING_MARK,
    MARKS,
    READING,
    SIGNS,
    STARS,
    is_other_reading,
    tag_mark,
    without_label,
)
from pairwright.rules.starred.variants import has_variants
from pairwright.text import squeeze

_CUT = re.compile(r"(?<=[^\s\d])[-=](?=\S)|(?<!\S)[-=](?=\w)")
_ZERO = re.compile(r"[-=]?[∅Ø](?![^\W\d_])[-=]?")
_LABELLED = re.compile(r"\[(?:[A-Z][A-Za-z]{0,3}['′]?\d?(?=\s)|(?=\S))|\]")
# A gap that a moved word leaves, and the index of a referent.
_TRACE = re.compile(r"(?<!\S)_+(?=\W|$)|(?<=\w)_[a-z]\b|[ᵢⱼₖ]")
_NOTE_SIGN = re.compile(r"(?<=\S)[⁰¹²³⁴⁵⁶⁷⁸⁹]+$")
_ANY_STAR = re.compile(f"[{STARS}]")
# How much of a text, in characters, stands on either side of a star that marks no form.
_SHOWN = 40
# No sentence of an example is longer, in characters.
LONGEST = 600
# How far apart, in characters, two words of a sentence may stand where glosses stand between them.
_BETWEEN_WORDS = 600
_TAGS = re.compile(r"(?:\s*\([^()]*\))+\s*$")
_SPEAKERS = re.compile(rf"(?:\s+\([{MARKS}]*[A-Z]{{1,4}}(?:,\s*[{MARKS}]*[A-Z]{{1,4}})*\))+\s*$")
_RECONSTRUCTED = re.compile(r"\b(?:proto|reconstructed)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Form:
    """A sentence or word as an example gives it.

    order        the place of its block among all blocks
    example      what the sub-examples and lines of one example have in common; `place` is its own number, outermost
                 first, such as ("16", "b")
    written      the object line without its mark, words joined by a space; starred variants are still in it
    segmented    whether its hyphens and equals signs cut words into morphemes
    mark         the mark of the source; DISPUTED where its speakers differ
    quote        the words as they stand in the block
    reading      whether the source says that it has another reading, or refuses one reading only
    tags         what stands behind it in brackets: a speaker, a reference
    flaw         why it can't be used, where that is known already
    """

    order: int
    block: Block
    example: str
    place: tuple[str, ...]
    written: str
    mark: str
    quote: str
    segmented: bool = False
    reading: bool = False
    gloss: str | None = None
    translation: str | None = None
    language: str | None = None
    tags: str | None = None
    flaw: str | None = None


def sentence(written: str, *, segmented: bool) -> str:
    """A form's words as a sentence: without the linguist's brackets, gaps and indices, footnote signs and loose spaces.

    Where a line is cut into morphemes, they are joined: hyphens, equals signs and zeros fall away, spaces stay.
    """
    text = _TRACE.sub("", _LABELLED.sub("", squeeze(written)))
    if segmented:
        text = _CUT.sub("", _ZERO.sub("", text))
    text = re.sub(r"\s+([.,;:!?…])(?=\s|$)", r"\1", squeeze(text.replace("\u00ad", "")))
    return _NOTE_SIGN.sub("", text).strip()


def quoted(text: str, mark: str, written: str) -> str:
    """The stretch of a block's text in which a form stands with its mark, letter by letter; lines of glosses may stand
    between its words. The whole text where it is not found."""
    if len(written) > LONGEST:
        return text
    spaced = [r"[^\S\n]*".join(map(re.escape, "".join(written.split())))]
    parts = [r"[^\S\n]*".join(map(re.escape, word)) for word in written.split()]
    for pieces in (spaced, parts):
        first = re.search(r"[^\S\n]*".join([*map(re.escape, mark), pieces[0]]), text)
        end = first.end() if first else -1
        for piece in pieces[1:] if first else ():
            following = re.compile(piece).search(text, end, end + _BETWEEN_WORDS)
            if not following:
                end = -1
                break
            end = following.end()
        if first and end > 0:
            return text[first.start() : end]
    return text


def example_forms(blocks: Sequence[Block]) -> Iterator[Form]:
    """The forms of the numbered and glossed examples, in their order.

    A line without glosses is cut into morphemes where other lines of its example are, or most glossed ones of the book.
    """
    chain: dict[str, str] = {}
    glossed = [leaf for block in blocks if block.gloss for _, leaf in block.gloss.leaves() if leaf.glosses]
    book = 2 * sum(map(_is_segmented, glossed)) > len(glossed)
    for order, block in enumerate(blocks):
        if block.gloss is None:
            continue
        before = chain.get(block.continues or "")
        chain[block.id] = before or block.id
        segmented = book or any(_is_segmented(leaf) for _, leaf in block.gloss.leaves())
        starred = False
        for place, leaf in block.gloss.leaves():
            cut = _is_segmented(leaf) or (segmented and not leaf.glosses and len(leaf.objects) < 2)
            for form in _leaf_forms(block, order, place, leaf):
                starred = starred or bool(form.mark) or form.reading or has_variants(form.written)
                yield replace(form, example=chain[block.id], segmented=cut)
        if not starred and _ANY_STAR.search(block.text):
            yield lone_star(order, block, "a star on a gloss, a label or a tag, not on a sentence")


def lone_star(order: int, block: Block, flaw: str) -> Form:
    """The first star of a block, with the text around it, where it marks no form; `flaw` says what it is."""
    found = _ANY_STAR.search(block.text)
    star = found.start() if found else 0
    shown = block.text[max(0, star - _SHOWN) : star + _SHOWN]
    return Form(order, block, block.id, (), shown, "*", quote=shown, flaw=flaw)


def _is_segmented(leaf: Gloss) -> bool:
    """Whether the only object line is cut into morphemes: a word of it and its gloss have hyphens or equals signs."""
    if len(leaf.objects) != 1 or not leaf.glosses:
        return False
    return any(
        _CUT.search(word) and re.search(r"[-=]", gloss)
        for word, gloss in zip(leaf.objects[0], leaf.glosses[0], strict=True)
    )


def _leaf_forms(block: Block, order: int, place: tuple[str, ...], leaf: Gloss) -> Iterator[Form]:
    """The object line, and the lines below it that are variants of it."""
    written = " ".join(word for word in leaf.objects[0] if word) if leaf.objects else ""
    if not written:
        return
    variants = list(_variant_lines(leaf))
    tags = _own_tags(leaf, written) if variants else leaf.source
    speakers = _SPEAKERS.search(written)
    if speakers:
        written, tags = written[: speakers.start()], speakers.group()
    leading = LEADING_MARK.match(written)
    mark = leaf.judgement or (leading["mark"] if leading else "")
    written = written[leading.end() :] if leading else written
    quote = quoted(block.text, mark, written)
    inner = re.search(rf"(?<=\s){SIGNS}(?=\w)", written)
    if not mark and inner and "/" not in written:
        mark, written = inner.group(), written[: inner.start()] + written[inner.end() :]
    form = Form(
        order=order,
        block=block,
        example=block.id,
        place=place,
        written=written,
        mark=mark or tag_mark(tags),
        quote=quote,
        reading=any(READING.search(line) for line in (leaf.translation or "", *leaf.notes))
        or bool(mark and any(map(is_other_reading, leaf.notes))),
        gloss=" ".join(word for word in leaf.glosses[0] if word) if leaf.glosses else None,
        translation=without_label(leaf.translation),
        language=leaf.language,
        tags=tags,
        flaw="a reconstructed form" if _RECONSTRUCTED.search(f"{leaf.language} {leaf.title}") else None,
    )
    yield form
    for line in variants:
        yield _variant(form, leaf, line)


def _variant_lines(leaf: Gloss) -> Iterator[str]:
    """The lines beside an object line that are sentences of their own: the starred ones below it with those between
    them, and a second object line where one of the two is starred. A line cut into morphemes is none."""
    second = " ".join(leaf.objects[1]) if len(leaf.objects) > 1 else ""
    if second and not _CUT.search(second):
        printed = next((line for line in reversed(leaf.raw.splitlines()) if line.strip(f"{MARKS} ") == second), "")
        starred = bool(LEADING_MARK.match(second) or LEADING_MARK.match(printed.strip()))
        if starred != bool(leaf.judgement):
            yield second
    if any(LEADING_MARK.match(note) and not is_other_reading(note) for note in leaf.notes):
        yield from leaf.notes


def _variant(form: Form, leaf: Gloss, line: str) -> Form:
    leading = LEADING_MARK.match(line)
    mark = leading["mark"] if leading else ""
    body = line[leading.end() :] if leading else line
    tags = _own_tags(leaf, body)
    written = _TAGS.sub("", body) if tag_mark(body) else body
    quote = quoted(form.block.text, mark, body)
    return replace(form, written=written, mark=mark or tag_mark(tags), quote=quote, tags=tags, gloss=None)


def _own_tags(leaf: Gloss, written: str) -> str | None:
    """The brackets behind a line of an example, as they stand in the document."""
    letters = "".join(written.split())
    for line in leaf.raw.splitlines():
        found = _TAGS.search(line)
        bare = line[: found.start()] if found else line
        if "".join(bare.split()).lstrip(MARKS).endswith("".join(_TAGS.sub("", letters).split())):
            return found.group().strip() if found else None
    return None
