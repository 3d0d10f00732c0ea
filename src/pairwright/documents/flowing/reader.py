"""Reads documents without pages: Markdown, text, HTML, CSV, workbooks, treebanks; by Pandoc DOCX, ODT, RTF, EPUB, TeX.

Pieces that make up an example, such as a number, its lines and a translation in paragraphs, become one.
"""

import csv
import io
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, groupby, islice, pairwise, takewhile
from pathlib import Path

from pydantic import ValidationError

from pairwright.core.errors import SourceError, at
from pairwright.core.files import open_file, read_all
from pairwright.core.ids import content_id
from pairwright.core.records import Block, Rejection, Source
from pairwright.core.records.documents import Tree, Word
from pairwright.core.store import package_versions
from pairwright.core.tables import packed_rows
from pairwright.core.text import squeeze
from pairwright.documents import STAGE
from pairwright.documents.flowing.html import html_pieces, markdown_pieces
from pairwright.documents.flowing.pandoc import FORMATS, pandoc_pieces
from pairwright.documents.flowing.pieces import (
    TextPiece,
    checked_hash,
    decode_text,
    heading,
    of_lines,
    table,
    with_line_ends,
)
from pairwright.documents.interlinear.lines import (
    MAX_LINES,
    begins_example,
    begins_part,
    find_in_lines,
    find_unnumbered_lines,
    read_cells,
    rows_of,
)
from pairwright.documents.interlinear.reading import FoundExample
from pairwright.documents.lines.profile import ConventionCounts, depth
from pairwright.documents.lines.rows import is_glossed
from pairwright.languages.conventions import Conventions, usual_conventions
from pairwright.languages.features import UPOS, parse_features
from pairwright.languages.morphology.lexicon import ConlluError, ConlluSentence, Row, sentences

# How many pieces after its first one an example may reach, and how near its translation must be.
AHEAD, NEAR = 24, 5
_WITH_LINES = frozenset({"paragraph", "list_item", "footnote"})


