"""A small reviewed source to freeze: three rules with a pair each, and two reviewers who approve."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import made_records
from made_records import make_candidate, make_checked, make_evidence
from pairwright.core.config import ReleaseSettings
from pairwright.core.records import CheckedPair, DecisionWord, Example, Rule, Source
from pairwright.core.records.items import Item, Option
from pairwright.core.records.release import ReleaseResult
from pairwright.release.contents.selection import ReleaseRequest
from pairwright.release.write import freeze

Build = Callable[..., ReleaseResult]
KEY = bytes(range(32))
REVIEWERS = ("ona.petraitiene", "jonas@universitetas.lt", "third")


def make_source(source_id: str = "mini", **fields: object) -> Source:
    defaults = {"title": "Linksnių klaidų sąrašas", "licence": "CC-BY-4.0", "citation": "Pavyzdžių rinkinys, 2026"}
    return made_records.make_source(**{"id": source_id} | defaults | fields)


def make_rule(code: str, title: str, source_id: str = "mini", file: str = "list.md") -> Rule:
    example = Example(good="Laukiu autobuso.", bad="Laukiu autobusą.", evidence=make_evidence("…", file=file, line=3))
    return made_records.make_rule(
        code, title=title, source_id=source_id, examples=[example], category="linksniai", extracted_by="from_error_list"
    )


def make_pair(rule: Rule, good: str, bad: str, *, error: str | None = None, **fields: Any) -> CheckedPair:
    place = {"rule_id": rule.id, "source_id": rule.source_id, "evidence": make_evidence(bad, line=5)}
    return make_checked(make_candidate(good, bad, **place, **fields), error)


RULES = {
    "3.10": make_rule("3.10", "Kilmininkas su veiksmažodžiu laukti"),
    "3.9": make_rule("3.9", "Kilmininkas su veiksmažodžiu trūkti"),
    "3.2": make_rule("3.2", "Įnagininkas priemonei reikšti"),
}
PAIRS = {
    "wait": make_pair(RULES["3.10"], "Mes laukiame traukinio.", "Mes laukiame traukinį."),
    "lack": make_pair(RULES["3.9"], "Mums trūksta laiko.", "Mums trūksta laikas."),
    "write": make_pair(RULES["3.2"], "Ji rašo pieštuku.", "Ji rašo su pieštuku."),
}


def matrix(number: int, **fields: Any) -> Item:
    """A matrix of one missing sentence."""
    options = (Option(text=f"Jis rašo {number}."), Option(text=f"Jį rašo {number}.", label="CASE Obj V"))
    return Item(id=f"item-{number}", task="matrix", language="lt", context=(f"Ji rašo {number}.", "Ji skaito."),
                options=options, answers=(0,), condition="lt-own MINLEX", **fields)  # fmt: skip


def make_request(**fields: Any) -> ReleaseRequest:
    """A request without a fault: all pairs approved twice, and no questions made of them."""
    both: dict[str, DecisionWord] = {"ana": "approve", "jonas": "approve"}
    plain: dict[str, Any] = {
        "name": "mini-cases",
        "version": "1.0.0",
        "pairs": tuple(PAIRS.values()),
        "rules": {rule.id: rule for rule in RULES.values()},
        "sources": {"mini": make_source()},
        "votes": {pair.candidate.id: both for pair in PAIRS.values()},
        "settings": ReleaseSettings(items=0),
        "key": KEY,
    }
    return ReleaseRequest(**plain | fields)


def freeze_reviewed(
    directory: Path,
    *voted: tuple[object, ...],
    pairs: Sequence[CheckedPair] = tuple(PAIRS.values()),
    sources: Sequence[Source] | None = None,
    needed: int = 2,
    reverse: bool = False,
    settings: Mapping[str, object] | None = None,
    gone: Sequence[CheckedPair] = (),
    **fields: Any,
) -> ReleaseResult:
    """Freezes `pairs`, two approvals each. `voted` adds pairs, or changes votes: (pair, "approve", "reject").

    `reverse` gives everything in the opposite order; `settings` are other settings of the release, `fields` those of
    its request. `gone` are voted pairs that are no longer made.
    """
    voted_pairs: dict[str, CheckedPair] = {}
    votes: dict[str, dict[str, DecisionWord]] = {}
    for pair, *decisions in [*((pair, "approve", "approve") for pair in pairs), *voted]:
        assert isinstance(pair, CheckedPair)
        voted_pairs[pair.candidate.id] = pair
        votes[pair.candidate.id] = dict(zip(REVIEWERS, decisions, strict=False))  # type: ignore[arg-type]
    votes |= {pair.candidate.id: {REVIEWERS[0]: "approve", REVIEWERS[1]: "approve"} for pair in gone}
    rules = fields.pop("rules", {rule.id: rule for rule in RULES.values()})
    given = {pair.candidate.id for pair in pairs}
    every = [*pairs, *(pair for key, pair in voted_pairs.items() if key not in given)]
    if reverse:
        every = every[::-1]
        rules = dict(reversed(list(rules.items())))
        votes = {key: dict(reversed(list(of_pair.items()))) for key, of_pair in reversed(list(votes.items()))}
    if sources is not None:
        fields["sources"] = {source.id: source for source in sources}
    request = make_request(
        pairs=every,
        rules=rules,
        votes=votes,
        settings=ReleaseSettings.model_validate({"votes": needed, "items": 0, **(settings or {})}),
        gone={pair.candidate.id: pair.candidate for pair in gone},
        **fields,
    )
    return freeze(directory, request)
