"""A person's word on the rules of a grammar, in a file beside its source."""

from pathlib import Path

import pytest
from grammar_parts import FREE, NEGATION, find_rules, read_book, saying

from pairwright.core.errors import SourceError
from pairwright.core.records import Rejection, Rule
from pairwright.sources.grammar.rules.extract import FILE, overruled, own_rules

ADDED = """
[[add]]
title = "Own rule"
description = "Something that the model missed."
page = {page}
quote = "{quote}"
what = "one form against another"
labels = ["GEN"]
"""


def decided(folder: Path, text: str) -> tuple[list[Rule], list[Rejection]]:
    """The rules of the made grammar (one licensed, one not) as a file leaves them, and what can't be done.

    `LICENSED` and `FREE` in the text stand for their ids.
    """
    script = saying({"a verb is negated, its": [NEGATION], "words is generally free": [FREE]})
    rules, _ = find_rules(folder, script)
    licensed, free = sorted(rules, key=lambda rule: not (rule.contrast and rule.contrast.licensed))
    (folder / FILE).write_text(text.replace("LICENSED", licensed.id).replace("FREE", free.id), encoding="utf-8")
    _, blocks = read_book(folder)
    results = list(overruled(own_rules(folder), [licensed, free], blocks, "grammar"))
    return [it for it in results if isinstance(it, Rule)], [it for it in results if isinstance(it, Rejection)]


def test_a_person_refuses_one_rule_and_licenses_another(tmp_path: Path) -> None:
    refused = '[overrule.LICENSED]\nlicence = "none"\nwhy = "both are said"\n'
    licensed = '[overrule.FREE]\nlicence = "banned"\nwhat = "verb before object"\nfeatures = ["good: Case=Acc"]\n'
    (first, second), rejected = decided(tmp_path, refused + licensed)
    assert first.contrast
    assert (first.contrast.licensed, first.contrast.what) == (False, "both are said")
    assert second.contrast
    assert (second.contrast.licence, second.contrast.what) == ("banned", "verb before object")
    assert second.contrast.features == ("good: Case=Acc",)
    assert rejected == []


def test_a_person_adds_a_rule_in_words_of_the_book_or_in_their_own(tmp_path: Path) -> None:
    quote = "The accusative is ungrammatical"
    rules, rejected = decided(tmp_path, ADDED.format(page=1, quote=quote) + ADDED.format(page=1, quote=""))
    own = rules[2:]
    assert [rule.quote for rule in own] == [quote, "Something that the model missed."]
    assert all(rule.contrast and rule.contrast.licence == "obligatory" for rule in own)
    assert {rule.labels for rule in own} == {("GEN",)}
    assert rejected == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[overrule.rule-gone]\nlicence = "none"\n', "there is no rule rule-gone now"),
        ('[overrule.FREE]\nlicence = "obligatory"\n', "has no contrast yet"),
        (ADDED.format(page=900, quote=""), "page 900: the source does not have it"),
        (ADDED.format(page=1, quote="words that stand nowhere in it"), "page 1: the quotation does not stand on it"),
    ],
)
def test_what_a_person_wants_and_cannot_be_done_keeps_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    rules, (rejection,) = decided(tmp_path, text)
    assert len(rules) == 2
    assert reason in rejection.reason


def test_a_fault_in_the_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"rules\.toml:2: 'overrule\.a\.licence'"):
        decided(tmp_path, '[overrule.a]\nlicence = "perhaps"\n')
    with pytest.raises(SourceError, match=r"rules\.toml:3: 'overrule\.a\.features': 'Case=Gen' is no demand"):
        decided(tmp_path, '[overrule.a]\nlicence = "banned"\nfeatures = ["Case=Gen"]\n')
