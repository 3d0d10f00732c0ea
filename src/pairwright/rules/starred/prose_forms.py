"""Forms outside numbered examples: items of lists, parts that run on in prose, inline forms and table cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairwright.records import Block
from pairwright.rules.starred.example_forms import LONGEST, RECONSTRUCTED, Form, lone_star
from pairwright.rules.starred.marks import ANY_STAR, MARKS, STARS, split_mark
from pairwright.rules.starred.mentions import counterpart
from pairwright.rules.starred.variants import has_variants
from pairwright.text import BOUNDARIES, join_morphemes, split_translation, words

_STAR = re.compile(rf"(?<![\w{STARS}])(?P<mark>[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}})(?=[\w(\[{{/∅‘“„-])")
# A star with a space between it and its word, in a table cell.
_LOOSE_STAR = re.compile(rf"^([{STARS}]+)\s+(?=\S)")
LABEL = re.compile(r"(?:^|(?<=\s))\(?(?P<label>[a-h]|[ivx]{1,4})[.)]\s+(?=\S)")
_NUMBERED = re.compile(r"^(?:[(\[]?\d{1,4}[)\].]\s*)?(?P<body>\S.*)$", re.DOTALL)
_PART_END = re.compile(r"(?P<end>[.!?…](?=\s|$))|\s(?=[‘“„«(\[])")
_RUN_END = re.compile(r"[.,;:()\[\]‘’“”„«»]|$")
_HISTORY = re.compile(
    r"\b(?:proto|reconstruct\w*|etymolog\w*|hypothetical|earlier form|classical|reflex|goes? back|ancestor|cognates?|"
    r"sound changes?|diachron\w*)\b|[<>]\s*$",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(r"^\S{1,12}\s+[<>→]\s")
_PROTO_AFTER = re.compile(r"^[^.!?]{0,40}\bProto-")
# How many characters before a star its sentence may say that the form is reconstructed.
_HISTORY_REACH = 200
_LONGEST_ITEM = 200

WORD_FORM = "a single word form, not a sentence"
BOUND = "a bound form, not a word"
SOUND_CHANGE = "a sound change, not a form"
ACCEPTED = "the same form stands unstarred in the table, for something else"
NO_END = "inline, and nothing shows where the form ends"
SIGN = "a star behind a word or by itself: the sign of a note, not of a form"


def prose_forms(blocks: Sequence[Block], boundaries: str = BOUNDARIES) -> Iterator[Form]:
    """The forms of lists, prose, footnotes and tables, in order. A starred one that can't be used has a flaw.

    boundaries  the signs between morphemes, which words of the prose and of tables may show
    """
    for order, block in enumerate(blocks):
        if block.gloss is None:
            forms = _cells(order, block) if block.kind == "table" else _text_forms(order, block)
            historical = is_historical(*block.section, *_captions(blocks, order), *_head(block))
            for form in forms:
                flaw = RECONSTRUCTED if form.mark and historical and form.flaw != SIGN else form.flaw
                beside = form.beside and replace(form.beside, boundaries=boundaries)
                yield replace(form, flaw=flaw, beside=beside, boundaries=boundaries if beside else form.boundaries)


def is_historical(*headings: str) -> bool:
    """Whether a heading, caption or head of a column says that starred forms under it are reconstructed."""
    return any(_HISTORY.search(heading) for heading in headings)


def _captions(blocks: Sequence[Block], order: int) -> list[str]:
    near = blocks[max(0, order - 1) : order + 2] if blocks[order].kind == "table" else ()
    return [block.text for block in near if block.kind == "caption"]


def _head(block: Block) -> list[str]:
    return [cell for row in (block.cells or ())[: max(1, block.header_rows)] for cell in row]


def _text_forms(order: int, block: Block) -> Iterator[Form]:
    parts = list(_parts(order, block))
    if any(part.mark for part in parts):
        yield from parts
        return
    whole = None if block.kind == "footnote" else _whole(order, block)
    starred = bool(ANY_STAR.search(block.text))
    if whole and (whole.mark or not starred or has_variants(whole.written)):
        yield whole
    elif inline := list(_inline(order, block)):
        yield from (*inline, *_emphasised(order, block))
    elif starred:
        yield lone_star(order, block, SIGN)


def _form(order: int, block: Block, mark: str, written: str, flaw: str | None = None) -> Form:
    quote = f"{mark}{written}"
    written, translation = split_translation(written)
    return Form(order, block, block.id, (), written, mark, quote=quote, translation=translation, flaw=flaw)


def _parts(order: int, block: Block) -> Iterator[Form]:
    """Parts that run on in a paragraph or footnote, from the first letter on: `(i) Jonas eina. (ii) *Jonas einu.`"""
    labels = list(LABEL.finditer(block.text))
    if not labels or labels[0]["label"] not in {"a", "i"}:
        return
    ends = [*(label.start() for label in labels[1:]), len(block.text)]
    for label, end in zip(labels, ends, strict=True):
        mark, body = split_mark(block.text[label.end() : end].rstrip())
        stop = _PART_END.search(body)
        written = body[: stop.end("end") if stop["end"] else stop.start()] if stop else body
        yield replace(_form(order, block, mark, written), place=(label["label"],))


def _whole(order: int, block: Block) -> Form | None:
    """A block that is one example: an item of a list, or a line with a number or a mark before it."""
    match = _NUMBERED.match(block.text)
    mark, written = split_mark(match["body"] if match else block.text)
    if len(written) > _LONGEST_ITEM or "\n" in written or (not mark and block.kind != "list_item"):
        return None
    return _form(order, block, mark, written, WORD_FORM if mark and len(words(written)) < 2 else None)


def _inline(order: int, block: Block) -> Iterator[Form]:
    """The starred forms in running text. Their end is certain where the page sets them in italics or bold."""
    for star in _STAR.finditer(block.text):
        start = star.end()
        span = next((b for a, b in block.emphasis if a <= start < b), None)
        run = _RUN_END.search(block.text, start, start + LONGEST)
        written = block.text[start : span or (run.start() if run else len(block.text))].strip()
        sentence_so_far = re.split(r"[.!?]\s", block.text[max(0, star.start() - _HISTORY_REACH) : star.start()])[-1]
        flaws = (
            (SIGN, block.kind == "footnote" and star.start() == 0),
            (RECONSTRUCTED, _HISTORY.search(sentence_so_far) or _PROTO_AFTER.search(block.text[start:])),
            (SOUND_CHANGE, _CHANGE_AFTER.match(block.text[start:])),
            (BOUND, written[:1] in "-="),
        )
        flaw = next((flaw for flaw, holds in flaws if holds), None)
        single = len(written.split()) < 2
        mention = counterpart(block, start) if flaw is None and (single or span is None) else None
        if mention:
            good = _form(order, block, "", mention.good)
            yield replace(_form(order, block, star["mark"], mention.bad), beside=good)
            continue
        flaw = flaw or (WORD_FORM if single else NO_END if span is None else None)
        yield _form(order, block, star["mark"], written, flaw)


def _emphasised(order: int, block: Block) -> Iterator[Form]:
    """The unstarred stretches of two or more words that the page emphasises, beside a starred one."""
    for start, end in block.emphasis:
        written = block.text[start:end].strip()
        starred = split_mark(written)[0] or block.text[:start].rstrip().endswith(tuple(STARS))
        if len(words(written)) > 1 and not starred:
            yield _form(order, block, "", written)


def _cells(order: int, block: Block) -> Iterator[Form]:
    """The starred cells of a table with the others of their row. Stars behind labels are one form for the table."""
    signs = False
    rows = block.cells or ()
    accepted = {join_morphemes(cell) for row in rows for cell in row if not ANY_STAR.search(cell)}
    for number, row in enumerate(rows):
        texts = [cell.strip() for cell in row]
        marks = [split_mark(_LOOSE_STAR.sub(r"\1", text))[0] for text in texts]
        signs = signs or any(ANY_STAR.search(text) for text, mark in zip(texts, marks, strict=True) if not mark)
        for column, (text, mark) in enumerate(zip(texts, marks, strict=True)) if any(marks) else ():
            written = text.lstrip(f"{MARKS} ") if mark else text
            lone = len(words(written)) < 2
            if written and (mark or not lone):
                above = _above(rows[:number], column) if mark and lone and not texts[0] else None
                beside = _form(order, block, "", above) if above else None
                flaw = WORD_FORM if lone and not beside else None
                flaw = ACCEPTED if mark and join_morphemes(written) in accepted else flaw
                form = _form(order, block, mark, written, flaw)
                yield replace(form, example=f"{block.id} row {number}", quote=text, beside=beside)
    if signs:
        yield lone_star(order, block, SIGN)


def _above(rows: Sequence[Sequence[str]], column: int) -> str | None:
    """The nearest cell with one unstarred word in the column above a row without a label, which goes with the row that
    has one."""
    for row in reversed(rows):
        text = row[column].strip()
        if text and not split_mark(_LOOSE_STAR.sub(r"\1", text))[0]:
            return text if len(text.split()) == 1 else None
        if row[0].strip():
            return None
    return None
