"""Pairs against pairs, within a source and across sources."""

from collections.abc import Callable

import pytest

from pairwright.core.records import Candidate, CheckedPair

MakePair = Callable[..., Candidate]
RunChecks = Callable[..., list[CheckedPair]]

GOOD, BAD, OTHER = "Vaikas bijo perkūnijos.", "Vaikas bijo perkūniją.", "Vaiką gąsdina perkūnija."


def names(found: CheckedPair) -> set[str]:
    return {finding.check for finding in found.findings}


def test_duplicate_names_the_first_pair_and_its_line(pair: MakePair, checked: RunChecks) -> None:
    first, second = checked(pair(GOOD, BAD, line=7), pair(GOOD, BAD, line=9))
    assert names(first) == set()
    (finding,) = second.findings
    assert first.candidate.id in finding.message
    assert "line 7" in finding.message


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ((GOOD, BAD), ("vaikas  bijo perkūnijos", "Vaikas bijo\u00a0perkūniją!"), "duplicate-pair"),
        (("Sakė, kad ateis.", "Sakė kad ateis."), ("Sakė, kad atneš.", "Sakė kad atneš."), ""),
        ((GOOD, BAD), (BAD, GOOD), "duplicate-swapped"),
        ((GOOD, BAD), (BAD, "Vaikas bijo perkūnija."), "contradiction good"),
        ((GOOD, BAD), ("Vaikas bijo baisios perkūnijos.", GOOD), "contradiction bad"),
        ((GOOD, BAD), (OTHER, BAD), "duplicate-bad-sentence"),
    ],
    ids=["spelling", "other words", "swapped", "bad is good", "good is bad", "another correction"],
)
def test_a_pair_is_compared_with_those_before_it(
    pair: MakePair, checked: RunChecks, first: tuple[str, str], second: tuple[str, str], found: str
) -> None:
    _, later = checked(pair(*first), pair(*second))
    name, _, side = found.partition(" ")
    assert name in names(later) or not (name or names(later))
    assert not side or [finding.side for finding in later.findings] == [side]
    assert later.verdict == ("reject" if name in ("duplicate-pair", "duplicate-swapped") else "pass")


def test_another_correction_of_one_family_is_not_mentioned(pair: MakePair, checked: RunChecks) -> None:
    first = pair(GOOD, BAD)
    families = [(first, pair(OTHER, BAD, parent=first.id))]
    families += [(pair(GOOD, BAD, parent="pair-0"), pair(OTHER, BAD, parent="pair-0"))]
    assert all("duplicate-bad-sentence" not in names(checked(*family)[1]) for family in families)


def test_a_rejected_pair_has_no_duplicates_so_that_one_pair_is_kept(pair: MakePair, checked: RunChecks) -> None:
    damaged, sound = checked(pair("Vaikas bijo audrų.\u200b\u2060", "Vaikas bijo audras."), pair(GOOD, BAD))
    assert (damaged.verdict, sound.verdict) == ("reject", "pass")
    first, second = checked(
        pair("Vaikas bijo s\u030cuns.", "Vaikas bijo šunį."), pair("Vaikas bijo šuns.", "Vaikas bijo šunį.")
    )
    assert (first.verdict, second.verdict) == ("reject", "pass")


def test_a_pair_of_another_source_counts_and_is_named_with_its_source(pair: MakePair, checked: RunChecks) -> None:
    others = checked(pair(GOOD, BAD, source="atlas"))
    (found,) = checked(pair(GOOD, BAD), others=tuple(others))
    assert names(found) == {"duplicate-pair"}
    assert "of source atlas (atlas.md, line 1)" in found.findings[0].message


def test_a_rejected_pair_of_another_source_does_not_count(pair: MakePair, checked: RunChecks) -> None:
    others = checked(pair("Vaikas bijo s\u030cuns.", "Vaikas bijo šunį.", source="atlas"))
    (found,) = checked(pair("Vaikas bijo šuns.", "Vaikas bijo šunį."), others=tuple(others))
    assert found.verdict == "pass"


def test_a_newly_written_pair_has_no_sentence_of_another_source(pair: MakePair, checked: RunChecks) -> None:
    written = pair(GOOD, "Vaikas bijo perkūnija.").model_copy(update={"method": "llm", "source_id": "grammar"})
    (there,) = checked(pair(GOOD, BAD, source="another"))
    (found,) = checked(written, others=(there,))
    assert (names(found), found.verdict) == ({"duplicate-example"}, "reject")
    assert "of source another" in found.findings[0].message
    # In its own source another rule may have the sentence, and what is taken from a source stands there by right.
    own, _ = checked(written, written.model_copy(update={"id": "pair-2", "bad": "Vaikas bijo perkūnijai."}))
    assert own.findings == ()
    taken = written.model_copy(update={"method": "source"})
    assert "duplicate-example" not in names(checked(taken, others=(there,))[0])
    # The whole pair is told once, as what it is.
    (copied,) = checked(pair(GOOD, BAD).model_copy(update={"method": "llm"}), others=(there,))
    assert names(copied) == {"duplicate-pair"}


def test_a_correction_is_no_duplicate_of_the_pair_that_it_corrects(pair: MakePair, checked: RunChecks) -> None:
    first = pair(GOOD, BAD)
    capital = pair("vaikas bijo perkūnijos.", BAD, method="manual", parent=first.id)
    mark = pair("Vaikas bijo perkūnijos!", "Vaikas bijo perkūniją!", method="manual", parent=capital.id)
    turned = pair(BAD, GOOD, method="manual", parent=first.id)
    for found in checked(first, capital, mark, turned):
        assert found.verdict == "pass"
    foreign = capital.model_copy(update={"parent_id": "pair-of-others"})
    assert "duplicate-pair" in names(checked(first, foreign)[1])
