"""Pairs against pairs, within a source and across sources."""

from collections.abc import Callable

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


def test_case_of_the_first_letter_space_and_end_punctuation_make_no_new_pair(
    pair: MakePair, checked: RunChecks
) -> None:
    _, second = checked(pair(GOOD, BAD), pair("vaikas  bijo perkūnijos", "Vaikas bijo\u00a0perkūniją!"))
    assert "duplicate-pair" in names(second)


def test_a_comma_or_another_word_makes_a_new_pair(pair: MakePair, checked: RunChecks) -> None:
    _, second = checked(pair("Sakė, kad ateis.", "Sakė kad ateis."), pair("Sakė, kad atneš.", "Sakė kad atneš."))
    assert names(second) == set()


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


def test_swapped_pair_is_rejected_and_not_called_a_contradiction_as_well(pair: MakePair, checked: RunChecks) -> None:
    _, second = checked(pair(GOOD, BAD), pair(BAD, GOOD))
    assert (names(second), second.verdict) == ({"duplicate-swapped"}, "reject")


def test_contradiction_is_seen_from_both_sides(pair: MakePair, checked: RunChecks) -> None:
    _, good_was_bad = checked(pair(GOOD, BAD), pair(BAD, "Vaikas bijo perkūnija."))
    _, bad_was_good = checked(pair(GOOD, BAD), pair("Vaikas bijo baisios perkūnijos.", GOOD))
    assert [finding.side for finding in good_was_bad.findings] == ["good"]
    assert [finding.side for finding in bad_was_good.findings] == ["bad"]
    assert names(good_was_bad) == names(bad_was_good) == {"contradiction"}


def test_another_correction_is_mentioned_unless_it_was_derived_from_the_first(
    pair: MakePair, checked: RunChecks
) -> None:
    first = pair(GOOD, BAD)
    _, unrelated = checked(first, pair(OTHER, BAD))
    _, derived = checked(first, pair(OTHER, BAD, parent=first.id))
    assert "duplicate-bad-sentence" in names(unrelated)
    assert "duplicate-bad-sentence" not in names(derived)
    assert unrelated.verdict == "pass"


def test_two_pairs_derived_from_the_same_one_belong_together(pair: MakePair, checked: RunChecks) -> None:
    first, second = pair(GOOD, BAD, parent="pair-0"), pair(OTHER, BAD, parent="pair-0")
    assert "duplicate-bad-sentence" not in names(checked(first, second)[1])


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


def test_a_correction_that_makes_a_pair_of_others_is_their_duplicate(pair: MakePair, checked: RunChecks) -> None:
    first, other = pair("Vaikas bijo audros.", "Vaikas bijo audrą."), pair(GOOD, BAD)
    correction = pair("vaikas bijo perkūnijos.", BAD, method="manual", parent=first.id)
    *_, found = checked(first, other, correction)
    assert "duplicate-pair" in names(found)
