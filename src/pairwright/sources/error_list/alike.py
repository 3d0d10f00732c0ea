"""Sentences of a list that repeat another near them with other words, or that words behind them correct.

Nothing but the wording says so: whatever signs and labels a list has, a wrong sentence and the right one are alike.
What most of the words before them say tells which comes first. A sentence without another has what is set off behind
it, or what stands there after a label.
"""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.records import Block
from pairwright.core.text import words
from pairwright.sources.error_list.edits import has_form
from pairwright.sources.error_list.notation import WRONG

# Emphasis as signs of the text while its patterns are looked for, and what says that a reading is a guess.
OPEN, CLOSE, GUESS = "\ue000", "\ue001", "\ue002"
EMPHASIS, STRUCK, QUOTES = "emphasis", "struck", "quotes"
MARKS = {
    STRUCK: re.compile(r"~~([^~\n]+)~~"),
    EMPHASIS: re.compile(rf"{OPEN}([^{OPEN}{CLOSE}]+){CLOSE}"),
    QUOTES: re.compile(r"(?:[„“«\"»›‹]|(?<!\w)[‘‚])((?:[^„“”«»›‹\"‘‚’\n]|(?<=\w)’(?=\w))+)(?:[“”»\"«‹›]|[’‘](?!\w))"),
}
END = re.compile(r"[.!?…]+$")
# Where a sentence ends; what may stand before the next one; a label with words behind it; numbers and labels that are
# set off for other reasons.
NEXT = re.compile(
    rf"(?<=[^\W\d_]{{2}}[.!?…])\s+|(?<=[^\W\d_]{{2}}[.!?…][\"”“»’)])\s+|(?<=[^\W\d_][\"”“»’){CLOSE}][.!?…])\s+|\n"
)
_BEFORE = re.compile(r"(?:[^\w\s]{1,2}\s+|\W*\d+[.)]\s+)*(?:[^\W\d_]+(?: [^\W\d_]+){0,2}:\s+)?[*✗✓✘✔?]?\s*")
_LABELLED = re.compile(r"[^\w\s]?\s*((?:[^\W\d_]+ ){0,2}[^\W\d_]+:)\s+([^.!?()\n]+)(?=$|\n|\.?\s*\()")
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]")
_NAMES = re.compile(rf"{OPEN}(\W*\d+\W*|[^{OPEN}{CLOSE}]{{1,30}}:){CLOSE}")
# How many sentences back another is looked for, how many words the shortest has, and the least likeness, 0-100.
_NEAR, _FEWEST_WORDS, _LEAST = 4, 3, 70
# So many of a kind, fewer are chance.
FEWEST = 3
# How many words before a bracket may have a form in it.
_BEFORE_BRACKET = 6
Side = Callable[[str], int | None]
"""Whether words say that what follows them is right, 0, or wrong, 1."""


@dataclass
class Unit:
    """A sentence with those near it that are alike.

    order      how many words before them say that the first is wrong, less those that say it is right
    line       the first with the words behind it that correct it, where there are any
    is_quoted  the first stands in quotation marks, and nothing in it is emphasised
    """

    block: Block
    line: str
    is_quoted: bool
    texts: list[str] = field(default_factory=list)
    order: int = 0

    @property
    def is_pair(self) -> bool:
        """Whether another sentence is like the first."""
        return len(self.texts) > 1


class _Wording(NamedTuple):
    """A sentence in a text as printed, the words before it, and what follows up to the next one."""

    label: str
    text: str
    rest: str
    is_quoted: bool = False


def units_of(blocks: Iterable[Block], side: Side) -> dict[str, list[Unit]]:
    """The sentences of each block in order, by its id, with those near them that are alike in the unit of the first."""
    found, recent = defaultdict[str, list[Unit]](list), deque[Unit](maxlen=_NEAR)
    wordings = {block: [*_wordings(_NAMES.sub(r"\1", with_signs(block)))] for block in blocks}
    # Brackets behind sentences correct them where most have a word of theirs.
    behind = [(each, match[1]) for own in wordings.values() for each in own if (match := _BRACKET.match(each.rest))]
    n_repeat = sum(repeats(plain(each.text), inside) for each, inside in behind)
    is_bracket = n_repeat >= FEWEST and 2 * n_repeat > len(behind)
    for block, own in wordings.items():
        for label, raw, rest, is_quoted in own:
            sign, wording = WRONG.search(label) is not None, plain(raw) if END.search(plain(raw)) else f"{plain(raw)}."
            is_label = re.search(r"[^\W\d_]", label) is not None
            said = side(plain(label)) if sign or is_label else None
            # In another item, words before it have to say what a sentence is.
            near = (
                each for each in recent if each.block is block or (is_label and each.block.section == block.section)
            )
            units = [each for each in near if not (said == 1 and each.order > 0)]
            unit = max(units, key=lambda each: _likeness(each.texts[0], wording), default=None)
            if unit is None or wording in unit.texts or _likeness(unit.texts[0], wording) < _LEAST:
                if is_bracket and (bracket := _BRACKET.match(rest)):
                    is_guess = not repeats(plain(raw), bracket[1])
                    line = _corrected(raw, [plain(bracket[1])], "=") + GUESS * is_guess
                else:
                    line = _with_words(raw, rest, side, is_wrong=sign)
                unit = Unit(block, line, is_quoted)
                recent.append(unit)
            unit.order += {None: 0, 0: -1, 1: 1}[said] * (-1 if unit.texts else 1)
            unit.texts.append(wording)
            found[block.id].append(unit)
    return found


