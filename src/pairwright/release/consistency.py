"""Does a release say one thing in all its files? Its files are written again from its records, and compared by bytes.

`verify` compares the bytes with those that were frozen; this asks whether they should have been.
"""

import shutil
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pairwright.core.errors import ReleaseError, at, one_line
from pairwright.core.ids import file_sha256, pair_id
from pairwright.core.records import Block, Lot, Rule
from pairwright.core.records.release import ExcludedPair, FrozenRelease, PairOrigin, ReleaseInfo, ReleasePair
from pairwright.core.store import package_versions
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.contents.selection import rule_columns
from pairwright.release.difference import difference
from pairwright.release.exports.tables import write_croissant
from pairwright.release.papers import changelog, changelog_head, earlier_changes
from pairwright.release.verify import (
    CHANGES,
    EXCLUDED,
    GLOSSES,
    INFO,
    LOTS,
    MANIFEST,
    ORIGINS,
    PAIRS,
    REMEDY,
    RULES,
    read_manifest,
    read_matrices,
    read_pairs,
    read_records,
    verified,
)
from pairwright.release.write import PACKAGES, write_files

_RECORDS = (PAIRS, INFO, RULES, EXCLUDED, ORIGINS, LOTS, GLOSSES)


class Verification(NamedTuple):
    """A release that says one thing in all its files. `notes` are lines about what was compared less closely."""

    release: FrozenRelease
    notes: tuple[str, ...]


def verify_contents(directory: Path) -> Verification:
    """Checks the bytes, the records and, by writing them again into a temporary folder, all files of a release.

    Raises ReleaseError with the file, the line and the reason: as `verified` and `read_pairs` do, where records
    contradict each other, and where a file is not what freezing makes of the records.
    """
    release = verified(directory)
    contents = _read_contents(directory, release.info)
    changes, notes = _changes(directory, contents)
    try:
        with TemporaryDirectory(prefix="pairwright-") as temporary:
            again = Path(temporary)
            write_files(again, contents, changes)
            notes += _keep_equal_tables(directory, again, contents)
            _compare_files(directory, again, release.info)
    except OSError as fault:
        raise ReleaseError(
            f"{fault.filename or directory}: {fault.strerror}, so {directory} can't be compared; verifying needs as "
            "much room in the temporary folder as the release takes"
        ) from None
    return Verification(release, tuple(notes))


def _read_contents(directory: Path, info: ReleaseInfo) -> ReleaseContents:
    """What the records of a release say. Raises ReleaseError for a pair that has no rule, source or origin there."""
    rules = {rule.id: rule for rule in read_records(directory / RULES, Rule)}
    sources = {source.id: source for source in info.sources}
    pairs: list[ReleasePair] = []
    origins: dict[str, bytes] = {}
    records = zip_longest(read_pairs(directory), read_records(directory / ORIGINS, PairOrigin))
    for line, (pair, origin) in enumerate(records, start=1):
        if pair is None or origin is None:
            raise _wrong(directory / ORIGINS, f"not as many lines as {PAIRS}")
        place = f"{at(directory / PAIRS, line)}: {pair.id}"
        if (rule := rules.get(pair.rule_id)) is None:
            raise _wrong(place, f"its rule {pair.rule_id} is not in {RULES}")
        if (source := sources.get(rule.source_id)) is None:
            raise _wrong(place, f"its source {rule.source_id} is not in {INFO}")
        for name, value in rule_columns(rule, source).items():
            if getattr(pair, name) != value:
                raise _wrong(place, f"its {name} is not that of its rule and source")
        if pair.id != pair_id(pair.rule_id, pair.sentence_good, pair.sentence_bad):
            raise _wrong(place, "its id is not that of its rule and sentences")
        pairs.append(pair)
        origins[pair.id] = origin.model_dump_json().encode()
    if not pairs:
        raise _wrong(directory / PAIRS, "no pair, and a release has one at least")
    glossed = {block.id: block for block in read_records(directory / GLOSSES, Block)}
    return ReleaseContents(
        info=info.model_copy(update={"left_out": {}}),
        pairs=pairs,
        rules=tuple(rules.values()),
        excluded=list(read_records(directory / EXCLUDED, ExcludedPair)),
        lots=list(read_records(directory / LOTS, Lot)),
        origins=origins,
        glosses={rule.id: tuple(glossed[key] for key in rule.example_ids if key in glossed) for rule in rules.values()},
        matrices=tuple(read_matrices(directory)),
    )


