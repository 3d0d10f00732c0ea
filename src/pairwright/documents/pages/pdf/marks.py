"""Puts marks that a page draws by themselves back on their letters: combining marks and spacing accents."""

from collections.abc import Iterable
from itertools import pairwise

from pairwright.documents.lines.data import Run
from pairwright.documents.lines.glyphs import SPACING_ACCENTS, compose, is_combining


def with_marks(runs: Iterable[Run]) -> list[Run]:
    """The runs; a combining mark that is drawn from another font goes back to the letter that it stands over."""
    merged: list[Run] = []
    for run in runs:
        last = merged[-1] if merged and all(map(is_combining, run.text)) else None
        if (
            last is not None
            and abs(last.baseline - run.baseline) < 0.6 * last.size
            and last.x0 - 1 <= run.x0 <= last.x1 + 0.5 * last.size
        ):
            at = sum(x <= run.x0 + 0.02 * run.size for x in last.xs) or 1
            text = last.text[:at] + run.text + last.text[at:]
            merged[-1] = last._replace(text=text, xs=(*last.xs[:at], *([run.x0] * len(run.text)), *last.xs[at:]))
        else:
            merged.append(run)
    return merged


def with_accents(runs: Iterable[Run]) -> list[Run]:
    """The runs; a spacing accent that is drawn over a letter, before it or after it, is composed with it."""
    merged: list[Run] = []
    waiting: list[Run] = []
    for run in runs:
        if run.text in SPACING_ACCENTS:
            accented = _accented(merged[-1], run) if merged and not waiting else None
            if accented:
                merged[-1] = accented
            else:
                waiting.append(run)
            continue
        left = []
        for accent in waiting:
            accented = _accented(run, accent)
            if accented:
                run = accented
            else:
                left.append(accent)
        merged += [*left, run]
        waiting = []
    return [*merged, *waiting]


def _accented(run: Run, accent: Run) -> Run | None:
    """The run with an accent on the letter that it lies over by most of its width; None where there is none."""
    if not -0.2 * run.size < run.baseline - accent.baseline < 0.6 * run.size or len(run.xs) != len(run.text):
        return None
    edges = [*run.xs, run.x1]
    width = accent.x1 - accent.x0
    shared = [min(accent.x1, end) - max(accent.x0, start) for start, end in pairwise(edges)]
    at = max(range(len(shared)), key=shared.__getitem__)
    if shared[at] < 0.5 * min(width, edges[at + 1] - edges[at]) or not run.text[at].isalpha():
        return None
    letter = compose(accent.text, run.text[at])
    xs = (*run.xs[:at], *([run.xs[at]] * len(letter)), *run.xs[at + 1 :])
    return run._replace(text=run.text[:at] + letter + run.text[at + 1 :], xs=xs, x0=min(run.x0, accent.x0))
