"""In which manners and notations a list is read, and what of it none reads.

The manners in which sentences mark wrong words and what replaces them are all brought to one: `wrong (= right)`. The
wrong words are struck out, emphasised or quoted; the right ones follow at once, or behind the sentence and a sign.
Signs that also stand in running text count only where most of the marked lines under a heading have them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, product
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.errors import SourceError, counted
from pairwright.core.records import Block, Evidence, Rejection, Rule, Source
from pairwright.core.text import words
from pairwright.core.workspace import Workspace
from pairwright.sources import rejection
from pairwright.sources.error_list.edits import has_form
from pairwright.sources.error_list.notation import (
    LONGEST,
    BracketReader,
    Notation,
    any_of,
    load_notation,
    load_notations,
)
from pairwright.sources.error_list.wordings import ListedPair, alike, list_lines, listed_pairs, places_of

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
_BRACKET_BESIDE = re.compile(rf"({_RUN})[^\S\n]*\[([^\[\]]+)\]")
_MARKS = {"emphasis": re.compile(_RUN), "quotes": re.compile(r"[„“«\"]([^„“”«»\"]+)[“”»\"]"), "": re.compile(r"(?!)")}
# What stands between a sentence and the words that replace its marked ones; a bracket closes behind them.
_JOINTS = {
    "arrow": re.compile(rf"\s*{_ARROW}\s*(?=(?P<right>.+)$)", re.DOTALL),
    "bracket": re.compile(r"\s*\((?P<right>[^()=][^()]*)\)(?P<end>[.!?…]?)\s*$"),
    "dash": re.compile(r"\s[–—-]\s+(?=(?P<right>.+)$)", re.DOTALL),
    "colon": re.compile(r":\s+(?=(?P<right>[^:]+)$)"),
    "verdict": re.compile(rf"(?<=[.!?…])\s+(?P<said>(?:[^\W\d_]+[.:]?\s+){{1,2}})(?=(?P<right>{_RUN}.*)$)", re.DOTALL),
}
# What editors write before a correction: `not rec., = …`, `better: …`, or in its place.
_ABBREVIATED = re.compile(r"(?:[^\W\d_]{1,8}\.[,;:]?\s*)+")
_VERDICT = re.compile(rf"\A(?:{_ABBREVIATED.pattern}|\w+(?: \w+)?:\s+)=?\s*(?=\w)|\A=\s*")
# The right words are emphasised behind a verdict.
_RUNS = re.compile(rf"(?:\w+\.?\s*){{0,2}}:?\s*{_RUN}")
_ENDING = re.compile(r"(?<!\S)-([^\W\d_]{1,4})(?!\w)")
_ELLIPSIS = re.compile(r"\s*(?:…|\.{3})\s*")
_NOTE = re.compile(r"(?<=\S)\s+(\([^()]*\))\.?$")
_WHOLE_QUOTE = re.compile(r"[„“«\"](?P<inside>.*[.!?…])[“”»\"]$", re.DOTALL)
_END = re.compile(r"[.!?…]+$")
# Signs that may mean something else are read where so many lines under a heading, and half of the marked ones, have
# them, and labels where so many lines do. In a line, so many places of a sign are looked at.
_FEWEST, _MOST_SIGNS = 3, 8
_LONGEST_SHAPE = 60
# The notation of brackets to which other manners are brought.
BRACKETS = "vlkk"
# A doubtful notation has to find this many times as much as any other.
_DOUBT = 6
# So many of the most frequent labels are tried on the list.
_TRIED = 20
_LABEL = re.compile(r"(?:^\W*|[.!?…,;–—-]\s?[\"”“»]?\s+)([^\W\d_][\w ]{0,30}):\s")
# A bracket, and one that a short word with a full stop or a colon opens: `[corr. words]`. So many of a sign's brackets,
# one of three, have a word in them that stands before it.
_OPENED = re.compile(r"[(\[][^\W\d_]{2}")
_SIGNED = re.compile(r"[(\[](?P<sign>[^\W\d_]{2,12}[.:])\s+(?P<right>[^()\[\]]+)[)\]]")
_REPEATED, _BEFORE = 3, 200
# The fewest letters of an abbreviation.
_LEAST = 3
# A headword before its sentence, with a number and a remark in brackets: `1.2 **wait** (on what): They wait …`.
_HEAD = re.compile(
    rf"[^\w{_OPEN}]{{0,8}}(?:[\w.§/]{{1,12}}[^\w{_OPEN}]{{1,3}})?{_RUN}"
    r"(?:\([^()\n]{0,80}\)|[^.!?()\n]){0,80}?(?:\s[–—-]|:)\s"
)
# Signs that may set words off, the same on both sides or a pair, and one that stands alone.
_SET_OFF = re.compile(r"(?<!\w)([^\w\s.,;:!?…()\[\]/'’\"„“”«»‚‘~*–—-])(?=\S)[^\n]{1,300}?(?<=\S)\1(?!\w)")
_PAIRS = ("{}", "<>", "⟨⟩", "‹›", "›‹")
_ALONE = re.compile(r"(?<=\s)[^\w\s.,;:!?…()\[\]'’\"„“”«»*=/–—-]{1,2}(?=\s)")
# The least likeness, 0-100, of the two sides of a slash.
_RIVALS = 70
# So many places of lines that gave nothing are shown, and so many lines have to give something before.
_SHOWN, _BESIDE = 5, 3
# A sentence with an arrow behind it.
_CORRECTED = re.compile(r"[.!?…][\"”“»]?\s*(?:→|⇒|➜|=>)\s*\w")
# A bracket without a mark with what is before it, and how many words of that may have a form in it. A shorter word,
# such as an article, may be in both for nothing.
_BARE, _NEAR, _SHORT = re.compile(r"(?<=[^()])\(([^()]+)\)"), 6, 3


def in_brackets(blocks: Iterable[Block], notation: Notation) -> tuple[list[Block], set[str]]:
    """The blocks with corrections in the one manner `wrong (= right)`, the wrong words emphasised.

    Also the ids of those that are read in a manner that the list shows rarely, or cut off by guessing.

    notation  that of the brackets; a block that has a correction in it already stays as it is
    """
    printed = list(blocks)
    certain, guessed = _own_signs(printed, notation)
    marks, arrows = _own_marks(printed)
    texts = list[tuple[Block, str]]()
    for block in printed:
        text = "" if block.kind == "table" else certain.sub("= ", _with_signs(block))
        text = guessed.sub(f"= {_GUESS}", text)
        # Not longer than any sentence with its correction.
        is_line = block.kind in ("paragraph", "list_item", "heading") and len(block.text) <= LONGEST
        if is_line:
            text = _AT_ONCE.sub(_corrected, arrows.sub(" → ", _remarked(text, marks)))
        # Lines of a paragraph may be entries by themselves.
        lines = text.split("\n") if is_line else [text]
        is_listed = any(kind for line in lines for (kind, _), _ in _readings(line, notation))
        texts += ((block, line) for line in (lines if is_listed else [text]))
    has_correction = BracketReader(notation).opening
    readings = {
        place: list(_readings(text, notation))
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
    written, guesses = defaultdict[str, list[str]](list), set[str]()
    for place, (block, text) in enumerate(texts):
        line = text
        for (kind, joint), reading in readings.get(place, ()):
            where = ((block.section, (kind, joint)), (block.section, kind)), ((kind, joint), kind)
            is_usual = any(found[manner] >= max(_FEWEST, marked[mark] / 2) for manner, mark in where)
            if is_usual or joint == "arrow":
                line = reading if is_usual else reading + _GUESS
                break
        guesses |= {block.id} if _GUESS in line else set()
        written[block.id].append(line.replace(_GUESS, ""))
    changed = ((block, "\n".join(written[block.id])) for block in printed)
    return [_without_signs(b, text) if text not in ("", _with_signs(b)) else b for b, text in changed], guesses


def _own_signs(blocks: Sequence[Block], notation: Notation) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The signs that open the brackets of corrections in a list, as counted: abbreviated ones of the notation, others.

    What follows such a sign repeats words before it. The first opens most brackets of the list, others stand beside it.
    Whether one that the notation does not know corrects or refuses is a guess.
    """
    found, n_brackets = defaultdict[str, list[bool]](list), 0
    for block in blocks:
        n_brackets += len(_OPENED.findall(block.text))
        for match in _SIGNED.finditer(block.text):
            found[match["sign"]].append(repeats(_before(block.text, match), match["right"]))
    known = {*notation.wrong_first, *notation.right_first, *notation.references, *notation.intros, *notation.notes}
    usual = {sign: seen for sign, seen in found.items() if len(seen) >= _BESIDE and sum(seen) * _REPEATED >= len(seen)}
    own = {sign for sign in usual if not _abbreviates(sign, known - {*notation.wrong_first})}
    own = own - known if any(len(usual[sign]) * 2 >= n_brackets for sign in own) else set()
    short = {sign for sign in own if _abbreviates(sign, notation.wrong_first)}
    certain, guessed = (re.compile(rf"(?<=[(\[]){any_of(signs)}\s+") for signs in (short, own - short))
    return certain, guessed


