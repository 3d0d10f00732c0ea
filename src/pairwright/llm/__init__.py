"""Language models behind any OpenAI-compatible server: asked once, paid once, kept for ever, never trusted.

Stages are given an `Asks`, which an `LLM` is; flows make the `LLM` from the workspace's settings.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from pairwright.llm.batch import BatchState
from pairwright.llm.budget import Cap, Estimate
from pairwright.llm.cache import LedgerLine, ReplyCache
from pairwright.llm.client import CACHE_FILE, LLM, Asks, ask_about
from pairwright.llm.exchange import Answer, Outcome, Provenance, Reply, Request, Usage
from pairwright.llm.local import LocalServer
from pairwright.workspace import Workspace

__all__ = [
    "LLM",
    "Answer",
    "Asks",
    "BatchState",
    "Cap",
    "Estimate",
    "LedgerLine",
    "LocalServer",
    "Outcome",
    "Provenance",
    "Reply",
    "Request",
    "Usage",
    "ask_about",
    "ledger",
    "open_llm",
]


def ledger(workspace: Workspace) -> list[LedgerLine]:
    """What a workspace has paid so far, by source, stage and model. Raises LLMError where the cache can't be used."""
    path = workspace.llm / CACHE_FILE
    if not path.exists():
        return []
    with closing(ReplyCache(path)) as cache:
        return cache.ledger()


@contextmanager
def open_llm(
    workspace: Workspace, *, local: bool = False, offline: bool = False, cap: Cap | None = None
) -> Iterator[LLM]:
    """The client of a workspace while a `with` lasts; with `local`, the local model runs as long.

    Raises ConfigError, LLMError where the cache or the local model can't be used.
    """
    settings = workspace.config().llm
    if not local:
        with LLM(settings, workspace.llm, cap=cap, offline=offline) as llm:
            yield llm
        return
    server = LocalServer(settings)
    if not offline:
        server.start()
    try:
        with LLM(settings, workspace.llm, cap=cap, offline=offline, local=server) as llm:
            yield llm
    finally:
        server.stop()
