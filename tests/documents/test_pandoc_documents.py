"""Grammars in DOCX, ODT, RTF, EPUB and LaTeX: headings, tables, notes and glosses come through Pandoc."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import pypandoc
import pytest
from docx.document import Document
from docx.oxml import OxmlElement
from docx.table import Table
from gloss_parts import shown_blocks

from pairwright.core.errors import SourceError
from pairwright.core.records import Block

Read = Callable[..., list[Block]]

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A grammar</dc:title></metadata><manifest>
<item id="two" href="text/second%20part.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/first.xhtml" media-type="application/xhtml+xml"/>
</manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>"""
FIRST = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head><body>
<h1>Nouns</h1>
<p>A noun<a epub:type="noteref" href="#n1">1</a> has cases.</p>
<aside epub:type="footnote" id="n1"><p>Word of a class.</p></aside>
<h2>Case</h2>
</body></html>"""
SECOND = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>
<table><tr><th>nom</th><th>gen</th></tr><tr><td>nam-as</td><td>nam-o</td></tr></table>
<p>(1) Vaikai žaidžia.<br/>child.NOM.PL play.PRS.3<br/>‘Children are playing.’</p>
</body></html>"""
MEMBERS = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": PACKAGE,
    "OEBPS/text/first.xhtml": FIRST,
    "OEBPS/text/second part.xhtml": SECOND,
}
LATEX = r"""\documentclass{book}
\begin{document}
\chapter{Nouns}
A \textsc{nom} form\footnote{A note.} as in (\ref{bark}). % a remark
\ea\label{bark}
\gll Šuo loj-a garsiai.\\
dog.\textsc{nom} bark-\textsc{prs.3} {very loudly}\\
\glt ‘The dog barks loudly.’
\z
\begin{exe}
\ex \begin{xlist}
\ex[*]{\gll Katė miega.\\ cat sleep\\ \trans ‘The cat sleeps.’}
\ex Katės miega.
\end{xlist}
\end{exe}
\pex \a \begingl \gla Mary sees-s John// \glb M see-3 J// \glft ‘Mary sees John.’// \endgl \xe
\end{document}
"""


def saved(document: Document, folder: Path) -> Path:
    path = folder / "grammar.docx"
    document.save(str(path))
    return path


def epub(folder: Path, members: dict[str, str | None]) -> Path:
    """An EPUB of these members; None leaves one of the usual members out."""
    path = folder / "grammar.epub"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in {**MEMBERS, **members}.items():
            if text is not None:
                archive.writestr(name, text)
    return path


def encryption(name: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><enc:EncryptedData '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:CipherData>'
        f'<enc:CipherReference URI="{name}"/></enc:CipherData></enc:EncryptedData></encryption>'
    )


def add_table(document: Document, *rows: tuple[str, ...]) -> Table:
    table: Table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    return table


def test_styles_tables_and_glosses_of_docx_become_blocks(tmp_path: Path, read_file: Read) -> None:
    document = docx.Document()
    document.add_heading("1 Nouns", 1)
    document.add_paragraph("The forms of the noun are set out below.")
    document.add_heading("1.1 Case", 2)
    table = add_table(document, ("case", "form", ""), ("nom", "nam-as", "nam-ai"))
    table.cell(0, 1).merge(table.cell(0, 2))
    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    for line in ("(1)\tŠuo\tloj-a\tgarsiai.", "\tdog.NOM\tbark-PRS.3\tvery loudly", "\t‘The dog barks loudly.’"):
        document.add_paragraph(line)
    document.add_paragraph("(2) Šuo loja.\ndog bark.PRS.3\n‘The dog barks.’")
    # A table without rules may hold an example too.
    add_table(document, ("(3)", "Katė", "miega"), ("", "cat.NOM", "sleep.PRS.3"), ("", "‘The cat sleeps.’", ""))
    document.add_paragraph("a first point", style="List Bullet")
    blocks = read_file(saved(document, tmp_path))
    kinds = ["heading", "paragraph", "heading", "table", "gloss", "gloss", "gloss", "list_item"]
    assert [block.kind for block in blocks] == kinds
    assert (blocks[3].cells, blocks[3].header_rows) == ((("case", "form", ""), ("nom", "nam-as", "nam-ai")), 1)
    assert blocks[-1].section == ("1 Nouns", "1.1 Case")
    lines = [block.line or 0 for block in blocks]
    assert lines == sorted(set(lines))
    assert shown_blocks(blocks) == [
        "1) ~ Šuo loj-a garsiai. = dog.NOM bark-PRS.3 very loudly ‘The dog barks loudly.’",
        "2) ~ Šuo loja. = dog bark.PRS.3 ‘The dog barks.’",
        "3) ~ Katė miega = cat.NOM sleep.PRS.3 ‘The cat sleeps.’",
    ]


@pytest.mark.parametrize("suffix", ["odt", "rtf", "docx", "epub"])
def test_other_word_processors_write_the_same(tmp_path: Path, read_file: Read, suffix: str) -> None:
    path = tmp_path / f"grammar.{suffix}"
    text = "# Nouns\n\nA noun^[A word.] has cases.\n\n(1) Šuo loja.\\\n    dog bark.PRS.3\\\n    ‘The dog barks.’\n"
    pypandoc.convert_text(text, suffix, "markdown-example_lists-fancy_lists", outputfile=str(path), extra_args=["-s"])
    blocks = read_file(path)
    kinds = [block.kind for block in blocks if block.text != "grammar"]
    assert [kind for kind in kinds if kind != "footnote"] == ["heading", "paragraph", "gloss"]
    assert shown_blocks(blocks) == ["1) ~ Šuo loja. = dog bark.PRS.3 ‘The dog barks.’"]


