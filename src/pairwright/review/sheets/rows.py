"""What a reviewer reads beside an item: the rule, its examples, what differs, and the place in the document."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pairwright.languages import Language, load_language
from pairwright.records import Candidate, Change, CheckedPair, Evidence, Rule, Source
from pairwright.review.log.folder import Assignment
from pairwright.review.sheets.answers import QueueContents

N_EXAMPLES = 3


class RowMaker:
    """The cells of rows that a reviewer reads. `pairs` and `rules` go by id; what is gone from them is left empty.

    `voices` gives, by pair, what the reviewers said whose conflict is to be settled.
    """

    def __init__(
        self,
        source: Source,
        rules: Mapping[str, Rule],
        pairs: Mapping[str, CheckedPair],
        language: Language,
        show_findings: bool = False,
        voices: Mapping[str, str] | None = None,
    ) -> None:
        self._source = source
        self._rules = rules
        self._pairs = pairs
        self._show_findings = show_findings
        self._voices = voices or {}
        self._page = (load_language("en").interface | language.interface)["page_short"]
        self._examples: dict[str, str] = {}

    def row(self, contents: QueueContents, item: Assignment) -> dict[str, str]:
        """The cells of an item, by field; those that the reviewer fills in are not among them."""
        if contents.kind == "choice":
            first, second = item.texts
            return {"item_id": item.item_id, "reviewer": item.reviewer, "sentence_a": first, "sentence_b": second}
        if contents.kind == "likert":
            return {"item_id": item.item_id, "reviewer": item.reviewer, "sentence": item.texts[0]}
        text = contents.pairs[item.item_id]
        cells = {"pair_id": item.item_id, "reviewer": item.reviewer, "good": text.good, "bad": text.bad}
        cells |= {"voices": self._voices.get(item.item_id, ""), "reason": item.reason}
        checked = self._pairs.get(item.item_id)
        if checked is None:
            return cells
        cells |= self._facts(checked.candidate)
        if self._show_findings:
            cells["findings"] = "; ".join(finding.message for finding in checked.findings)
        return cells

    def _facts(self, pair: Candidate) -> dict[str, str]:
        rule = self._rules[pair.rule_id]
        if rule.id not in self._examples:
            self._examples[rule.id] = examples_of(rule)
        return {
            "rule": f"{rule.code} {rule.title}".strip(),
            "differs": "; ".join(map(arrow, pair.changes)),
            "alternatives": " | ".join(pair.alternatives),
            "examples": self._examples[rule.id],
            "source": f"{self._source.title}, {place_of(pair.evidence, self._page)}",
        }


def place_of(evidence: Evidence, page: str) -> str:
    """The place of a quotation for people: the file's name with its line, or with its page after the word for it."""
    name = _file_name(evidence.file)
    return f"{name}:{evidence.line}" if evidence.line is not None else f"{name}, {page} {evidence.page}"


@lru_cache(maxsize=256)
def _file_name(path: str) -> str:
    return Path(path).name


def arrow(change: Change) -> str:
    """A difference as a correction: the wrong words, an arrow, the right ones."""
    return f"{change.bad or '∅'} → {change.good or '∅'}"


def examples_of(rule: Rule) -> str:
    """The first examples of a rule in one line, the unacceptable ones with the linguists' asterisk."""
    shown = [
        f"{example.good} (*{example.bad})" if example.bad else example.good
        for example in rule.examples
        if example.default
    ]
    return " | ".join(shown[:N_EXAMPLES])
