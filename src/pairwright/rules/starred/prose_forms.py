"""Forms outside numbered examples: items of lists, parts that run on in prose, inline forms and table cells."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairwright.languages.linguistics.marks import ANY_STAR, STARS, split_mark
from pairwright.languages.linguistics.sentences import is_sentence
from pairwright.records import Block
from pairwright.rules.starred.conventions import Conventions, ProseWords
from pairwright.rules.starred.example_forms import (
    LONGEST,
    RECONSTRUCTED,
    WORD_FORM,
    Form,
    lone_star,
    plain_form,
)
from pairwright.rules.starred.mentions import bracketed_phrase, counterpart, phrase_counterpart
from pairwright.rules.starred.table_forms import SIGN, table_forms, titles
from pairwright.rules.starred.variants import has_variants
from pairwright.text import words

_STAR = re.compile(rf"(?<![\w{STARS}])(?P<mark>[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}})(?=[\w(\[{{/∅‘“„-])")
LABEL = re.compile(r"(?:^|(?<=\s))\(?(?P<label>[a-h]|[ivx]{1,4})[.)]\s+(?=\S)")
# A number that begins an example in a list; a sentence may begin with one in round brackets, which is a reference.
LISTED = re.compile(r"^\d{1,4}(?:\.\d{1,3})*[.)]\s+(?=\S)")
_NUMBERED = re.compile(r"^(?:[(\[]?(?P<number>\d{1,4}(?:\.\d{1,3})*)[)\].]\s*)?(?P<body>\S.*)$", re.DOTALL)
_PART_END = re.compile(r"(?P<end>[.!?…](?=\s|$))|\s(?=[‘“„«(\[])")
_RUN_END = re.compile(r"[.,;:()\[\]‘’“”„«»]|$")
_ARROW_BEFORE = re.compile(r"[<>]\s*$")
_CHANGE_AFTER = re.compile(r"^\S{1,12}\s+[<>→]\s")
# What stands behind a star in its sentence, near it.
_AFTER = re.compile(r"[^.!?]{0,40}")
# How many characters before a star its sentence may say that the form is reconstructed.
_HISTORY_REACH = 200
_LONGEST_ITEM = 200
# How far around a star its sentence may reach, in characters; and how many starred forms no passage has.
_WINDOW, _MOST_STARS = 1000, 500

BOUND = "a bound form, not a word"
SOUND_CHANGE = "a sound change, not a form"
NO_END = "inline, and nothing shows where the form ends"


def prose_forms(blocks: Sequence[Block], conventions: Conventions) -> Iterator[Form]:
    """The forms of lists, prose, footnotes and tables, in order. A starred one that can't be used has a flaw."""
    boundaries = conventions.boundaries
    for order, block in enumerate(blocks):
        if block.gloss is None:
            is_table = block.kind == "table"
            forms = table_forms(order, block, conventions) if is_table else _text_forms(order, block, conventions)
            headings = (*block.section, *(titles(blocks, order) if is_table else ()))
            historical = any(map(conventions.prose.history.search, headings))
            for form in forms:
                flaw = RECONSTRUCTED if form.mark and historical and form.flaw != SIGN else form.flaw
                beside = form.beside and replace(form.beside, boundaries=boundaries)
                # A hyphen in a sentence of several words may belong to its spelling.
                cut = beside or (len(form.written.split()) == 1 and form.translation)
                yield replace(form, flaw=flaw, beside=beside, boundaries=boundaries if cut else "")


def _text_forms(order: int, block: Block, conventions: Conventions) -> Iterator[Form]:
    parts = list(_parts(order, block, conventions))
    if any(part.mark for part in parts):
        yield from parts
        return
    whole = None if block.kind == "footnote" else _whole(order, block, conventions)
    starred = bool(ANY_STAR.search(block.text))
    if whole and (whole.mark or not starred or has_variants(whole.written)):
        yield whole
    elif starred and len(_STAR.findall(block.text)) > _MOST_STARS:
        yield lone_star(order, block, f"more than {_MOST_STARS} starred forms stand together; part the passage")
    elif inline := list(_inline(order, block, conventions.prose)):
        yield from (*inline, *_emphasised(order, block))
    elif starred:
        yield lone_star(order, block, SIGN)


