"""The tutorial and the page of the API are run block by block, and say what happens; the import is quick."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pairwright as pw
from pairwright.cli.docs import filled

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"```python\n(.*?)```\n(?:\n```text( embedded)?\n(.*?)```\n)?", re.DOTALL)
HEAVY = ("pandas", "pydantic", "numpy", "torch", "transformers", "matplotlib", "pymupdf")
FUNCTIONS = [name for name in pw.__all__ if inspect.isfunction(getattr(pw, name))]


class Block(NamedTuple):
    """A piece of Python and the output shown under it; `embedded` where that is of the embedded model."""

    code: str
    embedded: bool
    output: str


def blocks(page: str) -> Iterator[Block]:
    for match in FENCE.finditer((DOCS / page).read_text(encoding="utf-8")):
        yield Block(match[1], match[2] is not None, match[3] or "")


def printed(code: str, names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    exec(code, names)
    return "".join(f"{line.rstrip()}\n" for line in capsys.readouterr().out.splitlines())


def test_the_tutorial_prints_what_it_shows(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a tiny model in place of the embedded one, whose numbers the slow test compares."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks("python.md"):
        output = printed(block.code.replace('"embedded"', repr(str(tiny_model))), names, capsys)
        if block.embedded:
            assert len(output.splitlines()) == len(block.output.splitlines())
        else:
            assert output == block.output


@pytest.mark.slow
def test_the_tutorial_prints_what_it_shows_of_the_embedded_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks("python.md"):
        assert printed(block.code, names, capsys) == block.output


def test_the_examples_of_the_api_run(
    pairs_csv: Path,
    release: Path,
    tiny_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "errors.md").write_text("# Klaidos\n\n- Ji laukia autobusą (= autobuso).\n", encoding="utf-8")
    shutil.copytree(release, "mini-1.0.0")
    shutil.copytree(tiny_model, "my-model")
    names: dict[str, Any] = {"pw": pw}
    for block in blocks("api.md"):
        assert printed(block.code.replace('"embedded"', '"my-model"'), names, capsys)


def test_the_page_of_the_api_has_every_function_with_its_arguments_and_it_or_the_tutorial_an_example() -> None:
    page = filled((DOCS / "api.md").read_text(encoding="utf-8"))
    run = "".join(block.code for name in ("api.md", "python.md") for block in blocks(name))
    sections = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    by_name = {section.partition("\n")[0]: section for section in sections}
    assert sorted(by_name) == sorted(FUNCTIONS)
    for name, section in by_name.items():
        assert f"pw.{name}(" in run
        arguments = list(inspect.signature(getattr(pw, name)).parameters)
        assert f"pw.{name}({', '.join(arguments)})" in section
        for argument in arguments if len(arguments) > 1 else ():
            assert f"`{argument}`" in section, f"{name}: {argument}"


def test_the_page_of_the_api_names_everything_that_the_package_gives() -> None:
    text = filled((DOCS / "api.md").read_text(encoding="utf-8"))
    assert [name for name in pw.__all__ if f"pw.{name}" not in text and f"`{name}`" not in text] == ["__version__"]


def test_the_import_loads_nothing_heavy_and_shows_every_name() -> None:
    code = f"import json, sys, pairwright as pw; print(json.dumps([m for m in {HEAVY} if m in sys.modules] + dir(pw)))"
    shown = json.loads(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert not set(HEAVY) & set(shown)
    assert set(pw.__all__) <= set(shown)
    assert all(inspect.getdoc(getattr(pw, name)) for name in pw.__all__)
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        pw.scores  # type: ignore[attr-defined]  # noqa: B018
