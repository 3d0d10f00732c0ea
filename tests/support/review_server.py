"""The review page of a test queue: in a thread, or in a process of its own where it is to be killed."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from pairwright.core.records import CheckedPair, Evidence, Rule, Source
from pairwright.core.store import write_json, write_jsonl
from pairwright.languages import load_language
from pairwright.review.log.queue import ReviewContext
from pairwright.review.web.access import Site, local_site
from pairwright.review.web.links import Sessions
from pairwright.review.web.server import ReviewServer, create_app, server_config
from pairwright.review.web.shared import SharedQueue
from pairwright.review.web.view import PageSettings

_SERVE = """
import sys
from pathlib import Path
from pairwright.core.config import ReviewSettings
from pairwright.languages import load_language
from pairwright.core.records import CheckedPair, Rule, Source
from pairwright.review.log.queue import ReviewContext
from pairwright.review.log.queue import QueueFolder
from pairwright.review.web.server import serve
from pairwright.review.web.links import Sessions
from pairwright.review.web.server import ReviewServer
from pairwright.review.web.shared import SharedQueue
from pairwright.review.web.view import PageSettings
from pairwright.core.store import read_jsonl

annotations, data, queue, code, port, *reviewers = sys.argv[1:]
data = Path(data)
source = Source.model_validate_json((data / "source.json").read_text(encoding="utf-8"))
pairs = {pair.candidate.id: pair for pair in read_jsonl(data / "pairs.jsonl", CheckedPair)}
rules = {rule.id: rule for rule in read_jsonl(data / "rules.jsonl", Rule)}
language = load_language(QueueFolder(Path(annotations), queue).info().language)
context = ReviewContext(Path(annotations), queue, source, pairs, rules, language, ReviewSettings())

sessions = Sessions(SharedQueue(context), {f"token-of-{name}": name for name in reviewers})
server = ReviewServer(sessions, PageSettings(load_language(code)))
serve([server], int(port), lambda taken: print(taken, flush=True))
"""


class PageTwo:
    """Pictures of what stands on page 2, all the same."""

    def __init__(self, png: bytes) -> None:
        self._png = png

    def has(self, evidence: Evidence) -> bool:
        return evidence.page == 2

    def png(self, evidence: Evidence) -> bytes | None:
        return self._png


@dataclass
class ReviewPage:
    """A page that is served. `address` of a reviewer is what the terminal would show."""

    port: int

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def address(self, reviewer: str) -> str:
        return f"{self.root}/?token=token-of-{reviewer}"

    def client(self, reviewer: str) -> httpx.Client:
        """A reviewer's browser, which has opened the page."""
        client = httpx.Client(base_url=self.root, headers={"Origin": self.root}, follow_redirects=True, timeout=30)
        client.get(self.address(reviewer))
        return client


@dataclass
class ReviewProcess(ReviewPage):
    """A page in a process of its own."""

    process: subprocess.Popen[str]

    def kill(self) -> None:
        """Ends it without a warning."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> None:
        """Ends it as Ctrl+C does."""
        self.process.terminate()
        self.process.communicate(timeout=20)


@dataclass
class ReviewThread(ReviewPage):
    """A page in a thread of this process."""

    server: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """Ends it as Ctrl+C does."""
        self.server.should_exit = True
        self.thread.join(timeout=20)


def serve_here(
    context: ReviewContext,
    reviewers: Sequence[str],
    language: str,
    png: bytes | None,
    votes: Mapping[str, str],
    port: int = 0,
) -> ReviewThread:
    """Serves a queue to reviewers, and waits until it listens."""
    sessions = Sessions(SharedQueue(context), {f"token-of-{name}": name for name in reviewers})
    settings = PageSettings(load_language(language), PageTwo(png) if png else None, votes=votes)
    return run_here([ReviewServer(sessions, settings)], port=port)


def serve_links(contexts: Sequence[ReviewContext], site: Site, **options: Any) -> ReviewThread:
    """Serves queues to whoever has a link. `options` are those of each `ReviewServer`; `now` is the clock of links."""
    clock = {"now": options.pop("now")} if "now" in options else {}
    return run_here(
        [
            ReviewServer(
                Sessions(SharedQueue(context), **clock),
                PageSettings(context.language),
                name=context.queue,
                **options,
            )
            for context in contexts
        ],
        site,
    )


def run_here(servers: Sequence[ReviewServer], site: Site | None = None, port: int = 0) -> ReviewThread:
    """Runs the page in a thread, at this machine's own address or at a site, and waits until it listens."""
    listening = socket.create_server(("127.0.0.1", port))
    port = listening.getsockname()[1]
    running = uvicorn.Server(server_config(create_app(servers, site or local_site(port))))
    thread = threading.Thread(target=running.run, args=([listening],), daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    return ReviewThread(port, running, thread)


def start_review(
    annotations: Path,
    queue: str,
    data: Path,
    source: Source,
    pairs: list[CheckedPair],
    rules: list[Rule],
    *reviewers: str,
    language: str = "lt",
    port: int = 0,
) -> ReviewProcess:
    """Serves a queue to reviewers from a process of its own, and waits until it listens.

    `data` is a folder for what the process reads.
    """
    data.mkdir(exist_ok=True)
    write_json(data / "source.json", source.model_dump(mode="json"))
    write_jsonl(data / "pairs.jsonl", pairs)
    write_jsonl(data / "rules.jsonl", rules)
    arguments = [str(annotations), str(data), queue, language, str(port), *reviewers]
    process = subprocess.Popen([sys.executable, "-c", _SERVE, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return ReviewProcess(int(process.stdout.readline()), process)
