"""The difference between two releases in words: for CHANGELOG.md, and for `pairwright release diff`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pairwright.core.errors import ReleaseError, counted
from pairwright.core.files import read_text
from pairwright.core.records.release import ExcludedPair, ReleaseInfo, ReleasePair
from pairwright.core.text import escape_markdown
from pairwright.release.difference import Difference
from pairwright.release.verify import CHANGES

TITLE = "# Changes\n"
# Beyond this, a list of pairs helps nobody; `pairwright release diff` shows all of them.
LISTED = 200


def changelog(info: ReleaseInfo, change: Difference | None, earlier: str, excluded: Iterable[ExcludedPair]) -> str:
    """CHANGELOG.md: the entry of this version above those of the last release's CHANGELOG.md, `earlier`.

    excluded  the pairs that this version leaves out, whose reasons the entry gives
    """
    lines = [changelog_head(info)]
    if change is None:
        lines.append(f"The first release: {counted(info.n_pairs, 'pair')} of {counted(info.n_rules, 'rule')}.\n")
    else:
        reasons = escape_markdown("; ".join(change.reasons()[:3]))
        left_out = {pair.id: pair for pair in excluded}
        lines += [f"A {change.step} version after {info.previous}: {reasons}.\n", *_entry(change, left_out)]
    past = earlier.removeprefix(TITLE).lstrip("\n")
    return "\n".join([*lines, past] if past else lines)


def changelog_head(info: ReleaseInfo) -> str:
    """How CHANGELOG.md begins, whatever has changed: the title, the version and the reason for a larger step."""
    lines = [TITLE, f"## {info.version} ({info.date})\n" if info.date else f"## {info.version}\n"]
    return "\n".join([*lines, f"{escape_markdown(info.because)}\n"] if info.because else lines)


def earlier_changes(release: Path) -> str:
    """The CHANGELOG.md of a release. Raises ReleaseError."""
    return read_text(release / CHANGES, error=ReleaseError)


def _entry(change: Difference, excluded: Mapping[str, ExcludedPair]) -> Iterator[str]:
    sections: dict[str, Sequence[tuple[ReleasePair, ...]]] = {
        "Added": [(pair,) for pair in change.added],
        "Withdrawn": [(pair,) for pair in change.removed],
        "Wording corrected": change.reworded,
        "Good and bad exchanged": change.turned,
    }
    for heading, rows in sections.items():
        if rows:
            yield f"### {heading}: {len(rows)}\n"
            lines: Iterable[str] = (" became ".join(map(_shown, pairs)) for pairs in rows)
            if len(rows) > LISTED:
                lines = (f"{n} of {uid}" for uid, n in sorted(Counter(pairs[-1].uid for pairs in rows).items()))
            elif heading == "Withdrawn":
                reasons = ((pair, escape_markdown(_reason(pair, excluded.get(pair.id)))) for pair in change.removed)
                lines = (f"{_shown(pair)}: {reason}" for pair, reason in reasons)
            yield "".join(f"- {line}\n" for line in lines)
    if change.described:
        yield f"### Other fields: {len(change.described)}\n"
        counts = Counter(name for described in change.described for name in described.fields)
        yield "".join(f"- `{name}` of {counted(n, 'pair')}\n" for name, n in sorted(counts.items()))
    for words in (*change.columns, *change.terms):
        yield f"- {escape_markdown(words)}\n"


def _reason(pair: ReleasePair, left: ExcludedPair | None) -> str:
    """Why a pair of the last release is not in this one; its rule by the code and the title that it had there."""
    if left is None:
        return f"no longer made of its rule {_rule(pair)}"
    # Of a rule that is gone, this version has no code.
    return left.reason.replace(pair.rule_id, _rule(pair)) if left.cause == "gone" else left.reason


def _rule(pair: ReleasePair) -> str:
    return f"{pair.rule_code} “{pair.rule}”"


def _shown(pair: ReleasePair) -> str:
    return f"`{pair.id}` {escape_markdown(pair.sentence_good)} / {escape_markdown(pair.sentence_bad)}"


def difference_lines(change: Difference) -> Iterator[str]:
    """Every difference as a line of text: `+` added, `-` withdrawn, `~` changed."""
    yield from (f"+ {pair.id}  {_plain(pair)}" for pair in change.added)
    yield from (f"- {pair.id}  {_plain(pair)}" for pair in change.removed)
    for sign, couples in (("wording", change.reworded), ("good and bad exchanged", change.turned)):
        for old, new in couples:
            yield f"~ {old.id} -> {new.id}  {sign}"
            yield f"    was  {_plain(old)}"
            yield f"    is   {_plain(new)}"
    for old, new, names in change.described:
        yield f"~ {old.id}  {_plain(old)}"
        yield from (f"    {name}: {_value(old, name)} -> {_value(new, name)}" for name in names)
    yield from (f"~ {words}" for words in (*change.columns, *change.terms))


def _plain(pair: ReleasePair) -> str:
    return f"{pair.rule_code}  {pair.sentence_good} | {pair.sentence_bad}"


def _value(pair: ReleasePair, name: str) -> str:
    if name == "votes":
        return ", ".join(f"{vote.reviewer} {vote.decision}" for vote in pair.votes) or "none"
    return str(getattr(pair, name))
