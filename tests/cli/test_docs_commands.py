"""What the documentation tells readers to type: commands and options exist; each job runs and prints what is shown."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd
import pytest
import yaml
from command_lines import Run, every_command, parse
from playwright.sync_api import Browser
from pydantic import BaseModel
from tiny_model import save_tiny_model

import pairwright as pw
from pairwright.cli import cli
from pairwright.cli.docs import described_settings, filled, write_pages
from pairwright.core.config import Config

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?pairwright ([a-z].*)$", re.MULTILINE)
# What differs from run to run.
_VARYING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+|\(\d+ s[^)]*\)|R-[0-9a-f]{10}|[0-9a-f]{64}")
# Pages whose commands run in a second or two each.
QUICK = ("error-list", "install", "language", "review")
SLOW = ("extras", "grammar-book", "grow", "models", "quickstart", "release", "treebank")


def commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        # Its blocks are what benchmarks print.
        text = "" if page.name == "benchmarks.md" else page.read_text(encoding="utf-8")
        code = "\n".join([*(body for _, _, body in _BLOCK.findall(text)), *re.findall(r"^    (\S.*)$", text, re.M)])
        yield from ((page.name, line.partition(" #")[0].strip()) for line in _COMMAND.findall(code))


def test_every_command_of_the_documentation_has_its_options() -> None:
    tried = list(commands())
    assert len(tried) > 60
    for page, line in tried:
        try:
            parse(shlex.split(line), cli)
        except click.UsageError as fault:
            pytest.fail(f"{page}: pairwright {line}: {fault.format_message()}")


def test_the_site_has_every_command_and_setting_and_says_what_it_is() -> None:
    sections = re.split(r"^## ", filled("<!-- code: commands -->"), flags=re.MULTILINE)
    for names, command in every_command(cli):
        if not isinstance(command, click.Group):
            (found,) = [it for it in sections if it.startswith(f"pairwright {' '.join(names)}\n")]
            options = (name for parameter in command.params for name in parameter.opts if name.startswith("--"))
            assert not [option for option in options if f"`{option}" not in found], names
    settings = filled("<!-- code: settings -->")
    for model, name in _settings(Config):
        assert f"| `{name}` |" in settings
        assert described_settings(model)[name], f"{model.__name__}.{name} has no comment"


def _settings(model: type[BaseModel]) -> Iterator[tuple[type[BaseModel], str]]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _settings(inner)
        else:
            yield model, name


def test_the_site_leads_to_every_page() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    pages = re.findall(r"[\w-]+\.md", str(settings["nav"]))
    assert sorted(pages) == sorted(path.name for path in DOCS.glob("*.md"))


def test_the_plain_pages_have_their_tables_links_and_pictures(tmp_path: Path) -> None:
    first = write_pages(tmp_path / "docs")
    for page in first.parent.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<!-- code:" not in text
        for name, anchor in re.findall(r'href="([\w-]+\.html)(?:#([\w-]+))?"', text):
            linked = (page.parent / name).read_text(encoding="utf-8")
            assert not anchor or f'id="{anchor}"' in linked, f"{page.name}: {name}#{anchor}"
        assert all((page.parent / it).exists() for it in re.findall(r'src="([^"]+)"', text)), page.name


@pytest.mark.slow
def test_the_site_is_searched_from_files_and_loads_nothing_from_elsewhere(tmp_path: Path, browser: Browser) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    page, asked = browser.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_placeholder("Search").click()
    page.keyboard.type("pseudonyms")
    page.locator(".md-search-result__link", has_text="release").first.wait_for()
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}


@pytest.mark.parametrize("page", [*QUICK, *(pytest.param(it, marks=pytest.mark.slow) for it in SLOW)])
def test_a_job_runs_from_its_page_and_prints_what_the_page_shows(
    page: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tiny model in place of the embedded one, which the demo runs."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    if "--model embedded" in text:
        text = text.replace("--model embedded", f"--model {save_tiny_model(tmp_path / 'tiny')}")
    monkeypatch.chdir(tmp_path)
    for language, title, body in _BLOCK.findall(text):
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(body, encoding="utf-8")
        elif language == "sh":
            for line in body.splitlines():
                typed(line, run, monkeypatch)
        elif language == "console":
            for typed_line, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
                compare(shown, typed(typed_line, run, monkeypatch), f"{page}.md: {typed_line}")


@pytest.mark.slow
def test_the_readme_shows_what_trace_prints(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scores of the pair are those of the embedded model; a tiny one scores the others."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((line, shown),) = re.findall(r"^\$ (.*)\n((?:(?!```).*\n)*)", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    tiny = str(save_tiny_model(tmp_path / "tiny"))
    run("init", "output/demo", "--language", "lt", "--sample")
    for words in (
        ("build", "lt-sample"),
        ("release", "create", "--name", "lt-sample", "--version", "1.0.0"),
        ("evaluate", "lt-sample-1.0.0", "--model", tiny),
    ):
        run.done(*words, "--workspace", "output/demo")
    printed = typed(line.removeprefix(".venv/bin/"), run, monkeypatch)
    scored = re.compile(r"^(?:score| +right| +wrong).*\n", re.MULTILINE)
    compare(scored.sub("", shown), scored.sub("", printed), "README.md")
    good, bad = (re.search(rf"^{side} +(.+)$", printed, re.MULTILINE) for side in ("good", "bad"))
    assert good
    assert bad
    pairs = pw.load_pairs(pd.DataFrame({"good": [good[1]], "bad": [bad[1]]}))
    for row in pw.score(pairs, "embedded").itertuples():
        nats = f"sum_logprob {row.sum_logprob:.3f} nats, mean_nll {row.mean_nll:.3f} nats per token"
        assert f"(float32), {row.side}: {nats}, {row.n_tokens} tokens" in shown


def typed(line: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a line of a shell, those of `pairwright` in this process, and returns what it prints."""
    words = shlex.split(line, comments=True)
    if words[:1] == ["cd"]:
        monkeypatch.chdir(words[1])
    elif words[:1] == ["pairwright"]:
        code, out, err = run(*words[1:])
        assert code == 0, f"{line}\n{err}"
        return out
    elif words:
        done = subprocess.run(["sh", "-eu", "-c", line], capture_output=True, text=True, check=False, env=os.environ)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        return done.stdout
    return ""


def compare(shown: str, printed: str, where: str) -> None:
    """Each line that a page shows was printed, in this order; `...` stands for any lines, or for the end of one."""
    shown, printed = (_VARYING.sub("~", text) for text in (shown, printed))
    pattern = ""
    for line in shown.splitlines():
        rest = line.endswith("...")
        pattern += (
            r"(?:.*\n)*?" if line == "..." else re.escape(line.removesuffix("...")) + (".*" if rest else "") + r"\n"
        )
    assert re.fullmatch(pattern, printed), f"{where}\nshown:\n{shown}\nprinted:\n{printed}"
