"""Splits never change, hold no sentence of each other, and have about the shares that were asked for."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from release_parts import RULES, Build, make_pair

from made_records import make_released
from pairwright.core.config import ReleaseSettings
from pairwright.core.records.release import SPLITS, ReleasePair, Split
from pairwright.core.text import comparison_key
from pairwright.release.contents.contents import assign
from pairwright.release.verify import read_release

SHARES = ReleaseSettings(few_shot=0.3, validation=0.3)
WORDS = ["mes", "rytoj", "laukiame", "traukinio", "stotyje", "draugo", "ilgai", "vakare"]


def released(good: str, bad: str, parent_id: str | None = None) -> ReleasePair:
    return make_released(good, bad, parent_id=parent_id)


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
pairs_of_words = st.lists(st.builds(released, sentences, sentences), max_size=16, unique_by=lambda pair: pair.id)


@settings(max_examples=30)
@given(pairs=pairs_of_words)
def test_no_sentence_and_no_sentence_one_word_apart_stands_in_two_splits(pairs: list[ReleasePair]) -> None:
    splits, reasons = assign(pairs, {}, SHARES)
    assert reasons == {}
    assert splits.keys() == {pair.id for pair in pairs}
    held = [
        (comparison_key(text).split(), splits[pair.id])
        for pair in pairs
        for text in (pair.sentence_good, pair.sentence_bad)
    ]
    for words, split in held:
        for others, other in held:
            if split != other:
                assert words != others
                if len(words) == len(others) >= 6:
                    assert sum(a != b for a, b in zip(words, others, strict=True)) > 1
                if len(words) == len(others) + 1 >= 6:
                    assert all(words[:at] + words[at + 1 :] != others for at in range(len(words)))


@settings(max_examples=30)
@given(first=pairs_of_words, more=pairs_of_words)
def test_a_pair_never_changes_its_split_when_pairs_are_added(first: list[ReleasePair], more: list[ReleasePair]) -> None:
    before, _ = assign(first, {}, SHARES)
    first_ids = {pair.id for pair in first}
    added = [pair for pair in more if pair.id not in first_ids]
    after, reasons = assign([*added, *first], before, SHARES)
    assert {key: after[key] for key in before} == before
    assert after.keys() | reasons.keys() == first_ids | {pair.id for pair in added}
    assert not after.keys() & reasons.keys()
    held: dict[str, Split] = {}
    for pair in (*first, *added):
        for text in (pair.sentence_good, pair.sentence_bad):
            if pair.id in after:
                assert held.setdefault(comparison_key(text), after[pair.id]) == after[pair.id]


def test_a_pair_that_would_join_two_splits_is_left_out_with_both_named() -> None:
    one = released("Rytoj mes ilgai laukiame savo draugo.", "Rytoj mes ilgai laukiame savo draugą.")
    two = released("Rytoj jie ilgai ieško savo rakto.", "Rytoj jie ilgai ieško savo raktą.")
    between = released(one.sentence_good, two.sentence_bad)
    splits, reasons = assign([one, two, between], {one.id: "few_shot", two.id: "test"}, SHARES)
    assert splits == {one.id: "few_shot", two.id: "test"}
    assert one.id in reasons[between.id]
    assert two.id in reasons[between.id]


def test_a_correction_takes_the_split_of_the_pair_that_it_corrects() -> None:
    old = released("Mums truksta laiko.", "Mums truksta laikas.")
    new = released("Mums trūksta laiko.", "Mums trūksta laikas.", parent_id=old.id)
    for split in SPLITS:
        assert assign([new], {old.id: split}, SHARES)[0] == {new.id: split}


def test_the_shares_are_about_those_asked_for() -> None:
    pairs = [released(f"Žodis{number} eina.", f"Žodis{number} eiti.") for number in range(2000)]
    counts = Counter(assign(pairs, {}, ReleaseSettings(few_shot=0.1, validation=0.2))[0].values())
    assert counts["few_shot"] / 2000 == pytest.approx(0.1, abs=0.03)
    assert counts["validation"] / 2000 == pytest.approx(0.2, abs=0.03)
    assert set(assign(pairs, {}, ReleaseSettings(few_shot=0, validation=0))[0].values()) == {"test"}


def test_the_next_version_keeps_the_splits(build: Build) -> None:
    many = [make_pair(RULES["3.9"], f"Trūksta {n} litrų.", f"Trūksta {n} litrai.") for n in range(60)]
    first = read_release(build(pairs=many[:30]).path)
    second = read_release(build(pairs=many[::-1], version="1.1.0").path)
    assert len({pair.split for pair in first.pairs}) == 3
    after = {pair.id: pair.split for pair in second.pairs}
    assert {pair.id: after[pair.id] for pair in first.pairs} == {pair.id: pair.split for pair in first.pairs}
