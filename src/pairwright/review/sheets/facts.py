"""What a reviewer reads beside a pair: the rule, its examples, what differs, what the pair rests on, and the place."""

import re
from collections import Counter
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
from pairwright.core.text import comparison_key, nfc, sentence_key, squeeze
from pairwright.core.text import words as words_of
from pairwright.languages import Language
from pairwright.languages.linguistics.edits import stretches
from pairwright.languages.linguistics.glosses import GlossedBook
from pairwright.languages.linguistics.morphemes import plain_sentence
from pairwright.languages.linguistics.sentences import END_MARKS
from pairwright.review.log.queue import ReviewContext

N_EXAMPLES = 3
# In characters; what is longer is said below the heading.
MAX_HEADING, MAX_QUOTE = 80, 200
# Of a word.
MAX_GLOSSES = 2
# One level of brackets may stand inside.
_BRACKET = re.compile(r"\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]")
# The check that lists words which a grammar does not have.
_NOT_ATTESTED = "language-not-attested"


class PairFacts(NamedTuple):
    """What a reviewer reads beside a pair, in the reviewer's language.

    rule    the number and title of the rule, in a grammar with the words that state it; in an error list with what it
            bans before the title
    heading, description  the number with what is banned or a short title, and what else there is to be said
    differences  what differs, the good side first, with the source's glosses of both; of moved words the whole stretch
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
    differences: Sequence[str]
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
            "differs": "; ".join(self.differences),
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
    # People find a rule in its source by this number; that of a model's rule has letters behind it.
    number = "" if rule.declaration else rule.code.rpartition("-")[0] if rule.asked else rule.code
    banned = rule.description == f"{rule.phenomenon}: {rule.title}"
    heading = rule.phenomenon if banned else shorten(rule.title, MAX_HEADING, placeholder="…")
    translation = f"‘{squeeze(pair.translation)}’" if pair.translation else ""
    own = {comparison_key(pair.good), comparison_key(pair.bad)}
    others = (
        one
        for one in rule.examples
        if one.default and not one.uncertain and not own & {comparison_key(one.good), comparison_key(one.bad or "")}
    )
    return PairFacts(
        rule=f"{number} {rule.description if banned else rule.title}{_stated(pair, rule)}".strip(),
        heading=f"{number} {heading}".strip(),
        description=" ".join(
            text for text in dict.fromkeys((rule.title, "" if banned else rule.description)) if text != heading
        ),
        examples=tuple(islice(others, N_EXAMPLES)),
        differs=pair.changes,
        differences=_differences(pair, context.glosses),
        translation=translation,
        words=_glossed(pair, context.glosses)
        if made_from
        else tuple(zip_longest(*map(str.split, lines), fillvalue="")),
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


def _stated(pair: Candidate, rule: Rule) -> str:
    """The words of a grammar that state a rule, behind its title, which may be a mere heading."""
    quote = squeeze(rule.quote)
    if rule.contrast is None or rule.declaration or quote in rule.title or pair.good in quote:
        return ""
    return f": “{shorten(quote, MAX_QUOTE, placeholder='…')}”"


def _differences(pair: Candidate, glosses: GlossedBook) -> list[str]:
    good, bad = (Counter(map(str.casefold, words_of(side))) for side in (pair.good, pair.bad))
    if good == bad and len(pair.changes) > 1:
        first, last = pair.changes[0], pair.changes[-1]
        moved = pair.good[first.good_at : last.good_at + len(last.good)].strip()
        return [f"{moved} → {pair.bad[first.bad_at : last.bad_at + len(last.bad)].strip()}"]

    def shown(text: str) -> str:
        found = [" / ".join(it.gloss for it in glosses.of(word)[:MAX_GLOSSES]) for word in words_of(text)]
        return f"{text} ({' '.join(found)})" if found and all(found) else text or "∅"

    return [f"{shown(change.good)} → {shown(change.bad)}" for change in pair.changes]


def _glossed(pair: Candidate, glosses: GlossedBook) -> tuple[tuple[str, str], ...]:
    """The words of a sentence that the source does not have as it is, as it glosses them; none if one is unknown.

    Of several glosses of a word, the one in the sentence that the pair was made from, else the first.
    """
    base = {it for key in pair.attested_ids for one in glosses.by_block.get(key, ()) for it in one.words}
    found = [sorted(glosses.of(word), key=lambda it: it not in base)[:1] for word in words_of(pair.good)]
    return tuple((it.cut, it.gloss) for of_word in found for it in of_word) if all(found) else ()


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
    """Whether a source has a sentence letter by letter, but for its first capital and last mark."""
    key = _key(sentence)
    glosses = (gloss for block in blocks if block.gloss for _, gloss in block.gloss.leaves())
    texts = (f" {_key(block.text)} " for block in blocks if not block.gloss)
    return any(key == _key(plain_sentence(gloss)) for gloss in glosses) or any(f" {key} " in text for text in texts)


def _key(sentence: str) -> str:
    return sentence_key(nfc(sentence)).rstrip(END_MARKS + " ")


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
