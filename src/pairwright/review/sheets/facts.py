"""What a reviewer reads beside a pair: the rule, its examples, what differs, what the pair rests on, and the place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import PurePath
from textwrap import shorten
from typing import NamedTuple

from pairwright.core.records import (
    Block,
    Candidate,
    Change,
    CheckedPair,
    Corruption,
    Evidence,
    Example,
    Rule,
    TreebankChange,
)
from pairwright.core.text import comparison_key, squeeze
from pairwright.languages import Language
from pairwright.languages.linguistics.edits import stretches
from pairwright.languages.linguistics.morphemes import plain_sentence
from pairwright.review.log.queue import ReviewContext

N_EXAMPLES = 3
# In characters; what is longer is said below the heading.
MAX_HEADING = 80
# One level of brackets may stand inside.
_BRACKET = re.compile(r"\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]")
# The check that lists words which a grammar does not have, and the one that doubts translations.
_NOT_ATTESTED, _TRANSLATION_DOUBTED = "language-not-attested", "judge-translation"


class PairFacts(NamedTuple):
    """What a reviewer reads beside a pair, in the reviewer's language.

    rule    the number and title of the rule; in an error list with what it bans before the title
    heading, description  the number with what is banned or a short title, and what else there is to be said
    words   the words of the good sentence in morphemes, each with its gloss
    basis   on what ground the bad sentence is bad, who wrote the pair, where its words are attested; with the gloss of
            the attested sentence that the good one was made from
    source  names the document and the place in it
    quote   the words there in pieces, with whether a piece is the bracket that corrects them
    """

    rule: str
    heading: str
    description: str
    examples: Sequence[Example]
    differs: Sequence[Change]
    translation: str
    words: Sequence[tuple[str, ...]]
    basis: Sequence[str]
    findings: Sequence[str]
    source: str
    quote: Sequence[tuple[str, bool]]
    evidence: Evidence

    def cells(self) -> dict[str, str]:
        """The facts as cells of a sheet, by field."""
        quote = "".join(f"⟦{text}⟧" if is_bracket else text for text, is_bracket in self.quote)
        marked = any(is_bracket for _, is_bracket in self.quote)
        lines = (" ".join(line) for line in zip(*self.words, strict=True))
        return {
            "rule": self.rule,
            "translation": " | ".join(filter(None, (self.translation, *map(str.strip, lines)))),
            "differs": "; ".join(f"{change.bad or '∅'} → {change.good or '∅'}" for change in self.differs),
            "basis": "; ".join(self.basis),
            "examples": " | ".join(
                f"{example.good} (*{example.bad})" if example.bad else example.good for example in self.examples
            ),
            "source": f"{self.source}: “{quote}”" if marked else self.source,
            "findings": "; ".join(self.findings),
        }


def pair_facts(
    context: ReviewContext, pair_id: str, words: Mapping[str, str], *, show_findings: bool
) -> PairFacts | None:
    """What a reviewer reads beside a pair; None if the source no longer has it. `words` are those of the interface."""
    checked = context.pairs.get(pair_id)
    rule = context.rules.get(checked.candidate.rule_id) if checked else None
    if checked is None or rule is None:
        return None
    pair = checked.candidate
    lines = [squeeze(line) for line in (pair.segmentation, pair.gloss) if line]
    attested = [context.attested[block_id] for block_id in pair.attested_ids if block_id in context.attested]
    made_from = bool(attested) and not _stands(pair.good, attested)
    number, banned = _section_number(rule), rule.description == f"{rule.phenomenon}: {rule.title}"
    heading = rule.phenomenon if banned else shorten(rule.title, MAX_HEADING, placeholder="…")
    own = {comparison_key(pair.good), comparison_key(pair.bad)}
    others = (
        one
        for one in rule.examples
        if one.default and not one.uncertain and not own & {comparison_key(one.good), comparison_key(one.bad or "")}
    )
    return PairFacts(
        rule=f"{number} {rule.description if banned else rule.title}".strip(),
        heading=f"{number} {heading}".strip(),
        description=" ".join(
            text for text in dict.fromkeys((rule.title, "" if banned else rule.description)) if text != heading
        ),
        examples=tuple(islice(others, N_EXAMPLES)),
        differs=pair.changes,
        translation=_translation(checked, words),
        words=() if made_from else tuple(zip_longest(*map(str.split, lines), fillvalue="")),
        basis=(
            *_licence(pair, rule, words),
            *_derivation(pair, context.candidates, words),
            *_attestation(checked, attested, lines if made_from else None, words),
        ),
        findings=[finding.message for finding in checked.findings] if show_findings else (),
        source=f"{context.source.title}, {_place(pair.evidence, words)}",
        quote=_quote(pair),
        evidence=pair.evidence,
    )


def _section_number(rule: Rule) -> str:
    """The number under which people find a rule in its source: a model's rule has letters behind it."""
    if rule.declaration:
        return ""
    return rule.code.rpartition("-")[0] if rule.asked else rule.code


