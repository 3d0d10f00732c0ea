"""What a queue asks of whom, the columns in which its sheets ask it, and what a reviewer reads beside a pair."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path, PurePath
from textwrap import shorten
from typing import NamedTuple

from pairwright.core.errors import ConfigError, StoreError
from pairwright.core.ids import digest
from pairwright.core.records import (
    Block,
    Candidate,
    Change,
    CheckedPair,
    Corruption,
    Evidence,
    Example,
    QueueKind,
    Rule,
    TreebankChange,
)
from pairwright.core.text import comparison_key, nfc, sentence_key, squeeze
from pairwright.core.text import words as words_of
from pairwright.languages import Language
from pairwright.languages.linguistics.glosses import GlossedBook, plain_sentence
from pairwright.languages.linguistics.sentences import END_MARKS, stretches
from pairwright.languages.locale import load_words
from pairwright.review.log import (
    FROM_VERSION_CONTROL,
    Assignment,
    Entry,
    Key,
    Pair,
    QueueFolder,
    QueueInfo,
    ReviewContext,
    key_of,
)
from pairwright.review.sheets.spreadsheet import (
    DecisionVocabulary,
    Sheet,
    SheetRow,
    read_sheet,
    require,
    squeeze_cell,
    title_key,
)

# What the reviewer writes. The first of them is the answer itself.
ANSWERS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("decision", "fixed_good", "fixed_bad", "comment"),
    "choice": ("choice", "comment"),
    "likert": ("rating", "comment"),
}
# The sentences that the reviewer is shown.
SHOWN: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("good", "bad"),
    "choice": ("sentence_a", "sentence_b"),
    "likert": ("sentence",),
}
IDS: Mapping[QueueKind, str] = {"pairs": "pair_id", "choice": "item_id", "likert": "item_id"}
# A digest of the answer with which a row was written, by which what was written into it since is noticed.
EXPORTED = "exported"
_HELP = ("alternatives", "translation", "differs", "basis", "examples", "source", "findings", "votes", "reason")
# Columns that a sheet has only where one of its rows has something there.
WHERE_GIVEN = ("translation", "basis", "findings", "votes", "reason")
# Label Studio's CSV has this column, and those of the controls that somebody used.
_OF_LABEL_STUDIO = "annotation id"
N_EXAMPLES = 3
# In characters; what is longer is said below the heading.
MAX_HEADING, MAX_QUOTE = 80, 200
# Of a word.
MAX_GLOSSES = 2
# One level of brackets may stand inside.
_BRACKET = re.compile(r"\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]")
# All fields, in the order that a new sheet has them.
COLUMNS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("pair_id", "reviewer", "rule", *SHOWN["pairs"], *ANSWERS["pairs"], *_HELP, EXPORTED),
    "choice": ("item_id", "reviewer", *SHOWN["choice"], *ANSWERS["choice"], EXPORTED),
    "likert": ("item_id", "reviewer", *SHOWN["likert"], *ANSWERS["likert"], EXPORTED),
}


def titles(language: Language, kind: QueueKind) -> dict[str, str]:
    """The titles by field, in order, else English. Raises ConfigError for two equal titles."""
    titles_of_all = language.words("review").group("columns")
    title_of = {field: titles_of_all[field] for field in COLUMNS[kind]}
    if len({title_key(title) for title in title_of.values()}) < len(title_of):
        raise ConfigError(f"language '{language.code}': two columns have the same title")
    return title_of


def state_of(answer: Sequence[str]) -> str:
    """A digest of an answer's cells, white space aside; empty for an empty answer."""
    cells = tuple(map(squeeze_cell, answer))
    return digest(cells)[:16] if any(cells) else ""


