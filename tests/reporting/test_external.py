"""What other tools say of the same pairs is compared with ours, and what matches nothing is named."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from report_parts import Given, make_evaluation, make_pair, make_release

from pairwright.core.errors import ReleaseError
from pairwright.core.records.release import Release, ReleasePair
from pairwright.reporting.analysis.comparisons import FREQUENCY, LENGTH, TOKENS
from pairwright.reporting.analysis.inputs import ReportInputs, read_inputs
from pairwright.reporting.analysis.summary import summarise
from pairwright.reporting.external import read_euroeval, read_frequencies, read_lm_eval, read_minicons

MINICONS = "good_sentence,bad_sentence"
SCORES = f"{MINICONS},good_score,bad_score"


def sample(pair: ReleasePair, good: float, bad: float, number: int = 0) -> dict[str, Any]:
    """A line of lm-evaluation-harness's samples, as version 0.4 writes it for a task in BLiMP's layout."""
    doc = {"sentence_good": pair.sentence_good, "sentence_bad": pair.sentence_bad, "pair_id": pair.id}
    return {
        "doc_id": number,
        "doc": doc,
        "target": "0",
        "arguments": {"gen_args_0": {"arg_0": "", "arg_1": pair.sentence_good}},
        "resps": [[[str(good), "False"]], [[str(bad), "False"]]],
        "filtered_resps": [[str(good), "False"], [str(bad), "False"]],
        "filter": "none",
        "metrics": ["acc"],
        "acc": float(good > bad),
    }


def lines(path: Path, rows: Sequence[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def euroeval(model: str, value: float, dataset: str = "multi-wiki-qa-lt", language: str = "lt") -> dict[str, Any]:
    """A line of EuroEval's results, as version 16.11 writes it."""
    total = {"test_f1": value, "test_f1_se": float("nan"), "test_em": value / 2, "test_em_se": float("nan")}
    return {
        "dataset": dataset,
        "task": "reading-comprehension",
        "languages": [language],
        "model": model,
        "results": {"raw": [{"test_f1": value / 100, "test_em": value / 200}], "total": total},
        "num_model_parameters": 1,
        "few_shot": True,
        "validation_split": False,
    }


def test_lm_eval_and_ours_are_compared_pair_by_pair(tmp_path: Path, release: Release, given: dict[str, Given]) -> None:
    """Ours: right, wrong, right, tie by the sum; theirs are right on the first two."""
    rows = [sample(pair, -9.0 if n < 2 else -11.0, -10.0, n) for n, pair in enumerate(release.pairs)]
    folder = lines(tmp_path / "org__tiny" / "samples_lt_2026-01-01.jsonl", rows).parent
    inputs = read_inputs(release, lm_eval=[str(folder)])
    (tool,) = summarise(release, [make_evaluation(release, given)], inputs).rows("tools")
    assert (tool["their_name"], tool["model"], tool["n"]) == ("org/tiny", "tiny", 4)
    assert (tool["theirs"], tool["ours"], tool["n_differ"]) == (0.5, 0.5, 2)


def test_samples_of_other_pairs_count_for_nothing_and_other_models_are_named(
    tmp_path: Path, release: Release, given: dict[str, Given]
) -> None:
    other = release.pairs[0].model_copy(update={"sentence_good": "Kitas sakinys."})
    path = lines(tmp_path / "samples_x.jsonl", [sample(release.pairs[0], -1, -1), sample(other, -1, -2)])
    result = read_lm_eval(path, "someone/else", release.pairs)
    assert result.verdicts == {release.pairs[0].id: False}
    summary = summarise(release, [make_evaluation(release, given)], ReportInputs(pair_results=(result,)))
    assert list(summary["unmatched"]["model"]) == ["someone/else (lm-evaluation-harness)"]


def test_results_of_euroeval_stand_beside_the_models_that_were_scored(
    tmp_path: Path, release: Release, given: dict[str, Given]
) -> None:
    run = make_evaluation(release, given, name="org/a", slug="a")
    rows = [euroeval("org/a@main", 21.0), euroeval("org/a", 90.0, language="lv"), euroeval("org/e", 50.0)]
    path = lines(tmp_path / "results.jsonl", rows)
    summary = summarise(release, [run], read_inputs(release, euroeval=[path]))
    assert list(summary["unmatched"]["model"]) == ["org/e (EuroEval)"]
    assert list(summary["other_tasks"]["value"]) == [0.21]


