"""A tiny causal language model with random weights that reads bytes."""

from pathlib import Path
from typing import Any


def save_tiny_model(folder: Path, positions: int = 128) -> Path:
    """Writes the model and its tokenizer into a folder, and returns it. It reads so many bytes at most."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(["<s>", *alphabet])}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer_class: Any = transformers.PreTrainedTokenizerFast
    tokenizer_class(tokenizer_object=core, bos_token="<s>", eos_token="<s>").save_pretrained(folder)
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
    model_class(config).save_pretrained(folder)
    return folder
