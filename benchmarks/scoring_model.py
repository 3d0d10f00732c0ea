"""A causal model with random weights of any size, to measure speed with.

    python benchmarks/scoring_model.py FOLDER [--layers 16] [--width 2048] [--dtype bfloat16]

A Llama with the tokenizer of the embedded model; 16 layers of width 2,048 make 1.5 billion parameters.
"""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any


def make_model(folder: Path, layers: int, width: int, dtype: str) -> int:
    """Writes the model into a folder; the number of its parameters."""
    import torch
    import transformers

    from pairwright.models.load.embedded import embedded_model

    source = embedded_model().directory
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(source)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        num_key_value_heads=width // 256,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(11)
    loader: Any = transformers.AutoModelForCausalLM
    network = loader.from_config(config, dtype=getattr(torch, dtype))
    network.save_pretrained(folder)
    for path in source.glob("tokenizer*"):
        shutil.copy(path, folder)
    return int(network.num_parameters())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--dtype", default="bfloat16")
    options = parser.parse_args()
    print(f"{make_model(options.folder, options.layers, options.width, options.dtype):,} parameters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
