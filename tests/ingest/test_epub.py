"""Grammars in EPUB: the spine gives the order, nothing is unpacked blindly, protected books say so."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from pairwright.errors import SourceError
from pairwright.records import Block

Read = Callable[..., list[Block]]

CONTAINER = """<?xml version="1.0"?>
<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<opf:package xmlns:opf="http://www.idpf.org/2007/opf" version="3.0"><opf:manifest>
<opf:item id="two" href="text/second%20part.xhtml" media-type="application/xhtml+xml"/>
<opf:item id="one" href="text/first.xhtml" media-type="application/xhtml+xml"/>
<opf:item id="map" href="map.svg" media-type="image/svg+xml"/>
</opf:manifest><opf:spine><opf:itemref idref="map"/><opf:itemref idref="one"/><opf:itemref idref="two"/></opf:spine>
</opf:package>"""
FIRST = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>
<h1>Nouns</h1>
<p>A noun<a epub:type="noteref" href="#n1">1</a> has cases.<br/></p>
<aside epub:type="footnote" id="n1"><p>Word of a class.</p></aside>
<h2>Case</h2>
</body></html>"""
SECOND = """<html xmlns="http://www.w3.org/1999/xhtml"><body>
<table><tr><th>nom</th><th>gen</th></tr><tr><td>nam-as</td><td>nam-o</td></tr></table>
<p>(1) Vaikai žaidžia.<br/>child.NOM.PL play.PRS.3<br/>‘Children are playing.’</p>
</body></html>"""
MEMBERS = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": PACKAGE,
    "OEBPS/text/first.xhtml": FIRST,
    "OEBPS/text/second part.xhtml": SECOND,
    "OEBPS/map.svg": "<svg/>",
}


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


def test_the_documents_come_in_the_order_of_the_spine(tmp_path: Path, read_file: Read) -> None:
    blocks = read_file(epub(tmp_path, {}))
    assert [(block.page, block.line, block.kind, block.text.split("\n")[0], block.section) for block in blocks] == [
        (2, 3, "heading", "Nouns", ()),
        (2, 4, "paragraph", "A noun¹ has cases.", ("Nouns",)),
        (2, 5, "footnote", "¹ Word of a class.", ("Nouns",)),
        (2, 6, "heading", "Case", ("Nouns",)),
        (3, 2, "table", "nom\tgen", ("Nouns", "Case")),
        (3, 3, "gloss", "(1) Vaikai žaidžia.", ("Nouns", "Case")),
    ]
    assert (blocks[4].cells, blocks[4].header_rows) == ((("nom", "gen"), ("nam-as", "nam-o")), 1)
    assert blocks[5].gloss is not None
    assert blocks[5].gloss.glosses == (("child.NOM.PL", "play.PRS.3"),)
    assert {block.file for block in blocks} == {"texts/grammar.epub"}


def test_the_same_book_gives_the_same_ids(tmp_path: Path, read_file: Read) -> None:
    path = epub(tmp_path, {"OEBPS/text/second part.xhtml": FIRST})
    once, again = ([block.id for block in read_file(path)] for _ in range(2))
    assert once == again
    assert len(set(once)) == len(once)


def test_entities_of_a_document_are_not_expanded(tmp_path: Path, read_file: Read) -> None:
    bomb = (
        '<!DOCTYPE html [<!ENTITY a "' + "x" * 1_000 + '"><!ENTITY b "&a;&a;">]><html><body><p>y &b;</p></body></html>'
    )
    blocks = read_file(epub(tmp_path, {"OEBPS/text/first.xhtml": bomb}))
    assert all("xxx" not in block.text or block.page != 2 for block in blocks if block.text.startswith("y"))
    assert sum(len(block.text) for block in blocks) < 1_500


def test_a_font_that_is_scrambled_does_no_harm(tmp_path: Path, read_file: Read) -> None:
    assert read_file(epub(tmp_path, {"META-INF/encryption.xml": encryption("OEBPS/fonts/text.otf")}))


def test_another_encoding_is_read_as_declared(tmp_path: Path, read_file: Read) -> None:
    path = epub(tmp_path, {"OEBPS/text/first.xhtml": None})
    with ZipFile(path, "a") as archive:
        text = '<?xml version="1.0" encoding="windows-1257"?><html><body><p>Žąsys gagena.</p></body></html>'
        archive.writestr("OEBPS/text/first.xhtml", text.encode("cp1257"))
    assert read_file(path)[0].text == "Žąsys gagena."


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"META-INF/container.xml": None}, r"META-INF/container\.xml is missing"),
        ({"META-INF/container.xml": "<container/>"}, "names no package document"),
        ({"OEBPS/book.opf": "<package/>"}, "holds no text"),
        ({"OEBPS/book.opf": PACKAGE.replace('idref="one"', 'idref="none"')}, "the spine names 'none'"),
        ({"OEBPS/text/first.xhtml": None}, r"OEBPS/text/first\.xhtml is missing"),
        ({"OEBPS/text/first.xhtml": "<p>" + "<i>" * 20_000 + "x"}, r"first\.xhtml: line 1: .*nested too deeply"),
        ({"META-INF/encryption.xml": encryption("OEBPS/text/first.xhtml")}, r"protected \(DRM\)"),
        ({"OEBPS/text/first.xhtml": "<p>" + "a" * 6_000_000}, "bytes unpacked, more than a document may have"),
        ({"META-INF/container.xml": CONTAINER + " " * 6_000_000}, "bytes unpacked, more than a document may have"),
    ],
)
def test_a_book_that_can_not_be_read_is_one_clear_line(
    tmp_path: Path, read_file: Read, members: dict[str, str | None], message: str
) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read_file(epub(tmp_path, members))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cut", [0.3, 0.7, 0.98])
def test_a_truncated_file_is_one_clear_line(tmp_path: Path, read_file: Read, cut: float) -> None:
    path = epub(tmp_path, {})
    path.write_bytes(path.read_bytes()[: int(cut * path.stat().st_size)])
    with pytest.raises(SourceError, match="not an EPUB, or damaged"):
        read_file(path)


def test_damaged_bytes_inside_are_one_clear_line(tmp_path: Path, read_file: Read) -> None:
    path = epub(tmp_path, {})
    data = bytearray(path.read_bytes())
    at = data.find(b"first.xhtml") + 40
    data[at : at + 60] = bytes(60)
    path.write_bytes(bytes(data))
    with pytest.raises(SourceError, match="not an EPUB, or damaged"):
        read_file(path)


def test_a_member_that_hides_its_size_is_refused(tmp_path: Path, read_file: Read) -> None:
    path = epub(tmp_path, {"OEBPS/text/first.xhtml": "<p>" + "a" * 6_000_000})
    data = path.read_bytes()
    real, claimed = (6_000_003).to_bytes(4, "little"), (500).to_bytes(4, "little")
    assert data.count(real) == 2
    path.write_bytes(data.replace(real, claimed))
    with pytest.raises(SourceError, match="not an EPUB, or damaged"):
        read_file(path)
