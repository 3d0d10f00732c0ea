"""Prefixes that many prompts share, read once: their routes through a model, checked against routes without a cache."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pairwright.evaluate.scoring.forward.packing import unpacked_rows
from pairwright.evaluate.scoring.forward.routes import (
    REFUSALS,
    ForwardRoute,
    PrefixCache,
    gives,
    outputs,
    shortest_window,
)
from pairwright.models.load.faults import out_of_memory, release_memory

# Tokens of a prefix that are read at a time: the mask over them stands in memory.
CHUNK = 1024


class PrefixRoutes:
    """Routes with a cache through one model, for prefixes one after the other; the last one's cache is kept.

    Such a route counts only where it gives what the longest sequence gives when it is read alone and whole. That is
    tried with the first prefix, and again with the first sequence that outgrows the model's sliding window.
    """

    def __init__(self, network: Any) -> None:
        self._network = network
        self._window = shortest_window(network)
        self._fits: dict[bool, bool] = {}  # whether a cache gives the right numbers, within the window and beyond
        self._last: tuple[tuple[int, ...], ForwardRoute] | None = None

    @property
    def used(self) -> bool:
        """Whether any sequences went by a route with a cache."""
        return any(self._fits.values())

    def route(self, prefix: tuple[int, ...], longest: Sequence[int], base: ForwardRoute, tokens: int) -> ForwardRoute:
        """The route of what follows a prefix, or follows its beginning in the cache; `base` where there is none.

        longest  the longest sequence with that prefix; `base` the route without a cache; `tokens` the most at a time
        """
        import torch

        beyond = self._window is not None and len(longest) > self._window
        if not base.packs or not prefix or not self._fits.get(beyond, True):
            return base
        with torch.inference_mode():
            route = self._cached(prefix, base, min(tokens, CHUNK))
            if beyond not in self._fits:
                self._fits[beyond] = route is not None and _agrees(self._network, route, longest)
        return route if route and self._fits[beyond] else base

    def _cached(self, prefix: tuple[int, ...], base: ForwardRoute, tokens: int) -> ForwardRoute | None:
        if self._last is not None:
            held, route = self._last
            if 2 * len(held) >= len(prefix) and prefix[: len(held)] == held:
                return route
        self._last = None  # so that the memory of two caches is never needed
        filled = _filled(self._network, prefix, base, tokens)
        self._last = (prefix, filled) if filled else None
        return filled


def _filled(network: Any, prefix: tuple[int, ...], base: ForwardRoute, tokens: int) -> ForwardRoute | None:
    """A route whose cache holds a prefix; None where the model refuses such a cache, or memory runs out."""
    cache = PrefixCache()
    route = replace(base, window=None, cache=cache)
    try:
        for start in range(0, len(prefix), tokens):
            rows = unpacked_rows([prefix[start : start + tokens]])
            outputs(network, rows, route)
            cache.length += len(rows[0])
    except REFUSALS as error:
        if out_of_memory(error):
            release_memory()
        return None
    cache.complete = True
    return route


def _agrees(network: Any, route: ForwardRoute, longest: Sequence[int]) -> bool:
    """Whether a sequence after a cached prefix, beside another that parts from it, gives what it gives alone."""
    n_cached = route.cache.length if route.cache else 0
    prefix, rest = longest[:n_cached], list(longest[n_cached:])
    samples = [rest, [rest[0], *rest[::-1]]]
    single = ForwardRoute("single", None, route.head)
    expected = [outputs(network, unpacked_rows([[*prefix, *sample]]), single)[0][n_cached:] for sample in samples]
    return gives(network, route, samples, expected)
