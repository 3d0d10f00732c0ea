"""Loading models: what is accepted, what the record says of it, and one line for everything that can't be used."""

import json
import os
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_models import put_into_hub_cache, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.ids import file_sha256
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.embedded import REMEMBERED_BYTES, remembered_sha256
from pairwright.models.load.models import load_model, load_tokenizer, warn_of_slow_parts


def safetensors(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Writes other tensors into the file of a model."""
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def refusal(name: str | Path, **options: Any) -> str:
    with pytest.raises(ModelError) as caught:
        load_model(str(name), **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A tiny Llama to damage."""
    return Path(shutil.copytree(tiny_folder("Llama"), tmp_path / "copy"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("PAIRWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_record_of_a_local_model() -> None:
    import torch
    from safetensors.torch import load_file

    directory = tiny_folder("Llama")
    info = load_model(str(directory), device="cpu").info
    tensors = load_file(directory / "model.safetensors")
    assert info.name == "llama"
    assert info.requested == str(directory)
    assert info.architecture == "LlamaForCausalLM"
    assert info.n_parameters == sum(tensor.numel() for tensor in tensors.values())
    assert info.vocabulary_size == len(tensors["lm_head.weight"])
    assert (info.dtype, info.device, info.context_length, info.bos_token_id) == ("float32", "cpu", 256, 2)
    assert info.revision is None
    assert info.weights_sha256 is not None
    assert info.slug == f"llama-{info.weights_sha256[:8]}"
    assert info.packages["torch"] == torch.__version__.split("+")[0]
    assert info.torch_threads == torch.get_num_threads()
    assert info.hardware


def test_the_hash_follows_the_weights_and_not_the_place(copy: Path) -> None:
    original = load_model(str(tiny_folder("Llama")), device="cpu").info
    link = copy.with_name("my-llama")
    link.symlink_to(copy)
    moved = load_model(str(link), device="cpu").info
    assert (moved.name, load_model(f"{copy}/.", device="cpu").info.name) == ("my-llama", copy.name)
    assert moved.weights_sha256 == original.weights_sha256
    assert moved.tokenizer_sha256 == original.tokenizer_sha256
    safetensors(copy, lambda tensors: tensors["lm_head.weight"].add_(1))
    changed = load_model(str(copy), device="cpu").info
    assert changed.weights_sha256 != original.weights_sha256
    assert changed.slug != moved.slug


@pytest.mark.usefixtures("cache")
def test_loading_prints_nothing_and_leaves_the_settings_alone(
    tiny_gguf: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from transformers.utils import logging

    directory = tiny_folder("Llama")
    before = (logging.get_verbosity(), logging.is_progress_bar_enabled())
    capfd.readouterr()
    load_model(str(directory), device="cpu")
    load_model(str(tiny_gguf), device="cpu")
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


def test_a_gguf_file_gives_the_weights_that_it_holds_and_is_converted_once(tiny_gguf: Path, cache: Path) -> None:
    import torch
    from safetensors.torch import load_file

    loaded = load_model(str(tiny_gguf), device="cpu")
    wanted = load_file(tiny_folder("Qwen2") / "model.safetensors")
    found = loaded.model.state_dict()
    assert set(found) == set(wanted)
    assert all(torch.equal(found[name], tensor) for name, tensor in wanted.items())
    assert loaded.info.name == "tiny-qwen2"
    assert loaded.info.weights_sha256 == file_sha256(tiny_gguf)
    text = "Žąsys šaukė 12 kartų."
    assert loaded.tokenizer.decode(loaded.tokenizer(text, add_special_tokens=False)["input_ids"]) == text
    [outcome] = CausalScorer(loaded, ScoreSettings()).score([text])
    assert isinstance(outcome, SentenceScore)
    [weights] = cache.glob("models/*/model.safetensors")
    before = weights.stat()
    load_model(str(tiny_gguf), device="cpu")
    assert (weights.stat().st_ino, weights.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_gguf_file_that_is_loaded_in_half_precision_is_kept_so(
    tiny_gguf: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    half = load_model(str(tiny_gguf), device="cpu", dtype="bfloat16")
    load_tokenizer(str(tiny_gguf))
    [small] = cache.glob("models/*/model.safetensors")
    full = load_model(str(tiny_gguf), device="cpu")
    [large] = set(cache.glob("models/*/model.safetensors")) - {small}
    assert small.stat().st_size < 0.6 * large.stat().st_size
    found = half.model.state_dict()
    assert all(torch.equal(found[name], it.bfloat16()) for name, it in full.model.state_dict().items())
    monkeypatch.setenv("PAIRWRIGHT_CACHE", str(tmp_path / "other"))
    load_model(str(tiny_gguf), device="cpu")
    again = load_model(str(tiny_gguf), device="cpu", dtype="bfloat16")
    assert len(list(tmp_path.glob("other/models/*/model.safetensors"))) == 1
    assert all(torch.equal(found[name], it) for name, it in again.model.state_dict().items())


@pytest.mark.usefixtures("cache")
def test_large_weights_are_hashed_once_until_they_change(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(bytes(REMEMBERED_BYTES))
    first, times = remembered_sha256(path), path.stat()
    assert first == file_sha256(path)
    path.write_bytes(b"1" + bytes(REMEMBERED_BYTES - 1))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert remembered_sha256(path) == first  # not read again
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    assert remembered_sha256(path) == file_sha256(path) != first


def test_parts_that_found_no_room_on_the_gpus_are_named(caplog: pytest.LogCaptureFixture) -> None:
    network: Any = load_model(str(tiny_folder("Llama")), device="cpu").model
    network.hf_device_map = {"model.embed_tokens": 0, "model.layers.0": 0}
    warn_of_slow_parts(network, "large")
    assert not caplog.messages
    network.hf_device_map |= {"model.layers.1": "cpu", "lm_head": "disk"}
    warn_of_slow_parts(network, "large")
    [message] = caplog.messages
    assert "large: 2 of 4 parts (model.layers.1 ...)" in message


@pytest.mark.usefixtures("cache")
def test_whoever_looks_on_sees_that_a_model_is_being_unpacked(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    load_model(str(tiny_gguf), device="cpu")
    assert f"unpacking {tiny_gguf.stem}, once" in capsys.readouterr().err


def test_what_a_killed_conversion_left_is_built_again_where_the_cache_can_be_written(
    tiny_gguf: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_model(str(tiny_gguf), device="cpu")
    [weights] = cache.glob("models/*/model.safetensors")
    weights.with_name("pairwright.json").unlink()
    weights.write_bytes(weights.read_bytes()[:1000])
    load_model(str(tiny_gguf), device="cpu")
    assert weights.with_name("pairwright.json").exists()
    assert weights.stat().st_size > 1000
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("PAIRWRIGHT_CACHE", str(tmp_path / "file"))
    assert "PAIRWRIGHT_CACHE" in refusal(tiny_gguf)


@pytest.mark.parametrize("cut_off", ["model.safetensors", "tokenizer.json"])
def test_a_full_disk_leaves_no_half_model(
    cut_off: str, tiny_gguf: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource", reason="file size limits are a thing of POSIX")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    load_model(str(tiny_gguf), device="cpu")
    [whole] = cache.glob(f"models/*/{cut_off}")
    room = whole.stat().st_size - 1
    monkeypatch.setenv("PAIRWRIGHT_CACHE", str(tmp_path / "full"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        message = refusal(tiny_gguf)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "can't keep the converted model" in message
    assert [path.suffix for path in (tmp_path / "full" / "models").iterdir()] == [".lock"]


def test_a_damaged_gguf_file(tiny_gguf: Path, cache: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.gguf"
    half.write_bytes(tiny_gguf.read_bytes()[:5000])
    assert "half.gguf: this GGUF file can't be read" in refusal(half)
    assert not list(cache.glob("models/*/*"))
    other = tmp_path / "other.gguf"
    other.write_text("a text")
    assert "other.gguf: not a GGUF file" in refusal(other)
    assert "no such file" in refusal(tmp_path / "none.gguf")


def pickled(copy: Path) -> None:
    import torch

    (copy / "model.safetensors").unlink()
    torch.save({"weight": torch.zeros(1)}, copy / "pytorch_model.bin")


def without(*names: str) -> Callable[[Path], None]:
    def damage(copy: Path) -> None:
        for name in names:
            (copy / name).unlink()

    return damage


def cut(name: str, keep: int) -> Callable[[Path], object]:
    return lambda copy: (copy / name).write_bytes((copy / name).read_bytes()[:keep])


def of_another_kind(family: str, model_type: str) -> Callable[[Path], object]:
    told = {"model_type": model_type, "architectures": [family], "is_encoder_decoder": model_type == "t5"}
    return lambda copy: (copy / "config.json").write_text(json.dumps(told))


def half_downloaded(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy / "model-00001-of-00002.safetensors")
    parts = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (copy / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": parts}))


def with_other_head(change: Callable[[Any], Any]) -> Callable[[Path], object]:
    return lambda copy: safetensors(copy, lambda tensors: tensors.update(change(tensors.pop("lm_head.weight"))))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (pickled, "no safetensors weights there; convert the model to safetensors, as pickle files may run code"),
        (without("model.safetensors"), "no safetensors weights"),
        (without("config.json"), "no config.json there"),
        (without("tokenizer.json", "tokenizer_config.json"), "no tokenizer there"),
        (cut("model.safetensors", -1000), "its weights can't be loaded"),
        (cut("tokenizer.json", 1), "its tokenizer can't be loaded"),
        (cut("config.json", 1), "its config.json can't be used"),
        (of_another_kind("BertForQuestionAnswering", "bert"), "is no language model that scores words"),
        (of_another_kind("T5EncoderModel", "t5"), "is no language model that scores words"),
        (half_downloaded, "model-00002-of-00002.safetensors is missing, as after an interrupted download"),
        (with_other_head(lambda head: {}), "lm_head.weight"),
        (with_other_head(lambda head: {"lm_head.weight": head[:-1].clone()}), "lm_head.weight"),
    ],
)
def test_what_is_damaged_or_no_model_is_named(damage: Callable[[Path], object], message: str, copy: Path) -> None:
    damage(copy)
    assert message in refusal(copy)


@pytest.mark.parametrize(
    ("architecture", "changed", "weight"),
    [
        ("GPT2", {"n_layer": 1}, "transformer.h.1."),
        ("GPT2", {"n_layer": 3}, "transformer.h.2."),
        ("Llama", {"attention_bias": True}, "q_proj.bias"),
        ("Llama", {"num_attention_heads": 2}, "q_proj.weight"),
        ("Bert", {"num_hidden_layers": 1}, "bert.encoder.layer.1."),
        ("T5", {"num_decoder_layers": 1}, "decoder.block.1."),
    ],
)
def test_a_configuration_that_uses_other_weights_than_the_files_hold_is_refused(
    architecture: str, changed: dict[str, Any], weight: str, tmp_path: Path
) -> None:
    assert weight in refusal(configured(architecture, tmp_path, changed))


def configured(architecture: str, folder: Path, changed: dict[str, Any]) -> Path:
    """A copy of a tiny model under another configuration."""
    copy = Path(shutil.copytree(tiny_folder(architecture), folder / "copy"))
    path = copy / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    return copy


@pytest.mark.parametrize(
    ("architecture", "beside"),
    [
        ("GPT2", ["transformer.h.0.attn.bias", "transformer.h.1.attn.masked_bias", "score.weight"]),
        ("Llama", ["model.layers.0.self_attn.rotary_emb.inv_freq"]),
        ("Bert", ["bert.pooler.dense.weight", "cls.seq_relationship.bias", "bert.embeddings.position_ids"]),
    ],
)
def test_what_other_tasks_and_older_versions_stored_beside_a_model_may_be_left_over(
    architecture: str, beside: list[str], tmp_path: Path
) -> None:
    import torch

    copy = shutil.copytree(tiny_folder(architecture), tmp_path / "copy")
    safetensors(copy, lambda tensors: tensors.update({key: torch.zeros(4) for key in beside}))
    assert load_model(str(copy), device="cpu").info.n_parameters > 0


@pytest.mark.parametrize(
    ("architecture", "changed"),
    [
        ("GPT2", {"n_layer": 90_000}),
        ("GPT2", {"vocab_size": 10**9}),
        ("GPT2", {"num_labels": 10**9}),
        ("Gemma3Text", {"num_hidden_layers": 10**9, "layer_types": None}),
        ("Mixtral", {"num_local_experts": 10**9}),
        ("Bert", {"num_hidden_layers": 1e9}),
    ],
    ids=str,
)
def test_a_configuration_far_larger_than_the_weights_is_refused_before_it_is_built(
    architecture: str, changed: dict[str, Any], tmp_path: Path
) -> None:
    load_model(str(tiny_folder(architecture)), device="cpu")  # what is imported is imported
    copy = configured(architecture, tmp_path, changed)
    before, start = peak_memory(), time.monotonic()
    assert "config.json" in refusal(copy)
    assert time.monotonic() - start < 10
    assert peak_memory() - before < 300


def peak_memory() -> float:
    """In MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_a_hub_that_can_not_be_reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub.constants

    address = "http://127.0.0.1:9"
    urls = {"ENDPOINT": address, "HUGGINGFACE_CO_URL_TEMPLATE": address + "/{repo_id}/resolve/{revision}/{filename}"}
    for name, value in ({"HF_HUB_CACHE": str(tmp_path)} | urls).items():
        monkeypatch.setattr(huggingface_hub.constants, name, value)
    message = refusal("pairwright/no-such-model")
    assert message.startswith("pairwright/no-such-model: not on this machine, and the hub can't give it")
    assert "give a local directory, or download it where there is network" in message


def test_a_hub_model_that_was_downloaded_before_needs_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    commit = put_into_hub_cache("Llama", tmp_path)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    info = load_model("own-group/tiny", device="cpu").info
    assert (info.name, info.slug) == ("own-group/tiny", "own-group--tiny")
    assert (info.revision, info.weights_sha256) == (commit, None)
    for weights in tmp_path.rglob("*.safetensors"):
        weights.rename(weights.with_name("pytorch_model.bin"))
    assert "own-group/tiny: no safetensors weights" in refusal("own-group/tiny")
    assert refusal("embeded").endswith("; did you mean embedded?")


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "a/b/c", "", "~/no-model-here", "two words"])
def test_a_name_that_is_nothing(name: str) -> None:
    assert "give a local directory" in refusal(name)


@pytest.mark.parametrize("device", ["meteor", "cuda:99"])
def test_a_device_that_is_not_there(device: str) -> None:
    assert f"device '{device}' can't be used here" in refusal(tiny_folder("Llama"), device=device)
