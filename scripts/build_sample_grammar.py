"""Sets the sample grammar: from book.toml to book.pdf, truth.jsonl, the scanned twin and the source.toml of each PDF.

    python scripts/build_sample_grammar.py            writes below sources/
    python scripts/build_sample_grammar.py --out DIR  writes below DIR

The `typst` wheel carries the compiler and its fonts (Libertinus Serif, SIL Open Font License), so the result depends on
nothing of the system: the same version of typst gives the same bytes. sources/lt-sample-grammar/README.md says what
truth.jsonl holds.
"""

import argparse
import hashlib
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typst
from sample_grammar_book import (
    BOOK,
    CATEGORY,
    Block,
    Book,
    BookError,
    Cell,
    Line,
    check_alignment,
    number_pieces,
    placed,
    read_book,
)
from scan_twin import scanned_twin

LAYOUT = BOOK.with_name("layout.typ")

INLINE = re.compile(r"_(?P<italic>[^_]+)_|\{(?P<caps>[^}]+)\}|\[\^(?P<note>[a-z-]+)\]")
REFERENCE = re.compile(r"@(?P<id>[a-z][a-z-]*)(?::(?P<letter>[a-z]))?")
LETTERS = "abcdefgh"

Json = dict[str, Any]


@dataclass
class Setting:
    """Turns the book into what layout.typ reads (`pieces`) and what truth.jsonl says (`records`, without pages)."""

    book: Book
    numbers: dict[str, str]
    pieces: list[Json] = field(default_factory=list)
    records: list[Json] = field(default_factory=list)
    section: list[str] = field(default_factory=list)
    notes: int = 0

    def add(self, kind: str, text: str, **more: Any) -> str:
        """Enters a record and returns the id under which the layout tells its page."""
        key = f"p{len(self.records)}"
        self.records.append({"key": key, "kind": kind, "text": text, "section": list(self.section), **more})
        return key

    def resolve(self, text: str) -> str:
        """The text on one line, with the numbers of what it refers to."""

        def number(match: re.Match[str]) -> str:
            if match["id"] not in self.numbers:
                raise BookError(f"@{match['id']} refers to nothing")
            return self.numbers[match["id"]] + (match["letter"] or "")

        return REFERENCE.sub(number, " ".join(text.split()))

    def runs(self, text: str) -> list[Json]:
        """Stretches of one style each; a footnote is a stretch of its own and enters the records after its block."""
        text, runs, end = self.resolve(text), list[Json](), 0
        for match in INLINE.finditer(text):
            runs.append({"style": "plain", "text": text[end : match.start()]})
            if match["note"]:
                runs.append({"style": "footnote", "text": "", "note": match["note"]})
            else:
                style = "italic" if match["italic"] else "small-capitals"
                runs.append({"style": style, "text": match["italic"] or match["caps"]})
            end = match.end()
        runs.append({"style": "plain", "text": text[end:]})
        return [run for run in runs if run["text"] or run["style"] == "footnote"]

    def heading(self, block: Block) -> Json:
        number = self.numbers.get(block.id or "")
        label = f"{number} {block.title}" if number else block.title
        del self.section[block.level - 1 :]
        key = self.add("heading", block.title, level=block.level, number=number)
        self.section.append(label)
        return {"id": key, "level": block.level, "title": block.title, "number": number}

    def paragraph(self, block: Block) -> Json:
        runs = self.runs(block.text)
        key = self.add("paragraph", plain(runs))
        for run in runs:
            if run["style"] == "footnote":
                run["note"] = self.footnote(run["note"])
        return {"id": key, "runs": runs}

    def footnote(self, name: str) -> Json:
        if name not in self.book.footnotes:
            raise BookError(f"[^{name}] names no footnote")
        self.notes += 1
        note = self.book.footnotes[name]
        runs = self.runs(note.text)
        key = self.add("footnote", plain(runs), number=str(self.notes))
        lines = [
            self.line(line, number="i" * index, letter=None, language=None, footnote=str(self.notes), name=None)
            for index, line in enumerate(note.line, start=1)
        ]
        return {"id": key, "runs": runs, "lines": lines}

    def entries(self, block: Block) -> Json:
        entries = []
        for entry in block.items or block.entries:
            if isinstance(entry, tuple):
                term, meaning = self.runs("{" + entry[0] + "}"), self.runs(entry[1])
                key = self.add("term", f"{entry[0]} {entry[1]}")
                entries.append({"id": key, "term": term, "meaning": meaning})
            else:
                runs = self.runs(entry)
                entries.append({"id": self.add("list_item", plain(runs)), "runs": runs})
        return {"entries": entries}

    def table(self, block: Block) -> Json:
        number, caption = self.numbers[block.id or ""], self.runs(block.caption)
        caption_id = self.add("caption", f"Table {number}: {plain(caption)}", number=number)
        cells = [self.cell(block, x, y, cell) for x, y, cell in placed(block.rows)]
        width = max(cell["x"] + cell["columns"] for cell in cells)
        grid = [[""] * width for _ in block.rows]
        for cell in cells:
            grid[cell["y"]][cell["x"]] = plain(cell["runs"])
        spans = [[c["y"], c["x"], c["rows"], c["columns"]] for c in cells if c["rows"] > 1 or c["columns"] > 1]
        text = "\n".join("\t".join(row) for row in grid)
        known: Json = {"number": number, "style": block.style, "header_rows": block.header_rows}
        key = self.add("table", text, **known, cells=grid, spans=spans)
        return {
            "id": key,
            "caption_id": caption_id,
            "caption": caption,
            "cells": cells,
            "width": width,
            "height": len(grid),
            **known,
        }

    def cell(self, block: Block, x: int, y: int, cell: Cell) -> Json:
        foreign = (
            x in block.italic_columns and y >= block.header_rows and cell.columns == 1 and cell.text[0] not in "{–"
        )
        runs = self.runs(f"_{cell.text}_" if foreign else cell.text) if cell.text else []
        return {"x": x, "y": y, "rows": cell.rows, "columns": cell.columns, "runs": runs}

    def example(self, block: Block) -> Json:
        number, lines, good = self.numbers[block.id or ""], list[Json](), None
        for index, line in enumerate(block.line):
            letter = LETTERS[index] if len(block.line) > 1 else None
            name = f"{number}{letter or ''}"
            paired = self.resolve(f"@{line.counterpart}") if line.counterpart else good
            piece = self.line(line, number=number, letter=letter, language=block.language, footnote=None, name=paired)
            lines.append(piece | {"language": block.language if index == 0 else None})
            good = good if line.judgement else name
        return {"number": number, "side_by_side": block.side_by_side, "lines": lines}

    def line(
        self,
        line: Line,
        *,
        number: str,
        letter: str | None,
        language: str | None,
        footnote: str | None,
        name: str | None,
    ) -> Json:
        """One glossed sentence; `name` is the number of the acceptable sentence that a marked one goes with."""
        kinds = {"object": line.object, "segmented": line.segmented, "gloss": line.gloss}
        words = {kind: text.split() for kind, text in kinds.items() if text}
        check_alignment(f"example {number}{letter or ''}", words)
        if line.judgement and name is None:
            raise BookError(f"example {number}{letter or ''} is marked {line.judgement} and has no counterpart")
        key = self.add(
            "gloss",
            line.object,
            number=number,
            letter=letter,
            judgement=line.judgement or None,
            language=language,
            reference=line.reference,
            object=words["object"],
            segmented=words.get("segmented"),
            gloss=words.get("gloss"),
            translation=line.translation,
            intended=line.intended,
            counterpart=name if line.judgement else None,
            footnote=footnote,
        )
        columns = [list(column) for column in zip(*words.values(), strict=True)]
        if line.gloss:
            columns = [[*column[:-1], gloss_runs(column[-1])] for column in columns]
        quoted = f"‘{line.translation}’" if line.translation else None
        return {
            "id": key,
            "number": number,
            "letter": letter,
            "judgement": line.judgement or None,
            "language": language,
            "reference": line.reference and f"[{line.reference}]",
            "rows": list(words),
            "columns": columns,
            "translation": f"(intended: {quoted})" if line.intended else quoted,
            "page_break": line.page_break,
        }


