"""The manners in which lists mark wrong words and what replaces them, all brought to one: `wrong (= right)`.

The wrong words are struck out, emphasised or quoted; the right ones follow at once, or behind the sentence and a sign.
Signs that also stand in running text count only where most of the marked lines under a heading have them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice, product

from pairwright.core.records import Block
from pairwright.core.text import words
from pairwright.sources.error_list.bracketed import LONGEST

# Emphasis as signs of the text while its patterns are looked for, and what says that a reading is a guess.
_OPEN, _CLOSE, _GUESS = "\ue000", "\ue001", "\ue002"
_ARROW = r"(?:→|⟶|⇒|➔|➜|➡|=>|->|-->|—>|\uF0E0)"
_RUN = rf"{_OPEN}[^{_OPEN}{_CLOSE}]+{_CLOSE}"
# The right words behind the wrong ones: emphasised variants, or a bracket.
_RIGHT = rf"{_RUN}(?:\s*[/;,]\s*{_RUN})*"
_BRACKET = r"[(\[]\s*(?:=\s*)?(?P<bracket>[^()\[\]]+)[)\]]"
_AT_ONCE = re.compile(
    rf"~~(?P<struck>[^~\n]+)~~(?:[^\S\n]*(?:{_ARROW}[^\S\n]*)?(?:(?P<variants>{_RIGHT})|{_BRACKET})"
    rf"|\s*{_ARROW}\s*(?P<plain>\w[^.,;:!?…()\n{_OPEN}]*))?"
    rf"|(?P<run>{_RUN})[^\S\n]*{_ARROW}[^\S\n]*(?P<others>{_RIGHT})"
    rf"|[(\[](?P<wrong>[^()\[\]{_OPEN}]+?)\s*{_ARROW}\s*(?P<right>[^()\[\]{_OPEN}]+)[)\]]"
)
# Marked words with what replaces them in square brackets, which may also explain.
_BESIDE = re.compile(rf"({_RUN})[^\S\n]*\[([^\[\]]+)\]")
_MARKS = {"emphasis": re.compile(_RUN), "quotes": re.compile(r"[„“«\"]([^„“”«»\"]+)[“”»\"]"), "": re.compile(r"(?!)")}
# What stands between a sentence and the words that replace its marked ones; a bracket closes behind them.
_JOINTS = {
    "arrow": re.compile(rf"\s*{_ARROW}\s*(?=(?P<right>.+)$)", re.DOTALL),
    "bracket": re.compile(r"\s*\((?P<right>[^()=][^()]*)\)(?P<end>[.!?…]?)\s*$"),
    "dash": re.compile(r"\s[–—-]\s+(?=(?P<right>.+)$)", re.DOTALL),
    "colon": re.compile(r":\s+(?=(?P<right>[^:]+)$)"),
}
# What editors write before a correction: `not rec., = …`, `better: …`, or in its place.
_ABBREVIATED = re.compile(r"(?:[^\W\d_]{1,8}\.[,;:]?\s*)+")
_VERDICT = re.compile(rf"\A(?:{_ABBREVIATED.pattern}|\w+(?: \w+)?:\s+)=?\s*(?=\w)|\A=\s*")
# The right words are emphasised behind a verdict.
_RUNS = re.compile(rf"(?:\w+\.?\s*){{0,2}}:?\s*{_RUN}")
_NOTE = re.compile(r"(?<=\S)\s+(\([^()]*\))\.?$")
_WHOLE_QUOTE = re.compile(r"[„“«\"](?P<inside>.*[.!?…])[“”»\"]$", re.DOTALL)
_END = re.compile(r"[.!?…]+$")
# So many lines under a heading, and half of the marked ones, have a sign that may mean something else.
_FEWEST = 3
_LONGEST_SHAPE = 60
# In a line, so many places of a sign are looked at.
_MOST_SIGNS = 8


def in_brackets(blocks: Iterable[Block], has_correction: re.Pattern[str]) -> tuple[list[Block], set[str]]:
    """The blocks with corrections in the one manner `wrong (= right)`, the wrong words emphasised.

    Also the ids of those that are read in a manner that the list shows rarely, or cut off by guessing.

    has_correction  opens a correction where a block has one already
    """
    texts = [(each, _AT_ONCE.sub(_corrected, _with_signs(each)) if _is_line(each) else "") for each in blocks]
    readings = {
        place: list(_readings(text))
        for place, (block, text) in enumerate(texts)
        if block.kind != "heading" and text and not has_correction.search(text)
    }
    # How often each manner is met under a heading and in all, and how often its mark is.
    found, marked = Counter[object](), Counter[object]()
    for place, read in readings.items():
        section, text = texts[place][0].section, texts[place][1]
        for manner in dict.fromkeys(manner for manner, _ in read):
            found.update(((section, manner), manner))
        kinds = {kind for kind, mark in _MARKS.items() if mark.search(text)}
        for kind in kinds.intersection(kind for (kind, _), _ in read) or kinds:
            marked.update(((section, kind), kind))
    lines, guesses = list[Block](), set[str]()
    for place, (block, text) in enumerate(texts):
        line = text
        for (kind, joint), reading in readings.get(place, ()):
            where = ((block.section, (kind, joint)), (block.section, kind)), ((kind, joint), kind)
            is_usual = any(found[manner] >= max(_FEWEST, marked[mark] / 2) for manner, mark in where)
            if is_usual or joint == "arrow":
                line = reading if is_usual else reading + _GUESS
                break
        if line and line != _with_signs(block):
            lines.append(_without_signs(block, line.replace(_GUESS, "")))
            guesses |= {block.id} if _GUESS in line else set()
        else:
            lines.append(block)
    return lines, guesses


def _is_line(block: Block) -> bool:
    """Whether a block may be a line of a list: no table, and not longer than any sentence with its correction."""
    return block.kind in ("paragraph", "list_item", "heading") and len(block.text) <= LONGEST


def _corrected(match: re.Match[str]) -> str:
    """Wrong words with the right ones at once behind them; struck ones without any are to be deleted.

    Of words that nothing sets off, as many are the right ones as the wrong ones were, at a guess; without a sign, none.
    """
    wrong = match["struck"] or match["wrong"] or match["run"].strip(_OPEN + _CLOSE)
    right, rest = match["bracket"] or match["right"] or match["variants"] or match["others"], ""
    if match["plain"]:
        taken, size = match["plain"].split(), len(wrong.split())
        right, rest = " ".join(taken[:size]), " ".join(["", *taken[size:]])
        right += _GUESS * bool(rest)
    if (right is None and (match["struck"] is None or _END.search(wrong))) or (right and right[-2:-1] == ":"):
        # A whole sentence has its correction elsewhere, behind a label.
        return match[0]
    right = re.sub(rf"[{_OPEN}{_CLOSE}]", "", re.sub(rf"{_CLOSE}\s*[/;,]\s*{_OPEN}", "; ", right or f"–{_GUESS}"))
    return f"{_OPEN}{wrong.strip()}{_CLOSE} (= {right.strip()}){rest}"


def _readings(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """How a line may be a sentence with marked words, a sign, and what replaces the marked words: mark, sign, line."""
    if _BESIDE.search(text):
        yield ("emphasis", "beside"), _BESIDE.sub(r"\1 (= \2)", text)
    for kind, (joint, pattern) in product(_MARKS, _JOINTS.items()):
        for sign in islice(pattern.finditer(text), _MOST_SIGNS):
            if line := _bracketed(text[: sign.start()], sign, kind, joint):
                yield (kind, joint), line
                break


def _bracketed(left: str, sign: re.Match[str], kind: str, joint: str) -> str | None:
    """A sentence with a bracket of what stands behind a sign and replaces its marked words; None where it does not.

    What is emphasised behind the sign replaces them, and the rest explains. Behind an arrow, or emphasised, what is
    shorter than its sentence may replace words that are not marked.
    """
    quoted, right = _WHOLE_QUOTE.match(left), sign["right"].strip()
    left = quoted["inside"] if quoted else left
    note = _NOTE.search(right) if joint != "bracket" else None
    right, remark = (right[: note.start()], f" {note[1]}") if note else (right, "")
    runs = [run.strip(_OPEN + _CLOSE) for run in re.findall(_RUN, right)] if _RUNS.match(right) else []
    if _ABBREVIATED.fullmatch(right) and not _END.search(left) and joint == "dash":
        return None
    rights = runs or [_VERDICT.sub("", right)]
    end = _END.search(left) or _END.search(sign.groupdict().get("end") or "")
    is_whole = end is not None and all(_END.search(each) and each[0].isupper() for each in rights)
    right = (" " if is_whole else "; ").join(rights)
    found = list(_MARKS[kind].finditer(left))
    is_part = end and (runs or joint == "arrow") and len(words(rights[0])) + 1 < len(words(left))
    if len(found) != bool(kind) or not (kind or is_part or (runs and is_whole)):
        return None
    mark = found[0] if found else None
    others = f"{left[: mark.start()]} {left[mark.end() :]}" if mark else left
    is_past = mark and re.search(r"[.!?…][\"”“»]?\s+\w", left[mark.end() :])
    if is_past or not words(others) or _OPEN in others or re.search(r"[.!?…]\s*\n", left):
        return None
    if not words(right) or re.search(rf"{_ARROW}|{_OPEN}", right) or (kind == "quotes" and _MARKS[kind].search(right)):
        return None
    if mark:
        inside = mark[mark.lastindex or 0].strip(_OPEN + _CLOSE)
        left = f"{left[: mark.start()]}{_OPEN}{inside}{_CLOSE}{left[mark.end() :]}"
    body, ending = _END.sub("", left).rstrip(), end[0] if end else ""
    return f"{body}{ending} (= {right})" if is_whole else f"{body} (= {_END.sub('', right)}){ending}{remark}"


def _with_signs(block: Block) -> str:
    """The text of a block with signs for its emphasis."""
    text = block.text
    for start, end in sorted(block.emphasis, reverse=True):
        text = f"{text[:start]}{_OPEN}{text[start:end]}{_CLOSE}{text[end:]}"
    return text


def _without_signs(block: Block, text: str) -> Block:
    """A block with another text, whose signs of emphasis become spans."""
    pieces, plain, emphasis = re.split(rf"([{_OPEN}{_CLOSE}])", text), "", list[tuple[int, int]]()
    start: int | None = None
    for piece in pieces:
        if piece == _OPEN:
            start = len(plain) if start is None else start
        elif piece == _CLOSE:
            if start is not None:
                emphasis.append((start, len(plain)))
            start = None
        else:
            plain += piece
    return block.model_copy(update={"text": plain, "emphasis": tuple(emphasis)})


def shape_of(block: Block) -> str:
    """What a line looks like: its signs, an asterisk on each side of emphasis, dots for words."""
    text = re.sub(rf"[{_OPEN}{_CLOSE}]", "*", _with_signs(block))
    return re.sub(r"\w[\w\s,;'’-]*(?=\W|$)", "… ", text).replace("… *", "…*").strip()[:_LONGEST_SHAPE]
