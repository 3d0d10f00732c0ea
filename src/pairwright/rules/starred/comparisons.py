"""The examples with which the prose compares a starred one: `compare (12a) with (13b)`, `unlike (7)`."""

from collections.abc import Iterator, Sequence

from pairwright.records import Block
from pairwright.rules.starred.conventions import ProseWords
from pairwright.rules.starred.example_forms import Form
from pairwright.rules.starred.introductions import REACH, is_prose, prose_sentences
from pairwright.rules.starred.references import Reference, references


def compared_examples(blocks: Sequence[Block], form: Form, prose: ProseWords) -> list[Reference]:
    """What the prose of its section names beside a form, once each.

    A sentence that names the form names the other examples beside it. So does one right before or behind the form's
    example that compares what it does not name with a single example, as does a comparison in the example itself.
    """
    named: dict[Reference, None] = {}
    adjacent = set(_adjacent(blocks, form.order))
    for at in range(max(0, form.order - REACH), min(len(blocks), form.order + REACH + 1)):
        block = blocks[at]
        if block.section != form.block.section or not (is_prose(block) or at == form.order):
            continue
        for sentence in prose_sentences(blocks, at, prose):
            items = references(sentence.text, prose)
            others = [item for item in items if not item.precision(form.place)]
            beside = at != form.order and len(others) < len(items)
            compares = (at in adjacent or at == form.order) and prose.comparisons.search(sentence.text)
            if beside or (compares and len(others) == 1):
                named.update(dict.fromkeys(others))
    return list(named)


def _adjacent(blocks: Sequence[Block], order: int) -> Iterator[int]:
    """The places of the blocks between the example before and the one behind, within their headings."""
    for places in (range(order - 1, -1, -1), range(order + 1, len(blocks))):
        for at in places:
            if blocks[at].gloss is not None or blocks[at].kind == "heading":
                break
            yield at