@dataclass(frozen=True)
class QueueContents:
    """What a queue asks of whom: assignments by item and reviewer, and pairs by id."""

    folder: QueueFolder
    kind: QueueKind
    language: Language
    assignments: Mapping[Key, Assignment]
    pairs: Mapping[str, Pair]

    @cached_property
    def vocabulary(self) -> DecisionVocabulary:
        return DecisionVocabulary(self.language)

    @cached_property
    def titles(self) -> dict[str, str]:
        return titles(self.language, self.kind)

    @cached_property
    def reviewers(self) -> frozenset[str]:
        return frozenset(reviewer for _, reviewer in self.assignments)

    def shown(self, assignment: Assignment) -> tuple[str, ...]:
        """The sentences that the reviewer was shown, in the order of the columns."""
        if self.kind != "pairs":
            return assignment.texts
        pair = self.pairs[assignment.item_id]
        return pair.good, pair.bad

    def asked(self, answered: Collection[Key]) -> dict[Key, Assignment]:
        """What the queue asks now: without what was withdrawn and that nobody answered all the same."""
        return {key: item for key, item in self.assignments.items() if not item.withdrawn or key in answered}

    def history(self) -> dict[Key, list[Entry]]:
        """All entries of the log by item and reviewer, in order. Raises StoreError as `check_assigned` does."""
        history: dict[Key, list[Entry]] = defaultdict(list)
        for entry in self.folder.entries(self.kind):
            history[key_of(entry)].append(entry)
        self.check_assigned(history)
        return dict(history)

    def check_assigned(self, answered: Collection[Key]) -> None:
        """Raises StoreError unless every item that a log answers was given to the reviewer."""
        missing = [f"{key[0]} of {key[1]}" for key in answered if key not in self.assignments]
        _refuse_missing(self.folder.path / "assignments.jsonl", missing)

    def item_id(self, row: SheetRow) -> str:
        """The item of a row, as it stands there."""
        return row.cell(IDS[self.kind]).strip()

    def state(self, row: SheetRow) -> str:
        """A digest of what a reviewer wrote into a row, white space aside; empty for an empty answer."""
        return state_of([row.cell(field) for field in ANSWERS[self.kind]])

    def is_touched(self, row: SheetRow) -> bool:
        """Whether a reviewer wrote into a row: an answer, or something into a column that is not the queue's."""
        own = set(row.columns.values())
        return bool(self.state(row)) or any(cell.strip() for at, cell in enumerate(row.cells) if at not in own)

    def read_sheet(self, path: Path) -> Sheet:
        """Reads a sheet of this queue. Titles may be in its language, in English or field names, in any order.

        Raises ReviewError if the file can't be read, has a column twice, or lacks the ids or what the reviewer writes.
        """
        title_of, english = self.titles, load_words("review").group("columns")
        field_of = {title_key(title): field for field in title_of for title in (field, english[field])}
        field_of |= {title_key(title): field for field, title in title_of.items()}
        sheet = read_sheet(path, field_of, self.language.legacy_encoding)
        is_of_label_studio = _OF_LABEL_STUDIO in map(title_key, sheet.header.cells)
        written = ANSWERS[self.kind][: 1 if is_of_label_studio else None]
        require(sheet, {field: title_of[field] for field in (IDS[self.kind], *written)})
        return sheet


def _refuse_missing(path: Path, missing: Sequence[str]) -> None:
    if missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise StoreError(f"{path}: lacks {missing[0]}{others}; {FROM_VERSION_CONTROL}")


def read_contents(folder: QueueFolder, language: Language, info: QueueInfo | None = None) -> QueueContents:
    """Reads a queue's contents; `info` describes one that is being made.

    Raises ReviewError if there is no queue, StoreError if its files lack pairs, assignments or whole lines.
    """
    kind = (info or folder.info()).kind
    assignments = {(item.item_id, item.reviewer): item for item in folder.assignments()}
    if not assignments and folder.find_info() is not None and (sheets := folder.received(())):
        path = folder.path / "assignments.jsonl"
        raise StoreError(f"{path}: nothing is assigned, though there is {sheets[0].name}; {FROM_VERSION_CONTROL}")
    pairs, asked = folder.pair_texts(), dict.fromkeys(item.pair_id for item in assignments.values())
    _refuse_missing(folder.path / "pairs.jsonl", [pair_id for pair_id in asked if pair_id and pair_id not in pairs])
    return QueueContents(folder, kind, language, assignments, pairs)


def interface_words(language: Language) -> dict[str, str]:
    """The words of sheets and pages by name; those that the language lacks are English."""
    return language.words("review").group("interface")


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
        basis=[
            *_licence(pair, rule, words),
            *_origin(pair, context.candidates, words),
            *_attestation(checked, attested, lines if made_from else None, words),
        ],
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


def _origin(pair: Candidate, candidates: Mapping[str, Candidate], words: Mapping[str, str]) -> Iterator[str]:
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
    # Which words the source does not have, by the pair's generator or by a check.
    pair, sentences = checked.candidate, {"good": checked.candidate.good, "bad": checked.candidate.bad}
    found = [
        sentences[finding.side][slice(*finding.span)]
        for finding in checked.findings
        if finding.check == "language-not-attested" and finding.side and finding.span
    ]
    if new := dict.fromkeys((*pair.new_words, *found)):
        yield f"{words['new_words']}: {', '.join(new)}"


def _stands(sentence: str, blocks: Sequence[Block]) -> bool:
    """Whether a source has a sentence letter by letter, but for its first capital and last mark."""
    key = _key(sentence)
    glosses = (gloss for block in blocks if block.gloss for _, gloss in block.gloss.leaves())
    texts = (f" {_key(block.text)} " for block in blocks if not block.gloss)
    return any(key == _key(plain_sentence(gloss)) for gloss in glosses) or any(f" {key} " in text for text in texts)


def _key(sentence: str) -> str:
    return sentence_key(nfc(sentence)).rstrip(END_MARKS + " ")
