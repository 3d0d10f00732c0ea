"""`pairwright docs`: the documentation as HTML, with the tables that are made from the code.

A page has a table at a line `<!-- code: NAME -->`, and what a function's docstring says at `<!-- code: api NAME -->`.
`make docs` puts them in as well, through `scripts/docs_hook.py`.
"""

import inspect
import re
import shutil
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import click
from pydantic import BaseModel

import pairwright
from pairwright.core.config import Config, MorphologyResource, PairLimits, Price, SectionPatterns
from pairwright.core.workspace import template, user_cache
from pairwright.pipeline.options import Option

_TABLE = re.compile(r"^<!-- code: (\w+)(?: (\w+))? -->$", re.MULTILINE)
# An argument in a docstring: its name, and what it is on this line and on those that are indented below it.
_ARGUMENT = re.compile(r"^([a-z_]+(?:, [a-z_]+)*)  +(.+(?:\n .+)*)$", re.MULTILINE)
_SETTING = re.compile(r"(?:^    # (?P<above>.+)\n)?^    (?P<name>[a-z]\w*): .*?(?:  # (?P<beside>.+))?$", re.MULTILINE)
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>:root {{ color-scheme: light dark }}
body {{ max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }}
pre, table {{ overflow-x: auto; display: block }} pre {{ padding: .8rem; background: #8882 }} img {{ max-width: 100% }}
:not(pre) > code {{ overflow-wrap: anywhere }}
h2 {{ overflow-wrap: anywhere }} table {{ border-collapse: collapse; margin: 1rem 0 }} nav p {{ margin: .3rem 0 }}
a {{ color: light-dark(#22618c, #8cc3ea) }} td, th {{ border: 1px solid #8886; padding: .3rem .5rem }}</style>
<details{open}><summary>All pages of pairwright's documentation</summary><nav>{menu}</nav></details>{body}</html>
"""


def docs(*, path: Annotated[bool, Option("Only print its path.")] = False) -> Iterator[str]:
    """Open the documentation in the browser.

    In a clone, opens the site with search if `make docs` has built it, otherwise plain pages. Needs no network.
    """
    first = template() / "output" / "docs" / "index.html"
    if not first.exists():
        first = write_pages(user_cache() / "docs")
    yield str(first)
    if not path:
        webbrowser.open(first.as_uri())


def write_pages(target: Path) -> Path:
    """Writes the documentation as plain HTML into a folder, which is emptied before, and returns the first page."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.anchors import anchors_plugin

    source = template() / "docs"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.md", "*.sh"))
    pages = re.findall(r"^ +- ([\w ]+):(?: (.+)\.md)?$", (template() / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    menu = "".join(f'<a href="{page}.html">{name}</a> ' if page else f"<p><b>{name}</b> " for name, page in pages)
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table").use(anchors_plugin, max_level=4)
    for path in source.glob("*.md"):
        body = re.sub(r'(href="[\w./-]+)\.md(["#])', r"\1.html\2", markdown.render(filled(path.read_text("utf-8"))))
        page = _PAGE.format(title=path.stem, body=body, menu=menu, open=" open" if path.stem == "index" else "")
        (target / f"{path.stem}.html").write_text(page, encoding="utf-8")
    return target / "index.html"


def filled(page: str) -> str:
    """A page in Markdown with the tables that are made from the code. Raises KeyError for a name that is none."""
    return _TABLE.sub(lambda match: "\n".join(_function(match[2]) if match[2] else _TABLES[match[1]]()), page)


def _commands() -> Iterator[str]:
    from pairwright.cli import cli

    yield from _described("pairwright", cli)


def _described(words: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from _described(f"{words} {name}", below)
        return
    arguments = [it.make_metavar(context) for it in command.params if isinstance(it, click.Argument)]
    yield from (f"## {words}", "", f"`{' '.join([words, *arguments])}`", "", inspect.cleandoc(command.help or ""))
    yield from ("", "| option | |", "|---|---|")
    for option in (it for it in command.params if isinstance(it, click.Option)):
        given = "" if option.is_flag else f" {option.make_metavar(context)}"
        default = f" Default: `{option.default}`." if option.show_default else ""
        yield f"| `{_cell(option.opts[0] + given)}` | {_cell(option.help or '')}{default} |"
    yield ""


def _settings() -> Iterator[str]:
    yield from _section("", Config)
    yield from _section("rules.sources.SOURCE", SectionPatterns)
    yield from _section('checks.limits."SOURCE/CODE"', PairLimits)
    yield from _section('llm.prices."MODEL"', Price)
    yield from _section("[morphology.CODE]", MorphologyResource)


def _section(name: str, model: type[BaseModel]) -> Iterator[str]:
    """A table of settings with the comments that the code has on them, and the sections below it."""
    yield from (f"## [{name}]" if name else "## At the top", "", (model.__doc__ or "").partition("\n\n")[0], "")
    yield from ("| setting | default | |", "|---|---|---|")
    for key, comment in described_settings(model).items():
        if comment:
            field = model.model_fields[key]
            default = _default(field.get_default(call_default_factory=True))
            yield f"| `{key}` | {default} | {_cell(comment + _choices(field.annotation))} |"
    yield ""
    for key, field in model.model_fields.items():
        if inspect.isclass(field.annotation) and issubclass(field.annotation, BaseModel):
            yield from _section(f"{name}.{key}".strip("."), field.annotation)


def described_settings(model: type[BaseModel]) -> dict[str, str]:
    """For each setting of a model, also an inherited one, the comment above or beside it; "" where it has none."""
    found: dict[str, str] = {}
    for part in reversed([it for it in model.__mro__ if issubclass(it, BaseModel) and it is not BaseModel]):
        for match in _SETTING.finditer(inspect.getsource(part)):
            found[match["name"]] = match["beside"] or match["above"] or ""
    return {name: found[name] for name in model.model_fields}


def _choices(kind: Any) -> str:
    """The values of a setting that takes one of a few."""
    return f" (`{'`, `'.join(get_args(kind))}`)" if get_origin(kind) is Literal else ""


def _default(value: Any) -> str:
    if value in (None, "", (), {}) or repr(value) == "PydanticUndefined":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else list(value) if isinstance(value, tuple) else value}`"


def _checks() -> Iterator[str]:
    from pairwright.checks.registry import CHECKS

    yield from ("| name | level | meaning |", "|---|---|---|")
    yield from (f"| `{it.name}` | {it.level} | {_cell(it.meaning)} |" for it in CHECKS)


def _columns() -> Iterator[str]:
    from pairwright.pairfiles import COLUMNS

    yield from ("| column | names |", "|---|---|")
    yield from (f"| {column} | `{'`, `'.join(names)}` |" for column, names in COLUMNS.items())


def _function(name: str) -> Iterator[str]:
    """What a function of the Python API takes and gives: its docstring, with the arguments as a table."""
    function = getattr(pairwright, name)
    yield f"`pw.{name}({', '.join(inspect.signature(function).parameters)})`"
    for part in (inspect.getdoc(function) or "").split("\n\n"):
        arguments = _ARGUMENT.findall(part)
        yield from ("", *(["| argument | |", "|---|---|"] if arguments else [_linked(part)]))
        yield from (f"| `{words.replace(', ', '`, `')}` | {_cell(_linked(text))} |" for words, text in arguments)


def _linked(text: str) -> str:
    return re.sub(r"docs/([\w-]+)\.md", r"[\1](\1.md)", text)


def _language() -> Iterator[str]:
    from pairwright.languages import Language

    yield from ("| key | what it is | what you lose without it |", "|---|---|---|")
    yield from (f"| `{key}` | {_cell(meaning)} | {without} |" for key, (meaning, without) in Language.keys().items())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


_TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "commands": _commands,
    "settings": _settings,
    "checks": _checks,
    "columns": _columns,
    "language": _language,
}
