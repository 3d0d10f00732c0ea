"""Sentences of treebanks, or their verbs, by root and form, for native speakers to decide on."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from pairwright.errors import SourceError, at
from pairwright.items.instances import STAGE
from pairwright.items.matrices.combinations import Combination
from pairwright.items.matrices.template import TreebankQuery
from pairwright.languages.features import parse_features
from pairwright.languages.letters import script
from pairwright.languages.linguistics.sentences import why_no_sentence
from pairwright.records import Block, Rejection, Word
from pairwright.text import sentence_key

_MOST_WORDS = 30


class _Use(NamedTuple):
    """A verb of a root in a sentence.

    is_asked  the text may stand for it, and not only for another verb
    rank      lower ones come first
    """

    root: str
    slot: str
    text: str
    word: Word
    block: Block
    is_asked: bool
    rank: tuple[int, int]


def treebank_combinations(
    query: TreebankQuery, blocks: Iterable[Block], most: int
) -> tuple[list[Combination], list[Rejection]]:
    """The texts of the roots that have some for each slot, at most `most` for each, and what can't be used.

    Each text stands once; one with verbs of two such roots is rejected. The relations that the query names first come
    first, then short sentences. Raises SourceError, with file and line, for a treebank in which no such word has the
    feature.
    """
    by_text: dict[str, list[_Use]] = defaultdict(list)
    has_feature, rejected = set[str](), list[Rejection]()
    blocks = [block for block in blocks if block.tree]
    for block in blocks:
        for use in _uses(query, block, has_feature, rejected):
            by_text[sentence_key(use.text)].append(use)
    if lacking := next((block for block in blocks if block.file not in has_feature), None):
        raise SourceError(
            f"{at(lacking.file, lacking.line)}: from here on no {query.upos} has the feature {query.feature}; name a "
            f"treebank that has it"
        )
    by_place: dict[tuple[str, int], list[_Use]] = defaultdict(list)
    slots = list(query.slots)
    for uses in _usable(query, by_text.values(), rejected):
        first = min(uses, key=lambda use: use.rank)
        by_place[first.root, slots.index(first.slot)].append(first)
    combinations: list[Combination] = []
    for (root, number), uses in sorted(by_place.items()):
        without = ", ".join(slot for other, slot in enumerate(slots) if (root, other) not in by_place)
        fault = f"no {query.text} in {without}" if without else f"{most} in {slots[number]} before it"
        uses.sort(key=lambda use: use.rank)
        n_kept = 0 if without else most
        combinations += map(_combination, uses[:n_kept])
        rejected += [use.block.rejection(STAGE, f"root '{root}' has {fault}") for use in uses[n_kept:]]
    return combinations, rejected


def _usable(
    query: TreebankQuery, by_text: Collection[Sequence[_Use]], rejected: list[Rejection]
) -> Iterator[Sequence[_Use]]:
    """The uses of a text that may fill a slot, for each text without a fault."""
    n_slots = Counter(root for root, _ in {(use.root, use.slot) for uses in by_text for use in uses})
    for uses in by_text:
        paired = [use for use in uses if n_slots[use.root] == len(query.slots)]
        # A text of two roots could be right where it is to be wrong.
        roots = sorted({f"root '{use.root}' in {use.slot}" for use in paired})
        fault = " and ".join(roots) if len(roots) > 1 else ""
        fault = fault or (_fault(uses[0].text) if query.text == "sentence" else "")
        asked = [use for use in paired or uses if use.is_asked]
        if asked and fault:
            rejected.append(asked[0].block.rejection(STAGE, fault))
        elif asked:
            yield asked


def _uses(query: TreebankQuery, block: Block, has_feature: set[str], rejected: list[Rejection]) -> Iterator[_Use]:
    """The verbs of a sentence that have a root; those that are asked for, but have none, are rejected."""
    slot_of = {value: slot for slot, value in query.slots.items()}
    for word in block.tree.words if block.tree else ():
        features = dict(parse_features(word.feats)) if word.upos == query.upos else {}
        value = features.get(query.feature, "")
        has_feature |= {block.file} if value else set()
        if value not in slot_of:
            continue
        place = query.relations.index(word.deprel) if word.deprel in query.relations else -1
        is_asked = place >= 0 and {*query.without}.isdisjoint(word.feats.split("|"))
        if root := query.root(value, word.lemma):
            text = block.text if query.text == "sentence" else word.form
            yield _Use(root, slot_of[value], text, word, block, is_asked, (place, len(block.text.split())))
        elif is_asked:
            rejected.append(block.rejection(STAGE, f"no root of {value} in the lemma '{word.lemma}'"))


def _combination(use: _Use) -> Combination:
    """A row for a native speaker, in which the verb stands in brackets inside its sentence."""
    text, word = use.block.text, use.word
    shown = f"{text[: word.start]}[{text[word.start : word.end]}]{text[word.end :]}"
    place = f"{use.block.source_id}:{use.block.line}"
    return Combination(head=use.root, slot=use.slot, word=use.text, sentence=shown, proposed_by=place)


def _fault(sentence: str) -> str:
    """Why a text can't be shown as a sentence, or nothing."""
    if reason := why_no_sentence(sentence):
        return reason
    if sentence[:1].isdigit():
        return "begins with a digit"
    if len(sentence.split()) > _MOST_WORDS:
        return f"more than {_MOST_WORDS} words"
    if re.search(r"\d\s+\d", sentence):
        return "a number beside a number, as where a mark between them is lost"
    for token in re.findall(r"\w+", sentence):
        scripts = {"DIGIT" if char.isdigit() else script(char) for char in token} - {""}
        if len(scripts) > 1 and scripts & {"LATIN", "DIGIT"}:
            return f"'{token}' joins letters of two scripts, or letters and digits"
    return ""
