"""ScaLA's data: as many correct as incorrect sentences, in splits of fixed sizes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from pairwright.errors import SourceError, counted
from pairwright.generate.scala.corruption import Corrupted, Corrupter, Kind
from pairwright.generate.scala.sentences import STAGE, Sentence
from pairwright.records import Record, Rejection

T = TypeVar("T")

# Sentences, each of which gives two rows.
_TRAIN, _VALIDATION, _TEST, _LEAST_TEST = 512, 128, 1024, 128
_SMALL_TRAIN, _SMALL_VALIDATION = 64, 32


class Row(Record):
    """A sentence with its label. `corruption_type` is None for a correct one."""

    text: str
    corruption_type: Kind | None
    label: Literal["correct", "incorrect"]


class Pair(NamedTuple):
    """A correct sentence and what became of it."""

    good: str
    bad: Corrupted


def scala_pairs(sentences: Iterable[Sentence], corrupter: Corrupter) -> Iterator[Pair | Rejection]:
    """The pair of each sentence, and the sentences that can't be corrupted."""
    for sentence in sentences:
        if corrupted := corrupter.corrupt(sentence):
            yield Pair(corrupter.good(sentence), corrupted)
        else:
            yield sentence.block.rejection(STAGE, "no word can be deleted and no neighbours can change places")


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
