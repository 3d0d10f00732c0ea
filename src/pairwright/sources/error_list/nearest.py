"""For a list without a correction in any notation: the notations that come nearest, and one that its lines suggest."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.errors import at, counted
from pairwright.core.records import Block, Rejection, Source
from pairwright.core.text import words
from pairwright.core.workspace import Workspace
from pairwright.sources.error_list.notation import Notation
from pairwright.sources.error_list.wordings import ListedPair, alike, list_lines, listed_pairs

_LABEL = re.compile(r"\W*([^\W\d_][\w ]{0,30}):\s")
_ARROW = re.compile(r"(?<=\s)[^\w\s\"'“”„«»‘’.,;:!?()\[\]|*_-]{1,3}(?=\s)")
# So many of the most frequent signs of a shape are tried on the list; in one line a sign says nothing.
_TRIED, _FEWEST = 20, 2


class Suggestion(NamedTuple):
    """A notation like a known one with other signs, and what it reads: how many corrections, the first, how alike."""

    like: Notation
    wrong: str
    right: str
    arrow: str
    n: int
    first: ListedPair
    likeness: float

    @property
    def shape(self) -> str:
        """Where the signs stand around the two wordings."""
        return f"… {self.arrow} …" if self.arrow else f"{self.wrong} … {self.right} …"

    @property
    def options(self) -> list[str]:
        """The options of `pairwright notation add` for it."""
        signs = {"--like": self.like.name, "--wrong": self.wrong, "--right": self.right, "--arrow": self.arrow}
        return [word for option, sign in signs.items() if sign for word in (option, sign)]


def suggestion(blocks: list[Block], notations: Sequence[Notation]) -> Suggestion | None:
    """The notation that reads most of a list when words or signs that repeat in its lines stand for its own."""
    by_name = {notation.name: notation for notation in notations}
    found = []
    for name, wrong, right, arrow in _repeated([line.text for line in list_lines(blocks)]):
        if like := by_name.get(name):
            signs = {"arrows": (arrow,)} if arrow else {"wrong_marks": (wrong,), "right_marks": (right,)}
            items = [
                item for item in listed_pairs(blocks, like.model_copy(update=signs)) if isinstance(item, ListedPair)
            ]
            read = [item for item in items if item.bad != item.goods[0] and alike(item.bad, item.goods[0])]
            if len(read) >= _FEWEST:
                likeness = fmean(fuzz.ratio(item.bad.casefold(), item.goods[0].casefold()) for item in read)
                found.append(Suggestion(like, wrong, right, arrow, len(read), read[0], likeness))
    return max(found, key=lambda each: (each.n, each.likeness), default=None)


def _repeated(lines: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """Words and signs in which lines agree: the notation whose place they take, then wrong, right and arrow."""
    phrases, arrows = Counter[tuple[str, str]](), Counter[str]()
    for line in lines:
        first, *others = [word.casefold() for word in words(line) if not word[0].isdigit()] or [""]
        phrases.update((first, other) for other in set(others[1:-1]) - {first})
        arrows.update(set(_ARROW.findall(line)))
    labels = Counter(pairwise(match[1].casefold() for line in lines for match in _LABEL.finditer(f"{line} ")))
    for counts, name, end in ((phrases, "not-but", ""), (labels, "wrong-right", ":")):
        for (wrong, right), n in counts.most_common(_TRIED):
            if n >= _FEWEST and wrong != right:
                yield name, wrong + end, right + end, ""
    yield from (("bare-arrows", "", "", sign) for sign, n in arrows.most_common(_TRIED) if n >= _FEWEST)


def nothing_found(
    blocks: list[Block], source: Source, notations: Sequence[Notation], counts: Sequence[int], workspace: Path | None
) -> str:
    """The message for a list without corrections. `counts` says how many possible ones each notation finds."""
    file, here = source.files[0].path, Workspace(workspace or Path())
    tried = f"notation '{source.notation}'" if source.notation else "any known notation"
    if found := suggestion(blocks, notations):
        add = here.command("notation", "add", source.id, *found.options)
        return (
            f"{at(file, found.first.line.number)}: no correction found in {tried}; "
            f"{counted(found.n, 'correction')} may stand as here, `{found.shape}`, which is like {found.like.name} "
            f"`{found.like.example}`; if the wrong wording comes first: {add}"
        )
    traces = [_traces(blocks, notation) for notation in notations]
    order = sorted(range(len(notations)), key=lambda n: (counts[n], len(traces[n])), reverse=True)
    nearest = []
    for number in order[:3]:
        notation, trace = notations[number], next(iter(traces[number]), "")
        hint = f"finds {counts[number]}" if counts[number] else trace
        nearest.append(f"{notation.name} `{notation.example}`" + f" ({hint})" * bool(hint))
    attempt = here.command(
        "notation", "try", file, "--language", source.language, "--notation", notations[order[0]].name
    )
    return (
        f"{file}: no correction found in {tried}; the nearest: {', '.join(nearest)}; choose one with --notation, write "
        f"the list so, or describe its own in notations/<name>.toml; next: {attempt}"
    )


def _traces(blocks: list[Block], notation: Notation) -> list[str]:
    """Where the signs of a notation stand in a list that it does not read, and why not."""
    if notation.layout == "brackets":
        places = [block.line for block in blocks if "(" in block.text]
        return [f"line {line}: no mark behind the bracket" for line in places]
    items = [item for item in listed_pairs(blocks, notation) if isinstance(item, Rejection)]
    return [f"line {item.line}: {item.reason.split(';')[0]}" for item in items]
