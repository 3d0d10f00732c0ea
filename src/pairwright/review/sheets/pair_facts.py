"""What a reviewer reads beside a pair: the rule, its examples, what differs, and the place in the document."""

from collections.abc import Sequence
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

from pairwright.languages import Language, load_language
from pairwright.records import Change, Evidence, Example
from pairwright.review.log.context import ReviewContext

N_EXAMPLES = 3


class PairFacts(NamedTuple):
    """What a reviewer reads beside a pair. `source` names the document and the place in it."""

    rule: str
    description: str
    examples: Sequence[Example]
    differs: Sequence[Change]
    alternatives: Sequence[str]
    findings: Sequence[str]
    source: str
    evidence: Evidence

    def cells(self) -> dict[str, str]:
        """The facts as cells of a sheet, by field."""
        return {
            "rule": self.rule,
            "differs": "; ".join(f"{change.bad or '∅'} → {change.good or '∅'}" for change in self.differs),
            "alternatives": " | ".join(self.alternatives),
            "examples": " | ".join(
                f"{example.good} (*{example.bad})" if example.bad else example.good for example in self.examples
            ),
            "source": self.source,
            "findings": "; ".join(self.findings),
        }


def pair_facts(context: ReviewContext, pair_id: str, page: str, *, show_findings: bool) -> PairFacts | None:
    """What a reviewer reads beside a pair; None if the source no longer has it. `page` is the word for a page."""
    checked = context.pairs.get(pair_id)
    rule = context.rules.get(checked.candidate.rule_id) if checked else None
    if checked is None or rule is None:
        return None
    pair, evidence = checked.candidate, checked.candidate.evidence
    name = PurePath(evidence.file).name
    place = f"{name}:{evidence.line}" if evidence.line is not None else f"{name}, {page} {evidence.page}"
    return PairFacts(
        rule=f"{rule.code} {rule.title}".strip(),
        description=rule.description if rule.description != rule.title else "",
        examples=tuple(islice((example for example in rule.examples if example.default), N_EXAMPLES)),
        differs=pair.changes,
        alternatives=pair.alternatives,
        findings=[finding.message for finding in checked.findings] if show_findings else (),
        source=f"{context.source.title}, {place}",
        evidence=evidence,
    )


def interface_words(language: Language) -> dict[str, str]:
    """The words of sheets and pages by name; those that the language lacks are English."""
    return load_language("en").interface | language.interface
