"""Sentence log-probabilities under a causal language model, exact to 1e-3 nats of a float64 run of one sentence.

The chain rule gives a sentence's log-probability as the sum over its tokens of log p(token | the tokens before it).
`runs.ScoringPolicy` states what counts as a token and what stands before the first one.
"""

import itertools
import math
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pairwright.config import ScoreSettings
from pairwright.lm.hf_errors import failing
from pairwright.lm.memory import out_of_memory, release_memory
from pairwright.lm.models import LoadedModel
from pairwright.records.evaluation import ModelInfo
from pairwright.score.cpu.parallel_batches import Lanes, lanes_for
from pairwright.score.forward.packing import Row, alone, batches, pack
from pairwright.score.forward.routes import Route, choose_route, move, outputs, screened
from pairwright.score.inputs.assembly import Finisher
from pairwright.score.inputs.encoding import Encoded, Encoder, obstacle, policy_of
from pairwright.score.inputs.outcomes import Outcome, Unscorable

if TYPE_CHECKING:
    from torch import Tensor

# Nodes of a packed row: more would share no more, and attention over strangers would cost more than padding.
ROW_NODES = 128
CPU_TOKENS, GPU_TOKENS = 512, 32768
# Logits that stand in memory at a time where a model gives them only whole: 256 MB in float32, on a GPU 1 GB.
CPU_LOGITS, GPU_LOGITS = 2**26, 2**28
# Tokens of a call from which a screen of the vocabulary is worth making.
SCREENED = 4096
# Batches that a GPU works on while the next ones are made ready. On a processor one waits where there are two lanes.
AHEAD = 4


@dataclass(frozen=True)
class _Running:
    """A batch on its way: for each sequence its number and how many log-probabilities are its own, in order."""

    sizes: list[tuple[int, int]]
    logprobs: "Tensor"
    masses: "Tensor | None"
    done: Any


