"""Checks that the records of a release agree: pairs with rules and sources, origins and counts with the pairs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pairwright.core.config import SamplingSettings
from pairwright.core.errors import ReleaseError, at, counted
from pairwright.core.ids import pair_id
from pairwright.core.records import Lot, Rule
from pairwright.core.records.release import SPLITS, ExcludedPair, PairOrigin, ReleaseInfo, ReleasePair, ReleaseSource
from pairwright.core.text import sentence_key
from pairwright.release.contents.contents import canary, pair_order, uids
from pairwright.release.contents.origin import is_published
from pairwright.release.contents.selection import agreement
from pairwright.release.verify import INFO, PAIRS, REMEDY, RULES
from pairwright.stats.acceptance import REFUSED, appraised, drawing_order


def checked_pairs(
    path: Path, pairs: Iterable[ReleasePair], rules: Mapping[str, Rule], info: ReleaseInfo
) -> Iterator[ReleasePair]:
    """The same pairs. Raises ReleaseError with the line of pairs.jsonl that can't stand in this release."""
    sources, names = {source.id: source for source in info.sources}, uids(rules.values())
    previous: tuple[object, ...] = ()
    for line, pair in enumerate(_distinct_pairs(path, pairs), start=1):
        place = f"{at(path, line)}: {pair.id}"
        rule, source = rules.get(pair.rule_id), sources.get(pair.source_id)
        if rule is None:
            raise _wrong(place, f"its rule {pair.rule_id} is not in {RULES}")
        if source is None:
            raise _wrong(place, f"its source {pair.source_id} is not in {INFO}")
        _compare(place, dict(pair), _implied(pair, rule, source, names[rule.id], info))
        if pair_order(pair) < previous:
            raise _wrong(place, "not in its place: pairs are in the order of their rules")
        previous = pair_order(pair)
        yield pair


def _distinct_pairs(path: Path, pairs: Iterable[ReleasePair]) -> Iterator[ReleasePair]:
    """The same pairs. Raises ReleaseError for a pair that is double, empty, or in two splits by its sentences."""
    lines: dict[str, int] = {}
    couples: dict[tuple[str, str], int] = {}
    splits: dict[str, tuple[str, int]] = {}
    for line, pair in enumerate(pairs, start=1):
        place = f"{at(path, line)}: {pair.id}"
        if lines.setdefault(pair.id, line) != line:
            raise _wrong(place, f"this id stands in line {lines[pair.id]} already")
        good, bad = sentence_key(pair.sentence_good), sentence_key(pair.sentence_bad)
        if good == bad:
            raise _wrong(place, "the good and the bad sentence are the same")
        if couples.setdefault((good, bad), line) != line:
            raise _wrong(place, f"the same sentences as in line {couples[good, bad]}")
        if (bad, good) in couples:
            raise _wrong(place, f"the sentences of line {couples[bad, good]} the other way round")
        for sentence in (good, bad):
            split, first = splits.setdefault(sentence, (pair.split, line))
            if split != pair.split:
                raise _wrong(place, f"a sentence of {pair.split} stands in {split}, too, in line {first}")
        yield pair


def _implied(pair: ReleasePair, rule: Rule, source: ReleaseSource, uid: str, info: ReleaseInfo) -> dict[str, object]:
    """The fields of a pair that its rule, its source and the release decide on."""
    return {
        "id": pair_id(rule.id, pair.sentence_good, pair.sentence_bad),
        "source_id": rule.source_id,
        "rule": rule.title,
        "rule_code": rule.code,
        "phenomenon": rule.phenomenon,
        "uid": uid,
        "language": source.language,
        "licence": source.licence,
        "citation": source.citation,
        "agreement": agreement(pair.votes),
        "canary": info.canary,
        "review": "reviewed" if pair.votes else "sampled",
    }


def checked_origins(
    path: Path,
    origins: Iterable[PairOrigin],
    pairs: Sequence[ReleasePair],
    rules: Mapping[str, Rule],
    info: ReleaseInfo,
) -> Iterator[PairOrigin]:
    """The same origins, one a pair. Raises ReleaseError with the line of provenance.jsonl that is not of its pair."""
    sources, splits = {source.id: source for source in info.sources}, {pair.id: pair.split for pair in pairs}
    line = 0
    for line, origin in enumerate(origins, start=1):
        place = f"{at(path, line)}: {origin.pair_id}"
        if line > len(pairs) or origin.pair_id != pairs[line - 1].id:
            raise _wrong(place, f"not the pair of line {line} in {PAIRS}")
        pair, rule, source = pairs[line - 1], rules[pairs[line - 1].rule_id], sources[pairs[line - 1].source_id]
        implied: dict[str, object] = {
            name: getattr(pair, name) for name in ("source_id", "rule_id", "rule_code", "method", "parent_id", "votes")
        } | {"rule_page": rule.page, "rule_quote": rule.quote, "rule_declared": rule.declaration}
        hashes = [file.sha256 for file in source.files if file.path == origin.file]
        if origin.file_sha256 not in (hashes or (None,)):
            implied["file_sha256"] = next(iter(hashes), None)
        _compare(place, dict(origin), implied)
        if origin.derivation is not None:
            implied |= {"method": origin.derivation.method}
            seed_split = splits.get(origin.parent_id or "", pair.split)
            if pair.split != seed_split:
                raise _wrong(place, f"its pair is in {pair.split}, and the one that this was made from in {seed_split}")
        published = is_published(pair.sentence_good, pair.sentence_bad, origin.quote, source.url)
        if pair.published_source != published:
            raise _wrong(place, f"published_source of its pair is not {published}, as the quotation says")
        yield origin
    if line != len(pairs):
        raise _wrong(path, f"{counted(line, 'line')} for {counted(len(pairs), 'pair')}")