def _quote(pair: Candidate) -> list[tuple[str, bool]]:
    """What the source says there, with the brackets marked that correct the words before them."""
    quote = squeeze(pair.evidence.quote)
    brackets = (match for match in _BRACKET.finditer(quote) if match[0] not in pair.bad and match[0] not in pair.good)
    return stretches(quote, [match.span() for match in brackets] if pair.method == "source" else ())


def interface_words(language: Language) -> dict[str, str]:
    """The words of sheets and pages by name; those that the language lacks are English."""
    return language.words("review").group("interface")


def _place(where: Evidence | Block, words: Mapping[str, str]) -> str:
    name = PurePath(where.file).name
    return f"{name}:{where.line}" if where.line is not None else f"{name}, {words['page_short']} {where.page}"


def _translation(checked: CheckedPair, words: Mapping[str, str]) -> str:
    """The translation in quotation marks, with a remark where the judge doubts it."""
    if not checked.candidate.translation:
        return ""
    doubted = any(finding.check == _TRANSLATION_DOUBTED for finding in checked.findings)
    return f"‘{squeeze(checked.candidate.translation)}’" + (f" ({words['translation_doubted']})" if doubted else "")


def _licence(pair: Candidate, rule: Rule, words: Mapping[str, str]) -> Iterator[str]:
    """Who says that the bad sentence is bad, with the words of the source, and who wrote it."""
    marks = (example.mark for example in rule.examples if (example.good, example.bad) == (pair.good, pair.bad))
    if rule.declaration:
        yield "; ".join((f"{words['declared']} {rule.declaration}", *rule.notes))
    elif mark := next(filter(None, marks), None):
        yield f"{words['marked']}: {mark}"
    elif rule.contrast and rule.contrast.licensed and rule.contrast.evidence:
        yield f"{words[rule.contrast.licence]}: “{squeeze(rule.contrast.evidence.quote)}”"
    if pair.method == "llm":
        yield words["written_by_model"]


def _derivation(pair: Candidate, candidates: Mapping[str, Candidate], words: Mapping[str, str]) -> Iterator[str]:
    """The good sentence of the pair that a program made this one from; of a treebank's sentence, its place."""
    if isinstance(pair.derivation, TreebankChange | Corruption):
        yield f"{words['attested']}: {_place(pair.evidence, words)}"
    elif pair.derivation is not None and (seed := candidates.get(pair.derivation.seed_id)):
        yield f"{words['derived_from']}: {squeeze(seed.good)}"


def _attestation(
    checked: CheckedPair, attested: Sequence[Block], base: Sequence[str] | None, words: Mapping[str, str]
) -> Iterator[str]:
    """Where the source attests the good sentence, and which words it does not have.

    base  the lines of the attested sentence that the good one was made from; None if it is attested itself
    """
    if attested:
        places = ", ".join(_place(block, words) for block in attested)
        yield " | ".join((f"{words['attested' if base is None else 'made_from']}: {places}", *(base or ())))
    if new := new_words(checked):
        yield f"{words['new_words']}: {', '.join(new)}"


def _stands(sentence: str, blocks: Sequence[Block]) -> bool:
    key = f" {comparison_key(sentence)} "
    return any(key in f" {comparison_key(text)} " for block in blocks for text in _sentences(block))


def _sentences(block: Block) -> Iterator[str]:
    """The words of a block, and the sentences of the glossed examples in it with their morphemes joined."""
    yield block.text
    for _, gloss in block.gloss.leaves() if block.gloss else ():
        yield plain_sentence(gloss)


def new_words(checked: CheckedPair) -> tuple[str, ...]:
    """The words of a pair that its source does not have, by its generator or by the checks."""
    pair = checked.candidate
    sentences = {"good": pair.good, "bad": pair.bad}
    found = [
        sentences[finding.side][slice(*finding.span)]
        for finding in checked.findings
        if finding.check == _NOT_ATTESTED and finding.side and finding.span
    ]
    return tuple(dict.fromkeys((*pair.new_words, *found)))
