"""`pairwright init DIR`, a workspace for a language, and `pairwright language add CODE`, the file of a language."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import click

from pairwright.cli.command import language_choices
from pairwright.core.codes import language_name, preferred_code
from pairwright.core.errors import ConfigError, counted
from pairwright.core.store import write_text
from pairwright.core.workspace import Workspace, template
from pairwright.languages import Key, Language, SectionWords, load_language, resource_names
from pairwright.languages.letters import dictionary_names
from pairwright.pipeline.options import Option

SAMPLE = "lt-sample"
GRAMMAR = "lt-sample-grammar"
SAMPLES = (SAMPLE, "lt-sample-page", GRAMMAR, "lt-sample-grammar-scan", "lt-sample-treebank")
_SKIPPED = shutil.ignore_patterns("__pycache__", "*.pyc", ".lock")

_SMALL = """
[score]
# The report shows each token of a sentence with its surprisal.
tokens = true

[generate]
# The sample asks little of its local language model. Every other setting has its default.
pairs_per_rule = 2
rounds = 1

[augment]
# Words of fixed expressions stay as they are.
keep = ["eismo įvykių", "po pietų", "atvirų durų", "ispanų kalbos"]

[rules]
# One passage shows how the local language model does; the whole page takes it twice as long.
max_windows = 1
"""

_CONFIG = """\
# The settings of this workspace. Each has a default: see "Settings" in `pairwright docs`.

# The language of documents and commands for which no other is named.
language = "{language}"

[review]
# Who gets a sheet: small letters, digits, - and _. Releases give them pseudonyms.
reviewers = [{reviewers}]
per_pair = {votes}