def plain(runs: list[Json]) -> str:
    """The letters of the stretches; small capitals stay capitals, footnote marks are left out."""
    return "".join(run["text"] for run in runs)


def gloss_runs(word: str) -> list[Json]:
    """A gloss such as `wait.PRS.1SG` as stretches, its categories in small capitals (Leipzig Glossing Rules)."""
    runs, end = list[Json](), 0
    for match in CATEGORY.finditer(word):
        runs += [{"style": "plain", "text": word[end : match.start()]}, {"style": "small-capitals", "text": match[0]}]
        end = match.end()
    return [run for run in [*runs, {"style": "plain", "text": word[end:]}] if run["text"]]


def check_abbreviations(setting: Setting) -> None:
    """Raises BookError for a category that the glosses use and the list of abbreviations lacks."""
    known = {record["text"].split()[0] for record in setting.records if record["kind"] == "term"}
    for record in setting.records:
        for word in record.get("gloss") or ():
            for match in CATEGORY.finditer(word):
                if missing := ({match["person"], match["category"]} - {""}) - known:
                    raise BookError(f"example {record['number']}: {missing} is not among the abbreviations")


def set_book(book: Book) -> tuple[Json, list[Json]]:
    """What the layout reads, and the records of the truth in reading order, without pages."""
    setting = Setting(book, number_pieces(book))
    for block in book.block:
        make = {
            "heading": setting.heading,
            "paragraph": setting.paragraph,
            "reference": setting.paragraph,
            "table": setting.table,
            "example": setting.example,
        }.get(block.kind, setting.entries)
        setting.pieces.append({"kind": block.kind, "style": block.style, "page_break": block.page_break, **make(block)})
    check_abbreviations(setting)
    titles = [{"key": key, "kind": "title", "text": getattr(book, key)} for key in ("title", "subtitle", "author")]
    front = {"title": book.title, "subtitle": book.subtitle, "author": book.author}
    return {**front, "blocks": setting.pieces}, [*titles, *setting.records]


