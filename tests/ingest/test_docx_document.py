from pathlib import Path

import docx
import pytest

from pairwright.errors import SourceError
from pairwright.ingest.docx_document import read_docx


def grammar(path: Path) -> None:
    document = docx.Document()
    document.add_heading("1 Nouns", 1)
    document.add_paragraph("The forms of the noun are set out below.")
    document.add_heading("1.1 Case", 2)
    table = document.add_table(rows=2, cols=3)
    for row, texts in zip(table.rows, [("case", "form", ""), ("nom", "nam-as", "nam-ai")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    document.add_paragraph("(1)\tŠuo\tloj-a\tgarsiai.")
    document.add_paragraph("\tdog.NOM\tbark-PRS.3\tloudly")
    document.add_paragraph("\t‘The dog barks loudly.’")
    document.add_paragraph("a first point", style="List Bullet")
    document.save(str(path))


def test_styles_tables_and_glosses_become_blocks(tmp_path: Path) -> None:
    path = tmp_path / "grammar.docx"
    grammar(path)
    blocks = list(read_docx(path, "grammar"))
    assert [block.kind for block in blocks] == ["heading", "paragraph", "heading", "table", "gloss", "list_item"]
    assert blocks[3].cells == (("case", "form", ""), ("nom", "nam-as", "nam-ai"))
    assert blocks[-1].section == ("1 Nouns", "1.1 Case")
    gloss = blocks[4].gloss
    assert gloss is not None
    assert gloss.objects == (("Šuo", "loj-a", "garsiai."),)
    assert gloss.glosses == (("dog.NOM", "bark-PRS.3", "loudly"),)
    assert gloss.translation == "The dog barks loudly."


def test_what_is_no_docx_says_so(tmp_path: Path) -> None:
    path = tmp_path / "grammar.docx"
    path.write_bytes(b"not a document")
    with pytest.raises(SourceError, match="not a DOCX"):
        list(read_docx(path, "grammar"))
