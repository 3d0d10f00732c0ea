"""What the documentation tells readers to type: commands and options exist, and the tutorials run from end to end."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from command_lines import parse
from pydantic import BaseModel
from tiny_model import save_tiny_model

from pairwright.cli import cli
from pairwright.core.config import Config

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted(path.name for path in DOCS.glob("tutorial-*.md"))
_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?pairwright (\w.*)$", re.MULTILINE)


def commands() -> Iterator[tuple[str, str]]:
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md"))):
        # Its blocks are what benchmarks print.
        text = "" if page.name == "benchmarks.md" else page.read_text(encoding="utf-8")
        code = "\n".join([*_FENCE.findall(text), *re.findall(r"^    (\S.*)$", text, re.MULTILINE)])
        yield from ((page.name, line.partition(" #")[0].strip()) for line in _COMMAND.findall(code))


def test_every_command_of_the_documentation_has_its_options() -> None:
    tried = list(commands())
    assert len(tried) > 80
    for page, line in tried:
        try:
            parse(shlex.split(line), cli)
        except click.UsageError as fault:
            pytest.fail(f"{page}: pairwright {line}: {fault.format_message()}")


def leaves(command: click.Command, words: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
    else:
        for name, inner in command.commands.items():
            yield from leaves(inner, f"{words} {name}")


def test_every_command_and_option_stands_in_the_documentation() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *DOCS.glob("*.md")))
    for words, command in leaves(cli, "pairwright"):
        assert words in text
        for option in (name for parameter in command.params for name in parameter.opts if name.startswith("--")):
            assert re.search(rf"{option}(?![\w-])", text), f"{words} {option}"


def settings_of(model: type[BaseModel], section: str) -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from settings_of(inner, f"{section}.{name}".strip("."))
        else:
            yield section, name


def test_every_setting_stands_in_the_documentation() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    for section, name in settings_of(Config, ""):
        assert re.search(rf"\b{name}\b", text), f"[{section}] {name}"


def test_the_site_leads_to_every_page() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    pages = re.findall(r"[\w-]+\.md", str(settings["nav"]))
    assert sorted(pages) == sorted(path.name for path in DOCS.glob("*.md"))


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_runs(page: str, tmp_path: Path) -> None:
    """With a tiny model in place of the embedded one, which the demo runs."""
    script = "\n".join(re.findall(r"```sh\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL))
    script = script.replace("--model embedded", f"--model {save_tiny_model(tmp_path / 'tiny-gpt2')}")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-eu", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
