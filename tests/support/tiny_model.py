"""A tiny causal language model with random weights that reads bytes."""

from pathlib import Path
from typing import Any


def make_tiny_model(positions: int = 128) -> tuple[Any, Any]:
    """The model, the same one each time, and its tokenizer. It reads so many bytes at most."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(["<s>", *alphabet])}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer_class: Any = transformers.PreTrainedTokenizerFast
    tokenizer = tokenizer_class(tokenizer_object=core, bos_token="<s>", eos_token="<s>")
    torch.manual_seed(11)
    config_class: Any = transformers.GPT2Config
    config = config_class(
        vocab_size=len(alphabet) + 1,
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=positions,
        bos_token_id=0,
        eos_token_id=0,
    )
    model_class: Any = transformers.GPT2LMHeadModel
    return model_class(config).eval(), tokenizer


def save_tiny_model(folder: Path, positions: int = 128) -> Path:
    """Writes the model and its tokenizer into a folder, and returns it."""
    for part in make_tiny_model(positions):
        part.save_pretrained(folder)
    return folder
