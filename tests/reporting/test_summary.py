"""The numbers of a report are those of the scores, and what can't be counted is named."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as draw
from hypothesis import strategies as st
from report_parts import Given, make_evaluation, make_pair, make_release, numbered
from scipy.special import expit, logit
from scipy.stats import binomtest, t

from pairwright.core.errors import ModelError, ReleaseError
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.core.records.release import Release
from pairwright.languages.locale import load_words
from pairwright.reporting.analysis.comparisons import listed, relation
from pairwright.reporting.analysis.inputs import ReportInputs
from pairwright.reporting.analysis.summary import Summary, summarise
from pairwright.reporting.data import Lineage, from_name, read_evaluations
from pairwright.reporting.render.sentences import finding
from pairwright.stats.intervals import wilson


def counts(summary: Summary, kind: str = "overall") -> list[tuple[str, tuple[int, int, int]]]:
    """The groups of a kind with the pairs that count, right by sum_logprob, right by mean_nll."""
    by_sum, by_mean = (summary.rows("groups", kind=kind, measure=it) for it in ("sum_logprob", "mean_nll"))
    return [
        (row["group"], (row["n"], row["correct"], other["correct"])) for row, other in zip(by_sum, by_mean, strict=True)
    ]


def by_sum(summary: Summary) -> Any:
    """The only model on all pairs, by sum_logprob."""
    (row,) = summary.accuracies().values()
    return row


def ids(release: Release, summary: Summary, name: str) -> list[str]:
    return [release.pairs[row].id for row in listed(summary["pairs"])[name]]


def test_the_mean_over_rules_counts_each_rule_once() -> None:
    """Nine pairs right in one rule, one wrong in another: micro 0.9, macro 0.5; the rule of one pair is named."""
    release = numbered("3.1" if n else "4.2" for n in range(10))
    given = {item.id: ((-9.0 if n else -12.0, 4), (-10.0, 4)) for n, item in enumerate(release.pairs)}
    summary = summarise(release, [make_evaluation(release, given)])
    assert by_sum(summary)["accuracy"] == pytest.approx(0.9)
    (mean,) = summary.rows("rule_means", measure="sum_logprob")
    assert (mean["accuracy"], mean["n_rules"], mean["n_single"], mean["without_single"]) == (0.5, 2, 1, 1.0)
    (fault,) = summary.faults
    assert fault.kind == "one-pair"
    assert "1 of 2 rules has a single pair" in fault.message
    assert "4.2 Taisyklė 4.2" in fault.message


def test_likeness_within_rules_widens_the_interval() -> None:
    """Ten rules of ten pairs that stand or fall together are ten observations, not a hundred."""
    release = numbered(f"3.{n // 10}" for n in range(100))
    given = {item.id: ((-9.0 if n // 10 < 6 else -11.0, 4), (-10.0, 4)) for n, item in enumerate(release.pairs)}
    found = by_sum(summarise(release, [make_evaluation(release, given)]))
    assert found["basis"] == "rules"
    width, independent = found["accuracy_high"] - found["accuracy_low"], wilson(60, 100)
    assert width > 2 * (independent.high - independent.low)
    # The t interval of the logit of the mean of six ones and four zeros.
    half = t.ppf(0.975, 9) * math.sqrt(0.24 / 9) / 0.24
    assert width == pytest.approx(expit(logit(0.6) + half) - expit(logit(0.6) - half), rel=0.05)


def test_two_models_are_compared_on_the_pairs_that_both_scored() -> None:
    release = numbered(f"3.{n % 8}" for n in range(41))
    generator = np.random.default_rng(3)
    marks = {name: generator.random(41) < share for name, share in (("Aa-1B", 0.9), ("Aa-1B-Instruct", 0.5))}
    evaluations = [
        make_evaluation(
            release,
            {
                item.id: ((-9.0 if right[n] else -11.0, 4), (-10.0, 4))
                for n, item in enumerate(release.pairs)
                if n or "I" in name
            },
            name=name,
        )
        for name, right in marks.items()
    ]
    summary = summarise(release, evaluations)
    (found,) = summary.rows("comparisons", measure="sum_logprob")
    first, second = (marks[name][1:] for name in (found["a"], found["b"]))
    only_a, only_b = int((first & ~second).sum()), int((second & ~first).sum())
    assert (found["n"], found["only_a"], found["only_b"], found["n_clusters"]) == (40, only_a, only_b, 8)
    assert found["p_holm"] >= found["p"] >= found["p_mcnemar"]
    assert found["p_mcnemar"] == pytest.approx(binomtest(only_a, only_a + only_b).pvalue, abs=1e-12)
    assert found["relation"] == "base-instruct"
    assert found["difference_low"] <= found["difference"] <= found["difference_high"]
    (power,) = summary.rows("power")
    assert not power["assumed"]
    assert [fault.kind for fault in summary.faults] == ["missing"]


@pytest.mark.parametrize(
    ("name", "family", "size", "variant"),
    [
        ("Qwen/Qwen3-30B-A3B", "Qwen3", "30B-A3B", "base"),
        ("neurotechnology/Lt-Llama-2-7b-instruct-hf", "Lt-Llama-2", "7B", "instruct"),
        ("google/gemma-3-270m-it", "gemma-3", "270M", "instruct"),
        ("SmolLM2-135M-Instruct.Q4_1", "SmolLM2", "135M", "instruct"),
        ("my-model", "my-model", "1.7B", "base"),
    ],
)
def test_the_lineage_of_a_model_is_read_from_its_name(name: str, family: str, size: str, variant: str) -> None:
    lineage = from_name(name, 1_700_000_000)
    assert (lineage.family, lineage.size, lineage.variant) == (family, size, variant)


def test_what_is_stated_of_a_model_counts_before_its_name_and_tells_it_from_others(
    release: Release, given: dict[str, Given]
) -> None:
    inputs = ReportInputs(lineages={"tiny": {"family": "Ilma", "variant": "instruct"}})
    (model,) = summarise(release, [make_evaluation(release, given)], inputs).rows("models")
    expected = Lineage(family="Ilma", size="1.7B", variant="instruct")
    assert {name: model[name] for name in Lineage.model_fields} == dict(expected)

    names = ("Aa-1B", "Aa-7B", "Aa-7B-it", "Bb-1B")
    models, _ = read_evaluations(release, [make_evaluation(release, given, name=name) for name in names])
    a, b, c, d = (model.lineage for model in sorted(models, key=lambda model: names.index(model.label)))
    assert [relation(*two) for two in ((a, b), (b, c), (a, d), (a, c))] == ["size", "base-instruct", "family", "other"]


def test_the_hardest_pair_is_the_one_that_most_models_miss_by_the_widest_difference(release: Release) -> None:
    own = [pair.id for pair in release.pairs]
    wide, narrow, right = ((-30.0, 4), (-20.0, 4)), ((-21.0, 4), (-20.0, 4)), ((-10.0, 4), (-20.0, 4))
    first = dict(zip(own, (wide, narrow, narrow, right), strict=True))
    second = dict(zip(own, (right, narrow, wide, right), strict=True))
    runs = [make_evaluation(release, given, name=name) for name, given in (("first", first), ("second", second))]
    summary = summarise(release, runs)
    assert ids(release, summary, "hardest") == [own[2], own[1], own[0]]
    assert (summary["pairs"]["n_wrong"] > 0).sum() == 3


def test_the_same_weights_under_two_labels_are_one_model(release: Release) -> None:
    wrong, right = ((-30.0, 4), (-20.0, 4)), ((-10.0, 4), (-20.0, 4))
    own = [pair.id for pair in release.pairs]
    weak, strong = dict.fromkeys(own, wrong), dict(zip(own, (wrong, right, right, right), strict=True))
    scores, run = make_evaluation(release, weak, name="weak")
    labelled = run.model.model_copy(update={"name": "Weak again", "slug": "weak-again"})
    twin = (scores, run.model_copy(update={"model": labelled}))
    runs = [make_evaluation(release, strong, name="strong"), (scores, run), twin]
    summary = summarise(release, runs)
    assert len(summary.runs) == 3
    assert summary.rows("pairs", faulty=True) == []
    assert ids(release, summary, "discriminating") == []
    assert {frozenset((row["a"], row["b"])) for row in summary.rows("comparisons")} == {
        frozenset(("strong", "weak")),
        frozenset(("strong", "Weak again")),
    }
    eight = run.model.model_copy(update={"quantisation": "8bit"})
    assert (run.model.number_format, eight.number_format) == ("float32", "float32 (8bit)")
    assert run.model.model_copy(update={"requested": "models/tiny-q4.gguf"}).number_format == "float32 (GGUF)"
    (fault,) = [fault for fault in summary.faults if fault.kind == "same-weights"]
    assert fault.message.startswith("weak, Weak again have the same weights")
    assert finding(summary, load_words("report"))[0].startswith("strong is the best of 2 models")
    third = make_evaluation(release, weak, name="third")
    (returned,) = summarise(release, [*runs, third]).rows("pairs", faulty=True)
    assert (returned["pair_id"], returned["n_models"]) == (own[0], 3)


def test_a_sure_lead_and_worse_than_guessing_are_said_and_no_best_and_worst_of_equals() -> None:
    release = numbered(f"{n % 6}.1" for n in range(72))
    given = {bad: {it.id: ((-10.0, 4), (bad, 4)) for it in release.pairs} for bad in (-11.0, -9.0)}
    summary = summarise(release, [make_evaluation(release, own, name=f"model{bad:.0f}") for bad, own in given.items()])
    (text,) = finding(summary, load_words("report"))
    assert "Its lead over each of the others is beyond chance." in text
    assert "does best on" not in text
    alone = summarise(release, [make_evaluation(release, given[-9.0])])
    assert "significantly worse than chance" in finding(alone, load_words("report"))[0]


def changed(scores: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A table of scores with some cells of each row changed."""
    return pa.Table.from_pylist([row | change(row) for row in scores.to_pylist()], schema=scores.schema)


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_a_score_that_is_no_number_or_missing_is_named_and_never_averaged(
    release: Release, given: dict[str, Given], bad: float
) -> None:
    scores, run = make_evaluation(release, given)
    first = release.pairs[0].id
    broken = changed(scores, lambda row: {"sum_logprob": bad} if row["pair_id"] == first else {})
    summary = summarise(release, [(broken, run)])
    assert summary.scored[0].unusable == (first,)
    assert counts(summary)[0][1] == (3, 1, 1)
    (fault,) = summary.faults
    assert (fault.kind, fault.pair_ids) == ("not-finite", (first,))
    assert summary.verdicts["tiny"]["sum_logprob"] == "-010"
    last = release.pairs[-1].id
    summary = summarise(release, [make_evaluation(release, {key: v for key, v in given.items() if key != last})])
    assert summary.scored[0].missing == (last,)
    assert counts(summary)[0][1] == (3, 2, 2)
    (fault,) = summary.faults
    assert fault.message == f"tiny has no score for 1 of 4 pairs, which its numbers leave out: {last}"