def _abbreviates(sign: str, marks: Iterable[str]) -> bool:
    """Whether a word with a full stop or a colon is one of the marks or abbreviates one."""
    word = sign.casefold().rstrip(".:")
    return any(mark.rstrip(":") == word or mark.startswith(word) * (len(word) >= _LEAST) for mark in marks)


def _own_marks(blocks: Sequence[Block]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The signs that most lines of a list have: those that set words off, such as daggers, also one alone; and those
    that stand alone behind such words."""
    lines = [line for each in blocks if each.kind in ("paragraph", "list_item") for line in each.text.split("\n")]
    found = Counter(pair for line in lines for pair in {match[1] * 2 for match in _SET_OFF.finditer(line)})
    found.update(pair for line in lines for pair in _PAIRS if re.search(_between(pair), line))
    usual = [p for p, n in found.items() if n >= _BESIDE and 2 * sum(p[0] in line for line in lines) >= len(lines)]
    signs = "".join(pair[0] for pair in usual if pair[0] == pair[1])
    marks = re.compile("|".join([*map(_between, usual), *(f"[{re.escape(signs)}]" for _ in signs[:1])]) or "(?!)")
    tails = [line[places[-1].end() :] for line in lines if (places := list(marks.finditer(line)))]
    alone = Counter(sign for tail in tails for sign in set(_ALONE.findall(tail)))
    arrows = (sign for sign, n in alone.items() if n >= max(_BESIDE, len(tails) / 2))
    return marks, re.compile(rf"\s{any_of(arrows)}\s")


def _between(pair: str) -> str:
    """A pattern for words between two signs."""
    return rf"{re.escape(pair[0])}[^{re.escape(pair)}\n]+{re.escape(pair[1])}"


def _remarked(text: str, marks: re.Pattern[str]) -> str:
    """A line whose words between the list's own signs are emphasised, and no others."""
    if not marks.search(text):
        return text
    plain = re.sub(rf"[{_OPEN}{_CLOSE}]", "", text)
    return marks.sub(lambda match: f"{_OPEN}{match[0][1:-1]}{_CLOSE}" * (len(match[0]) > 1), plain)


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


def _readings(text: str, notation: Notation) -> Iterator[tuple[tuple[str, str], str]]:
    """How a line may be a sentence with marked words, a sign, and what replaces the marked words: mark, sign, line.

    Behind a verdict that the notation does not know, what replaces them is a guess.
    """
    if _BRACKET_BESIDE.search(text):
        # An abbreviation alone, such as `del.`, deletes at a guess.
        yield (
            ("emphasis", "beside"),
            _BRACKET_BESIDE.sub(lambda m: f"{m[1]} (= {f'–{_GUESS}' if _ABBREVIATED.fullmatch(m[2]) else m[2]})", text),
        )
    for kind, (joint, pattern) in product(_MARKS, _JOINTS.items()):
        for sign in islice(pattern.finditer(text), _MOST_SIGNS):
            said = sign["said"].strip() if joint == "verdict" else "="
            if _abbreviates(said, notation.right_first):
                continue
            if line := _bracketed(text[: sign.start()], sign, kind, joint):
                yield (kind, joint), line + _GUESS * (not _abbreviates(said, notation.wrong_first))
                break


def _bracketed(left: str, sign: re.Match[str], kind: str, joint: str) -> str | None:
    """A sentence with a bracket of what stands behind a sign and replaces its marked words; None where it does not.

    What is emphasised behind the sign replaces them, and the rest explains; dots stand between what replaces several.
    Behind an arrow, or emphasised, what is
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
    if kind == "emphasis" and (head := _HEAD.match(left)):
        left = re.sub(rf"[{_OPEN}{_CLOSE}]", "", head[0]) + left[head.end() :]
    found = list(_MARKS[kind].finditer(left))
    if kind == "emphasis" and len(found) > 1 and len(parts := _ELLIPSIS.split(right)) == len(found):
        each = iter(parts)
        return re.sub(_RUN, lambda match: f"{match[0]} (= {next(each)})", left)
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
        # Dictionaries repeat a word so, and give an ending by itself; what is left out is a guess.
        right = right.replace("~", f"{inside.split()[-1]}{_GUESS}")
        right = _ENDING.sub(lambda match: f"{inside[: -len(match[1])]}{match[1]}{_GUESS}", right)
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
    plain, emphasis, start = "", list[tuple[int, int]](), None
    for piece in re.split(rf"([{_OPEN}{_CLOSE}])", text):
        if piece == _OPEN:
            start = len(plain) if start is None else start
        elif piece == _CLOSE:
            emphasis += [] if start is None else [(start, len(plain))]
            start = None
        else:
            plain += piece
    return block.model_copy(update={"text": plain, "emphasis": tuple(emphasis)})


def shape_of(block: Block) -> str:
    """What a line looks like: its signs, an asterisk on each side of emphasis, dots for words."""
    text = re.sub(rf"[{_OPEN}{_CLOSE}]", "*", _with_signs(block))
    return re.sub(r"\w[\w\s,;'’-]*(?=\W|$)", "… ", text).replace("… *", "…*").strip()[:_LONGEST_SHAPE]


class Chosen(NamedTuple):
    """The notations of a list.

    main      the one that source.toml names, else the one that finds most corrections
    read      those in which lines of whole wordings are read, the doubtful ones last
    brackets  that of the brackets inside sentences
    known     all that there are
    """

    main: Notation
    read: list[Notation]
    brackets: Notation
    known: list[Notation]

    @property
    def others(self) -> list[Notation]:
        """Those whose lines are only named."""
        names = {each.name for each in (*self.read, self.brackets)}
        is_whole = self.main.layout != "brackets"
        return [each for each in self.known if each.name not in names and (is_whole or not each.doubtful)]


def choose_notations(blocks: Sequence[Block], source: Source, workspace: Path | None) -> Chosen:
    """The notations of a list. Without a named one, all whose signs stand for nothing else are read.

    Signs that also stand in running text count only where there is hardly anything else: brackets such as `(ne x)`, and
    those of doubtful notations. Raises SourceError where there is no correction, ConfigError for an unknown notation.
    """
    named = load_notation(source.notation, workspace) if source.notation else None
    known = load_notations(workspace)
    known += [] if named else _own_labels(blocks, known)
    counts = {each.name: _count(blocks, each) for each in known}
    if not any(counts[named.name] if named else map(any, counts.values())):
        raise SourceError(_nothing_found(blocks, source, known, counts, workspace))
    # Words before signs: both read `✗ Wrong: …`, and a sign leaves the word in the sentence.
    main = named or max(reversed(known), key=lambda each: counts[each.name])
    brackets, whole = main, [each for each in known if each.layout != "brackets" and each.name != main.name]
    read = [main]
    if not named:
        read += [each for each in whole if not each.doubtful]
        # Doubtful ones where several lines have them.
        read += [e for e in whole if e.doubtful and e.layout != "marks" and max(counts[e.name]) >= _FEWEST]
        if main.layout != "brackets":
            kinds = [each for each in known if each.layout == "brackets"]
            brackets = max(kinds, key=lambda each: (counts[each.name][:2], each.name == BRACKETS))
        certain, likely, _ = counts[brackets.name]
        if likely - certain < _FEWEST and (brackets != main or certain >= _FEWEST):
            # A rare sign that may mean something else does.
            brackets = brackets.model_copy(update={"right_first": brackets.clear_refusals, "code": main.code})
    return Chosen(main, sorted(read, key=lambda each: each.doubtful), brackets, known)


def _count(blocks: Sequence[Block], notation: Notation) -> tuple[int, int, int]:
    """How many blocks or lines hold a correction: those that are certain, likely, possible."""
    if notation.layout == "brackets":
        clear = notation.model_copy(update={"right_first": notation.clear_refusals})
        readers = BracketReader(clear), BracketReader(notation)
        certain, likely = (sum(reader.has_correction(block.text) for block in blocks) for reader in readers)
        if not notation.unmarked:
            return certain, likely, likely
        count = sum(
            any(repeats(_before(block.text, match), match[1]) for match in _BARE.finditer(block.text))
            for block in blocks
        )
    else:
        count = sum(isinstance(item, ListedPair) for item in listed_pairs(blocks, notation))
    least = count // _DOUBT if notation.doubtful else count
    return least, least, count


def _before(text: str, match: re.Match[str]) -> str:
    """What stands before a bracket, back to another."""
    return re.split(r"[()\[\]]", text[max(0, match.start() - _BEFORE) : match.start()])[-1]


def repeats(before: str, inside: str) -> bool:
    """Whether a bracket has a word before it, in whatever form, as corrections mostly do and explanations don't."""
    earlier = words(before)[-_NEAR:]
    return any(len(word) > _SHORT if word in earlier else has_form(word, earlier) for word in words(inside))


def _own_labels(blocks: Sequence[Block], notations: Sequence[Notation]) -> list[Notation]:
    """The labels between which a list has wordings that are alike, where no notation has them: `Ne: … Taip: …`.

    The one with a word of refusal is that of the wrong wording. Where none has, it is the first, at a guess.
    """
    refusals = {word for each in notations for mark in (*each.wrong_marks, *each.right_first) for word in words(mark)}
    lines = list_lines(block for block in blocks if block.kind != "table")
    labels = Counter(pairwise(m[1].strip().casefold() + ":" for ln in lines for m in _LABEL.finditer(f"{ln.text} ")))
    (like,) = (each for each in notations if each.name == "wrong-right")
    known, own = {*like.wrong_marks, *like.right_marks}, list[Notation]()
    for (first, second), n in labels.most_common(_TRIED):
        if n < _FEWEST or first == second or {first, second} <= known:
            continue
        refused = [not refusals.isdisjoint(words(label)) for label in (first, second)]
        wrong, right = (second, first) if refused == [False, True] else (first, second)
        given = {"name": f"{first} {second}", "example": f"{first} … {second} …", "guess": not any(refused)}
        notation = like.model_copy(update={**given, "wrong_marks": (wrong,), "right_marks": (right,)})
        pairs = (item for item in listed_pairs(blocks, notation) if isinstance(item, ListedPair))
        own += [notation] * (sum(alike(pair.bad, pair.goods[0]) for pair in pairs) >= _FEWEST)
    return own


def _nothing_found(
    blocks: Sequence[Block],
    source: Source,
    notations: Sequence[Notation],
    counts: dict[str, tuple[int, int, int]],
    workspace: Path | None,
) -> str:
    """The message for a list without corrections; `counts` are those that each notation finds."""
    file, command = source.files[0].path, Workspace(workspace or Path()).command
    found, traces = {name: max(n) for name, n in counts.items()}, {it.name: _traces(blocks, it) for it in notations}
    order = sorted(notations, key=lambda it: (found[it.name], len(traces[it.name])), reverse=True)
    hints = (f"finds {found[it.name]}" if found[it.name] else "".join(traces[it.name][:1]) for it in order)
    nearest = [f"{it.name} `{it.example}`{hint and f' ({hint})'}" for it, hint in zip(order[:3], hints, strict=False)]
    shapes = Counter(shape_of(block) for block in blocks if block.kind in ("paragraph", "list_item"))
    (shape, n), *_ = [*shapes.most_common(1), ("", 0)]
    tried = f"notation '{source.notation}'" if source.notation else "any known notation"
    tried += f"; {counted(n, 'line')} look like `{shape}`" if n > 1 else ""
    attempt = command("notation", "try", file, "--language", source.language, "--notation", order[0].name)
    return (
        f"{file}: no correction found in {tried}; the nearest: {', '.join(nearest)}; choose one with --notation, write "
        f"the list so, or add its own signs in notations/<name>.toml, as "
        f"{command('notation', 'add', source.id, '--like', 'bare-arrows', '--arrow', 'SIGN')} does; next: {attempt}; "
        "a grammar is built with --kind grammar-book"
    )


def _traces(blocks: Sequence[Block], notation: Notation) -> list[str]:
    """Where the signs of a notation stand in a list that it does not read, and why not."""
    if notation.layout == "brackets":
        return [f"line {block.line}: no mark behind the bracket" for block in blocks if "(" in block.text]
    items = (item for item in listed_pairs(blocks, notation) if isinstance(item, Rejection))
    return [f"line {item.line}: {item.reason.split(';')[0]}" for item in items]


def unread(
    blocks: Sequence[Block], items: Sequence[Rule | Rejection], chosen: Chosen, *, is_named: bool
) -> Iterator[Rejection]:
    """The lines that gave nothing: those that another notation would read, with its name; those with a sign of error.

    is_named  others were not read because somebody named the list's own
    """
    is_whole = chosen.main.layout != "brackets"
    # In running text these words say nothing.
    signs = {mark.rstrip(":") for each in chosen.known for mark in each.wrong_marks if is_whole and mark[0].isalpha()}
    references = {reference for each in chosen.known for reference in each.references}
    texts = [item for item in items if isinstance(item, Rejection)]
    examples = [example for item in items if isinstance(item, Rule) for example in item.examples]
    read, halves = [example.evidence for example in examples], [(each.good, each.bad or each.good) for each in examples]
    wordings = {wording.rstrip(".!?… ") for half in halves for wording in half}
    used = set[tuple[object, ...]]().union(*map(places_of, texts), *map(places_of, read))
    # The head of a table that was read is no line to be read.
    tables = {block.id for block in blocks if block.kind == "table"}.intersection(of.block_id for of in read)
    for notation in chosen.others:
        cure = f"put such lines into a list of their own, with --notation {notation.name}"
        if is_named and is_whole and notation.layout != "brackets" and not notation.doubtful:
            cure = "name no notation, and both are read"
        if notation.layout == "brackets":
            # Brackets that stand for nothing else.
            reader = BracketReader(notation.model_copy(update={"right_first": ()}))
            lines = [line for line in list_lines(blocks) if reader.has_correction(line.text)]
        else:
            found = [item for item in listed_pairs(blocks, notation) if isinstance(item, ListedPair)]
            lines = [item.line._replace(text=item.quote.split("\n")[0]) for item in found]
        for line in lines:
            places = places_of(Evidence.at(line.block, line.text, line.number))
            if not used & places and line.block.id not in tables:
                used |= places
                yield line.rejection(f"only notation '{notation.name}' reads such lines, `{notation.example}`; {cure}")
    named = set[tuple[object, ...]]()
    signed = re.compile(rf"\W*(?:\w+ )?{any_of(signs)}(?!\w)", re.IGNORECASE)
    for line in list_lines(block for block in blocks if block.kind in ("paragraph", "list_item")):
        left, slash, right = line.text.partition(" / ")
        rivals = slash and fuzz.ratio(left.casefold(), right.casefold()) >= _RIVALS
        is_read = used & places_of(line.rejection("")) or any(wording in line.text for wording in wordings)
        if (signed.match(line.text) or rivals or _CORRECTED.search(line.text)) and not is_read:
            named |= places_of(line.rejection(""))
            yield line.rejection(
                "it seems to show an error, but no notation reads such lines; see pairwright notation try"
            )
    yield from _silent(blocks, used, named, re.compile("|".join(map(re.escape, {*wordings, *references})) or "(?!)"))


def _silent(
    blocks: Iterable[Block], used: set[tuple[object, ...]], others: set[tuple[object, ...]], known: re.Pattern[str]
) -> Iterator[Rejection]:
    """One Rejection for the items that gave nothing, and for paragraphs that did while most beside them gave something.

    used, others  the lines that did, and those that have a Rejection
    known         is in lines that are no examples
    """
    groups = defaultdict[tuple[object, ...], list[tuple[Block, bool]]](list)
    for block in blocks:
        if block.kind in ("list_item", "paragraph") and block.line is not None:
            lines = {(block.file, block.line + further) for further in range(block.text.count("\n") + 1)}
            if lines & used or (_END.search(block.text) and not lines & others and not known.search(block.text)):
                groups[block.kind, block.file, block.section].append((block, not lines & used))
    silent = list[Block]()
    for (kind, *_), group in groups.items():
        own = [block for block, is_silent in group if is_silent]
        if max(_BESIDE, len(own) + 1) <= len(group) - len(own) or (kind == "list_item" and len(own) >= _BESIDE):
            silent += own
    if silent:
        places = ", ".join(str(block.line) for block in silent[:_SHOWN]) + ", …" * (len(silent) > _SHOWN)
        (shape, n), *_ = Counter(map(shape_of, silent)).most_common(1)
        look = f"; {n} look like `{shape}`" if n > 1 else ""
        reason = f"{counted(len(silent), 'line')} gave nothing: {places}{look}"
        yield rejection(silent[0], reason, silent[0].text, silent[0].line)
