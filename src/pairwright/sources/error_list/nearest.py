"""The notations of labels that a list has to itself; and for a list without a correction, what comes nearest."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from rapidfuzz import fuzz

from pairwright.core.errors import at, counted
from pairwright.core.records import Block, Rejection, Source
from pairwright.core.text import words
from pairwright.core.workspace import Workspace
from pairwright.sources.error_list.manners import shape_of
from pairwright.sources.error_list.notation import Notation
from pairwright.sources.error_list.wordings import ListedPair, alike, list_lines, listed_pairs

_LABEL = re.compile(r"(?:^\W*|[.!?…,;–—-]\s?[\"”“»]?\s+)([^\W\d_][\w ]{0,30}):\s")
_ARROW = re.compile(r"(?<=\s)[^\w\s\"'“”„«»‘’.,;:!?()\[\]|*_-]{1,3}(?=\s)")
# So many of the most frequent signs are tried on the list. In fewer lines labels are not read, and none suggested.
_TRIED, _FEWEST, _SUGGESTED = 20, 3, 2


def own_labels(blocks: Sequence[Block], notations: Sequence[Notation]) -> list[Notation]:
    """The labels between which a list has wordings that are alike, where no notation has them: `Ne: … Taip: …`.

    The one with a word of refusal is that of the wrong wording. Where none has, it is the first, at a guess.
    """
    refusals = {word for each in notations for mark in (*each.wrong_marks, *each.right_first) for word in words(mark)}
    own = list[Notation]()
    for like, signs in _repeated_labels(blocks, notations, _FEWEST):
        first, second = signs.values()
        refused = [not refusals.isdisjoint(words(label)) for label in (first, second)]
        wrong, right = (second, first) if refused == [False, True] else (first, second)
        given = {"name": f"{first} {second}", "example": f"{first} … {second} …", "guess": not any(refused)}
        notation = like.model_copy(update={**given, "wrong_marks": (wrong,), "right_marks": (right,)})
        is_known = {first, second} <= {*like.wrong_marks, *like.right_marks}
        own += [notation] * (not is_known and len(_read(blocks, notation)) >= _FEWEST)
    return own


def nothing_found(
    blocks: list[Block], source: Source, notations: Sequence[Notation], counts: Sequence[int], workspace: Path | None
) -> str:
    """The message for a list without corrections. `counts` says how many possible ones each notation finds."""
    file, here = source.files[0].path, Workspace(workspace or Path())
    tried = f"notation '{source.notation}'" if source.notation else "any known notation"
    found = ((*_read_with(blocks, like, signs), like, signs) for like, signs in _repeated_signs(blocks, notations))
    read, _, like, signs = max(found, key=lambda each: (len(each[0]), each[1]), default=([], 0.0, notations[0], {}))
    if len(read) >= _SUGGESTED:
        options = [word for name, sign in signs.items() for word in (f"--{name}", sign)]
        shape = "… {} …".format(*signs.values()) if "arrow" in signs else "{} … {} …".format(*signs.values())
        return (
            f"{at(file, read[0].line.number)}: no correction found in {tried}; "
            f"{counted(len(read), 'correction')} may stand as here, `{shape}`, which is like {like.name} "
            f"`{like.example}`; if the wrong wording comes first: "
            f"{here.command('notation', 'add', source.id, '--like', like.name, *options)}"
        )
    traces = [_traces(blocks, notation) for notation in notations]
    order = sorted(range(len(notations)), key=lambda n: (counts[n], len(traces[n])), reverse=True)
    hints = [f" (finds {counts[n]})" if counts[n] else "".join(f" ({trace})" for trace in traces[n][:1]) for n in order]
    nearest = [f"{notations[n].name} `{notations[n].example}`{hint}" for n, hint in zip(order[:3], hints, strict=False)]
    named = ("--language", source.language, "--notation", notations[order[0]].name)
    attempt = here.command("notation", "try", file, *named)
    shapes = Counter(shape_of(block) for block in blocks if block.kind in ("paragraph", "list_item"))
    (shape, n), *_ = [*shapes.most_common(1), ("", 0)]
    tried += f"; {n} of its lines look like `{shape}`" if n > 1 else ""
    return (
        f"{file}: no correction found in {tried}; the nearest: {', '.join(nearest)}; choose one with --notation, write "
        f"the list so, or describe its own in notations/<name>.toml; next: {attempt}; a grammar is built with "
        "--kind grammar-book"
    )


def _repeated_labels(
    blocks: Sequence[Block], notations: Sequence[Notation], least: int
) -> Iterator[tuple[Notation, dict[str, str]]]:
    """Labels that follow each other in so many places at least, by the notation whose own they may replace."""
    lines = list_lines(block for block in blocks if block.kind != "table")
    labels = Counter(pairwise(m[1].strip().casefold() for line in lines for m in _LABEL.finditer(f"{line.text} ")))
    (like,) = (each for each in notations if each.name == "wrong-right")
    for (wrong, right), n in labels.most_common(_TRIED):
        if n >= least and wrong != right:
            yield like, {"wrong": f"{wrong}:", "right": f"{right}:"}


def _repeated_signs(blocks: list[Block], notations: Sequence[Notation]) -> Iterator[tuple[Notation, dict[str, str]]]:
    """Words and signs in which lines agree: the notation whose own they may replace, and they by their kinds."""
    phrases, arrows = Counter[tuple[str, str]](), Counter[str]()
    for line in list_lines(blocks):
        first, *others = [word.casefold() for word in words(line.text) if not word[0].isdigit()] or [""]
        phrases.update((first, other) for other in set(others[1:-1]) - {first})
        arrows.update(set(_ARROW.findall(line.text)))
    by_name = {notation.name: notation for notation in notations}
    yield from _repeated_labels(blocks, notations, _SUGGESTED)
    for (wrong, right), n in phrases.most_common(_TRIED):
        if n >= _SUGGESTED and wrong != right:
            yield by_name["not-but"], {"wrong": wrong, "right": right}
    for sign, n in arrows.most_common(_TRIED):
        if n >= _SUGGESTED:
            yield by_name["bare-arrows"], {"arrow": sign}


def _read(blocks: Sequence[Block], notation: Notation) -> list[ListedPair]:
    """What a notation reads of a list whose sides are alike."""
    items = listed_pairs(blocks, notation)
    return [item for item in items if isinstance(item, ListedPair) and alike(item.bad, item.goods[0])]


def _read_with(blocks: list[Block], like: Notation, signs: dict[str, str]) -> tuple[list[ListedPair], float]:
    """What a notation with other signs reads of a list, and how alike, 0-100, its sides are."""
    changed = {"arrows" if name == "arrow" else f"{name}_marks": (sign,) for name, sign in signs.items()}
    read = _read(blocks, like.model_copy(update=changed))
    return read, fmean([fuzz.ratio(pair.bad.casefold(), pair.goods[0].casefold()) for pair in read] or [0.0])


def _traces(blocks: list[Block], notation: Notation) -> list[str]:
    """Where the signs of a notation stand in a list that it does not read, and why not."""
    if notation.layout == "brackets":
        places = [block.line for block in blocks if "(" in block.text]
        return [f"line {line}: no mark behind the bracket" for line in places]
    items = [item for item in listed_pairs(blocks, notation) if isinstance(item, Rejection)]
    return [f"line {item.line}: {item.reason.split(';')[0]}" for item in items]
