"""What a build would still cost to its end, from a rehearsal of it with the answers that are paid for already."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pairwright.core.config import LLMSettings
from pairwright.core.errors import counted
from pairwright.models.chat import Estimate, LedgerLine
from pairwright.models.chat.budget import cost_of
from pairwright.models.chat.exchange import Usage

# The stages that ask, each led to by the one before: what their requests are for, and their name in the ledger.
STAGES = {"rules": "rules", "pairs": "generate", "judge": "judge"}
# Where nothing was asked yet: requests for one of the stage before, and tokens of one, in and out.
_REQUESTS_FOR_ONE = {"pairs": 2.0, "judge": 1.5}
_USUAL = Usage(input_tokens=2000, output_tokens=700)


class _Basis(NamedTuple):
    """On what further requests are foreseen, and by which factors they may be fewer and more."""

    words: str
    least: float
    most: float


_SO_FAR = _Basis("by what the answers so far led to", 0.75, 1.33)
_ELSEWHERE = _Basis("as in other sources of this workspace", 0.6, 1.7)
_GUESS = _Basis("a guess, as nothing like it was asked yet", 0.4, 2.5)


class _Need(NamedTuple):
    """The least and the most that is needed. Tokens are input and output; money is None without a price."""

    requests: tuple[float, float]
    sent: tuple[float, float]
    said: tuple[float, float]
    money: tuple[float, float] | None

    def plus(self, other: "_Need") -> "_Need":
        money = None if self.money is None or other.money is None else _sum(self.money, other.money)
        return _Need(
            _sum(self.requests, other.requests), _sum(self.sent, other.sent), _sum(self.said, other.said), money
        )

    def __str__(self) -> str:
        tokens = f"{_span(self.sent)} tokens in, {_span(self.said)} out"
        return tokens if self.money is None else f"{tokens}, {_span(self.money, '.2f')}"


_NOTHING = _Need((0, 0), (0, 0), (0, 0), (0, 0))


def estimate_line(noun: str, known: Estimate, currency: str) -> str:
    """What the requests of a stage would take, in words."""
    return f"{noun}: {_known_words(known)}{_money(_need_of(known), currency)}"


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
    history, total = _History(ledger, source_id), _NOTHING
    open_before, answered_before, before = (0.0, 0.0), 0, ""
    for noun in STAGES:
        known = estimates.get(noun)
        need = _need_of(known) if known else _NOTHING
        words = _known_words(known) if known and known.requests else ""
        if open_before[1]:
            if known and known.requests and answered_before:
                per_request, basis = known.requests / answered_before, _SO_FAR
            else:
                per_request, basis = history.requests_for_one(noun, before)
            # From the middle of what the stage before needs, or its doubts would be counted once more.
            expected = per_request * math.sqrt(open_before[0] * open_before[1])
            requests = (expected * basis.least, expected * basis.most)
            words = "; ".join(filter(None, (words, f"about {_span(requests, noun='more request')}, {basis.words}")))
            usage = history.usage_of_one(noun, known)
            price = settings.prices.get(settings.models.get(STAGES[noun]) or settings.model or "")
            need = need.plus(_further(requests, usage, None if price is None else cost_of(usage, price, batch=batch)))
        if words:
            yield f"{noun}: {words}{_money(need, settings.currency)}"
        total = total.plus(need)
        open_before, before, answered_before = need.requests, noun, known.cached if known else 0
    needed = f"{_span(total.requests, noun='request')} to pay for" if total.requests[1] else "nothing left to pay for"
    yield f"in all: {needed}{_money(total, settings.currency)}"
    yield f"paid for {source_id} so far: {history.paid(settings.currency)}"


def _known_words(known: Estimate) -> str:
    return f"{counted(known.requests, 'request')}, {known.cached:,} of them answered already"


def _money(need: _Need, currency: str) -> str:
    if not need.requests[1]:
        return ""
    return f": {need} {currency}" if need.money else f": {need}; no price in llm.prices"


def _need_of(known: Estimate) -> _Need:
    requests, sent = float(known.missing), float(known.input_tokens)
    money = None if known.least_cost is None or known.most_cost is None else (known.least_cost, known.most_cost)
    said = (float(known.least_output), float(known.most_output))
    return _Need((requests, requests), (sent, sent), said, money)


class _History:
    """What was asked before, for this source and for others."""

    def __init__(self, ledger: Sequence[LedgerLine], source_id: str) -> None:
        self._ledger, self._source_id = ledger, source_id

    def paid(self, currency: str) -> str:
        """What the source has cost so far."""
        own = [line for line in self._ledger if line.source_id == self._source_id]
        cost = sum(line.cost for line in own)
        return f"{counted(sum(line.requests for line in own), 'request')}" + (
            f", {cost:.2f} {currency}" if cost else ""
        )

    def requests_for_one(self, noun: str, before: str) -> tuple[float, _Basis]:
        """How many requests follow from one of the stage before: of this source, else of others, else by guess."""
        by_source: dict[str, Counter[str]] = {}
        for line in self._ledger:
            by_source.setdefault(line.source_id, Counter())[line.stage] += line.requests
        stage, earlier = STAGES[noun], STAGES[before]
        both = {source: counts for source, counts in by_source.items() if counts[stage] and counts[earlier]}
        if own := both.get(self._source_id):
            return own[stage] / own[earlier], _SO_FAR
        if both:
            counts = sum(both.values(), Counter())
            return counts[stage] / counts[earlier], _ELSEWHERE
        return _REQUESTS_FOR_ONE[noun], _GUESS

    def usage_of_one(self, noun: str, known: Estimate | None) -> Usage:
        """What a request of a stage uses, as those that are known now, else as earlier ones."""
        if known and known.missing:
            return _mean_usage(known.input_tokens, known.output_tokens, known.missing)
        lines = [line for line in self._ledger if line.stage == STAGES[noun]]
        if count := sum(line.requests for line in lines):
            sent, said = sum(line.input_tokens for line in lines), sum(line.output_tokens for line in lines)
            return _mean_usage(sent, said, count)
        return _USUAL


def _mean_usage(sent: int, said: int, count: int) -> Usage:
    return Usage(input_tokens=round(sent / count), output_tokens=round(said / count))


def _further(requests: tuple[float, float], usage: Usage, price: float | None) -> _Need:
    """What requests of a usage take; `price` is that of one."""
    money = None if price is None else _times(requests, price)
    return _Need(requests, _times(requests, usage.input_tokens), _times(requests, usage.output_tokens), money)


def _sum(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]


def _times(span: tuple[float, float], factor: float) -> tuple[float, float]:
    return span[0] * factor, span[1] * factor


def _span(span: tuple[float, float], form: str = ",.0f", noun: str = "") -> str:
    """A number, or from where to where it goes, and its noun; whole ones that are not exact have two digits."""
    least, most = span
    if least != most and form.endswith(".0f"):
        least, most = (float(f"{value:.2g}") for value in span)
    words = [f"{value:{form}}" for value in (least, most)]
    if noun:
        words[-1] = counted(round(most), noun)
    return " to ".join(words if least != most else words[-1:])
