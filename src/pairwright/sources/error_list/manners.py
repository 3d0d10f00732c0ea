"""The manners in which sentences of a list set words off and give what stands against them, brought to one.

That one is `wrong (= right)`. Words are struck out, emphasised, quoted or set between signs of the list's own. A
bracket, an arrow or another sign gives what stands against them, at once or behind the sentence, with words that
correct (`better: …`) or refuse (`not …`); in the second case the sentence is printed as it should be. Signs that also
stand in running text count only where most of the marked lines have them, and what neither corrects nor refuses is a
guess.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from pairwright.core.records import Block
from pairwright.core.text import words
from pairwright.languages.letters import capitalised
from pairwright.sources.error_list.alike import (
    CLOSE,
    EMPHASIS,
    END,
    FEWEST,
    GUESS,
    MARKS,
    NEXT,
    OPEN,
    QUOTES,
    STRUCK,
    is_sentence,
    is_text,
    plain,
    units_of,
    with_signs,
)
from pairwright.sources.error_list.notation import LONGEST, WRONG, BracketReader, Labels, Notation, any_of, says
from pairwright.sources.error_list.wordings import ListedPair, listed_pairs

ARROW = r"(?:→|⟶|⇒|➔|➜|➡|=>|->|-->|—>|\uF0E0)"
_RUN = rf"{OPEN}[^{OPEN}{CLOSE}]+{CLOSE}"
# A sign of what is wrong beside marked words, a number that is marked, and labels that are.
_SYMBOL = r"[^\w\s.,;:!?…()\[\]'’\"„“”«»‚‘–—/~=|-]"
_SIGNED = re.compile(rf"(?<!\S){_SYMBOL}{{1,2}}(?={OPEN})|(?P<open>{OPEN}){_SYMBOL}(?=\w)")
_LEADING = re.compile(rf"^{_SYMBOL}{{1,2}}\s+(?=[^\W\d_]|{OPEN})")
_NUMBERED = re.compile(rf"^{OPEN}([\d.§)]+){CLOSE}[^\S\n]*", re.MULTILINE)
_LABELLED = re.compile(rf"{OPEN}((?:[^\W\d_]{{1,12}}[.:] ?){{1,2}}){CLOSE}(?:(?P<run>(?=\s*{OPEN}))|(?=\s*(?:\(|$)))")
_INLINE = re.compile(rf"[(\[](?P<wrong>[^()\[\]{OPEN}]+?)\s*{ARROW}\s*(?P<right>[^()\[\]{OPEN}]+)[)\]]")
# The signs before what stands against the words that are set off; what is behind those without a bracket ends the line.
_SIGNS = (
    rf"\s*(?P<arrow>{ARROW})\s*",
    r"\s(?P<dash>[–—-])\s+",
    r"(?P<colon>:)\s+",
    rf"(?:(?<=[.!?…])|(?<=[.!?…][\"”“»{CLOSE}]))(?P<end>\s+)(?=[^\s(\[])",
    rf"(?:(?<=~~)|(?<={CLOSE}))(?P<joined>\s*)(?={OPEN})",
)
_OPENS, _CLOSES = re.compile(r"[(\[]"), re.compile(r"[)\]]")
# Before the words inside: what editors write, such as `not rec., =`, `better:`; a few words at most.
_ABBREVIATED = re.compile(r"(?:(?:[^\W\d_]{1,3} )?[^\W\d_]{1,8}\.[,;:]?\s*)+")
_LABEL = re.compile(
    rf"(?:{_SYMBOL}{{1,2}}\s+)?(?:{_ABBREVIATED.pattern}|(?:[^\W\d_]+ ){{0,2}}[^\W\d_]+\s?:\s+)?"
    rf"=?\s*(?=[\w…~{OPEN}–-])"
)
_LABEL_WORDS = 3
_EXPLAINED = re.compile(
    r"(?<!\w)(?=(?P<short>(?:[^\W\d_]{1,3}\.? )?[^\W\d_]{1,8}\.|[^\w\s]{1,2}?)"
    r"[^\w\n]{0,8}?[=–—:-]\s*(?P<long>[^\n]{1,80}))"
)
_ENDING = re.compile(r"(?<!\S)-([^\W\d_]{1,8})(?!\w)")
_OTHER = re.compile(
    rf"(?P<first>{_RUN})\s*(?:(?P<slash>[/~|])|(?P<bracket>[(\[])?(?P<label>[^\W\d_]+\.?))\s*"
    rf"{OPEN}(?P<other>[^{OPEN}{CLOSE}]+){CLOSE}(?(bracket)[)\]])"
)
_ELLIPSIS = re.compile(r"\s*(?:…|\.{3})\s*")
_NOTE = re.compile(r"(?<=\S)\s+(\([^()]*\))\.?$")
# A quoted sentence, behind its number or label, before a label.
_WHOLE_QUOTE = re.compile(
    r"[^„“«»\".!?]{0,30}?(?:\d[.)]\s+)?[„“«»\"](?P<inside>.*[.!?…])[“”»«\"](?:\s*\([^()]*\))?"
    r"(?:\s+[^\W\d_]{1,12}\.?){0,2}\s*$",
    re.DOTALL,
)
# A headword before its sentence, with a number and a remark in brackets: `1.2 **wait** (on what): They wait …`.
_HEAD = re.compile(
    rf"[^\w{OPEN}]{{0,8}}(?:[\w.§/]{{1,12}}[^\w{OPEN}]{{1,3}})?{_RUN}"
    r"(?:\([^()\n]{0,80}\)|[^.!?()\n]){0,80}?(?:\s[–—-]|:)\s"
)
# Signs that may set words off, the same on both sides or a pair, and one that stands alone.
_SET_OFF = re.compile(r"(?<!\w)([^\w\s.,;:!?…()\[\]'’\"„“”«»‚‘~*–—-])(?=\S)[^\n]{1,300}?(?<=\S)\1(?!\w)")
_ALONE = re.compile(r"(?<=\s)[^\w\s.,;:!?…()\[\]'’\"„“”«»*=/–—-]{1,2}(?=\s)")
# In a line, so many places of a sign are looked at. A manner counts where FEWEST lines under a heading, and half of the
# marked ones, have it.
_MOST_SIGNS = 8
_VOWELS = "aeiouyæøœıəаеёиоуыэюяіїєαεηιουω"
# Behind a bracket, the end of a sentence; an abbreviation between words.
_CLOSED = re.compile(r"[.!?…]*(?=\s|$)")
_JOINED = re.compile(r"(?<=\w)\s+[^\W\d_]{1,3}\.\s+(?=\w)")
_ACCEPTED = re.compile(r"\s[–—-]\s|[;:,.(]")
_STARRED = re.compile(rf"^{WRONG.pattern}\s*")


class Tail(NamedTuple):
    """What stands against the words that are set off.

    label   what stands before it and says neither that it is right nor that it is wrong
    said    R where a word says that it is right, W that it is wrong
    is_run  it is set off itself
    end     where it ends
    """

    rights: list[str]
    wrongs: list[str]
    label: str = ""
    said: str = ""
    is_run: bool = False
    end: int = 0

    @property
    def sides(self) -> list[str]:
        """What replaces the words that are set off."""
        return self.wrongs or self.rights


class Reading(NamedTuple):
    """A line in the one manner; `label` and `said` as its tails have them.

    refused  the line where the label refuses
    """

    text: str
    label: str = ""
    said: str = ""
    refused: str = ""


class MannerReader:
    """Reads the lines of a list in the manners that it shows, with the words of notations, brackets first.

    unknown  the blocks with each label of which nothing says whether it corrects or refuses
    """

    def __init__(self, blocks: Iterable[Block], notations: Sequence[Notation]) -> None:
        self._blocks, self._labels, self.unknown = list(blocks), Labels(notations), defaultdict[str, list[Block]](list)
        self._notations = notations[1:]
        self._has_correction = BracketReader(notations[0].model_copy(update={"right_first": ()})).opening
        lines = [line for block in self._blocks if is_text(block) for line in block.text.split("\n")]
        pairs, lone = _own_signs(lines)
        self._explaining = set[str]()
        self._runs = {pair: re.compile(_between(pair)) for pair in pairs} | MARKS
        # Signs that set words off may be brackets, too.
        self._closing = {"(": ")", "[": "]"} | {pair[0]: pair[1] for pair in pairs}
        opening = rf"(?<!\w)(?P<bracket>{any_of(self._closing)})(?=\S)"
        self._signs = re.compile("|".join([opening, rf"\s(?P<own>{any_of(lone)})\s+", *_SIGNS]))

    @cached_property
    def _legend(self) -> dict[str, str]:
        """With what the list first explains its abbreviations and signs, such as `n. (= not)`."""
        found = [*_EXPLAINED.finditer("\n".join(block.text for block in self._blocks))]
        return {match["short"]: match["long"] for match in reversed(found)}

    def _side(self, label: str, before: int | None = None) -> int | None:
        """As `Labels.side`, for an abbreviation by the first words that the list explains it with."""
        side = self._labels.side(label, before)
        long = re.split(r"[.;,:()]", self._explained(label))[0] if side is None else ""
        return self._labels.side(long) if long else side

    def _deletes(self, text: str) -> bool:
        return self._labels.deletes(text) or self._labels.deletes(self._explained(text))

    def _explained(self, label: str) -> str:
        """With what a list explains an abbreviation or a sign, such as `n. (= not)`, if it does."""
        short = label.strip(" ,;:()[]–—-")
        self._explaining |= {short} & self._legend.keys()
        return self._legend.get(short, "")

    def read(self) -> tuple[list[Block], set[str]]:
        """The blocks in the one manner, the wrong words emphasised, and the ids of those whose reading is a guess.

        A line that has a correction in the notation of the brackets stays as it is.
        """
        texts = {block.id: self._text(block) for block in self._blocks}
        readable = (it for it in self._blocks if is_text(it) and len(it.text) <= LONGEST)
        open_texts = [it for it in readable if not self._has_correction.search(texts[it.id])]
        whole = (item for notation in self._notations for item in listed_pairs(open_texts, notation))
        read = {item.line.block.id for item in whole if isinstance(item, ListedPair)}
        # Emphasis says where a sentence ends, and signs before it don't.
        read -= {it.id for it in open_texts if any(is_sentence(m[1]) for m in MARKS[EMPHASIS].finditer(texts[it.id]))}
        units = units_of((block for block in open_texts if block.id not in read), self._side)
        pairs = {id(unit): unit for own in units.values() for unit in own if unit.is_pair}
        alone = [it for it in open_texts if not any(unit.is_pair for unit in units[it.id])]
        chosen = self._usual({block: dict(self._readings(texts[block.id])) for block in alone}, texts)

        # A quoted sentence with words behind it that correct it is read so, and others where nothing else reads many.
        quoted = {it.id for it in alone if any(unit.line and unit.is_quoted for unit in units[it.id])}
        chosen = {key: text for key, text in chosen.items() if key not in quoted}
        behind = (unit for it in open_texts if it.id not in chosen for unit in units[it.id])
        n_behind = sum(unit.line != "" for unit in behind)
        is_behind = 2 * n_behind >= max(2 * FEWEST, len(chosen) + len(pairs))
        order = 1 if sum(unit.order for unit in pairs.values()) >= 0 else -1
        for block in open_texts:
            own = list[str]()
            for unit in units[block.id]:
                if pairs.pop(id(unit), None):
                    first, *others = unit.texts
                    sides = [(first, " ".join(others))] if order > 0 else [(other, first) for other in others]
                    own += [f"{wrong} (= {right}){GUESS * (unit.order * order <= 0)}" for wrong, right in sides]
                elif not unit.is_pair and is_behind:
                    own.append(unit.line)
            if any(own):
                chosen[block.id] = " ".join(filter(None, own))
        # Struck words without others are to be deleted; a whole sentence has its correction elsewhere.
        lone = re.compile(r"~~([^~\n]*[^~\n.!?…])~~")
        explained = re.compile(rf"({any_of(self._explaining)}\W{{0,4}}[(\[])=\s*")
        changed, guesses = list[Block](), set[str]()
        for block in self._blocks:
            text = chosen.get(block.id, texts[block.id])
            if block.id not in chosen and is_text(block):
                text = lone.sub(rf"{OPEN}\1{CLOSE} (= –{GUESS})", text)
            guesses |= {block.id} if GUESS in text else set()
            text = explained.sub(r"\1", text.replace(GUESS, ""))
            changed.append(_without_signs(block, text))
        return changed, guesses

    def _usual(
        self, readings: Mapping[Block, dict[tuple[str, str], Reading]], texts: Mapping[str, str]
    ) -> dict[str, str]:
        """The texts that are read in a manner that many have, or that stands for nothing else, by their blocks."""
        # How often each manner is met under a heading and in all, and how often its marks are; whether it ever says
        # which side is wrong.
        found, marked, said = Counter[object](), Counter[object](), defaultdict[object, set[str]](set)
        for block, read in readings.items():
            marks = (kind for kind, mark in self._runs.items() if mark.search(texts[block.id]))
            found.update(key for manner in read for key in ((block.section, manner), manner))
            marked.update(key for kind in marks for key in ((block.section, kind), kind))
            for manner, reading in read.items():
                said[manner] |= {*reading.said}
        chosen = dict[str, str]()
        for block, read in readings.items():
            usual = dict[tuple[object, ...], tuple[str, str]]()
            for (kind, sign), reading in read.items():
                where = ((block.section, (kind, sign)), (block.section, kind)), ((kind, sign), kind)
                is_usual = any(found[manner] >= max(FEWEST, marked[mark] / 2) for manner, mark in where)
                if is_usual or sign == "arrow" or kind == STRUCK:
                    sides = said[kind, sign]
                    text = reading.refused if reading.label and sides == {"W"} else reading.text
                    unknown = "" if sides else reading.label
                    guess = GUESS * bool(unknown or not (is_usual or kind == STRUCK))
                    usual.setdefault((bool(reading.said), bool(sides), found[kind, sign]), (text + guess, unknown))
            if usual:
                chosen[block.id], unknown = usual[max(usual)]
                if unknown:
                    self.unknown[unknown].append(block)
        return chosen

    def _text(self, block: Block) -> str:
        """The text of a block with signs for its emphasis, but for that of numbers and labels."""
        text = with_signs(block)
        if block.kind == "table" or len(block.text) > LONGEST:
            return text
        text = _SIGNED.sub(
            lambda match: match["open"] or "", _NUMBERED.sub(lambda it: "" if it[1].isdigit() else f"{it[1]} ", text)
        )
        text = _LABELLED.sub(lambda it: it[1] if it["run"] is not None or self._deletes(it[1]) else it[0], text)
        return _INLINE.sub(lambda match: f"{OPEN}{match['wrong']}{CLOSE} (= {match['right']})", text)

    def _readings(self, line: str) -> Iterator[tuple[tuple[str, str], Reading]]:
        """How a line may be read: its marks and its sign, with the line in the one manner."""
        signs = defaultdict[str, list[re.Match[str]]](list)
        for match in self._signs.finditer(line):
            signs[match["bracket"] or match.lastgroup or ""].append(match)
        for kind in (kind for kind, mark in self._runs.items() if signs and mark.search(line)):
            for sign, places in signs.items():
                places = places[:_MOST_SIGNS]
                if reading := self._reading(line, places, kind):
                    refused = self._reading(line, places, kind, is_refused=True) if reading.label else None
                    yield (kind, sign), reading._replace(refused=refused.text if refused else "")

    def _reading(
        self, line: str, places: Iterable[re.Match[str]], kind: str, *, is_refused: bool = False
    ) -> Reading | None:
        """A line with the parts before signs of one kind.

        is_refused  labels that say nothing refuse
        """
        parts, at = list[Reading](), 0
        for place in places:
            if found := self._part(line, at, place, kind, is_refused=is_refused):
                part, at = found
                parts.append(part)
        label = next((part.label for part in parts if part.label), "")
        said = "".join(part.said for part in parts)
        return Reading("".join(part.text for part in parts) + line[at:], label, said) if parts else None

    def _part(
        self, line: str, at: int, place: re.Match[str], kind: str, *, is_refused: bool
    ) -> tuple[Reading, int] | None:
        """The part of a line from an offset to what stands behind a sign, and where that ends."""
        sign, start, body = str(place.lastgroup), place.end(), _LEADING.sub("", line[at : place.start()])
        is_closed = sign == "bracket"
        end = line.find(self._closing[place["bracket"]], start) if is_closed else len(line)
        # A bracket is closed behind the words and has none in it; before another sign, it is closed.
        if end < 0 or (is_closed and _OPENS.search(line, start, end)):
            return None
        if len(_OPENS.findall(body)) > len(_CLOSES.findall(body)):
            return None
        marks = list(self._runs[kind].finditer(body))
        tail = self._tail(line[start:end], {mark[1] for mark in marks})
        if is_closed and _ABBREVIATED.fullmatch(line[start:end]) and not tail.said:
            # Such as `[del.]`.
            tail = Tail([f"–{GUESS}"], [])
        beside = marks[-1] if marks and not body[marks[-1].end() :].strip() else None
        if marks and sign in ("end", "colon") and NEXT.search(body, marks[-1].end()):
            return None
        if sign == "colon" and is_sentence(line[start:end]):
            # An example, as behind a remark.
            return None
        if is_refused and tail.label:
            tail = tail._replace(rights=[], wrongs=tail.rights)
        allowed = {
            "bracket": beside or tail.said or _CLOSED.match(line, end + 1),
            "end": tail.is_run or tail.rights == ["–"],
            "joined": kind in (STRUCK, EMPHASIS),
        }
        is_verdict = sign == "dash" and _ABBREVIATED.fullmatch(line[start:end]) and not END.search(body)
        if not tail.sides or is_verdict or not allowed.get(sign, True):
            return None
        goes_on = bool(beside) and (is_closed or (sign in ("arrow", "joined") and tail.is_run))
        reading = self._against(body, tail, kind, goes_on=goes_on)
        return (reading, end + 1 if is_closed else start + tail.end if goes_on else end) if reading else None

    def _tail(self, text: str, given: Collection[str]) -> Tail:
        """What stands behind a sign, but for the words that are set off before it, `given`, which it may repeat.

        If some of it is set off, only that counts, each with the words before it.
        """
        runs = sorted((it.start(), it.end(), it[1]) for mark in self._runs.values() for it in mark.finditer(text))
        if runs and runs[0][2] in given and not words(text[: runs[0][0]]):
            return self._tail(text[runs[0][1] :].strip(), ())
        if not runs or len(words(text[: runs[0][0]])) > _LABEL_WORDS:
            return self._plain_tail(text)
        rights, wrongs, side, end, said, unknown = list[str](), list[str](), 0, 0, "", ""
        for first, last, inside in runs:
            label = text[end:first]
            own = self._side(label, side if end else None)
            if own is None and end:
                break
            unknown = label.strip() if own is None else unknown
            said += "W" * (own == 1) or "R" * says(label, self._labels.corrections)
            side, end = own or 0, last
            (wrongs if side else rights).append("-" * label.endswith(" -") + inside)
        if not said and says(text[: runs[0][0]], self._labels.also):
            # Only other words that are right, too.
            return Tail([], [])
        return Tail(rights, wrongs, unknown, said, is_run=True, end=end)

    def _plain_tail(self, text: str) -> Tail:
        """What stands behind a sign where nothing is set off."""
        body = _NOTE.sub("", text)
        match = next((it for it in (_LABEL.match(body), self._labels.known.match(body)) if it and it[0]), None)
        label, rest = (match[0].strip(), body[match.end() :].strip()) if match else ("", body.strip())
        side = self._side(label)
        if self._deletes(rest):
            return Tail([], ["–"], said="W") if side else Tail(["–"], [], said="R")
        is_accepted = says(_ACCEPTED.split(rest)[0], self._labels.accepts, is_alone=True)
        if is_accepted:
            return Tail([], [])
        if side:
            return Tail([], [_STARRED.sub("", each) for each in re.split(r"\s*[;/]\s*", rest)], said="W")
        # Another abbreviation between words may join them.
        joined = _JOINED.split(rest)
        rest = "; ".join(joined) + GUESS if len(joined) > 1 else rest
        return Tail([rest], [], label, said="R" * (bool(label) and side == 0))

    def _against(self, body: str, tail: Tail, kind: str, *, goes_on: bool) -> Reading | None:
        """A sentence with what stands against its marked words in a bracket behind them; None where nothing does.

        goes_on  the sentence goes on behind the sign
        """
        quoted = _WHOLE_QUOTE.match(body)
        body = quoted["inside"] if quoted else body
        if kind != EMPHASIS:
            # As if the words were emphasised, and no others.
            body = self._runs[kind].sub(rf"{OPEN}\1{CLOSE}", plain(body))
        head = _HEAD.match(body)
        # The headword may be the entry's.
        lead, body = (head[0], body[head.end() :]) if head else ("", body)
        body, others = self._without_others(body)
        tail = tail._replace(rights=[*others, *tail.rights])
        marks = list(MARKS[EMPHASIS].finditer(body))[-1 if goes_on else 0 :]
        text = None
        if len(marks) > 1:
            text = _several(body, marks, tail)
        elif marks and (goes_on or words(body[: marks[0].start()] + body[marks[0].end() :])):
            text = _marked(body, marks[0], tail, goes_on=goes_on, is_sentence=kind not in (QUOTES, STRUCK))
        return Reading(lead + text, tail.label, tail.said) if text else None

    def _without_others(self, body: str) -> tuple[str, list[str]]:
        """A sentence without the right words that stand beside others as good, in a bracket or behind a slash."""
        others = list[str]()

        def take(match: re.Match[str]) -> str:
            label = match["label"] or ""
            is_other = match["slash"] or label.endswith(".") or says(label, self._labels.also)
            others.extend([match["other"]] if is_other else [])
            return match["first"] if is_other else match[0]

        return _OTHER.sub(take, body), others


def _several(body: str, marks: Sequence[re.Match[str]], tail: Tail) -> str | None:
    """A sentence with several marked words, against each of which something stands."""
    pieces = tail.sides if len(tail.sides) > 1 else _ELLIPSIS.split(tail.sides[0])
    if len(pieces) != len(marks):
        return None
    out, at = "", 0
    for mark, piece in zip(marks, pieces, strict=True):
        piece = _completed(piece, mark[1])
        sign = "ne:" if tail.wrongs else "="
        out, at = f"{out}{body[at : mark.start()]}{OPEN}{mark[1]}{CLOSE} ({sign} {piece})", mark.end()
    return out + body[at:]


def _marked(body: str, mark: re.Match[str], tail: Tail, *, goes_on: bool, is_sentence: bool) -> str | None:
    """A sentence with marked words, and what stands against them.

    is_sentence  the marked words may be a sentence
    """
    before, after = plain(body[: mark.start()]), plain(body[mark.end() :])
    if END.search(mark[1]) and not is_sentence:
        return None
    # An ending that is marked by itself is that of its word.
    head = before.rstrip("".join(filter(str.isalnum, set(before))))
    inside, stem, begins = before[len(head) :] + mark[1], before[len(head) :], not re.search(r"[^\W\d_]", head)
    inside, *others = re.split(r"\s+/\s+|(?<=\w)/(?=\w)", inside)
    tail = tail._replace(rights=[*others, *tail.rights])
    rights, wrongs = (
        [_completed(side, inside, stem, begins=begins) for side in own] for own in (tail.rights, tail.wrongs)
    )
    rights, wrongs = ([END.sub("", each).strip(" .…") for each in own] for own in (rights, wrongs))
    stop = END.search(after := after.rstrip())
    end, after = (stop[0], after[: stop.start()]) if stop else ("", after)
    if wrongs and not (rights and goes_on):
        return " ".join(f"{head}{OPEN}{it}{CLOSE}{after} (ne: {'; '.join(wrongs)}){end}" for it in (inside, *rights))
    content = "; ".join([*[inside] * bool(wrongs), *rights])
    return " ".join(f"{head}{OPEN}{each}{CLOSE}{after} (= {content}){end}" for each in wrongs or [inside])


def _completed(side: str, inside: str, stem: str = "", *, begins: bool = False) -> str:
    """Words in full: of some, dictionaries give the ending from a letter on that it shares.

    stem    what stands before an ending that is marked by itself
    begins  the words begin their sentence
    """
    side = capitalised(side) if begins and inside[:1].isupper() else side
    return stem + side.removeprefix("-") if stem else _ENDING.sub(lambda match: _ended(inside, match[1]), side)


def _ended(word: str, ending: str) -> str:
    """A word with another ending; where they share no letter, at a guess, so that no two vowels meet."""
    at = word.rfind(ending[0], max(1, len(word) - len(ending) - 2 * (not _is_vowel(ending[0]))))
    cut = dict.fromkeys(word[:-size] for size in (1, 2, len(ending)) if size < len(word))
    stems = sorted(cut, key=lambda stem: _is_vowel(stem[-1]) and _is_vowel(ending[0]))
    return word[:at] + ending if at > 0 else "; ".join(f"{stem}{ending}{GUESS}" for stem in stems)


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[0].casefold() in _VOWELS


def _own_signs(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The signs that a list has: pairs that set words off in most lines, such as daggers; those that stand alone behind
    such words in most lines."""
    found = Counter(pair for line in lines for pair in {match[1] * 2 for match in _SET_OFF.finditer(line)})
    pairs = [p for p, n in found.items() if n >= FEWEST and 2 * n >= len(lines)]
    marks = re.compile("|".join([*map(_between, pairs), _RUN]))
    tails = [line[places[-1].end() :] for line in lines if (places := list(marks.finditer(line)))] or lines
    alone = Counter(sign for tail in tails for sign in set(_ALONE.findall(tail)) if not re.fullmatch(ARROW, sign))
    return pairs, [sign for sign, n in alone.items() if n >= max(FEWEST, len(tails) / 2)]


def _between(pair: str) -> str:
    """A pattern for words between two signs."""
    return rf"{re.escape(pair[0])}([^{re.escape(pair)}\n]+){re.escape(pair[1])}"


def _without_signs(block: Block, text: str) -> Block:
    """A block with another text, whose signs of emphasis become spans."""
    bare, emphasis, start = "", list[tuple[int, int]](), None
    for piece in re.split(rf"([{OPEN}{CLOSE}])", text):
        if piece == OPEN:
            start = len(bare) if start is None else start
        elif piece == CLOSE:
            emphasis += [] if start is None else [(start, len(bare))]
            start = None
        else:
            bare += piece
    return block.model_copy(update={"text": bare, "emphasis": tuple(emphasis)})
