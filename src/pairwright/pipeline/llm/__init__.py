"""A run's language model: which one is asked, what it may cost, and what the user reads about the bill."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from pairwright.core.errors import ConfigError, EstimateOnly, counted
from pairwright.core.store import read_manifest
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import LLMKind, LLMOptions

if TYPE_CHECKING:
    from pairwright.core.config import LLMSettings
    from pairwright.models.chat import LLM, Answer, Estimate, Request


T = TypeVar("T", bound=BaseModel)


class LLMSession:
    """An open language model, asked as the user wants it: a `Completer` for stages. `kind` is local or server.

    context  in which the stages run: where the user asks for an estimate alone, that of a rehearsal
    """

    def __init__(self, model: "LLM", kind: LLMKind, options: LLMOptions, context: Context) -> None:
        self.model, self.kind, self.context, self._options = model, kind, context, options
        self.estimates: dict[str, Estimate] = {}

    def announce_cost(self, noun: str, requests: "Callable[[], Iterable[Request[Any]]]") -> None:
        """Says what the first requests of a stage will cost, unless it is a rehearsal; keeps it for the forecast."""
        if noun in self.estimates:
            return
        estimate = self.estimates[noun] = self.model.estimate(requests(), batch=self._options.batch)
        if estimate.requests and not self._options.estimate:
            from pairwright.pipeline.llm.forecast import estimate_line

            self.context.say("llm", estimate_line(noun, estimate, self.model.settings.currency))

    def run(self, requests: "Iterable[Request[T]]") -> "Iterator[Answer[T]]":
        """The answers to requests, in their order; in batch mode by the server's batch API, which may take hours."""
        if self._options.batch and not self._options.estimate:
            requests = list(requests)
            for batch in self.model.submit_batches(requests):
                message = f"{batch.batch_id} of {batch.requests:,} requests for {batch.model}: {batch.state}"
                self.context.say("batch", message)
            for batch in self.model.collect_batches():
                fault = f"; {batch.fault}" if batch.fault else ""
                self.context.say("batch", f"{batch.batch_id} {batch.state}: {counted(batch.answered, 'answer')}{fault}")
        return self.model.run(requests)

    def verify_answered(self) -> None:
        """Raises LLMError where every question of the run has failed: at the end of a stage, so that it is not kept."""
        self.model.verify_answered()

    def described(self, stage: str) -> dict[str, Any]:
        """What of the model and its settings decides a stage's result."""
        deciding = {"base_url", "temperature", "seed", "max_output_tokens", "structured"}
        settings = self.model.settings
        model = settings.models.get(stage) or settings.model
        return {"model": model, "kind": self.kind, **settings.model_dump(include=deciding)}


def last_kind(workspace: Workspace, source_id: str) -> LLMKind:
    """The kind of language model with whose help a source was last built."""
    for stage in ("rules", "llm_pairs"):
        manifest = read_manifest(workspace.work(source_id), stage)
        if manifest and manifest.assistant in ("local", "server"):
            return "local" if manifest.assistant == "local" else "server"
    return "none"


@contextmanager
def open_session(
    context: Context, source_id: str, options: LLMOptions, settings: "LLMSettings | None" = None
) -> Iterator[LLMSession | None]:
    """The language model of a run while a `with` lasts; None where none is asked. At its end the bill is shown.

    `settings` are of another server than that of the workspace.

    With `options.estimate` the stages are to be rehearsed in the session's context; at the end the forecast is shown
    and EstimateOnly raised. Raises ConfigError, LLMError where the model can't be used.
    """
    kind = options.kind or last_kind(context.workspace, source_id)
    if kind == "none":
        if options.estimate or options.batch:
            raise ConfigError("--estimate and --batch need a language model: --llm server, or --llm local")
        yield None
        return
    from pairwright.models.chat import Cap, open_llm

    cap = Cap(money=options.max_money, tokens=options.max_tokens)
    local = kind == "local"
    if options.estimate:
        from pairwright.pipeline.llm.forecast import forecast_lines

        with (
            open_llm(context.workspace, local=local, rehearsal=True, cap=cap) as model,
            rehearsed(context, source_id) as rehearsal,
        ):
            session = LLMSession(model, kind, options, rehearsal)
            yield session
            for line in forecast_lines(
                session.estimates, model.ledger(), model.settings, source_id, batch=options.batch
            ):
                context.say("estimate", line)
        raise EstimateOnly("nothing was asked; run without --estimate to go on")
    with open_llm(context.workspace, local=local, offline=options.offline, cap=cap, settings=settings) as model:
        before = _paid(model, source_id)
        try:
            yield LLMSession(model, kind, options, context)
        finally:
            spent = _paid(model, source_id)
            spent.subtract(before)
            if spent["requests"] or spent["unanswered"]:
                lost = f", {spent['unanswered']:,.0f} without an answer" if spent["unanswered"] else ""
                money = f", {spent['cost']:.4f} {model.settings.currency}" if spent["cost"] else ""
                requests, tokens = (counted(int(spent[name]), name[:-1]) for name in ("requests", "tokens"))
                context.say("paid", f"{requests}, {tokens}{lost}{money}")


def _paid(model: "LLM", source_id: str) -> "Counter[str]":
    """What a source has cost so far, with what no source has to bear."""
    paid: Counter[str] = Counter()
    for line in model.ledger():
        if line.source_id in (source_id, ""):
            figures: dict[str, Any] = line.model_dump(include={"requests", "unanswered", "cost"})
            paid.update(figures | {"tokens": line.input_tokens + line.output_tokens})
    return paid


class _Copy(Workspace):
    """A workspace whose stage files and logs of review stand in another folder; all else is its own."""

    def __init__(self, root: Path, folder: Path) -> None:
        super().__init__(root)
        self._folder = folder

    @property
    def annotations(self) -> Path:
        return self._folder / "annotations"

    def work(self, source_id: str) -> Path:
        return self._folder / "work" / source_id


@contextmanager
def rehearsed(context: Context, source_id: str) -> Iterator[Context]:
    """A context for rebuilding a source: silent, in this process, with copies of what the steps write."""
    workspace = context.workspace
    with TemporaryDirectory(prefix="pairwright-") as folder:
        copy = _Copy(workspace.root, Path(folder))
        # Of other sources, the checks read what passed.
        for path in workspace.stage_files("checked"):
            if path.parent.name != source_id:
                copy.work(path.parent.name).mkdir(parents=True)
                shutil.copyfile(path, copy.stage_file(path.parent.name, "checked"))
        if workspace.work(source_id).is_dir():
            shutil.copytree(workspace.work(source_id), copy.work(source_id))
        for path in workspace.annotations.glob("*/*.json*"):
            (copy.annotations / path.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy.annotations / path.parent.name / path.name)
        yield Context(copy, extras=context.extras)
