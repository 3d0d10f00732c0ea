"""What a release lacks before it is frozen: papers that name nobody, and pairs that people have not finished with.

Each finding is one line. What can't be frozen raises in `freeze`; `check` there makes an error finding of it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from pairwright.core.errors import counted
from pairwright.core.records import Source
from pairwright.core.records.release import ExcludedPair, ReleaseFinding, ReleasePair
from pairwright.core.text import words
from pairwright.release.contents.contents import licence
from pairwright.release.contents.request import ReleaseRequest
from pairwright.release.contents.selection import Selection

# So many ids of pairs stand in a finding; the release's excluded.jsonl has them all.
SHOWN_IDS = 3
# A correction is its reviewer's own word; this many people stand behind one that somebody else looked at.
SECOND_VOTE = 2

_Pair = ReleasePair | ExcludedPair


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
    """What people have not finished: conflicts, corrections that nobody else approved, open decisions, unseen pairs."""
    conflicts = [pair for pair in selection.excluded if pair.cause == "conflict"]
    command = request.workspace.command
    yield from _by_source(conflicts, "in conflict", lambda it: f"run {command('review', 'settle', '--queue', it)}")
    every: list[ReleasePair | ExcludedPair] = [*selection.released, *selection.excluded]
    alone = [pair for pair in every if _is_correction_alone(pair, request, selection)]
    yield from _by_source(alone, "corrected without a second vote", lambda _: "let another reviewer decide on it")
    corrected = {pair.id for pair in alone}
    undecided = (pair for pair in selection.excluded if pair.cause == "undecided" and pair.id not in corrected)
    waiting = [pair for pair in undecided if pair.id in request.shown]
    remedy = f"{command('status')} says who is left; if nobody is, name another reviewer"
    yield from _by_source(waiting, "without enough decisions", lambda _: remedy)
    # Nobody was asked about them, though no check, seed, lot or other reading of them keeps them out.
    open_pairs = (pair for pair in selection.excluded if pair.cause == "undecided" and not pair.votes)
    unseen = [pair for pair in open_pairs if pair.id not in request.shown]
    yield from _by_source(unseen, "never shown to anyone", lambda it: f"run {command('review', 'sync', it)}")


def _source_findings(source: Source) -> Iterator[ReleaseFinding]:
    place = f"source '{source.id}'"
    for name, value in (("licence", source.licence), ("citation", source.citation)):
        if value.strip().casefold() in ("", "unknown"):
            message, remedy = f"no {name}", "a release needs one: write it into its source.toml"
            yield ReleaseFinding(level="error", place=place, message=message, remedy=remedy)
        elif name == "licence" and not _is_spdx(value):
            remedy = "write one, such as CC-BY-4.0, or LicenseRef-NAME for terms that have none, into its source.toml"
            yield _warning(place, f"licence '{value}' is no SPDX id", remedy)
        elif name == "citation" and not _names_author(source):
            remedy = "write who made the source, when, and its title into its source.toml"
            yield _warning(place, f"citation '{value}' names no author", remedy)


def _is_spdx(written: str) -> bool:
    """Whether a licence is an SPDX id or expression, or a reference to terms of its own (SPDX 2.3, annex D)."""
    if licence(written).spdx is not None:
        return True
    try:
        canonicalize_license_expression(written)
    except InvalidLicenseExpression:
        return False
    return True


def _names_author(source: Source) -> bool:
    """Whether a citation has a word beside the year, the source's title and id, and the names of its files."""
    names = [part for file in source.files for part in (PurePath(file.path).name, PurePath(file.path).stem)]
    # A file's name goes before its stem.
    rest = source.citation.casefold()
    for name in sorted((source.title, source.id, *names), key=len, reverse=True):
        rest = rest.replace(name.casefold(), " ")
    return any(any(map(str.isalpha, word)) for word in words(rest))


def _is_correction_alone(pair: _Pair, request: ReleaseRequest, selection: Selection) -> bool:
    """Whether only its own reviewer stands behind a correction, who may neither decide alone nor settles a conflict."""
    if pair.method != "manual" or pair.id not in selection.parents:
        return False
    if isinstance(pair, ExcludedPair) and pair.cause != "undecided":
        return False
    if request.adjudicated.get(pair.id) or request.votes.get(pair.id, {}).keys() & set(request.settings.decide_alone):
        return False
    return sum(vote.decision != "unsure" for vote in pair.votes) < SECOND_VOTE


def _by_source(pairs: Iterable[_Pair], state: str, remedy: Callable[[str], str]) -> Iterator[ReleaseFinding]:
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