def _wrong(place: str | Path, reason: str) -> ReleaseError:
    return ReleaseError(f"{place}: {reason}; {REMEDY}")


def _changes(directory: Path, contents: ReleaseContents) -> tuple[str, list[str]]:
    """CHANGELOG.md as it has to be, and a note where that follows from an earlier release which isn't here."""
    info, path = contents.info, directory / CHANGES
    if info.previous is None:
        return changelog(info, None, "", contents.excluded), []
    last = directory.absolute().parent / f"{info.name}-{info.previous}"
    if last.is_dir():
        change = difference(verified(last).info, read_pairs(last), info, contents.pairs)
        return changelog(info, change, earlier_changes(last), contents.excluded), []
    text = earlier_changes(directory)
    if not text.startswith(f"{changelog_head(info)}\n"):
        raise ReleaseError(f"{path}: doesn't begin with version {info.version} as in {INFO}; {REMEDY}")
    return text, [f"{path}: compared by its beginning alone; the rest needs {last.name} beside this release"]


def _keep_equal_tables(directory: Path, again: Path, contents: ReleaseContents) -> list[str]:
    """Takes the tables that another version of pyarrow wrote for those written again, where they hold the same."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    frozen_by, now = contents.info.packages.get("pyarrow"), package_versions(["pyarrow"])["pyarrow"]
    if frozen_by == now:
        return []
    for path in again.rglob("*.parquet"):
        own = directory / path.relative_to(again)
        try:
            # A reader of the file alone: `read_table` would import what reads folders of files, which takes longer.
            with parquet.ParquetFile(own) as file, parquet.ParquetFile(path) as expected:
                same = file.read().equals(expected.read(), check_metadata=True)
        except (pa.ArrowException, OSError) as fault:
            raise ReleaseError(f"{own}: not the table of the pairs: {one_line(fault)}; {REMEDY}") from None
        if not same:
            raise ReleaseError(f"{own}: not what the records of the release give; {REMEDY}")
        shutil.copyfile(own, path)
    write_croissant(again, contents)
    return [f"{directory}: its tables are of pyarrow {frozen_by}, and this is {now}: compared by their cells"]


def _compare_files(directory: Path, again: Path, info: ReleaseInfo) -> None:
    """Raises ReleaseError with the first file that is not as it was written again, and with its first such line."""
    frozen_by, now = (versions.get("pairwright") for versions in (info.packages, package_versions(PACKAGES)))
    remedy = REMEDY if frozen_by == now else f"frozen by pairwright {frozen_by}, and this is {now}: verify it by that"
    own = read_manifest(directory / MANIFEST)
    expected = {path.relative_to(again).as_posix(): path for path in sorted(again.rglob("*")) if path.is_file()}
    # Records first: what is wrong there is wrong in the exports, too.
    for name in sorted({*own, *expected}, key=lambda name: (name not in _RECORDS, name in expected, name)):
        if name not in expected:
            raise ReleaseError(f"{directory / name}: no file of this release, though {MANIFEST} lists it; {remedy}")
        if name not in own:
            raise ReleaseError(f"{directory / name}: missing, also in {MANIFEST}; {remedy}")
        if own[name] != file_sha256(expected[name]):
            line = None
            if not name.endswith(".parquet"):
                with (directory / name).open("rb") as one, expected[name].open("rb") as other:
                    line = next((n for n, (a, b) in enumerate(zip_longest(one, other), start=1) if a != b), 1)
            raise ReleaseError(f"{at(directory / name, line)}: not what the records of the release give; {remedy}")