def build_pdf(book: Book) -> tuple[bytes, list[Json]]:
    """The PDF, and the truth with the pages on which the typesetter put each piece."""
    layout, records = set_book(book)
    fonts = typst.Fonts(include_system_fonts=False)
    inputs = {"book": json.dumps(layout, ensure_ascii=False)}
    compiler = typst.Compiler(str(LAYOUT), root=str(LAYOUT.parent), font_paths=fonts, sys_inputs=inputs)
    marks = json.loads(compiler.query("<at>", field="value"))
    pdf = compiler.compile(format="pdf", pdf_tags=False)
    assert isinstance(pdf, bytes)
    return pdf, with_pages(records, marks)


def with_pages(records: list[Json], marks: list[Json]) -> list[Json]:
    """The records page by page: running head, text, footnotes, page number. `page_end` where a piece runs on."""
    first = {mark["id"]: mark["page"] for mark in marks if mark["edge"] == "start"}
    last = {mark["id"]: mark["page"] for mark in marks if mark["edge"] == "end"}
    ordered: list[tuple[int, int, Json]] = []
    for record in records:
        key = record.pop("key")
        pages: Json = {"page": first[key]}
        if last.get(key, first[key]) != first[key]:
            pages["page_end"] = last[key]
        in_note = record["kind"] == "footnote" or record.get("footnote")
        ordered.append((first[key], 2 if in_note else 1, pages | record))
    heads = {mark["page"]: mark["edge"] for mark in marks if mark["id"] == "running-head"}
    for page in range(1, max(place for place, _, _ in ordered) + 1):
        ordered.append((page, 3, {"page": page, "kind": "page-number", "text": str(page)}))
        if page in heads:
            ordered.append((page, 0, {"page": page, "kind": "running-head", "text": heads[page]}))
    return [record for _, _, record in sorted(ordered, key=lambda entry: entry[:2])]


def write_source(folder: Path, title: str, name: str, content: bytes) -> None:
    """Writes a PDF and the source.toml that describes it."""
    lines = (
        f'id = "{folder.name}"',
        f'title = "{title}"',
        'language = "lt"',
        'kind = "grammar-book"',
        'licence = "CC0-1.0"',
        f'citation = "The pairwright authors. 2026. {title}."',
        "",
        "[[files]]",
        f'path = "{name}"',
        f'sha256 = "{hashlib.sha256(content).hexdigest()}"',
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    (folder / "source.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write(out: Path, *, scan: bool) -> None:
    """Builds everything below `out`; the scanned twin on request."""
    book = read_book()
    pdf, truth = build_pdf(book)
    text_folder = out / "lt-sample-grammar"
    write_source(text_folder, book.title, "book.pdf", pdf)
    rows = [json.dumps(record, ensure_ascii=False) + "\n" for record in truth]
    (text_folder / "truth.jsonl").write_text("".join(rows), encoding="utf-8")
    if scan:
        title = f"{book.title} (scan)"
        write_source(out / "lt-sample-grammar-scan", title, "book-scan.pdf", scanned_twin(pdf, title))
    print(f"{text_folder}: {max(record['page'] for record in truth)} pages, {len(truth)} records of truth")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--out", type=Path, default=BOOK.parent.parent, help="the folder of sources (default: sources/)"
    )
    parser.add_argument("--no-scan", action="store_true", help="leave the scanned twin as it is")
    arguments = parser.parse_args()
    try:
        write(arguments.out, scan=not arguments.no_scan)
    except BookError as fault:
        sys.exit(f"{BOOK.name}: {fault}")


if __name__ == "__main__":
    main()