def check_lots(
    path: Path, lots: Iterable[Lot], pairs: Sequence[ReleasePair], excluded: Sequence[ExcludedPair], info: ReleaseInfo
) -> None:
    """Raises ReleaseError with the line of lots.jsonl that the pairs belie, or with pairs of no lot that passes."""
    reviews: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for pair in pairs:
        reviews[pair.rule_id, pair.method][pair.id] = pair.review
    for left_out in excluded:
        reviews[left_out.rule_id, left_out.method][left_out.id] = left_out.cause
    for line, lot in enumerate(lots, start=1):
        review_of = reviews.pop((lot.rule_id, lot.method), {})
        _check_lot(f"{at(path, line)}: {lot.method} pairs of rule {lot.rule_code}", lot, review_of, info.sampling)
    if unlisted := [pair_id for review_of in reviews.values() for pair_id in _unseen(review_of)]:
        raise _wrong(path, f"{unlisted[0]} belongs to none of these lots")


def _check_lot(place: str, lot: Lot, review_of: Mapping[str, str], sampling: SamplingSettings | None) -> None:
    """Compares a lot with what became of its rule's pairs: the cause for which each was left out, or its review."""
    if sampling is None:
        raise _wrong(place, f"{INFO} doesn't say how lots were sampled")
    if missing := [pair_id for pair_id in lot.sample if review_of.get(pair_id, "lot") in ("lot", "sampled")]:
        raise _wrong(place, f"{missing[0]} of its sample is not among the reviewed pairs")
    unseen = _unseen(review_of)
    n_standing = sum(review not in ("checks", "seed") for review in review_of.values())
    if not len(lot.sample) + len(unseen) <= lot.size <= n_standing:
        raise _wrong(place, f"size is {lot.size}, but there are {n_standing} such pairs")
    if drawing_order([*unseen, *lot.sample], sampling.seed)[: len(lot.sample)] != list(lot.sample):
        raise _wrong(place, "its sample is not the one that the ids draw")
    reviews = [review_of[pair_id] for pair_id in lot.sample]
    n_errors = sum(review in REFUSED for review in reviews)
    n_open = sum(review in ("undecided", "conflict") for review in reviews)
    _compare(place, dict(lot), appraised(len(lot.sample), lot.size, n_errors, n_open, sampling))
    wrong, standing = ("lot", "passes") if lot.outcome == "passes" else ("sampled", "does not pass")
    if belying := [pair_id for pair_id, review in review_of.items() if review == wrong]:
        raise _wrong(place, f"it {standing}, which belies {belying[0]}")


def _unseen(review_of: Mapping[str, str]) -> list[str]:
    return [pair_id for pair_id, review in review_of.items() if review in ("lot", "sampled")]


def check_info(path: Path, info: ReleaseInfo, pairs: Sequence[ReleasePair], excluded: Sequence[ExcludedPair]) -> None:
    """Raises ReleaseError with the field of release.json that the pairs belie."""
    splits = Counter(pair.split for pair in pairs)
    decided: list[ReleasePair | ExcludedPair] = [*pairs, *excluded]
    implied: dict[str, object] = {
        "n_pairs": len(pairs),
        "n_exceptions": sum(pair.exception for pair in pairs),
        "n_rules": len({pair.rule_id for pair in pairs}),
        "n_reviewers": len({vote.reviewer for pair in decided for vote in pair.votes}),
        "n_excluded": len(excluded),
        "n_sampled": sum(pair.review == "sampled" for pair in pairs),
        "n_conflicts": sum(pair.cause == "conflict" for pair in excluded),
        "splits": {split: splits[split] for split in SPLITS},
        "columns": tuple(ReleasePair.model_fields),
        "canary": canary(info.name),
    }
    _compare(path, dict(info), implied)
    ids = [source.id for source in info.sources]
    if ids != sorted({pair.source_id for pair in decided}):
        raise _wrong(path, f"sources: {', '.join(ids)} are not those of the pairs, each once and in order")


def _compare(place: str | Path, fields: Mapping[str, Any], implied: Mapping[str, object]) -> None:
    for name, value in implied.items():
        if fields[name] != value:
            raise _wrong(place, f"{name} is {fields[name]!r}, but the rest of the release says {value!r}")


def _wrong(place: str | Path, reason: str) -> ReleaseError:
    return ReleaseError(f"{place}: {reason}; {REMEDY}")
