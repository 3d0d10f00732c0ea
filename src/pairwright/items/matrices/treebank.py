"""Lexical sets from treebanks: the sentences, or verbs, of the roots that stand in several forms of a paradigm."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from pairwright.errors import SourceError, at
from pairwright.items.instances import STAGE
from pairwright.items.matrices.lexicon import Head, MatrixLexicon
from pairwright.items.matrices.template import TreebankQuery
from pairwright.languages.features import parse_features
from pairwright.records import Block, Rejection
from pairwright.text import ends_sentence, unpaired

_MOST_WORDS = 20


def treebank_lexicon(
    query: TreebankQuery, blocks: Iterable[Block], language: str, refused: frozenset[tuple[str, str, str]]
) -> tuple[MatrixLexicon, list[Rejection]]:
    """The roots with something for each slot, and what can't be used, with the reasons.

    `refused` are roots, slots and texts that reviewers don't let go together. Raises SourceError, with file and line,
    for a treebank in which no such word has the feature.
    """
    by_root: dict[str, dict[str, dict[str, Block]]] = defaultdict(lambda: {slot: {} for slot in query.slots})
    rejected: list[Rejection] = []
    slot_of = {value: slot for slot, value in query.slots.items()}
    has_feature = set[str]()
    blocks = [block for block in blocks if block.tree]
    for block in blocks:
        for word in block.tree.words if block.tree else ():
            if word.upos != query.upos or word.deprel not in query.relations:
                continue
            value = dict(parse_features(word.feats)).get(query.feature)
            has_feature |= {block.file} if value else set()
            if value not in slot_of or not {*query.without}.isdisjoint(word.feats.split("|")):
                continue
            match = re.fullmatch(query.roots.get(value, ""), word.lemma)
            root = "".join(match.groups()) if match else ""
            text = block.text if query.text == "sentence" else word.form
            fault = _fault(query, block, root, value) if match else f"no root of {value} in the lemma '{word.lemma}'"
            if (root, slot_of[value], text) in refused:
                fault = "refused by a reviewer"
            if fault:
                rejected.append(_rejection(block, fault, block.text))
            else:
                by_root[root][slot_of[value]].setdefault(text, block)
    if lacking := next((block for block in blocks if block.file not in has_feature), None):
        raise SourceError(
            f"{at(lacking.file, lacking.line)}: from here on no {query.upos} has the feature {query.feature}; name a "
            f"treebank that has it"
        )
    heads: list[Head] = []
    for root, found in sorted(by_root.items()):
        several = {text for slot, texts in found.items() for text in texts
                   if any(text in found[other] for other in query.slots if other != slot)}  # fmt: skip
        rejected += [_rejection(block, f"root '{root}': the same in several slots", text)
                     for texts in found.values() for text, block in texts.items() if text in several]  # fmt: skip
        takes = {slot: tuple(text for text in found[slot] if text not in several) for slot in query.slots}
        if all(takes.values()):
            heads.append(Head(lemma=root, takes=takes))
        else:
            block = next(iter(next(filter(None, found.values())).values()))
            without = ", ".join(value for slot, value in query.slots.items() if not takes[slot])
            rejected.append(_rejection(block, f"root '{root}' has no {query.text} in {without}", root))
    return MatrixLexicon(language=language, head=query.head, classed_by="treebank", heads=tuple(heads)), rejected


def _fault(query: TreebankQuery, block: Block, root: str, value: str) -> str:
    """Why a text can't be shown as a sentence, or nothing. Marks inside of words, as in abbreviations, are letters."""
    sentence = block.text
    if query.text == "word":
        return ""
    if not ends_sentence(sentence):
        return "no mark at the end"
    if sentence[:1].isdigit():
        return "begins with a digit"
    if any(unpaired(re.sub(r'(?<=\w)"(?=\w)', "", sentence))):
        return "a bracket or quotation mark has no partner"
    if len(sentence.split()) > _MOST_WORDS:
        return f"more than {_MOST_WORDS} words"
    if re.search(r"\d\s+\d", sentence):
        return "a number beside a number, as where a mark between them is lost"
    for token in re.findall(r"\w+", sentence):
        scripts = {unicodedata.name(char, "").split(" ")[0] for char in token}
        if len(scripts) > 1 and scripts & {"LATIN", "DIGIT"}:
            return f"'{token}' joins letters of two scripts, or letters and digits"
    return _other_form(query, block, root, value)


def _other_form(query: TreebankQuery, block: Block, root: str, value: str) -> str:
    """Why a sentence would give the answer away: it has the root in another slot, too."""
    for word in block.tree.words if block.tree else ():
        other = dict(parse_features(word.feats)).get(query.feature, "")
        match = re.fullmatch(query.roots.get(other, ""), word.lemma) if other != value else None
        if match and "".join(match.groups()) == root:
            return f"root '{root}' stands in {other}, too"
    return ""


def _rejection(block: Block, reason: str, text: str) -> Rejection:
    return Rejection(
        stage=STAGE, source_id=block.source_id, reason=reason, text=text, file=block.file, page=1, line=block.line
    )