def _likeness(one: str, other: str) -> float:
    """How alike two sentences are, 0-100, in the order of their words or in another."""
    return max(fuzz.ratio(one, other), fuzz.token_sort_ratio(one, other))


def _wordings(text: str) -> Iterator[_Wording]:
    """The sentences of a text: those that are set off, else all."""
    runs = list[re.Match[str]]()
    for run in _set_off(text):
        if is_sentence(run[1]) and (not runs or run.start() >= runs[-1].end()):
            runs.append(run)
    starts, ends = [*(run.start() for run in runs[1:]), len(text)], [0, *(run.end() for run in runs)]
    for at, run, end in zip(ends, runs, starts, strict=False):
        label = NEXT.split(text[at : run.start()])[-1]
        yield _Wording(label, run[1].strip(), text[run.end() : end], OPEN not in run[0])
    for number, part in enumerate(parts := [] if runs else NEXT.split(text)):
        label = match[0] if (match := _BEFORE.match(part)) else ""
        wording = part[len(label) :].strip()
        if END.search(plain(wording)) and is_sentence(wording):
            yield _Wording(label, wording, "\n".join(parts[1:]) if number == 0 else "")


def _set_off(text: str) -> list[re.Match[str]]:
    """What is emphasised or quoted in a text, in order."""
    return sorted((it for kind in (EMPHASIS, QUOTES) for it in MARKS[kind].finditer(text)), key=re.Match.start)


def is_sentence(text: str) -> bool:
    """Whether a text begins and ends as a sentence, or begins so and has some words."""
    whole = plain(text).strip()
    return whole[:1].isupper() and len(words(whole)) >= _FEWEST_WORDS + (END.search(whole) is None)


def repeats(before: str, inside: str) -> bool:
    """Whether a bracket has a word before it, in whatever form, as corrections mostly do and explanations don't."""
    earlier = words(before)[-_BEFORE_BRACKET:]
    return any(has_form(word, earlier) for word in words(inside))


def _corrected(sentence: str, sides: Iterable[str], sign: str) -> str:
    """A sentence with a bracket at its end."""
    stop = END.search(sentence)
    body, end = (sentence[: stop.start()], stop[0]) if stop else (sentence, ".")
    return f"{body} ({sign} {'; '.join(sides)}){end}"


def _with_words(sentence: str, behind: str, side: Side, *, is_wrong: bool) -> str:
    """A sentence with the words behind it, set off or after a label, that correct it; "" where no words do.

    Words that stand in the sentence name what is wrong in it.

    is_wrong  a sign before the sentence says so
    """
    rights, wrongs, is_said, at = list[str](), list[str](), False, 0
    known = {word.casefold() for word in words(plain(sentence))}
    for run in _set_off(behind):
        inside = plain(run[1]).strip(" ,;")
        label = NEXT.split(plain(behind[at : run.start()]))[-1]
        said = side(label) if words(label) else None
        if said == 0 or not known.issuperset(map(str.casefold, words(inside))):
            is_said |= said is not None
            (wrongs if said else rights).append(inside)
        elif OPEN not in sentence and sentence.count(inside) == 1:
            sentence = sentence.replace(inside, f"{OPEN}{inside}{CLOSE}")
        at = run.end()
    if not (rights or wrongs) and (labelled := _LABELLED.match(behind)):
        said = side(labelled[1])
        is_said |= is_wrong or said is not None
        (wrongs if said else rights).extend(re.split(r"\s+/\s+", labelled[2]))
    sides = rights or wrongs
    return _corrected(sentence, sides, "=" if rights else "ne:") + GUESS * (not is_said) if sides else ""


def is_text(block: Block) -> bool:
    """Whether a block is a paragraph or an item."""
    return block.kind in ("paragraph", "list_item")


def plain(text: str) -> str:
    """A text without the signs of its emphasis."""
    return re.sub(rf"[{OPEN}{CLOSE}]", "", text)


def with_signs(block: Block) -> str:
    """The text of a block with signs for its emphasis."""
    text = block.text
    for start, end in sorted(block.emphasis, reverse=True):
        text = f"{text[:start]}{OPEN}{text[start:end]}{CLOSE}{text[end:]}"
    return text
