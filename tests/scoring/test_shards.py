"""A run in shards: little in memory, stopped or killed at any moment, damaged on disk, and always the same result."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kept_scores import read_scores
from tiny_models import tiny, tiny_folder

from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.errors import StoreError
from pairwright.core.records import Rejection
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import ReleasePair
from pairwright.core.store import read_jsonl
from pairwright.evaluate.scoring.runs.evaluation import evaluate, join, make_plan, score_shards
from pairwright.evaluate.scoring.scorers.causal import Batch, BatchResult, CausalScorer
from pairwright.models.load.models import LoadedModel, load_model

TOO_LONG = "Labai " + "ilgai " * 300 + "laukėme."
SHA256 = "a" * 64


def many(count: int) -> list[ReleasePair]:
    """Pairs of which some can't be scored and some are ties."""
    found = []
    for number in range(count):
        bad = TOO_LONG if number % 7 == 3 else f"Mums trūksta laikas {number}."
        good = bad if number % 11 == 5 else f"Mums trūksta laiko {number}."
        found.append(make_released(good, bad, id=f"pair-{number:03d}"))
    return found


def by_shards(
    pairs: Iterable[ReleasePair], model: LoadedModel, directory: Path, size: int = 5, **options: Any
) -> EvaluationRun:
    settings = ScoreSettings(shard_pairs=size)
    scorer = CausalScorer(model, settings)
    return evaluate(pairs, scorer, settings, directory, release="own-1.0", release_sha256=SHA256, **options)


def test_shards_join_to_what_one_shard_gives(model: LoadedModel, tmp_path: Path) -> None:
    pairs = many(23)
    record = by_shards(iter(pairs), model, tmp_path / "shards")
    whole = by_shards(pairs, model, tmp_path / "whole", 1000)
    one, other = read_scores(tmp_path / "shards")[0], read_scores(tmp_path / "whole")[0]
    assert [(score.pair_id, score.side) for score in one] == [(score.pair_id, score.side) for score in other]
    for score, same in zip(one, other, strict=True):
        assert score.sum_logprob == pytest.approx(same.sum_logprob, abs=1e-3)
    assert (record.n_pairs, record.n_scored, record.n_ties) == (whole.n_pairs, whole.n_scored, whole.n_ties)
    assert (record.n_pairs, record.n_rejected, record.n_ties) == (23, 3, 2)
    assert len(list(read_jsonl(tmp_path / "shards/scores.rejected.jsonl", Rejection))) == record.n_rejected
    files = sorted(path.name for path in (tmp_path / "shards").iterdir())
    assert files == ["run.json", "scores.parquet", "scores.rejected.jsonl"]


