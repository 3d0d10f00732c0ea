"""What changed from one release to the next, and which version follows from it (semantic versions for data).

patch  wording, votes or descriptions were mended: the pairs ask what they asked before
minor  pairs were added or withdrawn
major  the columns, or what a pair means, changed: which sentence is good, its phenomenon, licence, rule of votes
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rapidfuzz import fuzz

from pairwright.errors import ReleaseError
from pairwright.records.release import ReleaseInfo, ReleasePair
from pairwright.text import sentence_key

Step = Literal["major", "minor", "patch"]
STEPS: tuple[Step, ...] = ("major", "minor", "patch")
VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)", re.ASCII)

# The fields that say what a pair asks and what may be done with it.
MEANING = ("phenomenon", "rule_code", "exception", "licence", "language", "uid", "split")
# Two pairs of one rule with this much in common, 0-100, are taken for one whose wording was mended.
ALIKE = 85


@dataclass(frozen=True)
class Difference:
    """The pairs added and removed, those with another wording (old, new) or with other fields (old, new, names).

    turned   pairs whose good sentence is now the bad one
    columns  what happened to the columns, in words; likewise `terms`: licences of sources and the rule of votes
    """

    added: tuple[ReleasePair, ...] = ()
    removed: tuple[ReleasePair, ...] = ()
    reworded: tuple[tuple[ReleasePair, ReleasePair], ...] = ()
    turned: tuple[tuple[ReleasePair, ReleasePair], ...] = ()
    described: tuple[tuple[ReleasePair, ReleasePair, tuple[str, ...]], ...] = ()
    columns: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    @property
    def meaning(self) -> tuple[tuple[ReleasePair, ReleasePair, tuple[str, ...]], ...]:
        return tuple(change for change in self.described if set(change[2]) & set(MEANING))

    @property
    def step(self) -> Step:
        """The kind of version that follows."""
        if self.columns or self.terms or self.turned or self.meaning:
            return "major"
        return "minor" if self.added or self.removed else "patch"

    def reasons(self) -> list[str]:
        """What makes it this kind of version, in words."""
        if self.step == "major":
            meaning = [f"{old.id} has another {', '.join(names)}" for old, _, names in self.meaning]
            turned = [f"{old.id} is turned round" for old, _ in self.turned]
            return [*self.columns, *self.terms, *turned, *meaning]
        if self.step == "minor":
            counts = [(len(self.added), "added"), (len(self.removed), "withdrawn")]
            return [f"{n} {'pair' if n == 1 else 'pairs'} {word}" for n, word in counts if n]
        n = len(self.reworded)
        return [f"the wording of {n} {'pair' if n == 1 else 'pairs'} mended"] if n else ["no pair added or withdrawn"]


def difference(
    old: ReleaseInfo, before: Iterable[ReleasePair], new: ReleaseInfo, after: Sequence[ReleasePair]
) -> Difference:
    """What changed from the pairs `before`, which `old` describes, to the pairs `after`, which `new` describes.

    Fields that only one has are columns. `before` is read once, and only what changed is kept of it.
    """
    compared = [name for name in ReleasePair.model_fields if name in (old.columns or _FIRST_COLUMNS)]
    unseen = {pair.id: pair for pair in after}
    gone, described = [], []
    for pair in before:
        now = unseen.pop(pair.id, None)
        if now is None:
            gone.append(pair)
            continue
        names = tuple(name for name in compared if getattr(pair, name) != getattr(now, name))
        if names:
            described.append((pair, now, names))
    reworded, turned, added, removed = _matched(gone, list(unseen.values()))
    return Difference(
        added=tuple(added),
        removed=tuple(removed),
        reworded=tuple(reworded),
        turned=tuple(turned),
        described=tuple(sorted(described, key=lambda change: change[0].id)),
        columns=_columns(old, new),
        terms=_terms(old, new),
    )


# Releases of format 1 don't list their columns.
_FIRST_COLUMNS = tuple(list(ReleasePair.model_fields)[: list(ReleasePair.model_fields).index("split") + 1])


def _columns(old: ReleaseInfo, new: ReleaseInfo) -> tuple[str, ...]:
    before, after = old.columns or _FIRST_COLUMNS, new.columns or _FIRST_COLUMNS
    words = []
    for verb, names in (("added", set(after) - set(before)), ("removed", set(before) - set(after))):
        if names:
            words.append(f"columns {verb}: {', '.join(sorted(names))}")
    if not words and before != after:
        words.append("columns in another order")
    return tuple(words)


def _terms(old: ReleaseInfo, new: ReleaseInfo) -> tuple[str, ...]:
    before = {source.id: source.licence for source in old.sources}
    words = [
        f"source {source.id}: licence {before[source.id]} became {source.licence}"
        for source in new.sources
        if before.get(source.id, source.licence) != source.licence
    ]
    if old.votes_needed != new.votes_needed:
        words.append(f"approvals that a pair needs: {old.votes_needed} became {new.votes_needed}")
    if old.unsure != new.unsure:
        words.append(f"what an unsure vote does: {old.unsure} became {new.unsure}")
    if old.pseudonyms != new.pseudonyms:
        words.append("reviewers got other pseudonyms (another annotations/pseudonyms.key)")
    return tuple(words)


Couples = list[tuple[ReleasePair, ReleasePair]]


def _matched(
    removed: Sequence[ReleasePair], added: Sequence[ReleasePair]
) -> tuple[Couples, Couples, list[ReleasePair], list[ReleasePair]]:
    """Parts what went and what came into mended wordings, pairs turned round, new and withdrawn pairs."""
    came = {pair.id: pair for pair in added}
    by_rule: dict[str, list[ReleasePair]] = defaultdict(list)
    for pair in added:
        by_rule[pair.rule_id].append(pair)
    corrections = {pair.parent_id: pair.id for pair in added if pair.parent_id and pair.method == "manual"}
    reworded: Couples = []
    turned: Couples = []
    gone = []
    for old in removed:
        new = came.get(corrections.get(old.id, "")) or _alike(
            old, [new for new in by_rule[old.rule_id] if new.id in came]
        )
        if new is None:
            gone.append(old)
            continue
        del came[new.id]
        (turned if _is_turned(old, new) else reworded).append((old, new))
    return reworded, turned, list(came.values()), gone


def _is_turned(old: ReleasePair, new: ReleasePair) -> bool:
    return (sentence_key(old.sentence_good), sentence_key(old.sentence_bad)) == (
        sentence_key(new.sentence_bad),
        sentence_key(new.sentence_good),
    )


def _alike(old: ReleasePair, candidates: Sequence[ReleasePair]) -> ReleasePair | None:
    """The candidate with nearly the same sentences; one turned round counts as alike."""
    turned = next((new for new in candidates if _is_turned(old, new)), None)
    if turned is not None:
        return turned
    best, score = None, float(ALIKE)
    for new in candidates:
        likeness = min(
            fuzz.ratio(old.sentence_good, new.sentence_good, score_cutoff=score),
            fuzz.ratio(old.sentence_bad, new.sentence_bad, score_cutoff=score),
        )
        if likeness >= score and (best is None or likeness > score):
            best, score = new, likeness
    return best


def parse_version(version: str) -> tuple[int, int, int]:
    """Raises ReleaseError where a version is not three numbers."""
    match = VERSION.fullmatch(version)
    if match is None:
        raise ReleaseError(f"release version '{version}': use three numbers without leading zeros, such as 1.0.0")
    major, minor, patch = match.groups()
    return int(major), int(minor), int(patch)


def next_version(last: str, step: Step) -> str:
    """The version after `last`. Before 1.0.0 a major change raises the second number."""
    major, minor, patch = parse_version(last)
    if step == "major" and major > 0:
        return f"{major + 1}.0.0"
    return f"{major}.{minor}.{patch + 1}" if step == "patch" else f"{major}.{minor + 1}.0"


def check_version(name: str, version: str, last: str | None, change: Difference | None, because: str | None) -> None:
    """Raises ReleaseError where a version doesn't follow from the change since the last one.

    A first version is 0.1.0 or 1.0.0. A larger step than the change asks for needs a reason, `because`.
    """
    parse_version(version)
    if last is None or change is None:
        if version not in ("0.1.0", "1.0.0"):
            raise ReleaseError(
                f"release version '{version}': no earlier release of {name} is here, and a first one is 0.1.0 or "
                "1.0.0; put the last release into output/releases"
            )
        return
    expected = next_version(last, change.step)
    larger = {next_version(last, step) for step in STEPS[: STEPS.index(change.step)]} - {expected}
    if parse_version(last)[0] == 0:
        larger.add("1.0.0")
    if version == expected or (version in larger and because):
        return
    reasons = change.reasons()
    more = f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else ""
    found = f"{'; '.join(reasons[:3])}{more} since {last}: this is {name} {expected}"
    if version in larger:
        raise ReleaseError(f"release version '{version}': {found}; give a reason for the larger step by --because")
    raise ReleaseError(f"release version '{version}': {found}")


def last_release(directory: Path, name: str) -> Path | None:
    """The release of this name with the highest version; None where there is none."""
    found = [
        (parse_version(path.name.removeprefix(f"{name}-")), path)
        for path in directory.glob(f"{name}-*")
        if path.is_dir() and VERSION.fullmatch(path.name.removeprefix(f"{name}-"))
    ]
    return max(found)[1] if found else None
