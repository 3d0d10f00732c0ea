"""What the scorers of loaded models share: policy, budgets of a forward pass, sums of log-probabilities, errors.

Sentence log-probabilities under a causal language model, exact to 1e-3 nats of a float64 run of one sentence.

The chain rule gives a sentence's log-probability as the sum over its tokens of log p(token | the tokens before it).
`ScoringPolicy` says what counts as a token and what stands before the first one.
"""

import contextlib
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, one_line
from pairwright.core.records.evaluation import ScoringMethod
from pairwright.evaluate.scoring.forward import (
    ForwardRoute,
    PackedRow,
    beyond_window,
    choose_route,
    logits_logprobs,
    outputs,
    pack,
    route_check,
    row_batches,
    to_device,
    to_main_memory,
    unpacked_rows,
)
from pairwright.evaluate.scoring.inputs import (
    EncodedSentence,
    SentenceEncoder,
    SentenceOutcome,
    SentenceScore,
    Unscorable,
    count_unigrams,
    policy_of,
    refuse,
    scorable,
)
from pairwright.models.load.kernels import BatchThreads, batches_at_once, cpu_kernels, halves, run_batches
from pairwright.models.load.models import LoadedModel

if TYPE_CHECKING:
    from torch import Tensor


T = TypeVar("T")
E = TypeVar("E")

# Batches that a GPU works on while the next ones are prepared.
GPU_AHEAD = 4
NO_MEMORY = "memory ran out with this sentence alone"


@dataclass(frozen=True)
class Budgets:
    """The most tokens in a forward pass on a processor and on a GPU, and the most logits that stand in memory whole."""

    cpu_tokens: int
    gpu_tokens: int
    cpu_logits: int
    gpu_logits: int