def with_examples(pieces: Iterable[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    """Pieces in order, in which those that make up an example have become one, and captions are known."""
    read = list(_with_read_examples(pieces, conventions))
    for index, piece in enumerate(read):
        beside = any(other.kind == "table" for other in read[max(0, index - 1) : index + 2])
        marked = beside and re.match(r"^(?:Table)?: +\S", piece.text) is not None
        short = len(piece.text) < 300 and (beside or piece.text[-1:] != ".")
        is_caption = piece.kind == "paragraph" and (marked or (short and conventions.caption.match(piece.text)))
        yield replace(piece, kind="caption") if is_caption else piece


def _example(found: FoundExample, line: int) -> TextPiece:
    return TextPiece("gloss" if found.interlinear else "example", found.gloss.raw, line, gloss=found.gloss)


def _with_read_examples(pieces: Iterable[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    left = deque(pieces)
    while left:
        piece = left.popleft()
        if piece.cells and (whole := read_cells(piece.cells, conventions)):
            yield _example(whole, piece.line)
            continue
        numbered = _first_numbered(piece, left, conventions)
        if numbered is None:
            glossed = find_unnumbered_lines(piece.lines, conventions) if piece.kind in _WITH_LINES else None
            yield _example(glossed, piece.line) if glossed else piece
            continue
        at, found = numbered
        if at:
            yield _between(piece, 0, at)
        yield _example(found, piece.numbers[at] if piece.numbers else piece.line)
        left.appendleft(piece)
        n_lines = at + found.n_rows
        while n_lines:
            first = left.popleft()
            if n_lines < len(first.lines):
                left.appendleft(_between(first, n_lines, len(first.lines)))
            n_lines -= min(n_lines, len(first.lines))


def _first_numbered(
    piece: TextPiece, ahead: Iterable[TextPiece], conventions: Conventions
) -> tuple[int, FoundExample] | None:
    """The first line of a piece with which an example under a number begins, and the example, which may go on in the
    pieces after it."""
    for first in range(len(piece.lines) if piece.kind in _WITH_LINES else 0):
        if not begins_example(piece.lines[first], conventions):
            continue
        own = list(piece.lines[first : first + MAX_LINES])
        last = piece.kind == "paragraph" and first + len(own) == len(piece.lines)
        more = _continuation(own, list(islice(ahead, AHEAD)), conventions) if last else []
        apart, lines = first == 0, own + [line for other in more for line in other.lines]
        found = find_in_lines(lines, conventions, apart=apart, marked=piece.marked)
        if found and (piece.kind == "paragraph" or found.interlinear):
            return first, found
    return None


def _continuation(own: Sequence[str], ahead: Sequence[TextPiece], conventions: Conventions) -> list[TextPiece]:
    """The pieces after the first lines of an example that may belong to it: parts, translations, lines in paragraphs
    of their own."""
    taken: list[TextPiece] = []
    for index, piece in enumerate(ahead):
        if piece.kind != "paragraph" or not piece.lines or begins_example(piece.lines[0], conventions):
            break
        first = piece.lines[0].strip()
        lone = len(piece.lines) == 1 and (len(own) == 1 or len(taken) > 0)
        # A paragraph that is only a quotation follows paragraphs of one line.
        near = takewhile(lambda it: it.kind == "paragraph" and len(it.lines) == 1, ahead[index : index + NEAR])
        quoted = any(it.text[0] in conventions.opening and conventions.closed.search(it.text) for it in near)
        within = lone and (piece.lines[0].startswith("\t") or quoted)
        if not (begins_part(first, conventions) or first[0] in conventions.opening or within):
            break
        taken.append(piece)
    return taken


def _between(piece: TextPiece, start: int, end: int) -> TextPiece:
    """Lines of a piece as a piece of their own; its emphasis goes with the words."""
    texts = [" ".join(line.split()) for line in piece.lines]
    starts = [0, *accumulate(len(text) + len(piece.joint) for text in texts)]
    text = piece.joint.join(texts[start:end])
    spans = ((max(a - starts[start], 0), min(b - starts[start], len(text))) for a, b in piece.emphasis)
    emphasis = tuple((a, b) for a, b in spans if a < b)
    lines, numbers = piece.lines[start:end], piece.numbers[start:end]
    first = numbers[0] if numbers else piece.line
    return replace(piece, text=text, line=first, lines=lines, numbers=numbers, emphasis=emphasis)


def read_treebank(path: Path, name: str, source: Source, max_bytes: int) -> Iterator[Block | Rejection]:
    """The sentences of a treebank in order, as blocks with trees; `name` is its path as the source names it.

    A sentence with a faulty line becomes a Rejection with that line, and the others are read. One whose `# text` is not
    what its words say gives a Rejection beside its block: the words count. Raises SourceError where the file can't be
    read, or no sentence of it is one of CoNLL-U.
    """
    with open_file(path, SourceError) as file:
        checked_hash(file, path, name, source)
        data = read_all(file, path, max_bytes, SourceError)
    lines = enumerate(decode_text(path, data, source.encoding).split("\n"), start=1)
    reject = partial(Rejection, stage=STAGE.name, source_id=source.id, file=name, page=1)
    repetitions: Counter[str] = Counter()
    first_fault: ConlluError | None = None
    for number, sentence in enumerate(sentences(lines), start=1):
        sent_id = sentence.comments.get("sent_id") or f"{Path(name).stem}-{number}"
        line = sentence.lines[0][0]
        try:
            text, tree = _tree(sentence, sent_id)
        except ConlluError as fault:
            first_fault = first_fault or fault
            yield reject(line=fault.line, reason=f"{fault}; fix the line", text=f"sentence {sent_id}")
            continue
        if (stated := sentence.comments.get("text")) and squeeze(stated) != text:
            yield reject(line=line, reason="its # text differs from its words, which count", text=stated)
        repetitions[text] += 1
        yield Block(
            id=content_id("block", source.id, "sentence", text, repetitions[text]),
            source_id=source.id,
            kind="sentence",
            text=text,
            file=name,
            page=1,
            line=line,
            tree=tree,
            reader="conllu",
        )
    if not repetitions:
        reason = f"{at(path, first_fault.line)}: {first_fault}" if first_fault else f"{path}: no sentence"
        raise SourceError(
            f"{reason}; a treebank has to be in CoNLL-U: convert it, or take the .conllu file of its release"
        )


def _tree(sentence: ConlluSentence, sent_id: str) -> tuple[str, Tree]:
    """The text of a sentence and its tree. The words of a multiword token have its place. Raises ConlluError."""
    text, space, token_end = "", "", 0
    words, numbers = list[Word](), list[int]()
    for row in sentence.rows():
        if row.first > token_end:
            text += space
            start, text = len(text), text + squeeze(row.form)
            token_end, space = row.last, " " if row.spaced else ""
        if row.is_word:
            words.append(_word(row, len(words) + 1, start, len(text)))
            numbers.append(row.line)
    for word, number in zip(words, numbers, strict=True):
        if word.head > len(words):
            raise ConlluError(number, f"its head {word.head} is no word of the sentence")
    if token_end > len(words) or not words:
        raise ConlluError(sentence.lines[-1][0], "the sentence ends before its last word")
    return text, Tree(sent_id=sent_id, words=tuple(words))


def _word(row: Row, due: int, start: int, end: int) -> Word:
    if row.first != due:
        raise ConlluError(row.line, f"word {row.first} stands where word {due} is due")
    if row.upos not in UPOS:
        raise ConlluError(row.line, f"'{row.upos}' is no part of speech of Universal Dependencies")
    if not re.fullmatch(r"\d{1,6}", row.head):
        raise ConlluError(row.line, "the word has no head")
    own = {key: value for key, value in row._asdict().items() if key in ("form", "lemma", "upos", "feats", "deprel")}
    try:
        parse_features(row.feats)
        return Word(id=row.first, head=int(row.head), start=start, end=end, **own)
    except ValidationError as fault:
        raise ConlluError(row.line, fault.errors(include_url=False)[0]["msg"]) from None
    except ValueError as fault:
        raise ConlluError(row.line, str(fault)) from None


BULLET = re.compile(r"^\s*[-•*–‣·◦]\s+(?=\S)")
# A few words in a line, without a mark: between empty lines and before more text, a heading.
_TITLE = re.compile(r"[^\W\d_](?:[\w ,–-]{0,60}\w)?:?\s*")
CODE = re.compile(r"^\s*\d+(?:\.\d+)+\.?\s")


def list_pieces(text: str) -> Iterator[TextPiece]:
    """The entries of an error list in plain text, each with the lines that go on in it; its headings."""
    entry: list[str] = []
    bulleted = False
    lines = ["", *text.split("\n"), ""]
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    for number, line in enumerate(lines[1:], start=1):
        bullet = BULLET.match(line)
        content = BULLET.sub("", line).strip()
        begins = bullet or CODE.match(line) or not content
        if entry and not begins and _goes_on("\n".join(entry), content):
            entry.append(content)
            continue
        if entry:
            yield of_lines("list_item" if bulleted else "paragraph", entry, number - len(entry))
        if _TITLE.fullmatch(line) and number < last and not lines[number - 1].strip() and not lines[number + 1].strip():
            yield heading(content.rstrip(":"), number, 1)
            content = ""
        entry, bulleted = [content] if content else [], bullet is not None


def _goes_on(text: str, following: str) -> bool:
    """Whether a text goes on in the line that follows it: a bracket is open, or no sentence has ended; a numbered
    heading ends with its line unless the next one begins small."""
    ended = text[-1] in ".!?…:)" or (CODE.match(text + " ") is not None and not following[0].islower())
    return text.count("(") > text.count(")") or not ended


def delimited_pieces(text: str) -> Iterator[TextPiece]:
    """A delimited text as one table, cut at the commonest of `; , tab |` in its first line. Raises SourceError."""
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(";,\t|", key=first.count))
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as fault:
        raise SourceError(f"line {line}: not a CSV row: {fault}") from None
    yield from _sheet(rows)


def workbook_pieces(path: Path, data: bytes) -> Iterator[TextPiece]:
    """The sheets of a workbook, each as a table. Raises SourceError."""
    for _, rows in groupby(packed_rows(path, data, SourceError), key=lambda row: row.table):
        yield from _sheet((row.number, row.cells) for row in rows)


def _sheet(rows: Iterable[tuple[int, list[str]]]) -> Iterator[TextPiece]:
    """Numbered rows as a table, without those that are empty."""
    kept = {number: cells for number, cells in rows if any(map(str.strip, cells))}
    if kept:
        yield table(kept.values(), list(kept))


MAX_TITLE = 90
# The reader of each ending, and the package behind it; None where the standard library is enough. Error lists in plain
# text have their own.
TEXT_READERS: dict[str, tuple[Callable[[str], Iterator[TextPiece]], str | None]] = {
    ".md": (markdown_pieces, "markdown-it-py"),
    ".markdown": (markdown_pieces, "markdown-it-py"),
    ".txt": (partial(markdown_pieces, plain=True), "markdown-it-py"),
    ".html": (html_pieces, "beautifulsoup4"),
    ".htm": (html_pieces, "beautifulsoup4"),
    ".csv": (delimited_pieces, None),
    ".tsv": (delimited_pieces, None),
}

WORKBOOKS = (".xlsx", ".xls", ".ods")


def read_text_document(
    path: Path, name: str, source: Source, max_bytes: int, conventions: Conventions | None = None
) -> Iterator[Block]:
    """The blocks of a document in reading order, with section paths and stable ids; its ending decides the format.

    name         its path as the source names it. An error list keeps line ends, a grammar's examples are read
    max_bytes    the largest size of a text file, and of the text that a packed file holds
    conventions  of a grammar, before what its examples show is added

    `line` counts the lines of a text file, or the blocks of one that Pandoc reads. Raises SourceError for an unknown
    ending and for a file that can't be read, is damaged, protected or too large.
    """
    suffix = path.suffix.lower()
    suffixes = (*TEXT_READERS, *FORMATS, *WORKBOOKS)
    if suffix not in suffixes:
        raise SourceError(f"{path}: no reader for '{suffix}' documents; known: {' '.join(suffixes)}")
    is_list, conventions = source.kind == "error-list", conventions or usual_conventions()
    package: str | None
    # Opened once: the hash is that of the bytes that are read.
    with open_file(path, SourceError) as file:
        sha256 = checked_hash(file, path, name, source)
        if suffix in FORMATS:
            package = "pypandoc-binary"
            pieces = list(pandoc_pieces(path, file, max_bytes, source.encoding))
        elif suffix in WORKBOOKS:
            package = "python-calamine"
            pieces = list(workbook_pieces(path, read_all(file, path, max_bytes, SourceError)))
        else:
            read, package = (list_pieces, None) if suffix == ".txt" and is_list else TEXT_READERS[suffix]
            text = decode_text(path, read_all(file, path, max_bytes, SourceError), source.encoding)
            try:
                pieces = list(read(text))
            except SourceError as fault:
                raise SourceError(f"{path}: {fault}") from None
        if is_list:
            pieces = list(map(with_line_ends, pieces))
        else:
            pieces = [_titled(piece, conventions) for piece in pieces] if suffix == ".txt" else pieces
            conventions = _learned(pieces, conventions)
            pieces = list(with_examples(pieces, conventions))
        reader = f"{package} {package_versions([package])[package]}" if package else "plain-text/1"
        yield from _blocks(pieces, sha256, name, source, reader)


def _titled(piece: TextPiece, conventions: Conventions) -> TextPiece:
    """A line of plain text that stands alone and begins with the number of a heading, as that heading."""
    number = conventions.heading.match(piece.text) if len(piece.lines) == 1 and len(piece.text) <= MAX_TITLE else None
    is_title = piece.kind == "paragraph" and number is not None and piece.text[-1] not in ".,;:"
    return heading(piece.text, piece.line, depth(number)) if number and is_title else piece


def _learned(pieces: Iterable[TextPiece], conventions: Conventions) -> Conventions:
    """The conventions of a document with those that its lines show, as the rows of a book's pages do."""
    counts = ConventionCounts(conventions)
    for piece in pieces:
        rows = rows_of(piece.lines, conventions)
        pairs = enumerate(pairwise(rows))
        counts.add(rows, [at for at, (one, two) in pairs if is_glossed(counts.without_label(one), two)])
    return conventions.with_learned(counts.learned())


def _blocks(pieces: Iterable[TextPiece], sha256: str, name: str, source: Source, reader: str) -> Iterator[Block]:
    """Pieces with ids, which rest on their content.

    Error lists are edited and sent again: an entry keeps its id where it keeps its section and its words. A block of a
    grammar belongs to the file that was read.
    """
    headings: list[tuple[int, str]] = []
    repetitions: Counter[tuple[object, ...]] = Counter()
    for piece in pieces:
        if piece.kind == "heading":
            headings = [(level, title) for level, title in headings if level < (piece.level or 1)]
        section = tuple(title for _, title in headings)
        content: tuple[object, ...] = sha256, 1, piece.kind, piece.text
        if source.kind == "error-list":
            content = source.id, piece.kind, section, piece.text
        repetitions[content] += 1
        yield Block(
            id=content_id("block", *content, repetitions[content]),
            source_id=source.id,
            kind=piece.kind,
            text=piece.text,
            file=name,
            page=1,
            line=piece.line,
            level=piece.level,
            section=section,
            cells=piece.cells,
            row_lines=piece.row_lines,
            emphasis=piece.emphasis,
            header_rows=piece.header_rows,
            gloss=piece.gloss,
            reader=reader,
        )
        if piece.kind == "heading":
            headings.append((piece.level or 1, piece.text))