def test_numbers_that_the_program_sets_are_read(tmp_path: Path, read_file: Read) -> None:
    path, text = tmp_path / "grammar.docx", "(1) Katė miega.\n(2) Šuo miega.\n\n<!-- -->\n\na. first\nb. *second*\n"
    pypandoc.convert_text(text, "docx", "markdown-example_lists", outputfile=str(path))
    blocks = read_file(path)
    assert [(block.kind, block.text) for block in blocks] == [
        *(("example", "(1) Katė miega."), ("example", "(2) Šuo miega.")),
        *(("list_item", "a. first"), ("list_item", "b. second")),
    ]
    assert blocks[3].emphasis == ((3, 9),)


def test_examples_of_gb4e_and_expex_keep_their_columns(tmp_path: Path, read_text: Callable[..., list[Block]]) -> None:
    blocks = read_text(LATEX, ".tex")
    assert [block.text for block in blocks[:3]] == ["Nouns", "A NOM form¹ as in (1).", "¹ A note."]
    assert shown_blocks(blocks) == [
        "1) ~ Šuo loj-a garsiai. = dog.NOM bark-PRS.3 very loudly ‘The dog barks loudly.’",
        "2a) * ~ Katė miega. = cat sleep ‘The cat sleeps.’",
        "2b) Katės miega.",
        "3a) ~ Mary sees-s John = M see-3 J ‘Mary sees John.’",
    ]


def test_latex_that_includes_other_files_says_so(read_text: Callable[..., list[Block]]) -> None:
    with pytest.raises(SourceError, match="includes chapters/nouns"):
        read_text(r"\begin{document}\input{chapters/nouns}\end{document}", ".tex")


def test_the_documents_of_an_epub_come_in_the_order_of_its_spine(tmp_path: Path, read_file: Read) -> None:
    blocks = read_file(epub(tmp_path, {}))
    assert [(block.kind, block.text.split("\n")[0], block.section) for block in blocks] == [
        ("heading", "Nouns", ()),
        ("paragraph", "A noun¹ has cases.", ("Nouns",)),
        ("footnote", "¹ Word of a class.", ("Nouns",)),
        ("heading", "Case", ("Nouns",)),
        ("table", "nom\tgen", ("Nouns", "Case")),
        ("gloss", "(1) Vaikai žaidžia.", ("Nouns", "Case")),
    ]
    assert (blocks[4].cells, blocks[4].header_rows) == ((("nom", "gen"), ("nam-as", "nam-o")), 1)
    assert shown_blocks(blocks) == ["1) ~ Vaikai žaidžia. = child.NOM.PL play.PRS.3 ‘Children are playing.’"]


def test_a_font_that_is_scrambled_does_no_harm(tmp_path: Path, read_file: Read) -> None:
    assert read_file(epub(tmp_path, {"META-INF/encryption.xml": encryption("OEBPS/fonts/text.otf")}))


FAULTY: dict[str, Callable[[Path], Path]] = {
    "no container": lambda folder: epub(folder, {"META-INF/container.xml": None}),
    "no package": lambda folder: epub(folder, {"OEBPS/book.opf": "<package/>"}),
    "no chapter": lambda folder: epub(folder, {"OEBPS/text/first.xhtml": None}),
    "protected": lambda folder: epub(folder, {"META-INF/encryption.xml": encryption("OEBPS/text/first.xhtml")}),
    "large": lambda folder: epub(folder, {"OEBPS/text/first.xhtml": "<p>" + "a" * 6_000_000}),
    "hides its size": lambda folder: hides_its_size(epub(folder, {"OEBPS/text/first.xhtml": "<p>" + "a" * 6_000_000})),
    "unknown letters": lambda folder: rtf(folder, rb"{\rtf1\ansi\ansicpg1257 \'d0uo}"),
    "cut EPUB": lambda folder: cut(epub(folder, {}), 0.3),
    "cut DOCX": lambda folder: cut(saved(docx.Document(), folder), 0.9),
}


def rtf(folder: Path, data: bytes) -> Path:
    path = folder / "grammar.rtf"
    path.write_bytes(data)
    return path


def cut(path: Path, part: float) -> Path:
    path.write_bytes(path.read_bytes()[: int(part * path.stat().st_size)])
    return path


def hides_its_size(path: Path) -> Path:
    data = path.read_bytes()
    real, claimed = (6_000_003).to_bytes(4, "little"), (500).to_bytes(4, "little")
    assert data.count(real) == 2
    path.write_bytes(data.replace(real, claimed))
    return path


@pytest.mark.parametrize("fault", FAULTY)
def test_a_document_that_can_not_be_read_is_one_clear_line(tmp_path: Path, read_file: Read, fault: str) -> None:
    path = FAULTY[fault](tmp_path)
    with pytest.raises(SourceError) as caught:
        read_file(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
