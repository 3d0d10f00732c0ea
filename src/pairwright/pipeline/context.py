"""What every step works with: a workspace, a reporter that shows progress, an executor that runs the step's parts."""

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

from pairwright.core.errors import Nothing, counted
from pairwright.core.records import Rejection, Source
from pairwright.core.store import StageRun
from pairwright.core.workspace import Workspace
from pairwright.languages import Language, load_language

if TYPE_CHECKING:
    from pairwright.pipeline.extra import Extra

# Where no one looks on, a line of progress comes so often.
LINE_SECONDS = 60
_REASONS_SHOWN = 5
P = ParamSpec("P")
T = TypeVar("T")
Items = Iterable[tuple[Any, ...]]
Resources = dict[str, float] | None


class Reporter(Protocol):
    """Shows a user how a step goes."""

    def say(self, label: str, text: str) -> None:
        """One line: the label of a kind of message, and the message."""

    def progress(self, task: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """Follows a task of `total` parts; yields the function to call with the number of parts just done."""


@contextmanager
def pace(reporter: Reporter, task: str, total: int, unit: str = "pairs") -> Iterator[Callable[[int], None]]:
    """Yields the function to call with the number of units done. Shows a bar, or a line a minute where no one looks.

    task  such as `scoring NAME`; its first word labels the lines
    """
    with reporter.progress(task, total) as advance:
        start = last_line = time.monotonic()
        first: int | None = None
        before = 0

        def progress(done: int) -> None:
            nonlocal start, last_line, first, before
            now = time.monotonic()
            if first is None:
                # What an earlier run finished, or loading takes, says nothing of the pace.
                first, start, last_line = done, now, now
            advance(done - before)
            before = done
            if now - last_line >= LINE_SECONDS and not sys.stderr.isatty():
                last_line = now
                pace = (done - first) / (now - start)
                left = f"{(total - done) / pace / 60:.0f} min left" if pace else "time left unknown"
                reporter.say(task.partition(" ")[0], f"{done:,} of {total:,} {unit}, {pace:.1f} {unit}/s, {left}")

        yield progress


class Executor(Protocol):
    """Runs the named parts of a step. `spreads` tells whether `map` runs them elsewhere, side by side."""

    @property
    def spreads(self) -> bool: ...

    def call(self, name: str, part: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs one part and returns its result."""

    def map(self, name: str, part: Callable[..., T], items: Items, resources: Resources = None) -> Iterator[T]:
        """Runs a part once for each item, the tuple of its arguments; gives the results in any order.

        resources  how much each run takes of what machines declare, such as one GPU
        """


class Silent:
    """A reporter that shows nothing."""

    def say(self, label: str, text: str) -> None:
        pass

    def progress(self, task: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        return nullcontext(lambda done: None)


class Direct:
    """An executor in this process. Parts that take long spread over the processors themselves."""

    spreads = False

    def call(self, name: str, part: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return part(*args, **kwargs)

    def map(self, name: str, part: Callable[..., T], items: Items, resources: Resources = None) -> Iterator[T]:
        return (part(*item) for item in items)


def frequent_reasons(rejected: Iterable[Rejection], most: int) -> list[tuple[str, int]]:
    """The most frequent reasons of rejections, without what differs from word to word, and their counts."""
    general = (re.sub(r"'[^']*'|\b\d+ forms: .*", "…", item.reason) for item in rejected)
    return Counter("; ".join(dict.fromkeys(reason.split("; "))) for reason in general).most_common(most)


@dataclass(frozen=True)
class Context:
    """A workspace with the reporter and the executor of a run, and the extras that take part in it."""

    workspace: Workspace
    reporter: Reporter = field(default_factory=Silent)
    executor: Executor = field(default_factory=Direct)
    extras: "tuple[Extra, ...]" = ()
    loaded: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # what a run reads once

    def say(self, label: str, text: str) -> None:
        """Shows a line."""
        self.reporter.say(label, text)

    def say_stage(self, run: StageRun, noun: str) -> None:
        """Shows how many records came out of a stage, how many were rejected, and where the reasons are."""
        line = counted(run.n_out, noun)
        if run.n_rejected:
            line += f", {run.n_rejected:,} rejected with reasons in {run.path.stem}.rejected.jsonl"
        self.say(run.path.stem, line if run.ran else f"{line} (up to date)")

    def say_nothing(self, nothing: Nothing) -> None:
        """Shows why a step made nothing, and the next step."""
        self.say("because", nothing.reason)
        self.say("next", nothing.next)

    def say_reasons(self, rejected: Iterable[Rejection]) -> None:
        """Shows the most frequent reasons of rejections."""
        for reason, count in frequent_reasons(rejected, _REASONS_SHOWN):
            self.say("left out", f"{count:,} {reason}")

    def call(self, name: str, part: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a part of the step by the executor."""
        return self.executor.call(name, part, *args, **kwargs)

    def language(self, source: Source, code: str | None = None) -> Language:
        """The language of a source, or of a code, by the workspace's own file where it has one. Raises ConfigError."""
        return self.once(load_language, code or source.language)

    def once(self, load: Callable[[str, Path], T], name: str) -> T:
        """What is loaded by a name from the workspace, at the first time."""
        key = load, name
        if key not in self.loaded:
            self.loaded[key] = load(name, self.workspace.root)
        return cast("T", self.loaded[key])
