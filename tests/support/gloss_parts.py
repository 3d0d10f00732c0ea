"""Examples as lines that tests compare."""

from collections.abc import Iterable

from pairwright.core.records import Block, Gloss


def shown(gloss: Gloss) -> str:
    """All fields of an example: `~` is before the words over the glosses, `=` before these, `+` before a note."""
    tiers = [f"~ {' '.join(gloss.segmentation)}"] if gloss.segmentation else []
    tiers += ["= " + " ".join(words) for words in gloss.glosses]
    known = {"{})": gloss.number, "<{}>": gloss.language, "# {}": gloss.title, "{}": gloss.judgement}
    last = {"‘{}’": gloss.translation, "[{}]": gloss.source}
    head, tail = ([form.format(text) for form, text in fields.items() if text] for fields in (known, last))
    return " ".join(filter(None, [*head, gloss.surface, *tiers, *tail, *(f"+ {note}" for note in gloss.notes)]))


def shown_blocks(blocks: Iterable[Block]) -> list[str]:
    """The examples of blocks, each part by itself."""
    return [shown(leaf) for block in blocks if block.gloss for _, leaf in block.gloss.leaves()]
