"""Freezes reviewed pairs into a release that never changes and that anyone can verify by writing it again.

Equal decisions give equal bytes on every machine: no time, no path and no reviewer's name goes in. A crash leaves
nothing that looks like a release.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

from pairwright.core import store
from pairwright.core.errors import ReleaseError, counted
from pairwright.core.ids import file_sha256, keyed_digest
from pairwright.core.records import Source, SourceFile
from pairwright.core.records.release import (
    MAX_NAME,
    ExcludedPair,
    FrozenRelease,
    ReleaseFinding,
    ReleaseInfo,
    ReleaseResult,
    ReleaseSource,
    is_release_name,
)
from pairwright.release.contents.contents import ReleaseContents, assign, canary, counts, rule_order, uids
from pairwright.release.contents.selection import (
    ReleaseRequest,
    Selection,
    excluded_pair,
    portable,
    portable_path,
    portable_rule,
    select,
    with_columns,
)
from pairwright.release.difference import Difference, check_version, difference, last_release, parse_version
from pairwright.release.exports import EXPORTS
from pairwright.release.exports.tables import write_croissant, write_pairs, write_votes
from pairwright.release.papers import changelog, citation, datasheet, earlier_changes, licence_text, release_card
from pairwright.release.verify import (
    CHANGES,
    EXCLUDED,
    GLOSSES,
    INFO,
    LOTS,
    MANIFEST,
    ORIGINS,
    PAIRS,
    RULES,
    manifest_text,
    read_pairs,
    verified,
)

# The packages whose versions decide on the bytes.
PACKAGES = ("pairwright", "pyarrow")


def write_files(directory: Path, contents: ReleaseContents, changes: str) -> ReleaseInfo:
    """Fills an empty directory and returns the description of the release as it was written; `changes` is CHANGELOG.md.

    An export that can't be made is left out, and release.json says why. Raises OSError.
    """
    store.write_jsonl(directory / PAIRS, contents.pairs)
    n_marked_cells = write_pairs(directory, contents.pairs)
    store.write_jsonl(directory / RULES, contents.rules)
    store.write_jsonl(directory / EXCLUDED, contents.excluded)
    store.write_jsonl(directory / LOTS, contents.lots)
    # The glossed examples of the rules, each once.
    glossed = {block.id: block for rule in contents.rules for block in contents.glosses.get(rule.id, ())}
    store.write_jsonl(directory / GLOSSES, glossed.values())
    with store.atomic(directory / ORIGINS, "wb") as handle:
        handle.writelines(contents.origins[pair.id] + b"\n" for pair in contents.pairs)
    write_votes(directory / "votes.csv", contents)
    left_out = {name: why for name, export in EXPORTS.items() if (why := export(directory / name, contents))}
    contents = replace(contents, info=contents.info.model_copy(update={"left_out": left_out}))
    store.write_json(directory / INFO, contents.info.model_dump(mode="json"))
    papers = {
        "README.md": release_card(contents, n_marked_cells),
        "DATASHEET.md": datasheet(contents),
        CHANGES: changes,
        "CITATION.cff": citation(contents),
        "LICENSE": licence_text(contents),
    }
    for name, text in papers.items():
        store.write_text(directory / name, text)
    write_croissant(directory, contents)
    return contents.info


def write_manifest(directory: Path) -> None:
    """MANIFEST.sha256 over every other file below the directory."""
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
    files.pop(MANIFEST, None)
    store.write_text(directory / MANIFEST, manifest_text({name: file_sha256(path) for name, path in files.items()}))


# So many ids of pairs stand in a finding; the release's excluded.jsonl has them all.
SHOWN_IDS = 3


class ReleaseDraft(NamedTuple):
    """A release before it is written. `change` is the difference from `last`, the release before; None without one."""

    final: Path
    info: ReleaseInfo
    selection: Selection
    last: Path | None
    change: Difference | None


def check(directory: Path, request: ReleaseRequest) -> list[ReleaseFinding]:
    """What is wrong with a release before it is frozen, errors first; with an error `freeze` would refuse it."""
    findings = list(request_findings(request))
    if not any(finding.level == "error" for finding in findings):
        try:
            draft = _draft(directory, request)
            findings += pair_findings(request, draft.selection)
            _check_version(draft, request)
        except ReleaseError as fault:
            findings.append(ReleaseFinding(level="error", place="", message=str(fault), remedy=""))
    return sorted(findings, key=lambda finding: finding.level)


def freeze(directory: Path, request: ReleaseRequest) -> ReleaseResult:
    """Writes the release `directory/<name>-<version>` with all its exports.

    The last release of this name in `directory` decides which versions may follow. Raises ReleaseError where the name
    is no slug, the version doesn't follow, the last release is damaged, no pair is released, a source has no licence or
    citation, and where `select` does.
    """
    findings = list(request_findings(request))
    if error := next((finding for finding in findings if finding.level == "error"), None):
        raise ReleaseError(f"{error.place}: {error.message}; {error.remedy}")
    draft = _draft(directory, request)
    _check_version(draft, request)
    final, info, selection, last, change = draft
    findings += pair_findings(request, selection)
    contents = _contents(info, selection, request)
    try:
        changes = changelog(info, change, earlier_changes(last) if last else "", selection.excluded)
        with store.whole_folder(final) as building:
            info = write_files(building, contents, changes)
            write_manifest(building)
            sha256 = file_sha256(building / MANIFEST)
            if os.path.lexists(final):
                raise ReleaseError(f"{final}: this version was made meanwhile; choose a higher version")
    except OSError as fault:
        raise ReleaseError(f"{final}: can't be written: {fault.strerror}; nothing was released") from None
    conflicts = tuple(pair.id for pair in selection.excluded if pair.cause == "conflict")
    return ReleaseResult(path=final, sha256=sha256, info=info, conflicts=conflicts, findings=tuple(findings))


def _draft(directory: Path, request: ReleaseRequest) -> ReleaseDraft:
    """All of a release but its files. Raises ReleaseError, except for a version that doesn't follow."""
    final = _target(directory, request)
    last = last_release(directory, request.name)
    previous = verified(last) if last else None
    selection = select(request)
    _assign_splits(selection, request, last)
    if not selection.released:
        counts = sorted(Counter(pair.cause for pair in selection.excluded).items())
        causes = f" ({', '.join(f'{cause} {n}' for cause, n in counts)})" if counts else ""
        votes = counted(request.settings.votes, "approving vote")
        syncs = " and ".join(request.workspace.command("review", "sync", source_id) for source_id in request.sources)
        raise ReleaseError(
            f"release {final.name}: none of {counted(len(selection.excluded), 'pair')} can be released{causes}; a pair "
            f"needs {votes} and no other: fill in the reviewers' sheets, then {syncs}"
        )
    info = _info(request, selection, previous)
    change = difference(previous.info, read_pairs(previous.path), info, selection.released) if previous else None
    return ReleaseDraft(final, info, selection, last, change)