class LocalScorer(ABC, Generic[E]):
    """Base of the scorers of loaded models under the policy that the settings give; see `outcomes.Scorer`.

    Raises ModelError where the policy asks for what the model lacks, or departs from the default in a setting of
    `unsupported`, which models like `description` have no place for, or where the unigram model can't be counted.
    """

    description = ""
    unsupported: tuple[str, ...] = ()
    route = "none"
    first_token_scored = True

    def __init__(self, model: LoadedModel, settings: ScoreSettings, kind: ScoringMethod, budgets: Budgets) -> None:
        self.info = model.info
        self.policy = policy_of(settings, kind)
        refuse(self.policy, self.info.name, self.description, self.unsupported)
        self._network: Any = model.model
        self._tokenizer: Any = model.tokenizer
        on_cpu = self._network.device.type == "cpu"
        self._ahead = 0 if on_cpu else GPU_AHEAD
        self.batch_size = settings.batch_size
        self.batch_tokens = settings.batch_tokens or (budgets.cpu_tokens if on_cpu else budgets.gpu_tokens)
        n_logits = budgets.cpu_logits if on_cpu else budgets.gpu_logits
        self._whole_logits_tokens = max(1, n_logits // self.info.vocabulary_size)
        self._keeps_tokens = settings.tokens
        self._unigrams = count_unigrams(settings.unigrams, model, self.policy)
        self.unigrams = self._unigrams.origin if self._unigrams else None

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        """As `Scorer.score`."""
        return (outcome for _, outcome in self.score_parts([sentences]))

    def score_parts(self, parts: Iterable[Sequence[str]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """As `Scorer.score_parts`; the numbers do not depend on the order of the sentences."""
        refused = deque[tuple[int, SentenceOutcome]]()
        with scoring_errors(self.info.name):
            for found in self._score(self._scorable(parts, refused)):
                while refused:
                    yield refused.popleft()
                yield found
        yield from refused

    def _scorable(
        self, parts: Iterable[Sequence[str]], refused: deque[tuple[int, SentenceOutcome]]
    ) -> Iterator[tuple[int, list[E]]]:
        """The sentences of each part that nothing speaks against, where there are any; puts the others by."""
        for part, sentences in enumerate(parts):
            items = []
            for item in self._encode(sentences):
                if isinstance(item, Unscorable):
                    refused.append((part, item))
                else:
                    items.append(item)
            if items:
                yield part, items

    @abstractmethod
    def _encode(self, sentences: Sequence[str]) -> Iterable[E | Unscorable]:
        """Each distinct sentence as the model reads it, or why it can't be scored."""

    @abstractmethod
    def _score(self, parts: Iterable[tuple[int, list[E]]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """Scores sentences that nothing speaks against, with the number of their part."""

    def _outcome(self, item: EncodedSentence, logprobs: Sequence[float]) -> SentenceOutcome:
        """A sentence's score from one log-probability a scored token."""
        total = math.fsum(logprobs)
        if not math.isfinite(total):
            return Unscorable(item.sentence, "the model gave a log-probability that is not a finite number")
        scored = item.ids[item.first : item.first + len(logprobs)]
        starts = tuple(start for start, _ in item.spans) if self._keeps_tokens and item.spans is not None else None
        return SentenceScore(
            sentence=item.sentence,
            n_tokens=len(logprobs),
            n_bytes=len(item.text.encode()),
            n_chars=len(item.text),
            sum_logprob=total,
            unigram_sum_logprob=self._unigrams.sum_logprob(scored) if self._unigrams else None,
            token_logprobs=tuple(logprobs) if self._keeps_tokens else None,
            token_starts=starts,
        )

    def _halved(self, batch: list[T]) -> list[list[T]]:
        """A batch that needs too much memory as two, and half the budget from here on."""
        if len(batch) > 1:
            self.batch_tokens = max(1, self.batch_tokens // 2)
        return halves(batch)


@contextlib.contextmanager
def scoring_errors(name: str) -> Iterator[None]:
    """Turns what a model raises while it scores into a ModelError in one line."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise ModelError(
            f"{name}: the model failed while scoring: {one_line(error)}; set another score.dtype or score.device"
        ) from None


# Nodes of a packed row: more would share no more, and attention over strangers would cost more than padding.
ROW_NODES = 128
# The logits are 256 MB in float32 on a processor, on a GPU 1 GB.
BUDGETS = Budgets(cpu_tokens=512, gpu_tokens=32768, cpu_logits=2**26, gpu_logits=2**28)

Rows = list[PackedRow]


class Batch(NamedTuple):
    """Rows of one part of the sentences; their paths give the places in `items`."""

    part: int
    items: list[EncodedSentence]
    route: ForwardRoute
    rows: Rows


class BatchResult(NamedTuple):
    """The log-probabilities of a batch, on their way to main memory until `wait` returns."""

    sizes: list[tuple[int, int]]  # by sequence, its number and how many values it has, in order
    wait: "Callable[[], Tensor]"


class CausalScorer(LocalScorer[EncodedSentence]):
    """Scores sentences with a causal model; see `LocalScorer`."""

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        super().__init__(model, settings, "causal", BUDGETS)
        self._settings = settings
        self._encoder = SentenceEncoder(model, self.policy, spans=settings.tokens)
        self.first_token_scored = self._encoder.first_token_scored
        self._route: ForwardRoute | None = None
        self._outgrown = False  # whether a sequence longer than the model's window was tried
        self._at_once = 1

    def _encode(self, sentences: Sequence[str]) -> Iterator[EncodedSentence | Unscorable]:
        return scorable(self._encoder.encode(sentences), self.info)

    def _score(self, parts: Iterable[tuple[int, list[EncodedSentence]]]) -> Iterator[tuple[int, SentenceOutcome]]:
        yield from self._run_all(batch for part, items in parts for batch in self._part_batches(part, items))

    def _part_batches(self, part: int, items: list[EncodedSentence]) -> Iterator[Batch]:
        items.sort(key=lambda item: (item.ids, item.sentence))
        if self._route is None:
            self._route = self._choose_route([item.ids for item in items])
        longest = max((item.ids[:-1] for item in items), key=len)
        if self._route.packs and not self._outgrown and len(longest) > (self._route.window or len(longest)):
            self._route, self._outgrown = beyond_window(self._network, self._route, longest), True
        return self._batches(part, items, range(len(items)), self._route)

    def score_items(self, items: list[EncodedSentence]) -> Iterator[SentenceOutcome]:
        """The outcomes of what is encoded already."""
        return (outcome for _, outcome in self._run_all(self._part_batches(0, items)))

    def _run_all(self, batches: Iterator[Batch]) -> Iterator[tuple[int, SentenceOutcome]]:
        """The first batch goes alone, on all threads, so that the first scores come soon."""
        yield from self._run(islice(batches, 1), 1)
        for second in batches:
            yield from self._run(chain([second], batches), self._at_once)

    def _choose_route(self, sequences: list[tuple[int, ...]]) -> ForwardRoute:
        """Tries routes through the model, and whether two batches can run at the same time."""
        packing, kernels = self._settings.packing == "auto", self._settings.cpu_kernels
        route = choose_route(self._network, sequences, packing=packing, linear=cpu_kernels(kernels).linear)
        self.route = route.label
        if kernels == "auto":
            self._at_once = batches_at_once(self._network, route_check(self._network, route, sequences[0]))
        return route

    def _run(self, batches: Iterable[Batch], at_once: int) -> Iterator[tuple[int, SentenceOutcome]]:
        with closing(BatchThreads(at_once)) as threads:
            ahead = at_once - 1 or self._ahead
            for batch, result in run_batches(batches, self._start, self._smaller, threads=threads, ahead=ahead):
                if result is None:
                    yield batch.part, Unscorable(batch.items[batch.rows[0].paths[0][0]].sentence, NO_MEMORY)
                else:
                    yield from ((batch.part, outcome) for outcome in self._finish(batch, result))
            if threads.count < at_once:
                self._at_once = threads.count

    def _smaller(self, batch: Batch) -> list[Batch]:
        """The sentences of a batch in smaller ones, under half the budget; nothing where it has one sentence."""
        part, items, route, rows = batch
        numbers = [number for row in rows for number, _ in row.paths]
        if len(numbers) == 1:
            return []
        size = max(len(row) for row in rows) * len(rows)
        self.batch_tokens = max(1, min(self.batch_tokens, size // 2))
        pieces = list(self._batches(part, items, numbers, route))
        return pieces if len(pieces) > 1 else [batch._replace(rows=[row]) for row in self._unpacked(items, numbers)]

    def _batches(
        self, part: int, items: list[EncodedSentence], numbers: Sequence[int], route: ForwardRoute
    ) -> Iterator[Batch]:
        """The sentences of these numbers as batches of rows, whose paths give the numbers."""
        # Without a head, whole logits have to stand in memory.
        tokens = self.batch_tokens if route.head else min(self.batch_tokens, self._whole_logits_tokens)
        packed = [n for n in numbers if route.packs and (route.window is None or len(items[n].ids) <= route.window)]
        rows = pack([items[n].ids[:-1] for n in packed], capacity=min(ROW_NODES, tokens), most=self.batch_size)
        padded = self._unpacked(items, sorted(set(numbers) - set(packed)))
        most = 1 if route.name == "single" else self.batch_size
        packed_batches = row_batches(_numbered(rows, packed), tokens=tokens, most=self.batch_size)
        batches = packed_batches + row_batches(padded, tokens=tokens, most=most)
        return (Batch(part, items, route, together) for together in batches)

    def _unpacked(self, items: list[EncodedSentence], numbers: Sequence[int]) -> Rows:
        return _numbered(unpacked_rows([items[n].ids[:-1] for n in numbers]), numbers)

    def _start(self, batch: Batch) -> BatchResult:
        """Sends a batch through the model; on a GPU it is still on its way when this returns."""
        import torch

        route = batch.route
        longest = max(len(path) for row in batch.rows for _, path in row.paths)
        used = route if route.window is None or longest <= route.window else route.unpacked
        length = max(len(row) for row in batch.rows)
        places: dict[int, int] = {}
        rows, targets, sizes = list[int](), list[int](), list[tuple[int, int]]()
        for index, row in enumerate(batch.rows):
            for number, path in row.paths:
                item = batch.items[number]
                sizes.append((number, len(item.scored)))
                rows += [places.setdefault(index * length + node, len(places)) for node in path[item.first - 1 :]]
                targets += item.scored
        with torch.inference_mode():
            states = outputs(self._network, batch.rows, used).flatten(0, 1)
            # A model that is spread over several GPUs may have its output layer on another one than its last block.
            device = used.head.weight.device if used.head else states.device
            states = states[to_device(list(places), states.device)].to(device)
            asked = to_device(rows, device), to_device(targets, device)
            logprobs = used.head.logprobs(states, *asked) if used.head else logits_logprobs(states, *asked)
            return BatchResult(sizes, to_main_memory(logprobs))

    def _finish(self, batch: Batch, result: BatchResult) -> Iterator[SentenceOutcome]:
        values = iter(result.wait().tolist())
        for number, size in result.sizes:
            item, scored = batch.items[number], list(islice(values, size))
            if not all(map(math.isfinite, scored)) and len(result.sizes) > 1:
                # A NaN spreads over a batch, through weights of zero; alone it stays with its own sentence.
                alone = batch._replace(rows=self._unpacked(batch.items, [number]))
                yield from self._finish(alone, self._start(alone))
            else:
                yield self._outcome(item, scored)


def _numbered(rows: Rows, numbers: Sequence[int]) -> Rows:
    """Rows whose paths give the numbers of sentences in place of indices in `numbers`."""
    for row in rows:
        row.paths = [(numbers[index], path) for index, path in row.paths]
    return rows
