"""A step that makes nothing says why, with the numbers, and names the next step, which can be typed as it stands."""

import re
import shlex
from pathlib import Path

import pytest
from command_lines import Run, parse

from pairwright.cli import cli

BOOK = """\
# Grammar

(1) Hús-ið er stór-t.
    house-DEF be.3SG big-N
    ‘The house is big.’

(2) Maðr-in kem-ur.
    man-DEF come-3SG
    ‘The man comes.’
"""
STARRED = BOOK + "\n(3) *Foo bar baz quux.\n    a b c d\n    ‘Something else.’\n"
WORDS = """\
1\tVaikas\tvaikas\tNOUN\t_\t{}\t3\tnsubj\t_\t_
2\tnamo\tnamo\tADV\t_\t_\t3\tadvmod\t_\t_
3\teina\teiti\tVERB\t_\t{}\t0\troot\t_\t_
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""
PLAIN = WORDS.format("_", "_")
FEATURES = WORDS.format("Case=Nom", "Person=3|VerbForm=Fin")
PARTITIVE = """\
replaces = true
[[contrast]]
name = "partitive"
title = "Partitive"
phenomenon = "case"
description = "A noun in the partitive."
words.noun = { upos = "NOUN", feats = "Case=Par" }
change = "noun"
to = ["Case=Nom"]
"""


def commands(text: str) -> list[str]:
    """The command lines that a text names, each of which there is."""
    found = re.findall(r"pairwright ((?:\S+ )*?[^\s`]+)(?=$|[;,)`]| which | makes )", text, re.MULTILINE)
    for line in found:
        parse(shlex.split(line), cli)
    return found


@pytest.mark.parametrize(
    ("name", "text", "options", "reason", "step"),
    [
        ("book.md", BOOK, ["--kind", "grammar-book"], "2 example sentences", "build book --llm server --estimate"),
        ("book.md", STARRED, ["--kind", "grammar-book"], "1 starred (*) sentence", "build book --llm"),
        ("book.md", "# A\n\nText.\n", ["--kind", "grammar-book"], "2 blocks", "build book --llm"),
        ("book.html", "<p></p>", ["--kind", "grammar-book"], "there is no text in it", "build book"),
        ("bank.conllu", PLAIN, [], "none of 4 words has features", "build FILE.conllu --language lt"),
        ("bank.conllu", FEATURES, [], "1 sentence; 1 contrast without a match", "build bank"),
    ],
    ids=["no stars", "stars without partners", "no examples", "no text", "no features", "no match"],
)
def test_a_build_without_pairs_says_why(
    run: Run, workspace: Path, tmp_path: Path, name: str, text: str, options: list[str], reason: str, step: str
) -> None:
    (workspace / "contrasts").mkdir()
    (workspace / "contrasts" / "lt.toml").write_text(PARTITIVE, encoding="utf-8")
    path, source = tmp_path / name, name.partition(".")[0]
    path.write_text(text, encoding="utf-8")
    at = ("--workspace", workspace)
    first = run.done("build", path, "--language", "lt", *options, *at)
    assert first.count("next ") == 1
    again = (("build", source), ("build", source, "--until", "pairs"), ("review", "sync", source), ("status",))
    for out in (first, *(run.done(*command, *at) for command in again)):
        assert reason in out
        assert any(step in line for line in commands(out))
        assert ".csv" not in out
        assert "--reader ocr" not in out  # none of the documents has pages
    for stopped in (("grow", "words", source), ("release", "create", "--name", "a", "--version", "1.0.0")):
        err = run.refused(*stopped, *at)
        assert reason in err
        assert any(step in line for line in commands(err))
    assert not list(workspace.glob("annotations/*/[!.]*"))
