"""Grammars in DOCX: styles, tables, tabbed examples, footnotes and the numbers that Word sets itself."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pytest
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from pairwright.errors import SourceError
from pairwright.records import Block

Read = Callable[..., list[Block]]
NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def saved(document: Document, folder: Path) -> Path:
    path = folder / "grammar.docx"
    document.save(str(path))
    return path


def example(document: Document, number: str = "(1)\t") -> None:
    document.add_paragraph(f"{number}Šuo\tloj-a\tgarsiai.")
    document.add_paragraph("\tdog.NOM\tbark-PRS.3\tvery loudly")
    document.add_paragraph("\t‘The dog barks loudly.’")


def test_styles_tables_and_glosses_become_blocks(tmp_path: Path, read_file: Read) -> None:
    document = docx.Document()
    document.add_heading("1 Nouns", 1)
    document.add_paragraph("The forms of the noun are set out below.")
    document.add_heading("1.1 Case", 2)
    table = document.add_table(rows=2, cols=3)
    for row, texts in zip(table.rows, [("case", "form", ""), ("nom", "nam-as", "nam-ai")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    example(document)
    document.add_paragraph("a first point", style="List Bullet")
    blocks = read_file(saved(document, tmp_path))
    assert [block.kind for block in blocks] == ["heading", "paragraph", "heading", "table", "gloss", "list_item"]
    assert (blocks[3].cells, blocks[3].header_rows) == ((("case", "form", ""), ("nom", "nam-as", "nam-ai")), 1)
    assert blocks[-1].section == ("1 Nouns", "1.1 Case")
    assert [block.line for block in blocks] == [1, 2, 3, 4, 5, 8]
    assert {(block.file, block.page) for block in blocks} == {("texts/grammar.docx", 1)}
    gloss = blocks[4].gloss
    assert gloss is not None
    assert gloss.segmentation == ("Šuo", "loj-a", "garsiai.")
    assert gloss.glosses == (("dog.NOM", "bark-PRS.3", "very loudly"),)
    assert gloss.translation == "The dog barks loudly."


def test_line_breaks_and_tables_without_rules_hold_examples_too(tmp_path: Path, read_file: Read) -> None:
    document = docx.Document()
    document.add_paragraph("(1) Šuo loja.\ndog bark.PRS.3\n‘The dog barks.’")
    rows = [("(2)", "Katė", "miega"), ("", "cat.NOM", "sleep.PRS.3"), ("", "‘The cat sleeps.’", "")]
    table = document.add_table(rows=3, cols=3)
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    first, second = (block.gloss for block in read_file(saved(document, tmp_path)))
    assert first is not None
    assert second is not None
    assert (first.glosses, first.translation) == ((("dog", "bark.PRS.3"),), "The dog barks.")
    assert (second.number, second.object_line, second.translation) == ("2", "Katė miega", "The cat sleeps.")


def test_footnotes_follow_the_paragraph_that_refers_to_them(tmp_path: Path, read_file: Read) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("A noun")
    reference = OxmlElement("w:footnoteReference")
    reference.set(qn("w:id"), "7")
    paragraph.add_run()._r.append(reference)
    paragraph.add_run(" has cases.")
    document.add_paragraph("The end.")
    notes = (
        f"<w:footnotes {NAMESPACE}><w:footnote w:id='7'><w:p><w:r><w:t>Word of a class.</w:t></w:r></w:p></w:footnote>"
    )
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", f"{notes}</w:footnotes>".encode())
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    blocks = read_file(saved(document, tmp_path))
    assert [(block.kind, block.text) for block in blocks] == [
        ("paragraph", "A noun¹ has cases."),
        ("footnote", "¹ Word of a class."),
        ("paragraph", "The end."),
    ]


def numbered(document: Document, text: str, form: str) -> str:
    """A list of the document's own whose first level is written as `form` (`w:lvlText`); returns its id."""
    root = document.part.numbering_part.element
    abstract, level, number = OxmlElement("w:abstractNum"), OxmlElement("w:lvl"), OxmlElement("w:num")
    name = str(900 + len(root))
    abstract.set(qn("w:abstractNumId"), name)
    level.set(qn("w:ilvl"), "0")
    for tag, value in (("w:start", "1"), ("w:numFmt", form), ("w:lvlText", text)):
        child = OxmlElement(tag)
        child.set(qn("w:val"), value)
        level.append(child)
    abstract.append(level)
    number.set(qn("w:numId"), name)
    link = OxmlElement("w:abstractNumId")
    link.set(qn("w:val"), name)
    number.append(link)
    root.append(abstract)
    root.append(number)
    return name


def test_numbers_that_the_program_sets_are_read(tmp_path: Path, read_file: Read) -> None:
    document = docx.Document()
    examples, letters = numbered(document, "(%1)", "decimal"), numbered(document, "%1)", "lowerLetter")
    for text, name in [("Katė miega.", examples), ("Šuo miega.", examples), ("first", letters), ("second", letters)]:
        properties = document.add_paragraph(text)._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val = 0
        properties.get_or_add_numId().val = int(name)
    blocks = read_file(saved(document, tmp_path))
    assert [(block.kind, block.text) for block in blocks] == [
        ("example", "(1) Katė miega."),
        ("example", "(2) Šuo miega."),
        ("list_item", "a) first"),
        ("list_item", "b) second"),
    ]


def test_a_heading_style_of_ones_own_and_deleted_words(tmp_path: Path, read_file: Read) -> None:
    document = docx.Document()
    style = document.styles.add_style("Skyrius", 1)
    style.base_style = document.styles["Heading 2"]
    document.add_paragraph("Linksniai", style="Skyrius")
    paragraph = document.add_paragraph("kept ")
    paragraph.add_run("italic").italic = True
    gone = OxmlElement("w:del")
    gone.append(paragraph.add_run(" deleted")._r)
    paragraph._p.append(gone)
    heading, text = read_file(saved(document, tmp_path))
    assert (heading.kind, heading.level, heading.text) == ("heading", 2, "Linksniai")
    assert (text.text, [text.text[a:b] for a, b in text.emphasis]) == ("kept italic", ["italic"])


def test_a_bomb_is_refused_before_it_is_read(tmp_path: Path, read_file: Read) -> None:
    path = saved(docx.Document(), tmp_path)
    with ZipFile(path, "a", ZIP_DEFLATED) as archive:
        archive.writestr("word/media/zeros.bin", bytes(6_000_000))
    with pytest.raises(SourceError, match="bytes unpacked is more than a document may have"):
        read_file(path)


@pytest.mark.parametrize("cut", [0.0, 0.4, 0.9])
def test_what_is_no_docx_says_so(tmp_path: Path, read_file: Read, cut: float) -> None:
    path = saved(docx.Document(), tmp_path)
    path.write_bytes(path.read_bytes()[: int(cut * path.stat().st_size)])
    with pytest.raises(SourceError, match="not a DOCX file"):
        read_file(path)
