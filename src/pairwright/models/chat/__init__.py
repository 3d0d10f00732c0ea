"""Language models behind any OpenAI-compatible server: no answer is paid for twice, and none is taken on trust.

Stages get a `Completer`, which an `LLM` is. Pipelines make the `LLM` from the workspace's settings with `open_llm`.
"""

from pairwright.models.chat.answers import Answer, Completer, PlainText, Request
from pairwright.models.chat.client import LLM, ask_about, ledger, open_llm
from pairwright.models.chat.ledger import Cap, Estimate, LedgerLine
from pairwright.models.chat.local import LocalServer

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