def _check_version(draft: ReleaseDraft, request: ReleaseRequest) -> None:
    check_version(request.name, request.version, draft.info.previous, draft.change, request.because)


def _target(directory: Path, request: ReleaseRequest) -> Path:
    if not is_release_name(request.name):
        raise ReleaseError(
            f"release name '{request.name}': use small letters a-z and digits, joined by '-', '_' or '.', "
            f"{MAX_NAME} characters at most and no name of a device on Windows, such as lt-cases"
        )
    parse_version(request.version)
    try:
        if request.date is not None and date.fromisoformat(request.date).isoformat() != request.date:
            raise ValueError
    except ValueError:
        raise ReleaseError(f"date '{request.date}': write the day as YYYY-MM-DD") from None
    final = directory / f"{request.name}-{request.version}"
    if os.path.lexists(final):
        raise ReleaseError(f"{final}: this version exists and never changes; choose a higher version")
    return final


def _assign_splits(selection: Selection, request: ReleaseRequest, last: Path | None) -> None:
    """Gives the released pairs their splits and UIDs; pairs that would carry one split into another are left out."""
    earlier = {pair.id: pair.split for pair in read_pairs(last)} if last else {}
    splits, reasons = assign(selection.released, earlier, request.settings, selection.parents)
    names = uids(request.rules[pair.rule_id] for pair in selection.released if pair.id in splits)
    released = []
    # Each pair is let go when its successor is made: two of each would be a quarter of a gigabyte for 100,000.
    selection.released.reverse()
    while selection.released:
        pair = selection.released.pop()
        if pair.id in splits:
            released.append(with_columns(pair, split=splits[pair.id], uid=names[pair.rule_id]))
        else:
            selection.excluded.append(excluded_pair(pair, ("across-splits", reasons[pair.id])))
    selection.released = released


def _contents(info: ReleaseInfo, selection: Selection, request: ReleaseRequest) -> ReleaseContents:
    used = (request.rules[rule_id] for rule_id in {pair.rule_id for pair in selection.released})
    rules = tuple(map(portable_rule, sorted(used, key=rule_order)))
    glossed = {key: portable(block) for key, block in request.blocks.items() if block.gloss is not None}
    return ReleaseContents(
        info=info,
        pairs=selection.released,
        rules=rules,
        excluded=selection.excluded,
        lots=selection.lots,
        origins=selection.origins,
        glosses={rule.id: tuple(glossed[key] for key in rule.example_ids if key in glossed) for rule in rules},
        matrices=request.matrices,
    )


def _info(request: ReleaseRequest, selection: Selection, previous: FrozenRelease | None) -> ReleaseInfo:
    released, excluded, settings = selection.released, selection.excluded, request.settings
    sources = []
    for source_id in sorted({pair.source_id for pair in released} | {pair.source_id for pair in excluded}):
        source = request.sources[source_id]
        files = tuple(SourceFile(path=portable_path(file.path), sha256=file.sha256) for file in source.files)
        given = {name: getattr(source, name) for name in ReleaseSource.model_fields}
        sources.append(ReleaseSource(**given | {"files": files}))
    return ReleaseInfo(
        **counts(released, excluded),
        name=request.name,
        version=request.version,
        votes_needed=settings.votes,
        sources=tuple(sources),
        title=settings.title or request.name,
        previous=previous.version if previous else None,
        date=request.date,
        authors=settings.authors,
        repository=settings.repository,
        canary=canary(request.name),
        packages=store.package_versions(PACKAGES),
        because=request.because,
        unsure=settings.unsure,
        pseudonyms=keyed_digest(request.key, request.name)[:16],
        sampling=request.sampling if selection.lots else None,
        items=settings.items,
    )


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
