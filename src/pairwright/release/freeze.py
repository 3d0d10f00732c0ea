"""Freezes reviewed pairs into a release that never changes and that anyone can verify.

Equal decisions give equal bytes on every machine: no time, no path and no reviewer's name goes in. A release is
written into a hidden directory beside its place and renamed, so that a crash leaves nothing that looks like one.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date as day
from pathlib import Path

from pairwright.config import ReleaseSettings
from pairwright.errors import ReleaseError
from pairwright.ids import file_sha256, keyed_digest
from pairwright.records import Block, CheckedPair, Rule, Source, SourceFile
from pairwright.records.release import (
    SPLITS,
    ExcludedPair,
    FrozenRelease,
    ReleaseInfo,
    ReleasePair,
    ReleaseResult,
    ReleaseSource,
)
from pairwright.release.contents.contents import Material, canary, portable, portable_path, uids
from pairwright.release.contents.selection import Selection, Votes, excluded_pair, natural_order, select, with_columns
from pairwright.release.contents.splits import assign
from pairwright.release.difference import check_version, difference, last_release, parse_version
from pairwright.release.verify import MANIFEST, read_pairs, verified
from pairwright.release.write import write_release
from pairwright.store import package_versions

NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*", re.ASCII)
MAX_NAME = 64


def freeze(
    directory: Path,
    name: str,
    version: str,
    pairs: Iterable[CheckedPair],
    rules: Mapping[str, Rule],
    sources: Mapping[str, Source],
    votes: Votes,
    settings: ReleaseSettings,
    adjudicated: Votes | None = None,
    *,
    key: bytes,
    blocks: Mapping[str, Block] | None = None,
    because: str | None = None,
    date: str | None = None,
) -> ReleaseResult:
    """Writes the release `directory/<name>-<version>` with all its exports.

    `pairs` are read once, so that they may come from a file one by one. `rules`, `sources` and `blocks` are looked up
    by id; `votes` maps pair id to reviewer to decision, and `adjudicated` gives those that were cast to settle a
    conflict. `key` is the workspace's, from which the pseudonyms of reviewers are made; `blocks` are the glossed
    examples of the sources. `selection.select` says which pairs are released and why others are not. The last release
    of this name in `directory` decides which versions may follow; `because` is the reason for a larger step, `date` the
    day of the release as YYYY-MM-DD.

    Raises ReleaseError where the name is no slug, the version is not three numbers, exists or doesn't follow from the
    change, the last release is damaged, no pair is released, and in the cases that `select` names. Then nothing is
    written.
    """
    final = _target(directory, name, version, date)
    last = last_release(directory, name)
    previous = verified(last) if last else None
    selection = select(name, pairs, rules, sources, votes, settings, adjudicated, key=key)
    _give_splits(selection, rules, settings, last)
    if not selection.released:
        raise ReleaseError(
            f"release {final.name}: none of {len(selection.excluded)} pairs can be released"
            f"{_first_reasons(selection.excluded)}; a pair needs {settings.votes} approving votes and no other"
        )
    info = _info(name, version, selection, sources, votes, settings, key, previous, date)
    change = difference(previous.info, read_pairs(previous.path), info, selection.released) if previous else None
    check_version(name, version, previous.version if previous else None, change, because)
    material = _material(info, selection, rules, blocks or {})
    with _appearing_whole(final) as building:
        info = write_release(building, material, change, because, _earlier(last))
        sha256 = file_sha256(building / MANIFEST)
    conflicts = tuple(pair.id for pair in selection.excluded if pair.cause == "conflict")
    return ReleaseResult(path=final, sha256=sha256, info=info, conflicts=conflicts)


def _target(directory: Path, name: str, version: str, date: str | None) -> Path:
    if len(name) > MAX_NAME or not NAME.fullmatch(name):
        raise ReleaseError(
            f"release name '{name}': use small letters a-z and digits, joined by '-', '_' or '.', "
            f"{MAX_NAME} characters at most, such as lt-cases"
        )
    parse_version(version)
    if date is not None:
        try:
            wrong = day.fromisoformat(date).isoformat() != date
        except ValueError:
            wrong = True
        if wrong:
            raise ReleaseError(f"date '{date}': write the day as YYYY-MM-DD")
    final = directory / f"{name}-{version}"
    if os.path.lexists(final):
        raise ReleaseError(f"{final}: this version exists and never changes; choose a higher version")
    return final


def _give_splits(selection: Selection, rules: Mapping[str, Rule], settings: ReleaseSettings, last: Path | None) -> None:
    """Gives the released pairs their splits and UIDs; pairs that would carry one split into another are left out."""
    known = {pair.id: pair.split for pair in read_pairs(last)} if last else {}
    splits, reasons = assign(selection.released, known, settings)
    names = uids(rules[pair.rule_id] for pair in selection.released if pair.id in splits)
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


def _material(
    info: ReleaseInfo, selection: Selection, rules: Mapping[str, Rule], blocks: Mapping[str, Block]
) -> Material:
    held = {pair.rule_id for pair in selection.released}
    released_rules = sorted(
        (portable(rules[rule_id]) for rule_id in held),
        key=lambda rule: (rule.source_id, natural_order(rule.code), rule.code, rule.id),
    )
    glosses = {
        rule.id: tuple(blocks[key] for key in rule.example_ids if key in blocks and blocks[key].gloss is not None)
        for rule in released_rules
    }
    return Material(
        info=info,
        pairs=selection.released,
        rules=tuple(released_rules),
        excluded=selection.excluded,
        provenance=selection.provenance,
        glosses={key: found for key, found in glosses.items() if found},
    )


def _first_reasons(excluded: Sequence[ExcludedPair]) -> str:
    causes = sorted({pair.cause for pair in excluded})
    counts = (f"{cause} {sum(pair.cause == cause for pair in excluded)}" for cause in causes)
    return f" ({', '.join(counts)})" if causes else ""


def _info(
    name: str,
    version: str,
    selection: Selection,
    sources: Mapping[str, Source],
    votes: Votes,
    settings: ReleaseSettings,
    key: bytes,
    previous: FrozenRelease | None,
    date: str | None,
) -> ReleaseInfo:
    released, excluded = selection.released, selection.excluded
    named = sorted({pair.source_id for pair in released} | {pair.source_id for pair in excluded})
    splits = Counter(pair.split for pair in released)
    return ReleaseInfo(
        name=name,
        version=version,
        votes_needed=settings.votes,
        n_pairs=len(released),
        n_exceptions=sum(pair.exception for pair in released),
        n_rules=len({pair.rule_id for pair in released}),
        n_reviewers=len({reviewer for given in votes.values() for reviewer in given}),
        n_excluded=len(excluded),
        n_conflicts=sum(pair.cause == "conflict" for pair in excluded),
        sources=tuple(_release_source(sources[source_id]) for source_id in named),
        title=settings.title or name,
        previous=previous.version if previous else None,
        date=date,
        authors=settings.authors,
        repository=settings.repository,
        splits={split: splits[split] for split in SPLITS},
        columns=tuple(ReleasePair.model_fields),
        canary=canary(name),
        packages=package_versions(["pyarrow"]),
        unsure=settings.unsure,
        pseudonyms=keyed_digest(key, name)[:16],
    )


def _release_source(source: Source) -> ReleaseSource:
    return ReleaseSource(
        id=source.id,
        title=source.title,
        language=source.language,
        licence=source.licence,
        citation=source.citation,
        url=source.url,
        files=tuple(SourceFile(path=portable_path(file.path), sha256=file.sha256) for file in source.files),
    )


def _earlier(last: Path | None) -> str:
    """The CHANGELOG.md of the last release; releases of format 1 have none."""
    path = last / "CHANGELOG.md" if last else None
    return path.read_text(encoding="utf-8") if path and path.is_file() else ""


@contextmanager
def _appearing_whole(final: Path) -> Iterator[Path]:
    """A hidden directory to build in, which gets the name `final` when all went well and is removed when not."""
    building = final.with_name(f".{final.name}.{os.getpid()}.tmp")
    # Only a crashed process of the same number can have left this one behind.
    shutil.rmtree(building, ignore_errors=True)
    try:
        building.mkdir(parents=True)
        yield building
        if os.path.lexists(final):
            raise ReleaseError(f"{final}: this version was made meanwhile; choose a higher version")
        building.rename(final)
    except OSError as fault:
        raise ReleaseError(f"{final}: can't be written: {fault.strerror}; nothing was released") from None
    finally:
        shutil.rmtree(building, ignore_errors=True)
