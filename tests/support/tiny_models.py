"""Tiny models with random weights and a real byte-level BPE tokenizer, saved as a user would save a model."""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from made_records import make_released
from pairwright.models.load.models import LoadedModel, load_model

_FOLDER = TemporaryDirectory()
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
PAIRS = [make_released(good, bad, id=f"pair-{number}") for number, (good, bad) in enumerate(GOOD_BAD)]
WIDTH = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
USUAL = {**WIDTH, "num_key_value_heads": 2, "max_position_embeddings": 256}
# Wide weights make the tiny models sure of themselves, so that a wrong position or mask shows in the numbers.
COMMON: dict[str, Any] = {"initializer_range": 0.4, "tie_word_embeddings": False}
ARCHITECTURES: dict[str, dict[str, Any]] = {
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256},
    "Llama": USUAL,
    "Qwen2": USUAL,
    "Gemma2": {
        **USUAL,
        "head_dim": 8,
        "sliding_window": 4,
        "final_logit_softcapping": 3.0,
        "attn_logit_softcapping": 2.0,
    },
    "Gemma3Text": {
        **{**USUAL, "head_dim": 8, "sliding_window": 4},
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "Granite": {**USUAL, "logits_scaling": 4.0},
    "OPT": {
        **{"hidden_size": 32, "word_embed_proj_dim": 16, "num_hidden_layers": 2, "num_attention_heads": 4},
        **{"ffn_dim": 64, "max_position_embeddings": 256, "init_std": 0.4},
    },
    "Bloom": {"hidden_size": 32, "n_layer": 2, "n_head": 4},
    "Mistral": {**USUAL, "sliding_window": 6},
    "GPTNeoX": {**WIDTH, "max_position_embeddings": 256, "rotary_pct": 0.25},
    "Mamba": {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 8},
    "Mixtral": {**USUAL, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None},
    "Bert": {**WIDTH, "max_position_embeddings": 128},
    "Roberta": {**WIDTH, "max_position_embeddings": 128, "type_vocab_size": 1},
    "T5": {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0},
}
# Wide ones have no limit to what a layer sees, so that all their sequences can be packed; dynamic positions are kept in
# the model from batch to batch; even weights suffer rounding to a few bits.
VARIANTS: dict[str, dict[str, Any]] = {
    "Gemma3Text wide": {"sliding_window": 512},
    "Gemma2 wide": {"sliding_window": 512},
    "Llama dynamic": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 2.0}},
    "Llama even": {"hidden_size": 64, "intermediate_size": 128, "initializer_range": 0.1},
}
LOADERS = {"Bert": "AutoModelForMaskedLM", "Roberta": "AutoModelForMaskedLM", "T5": "AutoModelForSeq2SeqLM"}


def build_tokenizer(architecture: str) -> Any:
    """A byte-level tokenizer with the special tokens of the architecture, around the text where it is a masked one."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    fast: Any = PreTrainedTokenizerFast
    masked, named = architecture in ("Bert", "Roberta"), {}
    others = ["<mask>"] if masked else []
    if architecture != "Qwen2":
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


@cache
def tiny_folder(name: str) -> Path:
    """The folder of a tiny model of an architecture, or of one of VARIANTS; built once."""
    path = Path(_FOLDER.name, name.replace(" ", "-"), name.partition(" ")[0].lower())
    tokenizer = build_tokenizer(name.partition(" ")[0])
    for part in (tokenizer, build_model(name.partition(" ")[0], tokenizer, **VARIANTS.get(name, {}))):
        part.save_pretrained(path)
    return path


@cache
def tiny(name: str) -> LoadedModel:
    """A tiny model, loaded in float32 on the CPU; once."""
    return load_model(str(tiny_folder(name)), device="cpu")


def put_into_hub_cache(name: str, cache: Path) -> str:
    """A tiny model as `own-group/tiny` in a cache of the hub; gives its commit."""
    commit, repository = "c" * 40, cache / "models--own-group--tiny"
    shutil.copytree(tiny_folder(name), repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    return commit
