"""From the blocks of an error list to rules with examples, by a declared notation.

The outline tells which rule each piece of text belongs to, its headword, and the notes.
"""

import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from pairwright.core.errors import SourceError, at
from pairwright.core.ids import content_id
from pairwright.core.records import Block, Evidence, Example, Rejection, Rule, Source
from pairwright.core.text import words
from pairwright.core.workspace import Workspace
from pairwright.languages import Language
from pairwright.languages.linguistics.sentences import UnbalancedError
from pairwright.languages.morphology import analyser_of
from pairwright.sources import rejection
from pairwright.sources.error_list.alike import FEWEST, repeats
from pairwright.sources.error_list.choice import BRACKETS, Chosen, choose_notations, unread
from pairwright.sources.error_list.corrections import Choose, CorrectionReader, Rank, UnresolvedError, with_demand
from pairwright.sources.error_list.edits import bare, has_form, small_words, tidy
from pairwright.sources.error_list.manners import MannerReader
from pairwright.sources.error_list.notation import (
    LONGEST,
    MOST_BRACKETS,
    Bracket,
    BracketedSentence,
    BracketReader,
    Notation,
    any_of,
    load_notation,
    load_notations,
)
from pairwright.sources.error_list.spans import Mentions
from pairwright.sources.error_list.wordings import EXTRACTED_BY, ListedPair, mixed_pairs

# A list takes seconds of the processor, and a correction of some thirty letters a thousandth of one.
_LEAST_SECONDS, _SECONDS_A_LETTER = 20.0, 0.00003
# A headword and a dash before its examples: `on – On Monday …`, `on – a) of time: …`.
_DASHED = re.compile(r"(\w+(?: \w+)?) [–—-]\s+(?=\w)")
# What an item of a rule is about, before its examples: `b) of manner, e.g.`.
_ITEM_LABEL = re.compile(r"(?:^|(?<=\s))\w\)\s[^.!?()]*$")
_SINGLE = re.compile(r"\s*(?P<code>\d+)[.)]\s+")
# A label: up to a colon, or a word or two, and a bracket of what they govern, up to a full stop or a dash before a
# capital: `2. Forms: …`, `on – On …`, `1. fond (of what) – She is …`.
_LABEL = re.compile(
    r"(?:\d+[.)]\s+)?(?:(?:[^.!?:()\[\]]|\([^()=]*\))*:\s+|"
    r"\w+(?:,? \w+){0,2}(?:(?: \([^()=]*\))? [–—-]|\.)\s+(?=[^\W\d_]))"
)


@dataclass(frozen=True)
class RuleHead:
    """Where a rule begins: its code (empty where the list has no numbers), its wording, and its block."""

    code: str
    label: str
    block: Block

    def is_above(self, other: "RuleHead") -> bool:
        """Whether another rule's code continues this one's: `2.1` is above `2.1.3`."""
        return bool(self.code) and other.code.startswith(self.code + ".")


@dataclass(frozen=True)
class Passage:
    """A stretch of examples.

    offset  where it begins in the block's text
    entry   the headword that it stands under
    note    the wording of the note that makes its examples exceptions
    """

    head: RuleHead
    block: Block
    text: str
    offset: int
    entry: str | None = None
    note: str | None = None

    def line(self, offset: int = 0) -> int | None:
        """The line of the file at an offset of the passage."""
        breaks = self.block.text.count("\n", 0, self.offset + offset)
        if self.block.row_lines:
            return self.block.row_lines[breaks]
        return self.block.line + breaks if self.block.line is not None else None


_OPENS, _CLOSES = re.compile(r"[(\[]"), re.compile(r"[)\]]")


