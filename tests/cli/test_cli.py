"""The command line: quick, one line for a user's fault, useful in an empty place."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_lines import Run, every_command

from pairwright.cli import cli
from pairwright.cli.init import make_workspace
from pairwright.core.workspace import Workspace
from pairwright.languages import resource_names

BIN = Path(sys.executable).parent / "pairwright"


@pytest.mark.parametrize(
    ("loaded", "heavy"),
    [
        ("cli", {"pydantic", "pandas", "torch", "transformers", "prefect", "numpy", "scipy"}),
        (
            "cli.inspect.status, pairwright.pipeline.review, pairwright.pipeline.evaluate",
            {"scipy.stats", "statsmodels", "pandas", "matplotlib", "torch"},
        ),
    ],
)
def test_commands_load_nothing_heavy_before_they_need_it(loaded: str, heavy: set[str]) -> None:
    code = (
        f"import contextlib, sys, pairwright.{loaded}\nfrom pairwright.cli import main\nsys.argv[1:] = ['--help']\n"
        f"with contextlib.suppress(SystemExit):\n    main()\nsys.exit(str({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == "set()\n"
    assert "trace" in done.stdout


def test_check_names_file_line_level_and_check(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "pairs.csv"
    # The columns and the encoding are those that `score` takes, too.
    path.write_bytes("taip,ne\nMatau namą.,Matau namas.\nMatau namą.,Matau namą.\n".encode("cp1257"))
    code, out, _ = run("check", path, "--language", "lt", "--good", "taip", "--bad", "ne")
    assert code == 1
    assert f"{path}:3: error: contrast-identical:" in out
    assert "2 pairs, 1 with errors" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trace", "pair-0000000000000000"), "error: pair-0000000000000000: no such pair"),
        (("status", "--workspace", "no-such-folder"), "error: no-such-folder: no such workspace"),
        (("build", "book.pdf", "--until", "blocks", "--pages", "17:31"), "write the first and the last, as 17-31"),
        (("build", "https://a.example/list.md"), "https://a.example/list.md: an address, not a file; download"),
        (("show", "book", "--html", "--pages", "1"), "give one of them"),
        (("release", "create", "--name", "a"), "Missing option '--version'"),
        (("review", "invite", "--queue", "a", "--revoke"), "--reviewer is missing"),
        (("release", "create", "--name", " ", "--version", "1.0.0"), "empty"),
        (("extras", "matrices", "make", "en-cos", "--size", "0", "--out", "x"), " matrices make --help"),
    ],
)
def test_a_users_fault_is_one_line_and_exit_code_2(arguments: tuple[str, ...], message: str, run: Run) -> None:
    assert message in run.refused(*arguments)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample sources, none of them built, and a folder where a release would be."""
    root = tmp_path_factory.mktemp("sample") / "mine"
    list(make_workspace(root, "lt", sample=True))
    (root / "output" / "releases" / "lt-cases-1.0.0").mkdir(parents=True)
    return root


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("build", "lt-smaple"), "lt-sample"),
        (("review", "sync", "lt-sample-gramar"), "lt-sample-grammar"),
        (("release", "create", "--name", "a", "--version", "1.0.0", "--source", "lt-smaple"), "lt-sample"),
        (("evaluate", "lt-case-1.0.0"), "lt-cases-1.0.0"),
        (("release", "verify", "lt-cases"), "lt-cases-1.0.0"),
        (("release", "publish", "lt-cases", "--to", "elsewhere"), "lt-cases-1.0.0"),
        (("notation", "add", "mine", "--like", "not-butt", "--arrow", "=>"), "not-but"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(
    arguments: tuple[str, ...], meant: str, sample: Path, run: Run
) -> None:
    assert f"did you mean {meant}?" in run.refused(*arguments, "--workspace", sample)


def words(command: click.Command, file: Path) -> Iterator[str | Path]:
    """What a command must be given, without its workspace."""
    for parameter in command.params:
        if parameter.required:
            yield from parameter.opts[:1] if isinstance(parameter, click.Option) else ()
            is_folder = isinstance(parameter.type, click.Path) and not parameter.type.file_okay
            yield "lt" if parameter.name in ("language", "code") else file.parent if is_folder else file


AT_WORK = {
    names: command for names, command in every_command(cli) if any(it.name == "workspace" for it in command.params)
}


@pytest.mark.parametrize("names", AT_WORK, ids=" ".join)
def test_settings_that_cannot_be_used_stop_every_command_with_one_line(
    names: tuple[str, ...], tmp_path: Path, run: Run
) -> None:
    (tmp_path / "pairwright.toml").write_text("[review\n", encoding="utf-8")
    given = words(AT_WORK[names], tmp_path / "pairwright.toml")
    err = run.refused(*names, *given, "--workspace", tmp_path)
    assert f"{tmp_path / 'pairwright.toml'}: not valid TOML" in err
    assert [path.name for path in tmp_path.iterdir()] == ["pairwright.toml"]


def test_init_makes_a_workspace_and_leaves_one_that_is_there(tmp_path: Path, run: Run) -> None:
    directory = tmp_path / "mine"
    run.done("init", directory, "--language", "sje")
    expected = "flows sources prompts annotations output languages pairwright.toml prefect.toml .gitignore README.md"
    assert {path.name for path in directory.iterdir()} == set(expected.split())
    assert (directory / "flows" / "build.py").exists()
    text = (directory / "README.md").read_text(encoding="utf-8")
    assert all(f"    {path.name}/" in text for path in directory.iterdir() if path.is_dir())
    assert "pairwright build FILE --language sje" in text
    for command in {line.split()[1] for line in text.splitlines() if line.startswith("    pairwright ")}:
        run.done(command, "--help")
    before = {path: path.stat().st_mtime_ns for path in directory.rglob("*")}
    out = run.done("init", directory, "--language", "lt")
    assert f"{directory}: " in out
    assert "sje" in out
    assert {path: path.stat().st_mtime_ns for path in directory.rglob("*")} == before


def test_init_refuses_a_folder_of_something_else_and_names_the_languages(tmp_path: Path, run: Run) -> None:
    err = run.refused("init", tmp_path / "mine")
    assert all(f"{name} (" in err for name in resource_names("languages"))
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    err = run.refused("init", tmp_path, "--language", "lt")
    assert "notes.txt" in err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_on_a_terminal_init_asks_for_the_language_and_the_votes(tmp_path: Path, run: Run) -> None:
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, b"tur\n3\n")
    done = subprocess.run([BIN, "init", tmp_path / "mine"], stdin=theirs, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    workspace = Workspace(tmp_path / "mine")
    assert workspace.languages() == {"tr"}
    assert (workspace.config().release.votes, len(workspace.config().review.reviewers)) == (3, 3)
    # One linguist is told what the card of a release will say.
    assert "one reviewer" in run.done("init", tmp_path / "own", "--language", "lt", "--votes", "1")
    config = Workspace(tmp_path / "own").config()
    assert (config.release.votes, config.review.per_pair, config.review.reviewers) == (1, 1, ("reviewer-1",))


@pytest.mark.parametrize(
    ("others", "language"),
    [
        ([], "sje"),
        (["sources/a/source.toml"], "sje"),
        (["languages/fo.toml"], None),
        (["sources/a/source.toml", "sources/b/source.toml"], None),
    ],
)
def test_the_only_language_of_a_workspace_is_the_default(
    tmp_path: Path, others: list[str], language: str | None, run: Run
) -> None:
    (tmp_path / "pairwright.toml").write_text('language = "sje"\n', encoding="utf-8")
    for name, code in zip(others, ("sje", "fo"), strict=False):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f'language = "{code}"\n', encoding="utf-8")
    (tmp_path / "list.txt").write_text("*Dat lea → Dát lea\n", encoding="utf-8")
    (tmp_path / "pairs.csv").write_text("good,bad\nDát lea.,Dat lea.\n", encoding="utf-8")
    for command in (
        ("notation", "try", tmp_path / "list.txt"),
        ("check", tmp_path / "pairs.csv"),
        ("build", tmp_path / "list.txt", "--until", "blocks"),
    ):
        done, _, err = run(*command, "--workspace", tmp_path)
        assert (done, "--language" in err) == ((0, False) if language else (2, True)), err


