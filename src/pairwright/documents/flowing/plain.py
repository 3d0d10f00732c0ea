"""Reads plain text (grammars, whose paragraphs empty lines part; error lists, an entry a line or sentence) and CSV."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pairwright.core.errors import SourceError
from pairwright.documents.flowing.pieces import TextPiece, heading, of_lines, paragraphs, table
from pairwright.documents.headings import PUNCTUATED_END, find_heading
from pairwright.documents.interlinear.lines import begins_example, find_unnumbered_lines, rows_of, text_profile
from pairwright.documents.lines.glyphs import SUPERSCRIPTS
from pairwright.documents.lines.profile import LEADER
from pairwright.documents.tables.unruled import find_unruled
from pairwright.languages.conventions import Conventions, usual_conventions

UNDERLINE = re.compile(r"^\s*([=\-~^*#+\"'_])\1{2,}\s*$")
RULE = re.compile(r"^[\s|+\-=:_─━]{3,}$")
HASHES = re.compile(r"^(#{1,6})\s+(\S.*?)\s*#*$")
BULLET = re.compile(r"^\s*[-•*–‣·◦]\s+(?=\S)")
ITEM = re.compile(r"^\s*(?:\d{1,3}[.)]|[a-z][.)])\s+(?=\S)")
NOTE = re.compile(
    r"^\s*(?:\[\^(?P<a>\w+)\]:|\[Footnote (?P<b>\w+):|(?P<c>[⁰¹²³⁴-⁹]+)(?=\s?\w)|\[(?P<d>\d+)\](?=\s))\s*"
)
CODE = re.compile(r"^\s*\d+(?:\.\d+)+\.?\s")
MAX_TITLE = 90


def plain_pieces(text: str, conventions: Conventions) -> Iterator[TextPiece]:
    """The pieces of a grammar in plain text in its order; an empty line ends a paragraph, a new page does not."""
    blocks = list(paragraphs(text.replace("\f", "")))
    reader = _Reader(text, blocks, conventions)
    for line, block in blocks:
        yield from reader.read(block, line)


def list_pieces(text: str) -> Iterator[TextPiece]:
    """The entries of an error list in plain text, each with the lines that go on in it."""
    entry: list[str] = []
    bulleted = False
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        bullet = BULLET.match(line)
        content = BULLET.sub("", line).strip()
        begins = bullet or CODE.match(line) or not content
        if entry and not begins and _goes_on("\n".join(entry), content):
            entry.append(content)
            continue
        if entry:
            yield of_lines("list_item" if bulleted else "paragraph", entry, number - len(entry), joint="\n")
        entry, bulleted = [content] if content else [], bullet is not None


def _goes_on(text: str, following: str) -> bool:
    """Whether a text goes on in the line that follows it: a bracket is open, or no sentence has ended; a numbered
    heading ends with its line unless the next one begins small."""
    ended = text[-1] in ".!?…:)" or (CODE.match(text + " ") is not None and not following[0].islower())
    return text.count("(") > text.count(")") or not ended


class _Reader:
    """Reads block by block; knows from the whole text how its headings look and which notes it refers to."""

    def __init__(self, text: str, blocks: Sequence[tuple[int, list[str]]], conventions: Conventions) -> None:
        self.conventions, self.profile = conventions, text_profile(conventions)
        titles = [block[0].strip() for _, block in blocks if len(block) == 1]
        self.is_numbered = any(re.match(r"^\d{1,2}\.\d", title) for title in titles)
        self.has_chapters = any(self.conventions.chapter.match(title) for title in titles)
        self.cited = set(re.findall(r"\w[.,;:!?”’\"')]*\[(\d+)\]", text))
        self.underlines: list[str] = []
        self.after_caption = False

    def read(self, block: list[str], line: int) -> Iterator[TextPiece]:
        n_rows, title = self._heading(block, line)
        if title is not None:
            yield title
            if n_rows < len(block):
                yield from self.read(block[n_rows:], line + n_rows)
            return
        captioned, self.after_caption = (
            self.after_caption,
            self.conventions.caption.match(block[0].strip()) is not None,
        )
        note = NOTE.match(block[0])
        if any(begins_example(text, self.conventions) for text in block) and not (note and note["d"] in self.cited):
            yield of_lines("paragraph", block, line)
        elif note and (not note["d"] or note["d"] in self.cited):
            yield from _notes(block, line)
        elif find_unnumbered_lines(block, self.conventions):
            yield of_lines("paragraph", block, line, joint="\n")
        else:
            yield from self._table_or_text(block, line, captioned)

    def _table_or_text(self, block: list[str], line: int, captioned: bool) -> Iterator[TextPiece]:
        below = read_columns(block[1:], line + 1, captioned=True) if self.after_caption else None
        columns = None if below else read_columns(block, line, captioned=captioned)
        if below:
            yield of_lines("paragraph", block[:1], line)
            yield below
        elif columns:
            yield columns
        elif BULLET.match(block[0]) or (ITEM.match(block[0]) and len(block) > 1):
            yield from _items(block, line)
        else:
            yield of_lines("paragraph", block, line)

    def _heading(self, block: list[str], line: int) -> tuple[int, TextPiece | None]:
        """The heading with which a block begins, and how many lines it fills."""
        over = int(len(block) > 2 and UNDERLINE.match(block[0]) is not None)
        if len(block) > over + 1 and _underlines(block[over + 1], block[over]):
            style = block[over + 1].strip()[0] + ("^" if over else "")
            if style not in self.underlines:
                self.underlines.append(style)
            level = self.underlines.index(style) + 1 + self.has_chapters
            return over + 2, heading(block[over], line + over, level)
        hashes = HASHES.match(block[0])
        if hashes:
            return 1, heading(hashes[2], line, len(hashes[1]))
        lone = self._level(block[0].strip()) if len(block) == 1 else None
        return (1, heading(block[0], line, lone)) if lone else (0, None)

    def _level(self, title: str) -> int | None:
        """The level of a line that stands alone, None where it is no heading."""
        if len(title) > MAX_TITLE or LEADER.search(title) or begins_example(title, self.conventions):
            return None
        found = find_heading(rows_of([title]), self.profile, (), 1, 99.0)
        if found is not None:
            return found.level
        number = (
            self.conventions.heading.match(title) if self.is_numbered and not PUNCTUATED_END.search(title) else None
        )
        is_chapter = self.conventions.chapter.match(title) and not PUNCTUATED_END.search(title.rstrip("."))
        if is_chapter or (number and number["number"].isdigit()):
            return 1
        capitals = sum(map(str.isalpha, title)) > 3 and title == title.upper() != title.lower()
        return 1 + self.has_chapters if capitals else None


def _underlines(rule: str, title: str) -> bool:
    near = abs(len(rule.strip()) - len(title.strip())) <= max(3, 0.25 * len(title.strip()))
    return UNDERLINE.match(rule) is not None and near and any(map(str.isalnum, title)) and "  " not in title.strip()


def _notes(block: list[str], line: int) -> Iterator[TextPiece]:
    """The footnotes of a block, each with its mark before its text."""
    marks = [(index, match) for index, text in enumerate(block) if (match := NOTE.match(text))]
    for (start, match), end in zip(marks, [*(index for index, _ in marks[1:]), len(block)], strict=True):
        label = next(filter(None, match.groups()))
        texts = [f"{label.translate(SUPERSCRIPTS)} {block[start][match.end() :]}", *block[start + 1 : end]]
        if match["b"]:
            texts[-1] = texts[-1].removesuffix("]")
        yield of_lines("footnote", texts, line + start)


def _items(block: list[str], line: int) -> Iterator[TextPiece]:
    """The items of a list; a line that begins none goes on in the item before it."""
    starts = [index for index, text in enumerate(block) if BULLET.match(text) or ITEM.match(text)]
    for start, end in pairwise([*starts, len(block)]):
        yield of_lines("list_item", [BULLET.sub("", block[start]), *block[start + 1 : end]], line + start)


def read_columns(block: list[str], line: int, *, captioned: bool) -> TextPiece | None:
    """The table that a block is: cells between bars or tabs, or in columns of spaces; None where it is no table."""
    rules = [index for index, text in enumerate(block) if RULE.match(text)]
    kept = [index for index, text in enumerate(block) if not RULE.match(text)]
    lines, texts = [line + index for index in kept], [block[index] for index in kept]
    if len(texts) < 2:
        return None
    # The rule under a table's head: the double one, or the only one between rows.
    inside = [rule for rule in rules if kept[0] < rule < kept[-1]]
    double = [rule for rule in inside if "=" in block[rule]]
    under = double[0] if double else inside[0] if len(inside) == 1 else 0
    head = sum(row < under for row in kept)
    for separator in ("|", "\t"):
        if all(separator in text.strip() for text in texts):
            rows = [[cell.strip() for cell in text.strip().strip("|").split(separator)] for text in texts]
            if len(set(map(len, rows))) == 1:
                return _table(rows, lines, head)
    if any("  " not in text.strip() for text in texts) and not rules:
        return None
    found = find_unruled(rows_of(texts), text_profile(usual_conventions()), captioned or bool(rules))
    if found is None or found[0] != len(texts) or len(found[1].cells) != len(texts):
        return None
    return _table(found[1].cells, lines, head or found[1].header_rows)


def _table(rows: Sequence[Sequence[str]], lines: Sequence[int], header_rows: int) -> TextPiece:
    return table([[[cell] for cell in row] for row in rows], lines[0], lines, header_rows)


def delimited_pieces(text: str) -> Iterator[TextPiece]:
    """A delimited text as one table, cut at the commonest of `; , tab |` in its first line. Raises SourceError."""
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(";,\t|", key=first.count))
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as fault:
        raise SourceError(f"line {line}: not a CSV row: {fault}") from None
    if rows:
        yield _table(rows, lines, 0)
