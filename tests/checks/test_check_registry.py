"""Each check has its name in the docs and a bad file that triggers it and nothing else."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.checks.check import Check
from pairwright.checks.registry import CHECKS, check_pairs
from pairwright.cli.docs import filled
from pairwright.core.config import CheckSettings
from pairwright.core.errors import ConfigError
from pairwright.core.records import Block, Candidate, CheckedPair, LLMJudgment, Record, Rule
from pairwright.core.store import read_jsonl
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.pairfiles import COLUMNS, read_pairs

ROOT = Path(__file__).parents[2]
INVALID = ROOT / "tests" / "data" / "invalid"
SETTINGS = CheckSettings()

R = TypeVar("R", bound=Record)
MakePair = Callable[..., Candidate]
RunChecks = Callable[..., list[CheckedPair]]


def names(found: CheckedPair) -> set[str]:
    return {finding.check for finding in found.findings}


def beside(name: str, records: str, kind: type[R]) -> list[R]:
    """The rules, judgments or blocks that a check's bad file needs beside its pairs; texts of a grammar stand there
    too, and fields of the pairs that no file of pairs has.
    """
    path = file_beside(name, f"{records}.jsonl")
    return list(read_jsonl(path, kind)) if path.exists() else []


def file_beside(name: str, suffix: str) -> Path:
    """A check's own file, else the one that checks share whose names begin alike."""
    own = ROOT / "tests" / "data" / "beside" / f"{name}.{suffix}"
    return own if own.exists() else own.with_name(f"{name.partition('-')[0]}.{suffix}")


def test_every_check_has_a_bad_file_and_every_bad_file_a_check() -> None:
    assert {path.stem for path in INVALID.glob("*.jsonl")} == {check.name for check in CHECKS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_bad_file_triggers_exactly_its_check_at_its_level(check: Check, lithuanian: Language) -> None:
    name, level = check.name, check.level
    fields = file_beside(name, "candidate.json")
    more = json.loads(fields.read_text(encoding="utf-8")) if fields.exists() else {}
    pairs = [pair.model_copy(update=more) for pair in read_pairs(INVALID / f"{name}.jsonl")]
    rules = {rule.id: rule for rule in beside(name, "rules", Rule)}
    judgments = {judgment.pair_id: judgment for judgment in beside(name, "llm_judgments", LLMJudgment)}
    source, blocks = file_beside(name, "attested.txt"), beside(name, "blocks", Block)
    attested = AttestedWords(source.read_text(encoding="utf-8").splitlines()) if source.exists() else None
    attested = attested_words(blocks) if blocks else attested
    language = Language(code="qaa", name="Any", autonym="Any") if attested else lithuanian
    found = list(check_pairs(pairs, rules, language, SETTINGS, judgments=judgments, attested=attested))
    findings = [finding for item in found for finding in item.findings]
    assert {(finding.check, finding.level) for finding in findings} == {(name, level)}
    assert {item.verdict for item in found if item.findings} == {"reject" if level == "error" else "pass"}


def test_names_are_unique_and_kebab_case() -> None:
    all_names = [check.name for check in CHECKS]
    assert len(set(all_names)) == len(all_names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in all_names)


def test_docs_list_every_check_and_column_with_its_names() -> None:
    text = filled("<!-- code: checks -->")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning|info) \| (.+) \|$", text, flags=re.MULTILINE)
    assert [row[:2] for row in rows] == [(check.name, check.level) for check in CHECKS]
    assert all(len(row[2]) > 20 for row in rows)
    columns = filled("<!-- code: columns -->")
    assert all(f"`{alias}`" in columns for aliases in COLUMNS.values() for alias in aliases)


def test_limit_of_an_unknown_rule_is_an_error_that_names_it(
    rule: Callable[[str, str], Rule], lithuanian: Language
) -> None:
    wrong = CheckSettings.model_validate({"limits": {"list/9.9": {"max_spans": 1}}})
    with pytest.raises(ConfigError, match=r"'list/9\.9'.*no rule with the code '9\.9'"):
        list(check_pairs([], {"rule-list": rule("list", "1.1")}, lithuanian, wrong))


SENTENCES = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aąūžАοi\u0307\u0303 .?,;()[]„“\"*<>&=→-–/_'\u00a0\u200b", max_size=30),
    st.sampled_from(["Jis bijo šuns.", "jis bijo šuns", "Jis bijo šunį.", "Upė teka.", ""]),
)


@given(sentences=st.lists(st.tuples(SENTENCES, SENTENCES), max_size=6))
def test_any_text_is_checked_without_an_exception(
    pair: MakePair, checked: RunChecks, sentences: list[tuple[str, str]]
) -> None:
    for item in checked(*(pair(good, bad) for good, bad in sentences)):
        assert item.verdict == ("reject" if any(finding.level == "error" for finding in item.findings) else "pass")
        for finding in item.findings:
            assert len(finding.message.splitlines()) == 1
            if finding.span is not None and finding.side is not None:
                start, end = finding.span
                assert 0 <= start <= end <= len(getattr(item.candidate, finding.side))


@given(sentences=st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=5), data=st.data())
def test_a_later_pair_never_changes_what_was_found_before(
    pair: MakePair, checked: RunChecks, sentences: list[tuple[str, str]], data: st.DataObject
) -> None:
    before = [pair(good, bad) for good, bad in sentences]
    again = data.draw(st.sampled_from(before))
    assert checked(*before, again)[: len(before)] == checked(*before)


@given(good=SENTENCES, bad=SENTENCES)
def test_repeating_a_passing_pair_is_a_duplicate(pair: MakePair, checked: RunChecks, good: str, bad: str) -> None:
    first, second = checked(pair(good, bad), pair(good, bad, line=2))
    assert ("duplicate-pair" in names(second)) == (first.verdict == "pass")
    assert second.verdict == "reject"
