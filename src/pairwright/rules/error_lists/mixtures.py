"""Lists that mix notations: which are read together, and which lines only another notation would read."""

from collections.abc import Iterable, Iterator

from pairwright.records import Block, Evidence, Rejection, Rule
from pairwright.rules import rejection
from pairwright.rules.error_lists.brackets import BracketReader
from pairwright.rules.error_lists.labels import list_lines
from pairwright.rules.error_lists.notation import Notation
from pairwright.rules.error_lists.wordings import Wording, wordings


def read_together(chosen: Notation, notations: Iterable[Notation]) -> list[Notation]:
    """The chosen notation of whole wordings and those whose signs stand for nothing else; a doubtful one comes last."""
    others = [each for each in notations if _is_safe(each) and each != chosen]
    return [*others, chosen] if chosen.doubtful else [chosen, *others]


def mixed_wordings(blocks: list[Block], notations: Iterable[Notation]) -> Iterator[Wording | Rejection]:
    """The wordings of a list in order, each line read in the first of the notations that makes a pair of it.

    A line with a sign of one of them and no pair is a Rejection.
    """
    readers: dict[tuple[object, ...], str] = {}
    read: list[Wording] = []
    rejected: list[tuple[str, Rejection]] = []
    for notation in notations:
        for item in wordings(blocks, notation):
            if isinstance(item, Rejection):
                rejected.append((notation.name, item))
            elif all(readers.get(place, notation.name) == notation.name for place in _places(item.evidence)):
                readers |= dict.fromkeys(_places(item.evidence), notation.name)
                read.append(item)
    order = {block.id: place for place, block in enumerate(blocks)}
    yield from sorted(read, key=lambda wording: (order[wording.block.id], wording.line or 0))
    for name, fault in dict.fromkeys(rejected):
        if all(readers.setdefault(place, name) == name for place in _places(fault)):
            yield fault


def unread(
    blocks: list[Block], items: Iterable[Rule | Rejection], notations: Iterable[Notation], is_alone: bool
) -> Iterator[Rejection]:
    """The lines that gave nothing and that another of the notations would read, with its name.

    `is_alone` says that others were not read because somebody named the list's own.
    """
    used = {place for item in items for of in _evidence(item) for place in _places(of)}
    by_id = {block.id: block for block in blocks}
    read_ids = {of.block_id for item in items for of in _evidence(item) if isinstance(of, Evidence)}
    for notation in notations:
        cure = f"put such lines into a list of their own, with --notation {notation.name}"
        cure = "name no notation, and both are read" if is_alone and _is_safe(notation) else cure
        for text in _readable(blocks, notation):
            block = by_id[text.block_id]
            # The head of a table that was read is no line to be read.
            if not used & _places(text) and not (block.kind == "table" and block.id in read_ids):
                used |= _places(text)
                reason = f"only notation '{notation.name}' reads such lines, `{notation.example}`; {cure}"
                yield rejection(block, reason, text.quote, text.line)


def _is_safe(notation: Notation) -> bool:
    return notation.layout != "brackets" and not notation.doubtful


def _evidence(item: Rule | Rejection) -> list[Evidence] | list[Rejection]:
    return [example.evidence for example in item.examples] if isinstance(item, Rule) else [item]


def _places(text: Evidence | Rejection) -> set[tuple[object, ...]]:
    """The lines of a text; where its document has none, the text itself."""
    words = text.quote if isinstance(text, Evidence) else text.text
    if text.line is None:
        return {(text.file, text.page, words.strip())}
    return {(text.file, text.line + further) for further in range(words.count("\n") + 1)}


def _readable(blocks: list[Block], notation: Notation) -> Iterator[Evidence]:
    """The texts in which a notation finds corrections; brackets are those that stand for nothing else."""
    if notation.layout == "brackets":
        reader = BracketReader(notation.model_copy(update={"right_first": ()}))
        lines = (line for line in list_lines(blocks) if reader.has_correction(line.text))
        yield from (Evidence.at(line.block, line.text, line.number) for line in lines)
    for item in wordings(blocks, notation) if notation.layout != "brackets" else ():
        if isinstance(item, Wording):
            yield item.evidence.model_copy(update={"quote": item.quote.split("\n")[0]})