[release]
# Approvals that a pair needs; see --votes of `pairwright init`.
votes = {votes}
"""

_ALONE = (
    "votes = 1: you can release alone. The card will say that one reviewer approves a pair, that agreement can't be "
    "stated, and that one reviewer's judgment is not a community's"
)

# Hidden files beside the sheets are locks and copies of the last export. Everything in output can be made again but the
# releases, which are for keeping; a hidden one is still being written.
_IGNORED = """\
/annotations/*/.*
/output/*
!/output/releases
/output/releases/.*
"""

_README = """\
# A workspace of pairwright

    sources/         the documents, a folder each; `pairwright build FILE --language {language}` makes one
    annotations/     the reviewers' sheets and what was decided; keep it, nothing else can bring it back
    prompts/         prompts of your own, by name and version
    languages/       languages of your own; those that come with pairwright need no file
    lexicons/        slot lexicons, whose words take the places of others; they are yours
    flows/           the steps as Prefect flows
    pairwright.toml  the settings
    output/          made by pairwright; all but output/releases can be made again

The way of a document, here in this folder:

    pairwright build FILE --language {language}      # read it, propose pairs, write the reviewers' sheets
    #   fill in annotations/<source>/<reviewer>.csv in any spreadsheet
    pairwright review sync SOURCE            # take over decisions, top up the sheets
    pairwright release create --name NAME --version 1.0.0
    pairwright evaluate NAME-1.0.0 --model embedded

`pairwright status` says how far everything is, `pairwright doctor` what is missing; `pairwright docs` opens the
documentation.
"""

_HEAD = """\
# What pairwright knows of {name}. Nothing has to be filled in: each comment says what you lose without a key.
# To fill one in, remove the # before it and put your words in place of the example."""
_FIRST = "# ---- The five keys that matter most. The examples are Lithuanian. ----"
_REST = "# ---- All other keys, for when you miss something. ----"
_KEYS = ("letters", "spelling", "abbreviations", "function_words", "morphology")

_WIDTH = 118


def init(
    directory: Annotated[Path, Option(kind="folder")],
    *,
    language: Annotated[
        str | None, Option("Language to work on, such as lt; if you leave it out, a terminal asks.", kind="language")
    ] = None,
    votes: Annotated[
        int | None, Option("Approvals that a pair needs (default: 2; a terminal asks).", least=1, most=20)
    ] = None,
    sample: Annotated[bool, Option("Add the sample sources and their filled-in sheets.")] = False,
) -> Iterator[str]:
    """Make a workspace for a language.

    A workspace is a folder for sources, annotations, flows, prompts and output.
    """
    if Workspace(directory).config_file.exists():
        return what_is_there(Workspace(directory), language, sample=sample)
    language = language or asked_language(directory)
    # The sample has its own reviewers.
    votes = votes or (2 if sample else asked_votes())
    return make_workspace(directory, language, sample=sample, votes=votes)


def make_workspace(directory: Path, language: str, *, sample: bool, votes: int = 2) -> Iterator[str]:
    """Makes the folders and files of a workspace, and yields a line for each group of them.

    votes  how many approvals a pair needs, and how many reviewers get it

    A language that does not come with pairwright gets a file to fill in. Raises ConfigError where the directory is not
    empty, and for an unknown language code.
    """
    if language not in resource_names("languages"):
        language_name(language)
    if directory.exists() and (there := sorted(path.name for path in directory.iterdir())):
        raise ConfigError(
            f"{directory}: has {counted(len(there), 'file')} in it, such as {there[0]}; choose a new folder"
        )
    root = template()
    reviewers = sorted(path.stem for path in (root / "annotations" / SAMPLE).glob("*.csv")) if sample else []
    reviewers = reviewers or [f"reviewer-{number}" for number in range(1, votes + 1)]
    names = ", ".join(f'"{name}"' for name in reviewers)
    workspace = Workspace(directory)
    for folder in (workspace.sources, directory / "prompts", workspace.annotations, workspace.output):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(root / "flows", directory / "flows", ignore=_SKIPPED)
    shutil.copy(root / "prefect.toml", directory / "prefect.toml")
    config = _CONFIG.format(reviewers=names, language=language, votes=votes) + (_SMALL if sample else "")
    write_text(workspace.config_file, config)
    write_text(directory / ".gitignore", _IGNORED)
    write_text(directory / "README.md", _README.format(language=language))
    yield f"{directory}: README.md, flows, sources, prompts, annotations, output, pairwright.toml"
    yield from add(workspace, language)
    if sample:
        queues = (f"annotations/{name}" for name in (SAMPLE, GRAMMAR))
        for part in ("lexicons", *queues, *(f"sources/{name}" for name in SAMPLES)):
            shutil.copytree(root / part, directory / part, ignore=_SKIPPED)
        yield f"{workspace.sources}: {', '.join(SAMPLES)}; review sheets of {SAMPLE} and {GRAMMAR}, filled in"
    if votes == 1:
        yield f"{workspace.config_file}: {_ALONE}"
    build = ("build", SAMPLE) if sample else ("build", "DOCUMENT", "--language", language)
    yield f"next: {workspace.command(*build)}"


def asked_language(directory: Path) -> str:
    """The language that the user types. Raises click.UsageError where nobody sits at a terminal."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{directory}: say the language, --language CODE: {language_choices()}")
    return preferred_code(click.prompt(f"Language: {language_choices()}\nCode", type=str))


def asked_votes() -> int:
    """How many reviewers have to approve a pair: 2 unless the user types another number at a terminal."""
    if not sys.stdin.isatty():
        return 2
    question = "How many people have to approve a pair? 1 if you review alone"
    return int(click.prompt(question, default=2, type=click.IntRange(1, 20)))


def what_is_there(workspace: Workspace, language: str | None, *, sample: bool) -> Iterator[str]:
    """What stands in a workspace that was made before, and that nothing was changed in it.

    Raises ConfigError where the sample is wanted and not there.
    """
    if sample and not (workspace.sources / SAMPLE).exists():
        raise ConfigError(f"{workspace.root}: is a workspace already, without the sample; choose a new folder for it")
    languages = ", ".join(sorted(workspace.languages())) or "no language named"
    n_sources, n_releases = len(list(workspace.sources.glob("*/source.toml"))), len(workspace.release_folders())
    counts = f"{counted(n_sources, 'source')}, {counted(n_releases, 'release')}"
    yield f"{workspace.root}: is a workspace already ({languages}; {counts}); nothing was changed"
    known = resource_names("languages", workspace.root)
    step = ("language", "add", language) if language and language.split("-")[0] not in known else ("status",)
    yield f"next: {workspace.command(*step)}"


