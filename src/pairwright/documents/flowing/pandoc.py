"""Reads DOCX, ODT, RTF, EPUB and LaTeX through Pandoc, whose HTML goes to the reader of HTML.

Pandoc runs in its sandbox, gets no more than the text of the document, and has a limit of processor time. The numbered
examples of LaTeX become tables before, which keep the columns of glosses: those of gb4e and its relatives (`ea`, `exe`,
`xlist`, `gll`) and of expex (`ex`, `pex`, `begingl`). Labels become the numbers of their examples, also in references.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import BufferedReader, BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

import pypandoc

from pairwright.core.errors import SourceError, one_line
from pairwright.core.files import read_all
from pairwright.documents.flowing.html import html_pieces
from pairwright.documents.flowing.pieces import TextPiece, decode_text

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


FORMATS = {".docx": "docx", ".odt": "odt", ".epub": "epub", ".rtf": "rtf", ".tex": "latex"}
# A small document gets little time and memory, so that none of a few bytes can take minutes and gigabytes.
_SECONDS, _MOST_SECONDS, _MEGABYTES, _MOST_MEGABYTES = 20, 300, 384, 4096
_PACKED = frozenset({"docx", "odt", "epub"})
_TEXT_MEMBERS = re.compile(r"\.(?:xml|rels|xhtml|html?|opf|ncx)$|^mimetype$", re.IGNORECASE)
# Fonts may be scrambled; a text that is can only be read with the seller's key.
_SCRAMBLED_TEXT = re.compile(rb"""CipherReference\s[^>]*URI\s*=\s*["'][^"']*\.(?:x?html?|xml|opf)["']""", re.IGNORECASE)
# Tabs separate the columns of examples. Pandoc makes spaces of them, so a sign of private use takes their place.
_TAB = "\ue009"
_TABS = {b"<w:tab/>": f"<w:t>{_TAB}</w:t>".encode(), b"<text:tab/>": _TAB.encode()}


def pandoc_pieces(path: Path, file: BufferedReader, max_bytes: int, encoding: str) -> Iterator[TextPiece]:
    """The pieces of an opened document in reading order, each note after the block that refers to it.

    `line` counts the blocks of the document. Raises SourceError where the file is not of its format, is damaged or
    protected, includes other files, or where its text is larger than `max_bytes` unpacked.
    """
    form = FORMATS[path.suffix.lower()]
    data = _text_members(path, file, max_bytes) if form in _PACKED else read_all(file, path, max_bytes, SourceError)
    if form == "rtf":
        # Without the space, Pandoc 3.9 loses the letter after the sign that stands in for this one.
        data = re.sub(rb"(\\u-?\d+)(?=[^\s\\\d])", rb"\1 ", data)
    elif form == "latex":
        data = examples_as_tables(decode_text(path, data, encoding), path).encode()
    count, before = 0, 0
    for piece in html_pieces(_html(path, form, data)):
        count, before = count + (piece.line != before), piece.line
        lines = tuple(line.replace(_TAB, "\t") for line in piece.lines)
        yield replace(piece, text=piece.text.replace(_TAB, " "), lines=lines, line=count)


def _text_members(path: Path, file: BufferedReader, max_bytes: int) -> bytes:
    """A packed document without its pictures and fonts, read once the sizes that it declares are known."""
    slim = BytesIO()
    try:
        with ZipFile(file) as archive, ZipFile(slim, "w") as texts:
            members = [item for item in archive.infolist() if _TEXT_MEMBERS.search(item.filename)]
            total = sum(item.file_size for item in members)
            if total > max_bytes:
                raise SourceError(
                    f"{path}: its text is {total:,} bytes unpacked, more than a document may have ({max_bytes:,}); "
                    "raise ingest.max_bytes in pairwright.toml if you trust the file"
                )
            for item in members:
                with archive.open(item) as member:
                    # No more than it declares; where that is wrong, its checksum does not fit.
                    data = member.read(item.file_size + 1)
                if item.filename == "META-INF/encryption.xml" and _SCRAMBLED_TEXT.search(data):
                    raise SourceError(f"{path}: the book is protected (DRM); get a copy without protection")
                for element, sign in _TABS.items():
                    data = data.replace(element, sign)
                texts.writestr(item.filename, data)
    except (BadZipFile, ZlibError, EOFError, RuntimeError, OSError, ValueError) as fault:
        kind, reason = path.suffix[1:].upper(), one_line(fault, 120)
        raise SourceError(f"{path}: not {kind}, damaged, or with a password ({reason}); save it again") from None
    return slim.getvalue()


def _html(path: Path, form: str, data: bytes) -> str:
    script = Path(__file__).with_name("pandoc.lua")
    command = [pypandoc.get_pandoc_path(), "--sandbox", "--wrap=none", "--reference-location=block", f"--from={form}"]
    megabytes = min(_MEGABYTES + len(data) // 25_000, _MOST_MEGABYTES)
    seconds = min(_SECONDS + len(data) // 20_000, _MOST_SECONDS)
    command += ["--to=html5", f"--lua-filter={script}", "+RTS", f"-M{megabytes}m", "-RTS"]

    def limit_time() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    # Its own limit, since the process that reads may itself be ended, and Pandoc would go on.
    limited = limit_time if sys.platform != "win32" else None
    result = subprocess.run(command, input=data, capture_output=True, preexec_fn=limited)
    said = one_line(result.stderr.decode(errors="replace"), 200)
    if result.returncode or "code page" in said:
        reason = said if said and result.returncode >= 0 else "it takes too much time or memory"
        raise SourceError(f"{path}: can't be read as {path.suffix[1:].upper()} ({reason}); save it again, best as DOCX")
    return result.stdout.decode()