def test_of_euroeval_the_test_split_counts_and_speed_does_not(tmp_path: Path) -> None:
    speed = {"results": {"raw": [], "total": {"test_speed": 1400.0, "test_speed_se": 2.0}}, "task": "speed"}
    rows = [
        euroeval("org/a", 5.0) | {"validation_split": True},
        euroeval("org/a", 40.0),
        euroeval("org/a", 70.0) | {"validation_split": True},
        euroeval("org/b", 30.0) | {"validation_split": True},
        euroeval("org/a", 0.0, dataset="speed") | speed,
    ]
    found = read_euroeval(lines(tmp_path / "euroeval_benchmark_results.jsonl", rows), "lt")
    assert [(item.model, item.metric, item.value) for item in found] == [("org/a", "f1", 0.4), ("org/b", "f1", 0.3)]


def test_minicons_sums_and_means_in_one_table_are_both_compared(
    tmp_path: Path, release: Release, given: dict[str, Given]
) -> None:
    """The sums prefer each good sentence, the means each second one. Any separator will do."""
    rows = [f'"{p.sentence_good}";{p.sentence_bad};-10;-12;-3;{-2 - n % 2 * 2}' for n, p in enumerate(release.pairs)]
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(["good_sentence;bad_sentence;good_sum;bad_sum;good_score;bad_score", *rows]), encoding="utf-8-sig"
    )
    inputs = read_inputs(release, minicons=[f"tiny={path}"])
    tools = summarise(release, [make_evaluation(release, given)], inputs).rows("tools")
    assert {row["measure"]: row["theirs"] for row in tools} == {"sum_logprob": 1.0, "mean_nll": 0.5}


def test_the_confounds_take_word_frequency_where_it_is_given(tmp_path: Path) -> None:
    """Score differences that follow from the frequency of the changed word alone."""
    words = [f"žodis{chr(97 + n % 26)}" for n in range(60)]
    release = make_release(
        # The marks around a word are none of its letters.
        [make_pair(n, f"{n} »{word}«…", f"{n} kas{'s' * (n % 3)}.", code=f"3.{n % 9}") for n, word in enumerate(words)]
    )
    path = tmp_path / "words.tsv"
    counts = {word: 10 ** (1 + (ord(word[-1]) - 97) / 5) for word in words}
    lines = [f"{word}\t{count / 2}\n{word.upper()}\t{count / 2}\n" for word, count in counts.items()]
    path.write_text("".join(lines), encoding="utf-8")
    given = {
        p.id: ((-20.0 + 3 * (ord(word[-1]) - 97), 4 + n % 2), (-20.0, 5 - n % 3))
        for n, (p, word) in enumerate(zip(release.pairs, words, strict=True))
    }
    inputs = read_inputs(release, frequencies=path)
    found = summarise(release, [make_evaluation(release, given)], inputs).rows("confounds", measure="sum_logprob")
    values = {row["property"]: row["coefficient"] for row in found}
    assert set(values) == {LENGTH, TOKENS, FREQUENCY}
    assert values[FREQUENCY] == pytest.approx(1, abs=0.02)
    assert abs(values[LENGTH]) < 0.05
    assert found[0]["r2"] > 0.99


@pytest.mark.parametrize(
    ("read", "name", "text", "message"),
    [
        ("lm_eval", "samples_a.jsonl", '{"doc": {}}\n', r"samples_a\.jsonl:1: not a sample of a minimal pair"),
        ("lm_eval", "samples_a.jsonl", "", "no pair of this release"),
        ("euroeval", "r.jsonl", '{"dataset": "x"}\n', r"r\.jsonl:1: not a result of EuroEval"),
        ("euroeval", "r.jsonl", "", "no result for language lt"),
        ("minicons", "m.csv", "a,b\n1,2\n", "no columns with both sentences; name them good_sentence"),
        ("minicons", "m.csv", f"{MINICONS}\n1,2\n", "no columns with both scores; name means per token good_score"),
        ("minicons", "m.csv", f"{SCORES}\na,b,x,1\n", r"m\.csv:2: 'x' and '1' are no two scores"),
        ("minicons", "m.csv", f"{SCORES}\nMums trūksta laiko.,Mums trūksta laikas.,31.5,32.5\n",
         r"m\.csv: scores above zero, as surprisals are, in 1 row"),
        ("frequencies", "f.tsv", "žodis\t-3\n", r"f\.tsv:1: not a word and its count"),
    ],
)  # fmt: skip
def test_a_file_that_can_not_be_read_is_named_with_its_line(
    tmp_path: Path, release: Release, read: str, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    readers: dict[str, Callable[[], object]] = {
        "lm_eval": lambda: read_lm_eval(path, "tiny", release.pairs),
        "euroeval": lambda: read_euroeval(path, "lt"),
        "minicons": lambda: read_minicons(path, "tiny", release.pairs),
        "frequencies": lambda: read_frequencies(path),
    }
    with pytest.raises(ReleaseError, match=message) as caught:
        readers[read]()
    assert "\n" not in str(caught.value)
