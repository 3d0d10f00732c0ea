"""What a release lacks before it is frozen: papers that name nobody, and pairs that people have not finished with.

Each finding is one line. What can't be frozen raises in `freeze`; `check` there makes an error finding of it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from pairwright.core.errors import counted
from pairwright.core.records import Source
from pairwright.core.records.release import ExcludedPair, ReleaseFinding
from pairwright.release.contents.request import ReleaseRequest
from pairwright.release.contents.selection import Selection

# So many ids of pairs stand in a finding; the release's excluded.jsonl has them all.
SHOWN_IDS = 3


def request_findings(request: ReleaseRequest) -> Iterator[ReleaseFinding]:
    """What the settings, the sources and the reviewers' sheets lack."""
    for name, value, example in (
        ("title", (request.settings.title or "").strip(), 'title = "Lithuanian cases"'),
        ("authors", any(author.strip() for author in request.settings.authors), 'authors = ["Family, Given"]'),
    ):
        if not value:
            remedy = f"write {example} under [release]"
            yield _warning("pairwright.toml", f"no {name}, so the release is cited as '{request.name}'", remedy)
    for source in request.sources.values():
        yield from _source_findings(source)
    for place, doubts in request.doubts.items():
        message = f"{counted(len(doubts), 'doubt')}, so answers may be missing; the first is {doubts[0]}"
        yield _warning(place, message, "correct the sheets")


def pair_findings(request: ReleaseRequest, selection: Selection) -> Iterator[ReleaseFinding]:
    """What people have not finished: conflicts, open decisions, unseen pairs."""
    conflicts = [pair for pair in selection.excluded if pair.cause == "conflict"]
    command = request.workspace.command
    yield from _by_source(conflicts, "in conflict", lambda it: f"run {command('review', 'settle', '--queue', it)}")
    undecided = [pair for pair in selection.excluded if pair.cause == "undecided"]
    waiting = [pair for pair in undecided if pair.id in request.shown]
    remedy = f"{command('status')} says who is left; if nobody is, name another reviewer"
    yield from _by_source(waiting, "without enough decisions", lambda _: remedy)
    # Nobody was asked about them, though no check, seed, lot or other reading of them keeps them out.
    unseen = [pair for pair in undecided if not pair.votes and pair.id not in request.shown]
    yield from _by_source(unseen, "never shown to anyone", lambda it: f"run {command('review', 'sync', it)}")


def _source_findings(source: Source) -> Iterator[ReleaseFinding]:
    place = f"source '{source.id}'"
    for name, value in (("licence", source.licence), ("citation", source.citation)):
        if value.strip().casefold() in ("", "unknown"):
            message, remedy = f"no {name}", "a release needs one: write it into its source.toml"
            yield ReleaseFinding(level="error", place=place, message=message, remedy=remedy)


def _by_source(pairs: Iterable[ExcludedPair], state: str, remedy: Callable[[str], str]) -> Iterator[ReleaseFinding]:
    """One warning for the pairs of each source."""
    ids: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        ids[pair.source_id].append(pair.id)
    for source_id, of_source in sorted(ids.items()):
        more = f" and {len(of_source) - SHOWN_IDS} more" if len(of_source) > SHOWN_IDS else ""
        listed = ", ".join(of_source[:SHOWN_IDS])
        message = f"{counted(len(of_source), 'pair')} {state}: {listed}{more}"
        yield _warning(f"source '{source_id}'", message, remedy(source_id))


def _warning(place: str, message: str, remedy: str) -> ReleaseFinding:
    return ReleaseFinding(level="warning", place=place, message=message, remedy=remedy)
