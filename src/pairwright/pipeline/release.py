"""Decision -> ReleasePair: the decided pairs frozen as a release."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pairwright.core.errors import ReleaseError, counted, nearest
from pairwright.core.records import Block, Candidate, CheckedPair, Rule, Source
from pairwright.core.records.items import Item
from pairwright.core.records.release import ReleaseFinding, ReleaseResult
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source, source_folder
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import gap, handed_out
from pairwright.pipeline.options import ReleaseOptions
from pairwright.pipeline.review import take_over, take_over_and_correct
from pairwright.release.contents.selection import ReleaseRequest, pseudonym_key
from pairwright.release.difference import last_release
from pairwright.release.write import check as check_release
from pairwright.release.write import freeze
from pairwright.review.log import Votes, corrections, pair_queues, queues, source_decisions, source_votes


def create(context: Context, wanted: ReleaseOptions) -> ReleaseResult:
    """Freezes the decided pairs of sources. Raises ReleaseError where the release can't be frozen."""
    sources = _sources(context, wanted.source_ids)
    results = [result for source in sources.values() for result in take_over_and_correct(context, source)]
    doubts = {str(result.log.parent): list(result.doubts) for result in results if result.doubts}
    result = context.call("freeze release", freeze_decided, context.workspace, wanted, sources, doubts)
    for finding in result.findings:
        context.say("preflight", str(finding))
    info = result.info
    counts = f"{counted(info.n_pairs, 'pair')} of {counted(info.n_rules, 'rule')}"
    context.say("release", f"{result.path}: {counts}, {counted(info.n_reviewers, 'reviewer')}")
    excluded = f"{counted(info.n_excluded, 'pair')}, {info.n_conflicts:,} of them in conflict"
    context.say("left out", f"{excluded}; excluded.jsonl says why")
    if info.n_sampled:
        context.say(
            "unseen", f"{counted(info.n_sampled, 'pair')} of lots whose samples were good enough; README.md says which"
        )
    context.say("splits", ", ".join(f"{split} {n}" for split, n in info.splits.items()))
    for export, reason in info.left_out.items():
        context.say("no export", f"{export}: {reason}")
    context.say("sha256", f"{result.sha256} of MANIFEST.sha256")
    return result


def check(context: Context, wanted: ReleaseOptions) -> list[ReleaseFinding]:
    """What is wrong with the release that `create` would freeze of what is logged, errors first. Writes nothing."""
    workspace = context.workspace
    sources = _sources(context, wanted.source_ids)
    doubts = {}
    for source in sources.values():
        sync = workspace.command("review", "sync", source.id)
        for result in take_over(workspace, source, preview=True):
            lines = list(result.doubts)
            if n_waiting := sum(sheet.n_new + sheet.n_changed for sheet in result.sheets):
                lines.append(f"{counted(n_waiting, 'answer')} of the sheets not in the log; run {sync}")
            if lines:
                doubts[str(result.log.parent)] = lines
    return check_release(workspace.releases, _decided_request(workspace, wanted, sources, doubts))


def _sources(context: Context, source_ids: Sequence[str]) -> dict[str, Source]:
    names = source_ids or _reviewed_sources(context)
    sources = (load_source(source_folder(context.workspace, source_id)) for source_id in names)
    return {source.id: source for source in sources}


def announcement(workspace: Workspace, result: ReleaseResult) -> dict[str, str | int]:
    """What a program that waits for the release needs to evaluate it."""
    return {
        "release": result.path.name,
        "name": result.info.name,
        "version": result.info.version,
        "sha256": result.sha256,
        "workspace": str(workspace.root.resolve()),
        "n_pairs": result.info.n_pairs,
    }


def find_release(workspace: Workspace, release: str) -> Path:
    """The folder of a release that is given as a folder or by its name and version. Raises ReleaseError."""
    for folder in (Path(release), workspace.releases / release):
        if folder.is_dir():
            # `.` and `..` have no name of their own, and the folder's name is that of its evaluations.
            return folder if folder.name not in ("", "..") else folder.resolve()
    names = [path.name for path in workspace.release_folders()]
    last = last_release(workspace.releases, release)
    near = f"; did you mean {last.name}?" if last else nearest(release, names)
    raise ReleaseError(f"{release}: no such release; those that exist: {', '.join(names) or 'none'}{near}")


def _reviewed_sources(context: Context) -> list[str]:
    """The ids of the sources that are built and have reviewers' sheets; says what the others lack.

    Raises ReleaseError where there is none.
    """
    workspace = context.workspace
    ready, others = [], []
    for folder in sorted(path.parent for path in workspace.sources.glob("*/source.toml")):
        source = load_source(folder)
        if workspace.stage_file(source.id, "checked").exists() and any(pair_queues(workspace.annotations, source.id)):
            ready.append(folder.name)
        else:
            others.append(f"{folder.name}: {gap(workspace, source)}")
    if not ready:
        build = workspace.command("build", "DOCUMENT", "--language", "CODE")
        raise ReleaseError(
            f"{workspace.annotations}: no reviewers' sheets; {'; '.join(others) or f'no source; next: {build}'}"
        )
    if others:
        context.say("left out", "; ".join(others))
    return ready


