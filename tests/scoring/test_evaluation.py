"""An evaluation on disk: its rows, its record, what is left out with a reason, and when it is made again."""

import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kept_scores import read_scores
from tiny_models import PAIRS, tiny, tiny_folder

from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.errors import StoreError
from pairwright.core.records import Rejection
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import ReleasePair
from pairwright.core.store import read_jsonl
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.runs.evaluation import answered_run, evaluate, finished_run, make_plan
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.registry import request_key
from pairwright.models.load.models import LoadedModel, load_model
from pairwright.models.load.settings import ModelSettings

TOO_LONG = "Labai " + "ilgai " * 300 + "laukėme."
SHA256 = "a" * 64
SETTINGS = ScoreSettings(batch_size=4)


def run(
    pairs: list[ReleasePair], model: LoadedModel, directory: Path, settings: ScoreSettings = SETTINGS, **changes: Any
) -> EvaluationRun:
    options = {"release": "own-1.0", "release_sha256": SHA256, **changes}
    return evaluate(pairs, CausalScorer(model, settings), settings, directory, **options)


def test_the_table_and_the_record_of_a_run(model: LoadedModel, tmp_path: Path) -> None:
    """A row for each side, in the order of the release, which opens in other programs with units."""
    returned = run(PAIRS, model, tmp_path)
    scores, written = read_scores(tmp_path)
    sides = [(pair.id, side, getattr(pair, f"sentence_{side}")) for pair in PAIRS for side in ("good", "bad")]
    assert [(score.pair_id, score.side, score.sentence) for score in scores] == sides
    alone = {it.sentence: it for one in scores for it in CausalScorer(model, SETTINGS).score([one.sentence])}
    for score in scores:
        one = alone[score.sentence]
        assert isinstance(one, SentenceScore)
        assert score.sum_logprob == pytest.approx(one.sum_logprob, abs=1e-3)
        assert (score.n_tokens, score.n_bytes) == (one.n_tokens, len(score.sentence.encode()))
        assert score.mean_nll == pytest.approx(-score.sum_logprob / score.n_tokens)
    table = pq.read_table(tmp_path / "scores.parquet")
    names = "pair_id side sentence n_tokens n_bytes n_chars sum_logprob unigram_sum_logprob token_logprobs token_starts"
    assert table.column_names == [*names.split(), "mean_nll", "slor"]
    assert table.schema.field("sum_logprob").metadata == {b"unit": b"nats"}
    assert written == returned
    assert (written.release, written.release_sha256) == ("own-1.0", SHA256)
    assert (written.n_pairs, written.n_scored, written.n_rejected, written.n_sentences) == (3, 3, 0, 5)
    assert (written.model, written.policy.bos, written.first_token_scored) == (model.info, "auto", True)
    assert written.sentences_per_second > 0
    assert written.started_at.endswith("+00:00")
    assert written.started_at <= written.finished_at


def test_tokens_and_slor_stand_in_the_table_when_asked_for_later(model: LoadedModel, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Mums trūksta laiko.\n", encoding="utf-8")
    before = run(PAIRS, model, tmp_path / "out")
    settings = ScoreSettings(tokens=True, unigrams=str(corpus))
    record = run(PAIRS, model, tmp_path / "out", settings)
    assert (record.unigrams or "").startswith("corpus.txt, SHA-256 ")
    assert record.key != before.key
    for score in read_scores(tmp_path / "out")[0]:
        assert len(score.token_logprobs) == len(score.token_starts) == score.n_tokens
        assert score.slor == pytest.approx((score.sum_logprob - score.unigram_sum_logprob) / score.n_tokens)
        assert score.n_chars == len(score.sentence)


def test_a_pair_that_can_not_be_scored_is_kept_with_its_reason(model: LoadedModel, tmp_path: Path) -> None:
    broken = make_released("Labai ilgai laukėme.", TOO_LONG, id="pair-long")
    record = run([PAIRS[0], broken, PAIRS[1]], model, tmp_path)
    assert (record.n_pairs, record.n_scored, record.n_rejected) == (3, 2, 1)
    scores, _ = read_scores(tmp_path)
    assert {score.pair_id for score in scores} == {"pair-0", "pair-1"}
    [rejection] = read_jsonl(tmp_path / "scores.rejected.jsonl", Rejection)
    assert rejection.stage == "score"
    assert rejection.text == TOO_LONG
    assert rejection.source_id == broken.source_id
    assert rejection.reason.startswith("pair-long, bad sentence: longer than the model's context")


def test_a_finished_evaluation_is_not_made_again_and_another_release_of_its_name_is(
    model: LoadedModel, tmp_path: Path
) -> None:
    seen: list[int] = []
    first = run(PAIRS, model, tmp_path, progress=seen.append)
    assert (seen, seen[-1]) == (sorted(seen), len(PAIRS))
    seen.clear()
    assert run(PAIRS, model, tmp_path, progress=seen.append) == first
    assert finished_run(tmp_path, make_plan(CausalScorer(model, SETTINGS), SETTINGS, "own-1.0", SHA256)) == first
    assert seen == []
    run(PAIRS, model, tmp_path, release_sha256="b" * 64, progress=seen.append)
    assert seen


def test_a_request_finds_its_finished_evaluation_until_model_settings_or_release_change(tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_folder("Llama"), tmp_path / "llama")
    asked = ModelSettings(name=str(folder))

    def key(model: ModelSettings = asked, sha256: str = SHA256, **changes: Any) -> str:
        found = request_key(model, SETTINGS.model_copy(update=changes), sha256)
        assert found is not None
        return found

    first, evaluations = key(), tmp_path / "evaluations"
    done = run(PAIRS, load_model(str(folder), device="cpu"), evaluations / "llama", request=first)
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
    assert run(PAIRS, load_model(str(folder), device="cpu"), evaluations / "llama", request=key()).files == done.files
    assert answered_run(evaluations, key())
    (evaluations / "llama" / "scores.parquet").write_bytes(b"")
    assert answered_run(evaluations, key()) is None
    # What is not on this machine has no request.
    for name in ("own-group/tiny", "./nowhere", "a/b/c", " ", "http://localhost:8000/v1"):
        assert request_key(ModelSettings(name=name), SETTINGS, SHA256) is None


def test_scores_of_other_weights_or_another_policy_are_not_written_over(model: LoadedModel, tmp_path: Path) -> None:
    run(PAIRS, model, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="with other weights; to keep both, give this one a label"):
        run(PAIRS, tiny("GPT2"), tmp_path)
    unscored = SETTINGS.model_copy(update={"first_token": "unscored", "case": "lower"})
    with pytest.raises(StoreError, match="with other first_token, case"):
        run(PAIRS, model, tmp_path, unscored)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["scores.parquet", "scores.rejected.jsonl", "run.json"])
def test_a_file_that_is_gone_or_damaged_is_named_and_made_again(name: str, model: LoadedModel, tmp_path: Path) -> None:
    run(PAIRS, model, tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match=name):
        read_scores(tmp_path)
    path.unlink()
    with pytest.raises(StoreError, match="evaluate the release"):
        read_scores(tmp_path)
    run(PAIRS, model, tmp_path)
    assert len(read_scores(tmp_path)[0]) == 2 * len(PAIRS)
