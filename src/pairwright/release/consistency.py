"""Does a release say one thing in all its files? Its records and files are made again from them, and compared by bytes.

`verify` compares the bytes with those that were frozen; this asks whether they should have been. Of each record only
what stands nowhere else is taken as it is: what follows from other records is made again, as freezing makes it.
"""

import shutil
from collections import ChainMap, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pairwright.core.config import SamplingSettings
from pairwright.core.errors import ReleaseError, at, counted, one_line
from pairwright.core.ids import file_sha256, pair_id
from pairwright.core.records import Block, Derivation, Lot, Rule
from pairwright.core.records.release import ExcludedPair, FrozenRelease, PairOrigin, ReleaseInfo, ReleasePair
from pairwright.core.store import package_versions
from pairwright.core.text import sentence_key
from pairwright.release.changelog import changelog, changelog_head, earlier_changes
from pairwright.release.contents.contents import ReleaseContents, canary, counts, pair_order, rule_order, uids
from pairwright.release.contents.origin import derived_origin, is_published
from pairwright.release.contents.selection import agreement, rule_columns, with_columns
from pairwright.release.difference import difference
from pairwright.release.exports.croissant import write_croissant
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
from pairwright.stats.acceptance import OPEN, REFUSED, appraised, drawing_order

# A pair that nobody reviewed: released with its lot, or left out with it.
_UNSEEN = frozenset({"sampled", "lot"})
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
    """What the records of a release have to say. Raises ReleaseError for a rule or source that is not there."""
    rules = {rule.id: rule for rule in sorted(read_records(directory / RULES, Rule), key=rule_order)}
    names = uids(rules.values())
    sources = {source.id: source for source in info.sources}
    pairs: list[ReleasePair] = []
    origins: dict[str, bytes] = {}
    derived: dict[str, Derivation] = {}
    records = zip_longest(read_pairs(directory), read_records(directory / ORIGINS, PairOrigin))
    for line, (pair, origin) in enumerate(records, start=1):
        if pair is None or origin is None:
            n_pairs, n_origins = (sum(1 for _ in (directory / name).open("rb")) for name in (PAIRS, ORIGINS))
            raise _wrong(directory / ORIGINS, f"{counted(n_origins, 'line')} for {counted(n_pairs, 'pair')}")
        place = f"{at(directory / PAIRS, line)}: {pair.id}"
        if (rule := rules.get(pair.rule_id)) is None:
            raise _wrong(place, f"its rule {pair.rule_id} is not in {RULES}")
        if (source := sources.get(rule.source_id)) is None:
            raise _wrong(place, f"its source {rule.source_id} is not in {INFO}")
        pair = with_columns(
            pair,
            **rule_columns(rule, source),
            id=pair_id(rule.id, pair.sentence_good, pair.sentence_bad),
            uid=names[rule.id],
            agreement=agreement(pair.votes),
            canary=canary(info.name),
            review="reviewed" if pair.votes else "sampled",
            published_source=is_published(pair.sentence_good, pair.sentence_bad, origin.quote, source.url),
        )
        pairs.append(pair)
        if origin.derivation is not None:
            derived[pair.id] = origin.derivation
        origins[pair.id] = derived_origin(origin, pair, rule, source).model_dump_json().encode()
    if not pairs:
        raise _wrong(directory / PAIRS, "no pair, and a release has one at least")
    _check_pairs(directory / PAIRS, pairs, derived)
    pairs.sort(key=pair_order)
    excluded = list(read_records(directory / EXCLUDED, ExcludedPair))
    glossed = {block.id: block for block in read_records(directory / GLOSSES, Block)}
    used = {pair.rule_id for pair in pairs}
    of_pairs = {pair.source_id for pair in pairs} | {pair.source_id for pair in excluded}
    return ReleaseContents(
        info=info.model_copy(
            update={
                **counts(pairs, excluded),
                "canary": canary(info.name),
                "sources": tuple(sources[key] for key in sorted(sources) if key in of_pairs),
                "left_out": {},
            }
        ),
        pairs=pairs,
        rules=tuple(rule for rule in rules.values() if rule.id in used),
        excluded=excluded,
        lots=_lots(directory, info, pairs, excluded),
        origins=origins,
        glosses={rule.id: tuple(glossed[key] for key in rule.example_ids if key in glossed) for rule in rules.values()},
        matrices=tuple(read_matrices(directory)),
    )