class OutlineReader:
    """Reads the blocks of an error list one by one. `heads` are the rules that have begun so far, in order."""

    def __init__(self, notation: Notation, title: str) -> None:
        self._brackets = BracketReader(notation)
        self._code = re.compile(rf"\s*(?P<code>{notation.code})\.?\)?(?!\w)\s*")
        self._intro = re.compile(rf"(?:^|(?<=\s)){any_of(notation.intros)}\s*")
        self._label = re.compile(rf"(?:^|(?<=[\s]))(?:{'|'.join(notation.labels) or '(?!)'})\s*", re.IGNORECASE)
        self._note = re.compile(rf"\s*(?:\d+\s*)?{any_of(notation.notes)}\s*[.:]?\s*", re.IGNORECASE)
        self._reference = re.compile(rf"\s*{any_of(notation.references)}")
        # What the headword should govern may stand behind its arrow: `→ = ko:`, `→ ko:`.
        self._arrow = re.compile(
            rf"(?P<sign>{any_of(notation.entry_arrows)})(?:\s*(?P<governed>=[^:]*|[^:.!?()]*):(?=\s))?"
        )
        self._title = title
        self.is_wrapped = True
        self.heads: list[RuleHead] = []

    def learn(self, blocks: Iterable[Block]) -> None:
        """Learns whether line ends mean nothing: before most of them, the next word would not have fitted the line."""
        texts = [block.text.split("\n") for block in blocks if block.kind in ("paragraph", "list_item")]
        width = max((len(line) for lines in texts for line in lines), default=0)
        both = [pair for lines in texts for pair in pairwise(lines) if pair[1].strip()]
        ends = [len(line) + len(after.split()[0]) for line, after in both]
        self.is_wrapped = 2 * sum(end < width for end in ends) <= len(ends)

    def passages(self, block: Block) -> list[Passage]:
        """The passages of the next block. A block without examples only continues the outline."""
        if self.is_wrapped or block.kind == "table":
            return list(self._passages(block))
        breaks = (each.end() for each in re.finditer("\n", block.text))
        cuts = (at for at in breaks if block.text.count("(", 0, at) <= block.text.count(")", 0, at))
        passages = list[Passage]()
        for start, end in pairwise([0, *cuts, len(block.text)]):
            emphasis = tuple((a - start, b - start) for a, b in block.emphasis if start <= a and b <= end)
            line = block.line and block.line + block.text.count("\n", 0, start)
            part = block.model_copy(update={"text": block.text[start:end], "emphasis": emphasis, "line": line})
            passages += self._passages(part)
        return passages

    def _passages(self, block: Block) -> Iterator[Passage]:
        if block.kind == "table":
            yield from self._cells(block)
            return
        text, offset = block.text, 0
        match = self._code.match(text) or (_SINGLE.match(text) if block.kind == "heading" else None)
        if match:
            offset = self._examples_at(text, match.end())
            label = text[match.end() : offset].strip(" \n\t–—-:→").rstrip(",").strip()
            label = re.sub(self._intro.pattern + r"$", "", label).strip(" \n–—-:,")
            self.heads.append(RuleHead(match["code"], label, block))
        elif block.kind == "heading":
            self.heads.append(RuleHead("", text.strip(" :"), block))
            return
        head = self.head(block)
        noted = self._note.match(text, offset)
        if noted:
            yield self._note_passage(head, block, noted.end())
        elif text[offset:].strip():
            yield from self._labelled(self._entry(head, block, offset))

    def head(self, block: Block) -> RuleHead:
        """The rule that a block belongs to; the whole list where no rule has begun."""
        if not self.heads:
            self.heads.append(RuleHead("", self._title, block))
        return self.heads[-1]

    def section(self, head: RuleHead) -> tuple[str, ...]:
        """The headings above a rule, without those of other rules: by its code, 4.4 is not under 4.3."""
        codes = [
            (heading, match["code"] if (match := self._code.match(heading)) else "") for heading in head.block.section
        ]
        return tuple(heading for heading, code in codes if not code or f"{head.code}.".startswith(f"{code}."))

    def _cells(self, block: Block) -> Iterator[Passage]:
        """The cells of a table, each a passage. The first cell of a row is the headword of the others."""
        head, offset = self.head(block), 0
        for row in block.text.split("\n"):
            cells = row.split("\t")
            for place, cell in enumerate(cells):
                if self._brackets.has_correction(cell):
                    yield Passage(head, block, cell, offset, entry=cells[0] if place else None)
                offset += len(cell) + 1

    def _examples_at(self, text: str, start: int) -> int:
        """Where the examples begin in a text that opens with a rule's wording; its end where there are none."""
        if not self._brackets.has_correction(text):
            return len(text)
        openings = [match.start() for pattern in (self._intro, self._label) if (match := pattern.search(text, start))]
        if openings and not self._brackets.has_correction(text[start : min(openings)]):
            return min(openings)
        colons = (match.end() for match in re.finditer(r":\s+", text[start:]))
        return start + next((colon for colon in colons if text[start + colon].isupper()), 0)

    def _entry(self, head: RuleHead, block: Block, offset: int) -> Passage:
        """The passage behind a headword and its arrow; all the rest where no arrow stands before a correction."""
        text = block.text
        arrow = self._arrow.search(text, offset)
        if not arrow or self._brackets.has_correction(text[offset : arrow.start()]):
            dashed = _DASHED.match(text, offset)
            end = next((last for first, last in block.emphasis if first == offset < last), offset)
            end, entry = (dashed.end(), dashed[1]) if dashed else (end, text[offset:end])
            # A headword in small letters, set off from the sentence that follows; before a correction, it is wrong.
            rest = text[end:].lstrip()
            is_entry = entry.islower() and not (rest[:2].islower() and rest[1] != ")")
            is_entry = is_entry and not self._brackets.opening.match(rest)
            end, entry = (end, entry.strip(" :")) if is_entry else (offset, "")
            return Passage(head, block, text[end:], end, entry=entry or None)
        entry, governed, end = text[offset : arrow.start()].strip(), arrow["governed"] or "", arrow.end()
        is_wording = not governed.startswith("=") and (not governed.islower() or self._intro.match(f"{governed}:"))
        if governed and is_wording:
            end = arrow.end("sign")
        elif governed:
            entry = f"{entry} {arrow['sign']} {governed.lstrip('= ')}"
        return Passage(head, block, text[end:], end, entry=entry)

    def _labelled(self, passage: Passage) -> Iterator[Passage]:
        """The stretches of a passage between its labels and introductions, without cross references."""
        cuts = sorted(
            match.span()
            for pattern in (self._intro, self._label)
            for match in pattern.finditer(passage.text)
            if len(_OPENS.findall(before := passage.text[: match.start()])) <= len(_CLOSES.findall(before))
        )
        start = 0
        for first, last in [*cuts, (len(passage.text), len(passage.text))]:
            text = _ITEM_LABEL.sub("", passage.text[start:first]) if first < last else passage.text[start:]
            if text.strip(" \n;–—-,") and not self._reference.match(text):
                yield replace(passage, text=text, offset=passage.offset + start)
            start = max(start, last)

    def _note_passage(self, head: RuleHead, block: Block, start: int) -> Passage:
        """The examples of a note: what follows its introduction, or its colon before a capital."""
        text = block.text
        colon = re.compile(r":\s+(?=\S)").search(text, start + 1)
        cut = self._intro.search(text, start) or (colon if colon and text[colon.end()].isupper() else None)
        first, end = cut.span() if cut else (len(text), len(text))
        return Passage(head, block, text[end:], end, note=text[start:first].strip(" \n:,") or text[start:])

    def wrong_part(self, entry: str) -> str:
        """What stands before the arrow of an entry."""
        return str(self._arrow.split(entry)[0])


