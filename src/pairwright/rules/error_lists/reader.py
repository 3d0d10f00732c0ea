"""Official error lists to rules with examples, by a declared notation."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.ids import content_id
from pairwright.languages import Language, resource_names
from pairwright.records import Block, Evidence, Example, Rejection, Rule, Source
from pairwright.rules.error_lists.brackets import BracketReader, Sentence, UnbalancedError
from pairwright.rules.error_lists.corrections import Context, CorrectionReader, UnresolvedError, tidy
from pairwright.rules.error_lists.notation import Notation, load_notation
from pairwright.rules.error_lists.outline import OutlineReader, Passage, RuleHead
from pairwright.rules.error_lists.slashes import variants
from pairwright.rules.error_lists.wordings import Wording, count_wordings, table_rows, wording_examples, wording_rules
from pairwright.text import changes, words

EXTRACTED_BY = "error-list/1"

# A rule's headwords name wrong words where this share of its corrections directly follows the headword itself.
_HEADWORD_SHARE = 0.4


def read_error_list(
    blocks: Iterable[Block], source: Source, language: Language, workspace: Path | None = None
) -> Iterator[Rule | Rejection]:
    """The rules of an error list, each with its examples; a bracket that can't be resolved is yielded as a Rejection.

    The notation is the one that the source names, else the one that finds most corrections. Raises SourceError where
    no correction is found at all, ConfigError where the notation is unknown.
    """
    known = list(blocks)
    notation = choose_notation(known, source, workspace)
    if notation.layout == "brackets":
        yield from BracketListReader(notation, language, source).rules(known)
    else:
        yield from wording_rules(known, notation, source, EXTRACTED_BY)


def choose_notation(blocks: list[Block], source: Source, workspace: Path | None) -> Notation:
    """The notation of a list: the one that source.toml names, else the one that finds most corrections.

    Raises SourceError where it finds none. Brackets such as `(ne x)`, which running text has too, count only where
    nothing else is found.
    """
    names = [source.notation] if source.notation else resource_names("notations", workspace)
    notations = [load_notation(name, workspace) for name in names]
    for certain in (True, False):
        counted = [(count_corrections(blocks, notation, certain=certain), notation) for notation in notations]
        count, notation = max(counted, key=lambda item: item[0])
        if count:
            return notation
    known = ", ".join(resource_names("notations", workspace))
    tried = f"notation '{source.notation}'" if source.notation else "any known notation"
    raise SourceError(
        f"{source.files[0].path}: no correction found in {tried}; choose one with --notation ({known}), or "
        "describe the list's own in notations/<name>.toml"
    )


def count_corrections(blocks: Iterable[Block], notation: Notation, *, certain: bool) -> int:
    """How many blocks (or table rows) hold a correction in a notation; `certain` leaves right-first brackets out."""
    if notation.layout == "brackets":
        reader = BracketReader(notation.model_copy(update={"right_first": ()}) if certain else notation)
        return sum(reader.has_correction(block.text) for block in blocks)
    return count_wordings(blocks, notation)


@dataclass
class _Part:
    """What belongs to one rule: its passages with their sentences, and the wordings of its tables."""

    passages: list[tuple[Passage, list[Sentence]]] = field(default_factory=list)
    wordings: list[Wording] = field(default_factory=list)


class BracketListReader:
    """Reads a list whose corrections stand in brackets inside the sentences."""

    def __init__(self, notation: Notation, language: Language, source: Source) -> None:
        self._notation = notation
        self._brackets = BracketReader(notation)
        self._corrections = CorrectionReader(language, notation.separators)
        self._outline = OutlineReader(notation, language, source.title)
        self._source = source

    def rules(self, blocks: list[Block]) -> Iterator[Rule | Rejection]:
        """The rules in the order of the list, then what could not be resolved."""
        rejected: list[Rejection] = []
        parts: dict[int, _Part] = defaultdict(_Part)
        for block in blocks:
            wordings = list(table_rows(block, self._notation, self._source.id)) if block.kind == "table" else []
            if wordings:
                self._outline.head(block)
                part = parts[len(self._outline.heads) - 1]
                part.wordings += [item for item in wordings if isinstance(item, Wording)]
                rejected += [item for item in wordings if isinstance(item, Rejection)]
                continue
            for passage in self._outline.passages(block):
                try:
                    sentences = list(self._brackets.sentences(passage.text))
                except UnbalancedError as fault:
                    rejected.append(self._rejection(passage, str(fault), passage.text.strip(), fault.offset))
                    continue
                parts[len(self._outline.heads) - 1].passages.append((passage, sentences))
        for place, head in enumerate(self._outline.heads):
            part = parts[place]
            examples, notes, unresolved = self._examples(part.passages)
            examples += [example for wording in part.wordings for example in wording_examples(wording)]
            rejected += unresolved
            if examples or notes or (head.code and not self._has_children(head)):
                yield self._rule(head, examples, notes)
        yield from rejected

    def _has_children(self, head: RuleHead) -> bool:
        return any(other.code.startswith(head.code + ".") for other in self._outline.heads)

    def _examples(
        self, passages: list[tuple[Passage, list[Sentence]]]
    ) -> tuple[list[Example], list[str], list[Rejection]]:
        examples: list[Example] = []
        notes: list[str] = []
        rejected: list[Rejection] = []
        headword_is_wrong = self._headword_is_wrong(passages)
        for passage, sentences in passages:
            if passage.note and passage.note not in notes:
                notes.append(passage.note)
            for sentence in sentences:
                if passage.note and not sentence.corrections():
                    examples.append(self._exception(passage, sentence))
                    continue
                headword = self._outline.headword(passage.entry)
                context = Context(
                    headword, headword_is_wrong, self._mentioned(passage.head, headword), _emphasis(passage, sentence)
                )
                try:
                    examples += self._pairs(passage, sentence, context)
                except (UnresolvedError, UnbalancedError) as fault:
                    rejected.append(self._rejection(passage, str(fault), sentence.text, sentence.start))
        return examples, notes, rejected

    def _headword_is_wrong(self, passages: list[tuple[Passage, list[Sentence]]]) -> bool:
        """Whether this rule's headwords are the wrong words themselves (`metų bėgyje (= …)` under `bėgyje`), and not
        the words that govern them (`laukti ko`): told by how often a correction directly follows its headword."""
        hits = total = 0
        for passage, sentences in passages:
            headword = self._outline.headword(passage.entry)
            for sentence in sentences:
                for bracket in sentence.corrections() if headword else ():
                    before = re.findall(r"\w+", sentence.text[: bracket.start].casefold())[-len(headword) :]
                    total += 1
                    hits += [word[:4] for word in before] == [word.casefold()[:4] for word in headword]
        return total > 0 and hits / total >= _HEADWORD_SHARE

    def _mentioned(self, head: RuleHead, headword: tuple[str, ...]) -> frozenset[str]:
        """The words of a rule's label, of the labels above it and of the headword: what the rule is about."""
        above = [h.label for h in self._outline.heads if h.code and head.code.startswith(h.code + ".")]
        return frozenset(word.casefold() for label in (head.label, *above, *headword) for word in words(label))

    def _pairs(self, passage: Passage, sentence: Sentence, context: Context) -> Iterator[Example]:
        sentence = _without_label(sentence)
        readings = [r for r in self._corrections.readings(sentence, context) if r.good != r.bad]
        remarks = [bracket.content for bracket in sentence.brackets if bracket.kind == "plain"]
        for reading in readings:
            yield Example(
                good=reading.good,
                bad=reading.bad,
                changes=changes(reading.good, reading.bad),
                alternatives=tuple(
                    dict.fromkeys(r.good for r in readings if r.bad == reading.bad and r.good != reading.good)
                ),
                default=reading.default,
                entry=passage.entry,
                note=passage.note or "; ".join(remarks) or None,
                evidence=self._evidence(passage, sentence),
            )

    def _exception(self, passage: Passage, sentence: Sentence) -> Example:
        first, *others = variants(tidy(sentence.text, sentence.text))
        return Example(
            good=first,
            bad=None,
            alternatives=tuple(others),
            exception=True,
            note=passage.note,
            entry=passage.entry,
            evidence=self._evidence(passage, sentence),
        )

    def _evidence(self, passage: Passage, sentence: Sentence) -> Evidence:
        return Evidence(
            block_id=passage.block.id,
            file=passage.block.file,
            page=passage.block.page,
            line=passage.line(sentence.start),
            quote=sentence.text,
        )

    def _rejection(self, passage: Passage, reason: str, text: str, offset: int) -> Rejection:
        return Rejection(
            stage="rules",
            source_id=self._source.id,
            reason=reason,
            text=text,
            file=passage.block.file,
            page=passage.block.page,
            line=passage.line(offset),
        )

    def _rule(self, head: RuleHead, examples: list[Example], notes: list[str]) -> Rule:
        parents = [h for h in self._outline.heads if h.code and head.code.startswith(h.code + ".")]
        parent = max(parents, key=lambda h: len(h.code), default=None)
        above = parent.label if parent else (head.block.section[-1] if head.block.section else self._source.title)
        title = head.label or above
        blocks = dict.fromkeys([head.block.id, *(example.evidence.block_id for example in examples)])
        return Rule(
            id=content_id("rule", self._source.id, head.code or title),
            source_id=self._source.id,
            code=head.code,
            title=title,
            description=f"{above}: {title}" if head.label and above != title else title,
            category=head.block.section[0] if head.block.section else self._source.title,
            phenomenon=above,
            section=head.block.section,
            block_ids=tuple(blocks),
            quote=head.block.text,
            page=head.block.page,
            line=head.block.line,
            examples=tuple(examples),
            notes=tuple(notes),
            extracted_by=EXTRACTED_BY,
        )


def _without_label(sentence: Sentence) -> Sentence:
    """A sentence without a label in small letters before it: `apie orą: Oras gražus.`"""
    match = re.match(r"[^\W\d_A-Z][^.!?:()\[\]]*:\s+", sentence.text)
    if not match or sentence.text[0].isupper() or not sentence.text[match.end() :][:1].isupper():
        return sentence
    cut = match.end()
    moved = tuple(type(b)(b.kind, b.content, b.start - cut, b.end - cut) for b in sentence.brackets if b.start >= cut)
    return Sentence(sentence.text[cut:], sentence.start + cut, moved)


def _emphasis(passage: Passage, sentence: Sentence) -> tuple[tuple[int, int], ...]:
    """The block's emphasised spans that lie in a sentence, as offsets in it."""
    start = passage.offset + sentence.start
    return tuple(
        (a - start, b - start) for a, b in passage.block.emphasis if a >= start and b <= start + len(sentence.text)
    )
