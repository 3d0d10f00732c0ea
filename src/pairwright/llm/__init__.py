"""Language models behind any OpenAI-compatible server: each question is paid for once, and no answer is trusted.

Stages get a `Completer`, which an `LLM` is. Pipelines make the `LLM` from the workspace's settings with `open_llm`.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from pairwright.config import LLMSettings
from pairwright.llm.budget import Cap
from pairwright.llm.cache import LedgerLine, ReplyCache
from pairwright.llm.client import CACHE_FILE, LLM, Rehearsal, ask_about
from pairwright.llm.estimates import Estimate
from pairwright.llm.exchange import Answer, Completer, PlainText, Request
from pairwright.llm.local import LocalServer
from pairwright.workspace import Workspace

__all__ = [
    "LLM",
    "Answer",
    "Cap",
    "Completer",
    "Estimate",
    "LedgerLine",
    "LocalServer",
    "PlainText",
    "Request",
    "ask_about",
    "ledger",
    "open_llm",
]


def ledger(workspace: Workspace) -> list[LedgerLine]:
    """What a workspace has paid so far, by source, stage and model. Raises LLMError if the cache can't be used."""
    if not (path := workspace.llm / CACHE_FILE).exists():
        return []
    with closing(ReplyCache(path)) as cache:
        return cache.ledger()


@contextmanager
def open_llm(
    workspace: Workspace,
    *,
    local: bool = False,
    offline: bool = False,
    rehearsal: bool = False,
    cap: Cap | None = None,
    settings: LLMSettings | None = None,
) -> Iterator[LLM]:
    """The client of a workspace for the time of a `with`; with `local`, of the local model, which runs as long.

    offline    answer from the cache alone, and fail where it has no answer
    rehearsal  as offline, but where the cache has no answer, go on without it
    settings   in place of those of the workspace

    Raises ConfigError, and LLMError if the cache or the local model can't be used.
    """
    settings = settings or workspace.config().llm
    with ExitStack() as stack:
        server = LocalServer(settings) if local else None
        if server and not (offline or rehearsal):
            stack.enter_context(server)
        client = Rehearsal if rehearsal else LLM
        yield stack.enter_context(client(settings, workspace.llm, cap=cap, offline=offline or rehearsal, local=server))
