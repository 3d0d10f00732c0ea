"""`pairwright notation`: what the reader of error lists makes of a list, line by line, and notations of one's own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.api.sources import read_source
from pairwright.core.errors import ConfigError, counted
from pairwright.core.records import Example, Rejection, Rule
from pairwright.core.store import write_text
from pairwright.core.workspace import Workspace
from pairwright.languages import find_resource, load_language
from pairwright.pipeline.options import Language, Option
from pairwright.sources.error_list.choice import choose_notations
from pairwright.sources.error_list.notation import load_notation
from pairwright.sources.error_list.reader import read_error_list


def try_notation(
    workspace: Workspace,
    file: Path,
    *,
    notation: Annotated[
        str | None, Option("Notation of the list (default: the one that finds most corrections).")
    ] = None,
    language: Language,
    encoding: Annotated[str, Option("Encoding of the text, such as cp1257.")] = "utf-8",
) -> Iterator[str]:
    """Show how an error list is read, line by line.

    Changes nothing: the list doesn't become a source.
    """
    blocks = read_source(file, language=language, kind="error-list", notation=notation, encoding=encoding)
    chosen = choose_notations(blocks, blocks.source, workspace.root).main
    yield f"notation {chosen.name}: {chosen.title}"
    items = list(read_error_list(blocks, blocks.source, load_language(language, workspace.root), workspace.root))
    lines = [
        (item.line or 0, 1, f"nothing: {item.reason}: {item.text}") for item in items if isinstance(item, Rejection)
    ]
    rules = [item for item in items if isinstance(item, Rule)]
    for rule in rules:
        lines.append((rule.line or 0, 0, f"rule {rule.code} {rule.title}".replace("  ", " ")))
        lines += [(example.evidence.line or 0, 1, _read_as(example)) for example in rule.examples]
    for line, _, text in sorted(lines, key=lambda line: line[:2]):
        yield f"{file}:{line}: {text}" if line else f"{file}: {text}"
    pairs = [example for rule in rules for example in rule.examples if example.bad]
    guesses = sum(example.uncertain for example in pairs)
    counts = f"{counted(len(rules), 'rule')}, {counted(len(pairs), 'pair')}"
    yield f"{counts}, {guesses} of them guesses, {len(items) - len(rules)} rejected"


def add_notation(
    workspace: Workspace,
    name: str,
    *,
    like: Annotated[str, Option("Similar known notation, such as not-but.", metavar="NOTATION")],
    wrong_marks: Annotated[tuple[str, ...], Option("Sign before the wrong words.", "wrong", "SIGN")] = (),
    right_marks: Annotated[tuple[str, ...], Option("Sign before the right words.", "right", "SIGN")] = (),
    arrows: Annotated[tuple[str, ...], Option("Sign between the wrong and the right words.", "arrow", "SIGN")] = (),
) -> Iterator[str]:
    """Add a notation: a known one with your own signs.

    Writes notations/NAME.toml, which is tried on every error list from then on. A sign may be a word. You can give each
    option several times.
    """
    given = {"wrong_marks": wrong_marks, "right_marks": right_marks, "arrows": arrows}
    signs = {key: own for key, own in given.items() if own}
    if taken := find_resource("notations", name, workspace.root):
        raise ConfigError(f"{taken}: this notation exists; edit it, or choose another name")
    if not signs:
        raise ConfigError(f"{name}: no signs; give --wrong and --right, or --arrow")
    shape = " ".join(f"{sign[0]} …" for sign in signs.values())
    described = {"name": name, "title": f"Like {like}: {shape}", "example": shape}
    made = load_notation(like, workspace.root).model_copy(update={**described, **signs})
    values = made.model_dump(mode="json", exclude_defaults=True).items()
    path = workspace.root / "notations" / f"{name}.toml"
    write_text(path, "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values))
    yield f"{path}: `{shape}`"
    yield f"next: {workspace.command('notation', 'try', 'FILE', '--language', 'CODE', '--notation', name)}"


def _read_as(example: Example) -> str:
    if example.bad is None:
        return f"acceptable: {' | '.join((example.good, *example.alternatives))}"
    others = f" (else: {' | '.join(example.alternatives)})" if example.uncertain and example.alternatives else ""
    return f"{'guess' if example.uncertain else 'pair'}: {example.bad} -> {example.good}{others}"
