"""What a build would still cost to its end, from a rehearsal of it with the answers that are paid for already."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pairwright.core.config import LLMSettings
from pairwright.core.errors import counted
from pairwright.models.chat import Estimate, LedgerLine
from pairwright.models.chat.exchange import Usage
from pairwright.models.chat.ledger import cost_of

# The stages that ask, each led to by the one before: what their requests are for, and their name in the ledger.
STAGES = {"rules": "rules", "pairs": "generate", "judge": "judge"}
# Where nothing was asked yet: requests for one of the stage before, and tokens of one, in and out.
_REQUESTS_FOR_ONE = {"pairs": 1.5, "judge": 1.5}
_USUAL = Usage(input_tokens=2000, output_tokens=700)


class _Basis(NamedTuple):
    """On what further requests are foreseen, and by which factors they may be fewer and more."""

    words: str
    least: float
    most: float


_SO_FAR = _Basis("by what the answers so far led to", 0.75, 1.33)
_ELSEWHERE = _Basis("as in other sources of this workspace", 0.6, 1.7)
_GUESS = _Basis("a guess, as nothing like it was asked yet", 0.3, 3.0)


class _Span(NamedTuple):
    """The least and the most of something."""

    least: float = 0
    most: float = 0

    def plus(self, other: "_Span") -> "_Span":
        return _Span(self.least + other.least, self.most + other.most)

    def times(self, factor: float) -> "_Span":
        return _Span(self.least * factor, self.most * factor)

    def text(self, form: str = ",.0f", noun: str = "") -> str:
        """One number, or from where to where it goes, and its noun; whole ones that are not exact have two digits."""
        exact = self.least == self.most
        ends = self if exact or not form.endswith(".0f") else [float(f"{value:.2g}") for value in self]
        words = [f"{value:{form}}" for value in ends]
        if noun:
            words[-1] = counted(round(self.most if exact else ends[1]), noun)
        return words[-1] if exact else " to ".join(words)


class _Need(NamedTuple):
    """What is needed. Tokens are input and output; money is None without a price."""

    requests: _Span = _Span()
    sent: _Span = _Span()
    said: _Span = _Span()
    money: _Span | None = _Span()

    def plus(self, other: "_Need") -> "_Need":
        money = None if self.money is None or other.money is None else self.money.plus(other.money)
        spans = self.requests.plus(other.requests), self.sent.plus(other.sent), self.said.plus(other.said)
        return _Need(*spans, money)

    def text(self, currency: str) -> str:
        """What follows the requests in a line; empty where none is needed."""
        if not self.requests.most:
            return ""
        tokens = f": {self.sent.text()} tokens in, {self.said.text()} out"
        return f"{tokens}, {self.money.text('.2f')} {currency}" if self.money else f"{tokens}; no price in llm.prices"


def estimate_line(noun: str, known: Estimate, currency: str) -> str:
    """What the requests of a stage would take, in words."""
    return f"{noun}: {_known_words(known)}{_need_of(known).text(currency)}"


def forecast_lines(
    estimates: Mapping[str, Estimate],
    ledger: Sequence[LedgerLine],
    settings: LLMSettings,
    source_id: str,
    *,
    batch: bool,
) -> Iterator[str]:
    """A line for each stage that asks, and the total.

    estimates  of the requests that the rehearsal came to, by what they are for; a stage that is up to date has none
    ledger     what this workspace has paid
    batch      whether the Batch API answers, at half the price
    """
    currency, total = settings.currency, _Need()
    open_before, answered_before, before = _Span(), 0, ""
    for noun, stage in STAGES.items():
        known = estimates.get(noun)
        need = _need_of(known) if known else _Need()
        words = [_known_words(known)] if known and known.requests else []
        if open_before.most:
            if known and known.requests and answered_before:
                per_request, basis = known.requests / answered_before, _SO_FAR
            else:
                per_request, basis = _requests_for_one(noun, before, ledger, source_id)
            # From the middle of what the stage before needs, or its doubts would be counted once more.
            expected = per_request * math.sqrt(open_before.least * open_before.most)
            more = _Span(basis.least, basis.most).times(expected)
            words.append(f"about {more.text(noun='more request')}, {basis.words}")
            usage = _usage_of_one(stage, known, ledger)
            price = settings.prices.get(settings.models.get(stage) or settings.model or "")
            money = None if price is None else more.times(cost_of(usage, price, batch=batch))
            need = need.plus(_Need(more, more.times(usage.input_tokens), more.times(usage.output_tokens), money))
        if words:
            yield f"{noun}: {'; '.join(words)}{need.text(currency)}"
        total = total.plus(need)
        open_before, before, answered_before = need.requests, noun, known.cached if known else 0
    for noun, known in estimates.items():
        if noun not in STAGES:
            yield estimate_line(noun, known, currency)
            total = total.plus(_need_of(known))
    requests = total.requests
    needed = f"{requests.text(noun='request')} to pay for" if requests.most else "nothing left to pay for"
    yield f"in all: {needed}{total.text(currency)}"
    own = [line for line in ledger if line.source_id == source_id]
    cost = sum(line.cost for line in own)
    paid = counted(sum(line.requests for line in own), "request") + (f", {cost:.2f} {currency}" if cost else "")
    yield f"paid for {source_id} so far: {paid}"


def _known_words(known: Estimate) -> str:
    return f"{counted(known.requests, 'request')}, {known.cached:,} of them answered already"


def _need_of(known: Estimate) -> _Need:
    money = None if known.least_cost is None or known.most_cost is None else _Span(known.least_cost, known.most_cost)
    requests, sent = (_Span(value, value) for value in (known.missing, known.input_tokens))
    return _Need(requests, sent, _Span(known.least_output, known.most_output), money)


def _requests_for_one(noun: str, before: str, ledger: Sequence[LedgerLine], source_id: str) -> tuple[float, _Basis]:
    """How many requests follow from one of the stage before: of this source, else of others, else by guess."""
    by_source: dict[str, Counter[str]] = {}
    for line in ledger:
        by_source.setdefault(line.source_id, Counter())[line.stage] += line.requests
    stage, earlier = STAGES[noun], STAGES[before]
    both = {source: counts for source, counts in by_source.items() if counts[stage] and counts[earlier]}
    if own := both.get(source_id):
        return own[stage] / own[earlier], _SO_FAR
    if both:
        counts = sum(both.values(), Counter())
        return counts[stage] / counts[earlier], _ELSEWHERE
    return _REQUESTS_FOR_ONE[noun], _GUESS


def _usage_of_one(stage: str, known: Estimate | None, ledger: Sequence[LedgerLine]) -> Usage:
    """What a request of a stage uses, as those that are known now, else as earlier ones."""
    if known and known.missing:
        count, sent, said = known.missing, known.input_tokens, known.output_tokens
    else:
        lines = [line for line in ledger if line.stage == stage]
        count, sent = sum(line.requests for line in lines), sum(line.input_tokens for line in lines)
        said = sum(line.output_tokens for line in lines)
    return Usage(input_tokens=round(sent / count), output_tokens=round(said / count)) if count else _USUAL
