"""From what a user names to a model that scores: kinds of models, models.toml, several devices."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kept_scores import read_scores
from tiny_models import put_into_hub_cache, tiny_folder

from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.store import write_jsonl
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.runs.evaluation import evaluate
from pairwright.evaluate.scoring.runs.workers import EvaluationTask, devices_of, evaluate_on
from pairwright.evaluate.scoring.scorers.registry import TemporaryDownload, open_scorer, request_key, settings_for
from pairwright.models.load.settings import ModelSettings, read_models


@pytest.mark.parametrize(
    ("architecture", "kind"), [("GPT2", "causal"), ("Bert", "masked-pll"), ("T5", "seq2seq"), ("Mamba", "causal")]
)
def test_the_kind_of_a_model_is_told_from_its_files(architecture: str, kind: str) -> None:
    model = ModelSettings(name=str(tiny_folder(architecture)), label="Own model, base")
    scorer = open_scorer(model, ScoreSettings(device="cpu"))
    assert (scorer.policy.kind, scorer.info.name) == (kind, "Own model, base")
    assert scorer.info.slug.startswith("Own-model-base-")
    [outcome] = scorer.score(["Mums trūksta laiko."])
    assert isinstance(outcome, SentenceScore)


def test_models_toml_lists_models_with_their_own_settings(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(
        '[[model]]\nname = "embedded"\n\n[[model]]\nname = "own/model"\nlabel = "Own"\ndtype = "bfloat16"\n'
        'revision = "main"\nquantisation = "8bit"\nbatch_tokens = 4096\nchat = "Write a sentence."\nkeep = false\n'
    )
    first, second = read_models(path)
    assert settings_for(first, ScoreSettings(dtype="float64")).dtype == "float64"
    own = settings_for(second, ScoreSettings(dtype="float64", tokens=True))
    assert (own.dtype, own.batch_tokens, own.chat, own.tokens) == ("bfloat16", 4096, "Write a sentence.", True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "'model'"),
        ('[[model]]\nname = "a"\ndtype = "int4"\n', "models.toml:3"),
        ('[[model]]\nname = "a"\nbatchsize = 4\n', "unknown key 'model.0.batchsize'"),
        ("[[model]\n", "not valid TOML"),
    ],
)
def test_a_models_toml_that_can_not_be_used(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(content)
    with pytest.raises(ModelError, match=r"models\.toml") as caught:
        read_models(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bits", ["8bit", "4bit"])
def test_a_quantised_model_scores_and_says_nothing_at_every_product(
    bits: str, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("bitsandbytes", reason="bitsandbytes is optional: pip install bitsandbytes")
    model = ModelSettings(name=str(tiny_folder("Llama even")), quantisation=bits)
    scorer = open_scorer(model, ScoreSettings(device="cpu"))
    plain = open_scorer(ModelSettings(name=model.name), ScoreSettings(device="cpu"))
    found, wanted = (
        one.sum_logprob
        for by in (scorer, plain)
        for one in by.score(["Mums trūksta laiko."])
        if isinstance(one, SentenceScore)
    )
    assert scorer.info.quantisation == bits
    assert found != wanted
    assert found == pytest.approx(wanted, rel=0.2)
    assert "will be cast" not in caplog.text


def test_quantisation_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pairwright.models.load.models.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="quantisation needs bitsandbytes"):
        open_scorer(ModelSettings(name=str(tiny_folder("GPT2")), quantisation="4bit"), ScoreSettings(device="cpu"))


def own_code(directory: Path, ran: Path) -> Path:
    """A model whose repository brings a class of its own, which notes that it ran."""
    (directory / "own.py").write_text(
        f"open({str(ran)!r}, 'w').close()\n"
        "from transformers import LlamaConfig, LlamaForCausalLM\n"
        "class OwnConfig(LlamaConfig):\n    model_type = 'own'\n"
        "class OwnForCausalLM(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    path = directory / "config.json"
    changes = {
        "model_type": "own",
        "architectures": ["OwnForCausalLM"],
        "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"},
    }
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return directory


def test_code_of_a_model_is_run_only_where_it_is_trusted_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    ran = tmp_path / "ran"
    path = own_code(Path(shutil.copytree(tiny_folder("Llama"), tmp_path / "own")), ran)
    with pytest.raises(ModelError, match="trust_remote_code = true"):
        open_scorer(ModelSettings(name=str(path)), ScoreSettings(device="cpu"))
    assert not ran.exists()
    scorer = open_scorer(ModelSettings(name=str(path), trust_remote_code=True), ScoreSettings(device="cpu"))
    plain = open_scorer(ModelSettings(name=str(tiny_folder("Llama"))), ScoreSettings(device="cpu"))
    assert ran.exists()
    assert list(scorer.score(["Ne."])) == list(plain.score(["Ne."]))


def test_a_model_that_was_there_before_is_never_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    model = ModelSettings(name="own-group/tiny", keep=False)
    fetched_later = TemporaryDownload(model)
    assert request_key(model, ScoreSettings(), "a" * 64) is None
    commit = put_into_hub_cache("GPT2", tmp_path)
    here_before = TemporaryDownload(model)
    assert request_key(model, ScoreSettings(), "a" * 64) is not None
    here_before.delete(commit)
    assert list(tmp_path.glob("models--own-group--tiny/snapshots/*/config.json"))
    fetched_later.delete(commit)
    assert not list(tmp_path.glob("models--own-group--tiny/snapshots/*/config.json"))


def test_devices_are_read_from_the_setting() -> None:
    import torch

    assert devices_of("auto") == ["auto"]
    assert devices_of("cpu, cpu") == ["cpu", "cpu"]
    # A run is never joined from devices whose numbers differ.
    with pytest.raises(ModelError, match=r"one kind|torch sees"):
        devices_of("cpu, cuda:0")
    if not torch.cuda.is_available():
        with pytest.raises(ModelError, match="torch sees no GPU"):
            devices_of("all")


def task(directory: Path, pairs: Path, evaluations: Path, **changes: Any) -> EvaluationTask:
    settings = ScoreSettings(shard_pairs=2, device="cpu")
    return EvaluationTask(
        ModelSettings(name=str(directory), **changes), settings, pairs, evaluations, "own-1.0", "a" * 64
    )


@pytest.mark.parametrize(
    ("n_pairs", "n_devices", "shard_pairs", "n_shards"), [(9, 2, 1000, 2), (40, 4, 8, 8), (5, 4, 1, 5)]
)
def test_each_device_gets_as_many_shards_as_the_others(
    n_pairs: int, n_devices: int, shard_pairs: int, n_shards: int, tmp_path: Path
) -> None:
    write_jsonl(tmp_path / "pairs.jsonl", [make_released(f"Ne {n}.", f"Na {n}.") for n in range(n_pairs)])
    given = task(tmp_path, tmp_path / "pairs.jsonl", tmp_path)
    given = replace(given, settings=given.settings.model_copy(update={"shard_pairs": shard_pairs}))
    assert given.shared_by(n_devices).n_shards == n_shards


@pytest.mark.slow
def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    pairs = [make_released(f"Mums trūksta laiko {n}.", f"Mums trūksta laikas {n}.") for n in range(9)]
    write_jsonl(tmp_path / "pairs.jsonl", pairs)
    both = task(tiny_folder("GPT2"), tmp_path / "pairs.jsonl", tmp_path / "two")
    seen: list[int] = []
    record = evaluate_on(["cpu", "cpu"], both, seen.append, lambda text: None)
    assert (record.n_pairs, record.n_scored, seen[-1]) == (9, 9, 9)
    scorer = open_scorer(both.model, both.settings)
    evaluate(pairs, scorer, both.settings, tmp_path / "one", release="own-1.0", release_sha256="a" * 64)
    two = tmp_path / "two" / record.model.slug
    there, here = read_scores(two)[0], read_scores(tmp_path / "one")[0]
    assert [(score.pair_id, score.side) for score in there] == [(score.pair_id, score.side) for score in here]
    for score, same in zip(there, here, strict=True):
        assert score.sum_logprob == pytest.approx(same.sum_logprob, abs=1e-4)
    assert evaluate_on(["cpu", "cpu"], both, seen.append, lambda text: None) == record


@pytest.mark.slow
def test_a_process_that_fails_is_one_line(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "pairs.jsonl", [make_released("Ne.", "Na.")])
    with pytest.raises(ModelError, match=r"no config\.json there"):
        evaluate_on(["cpu", "cpu"], task(tmp_path, tmp_path / "pairs.jsonl", tmp_path), print, print)
