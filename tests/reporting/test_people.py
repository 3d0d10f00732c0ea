"""What people say is read from what they send, counted as they meant it, and compared with models."""

from pathlib import Path

import numpy as np
import pytest
from report_parts import Given, make_evaluation, numbered
from scipy.stats import pearsonr

from pairwright.core.errors import ReviewError
from pairwright.core.records.release import Release
from pairwright.reporting.analysis.comparisons import ALL, rating_differences
from pairwright.reporting.analysis.inputs import ReportInputs
from pairwright.reporting.analysis.summary import summarise
from pairwright.reporting.external import HumanChoice, HumanRating, read_judgements


def test_ratings_and_choices_are_read_from_csv_and_jsonl(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text(
        "rater;pair_id;side;rating;seconds\nR1;pair-1;good;7;3.2\nR1;pair-1;bad;2;4\n", encoding="utf-8-sig"
    )
    assert read_judgements(table) == [
        HumanRating(pair_id="pair-1", side="good", rater="R1", rating=7),
        HumanRating(pair_id="pair-1", side="bad", rater="R1", rating=2),
    ]
    chosen = tmp_path / "choices.jsonl"
    chosen.write_text('{"pair_id": "pair-1", "rater": "R1", "choice": "bad", "phenomenon": "case"}\n', encoding="utf-8")
    assert read_judgements(chosen) == [HumanChoice(pair_id="pair-1", rater="R1", choice="bad", phenomenon="case")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "pair_id,rater,side,rating\np,R1,good,seven\n", r"a\.csv:2: rating: "),
        ("a.csv", "pair_id,rater,side,rating\np,R1,good,nan\n", r"a\.csv:2: rating: not a finite number"),
        ("a.csv", "pair_id,rater,side,rating\np,R1,good,7\np,R1,good,6\n", r"a\.csv:3: p R1 good is on line 2 too"),
        ("a.csv", "pair_id,rater\np,R1\n", r"a\.csv:2: side: field required; it needs columns pair_id, rater"),
        ("a.csv", "", "no judgement in it"),
        ("missing.csv", None, "no such file"),
    ],
)
def test_a_judgement_that_can_not_be_used_is_named_with_its_line(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ReviewError, match=message):
        read_judgements(path)


def test_score_differences_are_correlated_with_ratings_by_phenomenon() -> None:
    generator = np.random.default_rng(8)
    release = numbered(f"{3 + n % 2}.1" for n in range(24))
    ratings = [
        HumanRating(pair_id=p.id, side=side, rater=f"R{r}", rating=float(generator.integers(1, 8)))
        for r in range(5)
        for p in release.pairs
        for side in ("good", "bad")
    ]
    people = rating_differences(ratings)
    given = {key: ((-20.0 + value + generator.normal(), 4), (-20.0, 5)) for key, value in people.items()}
    stranger = HumanRating(pair_id="pair-stranger", side="good", rater="R0", rating=4.0)
    summary = summarise(release, [make_evaluation(release, given)], ReportInputs(judgements=(*ratings, stranger)))
    assert summary.rows("people") == [{"n_raters": 5, "unknown": ["pair-stranger"]}]
    (whole,) = summary.rows("alignment", phenomenon=ALL, measure="sum_logprob")
    with_stranger = rating_differences([*ratings, stranger])
    differences = [given[key][0][0] + 20.0 for key in people]
    assert whole["pearson"] == pytest.approx(pearsonr([with_stranger[key] for key in people], differences).statistic)
    assert set(summary["alignment"]["phenomenon"]) == {ALL, "case 3", "case 4"}


def test_forced_choices_stand_beside_the_models_on_the_same_pairs(release: Release, given: dict[str, Given]) -> None:
    first, second, *_ = (pair.id for pair in release.pairs)
    votes = {first: ("good", "good", "bad"), second: ("bad", "bad", "good")}
    choices = tuple(
        HumanChoice(pair_id=key, rater=f"R{n}", choice=choice)
        for key, chosen in votes.items()
        for n, choice in enumerate(chosen)
    )
    summary = summarise(release, [make_evaluation(release, given)], ReportInputs(judgements=choices))
    (found,) = summary.rows("choices")
    assert [found[name] for name in ("n_choices", "n_pairs", "share", "majority")] == [6, 2, 0.5, 1]
    assert [row["accuracy"] for row in summary.rows("choices_by_model")] == [0.5]
