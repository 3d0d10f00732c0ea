"""An evaluation on disk: its rows, its record, what is left out with a reason, and when it is made again."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kept_scores import read_scores

from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, StoreError
from pairwright.core.records import Rejection
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import ReleasePair
from pairwright.core.store import read_jsonl
from pairwright.evaluate.scoring.inputs.outcomes import SentenceScore
from pairwright.evaluate.scoring.runs.evaluation import answered_run, evaluate, finished_run, make_plan
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.registry import request_key
from pairwright.models.load.models import LoadedModel, load_model
from pairwright.models.load.settings import ModelSettings

TOO_LONG = "Labai " + "ilgai " * 300 + "laukėme."
SHA256 = "a" * 64
SETTINGS = ScoreSettings(batch_size=4)


def run(pairs: list[ReleasePair], model: LoadedModel, directory: Path, **changes: Any) -> EvaluationRun:
    options = {"release": "own-1.0", "release_sha256": SHA256, **changes}
    return evaluate(pairs, CausalScorer(model, SETTINGS), SETTINGS, directory, **options)


def steps(pairs: list[ReleasePair], model: LoadedModel, directory: Path, **changes: Any) -> list[int]:
    """The progress of an evaluation; empty where it was fresh."""
    seen: list[int] = []
    run(pairs, model, directory, progress=seen.append, **changes)
    return seen


def test_rows_are_the_scores_of_both_sides_in_the_order_of_the_release(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    scores, _ = read_scores(tmp_path)
    assert [(score.pair_id, score.side) for score in scores] == [
        (pair.id, side) for pair in pairs for side in ("good", "bad")
    ]
    assert [score.sentence for score in scores] == [
        sentence for pair in pairs for sentence in (pair.sentence_good, pair.sentence_bad)
    ]
    for score in scores:
        [alone] = CausalScorer(model, SETTINGS).score([score.sentence])
        assert isinstance(alone, SentenceScore)
        assert score.sum_logprob == pytest.approx(alone.sum_logprob, abs=1e-3)
        assert (score.n_tokens, score.n_bytes) == (alone.n_tokens, len(score.sentence.encode()))


def test_the_table_opens_in_other_programs_with_units(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    table = pq.read_table(tmp_path / "scores.parquet")
    names = "pair_id side sentence n_tokens n_bytes n_chars sum_logprob unigram_sum_logprob token_logprobs token_starts"
    assert table.column_names == [*names.split(), "mean_nll", "slor"]
    assert table.schema.field("sum_logprob").metadata == {b"unit": b"nats"}
    for row in table.to_pylist():
        assert row["mean_nll"] == pytest.approx(-row["sum_logprob"] / row["n_tokens"])
        assert row["mean_nll"] > 0


def test_the_record_of_a_run(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    returned = run(pairs, model, tmp_path)
    written = EvaluationRun.model_validate_json((tmp_path / "run.json").read_text())
    assert written == returned == read_scores(tmp_path)[1]
    assert (written.release, written.release_sha256) == ("own-1.0", SHA256)
    assert (written.n_pairs, written.n_scored, written.n_rejected, written.n_sentences) == (3, 3, 0, 5)
    assert written.model == model.info
    assert written.policy.bos == "auto"
    assert written.first_token_scored
    assert written.sentences_per_second > 0
    assert written.started_at.endswith("+00:00")
    assert written.started_at <= written.finished_at


def test_a_pair_that_can_not_be_scored_is_kept_with_its_reason(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    broken = make_released("Labai ilgai laukėme.", TOO_LONG, id="pair-long")
    record = run([pairs[0], broken, pairs[1]], model, tmp_path)
    assert (record.n_pairs, record.n_scored, record.n_rejected) == (3, 2, 1)
    scores, _ = read_scores(tmp_path)
    assert {score.pair_id for score in scores} == {"pair-0", "pair-1"}
    [rejection] = read_jsonl(tmp_path / "scores.rejected.jsonl", Rejection)
    assert rejection.stage == "score"
    assert rejection.text == TOO_LONG
    assert rejection.source_id == broken.source_id
    assert rejection.reason.startswith("pair-long, bad sentence: longer than the model's context")


def test_a_model_that_can_score_nothing_has_failed_and_nothing_is_kept(model: LoadedModel, tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"none of the 1 pair got a score; pair-long, good sentence: longer than"
    ) as caught:
        run([make_released(TOO_LONG, "", id="pair-long")], model, tmp_path / "scored")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "scored").exists()


def test_a_finished_evaluation_is_not_made_again(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    seen = steps(pairs, model, tmp_path)
    assert seen == sorted(seen)
    assert seen[-1] == len(pairs)
    first = run(pairs, model, tmp_path)
    assert steps(pairs, model, tmp_path) == []
    assert run(pairs, model, tmp_path) == first
    plan = make_plan(CausalScorer(model, SETTINGS), SETTINGS, "own-1.0", SHA256)
    assert finished_run(tmp_path, plan) == first


def test_a_request_finds_its_finished_evaluation_until_model_settings_or_release_change(
    pairs: list[ReleasePair], tiny_directory: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(tiny_directory("Llama"), tmp_path / "llama")
    asked = ModelSettings(name=str(folder))

    def key(model: ModelSettings = asked, sha256: str = SHA256, **changes: Any) -> str:
        found = request_key(model, SETTINGS.model_copy(update=changes), sha256)
        assert found is not None
        return found

    first, evaluations = key(), tmp_path / "evaluations"
    done = run(pairs, load_model(str(folder), device="cpu"), evaluations / "llama", request=first)
    assert answered_run(evaluations, first) == done
    assert key(batch_tokens=7, shard_pairs=1) == first
    # A label is another name of the same scores: whoever asks for one gets no other, whoever asks for none gets any.
    assert key(asked.model_copy(update={"label": "x"})) == first
    assert answered_run(evaluations, first, "x") is None
    assert answered_run(evaluations, first, done.model.name) == done
    others = [key(bos="never"), key(dtype="float64"), key(sha256="b" * 64)]
    (folder / "tokenizer.json").touch()
    others.append(key())
    assert len({first, *others}) == 5
    assert not any(answered_run(evaluations, other) for other in others)
    # Files that were only touched hold the same model: once it was loaded, this is known.
    assert run(pairs, load_model(str(folder), device="cpu"), evaluations / "llama", request=key()).files == done.files
    assert answered_run(evaluations, key())
    (evaluations / "llama" / "scores.parquet").write_bytes(b"")
    assert answered_run(evaluations, key()) is None


def test_what_is_not_on_this_machine_has_no_request() -> None:
    for name in ("own-group/tiny", "./nowhere", "a/b/c", " ", "http://localhost:8000/v1"):
        assert request_key(ModelSettings(name=name), SETTINGS, SHA256) is None


def test_another_release_of_the_same_name_is_scored_again(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    assert steps(pairs, model, tmp_path, release_sha256="b" * 64)
    assert steps(pairs, model, tmp_path, release_sha256="b" * 64) == []


def test_scores_of_other_weights_or_another_policy_are_not_written_over(
    pairs: list[ReleasePair], model: LoadedModel, tiny_model: Callable[[str], LoadedModel], tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="with other weights; to keep both, give this one a label"):
        run(pairs, tiny_model("GPT2"), tmp_path)
    unscored = SETTINGS.model_copy(update={"first_token": "unscored", "case": "lower"})
    with pytest.raises(StoreError, match="with other first_token, case"):
        evaluate(pairs, CausalScorer(model, unscored), unscored, tmp_path, release="own-1.0", release_sha256=SHA256)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["scores.parquet", "scores.rejected.jsonl", "run.json"])
def test_a_file_that_is_gone_or_damaged_is_named_and_made_again(
    name: str, pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match=name) as damaged:
        read_scores(tmp_path)
    path.unlink()
    with pytest.raises(StoreError, match="evaluate the release") as gone:
        read_scores(tmp_path)
    assert all("\n" not in str(caught.value) for caught in (damaged, gone))
    assert steps(pairs, model, tmp_path)
    assert len(read_scores(tmp_path)[0]) == 2 * len(pairs)


def test_tokens_and_slor_stand_in_the_table(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Mums trūksta laiko.\n", encoding="utf-8")
    settings = ScoreSettings(tokens=True, unigrams=str(corpus))
    scorer = CausalScorer(model, settings)
    before = run(pairs, model, tmp_path / "out")
    record = evaluate(pairs, scorer, settings, tmp_path / "out", release="own-1.0", release_sha256=SHA256)
    assert record.unigrams == scorer.unigrams
    assert record.key != before.key  # tokens can be asked for later
    scores, _ = read_scores(tmp_path / "out")
    table = pq.read_table(tmp_path / "out/scores.parquet").to_pylist()
    for score, row in zip(scores, table, strict=True):
        assert score.token_logprobs is not None
        assert len(score.token_logprobs) == len(score.token_starts or ()) == score.n_tokens
        assert score.unigram_sum_logprob is not None
        wanted = (score.sum_logprob - score.unigram_sum_logprob) / score.n_tokens
        assert score.slor == pytest.approx(wanted)
        assert row["slor"] == pytest.approx(wanted)
        assert score.n_chars == len(score.sentence)
