"""Tiny causal models with random weights and a real byte-level BPE tokenizer, saved as a user would save a model."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from made_records import make_released
from pairwright.core.records.release import ReleasePair
from pairwright.models.load.models import LoadedModel, load_model

SENTENCES = (
    "Rytas buvo šaltas, todėl vaikai ilgai laukė autobuso.",
    "Rytas buvo šaltas, todėl vaikai ilgai laukė autobusą.",
    "Mums trūksta laiko.",
    "Mums trūksta laikas.",
    "Sniegas.",
    "Ar jau matėte mūsų naująjį kaimyną, kuris praėjusį antradienį atsikraustė iš Klaipėdos ir kasdien groja smuiku?",
    "Yağmur yağıyordu, ama çocuklar bahçede oynamaya devam etti.",
    "The keys to the cabinet are on the table.",
    "The keys to the cabinet is on the table.",
    "Ką čia padarysi – gyvenimas eina toliau, o darbo vis nemažėja ir nemažėja, nors sėdime iki vėlyvos nakties.",
    "Mano pra\u0301šymas buvo trumpas: palikite <s>mane</s> ramybėje 😀!",
    "Ne.",
)
GOOD_BAD = (
    ("Mums trūksta laiko.", "Mums trūksta laikas."),
    ("Jie laukia traukinio.", "Jie laukia traukinį."),
    ("Jie laukia traukinio.", "Jie laukia traukiniui."),
)
WIDTH = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
# Wide weights make the tiny models sure of themselves, so that a wrong position or mask shows in the numbers.
COMMON: dict[str, Any] = {"initializer_range": 0.4, "tie_word_embeddings": False}
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256},
    "Llama": {**WIDTH, "num_key_value_heads": 2, "max_position_embeddings": 256},
    "Qwen2": {**WIDTH, "num_key_value_heads": 2, "max_position_embeddings": 256},
    "Gemma2": {
        **WIDTH,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "sliding_window": 4,
        "max_position_embeddings": 256,
        "final_logit_softcapping": 3.0,
        "attn_logit_softcapping": 2.0,
    },
    "Gemma3Text": {
        **WIDTH,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "sliding_window": 4,
        "layer_types": ["sliding_attention", "full_attention"],
        "max_position_embeddings": 256,
    },
    "Granite": {**WIDTH, "num_key_value_heads": 2, "max_position_embeddings": 256, "logits_scaling": 4.0},
    "OPT": {
        "hidden_size": 32,
        "word_embed_proj_dim": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "ffn_dim": 64,
        "max_position_embeddings": 256,
        "init_std": 0.4,
    },
    "Bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "Qwen3": {**WIDTH, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 256},
    "Mistral": {**WIDTH, "num_key_value_heads": 2, "max_position_embeddings": 256, "sliding_window": 6},
    "GPTNeoX": {**WIDTH, "max_position_embeddings": 256, "rotary_pct": 0.25},
    "Mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 8},
    "Mixtral": {
        **WIDTH,
        "num_key_value_heads": 2,
        "max_position_embeddings": 256,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "sliding_window": None,
    },
    "Bert": {**WIDTH, "max_position_embeddings": 128},
    "Roberta": {**WIDTH, "max_position_embeddings": 128, "type_vocab_size": 1},
    "T5": {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0},
}
# Wide ones have no limit to what a layer sees, so that all their sequences can be packed; dynamic positions are kept in
# the model from batch to batch; even weights suffer rounding to a few bits.
VARIANTS: dict[str, dict[str, Any]] = {
    "Gemma3Text wide": {"sliding_window": 512},
    "Gemma2 wide": {"sliding_window": 512},
    "Mistral wide": {"sliding_window": None},
    "Llama dynamic": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 2.0}},
    "Llama even": {"hidden_size": 64, "intermediate_size": 128, "initializer_range": 0.1},
}
LOADERS = {"Bert": "AutoModelForMaskedLM", "Roberta": "AutoModelForMaskedLM", "T5": "AutoModelForSeq2SeqLM"}
WITHOUT_BOS = ("Qwen2", "Qwen3")


def build_tokenizer(architecture: str) -> Any:
    """A byte-level tokenizer with the special tokens of the architecture, around the text where it is a masked one."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    fast: Any = PreTrainedTokenizerFast
    masked, named = architecture in ("Bert", "Roberta"), {}
    others = ["<mask>"] if masked else []
    if architecture not in WITHOUT_BOS:
        named["bos_token"] = "<s>"
    if masked:
        named["mask_token"] = "<mask>"
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=["<pad>", "</s>", "<s>", *others],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(SENTENCES, trainer)
    if masked:
        core.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", 1)])
    if architecture == "T5":
        core.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return fast(tokenizer_object=core, eos_token="</s>", pad_token="<pad>", **named)


def build_model(architecture: str, tokenizer: Any, **changes: Any) -> Any:
    import torch
    import transformers

    config_class = getattr(transformers, f"{architecture}Config")
    loader: Any = getattr(transformers, LOADERS.get(architecture, "AutoModelForCausalLM"))
    special = {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}
    torch.manual_seed(7)
    common = {**COMMON, **special, "vocab_size": len(tokenizer)}
    config = config_class(**{**common, **ARCHITECTURES[architecture], **changes})
    return loader.from_config(config).eval()


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models are slower on several threads than on one, far slower where other programs use the processor."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def sentences() -> tuple[str, ...]:
    return SENTENCES


@pytest.fixture(scope="session")
def tiny_directory(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The directory of a tiny model of an architecture, or of one of VARIANTS; built once."""
    built: dict[str, Path] = {}

    def directory(name: str) -> Path:
        if name not in built:
            architecture = name.partition(" ")[0]
            path = tmp_path_factory.mktemp("models") / architecture.lower()
            tokenizer = build_tokenizer(architecture)
            tokenizer.save_pretrained(path)
            build_model(architecture, tokenizer, **VARIANTS.get(name, {})).save_pretrained(path)
            built[name] = path
        return built[name]

    return directory


@pytest.fixture(scope="session")
def tiny_model(tiny_directory: Callable[[str], Path]) -> Callable[[str], LoadedModel]:
    """A tiny model of an architecture, loaded in float32 on the CPU; once."""
    loaded: dict[str, LoadedModel] = {}

    def load(name: str) -> LoadedModel:
        if name not in loaded:
            loaded[name] = load_model(str(tiny_directory(name)), device="cpu")
        return loaded[name]

    return load


@pytest.fixture(scope="session")
def tiny_gguf(tiny_directory: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Qwen2 model as a GGUF file in float32."""
    import gguf
    from transformers import AutoModelForCausalLM, AutoTokenizer

    directory = tiny_directory("Qwen2")
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
def pairs() -> list[ReleasePair]:
    return [make_released(good, bad, id=f"pair-{number}") for number, (good, bad) in enumerate(GOOD_BAD)]


@pytest.fixture
def model(tiny_model: Callable[[str], LoadedModel]) -> LoadedModel:
    return tiny_model("Llama")