def test_a_status_before_a_build_says_what_to_do_and_a_build_that_it_makes_a_workspace(
    tmp_path: Path, run: Run
) -> None:
    assert "pairwright build" in run.done("status", "--workspace", tmp_path)
    (tmp_path / "list.md").write_text("- Nematau kalnus (= kalnų).\n", encoding="utf-8")
    build = ("build", tmp_path / "list.md", "--language", "lt", "--until", "blocks", "--workspace", tmp_path)
    assert f"go into {tmp_path}" in run(*build)[1]
    assert "go into" not in run(*build)[1]
    assert "next              pairwright build list" in run.done("status", "list", "--workspace", tmp_path)


def test_no_command_takes_an_empty_name_for_a_place() -> None:
    context = click.Context(cli)
    places = [
        param for _, command in every_command(cli) for param in command.params if isinstance(param.type, click.Path)
    ]
    assert len(places) > 40
    for place in places:
        for empty in ("", " "):
            with pytest.raises(click.BadParameter):
                place.type.convert(empty, place, context)


def test_help_fits_80_columns_and_each_group_shows_an_example() -> None:
    for group in (it for _, it in every_command(cli) if isinstance(it, click.Group)):
        text = group.get_help(click.Context(group, info_name="pairwright", terminal_width=80))
        assert "..." not in text.replace("[ARGS]...", ""), text
        assert group is cli or "Example: pairwright " in text


def test_a_list_most_of_whose_lines_give_nothing_says_how_to_look_at_them(tmp_path: Path, run: Run) -> None:
    read = [f"- {who} nemato kalnus (= kalnų).\n" for who in ("Ji", "Jis", "Ona", "Jonas")]
    unread = [line.replace("(= kalnų)", "^ kalnų") for line in read]
    for name, lines, is_told in [("own", read[:1] + unread, True), ("known", read + unread[:1], False)]:
        (tmp_path / f"{name}.md").write_text("".join(lines), encoding="utf-8")
        _, out, _ = run("build", tmp_path / f"{name}.md", "--language", "lt", "--workspace", tmp_path)
        assert ("pairwright notation try" in out) is is_told, out
