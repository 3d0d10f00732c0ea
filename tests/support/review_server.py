"""The review page of a test queue: in a thread, or in a process of its own where it is to be killed."""

import multiprocessing
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

import httpx
import uvicorn

from pairwright.languages import load_language
from pairwright.review.log import ReviewContext
from pairwright.review.web.links import Sessions, Site, local_site
from pairwright.review.web.server import ReviewServer, create_app, serve, server_config
from pairwright.review.web.session import SharedQueue
from pairwright.review.web.view import PageSettings


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

    process: BaseProcess

    def kill(self) -> None:
        """Ends it without a warning."""
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        """Ends it as Ctrl+C does."""
        self.process.terminate()
        self.process.join(timeout=20)


@dataclass
class ReviewThread(ReviewPage):
    """A page in a thread of this process."""

    server: uvicorn.Server
    thread: threading.Thread

    def stop(self) -> None:
        """Ends it as Ctrl+C does."""
        self.server.should_exit = True
        self.thread.join(timeout=20)


def page_of(context: ReviewContext, reviewers: Sequence[str], language: str = "lt") -> ReviewServer:
    """The page of a queue for reviewers with tokens."""
    sessions = Sessions(SharedQueue(context), {f"token-of-{name}": name for name in reviewers})
    return ReviewServer(sessions, PageSettings(load_language(language)))


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


def serve_apart(context: ReviewContext, reviewers: Sequence[str]) -> ReviewProcess:
    """Serves a queue to reviewers from a process of its own, and waits until it listens."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=serve, args=([page_of(context, reviewers)], 0, theirs.send), daemon=True)
    process.start()
    return ReviewProcess(ours.recv(), process)
