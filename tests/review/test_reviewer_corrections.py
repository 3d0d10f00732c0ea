"""Corrected pairs: every distinct correction becomes a pair of its own, and nothing else does."""

import pytest

from made_records import make_candidate, make_evidence
from pairwright.core.ids import pair_id
from pairwright.core.records import Augmentation, Candidate, Change, Decision, DecisionWord, Replacement
from pairwright.review.log import fixed_candidates

EVIDENCE = make_evidence("Laukiu autobusą (= autobuso).", line=3)


def pair(good: str, bad: str, rule_id: str = "rule-1") -> Candidate:
    return make_candidate(
        good,
        bad,
        rule_id=rule_id,
        alternatives=("Palaukiu autobuso.",),
        translation="I am waiting for the bus.",
        features=("good: Case=Gen",),
        exception=True,
        entry="laukti",
        note="taip pat „palaukti“",
        evidence=EVIDENCE,
    )


PARENT = pair("Laukiu autobuso.", "Laukiu autobusą.")


def decision(
    pair_id: str, word: DecisionWord, good: str | None = None, bad: str | None = None, reviewer: str = "ana"
) -> Decision:
    return Decision(
        pair_id=pair_id, reviewer=reviewer, decision=word, good=good, bad=bad, at="2026-03-11T09:30:00+00:00"
    )


def made(*decisions: Decision, known: tuple[Candidate, ...] = (PARENT,)) -> list[Candidate]:
    return list(fixed_candidates(decisions, {item.id: item for item in known}))


def test_a_corrected_good_sentence_makes_a_pair_with_the_same_bad_one() -> None:
    (child,) = made(decision(PARENT.id, "fix", good="Laukiu naujo autobuso."))
    assert (child.good, child.bad) == ("Laukiu naujo autobuso.", "Laukiu autobusą.")
    assert child.id == pair_id("rule-1", "Laukiu naujo autobuso.", "Laukiu autobusą.")
    assert (child.method, child.parent_id) == ("manual", PARENT.id)
    assert (child.rule_id, child.source_id, child.evidence) == ("rule-1", "mini", EVIDENCE)
    assert (child.exception, child.entry, child.note) == (True, "laukti", "taip pat „palaukti“")
    assert child.changes == (Change(good="naujo autobuso", bad="autobusą", good_at=7, bad_at=7),)
    # What was said of the parent alone is not said of the child.
    assert (child.alternatives, child.features, child.translation) == ((), (), None)
    (bad,) = made(decision(PARENT.id, "fix", bad="Laukiu autobusui."))
    assert (bad.good, bad.translation) == ("Laukiu autobuso.", "I am waiting for the bus.")


OTHER = pair("Laukiu troleibuso.", "Laukiu autobusą.")
LONG, SHORT = "Laukiu autobusui.", "Laukiu autobusu."
NEW, NEW_BAD = "Laukiu naujo autobuso.", "Laukiu naują autobusą."
CHILD = pair_id("rule-1", NEW, PARENT.bad)
FIRST = decision(PARENT.id, "fix", good=NEW)
SECOND = decision(CHILD, "fix", bad=NEW_BAD, reviewer="jonas")
TWICE = [(NEW, PARENT.bad, PARENT.id), (NEW, NEW_BAD, CHILD)]


@pytest.mark.parametrize(
    ("decisions", "children"),
    [
        ([decision(PARENT.id, word) for word in ("approve", "reject", "unsure")], []),
        (
            [decision(PARENT.id, "fix", bad=bad, reviewer=bad) for bad in (LONG, LONG, SHORT)],
            [(PARENT.good, LONG, PARENT.id), (PARENT.good, SHORT, PARENT.id)],
        ),
        # Composed and decomposed letters.
        (
            [decision(PARENT.id, "fix", bad=f"Laukiu traukin{end}.") for end in ("į", "i\u0328")],
            [(PARENT.good, "Laukiu traukinį.", PARENT.id)],
        ),
        ([decision(PARENT.id, "fix", good=OTHER.good)], []),
        ([decision("pair-0000000000000000", "fix", good="Einu namo.")], []),
        # A corrected pair can be corrected again, whatever the order of the decisions, and a circle ends.
        ([FIRST, SECOND], TWICE),
        ([SECOND, FIRST], TWICE),
        ([FIRST, decision(CHILD, "fix", good=PARENT.good)], TWICE[:1]),
    ],
)
def test_each_distinct_correction_of_a_known_pair_makes_a_pair_that_is_not_there(
    decisions: list[Decision], children: list[tuple[str, str, str]]
) -> None:
    found = made(*decisions, known=(PARENT, OTHER))
    assert [(child.good, child.bad, child.parent_id) for child in found] == children


def test_the_correction_of_a_derived_pair_is_its_reviewers_own() -> None:
    new = Replacement(seed="draugo", new="autobuso", lemma="autobusas", good_at=7, bad_at=7)
    derivation = Augmentation(method="lexicon", seed_id="pair-seed", replacements=(new,), model="tiny", rank=1)
    parent = PARENT.model_copy(update={"method": "lexicon", "parent_id": "pair-seed", "derivation": derivation})
    (child,) = made(decision(parent.id, "fix", good="Laukiu naujo autobuso."), known=(parent,))
    assert Candidate.model_validate_json(child.model_dump_json()) == child
    assert (child.method, child.parent_id, child.derivation) == ("manual", parent.id, None)
