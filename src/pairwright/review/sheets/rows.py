"""What a reviewer reads beside an item: the rule, its examples, what differs, and the place in the document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from pairwright.languages import load_language
from pairwright.records import Candidate, Change, Evidence, Rule
from pairwright.review.log.context import ReviewContext
from pairwright.review.log.folder import Assignment
from pairwright.review.sheets.contents import QueueContents

N_EXAMPLES = 3


@dataclass(frozen=True)
class RowMaker:
    """Makes the cells of rows that a reviewer reads. What is no longer in the source is left empty.

    votes  by pair, what reviewers said whose conflict is to be settled
    """

    context: ReviewContext
    contents: QueueContents
    show_findings: bool = False
    votes: Mapping[str, str] = field(default_factory=dict)

    def row(self, item: Assignment) -> dict[str, str]:
        """The cells of an item by field, without those that the reviewer fills in."""
        if self.contents.kind == "choice":
            first, second = item.texts
            return {"item_id": item.item_id, "reviewer": item.reviewer, "sentence_a": first, "sentence_b": second}
        if self.contents.kind == "likert":
            return {"item_id": item.item_id, "reviewer": item.reviewer, "sentence": item.texts[0]}
        text = self.contents.pairs[item.item_id]
        cells = {"pair_id": item.item_id, "reviewer": item.reviewer, "good": text.good, "bad": text.bad}
        cells |= {"votes": self.votes.get(item.item_id, ""), "reason": item.reason}
        checked = self.context.pairs.get(item.item_id)
        if checked is None:
            return cells
        cells |= self._rule_cells(checked.candidate)
        if self.show_findings:
            cells["findings"] = "; ".join(finding.message for finding in checked.findings)
        return cells

    def _rule_cells(self, pair: Candidate) -> dict[str, str]:
        rule = self.context.rules[pair.rule_id]
        if rule.id not in self._examples:
            self._examples[rule.id] = examples_of(rule)
        return {
            "rule": f"{rule.code} {rule.title}".strip(),
            "differs": "; ".join(map(arrow, pair.changes)),
            "alternatives": " | ".join(pair.alternatives),
            "examples": self._examples[rule.id],
            "source": f"{self.context.source.title}, {place_of(pair.evidence, self._page)}",
        }

    @cached_property
    def _examples(self) -> dict[str, str]:
        """The examples of the rules met so far: one rule may have thousands of pairs."""
        return {}

    @cached_property
    def _page(self) -> str:
        return (load_language("en").interface | self.context.language.interface)["page_short"]


def place_of(evidence: Evidence, page: str) -> str:
    """The place of a quotation for people: a file name with a line, or with a page after the word for `page`."""
    name = _file_name(evidence.file)
    return f"{name}:{evidence.line}" if evidence.line is not None else f"{name}, {page} {evidence.page}"


@lru_cache(maxsize=256)
def _file_name(path: str) -> str:
    return Path(path).name


def arrow(change: Change) -> str:
    """A difference as a correction: the wrong words, an arrow, the right ones."""
    return f"{change.bad or '∅'} → {change.good or '∅'}"


def examples_of(rule: Rule) -> str:
    """The first examples of a rule in one line, unacceptable ones with the linguists' asterisk."""
    shown = [
        f"{example.good} (*{example.bad})" if example.bad else example.good
        for example in rule.examples
        if example.default
    ]
    return " | ".join(shown[:N_EXAMPLES])
