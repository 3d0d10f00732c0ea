"""Pairs of an imagined source, and the checks run on them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from made_records import language_with, make_candidate, make_evidence, make_rule
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, CheckedPair, Finding, Rule
from pairwright.languages import Language


def _pair(
    good: str, bad: str, source: str = "list", parent: str | None = None, line: int = 1, **fields: Any
) -> Candidate:
    evidence = make_evidence(good, file=f"{source}.md", line=line)
    rule_id = f"rule-{source}"
    return make_candidate(good, bad, rule_id=rule_id, source_id=source, parent_id=parent, evidence=evidence, **fields)


def _rule(source: str, code: str) -> Rule:
    return make_rule(code, id=f"rule-{source}", source_id=source, title="Objects")


@pytest.fixture(scope="session")
def lithuanian() -> Language:
    """Lithuanian with a table of a few words that stand in the morphological checks' pairs alone."""
    return language_with(Path(__file__).parents[1] / "data" / "words-lt.tsv", "unimorph", "unimorph")


@pytest.fixture(scope="session")
def pair() -> Callable[..., Candidate]:
    """A pair from a good and a bad sentence."""
    return _pair


@pytest.fixture(scope="session")
def rule() -> Callable[[str, str], Rule]:
    """The rule that all pairs of a source rest on, with the given code."""
    return _rule


@pytest.fixture(scope="session")
def checked(lithuanian: Language) -> Callable[..., list[CheckedPair]]:
    """Pairs put through all checks, as Lithuanian with the default settings."""

    def check(*candidates: Candidate, others: tuple[CheckedPair, ...] = ()) -> list[CheckedPair]:
        return list(check_pairs(candidates, {}, lithuanian, CheckSettings(), others))

    return check


@pytest.fixture(scope="session")
def findings() -> Callable[..., dict[str, Finding]]:
    """The findings of one pair by check, in a language without dictionary and alphabet unless one is given."""

    def find(good: str, bad: str, language: Language | None = None) -> dict[str, Finding]:
        plain = language or Language(code="und", name="Any", autonym="Any")
        (found,) = check_pairs([_pair(good, bad)], {}, plain, CheckSettings())
        return {finding.check: finding for finding in found.findings}

    return find
