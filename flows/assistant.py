"""How the flows ask language models: which one, what it may cost, and what the user is told before and after."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal

import click

import flow_support as support
from pairwright.errors import ConfigError
from pairwright.llm import LLM, Cap, LedgerLine, Request, open_llm
from pairwright.store import read_manifest
from pairwright.workspace import Workspace

Which = Literal["none", "local", "server"]


@dataclass(frozen=True)
class Assistant:
    """Which language model helps, and how.

    which     none, the local model, or the server of pairwright.toml; None: the one that the source was last built with
    offline   answers come from the cache alone
    estimate  say what the next stage would cost, ask nothing, and end there
    batch     hand the requests to the server's batch API and wait for it
    cap       the most that this run may spend
    """

    which: Which | None = None
    offline: bool = False
    estimate: bool = False
    batch: bool = False
    cap: Cap = field(default_factory=Cap)


def assistant_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options for language models; the function gets an `Assistant` as `assistant`."""

    @wraps(function)
    def command(
        *,
        llm: Which | None,
        offline: bool,
        estimate: bool,
        batch: bool,
        max_money: float | None,
        max_tokens: int | None,
        **others: Any,
    ) -> object:
        chosen = Assistant(llm, offline, estimate, batch, Cap(money=max_money, tokens=max_tokens))
        return function(assistant=chosen, **others)

    wrapped: Callable[..., Any] = command
    for option in (
        click.option("--max-tokens", type=click.IntRange(min=0), help="The most tokens that this run may spend."),
        click.option("--max-money", type=click.FloatRange(min=0), help="The most money that this run may spend."),
        click.option("--batch", is_flag=True, help="Ask by the server's batch API, at half the price."),
        click.option("--estimate", is_flag=True, help="Say what the next stage would cost, and ask nothing."),
        click.option("--offline", is_flag=True, help="Only use answers that are in the cache."),
        click.option(
            "--llm",
            type=click.Choice(["none", "local", "server"]),
            help="Who helps to find rules and to write pairs; left out: as the source was last built, else none.",
        ),
    ):
        wrapped = option(wrapped)
    return wrapped


class Help:
    """An open language model with what the user wants of it. `kind` is local or server."""

    def __init__(self, model: LLM, kind: Which, how: Assistant) -> None:
        self.model, self.kind, self._how = model, kind, how

    def prepare(self, what: str, requests: Callable[[], Iterable[Request[Any]]]) -> None:
        """Says what requests will cost. Raises EndedError where that was all that the user asked for."""
        told = self.model.estimate(requests(), batch=self._how.batch)
        if told.requests:
            support.say("llm", f"{what}: {told}")
        if self._how.estimate:
            raise support.EndedError("nothing was asked; run without --estimate to go on")

    def batch(self, requests: Callable[[], Iterable[Request[Any]]]) -> None:
        """In batch mode, has requests answered by the server's batch API, which may take hours; else does nothing."""
        if not self._how.batch:
            return
        # A list, as some requests depend on answers, and the client can't wait for those while it submits.
        for state in self.model.submit_batches(list(requests())):
            support.say("batch", f"{state.batch_id} of {state.requests:,} requests for {state.model}: {state.state}")
        for state in self.model.collect_batches():
            fault = f"; {state.fault}" if state.fault else ""
            support.say("batch", f"{state.batch_id} {state.state}: {state.answered:,} answers{fault}")

    def described(self, stage: str) -> dict[str, Any]:
        """What of the model and its settings decides a stage's result."""
        kept = {"base_url", "temperature", "seed", "max_output_tokens", "structured"}
        settings = self.model.settings
        model = settings.models.get(stage) or settings.model
        return {"model": model, "kind": self.kind, **settings.model_dump(include=kept)}


def last_used(workspace: Workspace, source_id: str) -> Which:
    """The kind of model with whose help a source was last built."""
    for stage in ("rules", "candidates"):
        manifest = read_manifest(workspace.work(source_id), stage)
        if manifest and manifest.assistant in ("local", "server"):
            return "local" if manifest.assistant == "local" else "server"
    return "none"


@contextmanager
def opened(workspace: Workspace, source_id: str, how: Assistant) -> Iterator[Help | None]:
    """The language model of a run while a `with` lasts; None where none is to be asked. At its end the bill is told.

    Raises ConfigError, LLMError where it can't be used.
    """
    which = how.which or last_used(workspace, source_id)
    if which == "none":
        if how.estimate or how.batch:
            raise ConfigError("--estimate and --batch need a language model: --llm server, or --llm local")
        yield None
        return
    with open_llm(workspace, local=which == "local", offline=how.offline, cap=how.cap) as model:
        before = _total(model.ledger(), source_id)
        try:
            yield Help(model, which, how)
        finally:
            after = _total(model.ledger(), source_id)
            spent = {name: after[name] - before[name] for name in after}
            if spent["requests"]:
                money = f", {spent['cost']:.4f} {model.settings.currency}" if spent["cost"] else ""
                support.say("paid", f"{spent['requests']:,.0f} requests, {spent['tokens']:,.0f} tokens{money}")


def _total(lines: Iterable[LedgerLine], source_id: str) -> dict[str, float]:
    own = [line for line in lines if line.source_id in (source_id, "")]
    return {
        "requests": sum(line.requests for line in own),
        "tokens": sum(line.input_tokens + line.output_tokens for line in own),
        "cost": sum(line.cost for line in own),
    }
