"""What changed from one release to the next, and which version follows from it (semantic versions for data).

patch  wording, votes or descriptions were corrected: the pairs ask what they asked before
minor  pairs were added or withdrawn
major  the columns, or what a pair means, changed: which sentence is good, its phenomenon, licence, rule of votes
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.core.errors import ReleaseError, counted
from pairwright.core.records.release import VERSION, ReleaseInfo, ReleasePair
from pairwright.core.text import sentence_key

Step = Literal["major", "minor", "patch"]
Couple = tuple[ReleasePair, ReleasePair]
STEPS: tuple[Step, ...] = ("major", "minor", "patch")

# The fields that say what a pair asks and what may be done with it.
MEANING = ("phenomenon", "rule_code", "exception", "licence", "language", "uid", "split")


class ChangedPair(NamedTuple):
    """A pair before and after, and the names of the fields that changed."""

    old: ReleasePair
    new: ReleasePair
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """What changed between two releases.

    reworded   pairs whose wording was corrected: old and new
    turned     pairs whose good sentence is now the bad one: old and new
    described  pairs with the same sentences and other fields
    columns    what happened to the columns, in words; `terms` what happened to licences and to the rule of votes
    """

    added: tuple[ReleasePair, ...] = ()
    removed: tuple[ReleasePair, ...] = ()
    reworded: tuple[Couple, ...] = ()
    turned: tuple[Couple, ...] = ()
    described: tuple[ChangedPair, ...] = ()
    columns: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    @property
    def meaning(self) -> tuple[ChangedPair, ...]:
        """The pairs that now ask something else by their other fields."""
        return tuple(change for change in self.described if set(change.fields) & set(MEANING))

    @property
    def step(self) -> Step:
        """The kind of version that follows."""
        if self.columns or self.terms or self.turned or self.meaning:
            return "major"
        return "minor" if self.added or self.removed else "patch"

    def reasons(self) -> list[str]:
        """Why it is this kind of version, in words."""
        if self.step == "major":
            meaning = [f"{change.old.id} has another {', '.join(change.fields)}" for change in self.meaning]
            turned = [f"{old.id} is turned round" for old, _ in self.turned]
            return [*self.columns, *self.terms, *turned, *meaning]
        if self.step == "minor":
            changes = (("added", self.added), ("withdrawn", self.removed))
            return [f"{_counted(pairs)} {word}" for word, pairs in changes if pairs]
        return (
            [f"the wording of {_counted(self.reworded)} corrected"] if self.reworded else ["no pair added or withdrawn"]
        )


def _counted(pairs: Sequence[object]) -> str:
    return counted(len(pairs), "pair")


def difference(
    old: ReleaseInfo, before: Iterable[ReleasePair], new: ReleaseInfo, after: Sequence[ReleasePair]
) -> Difference:
    """What changed between the pairs of two releases; `before` is read once. Fields that only one has are columns."""
    compared = [name for name in ReleasePair.model_fields if name in old.columns]
    arrived = {pair.id: pair for pair in after}
    gone, described = [], []
    for pair in before:
        now = arrived.pop(pair.id, None)
        if now is None:
            gone.append(pair)
        elif fields := tuple(name for name in compared if getattr(pair, name) != getattr(now, name)):
            described.append(ChangedPair(pair, now, fields))
    reworded, turned = _matched(gone, arrived)
    matched = {pair.id for couple in (*reworded, *turned) for pair in couple}
    return Difference(
        added=tuple(pair for pair in arrived.values() if pair.id not in matched),
        removed=tuple(pair for pair in gone if pair.id not in matched),
        reworded=tuple(reworded),
        turned=tuple(turned),
        described=tuple(sorted(described, key=lambda change: change.old.id)),
        columns=_columns(old.columns, new.columns),
        terms=_terms(old, new),
    )


def _columns(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
    changes = (("added", set(after) - set(before)), ("removed", set(before) - set(after)))
    words = tuple(f"columns {verb}: {', '.join(sorted(names))}" for verb, names in changes if names)
    return words or (("columns in another order",) if before != after else ())


def _terms(old: ReleaseInfo, new: ReleaseInfo) -> tuple[str, ...]:
    licences = {source.id: source.licence for source in old.sources}
    compared = (
        *((f"source {one.id}: licence", licences.get(one.id, one.licence), one.licence) for one in new.sources),
        ("approvals that a pair needs:", old.votes_needed, new.votes_needed),
        ("what an unsure vote does:", old.unsure, new.unsure),
    )
    words = tuple(f"{term} {before} became {after}" for term, before, after in compared if before != after)
    if old.sampling and new.sampling and old.sampling != new.sampling:
        words = (*words, f"how lots are sampled: {old.sampling} became {new.sampling}")
    same_people = old.pseudonyms == new.pseudonyms
    return words if same_people else (*words, "reviewers got other pseudonyms (another annotations/pseudonyms.key)")


def _matched(gone: Sequence[ReleasePair], arrived: Mapping[str, ReleasePair]) -> tuple[list[Couple], list[Couple]]:
    """The pairs that went for others: corrected by a reviewer, or turned round; each with its successor."""
    free = dict(arrived)
    corrections = {pair.parent_id: pair for pair in arrived.values() if pair.method == "manual"}
    as_turned = {_meaning(pair, pair.sentence_bad, pair.sentence_good): pair for pair in arrived.values()}
    reworded: list[Couple] = []
    turned: list[Couple] = []
    for old in gone:
        same_sentences = as_turned.get(_meaning(old, old.sentence_good, old.sentence_bad))
        new = same_sentences or corrections.get(old.id)
        if new and free.pop(new.id, None):
            (turned if same_sentences else reworded).append((old, new))
    return reworded, turned


def _meaning(pair: ReleasePair, good: str, bad: str) -> tuple[str, str, str]:
    return pair.rule_id, sentence_key(good), sentence_key(bad)


def parse_version(version: str) -> tuple[int, int, int]:
    """Raises ReleaseError where a version is not three numbers."""
    match = VERSION.fullmatch(version)
    if match is None:
        raise ReleaseError(f"release version '{version}': use three numbers without leading zeros, such as 1.0.0")
    return int(match[1]), int(match[2]), int(match[3])


def next_version(last: str, step: Step) -> str:
    """The version after `last`. Before 1.0.0 a major change raises the second number."""
    major, minor, patch = parse_version(last)
    if step == "major" and major > 0:
        return f"{major + 1}.0.0"
    return f"{major}.{minor}.{patch + 1}" if step == "patch" else f"{major}.{minor + 1}.0"


def check_version(name: str, version: str, last: str | None, change: Difference | None, because: str | None) -> None:
    """Raises ReleaseError where a version doesn't follow from the change since the last one.

    A first version is free to choose. A larger step than the change asks for needs a reason, `because`.
    """
    parse_version(version)
    if last is None or change is None:
        return
    expected = next_version(last, change.step)
    larger = {next_version(last, step) for step in STEPS[: STEPS.index(change.step)]} - {expected}
    if parse_version(last)[0] == 0:
        larger.add("1.0.0")
    if version == expected or (version in larger and because):
        return
    reasons = change.reasons()
    more = f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else ""
    finding = f"{'; '.join(reasons[:3])}{more} since {last}: this is {name} {expected}"
    remedy = "; give a reason for the larger step by --because" if version in larger else ""
    raise ReleaseError(f"release version '{version}': {finding}{remedy}")


def last_release(directory: Path, name: str) -> Path | None:
    """The release of this name with the highest version; None where there is none."""
    versions = {
        parse_version(version): path
        for path in directory.glob(f"{name}-*")
        if path.is_dir() and VERSION.fullmatch(version := path.name.removeprefix(f"{name}-"))
    }
    return versions[max(versions)] if versions else None
