"""A step that makes nothing says why, with the numbers, and names the next step, which can be typed as it stands."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from command_lines import parse
from workspace_parts import decide

from pairwright.cli import cli
from pairwright.core.errors import counted

Run = Callable[..., tuple[int, str, str]]

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
        ("bank.conllu", PLAIN, [], "none of 4 words has features", "build FILE.conllu --language lt"),
        ("bank.conllu", FEATURES, [], "1 sentence; 1 contrast without a match", "build bank"),
    ],
    ids=["no stars", "stars without partners", "no examples", "no features", "no match"],
)
def test_a_build_without_pairs_says_why(
    run: Run, workspace: Path, tmp_path: Path, name: str, text: str, options: list[str], reason: str, step: str
) -> None:
    (workspace / "contrasts").mkdir()
    (workspace / "contrasts" / "lt.toml").write_text(PARTITIVE, encoding="utf-8")
    path, source = tmp_path / name, name.partition(".")[0]
    path.write_text(text, encoding="utf-8")
    at = ("--workspace", workspace)
    built = run("build", path, "--language", "lt", *options, *at)
    assert (built[0], built[2]) == (0, "")
    assert built[1].count("next ") == 1
    for command in (
        None,
        ("build", source),
        ("build", source, "--until", "pairs"),
        ("review", "sync", source),
        ("status",),
    ):
        code, out, err = run(*command, *at) if command else built
        assert (code, err) == (0, "")
        assert reason in out
        assert any(step in line for line in commands(out))
        assert ".csv" not in out
    code, out, err = run("grow", "words", source, *at)
    assert (code, reason in err, any(step in line for line in commands(err))) == (2, True, True)
    code, out, err = run("release", "create", "--name", "a", "--version", "1.0.0", *at)
    assert (code, reason in err, any(step in line for line in commands(err))) == (2, True, True)
    assert not list(workspace.glob("annotations/*/[!.]*"))


def test_sheets_that_bring_nothing_new_say_how_much_is_left(run: Run, workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("*Matau namas. → Matau namą.\n", encoding="utf-8")
    at = ("--workspace", workspace)
    assert run("build", path, "--language", "lt", *at)[0] == 0
    out = run("review", "sync", "list", *at)[1]
    sheets = [sheet for sheet in map(Path, re.findall(r"\S+\.csv", out))]
    assert sheets
    assert all(sheet.exists() for sheet in sheets)
    assert f"{len(set(sheets))} of {counted(len(set(sheets)), 'row')}" in out
    assert any("review sync list" in line for line in commands(out))
    # The last path is that of the next step; whoever is done is not asked again.
    decide(sheets[-1], "gerai")
    run("review", "sync", "list", *at)
    (left,) = set(sheets) - {sheets[-1]}
    assert f"fill in {left}, then" in run("review", "sync", "list", *at)[1]


@pytest.mark.parametrize(
    ("text", "line", "example"),
    [
        (
            "- ekki „Hann er stórt“, heldur „Hann er stórur“.\n- ekki „Eg havi bilur“, heldur „Eg havi bil“.\n",
            3,
            "ekki",
        ),
        ("Rangt: Hann er stórt.\nRætt: Hann er stórur.\n\nRangt: Eg havi bilur.\nRætt: Eg havi bil.\n", 3, "rangt:"),
        ("Hann er stórt ~> Hann er stórur\n\nEg havi bilur ~> Eg havi bil\n", 3, "~>"),
    ],
    ids=["words", "labels", "a sign"],
)
def test_a_list_in_no_notation_gets_the_command_that_makes_one(
    run: Run, workspace: Path, tmp_path: Path, text: str, line: int, example: str
) -> None:
    path, at = tmp_path / "fo-list.md", ("--workspace", workspace)
    path.write_text(f"# Feilir\n\n{text}", encoding="utf-8")
    code, _, err = run("build", path, "--language", "fo", *at)
    assert (code, err.count("\n")) == (2, 1)
    assert f"{path}:{line}" in err
    assert example in err
    (suggested,) = commands(err)
    assert run(*shlex.split(suggested))[0] == 0
    code, out, err = run("build", path, "--language", "fo", *at)
    assert (code, err) == (0, "")
    assert "2 candidate pairs" in out


def test_words_that_only_happen_to_repeat_suggest_no_notation(run: Run, workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.md"
    path.write_text(
        "# A\n\nThe dog is in the house.\n\nThe cat is on the mat.\n\nName: Ann\nAge: 7\n", encoding="utf-8"
    )
    code, _, err = run("build", path, "--language", "en", "--workspace", workspace)
    assert code == 2
    assert "notation add" not in err
    assert commands(err)


@pytest.mark.parametrize(
    ("n", "noun", "text"),
    [
        (1, "pair", "1 pair"),
        (0, "pair", "0 pairs"),
        (2000, "entry", "2,000 entries"),
        (2, "day", "2 days"),
        (3, "match", "3 matches"),
    ],
)
def test_a_number_has_its_noun(n: int, noun: str, text: str) -> None:
    assert counted(n, noun) == text
