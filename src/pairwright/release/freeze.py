"""Freezes reviewed pairs into a release that never changes and that anyone can verify.

Equal decisions give equal bytes on every machine: no time, no path and no reviewer's name goes in. A release is
written into a hidden directory beside its place and renamed, so that a crash leaves nothing that looks like one.
"""

import csv
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath

from pairwright import store
from pairwright.config import ReleaseSettings
from pairwright.errors import ReleaseError
from pairwright.ids import file_sha256
from pairwright.records import CheckedPair, Rule, Source, SourceFile
from pairwright.release.card import release_card
from pairwright.release.selection import Selection, Votes, natural_order, select
from pairwright.release.verify import EXCLUDED, INFO, MANIFEST, PAIRS
from pairwright.releases import ExcludedPair, ReleaseInfo, ReleasePair, ReleaseResult, ReleaseSource
from pairwright.text import neutralise

NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
MAX_NAME = 64


def freeze(
    directory: Path,
    name: str,
    version: str,
    pairs: Sequence[CheckedPair],
    rules: Mapping[str, Rule],
    sources: Mapping[str, Source],
    votes: Votes,
    settings: ReleaseSettings,
    adjudicated: Votes | None = None,
) -> ReleaseResult:
    """Writes the release `directory/<name>-<version>`.

    `rules` and `sources` are looked up by id; `votes` maps pair id to reviewer to decision, and `adjudicated` gives
    those that were cast to settle a conflict. `selection.select` says which pairs are released and why others are not.

    Raises ReleaseError where the name is no slug, the version is not three numbers or exists, no pair is released,
    and in the cases that `select` names. Then nothing is written.
    """
    final = _target(directory, name, version)
    selection = select(name, pairs, rules, sources, votes, settings, adjudicated)
    if not selection.released:
        raise ReleaseError(
            f"release {final.name}: none of {len(pairs)} pairs can be released"
            f"{_first_reasons(selection.excluded)}; a pair needs {settings.votes} approving votes and no other"
        )
    info = _info(name, version, selection, sources, votes, settings)
    held = {pair.rule_id for pair in selection.released}
    released_rules = sorted(
        (_portable(rules[rule_id]) for rule_id in held),
        key=lambda rule: (rule.source_id, natural_order(rule.code), rule.code, rule.id),
    )
    with _appearing_whole(final) as building:
        _write(building, info, selection, released_rules)
        sha256 = file_sha256(building / MANIFEST)
    conflicts = tuple(pair.id for pair in selection.excluded if pair.cause == "conflict")
    return ReleaseResult(path=final, sha256=sha256, info=info, conflicts=conflicts)


def _target(directory: Path, name: str, version: str) -> Path:
    if len(name) > MAX_NAME or not NAME.fullmatch(name):
        raise ReleaseError(
            f"release name '{name}': use small letters a-z and digits, joined by '-', '_' or '.', "
            f"{MAX_NAME} characters at most, such as lt-cases"
        )
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"release version '{version}': use three numbers without leading zeros, such as 1.0.0")
    final = directory / f"{name}-{version}"
    if os.path.lexists(final):
        raise ReleaseError(f"{final}: this version exists and never changes; choose a higher version")
    return final


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
) -> ReleaseInfo:
    released, excluded = selection.released, selection.excluded
    named = sorted({pair.source_id for pair in released} | {pair.source_id for pair in excluded})
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
    )


def _release_source(source: Source) -> ReleaseSource:
    return ReleaseSource(
        id=source.id,
        title=source.title,
        language=source.language,
        licence=source.licence,
        citation=source.citation,
        url=source.url,
        files=tuple(SourceFile(path=_portable_path(file.path), sha256=file.sha256) for file in source.files),
    )


def _portable_path(path: str) -> str:
    """A path that says nothing of the machine: an absolute one is cut down to the file's name."""
    windows = PureWindowsPath(path)
    return windows.name if windows.drive or windows.root or Path(path).is_absolute() else path


def _portable(rule: Rule) -> Rule:
    examples = tuple(
        example.model_copy(
            update={
                "evidence": example.evidence.model_copy(update={"file": _portable_path(example.evidence.file)}),
            }
        )
        for example in rule.examples
    )
    return rule.model_copy(update={"examples": examples})


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


def _write(directory: Path, info: ReleaseInfo, selection: Selection, rules: Sequence[Rule]) -> None:
    store.write_jsonl(directory / PAIRS, selection.released)
    marked = _write_csv(directory / "pairs.csv", selection.released)
    store.write_jsonl(directory / "rules.jsonl", rules)
    store.write_jsonl(directory / EXCLUDED, selection.excluded)
    store.write_json(directory / INFO, info.model_dump(mode="json"))
    store.write_text(directory / "README.md", release_card(info, selection.released, selection.excluded, marked))
    names = sorted(path.name for path in directory.iterdir())
    store.write_text(directory / MANIFEST, "".join(f"{file_sha256(directory / name)}  {name}\n" for name in names))


def _write_csv(path: Path, pairs: Iterable[ReleasePair]) -> int:
    """Writes the pairs as a table and returns how many cells carry an apostrophe against formulas."""
    marked = 0
    with store.atomic(path) as handle:
        writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(ReleasePair.model_fields)
        for pair in pairs:
            plain = [_cell(value) for value in pair.model_dump(mode="json").values()]
            cells = [neutralise(cell) for cell in plain]
            writer.writerow(cells)
            marked += sum(cell != text for cell, text in zip(cells, plain, strict=True))
    return marked


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
