"""ScaLA on treebanks: which sentences are eligible, the splits, and which mistakes of the original are mended.

    python benchmarks/scala.py TREEBANK.conllu... [--pairs 40 --seed 1]

`moved beside a mark` and `PRON beside AUX` count the exchanges of the published program that its own rules forbid, over
many draws a sentence. `small letter first` counts deletions of a first word, `name made small` exchanges that took a
capital from PROPN. `--pairs` prints pairs that become candidates with `treebank.corruptions`, drawn by `--seed`, to be
read.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pairwright.core.config import TreebankSettings
from pairwright.core.ids import file_sha256
from pairwright.core.records import Block, Candidate, Source, SourceFile
from pairwright.documents.flowing.treebank import read_treebank
from pairwright.extras.scala.corruption import Corrupted, Corrupter, Sentence, fit_sentences
from pairwright.extras.scala.dataset import split_sizes
from pairwright.extras.scala.pairs import corruption_candidates, corruption_rules

DRAWS = 50


def source_of(path: Path) -> Source:
    file = SourceFile(path=path.name, sha256=file_sha256(path))
    return Source(
        id=path.stem, title=path.stem, language="und", kind="treebank", licence="", citation="", files=(file,)
    )


def mistakes(sentence: Sentence, corrupted: Corrupted) -> Iterator[str]:
    """The rules of ScaLA that a corruption breaks, and what gives it away."""
    tokens = {number: token for token in sentence.tokens for number in token.numbers}
    changed = [tokens[number] for number in corrupted.words]
    if corrupted.kind == "delete":
        if changed[0] == sentence.tokens[0] and changed[0].form[0].isupper() and corrupted.text[0].islower():
            yield "small letter first"
        return
    upos = {token.upos for token in changed}
    if upos & {"PUNCT", "SYM"}:
        yield "moved beside a mark"
    if upos == {"PRON", "AUX"}:
        yield "PRON beside AUX"
    first = sentence.tokens[0]
    if changed[0] == first and first.upos == "PROPN" and first.form not in corrupted.text:
        yield "name made small"


def report(path: Path, n_pairs: int, seed: int) -> None:
    source = source_of(path)
    blocks = [item for item in read_treebank(path, path.name, source, "utf-8", 10**9) if isinstance(item, Block)]
    judged = list(fit_sentences(blocks))
    sentences = [sentence for sentence, unfit in judged if not unfit]
    reasons = Counter(unfit for _, unfit in judged if unfit)
    print(
        f"{path.name}: {len(blocks)} sentences, {len(sentences)} eligible, train/val/test {split_sizes(len(sentences))}"
    )
    print("  ", ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
    texts = {block.text for block in blocks}
    for behaviour in ("published", "corrected"):
        counts: Counter[str] = Counter()
        made = 0
        for draw in range(DRAWS):
            corrupter = Corrupter(texts, behaviour, draw)
            for sentence in sentences:
                if corrupted := corrupter.corrupt(sentence):
                    made += 1
                    counts.update(mistakes(sentence, corrupted))
        shares = ", ".join(f"{name} {count / made:.2%}" for name, count in sorted(counts.items())) or "no mistake"
        print(f"   {behaviour}: of {made:,} corruptions {shares}")
    candidates = corruption_candidates(blocks, corruption_rules(source), TreebankSettings(pairs_per_contrast=10**6))
    pairs = [item for item in candidates if isinstance(item, Candidate)]
    kinds = Counter(
        pair.derivation.kind for pair in pairs if pair.derivation and pair.derivation.method == "corruption"
    )
    print("   pairs:", ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    for pair in random.Random(seed).sample(pairs, min(n_pairs, len(pairs))):
        print(f"   {pair.good}\n * {pair.bad}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=0, help="how many pairs are printed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for path in arguments.treebanks:
        report(path, arguments.pairs, arguments.seed)


if __name__ == "__main__":
    main()