def _check_pairs(path: Path, pairs: Sequence[ReleasePair], derived: Mapping[str, Derivation]) -> None:
    """Raises ReleaseError for a pair that freezing leaves out: doubled, equal, turned round or across splits."""
    split_of = {pair.id: pair.split for pair in pairs}
    first: dict[tuple[str, str], int] = {}
    splits: dict[str, str] = {}
    for line, pair in enumerate(pairs, start=1):
        place = f"{at(path, line)}: {pair.id}"
        good, bad = sentence_key(pair.sentence_good), sentence_key(pair.sentence_bad)
        if good == bad:
            raise _wrong(place, "the good and the bad sentence are the same")
        if first.setdefault((good, bad), line) != line or (bad, good) in first:
            raise _wrong(place, f"the same sentences as in line {first.get((bad, good), first[good, bad])}")
        held = [splits.setdefault(sentence, pair.split) for sentence in (good, bad)]
        if pair.id in derived:
            held.append(split_of.get(pair.parent_id or "", pair.split))
            if derived[pair.id].method != pair.method:
                raise _wrong(place, f"its method is {pair.method}, but it was derived by {derived[pair.id].method}")
        for split in held:
            if split != pair.split:
                raise _wrong(place, f"a sentence of it, or the pair that it was made from, is in {split}, too")


def _lots(
    directory: Path, info: ReleaseInfo, pairs: Iterable[ReleasePair], excluded: Iterable[ExcludedPair]
) -> list[Lot]:
    """The lots as their pairs make them. Raises ReleaseError where these contradict a lot or lack theirs."""
    lots = list(read_records(directory / LOTS, Lot))
    if lots and info.sampling is None:
        raise _wrong(directory / INFO, f"not what the records of the release give: no sampling, and {LOTS} has lots")
    reviews: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for one in pairs:
        reviews[one.rule_id, one.method][one.id] = one.review
    for left_out in excluded:
        reviews[left_out.rule_id, left_out.method][left_out.id] = left_out.cause
    sampling = info.sampling or SamplingSettings()
    made = [
        _lot(at(directory / LOTS, line), lot, dict(ChainMap(*(reviews.pop(key, {}) for key in lot.keys))), sampling)
        for line, lot in enumerate(lots, start=1)
    ]
    for of_no_lot in reviews.values():
        for key, review in of_no_lot.items():
            if review in _UNSEEN:
                raise _wrong(directory / LOTS, f"{key}, which nobody reviewed, is in none of these lots")
    return made


def _lot(place: str, lot: Lot, review_of: Mapping[str, str], sampling: SamplingSettings) -> Lot:
    """A lot as its pairs make it; `review_of` has their reviews, or the causes for which they were left out, by id."""
    unseen = {key for key, review in review_of.items() if review in _UNSEEN}
    drawn = drawing_order(unseen | (review_of.keys() & {*lot.sample}), sampling.seed)[: len(lot.sample)]
    sample = tuple(key for key in drawn if key not in unseen)
    if not sample:
        raise _wrong(place, "nobody reviewed a pair of its sample")
    n_errors, n_open = (sum(review_of[key] in which for key in sample) for which in (REFUSED, OPEN))
    n_standing = sum(review not in ("checks", "seed") for review in review_of.values())
    size = min(max(lot.size, len(sample) + len(unseen)), n_standing)
    made = lot.model_copy(
        update={"sample": sample, "size": size, **appraised(len(sample), size, n_errors, n_open, sampling)}
    )
    wrong, standing = ("lot", "passes") if made.outcome == "passes" else ("sampled", "does not pass")
    if wrong in review_of.values():
        raise _wrong(place, f"the lot {standing}, but its pairs are released or left out as if it were otherwise")
    return made


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
