"""The manners in which lists mark wrong words and what replaces them, all brought to one: `wrong (= right)`.

The wrong words are struck out, emphasised or quoted; the right ones follow at once, or behind the sentence and a sign.
Signs that also stand in running text count only where most of the marked lines under a heading have them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice, product
from typing import NamedTuple

from pairwright.core.records import Block
from pairwright.core.text import words
from pairwright.sources.error_list.bracketed import LONGEST

# Emphasis as signs of the text while its patterns are looked for.
_OPEN, _CLOSE = "\ue000", "\ue001"
_ARROW = r"(?:→|⟶|⇒|➔|➜|➡|=>|->|-->|—>|\uF0E0)"
_RUN = rf"{_OPEN}[^{_OPEN}{_CLOSE}]+{_CLOSE}"
_STRUCK = r"~~(?P<struck>[^~\n]+)~~"
# The right words behind the wrong ones: emphasised variants, or a bracket.
_RIGHT = rf"{_RUN}(?:\s*[/;,]\s*{_RUN})*"
_BRACKET = r"[(\[]\s*(?:=\s*)?(?P<bracket>[^()\[\]]+)[)\]]"
_AT_ONCE = re.compile(
    rf"{_STRUCK}(?:[^\S\n]*(?:{_ARROW}[^\S\n]*)?(?:(?P<variants>{_RIGHT})|{_BRACKET}|(?={_ARROW})))?"
    rf"|(?P<run>{_RUN})[^\S\n]*{_ARROW}[^\S\n]*(?P<others>{_RIGHT})"
    rf"|[(\[](?P<wrong>[^()\[\]{_OPEN}]+?)\s*{_ARROW}\s*(?P<right>[^()\[\]{_OPEN}]+)[)\]]"
)
# A headword, and what it governs, before the sentences of an entry.
_ENTRY = re.compile(rf"(?P<headword>{_RUN})(?:\s*\([^()]*\))?(?P<sign>\s*[–—:-]|[.:])?\s+(?=(?P<first>\w))?")
# A caret is a place where words are missing.
_CARET = re.compile(r"[‸⁁^]\s*(?P<next>\w+)")
_MARKS = {"caret": _CARET, "emphasis": re.compile(_RUN), "quotes": re.compile(r"[„“«\"](?P<quoted>[^„“”«»\"]+)[“”»\"]")}
_NO_MARK = re.compile(r"(?!)")
# What stands between a sentence and the words that replace its marked ones; a bracket closes behind them.
_JOINTS = {
    "arrow": re.compile(rf"\s*{_ARROW}\s*(?=(?P<right>.+)$)", re.DOTALL),
    "bracket": re.compile(r"\s*\((?P<right>[^()=][^()]*)\)(?P<end>[.!?…]?)\s*$"),
    "colon": re.compile(r":\s+(?=(?P<right>[^:]+)$)"),
    "dash": re.compile(r"\s[–—-]\s+(?=(?P<right>.+)$)", re.DOTALL),
}
# What editors write before a correction: `not rec., = …`, `better: …`, or in its place.
_ABBREVIATED = re.compile(r"(?:[^\W\d_]{1,8}\.[,;:]?\s*)+")
_VERDICT = re.compile(rf"\A(?:{_ABBREVIATED.pattern}|\w+(?: \w+)?:\s+)=?\s*(?=\w)|\A=\s*")
_VERDICT_BEHIND = re.compile(rf"\s+[–—-]\s+{_ABBREVIATED.pattern}$")
# The right words are emphasised behind a verdict.
_RUNS = re.compile(rf"(?:\w+\.?\s*){{0,2}}:?\s*{_RUN}")
_NOTE = re.compile(r"(?<=\S)\s+(\([^()]*\))\.?$")
_END = re.compile(r"[.!?…]+$")
_PAST = re.compile(r"[.!?…][\"”“»]?\s+\w")
# So many lines under a heading, and more than half of them, have a sign that may mean something else.
_FEWEST = 3
_LONGEST_SHAPE = 60
# In a line, so many places of a sign are looked at.
_MOST_SIGNS = 8


class _Reading(NamedTuple):
    """A line as a sentence with its marked words and their correction, and the manner in which that stands there.

    is_safe  an arrow behind a sentence means nothing else
    """

    manner: tuple[tuple[str, ...], str, str]
    text: str
    is_safe: bool


def in_brackets(
    blocks: Iterable[Block],
    has_correction: re.Pattern[str],
    deletions: Collection[str] = (),
    titles: Collection[str] = (),
) -> list[Block]:
    """The blocks with corrections in the one manner `wrong (= right)`, the wrong words emphasised.

    has_correction  opens a correction where a block has one already
    deletions       words, of which abbreviations may stand, that delete the wrong ones
    titles          of a column with what replaces words of the column before it
    """
    signed = [(block, _with_signs(block)) for block in blocks]
    texts = [(block, _AT_ONCE.sub(_corrected, text) if _is_read(block) else text) for block, text in signed]
    readings = {
        place: list(_readings(block.section, text, deletions))
        for place, (block, text) in enumerate(texts)
        if _is_read(block) and block.kind != "heading" and not has_correction.search(text)
    }
    counts = Counter(reading.manner for found in readings.values() for reading in found)
    # Lines that are read in some other manner say nothing against one.
    marked = Counter(
        (block.section, kind)
        for place, (block, text) in enumerate(texts)
        for kind, mark in _MARKS.items()
        if mark.search(text, _entry_end(text)) and kind in ({it.manner[1] for it in readings.get(place, ())} or {kind})
    )
    read = list[Block]()
    for place, (block, text) in enumerate(texts):
        for manner, line, is_safe in readings.get(place, ()):
            of_kind = sum(n for (_, kind), n in marked.items() if kind == manner[1])
            in_all = sum(n for each, n in counts.items() if each[1:] == manner[1:])
            is_usual = counts[manner] >= max(_FEWEST, marked[manner[:2]] / 2) or in_all >= max(_FEWEST, of_kind / 2)
            if is_safe or is_usual:
                text = line
                break
        block = _with_rights(block, titles, deletions) if block.cells else block
        read.append(block if block.cells or text == _with_signs(block) else _without_signs(block, text))
    return read


def _with_rights(block: Block, titles: Collection[str], deletions: Collection[str]) -> Block:
    """A table whose sentences have in brackets what a titled column puts in place of other words of theirs."""
    head, *rows = map(list, block.cells or ((),))
    column = next((place for place, title in enumerate(head) if place and title.casefold() in titles), None)
    if column is None:
        return block
    for row in rows:
        sentence, right = row[column - 1], _NOTE.sub("", row[column]).strip()
        kept = {word.casefold() for word in words(sentence)}
        is_part = _END.search(sentence) and not _END.search(right) and len(words(right)) + 1 < len(kept)
        if not is_part or kept.intersection(word.casefold() for word in words(right)):
            continue
        right = "–" if right.strip("()").casefold() in deletions else right
        if words(right) and "…" not in right and "(" not in right:
            ending = sentence[len(_END.sub("", sentence)) :]
            row[column - 1], row[column] = f"{_END.sub('', sentence)} (= {right}){ending}", ""
    cells = tuple(map(tuple, (head, *rows)))
    return block.model_copy(update={"cells": cells, "text": "\n".join(map("\t".join, cells))})


def _is_read(block: Block) -> bool:
    """Whether a block may be a line of a list: no table, and not longer than any sentence with its correction."""
    return block.kind in ("paragraph", "list_item", "heading") and len(block.text) <= LONGEST


def _corrected(match: re.Match[str]) -> str:
    """Wrong words with the right ones at once behind them; struck ones without any are to be deleted."""
    wrong = match["struck"] or match["wrong"] or match["run"].strip(_OPEN + _CLOSE)
    right = match["bracket"] or match["right"] or match["variants"] or match["others"]
    if (right is None and (match["struck"] is None or _END.search(wrong))) or (right and right[-2:-1] == ":"):
        # A whole sentence has its correction elsewhere, behind a label.
        return match[0]
    right = re.sub(rf"[{_OPEN}{_CLOSE}]", "", re.sub(rf"{_CLOSE}\s*[/;,]\s*{_OPEN}", "; ", right or "–"))
    return f"{_OPEN}{wrong.strip()}{_CLOSE} (= {right.strip()})"


def _readings(section: tuple[str, ...], text: str, deletions: Collection[str]) -> Iterator[_Reading]:
    """How a line may be a sentence with marked words, a sign, and what replaces the marked words.

    What is emphasised behind the sign replaces them, and the rest explains. Behind an arrow, or emphasised, what is
    shorter than its sentence may replace words that are not marked.
    """
    start = _entry_end(text)
    for (kind, mark), (joint, pattern) in product([*_MARKS.items(), ("", _NO_MARK)], _JOINTS.items()):
        for match in islice(pattern.finditer(text, start), _MOST_SIGNS):
            left, right = _VERDICT_BEHIND.sub("", text[start : match.start()]), match["right"].strip()
            note = _NOTE.search(right) if joint != "bracket" else None
            right, remark = (right[: note.start()], f" {note[1]}") if note else (right, "")
            runs = [run.strip(_OPEN + _CLOSE) for run in re.findall(_RUN, right)] if _RUNS.match(right) else []
            short = right.rstrip(".").casefold()
            is_deleted = len(short) > 1 and any(word.startswith(short) for word in deletions)
            rights = runs or ["–" if is_deleted else _VERDICT.sub("", right)]
            found, others = mark.search(left), mark.sub("", left, count=1)
            end = _END.search(left) or _END.search(match.groupdict().get("end") or "")
            is_whole = end and all(_END.search(each) and each[0].isupper() for each in rights)
            right = (" " if is_whole else "; ").join(rights)
            is_partial = end and (runs or joint == "arrow") and len(words(rights[0])) + 1 < len(words(left))
            is_verdict = joint == "dash" and _ABBREVIATED.fullmatch(right) and not runs
            if (
                is_verdict
                or re.search(rf"{_ARROW}|{_OPEN}", right)
                or re.search(r"[.!?…]\s*\n", left)
                or not words(others)
                or not (words(right) or is_deleted)
            ):
                continue
            # Behind the sentence of the marked words, a label may stand, and behind it something else.
            is_past = found and _PAST.search(left, found.end())
            if mark.search(others) or _OPEN in others or is_past or (kind == "quotes" and mark.search(right)):
                continue
            if found:
                marked = next(filter(None, found.groups()), found[0].strip(_OPEN + _CLOSE))
                right = "; ".join(f"{each} {marked}" for each in rights) if kind == "caret" else right
                mid = f"{_OPEN}{marked}{_CLOSE}{' (= –)' * is_deleted}"
                left = f"{left[: found.start()]}{mid}{left[found.end() :]}"
            elif kind or is_deleted or not (is_partial or (runs and is_whole)):
                continue
            inside = "" if is_deleted else f" (= {right if is_whole else _END.sub('', right)})"
            body, ending = _END.sub("", left).rstrip(), end[0] if end else ""
            line = f"{body}{ending}{inside}" if is_whole else f"{body}{inside}{ending}"
            manner = section, kind, f"{joint} {bool(runs or is_deleted)}"
            yield _Reading(manner, f"{text[:start]}{line}{remark}", joint == "arrow" and bool(end))
            break


def _entry_end(text: str) -> int:
    """Where the sentences begin behind an emphasised headword and a sign, or in small letters before a capital."""
    entry = _ENTRY.match(text)
    is_entry = entry and (entry["sign"] or (entry["headword"].islower() and (entry["first"] or "").isupper()))
    return entry.end() if entry and is_entry and text[entry.end() :].strip() else 0


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
