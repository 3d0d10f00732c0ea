"""Whether marked-up seeds give TurBLiMP's own OVS sentences: `python benchmarks/turblimp_orders.py DIR`.

The SOV file is marked up by program: the subject is the words that end the OVS sentence, the object goes on to the cue.
"""

import csv
import tempfile
from pathlib import Path

import click

from pairwright.core.records import Rule
from pairwright.growth.paradigm.frames import Frames, load_frames
from pairwright.growth.paradigm.seeds import marked_up_seeds
from pairwright.growth.paradigm.variants import ordered
from pairwright.languages import load_language
from pairwright.languages.letters import uncapitalised

RULE = Rule(
    id="r", source_id="s", code="transitive", title="", description="", category="", phenomenon="", block_ids=(),
    quote="", page=1, extracted_by="hand",
)  # fmt: skip
Row = dict[str, str]


@click.command(help=__doc__)
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(directory: Path) -> None:
    frames = load_frames(load_language("tr"))
    sov, ovs = (_rows(directory / f"argument_structure_transitive_{name}.csv") for name in ("SOV", "OVS"))
    lines = [_marked_up(*rows, frames) for rows in zip(sov, ovs, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paradigms.txt"
        path.write_text("\n".join(["rule transitive", *lines]), encoding="utf-8")
        made = [ordered(seed, "OVS") for seed in marked_up_seeds(path, {RULE.code: RULE}, "turblimp", frames)]
    published = [(row["good_sentence"], row["bad_sentence"]) for row in ovs]
    same = [ours == theirs for ours, theirs in zip(made, published, strict=True)]
    others = [(ours, theirs) for ours, theirs, equal in zip(made, published, same, strict=True) if not equal]
    click.echo(f"{sum(same)} of {len(same)} OVS pairs are letter for letter those of TurBLiMP")
    for ours, theirs in others:
        click.echo(f"  ours {ours[0]}  theirs {theirs[0]}")


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def _marked_up(sov: Row, ovs: Row, frames: Frames) -> str:
    words, mark = sov["good_sentence"][:-1].split(), sov["good_sentence"][-1]
    last = ovs["good_sentence"][:-1].split()
    n = next(n for n in range(len(words), 0, -1) if _small(words[:n]) == _small(last[-n:]))
    subject = [words[0] if last[-n] == words[0] else uncapitalised(words[0], frames.letters), *words[1:n]]
    cue = sov["good_cue"].split()
    end = words.index(cue[-1]) + 1
    contrast = f"{{{sov['good_cue']}/*{sov['bad_cue']}}}"
    phrase = " ".join([*words[n : end - len(cue)], contrast])
    rest = " ".join(words[end:-1])
    return f"[S {' '.join(subject)}] [O {phrase}] {rest} [V {words[-1]}]{mark}"


def _small(words: list[str]) -> list[str]:
    return [word.replace("İ", "i").casefold() for word in words]


if __name__ == "__main__":
    main()
