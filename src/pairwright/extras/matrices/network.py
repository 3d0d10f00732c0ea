"""A network that is trained to say which answer continues a context, from sentence vectors.

Source: An, Jiang, Rodriguez, Nastase and Merlo (2023), BLM-AgrF: A New French Benchmark to Investigate Generalization
of Agreement in Neural Networks, EACL 2023; Nastase and Merlo (2023), Grammatical information in BERT sentence
embeddings as two-dimensional arrays, RepL4NLP: the sentences' vectors one after the other, three layers, a loss of
max-margin against the answer set, and the answer of the highest cosine.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record
from pairwright.models.load.encoders import Vectors

if TYPE_CHECKING:
    import torch

Indices = NDArray[np.int64]


class NetworkSettings(Record):
    """How the network is trained.

    hidden      units of the first two layers; `dropout` is the share of them that is left out after each
    validation  the share of the problems for training that decide when training ends: `patience` epochs after the
                lowest loss on them, whose weights are kept; `epochs` are the most
    """

    hidden: int = 512
    dropout: float = 0.2
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    batch: int = 32
    epochs: int = 200
    patience: int = 15
    validation: float = 0.1


class Problems(NamedTuple):
    """Problems by the rows of their sentences among the vectors: contexts, options, and the place of the right one."""

    context: Indices
    options: Indices
    right: Indices


class Curve(NamedTuple):
    """The mean losses of each epoch on the problems that were trained on, and on those for validation."""

    training: tuple[float, ...]
    validation: tuple[float, ...]


def train_and_choose(
    vectors: Vectors, train: Problems, test: Problems, settings: NetworkSettings, seed: int
) -> tuple[list[int], Curve]:
    """Trains a network; returns the place of the option that it chooses for each problem for testing.

    Vectors are standardised by the sentences of the problems for training. Equal input gives equal choices on one
    machine.
    """
    import torch

    threads = torch.get_num_threads()
    # Several threads wait for each other longer than they compute, and on a busy machine far longer.
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return _Trainer(vectors, train, settings).run(test)
    finally:
        torch.set_num_threads(threads)


class _Trainer:
    def __init__(self, vectors: Vectors, train: Problems, settings: NetworkSettings) -> None:
        import torch
        from torch import nn

        self._settings = settings
        rows = np.unique(np.concatenate([train.context.ravel(), train.options.ravel()]))
        spread = vectors[rows].std(axis=0)
        standard = (vectors - vectors[rows].mean(axis=0)) / np.where(spread > 0, spread, 1)
        self._vectors = torch.from_numpy(standard.astype(np.float32))
        size, hidden = self._vectors.shape[1], settings.hidden
        self._network: Any = nn.Sequential(
            nn.Linear(train.context.shape[1] * size, hidden),
            nn.ReLU(),
            nn.Dropout(settings.dropout),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(settings.dropout),
            nn.Linear(hidden, size),
        )
        order = torch.randperm(len(train.right)).numpy()
        n_validation = max(1, round(len(order) * settings.validation))
        self._validation = _taken(train, order[:n_validation])
        self._train = _taken(train, order[n_validation:])

    def run(self, test: Problems) -> tuple[list[int], Curve]:
        import torch

        network, settings = self._network, self._settings
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        training: list[float] = []
        validation: list[float] = []
        best: dict[str, torch.Tensor] = {}
        while len(training) < settings.epochs and len(training) - np.argmin(validation or [0]) <= settings.patience:
            training.append(self._epoch(optimizer))
            network.eval()
            with torch.inference_mode():
                validation.append(float(self._losses(self._validation).mean()))
                if validation[-1] <= min(validation):
                    best = {name: weights.clone() for name, weights in network.state_dict().items()}
        network.load_state_dict(best)
        with torch.inference_mode():
            chosen: list[int] = self._cosines(test).argmax(1).tolist()
        return chosen, Curve(tuple(training), tuple(validation))

    def _epoch(self, optimizer: "torch.optim.Optimizer") -> float:
        """Trains on all problems once; returns their mean loss."""
        import torch

        self._network.train()
        total = 0.0
        order = torch.randperm(len(self._train.right)).numpy()
        for start in range(0, len(order), self._settings.batch):
            losses = self._losses(_taken(self._train, order[start : start + self._settings.batch]))
            optimizer.zero_grad()
            losses.mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += float(losses.detach().sum())
        return total / len(order)

    def _cosines(self, problems: Problems) -> "torch.Tensor":
        """Of the network's vector with each option's, a row for each problem."""
        from torch.nn.functional import cosine_similarity

        context = self._vectors[problems.context].flatten(1)
        return cosine_similarity(self._network(context)[:, None], self._vectors[problems.options], dim=-1)

    def _losses(self, problems: Problems) -> "torch.Tensor":
        """For each problem the sum over its wrong options of max(0, 1 - cosine of the right one + cosine)."""
        import torch

        cosines = self._cosines(problems)
        right = torch.from_numpy(problems.right)[:, None]
        margins = (1 - cosines.gather(1, right) + cosines).clamp(min=0)
        return margins.scatter(1, right, 0.0).sum(1)


def _taken(problems: Problems, places: Indices) -> Problems:
    return Problems(*(part[places] for part in problems))
