"""Forms outside numbered examples: items of lists, parts that run on in prose, inline forms and table cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairwright.records import Block
from pairwright.rules.starred.example_forms import LONGEST, RECONSTRUCTED, Form, lone_star
from pairwright.rules.starred.marks import ANY_STAR, MARKS, STARS, split_mark
from pairwright.rules.starred.variants import has_variants
from pairwright.text import words

_STAR = re.compile(rf"(?<![\w{STARS}])(?P<mark>[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}})(?=[\w(\[{{/∅‘“„-])")
# A star with a space between it and its word, in a table cell.
_LOOSE_STAR = re.compile(rf"^([{STARS}]+)\s+(?=\S)")
LABEL = re.compile(r"(?:^|(?<=\s))\(?(?P<label>[a-h]|[ivx]{1,4})[.)]\s+(?=\S)")
_NUMBERED = re.compile(r"^(?:[(\[]?\d{1,4}[)\].]\s*)?(?P<body>\S.*)$", re.DOTALL)
_PART_END = re.compile(r"(?P<end>[.!?…](?=\s|$))|\s(?=[‘“„«(\[])")
_RUN_END = re.compile(r"[.,;:()\[\]‘’“”„«»]|$")
_HISTORY = re.compile(
    r"\b(?:proto|reconstruct\w*|etymolog\w*|hypothetical|earlier form|classical|reflex)\b|[<>]\s*$", re.IGNORECASE
)
_PROTO_AFTER = re.compile(r"^[^.!?]{0,40}\bProto-")
# How many characters before a star its sentence may say that the form is reconstructed.
_HISTORY_REACH = 200
_LONGEST_ITEM = 200

WORD_FORM = "a single word form, not a sentence"
NO_END = "inline, and nothing shows where the form ends"
SIGN = "a star behind a word or by itself: the sign of a note, not of a form"


def prose_forms(blocks: Sequence[Block]) -> Iterator[Form]:
    """The forms of lists, prose, footnotes and tables, in order. A starred one that can't be used has a flaw."""
    for order, block in enumerate(blocks):
        if block.gloss is None:
            yield from _cells(order, block) if block.kind == "table" else _text_forms(order, block)


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
    return Form(order, block, block.id, (), written, mark, quote=f"{mark}{written}", flaw=flaw)


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
            (WORD_FORM, len(written.split()) < 2),
            (NO_END, span is None),
        )
        yield _form(order, block, star["mark"], written, next((flaw for flaw, holds in flaws if holds), None))


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
    for number, row in enumerate(block.cells or ()):
        texts = [cell.strip() for cell in row]
        marks = [split_mark(_LOOSE_STAR.sub(r"\1", text))[0] for text in texts]
        signs = signs or any(ANY_STAR.search(text) for text, mark in zip(texts, marks, strict=True) if not mark)
        for text, mark in zip(texts, marks, strict=True) if any(marks) else ():
            written = text.lstrip(f"{MARKS} ") if mark else text
            lone = len(words(written)) < 2
            if written and (mark or not lone):
                form = _form(order, block, mark, written, WORD_FORM if lone else None)
                yield replace(form, example=f"{block.id} row {number}", quote=text)
    if signs:
        yield lone_star(order, block, SIGN)
