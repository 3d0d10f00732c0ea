"""Sentence log-probabilities under a causal language model, exact to 1e-3 nats of a float64 run of one sentence.

The chain rule gives a sentence's log-probability as the sum over its tokens of log p(token | the tokens before it).
`ScoringPolicy` says what counts as a token and what stands before the first one.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pairwright.core.config import ScoreSettings
from pairwright.evaluate.scoring.forward.batch_queue import BatchThreads, batches_at_once, run_batches
from pairwright.evaluate.scoring.forward.head import logits_logprobs
from pairwright.evaluate.scoring.forward.kernels import cpu_kernels
from pairwright.evaluate.scoring.forward.packing import PackedRow, pack, row_batches, unpacked_rows
from pairwright.evaluate.scoring.forward.routes import ForwardRoute, choose_route, outputs, route_check, to_device
from pairwright.evaluate.scoring.inputs.encoding import EncodedSentence, SentenceEncoder
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, Unscorable
from pairwright.evaluate.scoring.scorers.local import NO_MEMORY, Budgets, ChainRuleScorer
from pairwright.models.load.models import LoadedModel

if TYPE_CHECKING:
    from torch import Tensor

# Nodes of a packed row: more would share no more, and attention over strangers would cost more than padding.
ROW_NODES = 128
# The logits are 256 MB in float32 on a processor, on a GPU 1 GB.
BUDGETS = Budgets(cpu_tokens=512, gpu_tokens=32768, cpu_logits=2**26, gpu_logits=2**28)
# Batches that a GPU works on while the next ones are prepared; on a processor one waits where two run side by side.
GPU_AHEAD = 4

Batch = list[PackedRow]


@dataclass(frozen=True)
class _BatchResult:
    """The log-probabilities of a batch, on their way to main memory until `event`."""

    sizes: list[tuple[int, int]]  # by sequence, its number and how many values it has, in order
    logprobs: "Tensor"
    boundaries: "Tensor | None"
    event: Any


class CausalScorer(ChainRuleScorer):
    """Scores sentences with a causal model; see `LocalScorer`."""

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        super().__init__(model, settings, "causal", BUDGETS)
        self._settings = settings
        self._encoder = SentenceEncoder(model, self.policy, spans=settings.words)
        self.first_token_scored = self._encoder.first_token_scored
        self._route: ForwardRoute | None = None
        self._at_once = 1

    def _score(self, items: list[EncodedSentence]) -> Iterator[SentenceOutcome]:
        items.sort(key=lambda item: (item.ids, item.sentence))
        yield from self.score_by(self.open_route([item.ids for item in items]), items)

    def open_route(self, sequences: list[tuple[int, ...]]) -> ForwardRoute:
        """The route of sequences through the model, which the first ones decide."""
        if self._route is None:
            self._route = self._choose_route(sequences)
        return self._route

    def score_by(self, route: ForwardRoute, items: list[EncodedSentence]) -> Iterator[SentenceOutcome]:
        """The outcomes of items by a route, batch by batch; with a cache, the items are without the tokens in it.

        The first batch goes alone, on all threads, so that the first scores come soon.
        """
        batches = self._batches(items, range(len(items)), route)
        yield from self._run(items, batches[:1], route, 1)
        if len(batches) > 1:
            yield from self._run(items, batches[1:], route, self._at_once)

    def _choose_route(self, sequences: list[tuple[int, ...]]) -> ForwardRoute:
        """Tries routes through the model, and whether two batches can run at the same time."""
        packing, kernels = self._settings.packing == "auto", self._settings.cpu_kernels
        route = choose_route(self._network, sequences, packing=packing, linear=cpu_kernels(kernels).linear)
        self.route = route.label
        if kernels == "auto":
            self._at_once = batches_at_once(self._network, route_check(self._network, route, sequences[0]))
        return route

    def _run(
        self, items: list[EncodedSentence], batches: list[Batch], route: ForwardRoute, at_once: int
    ) -> Iterator[SentenceOutcome]:
        ahead = at_once - 1 if self._network.device.type == "cpu" else GPU_AHEAD
        with closing(BatchThreads(at_once)) as threads:
            for batch, result in run_batches(
                batches,
                lambda batch: self._start(items, batch, route),
                lambda batch: self._smaller(items, batch, route),
                threads=threads,
                ahead=ahead,
            ):
                if result is None:
                    yield Unscorable(items[batch[0].paths[0][0]].sentence, NO_MEMORY)
                else:
                    yield from self._finish(items, result, route)
            if threads.count < at_once:
                self._at_once = threads.count

    def _smaller(self, items: list[EncodedSentence], batch: Batch, route: ForwardRoute) -> list[Batch]:
        """The sentences of a batch in smaller ones, under half the budget; nothing where it has one sentence."""
        numbers = [number for row in batch for number, _ in row.paths]
        if len(numbers) == 1:
            return []
        size = max(len(row) for row in batch) * len(batch)
        self.batch_tokens = max(1, min(self.batch_tokens, size // 2))
        pieces = self._batches(items, numbers, route)
        return pieces if len(pieces) > 1 else [[row] for row in self._unpacked(items, numbers)]

    def _batches(self, items: list[EncodedSentence], numbers: Sequence[int], route: ForwardRoute) -> list[Batch]:
        """The sentences of these numbers as batches of rows, whose paths give the numbers."""
        # Without a head, whole logits have to stand in memory.
        tokens = self.batch_tokens if route.head else min(self.batch_tokens, self._whole_logits_tokens)
        packed = [n for n in numbers if route.packs and (route.window is None or len(items[n].ids) <= route.window)]
        # Each row gets the cache's keys and values for itself, so that rows shorter than the cache cost more.
        nodes = max(ROW_NODES, route.cache.length) if route.cache else ROW_NODES
        rows = pack([self._fed(items[n]) for n in packed], capacity=min(nodes, tokens), most=self.batch_size)
        padded = self._unpacked(items, sorted(set(numbers) - set(packed)))
        most = 1 if route.name == "single" else self.batch_size
        packed_batches = row_batches(_numbered(rows, packed), tokens=tokens, most=self.batch_size)
        return packed_batches + row_batches(padded, tokens=tokens, most=most)

    def _unpacked(self, items: list[EncodedSentence], numbers: Sequence[int]) -> Batch:
        return _numbered(unpacked_rows([self._fed(items[n]) for n in numbers]), numbers)

    def _fed(self, item: EncodedSentence) -> tuple[int, ...]:
        """What the model reads: the last token is needed only where what follows it is asked for."""
        return item.ids if self._assembler.words else item.ids[:-1]

    def _start(self, items: list[EncodedSentence], batch: Batch, route: ForwardRoute) -> _BatchResult:
        """Sends a batch through the model; on a GPU it is still on its way when this returns."""
        import torch

        longest = max(len(path) for row in batch for _, path in row.paths)
        used = route if route.window is None or longest <= route.window else route.unpacked
        length = max(len(row) for row in batch)
        places: dict[int, int] = {}
        rows, targets, sizes = [], [], []
        for index, row in enumerate(batch):
            for number, path in row.paths:
                item = items[number]
                read = path[item.first - 1 :]
                sizes.append((number, len(read)))
                rows += [places.setdefault(index * length + node, len(places)) for node in read]
                # The end of a sentence has no next token; what is computed there is left out again.
                targets += [*item.scored, 0][: len(read)]
        with torch.inference_mode():
            states = outputs(self._network, batch, used).flatten(0, 1)
            # A model that is spread over several GPUs may have its output layer on another one than its last block.
            device = used.head.weight.device if used.head else states.device
            states = states[to_device(list(places), states.device)].to(device)
            row_tensor, target_tensor = to_device(rows, device), to_device(targets, device)
            boundaries = None
            if used.head is None:
                logprobs = logits_logprobs(states, row_tensor, target_tensor)
            else:
                words = self._assembler.words
                subset = words.begins_word(device) if words else None
                logprobs, boundaries = used.head.logprobs(states, row_tensor, target_tensor, subset)
            return _BatchResult(sizes, *_to_main_memory(logprobs, boundaries))

    def _finish(
        self, items: list[EncodedSentence], batch: _BatchResult, route: ForwardRoute
    ) -> Iterator[SentenceOutcome]:
        if batch.event is not None:
            batch.event.synchronize()
        ends = list(itertools.accumulate(size for _, size in batch.sizes))
        logprobs = batch.logprobs.tolist()
        boundaries = None if batch.boundaries is None else batch.boundaries.tolist()
        for (number, size), end in zip(batch.sizes, ends, strict=True):
            part = slice(end - size, end)
            item = items[number]
            scored = logprobs[part][: len(item.scored)]
            if not all(map(math.isfinite, scored)) and len(batch.sizes) > 1:
                # A NaN spreads over a batch, through weights of zero; alone it stays with its own sentence.
                yield from self._finish(items, self._start(items, self._unpacked(items, [number]), route), route)
            else:
                yield self._assembler.outcome(item, scored, boundaries and boundaries[part])


def _numbered(rows: Batch, numbers: Sequence[int]) -> Batch:
    """Rows whose paths give the numbers of sentences in place of indices in `numbers`."""
    for row in rows:
        row.paths = [(numbers[index], path) for index, path in row.paths]
    return rows


def _to_main_memory(logprobs: "Tensor", boundaries: "Tensor | None") -> "tuple[Tensor, Tensor | None, Any]":
    """Results on their way to main memory, and the event after which they are there; None where they are already."""
    import torch

    if logprobs.device.type != "cuda":
        return logprobs.cpu(), None if boundaries is None else boundaries.cpu(), None
    copies = [
        torch.empty_like(part, device="cpu", pin_memory=True).copy_(part, non_blocking=True)
        for part in (logprobs, boundaries)
        if part is not None
    ]
    make: Any = torch.cuda.Event
    event = make()
    # Without a stream the event would be in that of the current device, which may be another one.
    event.record(torch.cuda.current_stream(logprobs.device))
    return copies[0], None if boundaries is None else copies[1], event
