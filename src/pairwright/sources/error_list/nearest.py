"""For a list without a correction in any notation: the notations that come nearest, and one that its lines suggest."""

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

_LABEL = re.compile(r"\W*([^\W\d_][\w ]{0,30}):\s")
_ARROW = re.compile(r"(?<=\s)[^\w\s\"'“”„«»‘’.,;:!?()\[\]|*_-]{1,3}(?=\s)")
# So many of the most frequent signs of a shape are tried on the list; in one line a sign says nothing.
_TRIED, _FEWEST = 20, 2


def nothing_found(
    blocks: list[Block], source: Source, notations: Sequence[Notation], counts: Sequence[int], workspace: Path | None
) -> str:
    """The message for a list without corrections. `counts` says how many possible ones each notation finds."""
    file, here = source.files[0].path, Workspace(workspace or Path())
    tried = f"notation '{source.notation}'" if source.notation else "any known notation"
    found = ((*_read_with(blocks, like, signs), like, signs) for like, signs in _repeated_signs(blocks, notations))
    read, _, like, signs = max(found, key=lambda each: (len(each[0]), each[1]), default=([], 0.0, notations[0], {}))
    if len(read) >= _FEWEST:
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


def _repeated_signs(blocks: list[Block], notations: Sequence[Notation]) -> Iterator[tuple[Notation, dict[str, str]]]:
    """Words and signs in which lines agree: the notation whose own they may replace, and they by their kinds."""
    phrases, labels, arrows = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[str]()
    for line in list_lines(blocks):
        first, *others = [word.casefold() for word in words(line.text) if not word[0].isdigit()] or [""]
        phrases.update((first, other) for other in set(others[1:-1]) - {first})
        arrows.update(set(_ARROW.findall(line.text)))
    texts = (line.text for line in list_lines(blocks))
    labels.update(pairwise(match[1].casefold() for text in texts for match in _LABEL.finditer(f"{text} ")))
    by_name = {notation.name: notation for notation in notations}
    for counts, name, end in ((phrases, "not-but", ""), (labels, "wrong-right", ":")):
        for (wrong, right), n in counts.most_common(_TRIED):
            if n >= _FEWEST and wrong != right:
                yield by_name[name], {"wrong": wrong + end, "right": right + end}
    for sign, n in arrows.most_common(_TRIED):
        if n >= _FEWEST:
            yield by_name["bare-arrows"], {"arrow": sign}


def _read_with(blocks: list[Block], like: Notation, signs: dict[str, str]) -> tuple[list[ListedPair], float]:
    """What a notation with other signs reads of a list, and how alike, 0-100, its sides are."""
    changed = {"arrows" if name == "arrow" else f"{name}_marks": (sign,) for name, sign in signs.items()}
    items = listed_pairs(blocks, like.model_copy(update=changed))
    read = [item for item in items if isinstance(item, ListedPair) and alike(item.bad, item.goods[0])]
    return read, fmean([fuzz.ratio(pair.bad.casefold(), pair.goods[0].casefold()) for pair in read] or [0.0])


def _traces(blocks: list[Block], notation: Notation) -> list[str]:
    """Where the signs of a notation stand in a list that it does not read, and why not."""
    if notation.layout == "brackets":
        places = [block.line for block in blocks if "(" in block.text]
        return [f"line {line}: no mark behind the bracket" for line in places]
    items = [item for item in listed_pairs(blocks, notation) if isinstance(item, Rejection)]
    return [f"line {item.line}: {item.reason.split(';')[0]}" for item in items]
