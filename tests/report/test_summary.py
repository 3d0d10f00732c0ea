"""The numbers of a report are those of the scores, and what can't be counted is named."""

import math
from collections.abc import Callable, Sequence

import pandas
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as draw
from hypothesis import strategies as st

from pairwright.errors import ModelError, ReleaseError
from pairwright.releases import Release, ReleasePair
from pairwright.report.summary import Group, Summary, summarise
from pairwright.runs import EvaluationRun, Score
from pairwright.stats.intervals import wilson

Scored = tuple[list[Score], EvaluationRun]
Given = tuple[tuple[float, int], tuple[float, int]]
Evaluate = Callable[..., Scored]


def counts(group: Group, model: int = 0) -> tuple[int, int, int]:
    """Pairs that count, right by the sum, right by the mean."""
    by_sum, by_mean = group.results[model].by_sum, group.results[model].by_mean
    assert by_sum is not None
    assert by_mean is not None
    return by_sum.n, by_sum.correct, by_mean.correct


def test_accuracy_overall_and_apart_for_exceptions(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    summary = summarise(release, [evaluation(release, given)])
    assert [(group.label, counts(group)) for group in summary.overall] == [
        ("all pairs", (4, 2, 2)),
        ("without exceptions", (3, 2, 2)),
        ("exceptions alone", (1, 0, 0)),
    ]
    overall = summary.overall[0].results[0].by_sum
    assert overall is not None
    assert overall.ties == 1
    assert overall.interval == wilson(2, 4)


def test_accuracy_by_phenomenon_rule_and_method(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    summary = summarise(release, [evaluation(release, given)])
    assert [(group.label, counts(group)) for group in summary.by_rule] == [
        ("3.1 Taisyklė 3.1", (2, 1, 2)),
        ("4.2 Taisyklė 4.2", (2, 1, 0)),
    ]
    assert [(group.label, counts(group)) for group in summary.by_phenomenon] == [
        ("case 3", (2, 1, 2)),
        ("case 4", (2, 1, 0)),
    ]
    assert [(group.label, counts(group)) for group in summary.by_method] == [("source", (4, 2, 2))]


def test_pairs_that_turn_between_sum_and_mean_are_found(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    summary = summarise(release, [evaluation(release, given)])
    model = summary.models[0]
    assert set(model.flips) == {release.pairs[1].id, release.pairs[2].id}
    assert model.agreement.model_dump() == {"both": 1, "sum_only": 1, "mean_only": 1, "neither": 1}
    # −30/6 against −26/4 is 1.5 nats per token apart, −20/4 against −21/5 is 0.8.
    assert [judged.pair.id for judged in summary.flips] == [release.pairs[1].id, release.pairs[2].id]


def test_the_hardest_pair_is_the_one_that_most_models_miss(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    other = {**given, release.pairs[1].id: ((-20.0, 4), (-30.0, 4)), release.pairs[3].id: ((-21.0, 4), (-20.0, 4))}
    summary = summarise(release, [evaluation(release, given), evaluation(release, other, name="other")])
    assert [judged.pair.id for judged in summary.hardest] == [release.pairs[3].id, release.pairs[1].id]
    assert summary.n_wrong == 2


def test_models_stand_in_the_order_of_their_accuracy(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    perfect: dict[str, Given] = {key: ((-10.0, 4), (-20.0, 4)) for key in given}
    summary = summarise(release, [evaluation(release, given), evaluation(release, perfect, name="perfect")])
    assert [model.label for model in summary.models] == ["perfect", "tiny"]
    assert counts(summary.overall[0], model=0) == (4, 4, 4)
    assert counts(summary.overall[0], model=1) == (4, 2, 2)


def test_missing_and_infinite_scores_are_named_and_in_no_number(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    first, second = release.pairs[0].id, release.pairs[1].id
    scores, run = evaluation(release, {**given, second: ((-math.inf, 6), (-26.0, 4))})
    summary = summarise(release, [([score for score in scores if (score.pair_id, score.side) != (first, "bad")], run)])
    assert summary.models[0].missing == (first,)
    assert summary.models[0].unusable == (second,)
    assert counts(summary.overall[0])[0] == 2
    assert summary.overall[0].n_pairs == 4
    assert summary.by_rule[0].results[0].by_sum is None


def test_two_models_of_one_name_are_told_apart(release: Release, evaluation: Evaluate, given: dict[str, Given]) -> None:
    both = [evaluation(release, given, slug="tiny-float32"), evaluation(release, given, slug="tiny-bfloat16")]
    assert {model.label for model in summarise(release, both).models} == {"tiny-float32", "tiny-bfloat16"}


def test_rules_of_one_label_in_two_sources_stay_apart(
    pair: Callable[..., ReleasePair], release_of: Callable[[Sequence[ReleasePair]], Release], evaluation: Evaluate
) -> None:
    here = pair(1, "Mums trūksta laiko.", "Mums trūksta laikas.")
    there = pair(2, "Ji rašo pieštuku.", "Ji rašo su pieštuku.").model_copy(
        update={"rule_id": "rule-other", "source_id": "other"}
    )
    release = release_of([here, there])
    summary = summarise(release, [evaluation(release, {})])
    assert [group.label for group in summary.by_rule] == ["3.1 Taisyklė 3.1 (mini)", "3.1 Taisyklė 3.1 (other)"]


def test_scores_of_something_else_are_refused(release: Release, evaluation: Evaluate, given: dict[str, Given]) -> None:
    scores, run = evaluation(release, given)
    with pytest.raises(ModelError, match="no model"):
        summarise(release, [])
    with pytest.raises(ModelError, match="tiny: given twice"):
        summarise(release, [(scores, run), (scores, run)])
    with pytest.raises(ReleaseError, match=r"tiny was scored on mini-cases-0\.9\.0"):
        summarise(release, [(scores, run.model_copy(update={"release": "mini-cases-0.9.0", "release_sha256": "cd"}))])
    with pytest.raises(ModelError, match="twice"):
        summarise(release, [([*scores, scores[0]], run)])
    with pytest.raises(ReleaseError, match="pair-other, which is not in the release"):
        summarise(release, [([scores[0].model_copy(update={"pair_id": "pair-other"})], run)])
    with pytest.raises(ReleaseError, match="the good sentence of pair-"):
        summarise(release, [([scores[0].model_copy(update={"sentence": "Kas kita."})], run)])


def test_a_sentence_that_was_normalised_for_scoring_is_the_same_sentence(
    pair: Callable[..., ReleasePair], release_of: Callable[[Sequence[ReleasePair]], Release], evaluation: Evaluate
) -> None:
    release = release_of([pair(1, "C\u030cia yra vandens.", "C\u030cia yra vanduo.")])
    scores, run = evaluation(release, {release.pairs[0].id: ((-9.0, 3), (-10.0, 3))})
    composed = [score.model_copy(update={"sentence": score.sentence.replace("C\u030c", "Č")}) for score in scores]
    assert counts(summarise(release, [(composed, run)]).overall[0]) == (1, 1, 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@draw(data=st.data())
def test_the_numbers_are_those_of_an_independent_count(
    pair: Callable[..., ReleasePair],
    release_of: Callable[[Sequence[ReleasePair]], Release],
    evaluation: Evaluate,
    data: st.DataObject,
) -> None:
    nats, n_tokens = st.integers(-60, -10).map(float), st.integers(3, 9)
    side = st.tuples(nats, n_tokens)
    drawn = data.draw(
        st.lists(st.tuples(side, side, st.sampled_from(["3.1", "3.10", "4.2"]), st.booleans()), min_size=1)
    )
    pairs = [
        pair(number, f"Turiu {number} knygas.", f"Turiu {number} knygų.", code=code, exception=exception)
        for number, (_, _, code, exception) in enumerate(drawn)
    ]
    release = release_of(pairs)
    given = {item.id: (good, bad) for item, (good, bad, _, _) in zip(pairs, drawn, strict=True)}
    summary: Summary = summarise(release, [evaluation(release, given)])
    table = pandas.DataFrame(
        {
            "rule": [code for _, _, code, _ in drawn],
            "exception": [exception for *_, exception in drawn],
            "sum": [good[0] > bad[0] for good, bad, _, _ in drawn],
            "mean": [good[0] / good[1] > bad[0] / bad[1] for good, bad, _, _ in drawn],
        }
    )
    assert counts(summary.overall[0]) == (len(table), table["sum"].sum(), table["mean"].sum())
    for group in summary.by_rule:
        rows = table[table["rule"] == group.label.split()[0]]
        assert counts(group) == (len(rows), rows["sum"].sum(), rows["mean"].sum())
    assert len(summary.models[0].flips) == (table["sum"] != table["mean"]).sum() == summary.n_flips
    assert summary.n_wrong == (~table["sum"]).sum()
    same_length = {pair_id for pair_id, (good, bad) in given.items() if good[1] == bad[1]}
    assert same_length.isdisjoint(summary.models[0].flips)