def read_error_list(
    blocks: Iterable[Block],
    source: Source,
    language: Language,
    workspace: Path | None = None,
    rank: Rank | None = None,
    choose: Choose | None = None,
) -> Iterator[Rule | Rejection]:
    """The rules of an error list with their examples, and a Rejection for each bracket that corrects no words.

    Where the language has a morphology, the rules demand what their own pairs show. `rank` gives the log-probabilities
    of sentences: it orders the words that a bracket may replace where nothing else tells. `choose` is asked after it;
    what it writes in place of the readings is the first alternative.

    Raises SourceError where there is no correction at all, or where that takes longer than lists of their size do;
    ConfigError where the notation is unknown.
    """
    printed = list(blocks)
    manners, blocks, guesses = _in_one_manner(printed, source, workspace)
    chosen, analyser = choose_notations(blocks, source, workspace), analyser_of(language)
    changed = {before.id: before for before, block in zip(printed, blocks, strict=True) if before != block}
    separators = chosen.brackets.separators
    corrections = CorrectionReader(language, separators, analyser, rank, choose, phrases=source.phrases)
    # A language model may take its time.
    seconds = math.inf if rank else _LEAST_SECONDS + _SECONDS_A_LETTER * sum(len(block.text) for block in blocks)
    reader = _ListReader(chosen, corrections, language, source, changed, guesses, time.thread_time() + seconds)
    items = list(reader.rules(blocks))
    for item in items:
        yield with_demand(item, analyser) if analyser and isinstance(item, Rule) else item
    for label, unsure in manners.unknown.items():
        if len(unsure) >= FEWEST:
            cure = Workspace(workspace or Path()).command(
                "notation", "add", "NAME", "--like", BRACKETS, "--right", label
            )
            reason = (
                f"whether `{label}` stands before right or wrong words is a guess in {len(unsure)} lines; say it with"
            )
            yield rejection(unsure[0], f"{reason} {cure}, or --wrong", unsure[0].text, unsure[0].line)
    yield from unread(printed, items, chosen, is_named=source.notation is not None)


