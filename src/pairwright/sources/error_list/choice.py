"""In which notations a list is read, and what of it none reads."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.errors import SourceError, counted
from pairwright.core.records import Block, Evidence, Rejection, Rule, Source
from pairwright.core.workspace import Workspace
from pairwright.sources import rejection
from pairwright.sources.error_list.alike import CLOSE, END, FEWEST, OPEN, repeats, with_signs
from pairwright.sources.error_list.notation import (
    BracketReader,
    Notation,
    any_of,
    load_notation,
    load_notations,
)
from pairwright.sources.error_list.wordings import ListedPair, list_lines, listed_pairs, places_of

# The notation of brackets to which other manners are brought.
BRACKETS = "vlkk"
# A doubtful notation has to find this many times as much as any other.
_DOUBT = 6
# The least likeness, 0-100, of the two sides of a slash.
_RIVALS = 70
# So many places of lines that gave nothing are shown, and so many lines have to give something before.
_SHOWN, _BESIDE = 5, 3
_LONGEST_SHAPE = 60
# A sentence with an arrow behind it.
_CORRECTED = re.compile(r"[.!?…][\"”“»]?\s*(?:→|⇒|➜|=>)\s*\w")
# A bracket without a mark, and how many letters before it are looked at.
_BARE, _BEFORE = re.compile(r"(?<=[^()])\(([^()]+)\)"), 200


def shape_of(block: Block) -> str:
    """What a line looks like: its signs, an asterisk on each side of emphasis, dots for words."""
    text = re.sub(rf"[{OPEN}{CLOSE}]", "*", with_signs(block))
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
        read += [e for e in whole if e.doubtful and e.layout != "marks" and max(counts[e.name]) >= FEWEST]
        if main.layout != "brackets":
            kinds = [each for each in known if each.layout == "brackets"]
            brackets = max(kinds, key=lambda each: (counts[each.name][:2], each.name == BRACKETS))
        certain, likely, _ = counts[brackets.name]
        if likely - certain < FEWEST and (brackets != main or certain >= FEWEST):
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
            if lines & used or (END.search(block.text) and not lines & others and not known.search(block.text)):
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
