"""Scores of a tiny model, accuracy with intervals, and the report page."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiny_model import make_tiny_model

import pairwright as pw
from pairwright.evaluate.scoring.runs.evaluation import schema
from pairwright.stats.intervals import wilson


@pytest.fixture(scope="module")
def scored(tiny_model: Path) -> tuple[pd.DataFrame, pw.Scores]:
    """Twelve pairs of four rules, two of which share a sentence, and their scores."""
    rows = [
        {
            "id": f"p{n}",
            "rule": f"rule {n % 6}",
            "good": f"Mums trūksta {n} dienų.",
            "bad": f"Mums trūksta {n} dienos.",
        }
        for n in range(12)
    ]
    pairs = pw.load_pairs(pd.DataFrame(rows))
    return pairs, pw.score(pairs, tiny_model, device="cpu")


def test_scores_have_the_columns_of_scores_parquet(scored: tuple[pd.DataFrame, pw.Scores]) -> None:
    pairs, scores = scored
    assert list(scores.columns) == schema().names
    assert scores["pair_id"].tolist() == [pair for pair in pairs["id"] for _ in range(2)]
    assert scores["side"].tolist() == ["good", "bad"] * len(pairs)
    np.testing.assert_allclose(scores["mean_nll"], -scores["sum_logprob"] / scores["n_tokens"])
    assert (scores.run.n_pairs, scores.run.n_scored, scores.rejected) == (12, 12, ())
    assert not isinstance(scores[scores["side"] == "good"], pw.Scores)


def test_a_figure_shows_each_group_of_each_model_with_its_interval(
    scored: tuple[pd.DataFrame, pw.Scores], tmp_path: Path
) -> None:
    pairs, scores = scored
    figure = pw.plot([scores, scores], pairs, by="rule")
    [axes] = figure.axes
    table = pw.accuracy(scores, pairs, by="rule", measure="sum_logprob")
    lines: Any = axes.lines
    drawn = [(line, [*map(float, line.get_xdata())]) for line in lines]
    points = [xs[0] for _, xs in drawn if len(xs) == 1]
    ends = [tuple(xs) for line, xs in drawn if len(xs) == 2 and line.get_linewidth() == 2]
    assert points == [*table["accuracy"]] * 2
    assert ends == [*zip(table["low"], table["high"], strict=True)] * 2
    assert set(table["rule"]) <= {text.get_text() for text in axes.texts}
    figure.savefig(tmp_path / "accuracy.pdf")
    assert (tmp_path / "accuracy.pdf").stat().st_size > 1000
    assert len(pw.plot(scores).axes) == 1


def test_a_model_in_memory_scores_as_its_folder_and_stays_in_training(
    scored: tuple[pd.DataFrame, pw.Scores],
) -> None:
    pairs, scores = scored
    network, tokenizer = make_tiny_model()
    network.train()
    network.lm_head.eval()
    own = pw.score(pairs, (network, tokenizer))
    np.testing.assert_allclose(own["sum_logprob"], scores["sum_logprob"], atol=1e-3)
    assert (network.training, network.lm_head.training) == (True, False)
    assert own.run.model.weights_sha256 is None
    with pytest.raises(TypeError, match="in memory"):
        pw.score(pairs, (network, tokenizer), dtype="float64")


def test_a_directory_keeps_scores_for_the_next_call(pairs: pd.DataFrame, tiny_model: Path, tmp_path: Path) -> None:
    first = pw.score(pairs, str(tiny_model), directory=tmp_path)
    done: list[int] = []
    again = pw.score(pairs, str(tiny_model), directory=tmp_path, progress=done.append)
    assert (again.run, done) == (first.run, [])
    pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(first))
    fewer = pw.score(pairs.head(2), str(tiny_model), directory=tmp_path, progress=done.append)
    assert (len(fewer), done[-1]) == (4, 2)
    with pytest.raises(pw.StoreError, match="other case"):
        pw.score(pairs.head(2), str(tiny_model), settings=pw.ScoreSettings(case="lower"), directory=tmp_path)


@pytest.mark.parametrize(
    ("model", "options", "error", "message"),
    [
        ("./none", {}, pw.ModelError, "no such file or directory"),
        (" ", {}, pw.ModelError, "no model is named"),
        ("embedded", {"dtype": "float3"}, pw.ConfigError, "score: 'dtype'"),
        ("embedded", {"batch_size": 0}, pw.ConfigError, "score: 'batch_size'"),
    ],
)
def test_a_users_fault_is_one_line(
    pairs: pd.DataFrame, model: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as fault:
        pw.score(pairs, model, **options)
    assert len(str(fault.value).splitlines()) == 1


def made_up(sums: list[tuple[float, float]], tokens: list[tuple[int, int]]) -> pd.DataFrame:
    """Scores of pairs 0, 1, ... from the sums in nats and the numbers of tokens of both sentences."""
    rows = [
        {"pair_id": str(n), "side": side, "sum_logprob": nats, "mean_nll": -nats / size}
        for n, (pair, sizes) in enumerate(zip(sums, tokens, strict=True))
        for side, nats, size in zip(("good", "bad"), pair, sizes, strict=True)
    ]
    return pd.DataFrame(rows)


def test_accuracy_by_both_measures_with_ties_and_wilsons_interval() -> None:
    # The second pair is right by the mean alone, the third is a tie by the sum, the fourth is no number.
    scores = made_up([(-8, -9), (-12, -10), (-5, -5), (float("nan"), -1)], [(4, 4), (8, 4), (4, 5), (1, 1)])
    by_sum, by_mean = pw.accuracy(scores).to_dict("records")
    assert {key: by_sum[key] for key in ("measure", "n", "correct", "ties", "interval", "level")} == {
        "measure": "sum_logprob", "n": 3, "correct": 1, "ties": 1, "interval": "wilson", "level": 0.95
    }  # fmt: skip
    assert (by_sum["accuracy"], by_sum["low"], by_sum["high"]) == (1 / 3, wilson(1, 3).low, wilson(1, 3).high)
    assert (by_mean["measure"], by_mean["correct"], by_mean["ties"]) == ("mean_nll", 2, 0)
    assert pw.accuracy(scores, measure="mean_nll")["correct"].tolist() == [2]

    scores = made_up([(-8, -9), (-12, -10), (float("inf"), 0)], [(4, 4)] * 3)
    pairs = pd.DataFrame({"id": ["0", "1", "2"], "b": ["y", "x", "z"], "a": ["k", "k", "k"]})
    table = pw.accuracy(scores, pairs, by=["a", "b"], measure="sum_logprob")
    assert table[["a", "b", "n"]].values.tolist() == [["k", "y", 1], ["k", "x", 1], ["k", "z", 0]]
    assert np.isnan(table["accuracy"].iloc[2])


def test_clusters_give_the_interval_of_the_report(scored: tuple[pd.DataFrame, pw.Scores], tmp_path: Path) -> None:
    pairs, scores = scored
    table = pw.accuracy(scores, pairs, cluster="rule", measure="sum_logprob")
    low, high = table["low"].item(), table["high"].item()
    assert table["interval"].item() == "clustered"
    page = pw.report(scores, pairs, tmp_path)
    assert f"{100 * low:.1f}–{100 * high:.1f}" in page.with_name("report.md").read_text(encoding="utf-8")
    # Six clusters in all are enough, two are not.
    assert set(pw.accuracy(scores, pairs, by="rule", cluster="rule")["interval"]) == {"wilson"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "rule"}, "give the pairs as well"),
        ({"by": "colour", "pairs": True}, "no column 'colour'; found: id"),
        ({"measure": "slor", "scores": ["slor"]}, "no column 'slor'"),
        ({"by": "level", "pairs": True}, "'level' is the name of a column of results; rename"),
        ({"cluster": "mean_nll", "pairs": True}, "'mean_nll' is the name of a column of results"),
        ({"cluster": "rule", "pairs": 3}, "p3 was scored and is not among them"),
    ],
)
def test_accuracy_names_what_is_missing(
    scored: tuple[pd.DataFrame, pw.Scores], options: dict[str, Any], message: str
) -> None:
    pairs, scores = scored[0].assign(level="A1", mean_nll=0), scored[1]
    given = options.pop("pairs", None)
    table = scores.drop(columns=options.pop("scores", []))
    with pytest.raises(pw.SourceError, match=message):
        pw.accuracy(table, None if given is None else pairs if given is True else pairs.head(given), **options)


def test_the_report_shows_pairs_without_a_release_and_refuses_other_pairs(
    scored: tuple[pd.DataFrame, pw.Scores], tmp_path: Path
) -> None:
    pairs, scores = scored
    page = pw.report([scores], pairs, tmp_path / "report", title="Dienos", by="rule", language="lt")
    assert page == tmp_path / "report" / "index.html"
    for text in (page.read_text(encoding="utf-8"), page.with_name("report.md").read_text(encoding="utf-8")):
        assert "Dienos" in text
        assert "Lithuanian" in text
        assert "rule 3" in text
        assert re.search(f"Unreviewed set, SHA-256 of its pairs: (<code>)?{scores.run.release_sha256}", text)
        for unsaid in ("MANIFEST", "Approvals", "approvals", "Release:", "<dt>Release"):
            assert unsaid not in text
    plain = pw.report(scores, pairs[["id", "sentence_good", "sentence_bad"]], tmp_path).read_text(encoding="utf-8")
    shown = re.sub(r"<(script|style|template).*?</\1>", "", plain, flags=re.DOTALL)
    named = re.sub(r'="[^"]*"', "", shown)
    assert re.findall(r"[^<>]*\brules?\b[^<>]*", named, flags=re.IGNORECASE) == []
    with pytest.raises(pw.ModelError, match="scored on other pairs"):
        pw.report(scores, pairs.head(3), tmp_path)
    with pytest.raises(TypeError, match=r"as score\(\) returned them"):
        pw.report(pd.DataFrame(scores), pairs, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(pw.SourceError, match="no column 'colour'"):
        pw.report(scores, pairs, tmp_path, by="colour")


def test_several_models_are_scored_loaded_again_and_compared(
    scored: tuple[pd.DataFrame, pw.Scores], tiny_model: Path, tmp_path: Path
) -> None:
    pairs, scores = scored
    network, tokenizer = make_tiny_model()
    network.lm_head.weight.data.neg_()
    both = [pw.score(pairs, one) for one in (tiny_model, (network, tokenizer))]
    np.testing.assert_allclose(both[0]["sum_logprob"], scores["sum_logprob"], atol=1e-4)
    (by_sum,) = pw.compare(both, pairs).query("measure == 'sum_logprob'").to_dict("records")
    shares = [pw.accuracy(one, measure="sum_logprob")["accuracy"].item() for one in both]
    assert abs(by_sum["difference"]) == pytest.approx(abs(shares[0] - shares[1]))
    assert by_sum["n"] == 12
    kept = pw.score(pairs, tiny_model, directory=tmp_path)
    loaded = pw.load_scores(tmp_path / kept.run.model.slug)
    pd.testing.assert_frame_equal(pd.DataFrame(loaded), pd.DataFrame(kept))
    assert loaded.run == kept.run