def _parts(order: int, block: Block, conventions: Conventions) -> Iterator[Form]:
    """Parts that run on in a paragraph or footnote, from the first letter on: `(i) Jonas eina. (ii) *Jonas einu.`"""
    labels = list(LABEL.finditer(block.text))
    if not labels or labels[0]["label"] not in {"a", "i"}:
        return
    ends = [*(label.start() for label in labels[1:]), len(block.text)]
    for label, end in zip(labels, ends, strict=True):
        mark, body = conventions.split_mark(block.text[label.end() : end].rstrip())
        stop = _PART_END.search(body)
        written = body[: stop.end("end") if stop["end"] else stop.start()] if stop else body
        yield replace(plain_form(order, block, mark, written), place=(label["label"],))


def _whole(order: int, block: Block, conventions: Conventions) -> Form | None:
    """A block that is one example: an item of a list, or a line with a number or a mark before it."""
    match = _NUMBERED.match(block.text)
    number = match["number"] if match else None
    mark, written = conventions.split_mark(match["body"] if match else block.text)
    listed = block.kind == "list_item" or LISTED.match(block.text)
    if len(written) > _LONGEST_ITEM or "\n" in written or not (mark or listed):
        return None
    form = plain_form(order, block, mark, written)
    word = mark and len(words(form.written)) < 2 and not is_sentence(form.translation or "")
    return replace(form, place=(number,) if number else (), flaw=WORD_FORM if word else None)


def _inline(order: int, block: Block, prose: ProseWords) -> Iterator[Form]:
    """The starred forms in running text. Their end is certain where the page sets them in italics or bold."""
    for star in _STAR.finditer(block.text):
        around, start = _around(block, star.end())
        star_at = start - len(star[0])
        phrase = bracketed_phrase(around, start)
        span = start + len(phrase) if phrase else next((b for a, b in around.emphasis if a <= start < b), None)
        run = _RUN_END.search(around.text, start, start + LONGEST)
        written = around.text[start : span or (run.start() if run else len(around.text))].strip()
        sentence_so_far = re.split(r"[.!?]\s", around.text[max(0, star_at - _HISTORY_REACH) : star_at])[-1]
        following = _AFTER.match(around.text, start)
        near = f"{sentence_so_far} {following[0] if following else ''}"
        historical = prose.history.search(near) or _ARROW_BEFORE.search(sentence_so_far)
        flaws = (
            (SIGN, block.kind == "footnote" and star.start() == 0),
            (RECONSTRUCTED, historical),
            (SOUND_CHANGE, _CHANGE_AFTER.match(around.text[start:])),
            (BOUND, re.match(r"[-=]|\S+[-=](?:\s|$)|$", written)),
        )
        flaw = next((flaw for flaw, holds in flaws if holds), None)
        single = len(written.split()) < 2
        mention = None
        if flaw is None and phrase:
            mention = phrase_counterpart(around, start, phrase)
        elif flaw is None and (single or span is None):
            mention = counterpart(around, start, prose)
        if mention:
            good = plain_form(order, block, "", mention.good)
            yield replace(plain_form(order, block, star["mark"], mention.bad), beside=good)
            continue
        flaw = flaw or (WORD_FORM if single else NO_END if span is None else None)
        yield replace(plain_form(order, block, star["mark"], written), flaw=flaw)


def _around(block: Block, place: int) -> tuple[Block, int]:
    """A block with no more than the text around a place, and the place in it: no sentence reaches further."""
    first, last = max(0, place - _WINDOW), place + _WINDOW
    among = block.emphasis[max(0, bisect(block.emphasis, (first,)) - 1) : bisect(block.emphasis, (last,))]
    emphasis = tuple((max(0, a - first), b - first) for a, b in among if b > first)
    return block.model_copy(update={"text": block.text[first:last], "emphasis": emphasis}), place - first


def _emphasised(order: int, block: Block) -> Iterator[Form]:
    """The unstarred stretches of two or more words that the page emphasises, beside a starred one."""
    for start, end in block.emphasis:
        written = block.text[start:end].strip()
        before = block.text[max(0, start - _WINDOW) : start].rstrip()
        starred = split_mark(written)[0] or before.endswith(tuple(STARS))
        if len(words(written)) > 1 and not starred:
            yield plain_form(order, block, "", written)
