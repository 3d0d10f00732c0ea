"""Matrices x encoder -> responses: for each condition a network is trained, once for each seed."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pairwright.errors import ModelError, counted
from pairwright.ids import digest
from pairwright.records import Record
from pairwright.records.items import Item, Response
from pairwright.solving.embeddings import VectorCache
from pairwright.solving.network import NetworkSettings, Problems, train_and_choose

# Fewer problems leave none to decide when training ends.
FEWEST = 4


class Training(Record):
    """How a network was trained on the problems of a condition. `training` and `validation` are the losses by epoch.

    shuffled  whether right answers were drawn at random for training
    shared    the share of the sentences of the problems for testing that problems for training have as well
    """

    condition: str
    seed: int
    shuffled: bool
    n_training: int
    n_testing: int
    shared: float
    training: tuple[float, ...]
    validation: tuple[float, ...]
    seconds: float


class Solved(Record):
    """All networks that an encoder's vectors were given to, with the settings of each."""

    encoder: str
    encoder_identity: str
    settings: NetworkSettings
    trainings: tuple[Training, ...]


def by_condition(items: Sequence[Item]) -> dict[tuple[str, str], list[Item]]:
    """The problems by language and condition, as they are trained on together; in order.

    Raises ModelError where a network can't be trained on them.
    """
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.language, item.condition].append(item)
    for (_, condition), own in groups.items():
        n_training = sum(item.split == "train" for item in own)
        if n_training < FEWEST or n_training == len(own):
            raise ModelError(
                f"{condition}: {counted(n_training, 'problem')} for training and {len(own) - n_training} for testing; "
                f"give at least {FEWEST} and 1"
            )
        if len({(len(item.context), len(item.options)) for item in own}) > 1 or any(len(i.answers) != 1 for i in own):
            raise ModelError(f"{condition}: its problems differ in how many sentences or answers they have; part them")
    return dict(sorted(groups.items()))


def sentences_of(items: Sequence[Item]) -> list[str]:
    """All sentences of problems, each once."""
    return list(dict.fromkeys(text for item in items for text in _sentences(item)))


def solve(
    items: Sequence[Item], cache: VectorCache, settings: NetworkSettings, seeds: int, *, shuffled: bool = False
) -> Iterator[tuple[Training, dict[str, int]]]:
    """For each condition and seed, how it was trained, and the option chosen for each problem for testing, by id.

    shuffled  as a control, the right answers of the problems for training are drawn at random

    Raises ModelError as `by_condition` does. The cache has the vectors of all sentences.
    """
    for (_, condition), own in by_condition(items).items():
        sentences = sentences_of(own)
        row_of = {sentence: row for row, sentence in enumerate(sentences)}
        vectors = cache.rows(sentences)
        train = [item for item in own if item.split == "train"]
        test = [item for item in own if item.split != "train"]
        trained_on = set(sentences_of(train))
        shared = np.mean([text in trained_on for text in sentences_of(test)])
        for seed in range(seeds):
            began = time.monotonic()
            learned = _problems(train, row_of)
            if shuffled:
                drawn = np.random.default_rng(seed).integers(learned.options.shape[1], size=len(train))
                learned = learned._replace(right=drawn)
            chosen, curve = train_and_choose(vectors, learned, _problems(test, row_of), settings, seed)
            training = Training(
                condition=condition,
                seed=seed,
                shuffled=shuffled,
                n_training=len(train),
                n_testing=len(test),
                shared=float(shared),
                training=curve.training,
                validation=curve.validation,
                seconds=round(time.monotonic() - began, 3),
            )
            yield training, {item.id: place for item, place in zip(test, chosen, strict=True)}


def responses(
    solved: Sequence[tuple[Training, Mapping[str, int]]], model: str, settings: NetworkSettings
) -> list[Response]:
    """What the networks chose, each seed a draw."""
    prompt = f"baseline {digest(settings.model_dump())}"
    return [
        Response(item_id=item, model=model, draw=training.seed, prompt=prompt, outcome="answered", chosen=(place,))
        for training, chosen in solved
        for item, place in chosen.items()
    ]


def _sentences(item: Item) -> tuple[str, ...]:
    return *item.context, *(option.text for option in item.options)


def _problems(items: Sequence[Item], row_of: Mapping[str, int]) -> Problems:
    return Problems(
        np.array([[row_of[text] for text in item.context] for item in items]),
        np.array([[row_of[option.text] for option in item.options] for item in items]),
        np.array([item.answers[0] for item in items]),
    )