# The file of a language: five keys with examples first, then all others


def add(workspace: Workspace, code: Annotated[str, Option(kind="language")]) -> Iterator[str]:
    """Write languages/CODE.toml with every key, explained.

    CODE is ISO 639, such as sje.
    """
    if (base := code.split("-")[0]) in resource_names("languages"):
        variety = "" if base == code else f", as {base}"
        yield f"language {code}: comes with pairwright{variety}; no file is needed"
        return
    text = _language_file(code)
    path = workspace.root / "languages" / f"{code}.toml"
    if path.exists():
        raise ConfigError(f"{path}: the file exists; edit it")
    write_text(path, text)
    load_language(code, workspace.root)
    yield f"{path}: fill in the first five keys if you can; the comments say what you lose without each"


def _language_file(code: str) -> str:
    """A file with every key and its comment. A line that begins with `#` and no space is a key without a value yet."""
    name, example = language_name(code), load_language("lt")
    keys = Language.keys()
    known = {"code": code, "name": name, "autonym": name, "spelling": next(iter(dictionary_names(code)), None)}
    parts = [_HEAD.format(name=name), ""]
    for key in ("code", "name", "autonym"):
        parts += (f"# {_sentence(keys.pop(key).meaning)}", f"{key} = {_value(known[key])}")
    parts += ("", _FIRST)
    for key in _KEYS:
        parts += ("", *_comment(_explained(keys[key])))
        known.setdefault(key, None)
        value = f'[{{ kind = "unimorph", path = "morphology/{code}", tagset = "unimorph" }}]'
        if key != "morphology":
            sample = getattr(example, key)
            value = _value(known[key] or (sample if isinstance(sample, str) else sample[:8]))
        parts.append(f"{'' if known[key] else '#'}{key} = {value}")
        del keys[key]
    parts += ("", _REST)
    for without in dict.fromkeys(key.without for key in keys.values()):
        group = [name for name, key in keys.items() if key.without == without]
        parts += ("", *(_comment(f"Without these: {without}.") if len(group) > 1 else ()))
        for key in group:
            text = _sentence(keys[key].meaning) if len(group) > 1 else _explained(keys[key])
            parts += (*_comment(text), *(f"#{line}" for line in _lines(key, _sample(key))))
    return "\n".join(parts) + "\n"


def _explained(key: Key) -> str:
    return f"{_sentence(key.meaning)} Without: {key.without}."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH)]


def _sample(key: str) -> Any:
    """What stands in the place of a value: English in tables, else the default."""
    if key == "sections":
        return SectionWords().model_dump(mode="json")
    value = load_language("en").model_dump(mode="json", exclude_none=True)[key]
    if isinstance(value, dict) or (value and isinstance(value, list) and isinstance(value[0], dict)):
        return value
    default = Language.model_fields[key].default
    return "" if default is None else default


def _lines(key: str, value: Any) -> Iterator[str]:
    """A key with its value as TOML."""
    if isinstance(value, dict):
        yield f"[{key}]"
        yield from (f"{name} = {_value(item)}" for name, item in value.items())
    elif value and isinstance(value, list):
        yield f"[[{key}]]"
        yield from (f"{name} = {_value(item)}" for name, item in value[0].items())
    else:
        yield f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    """Text, or a list of texts, whose escapes JSON and TOML share."""
    return json.dumps(value, ensure_ascii=False)
