"""A run's language model: which one is asked, what it may cost, and what the user reads about the bill."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel

from pairwright.core.errors import ConfigError, EstimateOnly, counted
from pairwright.core.store import read_manifest
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import LLMKind, LLMOptions

if TYPE_CHECKING:
    from pairwright.core.config import LLMSettings
    from pairwright.models.chat import LLM, Answer, Estimate, LedgerLine, Request

# The stages of a build that ask, each led to by the one before: what their requests are for, and their ledger's name.
_STAGES = {"rules": "rules", "pairs": "generate", "judge": "judge"}
# Where nothing was asked yet: requests for one of the stage before, and tokens of one, in and out.
_FOR_ONE, _USUAL_TOKENS = 1.5, (2000, 700)
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
            self.context.say("llm", _line(noun, [_known(estimate)], _need_of(estimate), self.model.settings.currency))

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


class _Need(NamedTuple):
    """The least and the most that is needed: requests, tokens that are sent and said, money, and what has no price."""

    least: "Counter[str]"
    most: "Counter[str]"

    def span(self, name: str, form: str = ",.0f") -> str:
        """One number, or from where to where it goes; whole ones that are not exact have two digits."""
        ends = [self.least[name], self.most[name]]
        if ends[0] != ends[1] and form == ",.0f":
            ends = [int(float(f"{end:.2g}")) for end in ends]
        return " to ".join(dict.fromkeys(f"{end:{form}}" for end in ends))


def forecast_lines(
    estimates: "Mapping[str, Estimate]",
    ledger: "Sequence[LedgerLine]",
    settings: "LLMSettings",
    source_id: str,
    *,
    batch: bool,
) -> Iterator[str]:
    """What a build would still cost to its end: a line for each stage that asks, and the total.

    estimates  of the requests that the rehearsal came to, by what they are for; a stage that is up to date has none
    ledger     what this workspace has paid
    batch      whether the Batch API answers, at half the price
    """
    total, before, earlier = _Need(Counter(), Counter()), _Need(Counter(), Counter()), ""
    for noun in (*_STAGES, *(noun for noun in estimates if noun not in _STAGES)):
        known, words, need = estimates.get(noun), list[str](), _Need(Counter(), Counter())
        if known and known.requests:
            words, need = [_known(known)], _need_of(known)
        if noun in _STAGES and before.most["requests"]:
            # From the middle of what the stage before needs, or its doubts would be counted once more.
            expected = (before.least["requests"] + before.most["requests"]) / 2
            basis, more = _more(noun, earlier, expected, known, ledger, settings, batch=batch)
            words.append(f"about {more.span('requests')} more requests, {basis}")
            need = _Need(need.least + more.least, need.most + more.most)
        if words:
            yield _line(noun, words, need, settings.currency)
        total = _Need(total.least + need.least, total.most + need.most)
        before, earlier = need, noun
    noun = "request" if total.most["requests"] == 1 else "requests"
    needed = f"{total.span('requests')} {noun} to pay for" if total.most["requests"] else "nothing left to pay for"
    yield _line("in all", [needed], total, settings.currency)
    own = [line for line in ledger if line.source_id == source_id]
    cost = sum(line.cost for line in own)
    paid = counted(sum(line.requests for line in own), "request") + (
        f", {cost:.2f} {settings.currency}" if cost else ""
    )
    yield f"paid for {source_id} so far: {paid}"


def _line(noun: str, words: Sequence[str], need: _Need, currency: str) -> str:
    line = f"{noun}: {'; '.join(words)}"
    if not need.most["requests"]:
        return line
    money = "; no price in llm.prices" if need.most["unpriced"] else f", {need.span('money', '.2f')} {currency}"
    return f"{line}: {need.span('sent')} tokens in, {need.span('said')} out{money}"


def _known(known: "Estimate") -> str:
    return f"{counted(known.requests, 'request')}, {known.cached:,} of them answered already"


def _need_of(known: "Estimate") -> _Need:
    both: dict[str, Any] = {"requests": known.missing, "sent": known.input_tokens, "unpriced": known.cost is None}
    least: dict[str, Any] = both | {"said": known.least_output, "money": known.least_cost or 0}
    return _Need(Counter(least), Counter(both | {"said": known.most_output, "money": known.most_cost or 0}))


def _more(
    noun: str,
    before: str,
    expected: float,
    known: "Estimate | None",
    ledger: "Sequence[LedgerLine]",
    settings: "LLMSettings",
    *,
    batch: bool,
) -> tuple[str, _Need]:
    """What the requests expected of the stage before lead to, half to twice as many, and on what that rests."""
    from pairwright.models.chat.answers import Usage
    from pairwright.models.chat.ledger import cost_of

    paid = Counter[str]()
    for line in ledger:
        paid[line.stage] += line.requests
    stage, earlier = _STAGES[noun], _STAGES[before]
    factor, basis = _FOR_ONE, "a guess, as nothing like it was asked yet"
    if paid[stage] and paid[earlier]:
        factor, basis = paid[stage] / paid[earlier], "by what answers in this workspace led to so far"
    sent, said = _USUAL_TOKENS
    if known and known.missing:
        sent, said = known.input_tokens // known.missing, known.output_tokens // known.missing
    price = settings.prices.get(settings.models.get(stage) or settings.model or "")
    money = cost_of(Usage(input_tokens=sent, output_tokens=said), price, batch=batch) if price else 0
    one: dict[str, Any] = {"requests": 1, "sent": sent, "said": said, "money": money, "unpriced": not price}
    least, most = ({name: factor * expected * share * it for name, it in one.items()} for share in (0.5, 2))
    return basis, _Need(Counter(least), Counter(most))