def test_a_model_under_two_policies_stands_twice_whatever_it_is_called_and_is_not_compared_with_itself(
    release: Release, given: dict[str, Given]
) -> None:
    scores, run = make_evaluation(release, given)
    named = run.model.model_copy(update={"name": "tiny, small letters", "slug": "small"})
    other = run.model_copy(update={"policy": ScoringPolicy(case="lower", prefix="Sakinys: "), "model": named})
    summary = summarise(release, [(scores, run), (scores, other)])
    assert summary.rows("comparisons") == []
    (fault,) = summary.faults
    assert (fault.kind, "scored under 2 policies" in fault.message) == ("two-policies", True)
    assert "tiny (prefix '', case as-is)" in fault.message
    assert "tiny, small letters (prefix 'Sakinys: ', case lower)" in fault.message


def test_scores_of_something_else_are_left_out_or_refused(release: Release, given: dict[str, Given]) -> None:
    scores, run = make_evaluation(release, given)
    with pytest.raises(ModelError, match="no model"):
        summarise(release, [])
    with pytest.raises(ModelError, match="given twice"):
        summarise(release, [(scores, run), (scores, run)])
    for bad, message in (
        (pa.concat_tables([scores, scores[:1]]), "tiny scores the good sentence of pair-0+1 twice"),
        (changed(scores[:1], lambda _: {"pair_id": "pair-x"}), "tiny scores pair-x, which is not in the release"),
        (changed(scores, lambda _: {"sentence": "Kas kita."}), "tiny scored another good sentence of pair-0+1 than"),
    ):
        with pytest.raises(ReleaseError, match=message):
            summarise(release, [(bad, run)])
        good = make_evaluation(release, given, name="good")
        (fault,) = summarise(release, [(bad, run), good]).faults
        assert (fault.kind, fault.subject) == ("other-pairs", "tiny")