def test_only_one_shard_of_pairs_stands_in_memory(model: LoadedModel, tmp_path: Path) -> None:
    """The pairs come one by one, and the first shards are on disk before the last pairs are asked for."""
    finished: list[int] = []

    def stream() -> Iterator[ReleasePair]:
        for pair in many(23):
            finished.append(len(list((tmp_path / "shards").glob("*.parquet"))))
            yield pair

    by_shards(stream(), model, tmp_path)
    assert finished == [number // 5 for number in range(23)]


class Device(CausalScorer):
    """Gives the numbers of the processor as a GPU does, whose results are waited for.

    under_way  at each wait, how many batches had been begun and not been waited for
    """

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        super().__init__(model, settings)
        self._ahead = 4
        self.under_way: list[int] = []
        self._n_begun = 0

    def _start(self, batch: Batch) -> BatchResult:
        result = super()._start(batch)
        self._n_begun += 1

        def wait() -> Any:
            self.under_way.append(self._n_begun - len(self.under_way))
            return result.wait()

        return result._replace(wait=wait)


def test_a_device_gets_the_next_shards_before_one_is_written(tmp_path: Path) -> None:
    pairs, settings = many(23), ScoreSettings(shard_pairs=2, cpu_kernels="off")
    device, plain = Device(tiny("Llama"), settings), CausalScorer(tiny("Llama"), settings)
    for name, scorer in (("device", device), ("plain", plain)):
        evaluate(pairs, scorer, settings, tmp_path / name, release="own-1.0", release_sha256=SHA256)
    assert read_scores(tmp_path / "device")[0] == read_scores(tmp_path / "plain")[0]
    # The first batch goes alone; at the end no more are left.
    assert device.under_way == [1, *[5] * 7, 4, 3, 2, 1]


class Stopped(Exception):
    """Someone stops the run."""


def stopped_after(most: int, model: LoadedModel, directory: Path) -> list[ReleasePair]:
    """Pairs whose run was stopped when it had scored more than so many of them."""
    pairs = many(23)

    def stop(done: int) -> None:
        if done > most:
            raise Stopped

    with pytest.raises(Stopped):
        by_shards(pairs, model, directory, progress=stop)
    return pairs


def test_a_stopped_run_goes_on_after_its_last_shard_and_ends_the_same(model: LoadedModel, tmp_path: Path) -> None:
    pairs = stopped_after(12, model, tmp_path / "stopped")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "stopped/shards").glob("*.parquet")}
    assert sorted(before) == ["000000.parquet", "000001.parquet"]
    seen: list[int] = []
    by_shards(pairs, model, tmp_path / "stopped", progress=seen.append)
    assert seen[:2] == [5, 10]
    by_shards(pairs, model, tmp_path / "whole")
    for name in ("scores.parquet", "scores.rejected.jsonl"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def elsewhere(model: LoadedModel) -> LoadedModel:
    """The same model as if a GPU computed it."""
    return replace(model, info=model.info.model_copy(update={"device": "cuda:1", "hardware": "Own GPU"}))


def test_what_another_device_left_is_scored_again_and_said_in_one_line(model: LoadedModel, tmp_path: Path) -> None:
    pairs = stopped_after(12, elsewhere(model), tmp_path / "stopped")
    notices: list[str] = []
    seen: list[int] = []
    record = by_shards(pairs, model, tmp_path / "stopped", progress=seen.append, notice=notices.append)
    [notice] = notices
    assert "was computed in float32 on cuda (Own GPU)" in notice
    assert "this one is in float32 on cpu" in notice
    assert "\n" not in notice
    assert seen[0] < 5
    assert record.model == model.info
    by_shards(pairs, model, tmp_path / "whole")
    assert (tmp_path / "stopped/scores.parquet").read_bytes() == (tmp_path / "whole/scores.parquet").read_bytes()


def test_another_number_of_threads_is_another_computation(tmp_path: Path) -> None:
    import torch

    plans = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        scorer = CausalScorer(load_model(str(tiny_folder("Llama")), device="cpu"), ScoreSettings())
        plans.append(make_plan(scorer, ScoreSettings(), "own-1.0", SHA256))
    torch.set_num_threads(1)
    assert plans[0].key == plans[1].key
    assert plans[0].config_key != plans[1].config_key


def test_shards_of_different_devices_are_never_joined(model: LoadedModel, tmp_path: Path) -> None:
    pairs, settings = many(8), ScoreSettings(shard_pairs=4)
    plans, shards = [], []
    for name, part, loaded in (("here", 0, model), ("there", 1, elsewhere(model))):
        scorer = CausalScorer(loaded, settings)
        plans.append(make_plan(scorer, settings, "own-1.0", SHA256))
        shards.append(score_shards(pairs, scorer, settings, tmp_path / name, plans[-1])[part])
    with pytest.raises(StoreError, match=r"000001\.parquet: computed in float32 on cuda \(Own GPU\)"):
        join(tmp_path / "here", plans[0], shards, "")


def test_a_full_disk_is_one_line_and_keeps_what_is_finished(model: LoadedModel, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="file size limits are a thing of POSIX")
    pairs = many(23)
    by_shards(pairs, model, tmp_path / "whole")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Room for a shard, and not for the joined table.
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "whole/scores.parquet").stat().st_size - 1, before[1]))
    try:
        with pytest.raises(StoreError, match="can't be written") as caught:
            by_shards(pairs, model, tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "finished shards are kept" in str(caught.value)
    assert len(list((tmp_path / "full/shards").glob("*.parquet"))) == 5
    by_shards(pairs, model, tmp_path / "full")
    assert (tmp_path / "full/scores.parquet").read_bytes() == (tmp_path / "whole/scores.parquet").read_bytes()