class CausalScorer:
    """Scores sentences with a causal model under the policy that the settings give; see `outcomes.Scorer`.

    Raises ModelError where the policy asks for what the model lacks.
    """

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        self.policy = policy_of(settings, "causal")
        self.batch_size = settings.batch_size
        on_cpu = model.model.device.type == "cpu"
        self.batch_tokens = settings.batch_tokens or (CPU_TOKENS if on_cpu else GPU_TOKENS)
        self._whole_logits = CPU_LOGITS if on_cpu else GPU_LOGITS
        self._lanes = lanes_for(model.model)
        self._ahead = self._lanes - 1 if on_cpu else AHEAD
        self._model, self._packing = model, settings.packing == "auto"
        self._encoder = Encoder(model, self.policy, spans=settings.words)
        self._finisher = Finisher(model, settings, self.policy)
        self._screening = settings.screening == "auto"
        self._route: Route | None = None
        self._screened: Route | None = None
        self._used: Route | None = None

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    @property
    def first_token_scored(self) -> bool:
        return self._encoder.first_token_scored

    @property
    def route(self) -> str:
        return self._used.label if self._used else "none"

    @property
    def unigrams(self) -> str | None:
        return self._finisher.unigrams

    def score(self, sentences: Sequence[str]) -> Iterator[Outcome]:
        """Scores each distinct sentence once, and yields its score or the reason why it has none.

        The numbers do not depend on the order in which the sentences are given. Raises ModelError where the model
        itself fails.
        """
        items = []
        for item in self._encoder.encode(sentences):
            fault = obstacle(item, self.info)
            if fault:
                yield fault
            else:
                items.append(item)
        if not items:
            return
        items.sort(key=lambda item: (item.ids, item.sentence))
        with failing(self.info.name):
            if self._route is None:
                network = self._model.model
                self._route = choose_route(network, [item.ids for item in items], packing=self._packing)
            yield from self._by_batches(items, self._route)

    def _by_batches(self, items: list[Encoded], route: Route) -> Iterator[Outcome]:
        """Outcomes batch by batch. The first goes alone, on all threads, so that the first scores come soon.

        A screen is made after it: in each call, for the numbers must not depend on the calls before.
        """
        waiting = deque(self._batches(items, range(len(items)), route))
        self._used = route
        yield from self._through(items, deque([waiting.popleft()]), route, Lanes(1))
        if not waiting:
            return
        if self._screening and sum(len(item.ids) for item in items) >= SCREENED:
            self._used = route = self._with_screen(route)
        with closing(Lanes(self._lanes)) as lanes:
            yield from self._through(items, waiting, route, lanes)

    def _through(
        self, items: list[Encoded], waiting: deque[list[Row]], route: Route, lanes: Lanes
    ) -> Iterator[Outcome]:
        """Outcomes of these batches, in their order.

        Where memory runs out, no batch has another beside it any more; where it still does, the budget is halved and
        the batch cut up.
        """
        most = lanes.count + self._ahead
        running: deque[tuple[list[Row], Future[_Running]]] = deque()
        failed: list[list[Row]] = []
        while waiting or running:
            while waiting and not failed and len(running) < most and not _has_failed(running):
                batch = waiting.popleft()
                running.append((batch, lanes.submit(self._start, items, batch, route)))
            batch, future = running.popleft()
            try:
                found = future.result()
            except (RuntimeError, MemoryError) as fault:
                if not out_of_memory(fault):
                    raise
                # The frames that a traceback holds keep all that the batch had made so far.
                fault.__traceback__ = None
                failed.append(batch)
            else:
                yield from self._finish(items, found, route)
            if failed and not running:
                if lanes.count > 1 and most > 1:
                    most = 1
                    waiting.extendleft(reversed(failed))
                else:
                    yield from self._cut_up(items, failed, route, waiting)
                failed = []

    def _with_screen(self, route: Route) -> Route:
        if self._screened is None:
            try:
                self._screened = screened(self._model.model, route)
            except (RuntimeError, MemoryError) as fault:
                if not out_of_memory(fault):
                    raise
                release_memory()
                self._screened = route
        return self._screened

    def _cut_up(
        self, items: list[Encoded], failed: list[list[Row]], route: Route, waiting: deque[list[Row]]
    ) -> Iterator[Outcome]:
        release_memory()
        for batch in reversed(failed):
            numbers = [number for row in batch for number, _ in row.paths]
            if len(numbers) == 1:
                yield Unscorable(items[numbers[0]].sentence, "memory ran out with this sentence alone")
                continue
            held = max(len(row) for row in batch) * len(batch)
            self.batch_tokens = max(1, min(self.batch_tokens, held // 2))
            pieces = self._batches(items, numbers, route)
            if len(pieces) == 1:
                pieces = [[row] for row in self._alone(items, numbers)]
            waiting.extendleft(reversed(pieces))

    def _batches(self, items: list[Encoded], numbers: Sequence[int], route: Route) -> list[list[Row]]:
        """The sentences of these numbers as batches of rows, whose paths give the numbers."""
        if not route.packs:
            return self._padded(items, numbers, route)
        window = route.window
        short = [n for n in numbers if window is None or len(items[n].ids) <= window]
        long = sorted(set(numbers) - set(short))
        capacity = min(ROW_NODES, self._budget(route))
        rows = pack([self._fed(items[n]) for n in short], capacity=capacity, most=self.batch_size)
        for row in rows:
            row.paths = [(short[place], path) for place, path in row.paths]
        found = batches(rows, tokens=self._budget(route), most=self.batch_size)
        return found + self._padded(items, long, route)

    def _padded(self, items: list[Encoded], numbers: Sequence[int], route: Route) -> list[list[Row]]:
        most = 1 if route.name == "single" else self.batch_size
        return batches(self._alone(items, numbers), tokens=self._budget(route), most=most)

    def _budget(self, route: Route) -> int:
        """The most tokens in a pass; fewer where whole logits have to stand in memory."""
        whole = max(1, self._whole_logits // self.info.vocabulary_size)
        return self.batch_tokens if route.head else min(self.batch_tokens, whole)

    def _alone(self, items: list[Encoded], numbers: Sequence[int]) -> list[Row]:
        rows = alone([self._fed(items[n]) for n in numbers])
        for row in rows:
            row.paths = [(numbers[place], path) for place, path in row.paths]
        return rows

    def _fed(self, item: Encoded) -> tuple[int, ...]:
        """What the model reads: the last token need not be, unless what follows it is asked for."""
        return item.ids if self._finisher.words else item.ids[:-1]

    def _start(self, items: list[Encoded], batch: list[Row], route: Route) -> _Running:
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
                # The end of a sentence has no next token; what is taken there is left out again.
                targets += [*item.scored, 0][: len(read)]
        with torch.inference_mode():
            states = outputs(self._model.model, batch, used).flatten(0, 1)
            # A model that is spread over several GPUs may have its output layer on another one than its last block.
            device = used.head.weight.device if used.head else states.device
            states = states[move(list(places), states.device)].to(device)
            chosen, wanted = move(rows, device), move(targets, device)
            masses = None
            if used.head is None:
                logprobs = whole_logprobs(states, chosen, wanted)
            else:
                subset = self._finisher.words.begins_word(device) if self._finisher.words else None
                logprobs, masses = used.head.logprobs(states, chosen, wanted, subset)
            return _Running(sizes, *fetch(logprobs, masses))

    def _finish(self, items: list[Encoded], batch: _Running, route: Route) -> Iterator[Outcome]:
        if batch.done is not None:
            batch.done.synchronize()
        ends = list(itertools.accumulate(size for _, size in batch.sizes))
        numbers = batch.logprobs.tolist()
        masses = None if batch.masses is None else batch.masses.tolist()
        for (number, size), end in zip(batch.sizes, ends, strict=True):
            part = slice(end - size, end)
            item = items[number]
            finite = all(math.isfinite(value) for value in numbers[part][: len(item.scored)])
            if not finite and len(batch.sizes) > 1:
                # A number that is none spreads over a batch, through weights of zero; alone it stays at home.
                [row] = self._alone(items, [number])
                yield from self._finish(items, self._start(items, [row], route), route)
            else:
                yield self._finisher.outcome(item, numbers[part][: len(item.scored)], masses and masses[part])


def _has_failed(running: "deque[tuple[list[Row], Future[_Running]]]") -> bool:
    """Whether the batch that was begun last has failed already, so that others would fail beside it."""
    return bool(running) and running[-1][1].done() and running[-1][1].exception() is not None


def whole_logprobs(logits: "Tensor", rows: "Tensor", targets: "Tensor") -> "Tensor":
    """Log-softmax at the targets alone, from whole logits: in float32 at least."""
    import torch

    wide = logits if logits.dtype == torch.float64 else logits.float()
    return wide[rows, targets] - wide.logsumexp(dim=-1)[rows]


def fetch(logprobs: "Tensor", masses: "Tensor | None") -> "tuple[Tensor, Tensor | None, Any]":
    """Results on their way to main memory, and the event after which they are there; None where they are already."""
    import torch

    if logprobs.device.type != "cuda":
        return logprobs.cpu(), None if masses is None else masses.cpu(), None
    found = [
        torch.empty_like(part, device="cpu", pin_memory=True).copy_(part, non_blocking=True)
        for part in (logprobs, masses)
        if part is not None
    ]
    make: Any = torch.cuda.Event
    event = make()
    # Without a stream the event would stand in that of the current device, which need not be this one.
    event.record(torch.cuda.current_stream(logprobs.device))
    return found[0], None if masses is None else found[1], event
