"""ScaLA against EuroEval's own program: the same sentences, the same splits, the same corrupted sentences.

    python benchmarks/scala_original.py FOLDER TREEBANK.conllu... [--sentences 120 --draws 1500]

FOLDER is src/scripts/dataset_creation of a checkout of EuroEval. The functions of create_scala.py and load_ud_pos.py
are run. Their corruptions are not seeded, so sets are compared: all that many draws give of a sentence.
"""

import argparse
import importlib
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from pairwright.core.records import Block
from pairwright.core.text import squeeze
from pairwright.documents.flowing.treebank import read_treebank
from pairwright.extras.scala.corruption import Corrupter, Kind, Sentence, fit_sentences
from pairwright.extras.scala.dataset import split_sizes, splits
from scala import source_of

# What the program imports to fetch and to publish.
NETWORK = {
    "requests": (),
    "tqdm": (),
    "tqdm.auto": ("tqdm",),
    "huggingface_hub": (),
    "huggingface_hub.hf_api": ("HfApi",),
}


def original(folder: Path) -> tuple[Any, Any]:
    """The two modules of the program; packages that it needs for the network may be missing."""
    for name, contents in NETWORK.items():
        try:
            importlib.import_module(name)
        except ImportError:
            module = ModuleType(name)
            for item in contents:
                setattr(module, item, None)
            sys.modules[name] = module
    sys.path.insert(0, str(folder))
    return importlib.import_module("create_scala"), importlib.import_module("load_ud_pos")


def eligible_rows(loader: Any, path: Path) -> Any:
    """What the program's `main` leaves of a treebank."""
    rows = loader._load_split(lines=path.read_text(encoding="utf-8").split("\n"))
    rows = rows.drop_duplicates(subset="doc").reset_index(drop=True)
    rows = rows[rows.tokens.map(lambda tokens: len(tokens) > 5) & rows.pos_tags.map(lambda tags: len(set(tags)) > 5)]
    rows = rows[rows.doc.map(lambda doc: doc.count('"') % 2 == 0 and doc.count("=") <= 1)]
    return rows[rows.pos_tags.map(lambda tags: tags[0] not in ["PUNCT", "SYM"])]


def report(program: Any, loader: Any, path: Path, n_sentences: int, draws: int) -> None:
    source = source_of(path)
    blocks = [item for item in read_treebank(path, path.name, source, "utf-8", 10**9) if isinstance(item, Block)]
    sentences = [sentence for sentence, unfit in fit_sentences(blocks) if not unfit]
    rows = eligible_rows(loader, path)
    ours = [sentence.block.text for sentence in sentences]
    same = list(map(squeeze, rows.doc)) == ours
    print(f"{path.name}: {len(rows)} and {len(sentences)} eligible, {'the same' if same else 'not the same'}")
    if not same:
        return
    train, validation, test = split_sizes(len(sentences))
    theirs = program.make_splits(df=rows, train_size=train, val_size=validation, test_size=test)
    for name, frame in zip(("train", "val", "test", "full_train"), theirs, strict=True):
        own = [sentence.block.text for sentence in splits(sentences, 4242)[name]]
        print(f"   {name}: {len(frame)} sentences, {'the same' if list(map(squeeze, frame.doc)) == own else 'others'}")
    functions: dict[Kind, Any] = {"delete": program.delete, "flip_neighbours": program.flip_neighbours}
    for kind, function in functions.items():
        differ = 0
        for sentence, row in zip(sentences[:n_sentences], rows.itertuples(), strict=False):
            random.seed(1)
            made = {function(list(row.tokens), list(row.pos_tags)) for _ in range(draws)} - {None}
            differ += made != corrupted(sentence, kind, 2 * draws)
        print(f"   {kind}: of {min(n_sentences, len(sentences))} sentences {differ} with other corrupted ones")


def corrupted(sentence: Sentence, kind: Kind, draws: int) -> set[str]:
    """All that published corruptions of a kind give; about half of the draws are of the other kind."""
    made = (Corrupter((), "published", seed).corrupt(sentence) for seed in range(draws))
    return {item.text for item in made if item and item.kind == kind}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("treebanks", type=Path, nargs="+")
    parser.add_argument("--sentences", type=int, default=120)
    parser.add_argument("--draws", type=int, default=1500)
    arguments = parser.parse_args()
    program, loader = original(arguments.folder)
    for path in arguments.treebanks:
        report(program, loader, path, arguments.sentences, arguments.draws)


if __name__ == "__main__":
    main()
