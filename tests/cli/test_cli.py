"""The command line: quick, one line for a user's fault, useful in an empty place."""

import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent / "pairwright"


def pairwright(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def test_help_needs_no_heavy_import() -> None:
    code = (
        "import sys; sys.argv = ['pairwright', '--help']\n"
        "from pairwright.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'pandas', 'torch', 'transformers', 'prefect', 'numpy', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "trace" in done.stdout


def test_commands_load_no_statistics_before_they_need_them() -> None:
    code = (
        "import pairwright.cli.inspect.status, pairwright.pipeline.build, pairwright.pipeline.evaluate, sys\n"
        "sys.exit(bool({'scipy.stats', 'statsmodels', 'pandas', 'matplotlib', 'torch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_check_names_file_line_level_and_check(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    # The columns and the encoding are those that `score` takes, too.
    path.write_bytes("taip,ne\nMatau namą.,Matau namas.\nMatau namą.,Matau namą.\n".encode("cp1257"))
    done = pairwright("check", path, "--language", "lt", "--good", "taip", "--bad", "ne")
    assert done.returncode == 1
    assert f"{path}:3: error: contrast-identical:" in done.stdout
    assert "2 pairs, 1 with errors" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "no-such-file.csv", "--language", "lt"), "error: no-such-file.csv"),
        (("check", "pairs.csv"), "Missing option '--language'"),
        (("trace", "pair-0000000000000000"), "error: pair-0000000000000000: no such pair"),
        (("release", "verify", "no-such-release"), "error: no-such-release"),
        (
            ("status", "--workspace", "no-such-folder"),
            "error: no-such-folder: no such workspace; mend the name, or make it",
        ),
        (("ingest", "book.pdf", "--pages", "17:31"), "is no range of pages; write the first and the last, as 17-31"),
        (("nonsense",), "error: pairwright: No such command 'nonsense'"),
        (
            ("release", "create", "--name", "a", "--version", "1.0.0", "--nonsense"),
            "; see pairwright release create --help",
        ),
        (("matrices", "make", "en-cos", "--size", "0", "--out", "x"), "; see pairwright matrices make --help"),
    ],
)
def test_a_users_fault_is_one_line_and_exit_code_2(arguments: tuple[str, ...], message: str) -> None:
    done = pairwright(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_doctor_tells_what_is_found() -> None:
    done = pairwright("doctor")
    assert done.returncode == 0
    for part in (
        "Python",
        "torch",
        "embedded model: ",
        "language lt (Lithuanian): spelling /",
        "morphology: ",
        "tagsets: apertium, giellalt, leipzig",
        "notations: ",
    ):
        assert part in done.stdout


def test_init_makes_a_workspace_and_refuses_a_full_folder(tmp_path: Path) -> None:
    directory = tmp_path / "mine"
    done = pairwright("init", directory, "--language", "sje")
    assert done.returncode == 0
    made = {path.name for path in directory.iterdir()}
    expected = {
        "flows",
        "sources",
        "prompts",
        "annotations",
        "output",
        "pairwright.toml",
        "prefect.toml",
        "languages",
        ".gitignore",
        "README.md",
    }
    assert made == expected
    assert (directory / "flows" / "build.py").exists()
    again = pairwright("init", directory, "--language", "sje")
    assert again.returncode == 2
    assert "not empty" in again.stderr


def test_status_of_an_empty_workspace_says_what_to_do(tmp_path: Path) -> None:
    done = pairwright("status", "--workspace", tmp_path)
    assert done.returncode == 0
    assert "pairwright build" in done.stdout


def test_a_new_workspace_tells_its_commands_and_the_doctor_where_the_docs_lie(tmp_path: Path) -> None:
    directory = tmp_path / "mine"
    pairwright("init", directory, "--language", "tr")
    text = (directory / "README.md").read_text(encoding="utf-8")
    folders = {path.name for path in directory.iterdir() if path.is_dir()}
    assert all(f"    {name}/" in text for name in folders)
    assert "pairwright build FILE --language tr" in text
    commands = {line.split()[1] for line in text.splitlines() if line.startswith("    pairwright ")}
    for command in commands:
        assert pairwright(command, "--help").returncode == 0
    out = pairwright("doctor", "--workspace", directory).stdout
    docs = next(line.split(": ")[1] for line in out.splitlines() if line.startswith("documentation: "))
    assert (Path(docs) / "tutorial.md").exists()
