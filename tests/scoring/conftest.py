"""A tiny model of llama's kind, and one in a GGUF file."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_models import tiny, tiny_folder

from pairwright.models.load.models import LoadedModel


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models are slower on several threads than on one, far slower where other programs use the processor."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Qwen2 model as a GGUF file in float32."""
    import gguf
    from transformers import AutoModelForCausalLM, AutoTokenizer

    directory = tiny_folder("Qwen2")
    network = AutoModelForCausalLM.from_pretrained(directory)
    config, path = network.config, tmp_path_factory.mktemp("gguf") / "tiny-qwen2.gguf"
    core = json.loads(AutoTokenizer.from_pretrained(directory).backend_tokenizer.to_str())
    vocabulary = sorted(core["model"]["vocab"], key=core["model"]["vocab"].get)
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_name("tiny")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(vocabulary)
    writer.add_token_types([3 if token in ("<pad>", "</s>", "<s>") else 1 for token in vocabulary])
    writer.add_token_merges([" ".join(pair) for pair in core["model"]["merges"]])
    writer.add_eos_token_id(1)
    writer.add_pad_token_id(0)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN2, config.num_hidden_layers)
    for name, tensor in network.state_dict().items():
        writer.add_tensor(str(names.get_name(name, try_suffixes=(".weight", ".bias"))), tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def model() -> LoadedModel:
    return tiny("Llama")
