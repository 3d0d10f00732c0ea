r"""Turns the numbered examples of LaTeX into tables, which keep the columns of glosses through Pandoc.

Read are gb4e and its relatives (`\ea`, `exe`, `xlist`, `\gll`) and expex (`\ex`, `\pex`, `\begingl`), as their manuals
describe them. Labels become the numbers of their examples, also where the text refers to them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pairwright.core.errors import SourceError

_COMMENT = re.compile(r"(?<!\\)%.*\n?")
_INCLUDES = re.compile(r"\\(?:input|include|subfile)\{([^}]*)\}")
_STRUCTURE = re.compile(
    r"\\(?P<edge>begin|end)\{(?:exe|xlist[a-z]*)\}|\\(?P<command>eal?|zl?|pex|xe|ex|a)(?![A-Za-z])[ \t]*(?:~|\n)?"
)
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_REFERENCE = re.compile(r"\(?\\(?:[a-z]*ref|REF|getref|getfullref)\*?\{([^}]*)\}\)?")
_JUDGEMENT = re.compile(r"^\s*(?:\[([^\]]{0,4})\]|\\l?judge\*?\s*(?:\{([^}]*)\}|(\S)))?\s*")
_GLOSS = re.compile(r"\\g(l{2,4})(?![A-Za-z])")
_EXPEX = re.compile(r"\\(glpreamble|gla|glb|glc|gld|glft)(?![A-Za-z])(.*?)//", re.DOTALL)
_OTHER = re.compile(r"\\(?:glend|endgl|begingl|trans|glt|glft|exewidth|sn)(?![A-Za-z])(?:\[[^\]]*\])?")


def examples_as_tables(text: str, path: Path) -> str:
    """A LaTeX text with a table for each example and sub-example. Raises SourceError where it includes other files."""
    text = _COMMENT.sub("", text)
    if included := _INCLUDES.search(text):
        raise SourceError(f"{path}: it includes {included[1]}, which is not read; give each chapter's file by itself")
    numbers: dict[str, str] = {}
    whole = "".join(_with_tables(text, numbers))
    return _REFERENCE.sub(lambda match: f"({numbers[match[1]]})" if match[1] in numbers else match[0], whole)


def _with_tables(text: str, numbers: dict[str, str]) -> Iterator[str]:
    at = count = part = 0
    levels: list[str] = []  # the environments or commands that are open
    item = ""  # the number of the example to which the next words belong
    for match in _STRUCTURE.finditer(text):
        command = match["command"]
        if not levels and (match["edge"] == "end" or command in {"z", "zl", "xe", "a"}):
            continue
        if command == "a" and "pex" not in levels:
            continue
        between, at = text[at : match.start()], match.end()
        yield _table(item, between, numbers) if item else between
        closes = match["edge"] == "end" or command in {"z", "zl", "xe"}
        if closes:
            levels.pop()
        elif match["edge"] or command in {"ea", "eal", "pex"} or not levels:
            levels.append(command or "exe")
            part = part if len(levels) > 1 and part else 0
        opens_item = command in {"ea", "eal", "ex", "pex", "a"}
        nested = len(levels) > 1 or command == "a"
        if opens_item and nested:
            part += 1
        elif opens_item:
            count, part = count + 1, 0
        item = f"{count}{chr(96 + part) if part and nested else ''}" if opens_item else ""
    yield text[at:]


def _table(number: str, text: str, numbers: dict[str, str]) -> str:
    """The lines of an example as rows: its number, then a cell a word where lines are aligned."""
    numbers.update(dict.fromkeys(_LABEL.findall(text), number))
    text = _LABEL.sub("", text)
    judgement = _JUDGEMENT.match(text)
    assert judgement is not None
    mark = next((group for group in judgement.groups() if group), "")
    text = text[judgement.end() :].strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    rows = list(_rows(text))
    if not rows:
        return ""
    rows[0][0] = mark + rows[0][0]
    width = max(map(len, rows))
    lines = [[f"({number})" if index == 0 else "", *row, *[""] * (width - len(row))] for index, row in enumerate(rows)]
    body = " \\\\\n".join(" & ".join(line) for line in lines)
    return f"\n\n\\begin{{tabular}}{{{'l' * (width + 1)}}}\n{body} \\\\\n\\end{{tabular}}\n\n"


def _rows(text: str) -> Iterator[list[str]]:
    expex = list(_EXPEX.finditer(text))
    if expex:
        for match in expex:
            yield _words(match[2]) if match[1] in {"gla", "glb", "glc", "gld"} else [match[2].strip()]
        text = text[expex[-1].end() :]
    elif gloss := _GLOSS.search(text):
        yield from ([line] for line in _lines(text[: gloss.start()]))
        tiers = _lines(text[gloss.end() :])
        yield from map(_words, tiers[: len(gloss[1])])
        text = "\\\\".join(tiers[len(gloss[1]) :])
    yield from ([line] for line in _lines(text))


def _lines(text: str) -> list[str]:
    """What `\\\\` separates, outside braces and without white space and the commands of glosses."""
    lines = (_OTHER.sub("", "".join(part)).strip() for part in _split(text, r"\\\\(?:\[[^\]]*\])?"))
    return [re.sub(r"\s+", " ", line) for line in lines if line]


def _words(text: str) -> list[str]:
    words = [word for word in _split(text.strip(), r"\s+") if word]
    return [word[1:-1] if re.fullmatch(r"\{[^{}]*\}", word) else word for word in words]


def _split(text: str, separator: str) -> list[str]:
    """The parts of a text between separators that are in no braces."""
    parts, depth = [""], 0
    for token in re.findall(rf"{separator}|\\.|[{{}}]|[^\\{{}}\s]+|\s+", text, re.DOTALL):
        depth += (token == "{") - (token == "}")
        if depth <= 0 and re.fullmatch(separator, token):
            parts.append("")
        else:
            parts[-1] += token
    return parts