def freeze_decided(
    workspace: Workspace, wanted: ReleaseOptions, sources: Mapping[str, Source], doubts: Mapping[str, Sequence[str]]
) -> ReleaseResult:
    """The release of the sources' decided pairs, from the logs of decisions as they are. Raises ReleaseError.

    sources  by id
    doubts   what could not be taken over from reviewers' sheets, in words, by the folder of the queue
    """
    return freeze(workspace.releases, _decided_request(workspace, wanted, sources, doubts))


def _decided_request(
    workspace: Workspace, wanted: ReleaseOptions, sources: Mapping[str, Source], doubts: Mapping[str, Sequence[str]]
) -> ReleaseRequest:
    cast: Votes = {}
    adjudicated: Votes = {}
    written: set[tuple[str, str]] = set()
    gone: dict[str, Candidate] = {}
    made: dict[str, list[str]] = defaultdict(list)
    for source in sources.values():
        decisions = source_decisions(workspace.annotations, source.id)
        ids, corrected = _candidates(workspace, source, {one.pair_id for one in decisions if one.decision == "fix"})
        votes = source_votes(workspace.annotations, source.id, corrected)
        # A correction of a pair that the source has lost makes none, unless the source has what it says.
        kept = ids | {one.pair_id for one in decisions}
        cast |= {pair_id: own for pair_id, own in votes.cast.items() if pair_id in kept}
        adjudicated |= votes.adjudicated
        written |= votes.written
        missing = votes.cast.keys() - ids
        gone |= {pair.id: pair for pair in handed_out(workspace, source.id) if pair.id in missing}
        for correction in corrections(decisions, corrected):
            if correction.pair_id not in made[correction.parent_id]:
                made[correction.parent_id].append(correction.pair_id)
    return ReleaseRequest(
        name=wanted.name,
        version=wanted.version,
        pairs=_checked_pairs(workspace, sources),
        rules={rule.id: rule for key in sources for rule in read_jsonl(workspace.stage_file(key, "rules"), Rule)},
        sources=sources,
        votes=cast,
        adjudicated=adjudicated,
        written=written,
        gone=gone,
        corrections=made,
        settings=workspace.config().release,
        sampling=workspace.config().review.sampling,
        key=pseudonym_key(workspace.annotations),
        blocks={
            block.id: block
            for key in sources
            for block in read_jsonl(workspace.stage_file(key, "blocks"), Block)
            if block.gloss is not None
        },
        shown={pair_id for source_id in sources for pair_id in _shown(workspace, source_id)},
        doubts=doubts,
        workspace=workspace,
        matrices=tuple(item for folder in workspace.config().release.matrices for item in _problems(workspace, folder)),
        because=wanted.because,
        date=wanted.date,
    )


def _problems(workspace: Workspace, folder: Path) -> tuple[Item, ...]:
    """The problems of a folder that [release] names. Raises ReleaseError where it has none."""
    problems = tuple(read_if_there(workspace.root / folder / "matrix.jsonl", Item))
    if not problems:
        raise ReleaseError(
            f"{folder}: no matrices there, though [release] names it; make them: pairwright extras matrices make"
        )
    return problems


def _shown(workspace: Workspace, source_id: str) -> Iterator[str]:
    """The ids of the pairs of a source that stand before a reviewer, whatever the queue asks about them."""
    for folder in queues(workspace.annotations, source_id):
        last = {(item.item_id, item.reviewer): item for item in folder.assignments()}
        yield from (item.pair_id for item in last.values() if item.pair_id is not None and not item.withdrawn)


def _checked_pairs(workspace: Workspace, source_ids: Iterable[str]) -> Iterator[CheckedPair]:
    """The checked pairs of sources one by one: together, 100,000 of them take half a gigabyte."""
    for source_id in source_ids:
        yield from read_jsonl(workspace.stage_file(source_id, "checked"), CheckedPair)


def _candidates(
    workspace: Workspace, source: Source, corrected: Collection[str]
) -> tuple[set[str], dict[str, Candidate]]:
    """The ids of a source's candidate pairs, and those among these pairs that reviewers corrected, by id."""
    ids: set[str] = set()
    parents: dict[str, Candidate] = {}
    for pair in _checked_pairs(workspace, [source.id]):
        ids.add(pair.candidate.id)
        if pair.candidate.id in corrected:
            parents[pair.candidate.id] = pair.candidate
    return ids, parents
