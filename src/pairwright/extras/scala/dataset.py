"""ScaLA's data: as many correct as incorrect sentences, in splits of fixed sizes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from pairwright.core.errors import SourceError, counted
from pairwright.core.records import Block, Record, Rejection, Source
from pairwright.core.store import whole_folder, write_json, write_jsonl
from pairwright.extras.scala.corruption import Behaviour, Corrupted, Corrupter, Kind, fit_sentences
from pairwright.release.exports.files import write_csv

T = TypeVar("T")

_STAGE = "scala"
# Sentences, each of which gives two rows.
_TRAIN, _VALIDATION, _TEST, _LEAST_TEST = 512, 128, 1024, 128
_SMALL_TRAIN, _SMALL_VALIDATION = 64, 32
# The order in which EuroEval takes the files of a treebank; their names say which is which.
_FILES = ("train", "dev", "test")


class Row(Record):
    """A sentence with its label. `corruption_type` is None for a correct one."""

    text: str
    corruption_type: Kind | None
    label: Literal["correct", "incorrect"]


class Pair(NamedTuple):
    """A correct sentence and what became of it."""

    good: str
    bad: Corrupted


class Dataset(NamedTuple):
    """The pairs of each split, how many pairs there are, and the sentences that were left out."""

    splits: dict[str, list[Pair]]
    n_pairs: int
    rejected: list[Rejection]


def make_dataset(blocks: Iterable[Block], behaviour: Behaviour, seed: int, letters: str) -> Dataset:
    """The dataset of a treebank's sentences. Raises SourceError where there are too few."""
    blocks = sorted((block for block in blocks if block.tree), key=_file_order)
    corrupter = Corrupter({block.text for block in blocks}, behaviour, seed, letters)
    pairs: list[Pair] = []
    rejected: list[Rejection] = []
    for sentence, unfit in fit_sentences(blocks):
        if not unfit and (corrupted := corrupter.corrupt(sentence)):
            pairs.append(Pair(corrupter.good(sentence), corrupted))
        else:
            reason = unfit or "no word can be deleted and no neighbours can change places"
            rejected.append(sentence.block.rejection(_STAGE, reason))
    return Dataset(splits(pairs, seed), len(pairs), rejected)


def _file_order(block: Block) -> int:
    name = Path(block.file).stem
    return next((index for index, part in enumerate(_FILES) if name.endswith(part)), len(_FILES))


def split_sizes(count: int) -> tuple[int, int, int]:
    """How many of so many sentences train, validate and test.

    512, 128 and 1,024; of fewer, the test set is halved down to 128; of fewer still, 64 train, 32 validate and the rest
    tests. Raises SourceError where nothing is left to test.
    """
    test = _TEST
    while test >= _LEAST_TEST:
        if count >= _TRAIN + _VALIDATION + test:
            return _TRAIN, _VALIDATION, test
        test //= 2
    test = count - _SMALL_TRAIN - _SMALL_VALIDATION
    if test < 1:
        least = _SMALL_TRAIN + _SMALL_VALIDATION + 1
        raise SourceError(
            f"only {counted(count, 'sentence')} can be corrupted, and {least} are needed; add more of the treebank"
        )
    return _SMALL_TRAIN, _SMALL_VALIDATION, test


def splits(sentences: Sequence[T], seed: int) -> dict[str, list[T]]:
    """The sentences of each split, drawn as EuroEval draws them; `full_train` is all that is in neither other split."""
    train, validation, test = split_sizes(len(sentences))
    val, rest = _drawn(sentences, validation, seed)
    tested, full_train = _drawn(rest, test, seed)
    return {"train": _drawn(full_train, train, seed)[0], "val": val, "test": tested, "full_train": full_train}


def rows(pairs: Sequence[Pair], seed: int) -> list[Row]:
    """The rows of a split, shuffled."""
    right = [Row(text=pair.good, corruption_type=None, label="correct") for pair in pairs]
    wrong = [Row(text=pair.bad.text, corruption_type=pair.bad.kind, label="incorrect") for pair in pairs]
    return _drawn(right + wrong, 2 * len(pairs), seed)[0]


def _drawn(items: Sequence[T], size: int, seed: int) -> tuple[list[T], list[T]]:
    """Items drawn as `DataFrame.sample(n, random_state=seed)` draws them, in that order; and the others in theirs."""
    places = np.random.RandomState(seed).choice(len(items), size=size, replace=False).tolist()
    chosen = set(places)
    return [items[place] for place in places], [item for index, item in enumerate(items) if index not in chosen]


def write_dataset(out: Path, made: Dataset, source: Source, behaviour: Behaviour, seed: int) -> None:
    """Writes each split as JSON Lines and CSV into a new folder.

    Beside them: `rejected.jsonl` with the sentences left out and why, `scala.json` with how the data came about.
    """
    about = {
        "source": source.id,
        "licence": source.licence,
        "files": {file.path: file.sha256 for file in source.files},
        "behaviour": behaviour,
        "seed": seed,
        "rows": {name: 2 * len(pairs) for name, pairs in made.splits.items()},
        "left_out": dict(Counter(item.reason for item in made.rejected).most_common()),
    }
    with whole_folder(out) as folder:
        for name, pairs in made.splits.items():
            written = rows(pairs, seed)
            write_jsonl(folder / f"{name}.jsonl", written)
            cells = [(row.text, row.corruption_type or "", row.label) for row in written]
            write_csv(folder / f"{name}.csv", ("text", "corruption_type", "label"), cells)
        write_jsonl(folder / "rejected.jsonl", made.rejected)
        write_json(folder / "scala.json", about)
