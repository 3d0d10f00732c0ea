"""The pairs that contrasts make of treebanks: how many of each contrast, how many pass the checks, in which time.

    python benchmarks/treebank_pairs.py TREEBANK.conllu ... [--language lt] [--workspace DIR] [--sample 200 --seed 1]

The language is that of the first file's name, as Universal Dependencies name their files. The settings, word forms and
contrasts of a workspace are used, but nothing in it changes; without one, forms come from the treebank alone. With
`--sample`, so many random pairs that pass are printed to be read, with the changed words in brackets.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pairwright.core.records import Candidate, CheckedPair
from pairwright.core.records.derivations import TreebankChange
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.pairs import generate
from pairwright.pipeline.sources import find_source

OWN = ("pairwright.toml", "morphology", "languages", "contrasts", "tagsets")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="+", type=Path)
    parser.add_argument("--language")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    language = options.language or options.treebanks[0].name.partition("_")[0]
    with tempfile.TemporaryDirectory() as folder:
        for name in OWN if options.workspace else ():
            if (path := options.workspace.absolute() / name).exists():
                (Path(folder) / name).symlink_to(path)
        started = time.monotonic()
        pairs = [pair for path in options.treebanks for pair in built(Context(Workspace(folder)), path, language)]
        seconds = time.monotonic() - started
    passing = [pair.candidate for pair in pairs if pair.verdict == "pass"]
    for line in report(pairs, passing):
        print(line)
    print(f"{seconds:.1f} s from the files to checked pairs")
    random.Random(options.seed).shuffle(passing)
    for number, pair in enumerate(passing[: options.sample], start=1):
        print(f"{number:>4} {contrast(pair)} | {marked(pair)}")


def built(context: Context, path: Path, language: str) -> list[CheckedPair]:
    """The checked pairs of a treebank."""
    source = find_source(context.workspace, path, SourceOptions(language=language))
    ingest(context, source)
    checked = generate(context, source)[-1]
    return list(read_jsonl(checked.path, CheckedPair))


def report(pairs: list[CheckedPair], passing: list[Candidate]) -> Iterator[str]:
    """The numbers, those of each contrast first."""
    made = Counter(contrast(pair.candidate) for pair in pairs)
    passed = Counter(map(contrast, passing))
    yield f"{'contrast':<34} pairs  pass"
    yield from (f"{name:<34} {count:>5} {passed[name]:>5}" for name, count in made.most_common())
    yield f"{'all':<34} {len(pairs):>5} {len(passing):>5}  of {len(passed)} contrasts"
    sentences = [(pair.good, pair.bad) for pair in passing]
    warned = sum(any(finding.level == "warning" for finding in pair.findings) for pair in pairs)
    yield f"duplicates {len(sentences) - len(set(sentences))}, good = bad {sum(good == bad for good, bad in sentences)}"
    yield f"pass {len(passing) / max(1, len(pairs)):.1%}, with a warning {warned / max(1, len(pairs)):.1%}"
    warnings = Counter(finding.check for pair in pairs for finding in pair.findings if finding.level == "warning")
    yield f"warnings: {', '.join(f'{name} {count}' for name, count in warnings.most_common(5)) or 'none'}"


def contrast(pair: Candidate) -> str:
    return pair.derivation.contrast if isinstance(pair.derivation, TreebankChange) else pair.method


def marked(pair: Candidate) -> str:
    """The bad sentence with each changed word as `[good -> bad]`."""
    text = pair.bad
    for change in reversed(pair.changes):
        end = change.bad_at + len(change.bad)
        text = f"{text[: change.bad_at]}[{change.good} -> {change.bad}]{text[end:]}"
    return text


if __name__ == "__main__":
    main()