def test_a_sentence_that_was_normalised_for_scoring_is_the_same_sentence() -> None:
    release = make_release([make_pair(1, "C\u030cia yra vandens.", "C\u030cia yra vanduo.")])
    scores, run = make_evaluation(release, {release.pairs[0].id: ((-9.0, 3), (-10.0, 3))})
    composed = changed(scores, lambda row: {"sentence": row["sentence"].replace("C\u030c", "Č")})
    assert counts(summarise(release, [(composed, run)]))[0][1] == (1, 1, 1)


def test_slor_takes_out_how_rare_the_words_are(release: Release, given: dict[str, Given]) -> None:
    """The good sentences are less probable, but their words are rarer still."""
    scores, run = make_evaluation(release, {key: ((-24.0, 4), (-20.0, 4)) for key in given})
    rare = changed(scores, lambda row: {"unigram_sum_logprob": -40.0 if row["side"] == "good" else -30.0})
    summary = summarise(release, [(rare, run)])
    assert [summary.accuracies(measure)["tiny"]["accuracy"] for measure in ("sum_logprob", "slor")] == [0.0, 1.0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@draw(data=st.data())
def test_the_numbers_are_those_of_an_independent_count(data: st.DataObject) -> None:
    nats, n_tokens = st.integers(-60, -10).map(float), st.integers(3, 9)
    side = st.tuples(nats, n_tokens)
    drawn = data.draw(
        st.lists(st.tuples(side, side, st.sampled_from(["3.1", "3.10", "4.2"]), st.booleans()), min_size=1)
    )
    pairs = [
        make_pair(number, f"Turiu {number} knygas.", f"Turiu {number} knygų.", code=code, exception=exception)
        for number, (_, _, code, exception) in enumerate(drawn)
    ]
    release = make_release(pairs)
    given = {item.id: (good, bad) for item, (good, bad, _, _) in zip(pairs, drawn, strict=True)}
    summary: Summary = summarise(release, [make_evaluation(release, given)])
    table = pandas.DataFrame(
        {
            "rule": [code for _, _, code, _ in drawn],
            "sum": [good[0] > bad[0] for good, bad, _, _ in drawn],
            "mean": [good[0] / good[1] > bad[0] / bad[1] for good, bad, _, _ in drawn],
        }
    )
    assert counts(summary)[0][1] == (len(table), table["sum"].sum(), table["mean"].sum())
    for label, found in counts(summary, "rule"):
        rows = table[table["rule"] == label.split()[0]]
        assert found == (len(rows), rows["sum"].sum(), rows["mean"].sum())
    (mean,) = summary.rows("rule_means", measure="mean_nll")
    assert mean["accuracy"] == pytest.approx(table.groupby("rule")["mean"].mean().mean())
    (model,) = summary.rows("models")
    assert model["sum_only"] + model["mean_only"] == (table["sum"] != table["mean"]).sum()
    assert (summary["pairs"]["n_wrong"] > 0).sum() == (~table["sum"]).sum()
    assert summary.verdicts["tiny"]["sum_logprob"] == "".join("1" if right else "0" for right in table["sum"])
