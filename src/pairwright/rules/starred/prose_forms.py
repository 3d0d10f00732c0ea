"""Forms outside numbered examples: starred items of lists, parts that run on in prose, inline forms, table cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairwright.records import Block
from pairwright.rules.starred.example_forms import LONGEST, Form, lone_star
from pairwright.rules.starred.marks import LEADING_MARK, MARKS, STARS
from pairwright.rules.starred.variants import has_variants
from pairwright.text import words

_STAR = re.compile(rf"(?<![\w{STARS}])(?P<mark>[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}})(?=[\w(\[{{/∅‘“„-])")
_ANY_STAR = re.compile(f"[{STARS}]")
# A star that a space parts from the word in its table's cell.
_LOOSE_STAR = re.compile(rf"^([{STARS}]+)\s+(?=\S)")
LABEL = re.compile(r"(?:^|(?<=\s))\(?(?P<label>[a-h]|[ivx]{1,4})[.)]\s+(?=\S)")
_NUMBERED = re.compile(r"^(?:[(\[]?\d{1,4}[)\].]\s*)?(?P<body>\S.*)$", re.DOTALL)
_PART_END = re.compile(r"(?P<end>[.!?…](?=\s|$))|\s(?=[‘“„«(\[])")
_RUN_END = re.compile(r"[.,;:()\[\]‘’“”„«»]|$")
_HISTORY = re.compile(
    r"\b(?:proto|reconstruct\w*|etymolog\w*|hypothetical|earlier form|classical|reflex)\b|[<>]\s*$", re.IGNORECASE
)
_PROTO_AFTER = re.compile(r"^[^.!?]{0,40}\bProto-")
# How far, in characters, before a star its sentence may say that the form is reconstructed.
_HISTORY_REACH = 200

RECONSTRUCTED = "a reconstructed form"
WORD_FORM = "a single word form, not a sentence"
NO_END = "inline, and nothing shows where the form ends"
SIGN = "a star behind a word or by itself: the sign of a note, not of a form"


def prose_forms(blocks: Sequence[Block]) -> Iterator[Form]:
    """The forms of lists, prose, footnotes and tables, in their order; a starred one that can't be used has a flaw."""
    for order, block in enumerate(blocks):
        if block.gloss is not None:
            continue
        if block.kind == "table":
            yield from _cells(order, block)
        else:
            yield from _text_forms(order, block)


def _text_forms(order: int, block: Block) -> Iterator[Form]:
    parts = list(_parts(order, block))
    if any(part.mark for part in parts):
        yield from parts
        return
    whole = None if block.kind == "footnote" else _whole(order, block)
    if whole and (whole.mark or not _ANY_STAR.search(block.text) or has_variants(whole.written)):
        yield whole
        return
    inline = list(_inline(order, block))
    yield from inline
    if inline:
        yield from _emphasised(order, block)
    elif _ANY_STAR.search(block.text):
        yield lone_star(order, block, SIGN)


def _form(order: int, block: Block, mark: str, written: str, *, label: str = "", flaw: str | None = None) -> Form:
    place = (label,) if label else ()
    return Form(order, block, block.id, place, written, mark, quote=f"{mark}{written}", flaw=flaw)


def _parts(order: int, block: Block) -> Iterator[Form]:
    """Parts that run on in a paragraph or footnote: `(i) Jonas eina. (ii) *Jonas einu.`, from the first letter on."""
    labels = list(LABEL.finditer(block.text))
    if not labels or labels[0]["label"] not in {"a", "i"}:
        return
    for label, following in zip(labels, [*labels[1:], None], strict=True):
        text = block.text[label.end() : following.start() if following else len(block.text)].rstrip()
        mark = LEADING_MARK.match(text)
        body = text[mark.end() :] if mark else text
        stop = _PART_END.search(body)
        written = body[: stop.end("end") if stop["end"] else stop.start()] if stop else body
        yield _form(order, block, mark["mark"] if mark else "", written, label=label["label"])


def _whole(order: int, block: Block) -> Form | None:
    """A block that is one example by itself: a list's item, or a line with a number or a mark before it."""
    match = _NUMBERED.match(block.text)
    body = match["body"] if match else block.text
    mark = LEADING_MARK.match(body)
    written = body[mark.end() :] if mark else body
    if len(written) > 200 or "\n" in written or (mark is None and block.kind != "list_item"):
        return None
    flaw = WORD_FORM if mark and len(words(written)) < 2 else None
    return _form(order, block, mark["mark"] if mark else "", written, flaw=flaw)


def _inline(order: int, block: Block) -> Iterator[Form]:
    """The starred forms in running text. Their end is known where the page sets them in italics or bold."""
    for star in _STAR.finditer(block.text):
        start = star.end()
        span = next((b for a, b in block.emphasis if a <= start < b), None)
        run = _RUN_END.search(block.text, start, start + LONGEST)
        end = span or (run.start() if run else len(block.text))
        written = block.text[start:end].strip()
        before = block.text[max(0, star.start() - _HISTORY_REACH) : star.start()]
        sentence_so_far = re.split(r"[.!?]\s", before)[-1]
        flaw = None
        if block.kind == "footnote" and star.start() == 0:
            flaw = SIGN
        elif _HISTORY.search(sentence_so_far) or _PROTO_AFTER.search(block.text[start:]):
            flaw = RECONSTRUCTED
        elif len(written.split()) < 2:
            flaw = WORD_FORM
        elif span is None:
            flaw = NO_END
        yield _form(order, block, star["mark"], written, flaw=flaw)


def _emphasised(order: int, block: Block) -> Iterator[Form]:
    """The unstarred stretches of two or more words that the page sets off, beside a starred one."""
    for start, end in block.emphasis:
        written = block.text[start:end].strip()
        before = block.text[:start].rstrip()
        if len(words(written)) > 1 and not LEADING_MARK.match(written) and before[-1:] not in tuple(STARS):
            yield _form(order, block, "", written)


def _cells(order: int, block: Block) -> Iterator[Form]:
    """The starred cells of a table with the others of their row; stars behind labels are one form for the table."""
    signs = False
    for number, row in enumerate(block.cells or ()):
        texts = [cell.strip() for cell in row]
        marks = [LEADING_MARK.match(_LOOSE_STAR.sub(r"\1", text)) for text in texts]
        signs = signs or any(_ANY_STAR.search(text) for text, mark in zip(texts, marks, strict=True) if not mark)
        if not any(marks):
            continue
        for text, mark in zip(texts, marks, strict=True):
            written = text.lstrip(f"{MARKS} ") if mark else text
            lone = len(words(written)) < 2
            if written and (mark or not lone):
                form = _form(order, block, mark["mark"] if mark else "", written, flaw=WORD_FORM if lone else None)
                yield replace(form, example=f"{block.id} row {number}", quote=text)
    if signs:
        yield lone_star(order, block, SIGN)