def notations_of(blocks: Iterable[Block], source: Source, workspace: Path | None) -> Chosen:
    """The notations in which a list is read. Raises SourceError without a correction, ConfigError as they load."""
    return choose_notations(_in_one_manner(list(blocks), source, workspace)[1], source, workspace)


def _in_one_manner(
    printed: list[Block], source: Source, workspace: Path | None
) -> tuple[MannerReader, list[Block], set[str]]:
    """The blocks of a list, those in brackets brought to one manner, with their reader and the ids of guesses."""
    notation = load_notation(source.notation or BRACKETS, workspace)
    # The words of phrases stand for other things in other languages.
    others = [each for each in load_notations(workspace) if each != notation and each.layout != "phrases"]
    is_bracketed = notation.layout == "brackets"
    manners = MannerReader(printed if is_bracketed else (), [notation, *others])
    return manners, *(manners.read() if is_bracketed else (printed, set[str]()))


_Read = tuple[Passage, list[BracketedSentence]]


class _ListReader:
    """Reads a list: the brackets inside its sentences, and lines of whole wordings in each of the notations `read`."""

    def __init__(
        self,
        chosen: Chosen,
        corrections: CorrectionReader,
        language: Language,
        source: Source,
        printed: Mapping[str, Block],
        guesses: Collection[str],
        end: float,
    ) -> None:
        self._chosen, self._corrections, self._source = chosen, corrections, source
        self._printed, self._guesses, self._end = printed, guesses, end
        self._brackets = BracketReader(chosen.brackets, language.abbreviations)
        self._outline = OutlineReader(chosen.brackets, source.title)
        self._rejected: list[Rejection] = []

    def rules(self, blocks: list[Block]) -> Iterator[Rule | Rejection]:
        """The rules in the order of the list, those that rows of tables name, then what stayed unclear."""
        passages: dict[int, list[_Read]] = defaultdict(list)
        wordings: dict[int, list[Example]] = defaultdict(list)
        named: dict[tuple[str, str], list[ListedPair]] = defaultdict(list)
        self._outline.learn(blocks)
        heads, listed = self._outline.heads, self._listed(blocks)
        for block in blocks:
            for pair in (pairs := listed.get(block.id, [])):
                if pair.code or pair.rule:
                    named[pair.code, pair.rule].append(pair)
                else:
                    self._outline.head(block)
                    wordings[len(heads) - 1] += self._listed_examples(pair)
            if not pairs or block.kind == "table":
                # Its passages may begin a rule.
                read = [self._sentences(passage) for passage in self._outline.passages(block)]
                passages[len(heads) - 1] += read
        mentions = {place: self._mentions(read) for place, read in passages.items()}
        for (code, title), own in named.items():
            row = {"line": own[0].line.number, "text": own[0].quote}
            heads.append(RuleHead(code, title, own[0].line.block.model_copy(update=row)))
            wordings[len(heads) - 1] = [example for pair in own for example in self._listed_examples(pair)]
        rules = list[Rule]()
        for place, head in enumerate(heads):
            examples = list[Example]()
            for (passage, sentences), mentioned in zip(passages[place], mentions.get(place, ()), strict=True):
                examples += self._examples(passage, sentences, mentioned)
            notes = tuple(dict.fromkeys(passage.note for passage, _ in passages[place] if passage.note))
            examples = sorted((*examples, *wordings[place]), key=lambda example: example.evidence.line or 0)
            if examples or notes or (head.code and not any(head.is_above(other) for other in heads)):
                rules.append(self._rule(head, examples, notes))
        order = {block.id: place for place, block in enumerate(blocks)}
        first = {rule.id: rule.examples[0].evidence.line if rule.examples else rule.line for rule in rules}
        yield from sorted(rules, key=lambda rule: (order[rule.block_ids[0]], first[rule.id] or 0))
        yield from self._rejected

    def _listed(self, blocks: list[Block]) -> dict[str, list[ListedPair]]:
        """The pairs of whole wordings, by their blocks; a pair that comes again is rejected."""
        pairs: dict[str, list[ListedPair]] = defaultdict(list)
        earlier = dict[tuple[object, ...], ListedPair]()
        whole = [block for block in blocks if block.kind == "table" or not self._brackets.has_correction(block.text)]
        for item in mixed_pairs(whole, self._chosen.read):
            if isinstance(item, Rejection):
                self._rejected.append(item)
                continue
            first = earlier.setdefault((item.code, item.rule, item.line.block.section, item.bad, item.goods), item)
            if first is not item:
                place = f"line {first.line.number}" if first.line.number else f"page {first.line.block.page}"
                self._rejected.append(item.line.rejection(f"the same pair as on {place}", item.quote))
            else:
                pairs[item.line.block.id].append(item)
        return pairs

    def _listed_examples(self, pair: ListedPair) -> Iterator[Example]:
        """The pairs of whole wordings; what replaces only a part of its sentence is read like a bracket behind it."""
        if not pair.is_part:
            yield from pair.examples()
            return
        body = pair.bad.rstrip(".!?… ")
        content = "; ".join(good.strip(".!?… ") for good in pair.goods)
        bracket = Bracket("wrong-first", content, len(body) + 1, len(body) + len(content) + 5)
        text = f"{body} (= {content}){pair.bad[len(body) :]}"
        # Where the words stand twice, nothing tells which are meant.
        places = [it.span() for it in re.finditer(rf"(?<!\w){re.escape(pair.marked)}(?!\w)", body) if pair.marked]
        emphasis = tuple(places) if len(places) == 1 else ()
        try:
            pairs, _ = self._corrections.pairs(BracketedSentence(text, 0, (bracket,), emphasis), Mentions())
        except (UnresolvedError, UnbalancedError) as fault:
            self._rejected.append(pair.line.rejection(str(fault), pair.quote))
            return
        yield from (each.example(pair.evidence, pair.note or None, guess=pair.uncertain) for each in pairs)

    def _sentences(self, passage: Passage) -> _Read:
        """A passage with its sentences."""
        self._require_time(passage)
        try:
            emphasis = [(first - passage.offset, last - passage.offset) for first, last in passage.block.emphasis]
            sentences = list(self._brackets.sentences(passage.text, emphasis))
        except UnbalancedError as fault:
            self._reject(passage, str(fault), passage.text.strip(), fault.offset)
            return passage, []
        for sentence in (each for each in sentences if each.is_too_long()):
            reason = f"more than {LONGEST:,} characters or {MOST_BRACKETS} brackets are no sentence; split them"
            self._reject(passage, reason, sentence.text, sentence.start)
        return passage, [each for each in sentences if not each.is_too_long()]

    def _examples(self, passage: Passage, sentences: list[BracketedSentence], mentions: Mentions) -> Iterator[Example]:
        """The pairs of the sentences of a passage; in a note, those without a correction are exceptions."""
        for sentence in sentences:
            self._require_time(passage, sentence.start)
            if passage.note and not sentence.corrections():
                place = self._place(passage, sentence.text, sentence.start)
                first, *others = _slash_variants(tidy(sentence.text))
                given = {"alternatives": tuple(others), "entry": passage.entry, "note": passage.note}
                yield Example(good=first, bad=None, exception=True, evidence=place, **given)
                continue
            phrases = _without_label(sentence).phrases()
            for phrase in (each for each in phrases if each.corrections()):
                try:
                    if passage.note and any(bracket.kind == "wrong-first" for bracket in phrase.brackets):
                        reason = "the bracket stands in a note on what is acceptable; it seems to correct nothing"
                        raise UnresolvedError(reason)
                    pairs, faults = self._corrections.pairs(phrase, mentions)
                except (UnresolvedError, UnbalancedError) as fault:
                    pairs, faults = [], [str(fault)]
                for reason in faults:
                    self._reject(passage, reason, phrase.text, phrase.start)
                is_repeated = all(repeats(phrase.text[: it.start], it.content) for it in phrase.corrections())
                # Another bracket than a correction may stand here, such as a name.
                is_guess = passage.block.id in self._guesses or (self._chosen.brackets.unmarked and not is_repeated)
                remarks = "; ".join(bracket.content for bracket in phrase.brackets if bracket.kind == "plain")
                text = phrase.text if phrase.text in passage.text else sentence.text
                place = self._place(passage, text, max(phrase.start, sentence.start))
                note = passage.note or remarks or None
                yield from (pair.example(place, note, passage.entry, guess=is_guess) for pair in pairs)

    def _require_time(self, passage: Passage, offset: int = 0) -> None:
        if time.thread_time() > self._end:
            place = at(passage.block.file, passage.line(offset))
            raise SourceError(f"{place}: the list takes too long to be read; split its longest sentences, or the list")

    def _mentions(self, read: list[_Read]) -> list[Mentions]:
        """What the rule of each passage, those above it, and its entry name.

        Headwords are the wrong words themselves or the words that govern them: `bėgyje`, but `laukti ko`. All brackets
        of the rule decide that together. A closed-class word that most of them, and two at least, don't keep is named
        too.
        """
        mentions, closed = [self._named(passage) for passage, _ in read], self._corrections.closed
        votes, gone, count = list[bool](), Counter[str](), 0
        for named, (_, sentences) in zip(mentions, read, strict=True):
            for sentence in sentences:
                start = 0
                for bracket in sentence.corrections():
                    before, correction = (
                        words(sentence.text[start : bracket.start]),
                        words(bracket.content.split(";")[0]),
                    )
                    vote = self._is_wrong(before, correction, named.headword)
                    votes += [] if vote is None else [vote]
                    gone.update(closed.functions.intersection(small_words(before)).difference(small_words(correction)))
                    start, count = bracket.end, count + 1
        share = (sum(votes) + 0.5) / (len(votes) + 1)
        repeated = {word for word, n in gone.items() if n > 1 and 2 * n > count} - closed.coordinators
        return [replace(named, wrong=share, banned=named.banned | repeated) for named in mentions]

    def _is_wrong(self, before: list[str], correction: list[str], headword: tuple[str, ...]) -> bool | None:
        """Whether a bracket speaks for the headword before it being wrong; None where there is none.

        It does where it stands directly behind the headword, or where its correction has no other word in another form.
        """
        small = [word.casefold() for word in correction]
        heads = [place for place, word in enumerate(before) if has_form(word, headword)]
        if not heads:
            return None
        kept = [place for place, word in enumerate(before) if word.casefold() in small]
        changed = [word for place, word in enumerate(before) if place not in {*kept, *heads}]
        open_words = [word for word in small if word not in self._corrections.closed.functions]
        return heads[-1] == len(before) - 1 or not any(has_form(word, changed) for word in open_words)

    def _named(self, passage: Passage) -> Mentions:
        """What the rule of a passage and its entry name; without an entry, the open-class words of its wording."""
        above = [head for head in self._outline.heads if head.is_above(passage.head)]
        closed, entry = self._corrections.closed, words(self._outline.wrong_part(passage.entry or "").casefold())
        banned = closed.functions.intersection(entry).union(
            *map(closed.named, [head.label for head in (passage.head, *above)])
        )
        wordings = [*(head.label for head in above), passage.head.label, passage.entry or ""]
        headword = entry or [word for word in words(passage.head.label.casefold()) if word not in closed.functions]
        heading = ": ".join(filter(None, dict.fromkeys(wordings)))
        return Mentions(tuple(dict.fromkeys(headword)), 0.0, banned - closed.coordinators, heading)

    def _reject(self, passage: Passage, reason: str, text: str, offset: int) -> None:
        place = self._place(passage, text, offset)
        self._rejected.append(rejection(passage.block, reason, place.quote, place.line))

    def _place(self, passage: Passage, text: str, offset: int) -> Evidence:
        """A text of a passage as the list has it: all of its lines if they were brought to another manner."""
        line, printed = passage.line(offset), self._printed.get(passage.block.id)
        if printed is not None and text not in printed.text:
            lines, first = printed.text.split("\n"), (line or 0) - (printed.line or 0)
            text = "\n".join((line and lines[first : first + text.count("\n") + 1]) or lines)
        return Evidence.at(passage.block, text, line)

    def _rule(self, head: RuleHead, examples: list[Example], notes: tuple[str, ...]) -> Rule:
        parent = max((h for h in self._outline.heads if h.is_above(head)), key=lambda h: len(h.code), default=None)
        section = self._outline.section(head)
        above = parent.label if parent else (section[-1] if section else self._source.title)
        # Behind the word that the wording above it bans: "of time" below "`on` is not used".
        banned = self._corrections.closed.named(parent.label) if parent and head.label else frozenset()
        is_said = len(banned) != 1 or banned & set(words(head.label))
        title = (head.label if is_said else f"{min(banned)} {head.label}") or above
        return Rule(
            id=content_id("rule", self._source.id, head.code or title),
            source_id=self._source.id,
            code=head.code,
            title=title,
            description=f"{above}: {head.label}" if head.label and above != title else title,
            category=section[0] if section else self._source.title,
            phenomenon=above,
            section=section,
            block_ids=tuple(dict.fromkeys([head.block.id, *(example.evidence.block_id for example in examples)])),
            quote=self._place(Passage(head, head.block, "", 0), head.block.text, 0).quote,
            page=head.block.page,
            line=head.block.line,
            examples=tuple(examples),
            notes=notes,
            extracted_by=EXTRACTED_BY,
        )


def _slash_variants(sentence: str) -> list[str]:
    """The two sentences of `Pone daktare / Ponas daktare, čia jūsų eilė.`; else the sentence alone."""
    left, _, right = sentence.partition(" / ")
    size, after = len(left.split()), right.split()
    if len(after) < size or not has_form(bare(left.split()[0]), [bare(after[0])]):
        return [sentence]
    return [" ".join([left + re.split(r"\w", after[size - 1])[-1], *after[size:]]), right]


def _without_label(sentence: BracketedSentence) -> BracketedSentence:
    """A sentence without its number and its label: `[2] Oras – Oras …`; without a number, one in small letters: `ant –
    Ant …`, `apie orą: Oras …`."""
    plain = sentence.between(0, len(sentence.text))
    is_numbered, sentence = re.search(r"[\d)]", sentence.text[: plain.start - sentence.start]), plain
    match = _LABEL.match(sentence.text)
    end = match.end() if match and (is_numbered or not sentence.text[0].isupper()) else 0
    is_label = not any(bracket.start < end for bracket in sentence.corrections())
    return sentence.between(end * is_label, len(sentence.text))
