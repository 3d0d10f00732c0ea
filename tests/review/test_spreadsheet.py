"""Sheets: whatever a spreadsheet program saves is read letter by letter, and no cell of ours becomes a formula."""

import codecs
import csv
import datetime
import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.core.errors import ReviewError
from pairwright.core.text import escape_csv_formula
from pairwright.review.sheets.spreadsheet import Sheet, read_sheet, write_sheet

TITLES = ("Sprendimas", "Sakinys", "Pastaba")
FIELDS = {title.casefold(): title for title in TITLES}
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def read(content: bytes, folder: Path) -> Sheet:
    path = folder / "ana.csv"
    path.write_bytes(content)
    return read_sheet(path, FIELDS, "cp1257")


def cells(sheet: Sheet) -> list[tuple[str, ...]]:
    return [row.cells for row in sheet.rows]


# What one cell may hold, formula signs and apostrophes more often than chance would have them.
texts = st.one_of(st.text(max_size=30), st.text(alphabet="'=+-@\t\r\n;,\"ąž ", max_size=8))


@settings(max_examples=40)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5), st.sampled_from(";,\t"))
def test_a_written_sheet_is_read_letter_by_letter_and_opens_without_a_formula(
    rows: list[tuple[str, str]], separator: str
) -> None:
    filled = [(f"id {number}", *row) for number, row in enumerate(rows)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ana.csv"
        write_sheet(path, [TITLES, *filled], separator)
        assert cells(read_sheet(path, FIELDS, "cp1257")) == filled
        content = path.read_bytes()
    assert content.startswith(codecs.BOM_UTF8 + f"Sprendimas{separator}Sakinys{separator}Pastaba\r\n".encode())
    # An independent reader finds the same cells, so no spreadsheet program sees others.
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    found = list(csv.reader(text, delimiter=separator, strict=True))
    assert found == [[escape_csv_formula(cell) for cell in row] for row in [TITLES, *filled]]
    assert not any(cell.startswith(FORMULA_SIGNS) for row in found for cell in row)


def test_blank_rows_are_left_out_and_places_are_those_that_a_spreadsheet_program_shows(tmp_path: Path) -> None:
    content = '\r\n;;\r\nSakinys;Pastaba\r\n \t;\r\n"a\nb ""c""";ąž;ok\r\n\r\nx\r\n;;;;\r\n'
    sheet = read(content.encode("utf-8-sig"), tmp_path)
    assert cells(sheet) == [('a\nb "c"', "ąž", "ok"), ("x",)]
    places = [sheet.header.at(), *(row.at("Pastaba") for row in sheet.rows)]
    assert places == [f"{tmp_path}/ana.csv:{place}" for place in ("3", "5:B", "7:B")]
    sheet = read((";" * 702 + "Pastaba\r\n").encode(), tmp_path)
    assert sheet.header.at("Pastaba") == f"{tmp_path}/ana.csv:1:AAA"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"a;b\r\nc;d\r\n", "no row of column titles"),
        (b"Onos lapas;\r\nSakinys;Pastaba\r\n", "no row of column titles"),
        (b"Sakinys;sakinys:\r\n", "ana.csv:1:B: column 'sakinys:' stands twice"),
        (b"Sakinys;Pastaba\r\n\0\1\2abcdefghijklmnop;b\r\n", "not a text file"),
        (b"PK\x03\x04\x14\x00\x06\x00Sakinys;Pastaba", "not a workbook that can be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1Sakinys", "not a workbook that can be read"),
        # A damaged byte in UTF-8.
        ("Sakinys;Pastaba\r\nŽąsų ūkis įšilęs čia;".encode() + b"\xfeodis", "some bytes are no text in any encoding"),
        # A quotation mark that was left open swallows rows.
        (b'Sakinys;Pastaba\r\na;"b\r\nc;d\r\ne;f', "ana.csv:2: a quotation mark is not closed"),
        (b'Sakinys;Pastaba\r\na;b\r\n"Taip" sako.;d\r\ne;f', "ana.csv:3: a quotation mark"),
        (b'Sakinys;Pastaba\r\na;"b\r\npair-0123456789abcdef;""d""\r\ne;f"', "ana.csv:2: a quotation mark"),
        (b'Sakinys;Pastaba\r\na;"b\r\n""pair-0123456789abcdef"";d\r\ne;f"', "ana.csv:2: a quotation mark"),
    ],
)
def test_what_is_no_table_of_a_queue_is_refused_in_one_line(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match=words) as fault:
        read(content, tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("encoding", "saved", "shown"),
    [
        ("cp1257", "Žąsų ūkis įšilęs čia", "Žąsų ūkis įšilęs čia"),
        # Where a western program keeps what its encoding has.
        ("cp1252", "Ąžuolas „gerai“, ne šaltas", "?žuolas „gerai“, ne šaltas"),
    ],
)
def test_a_file_without_unicode_is_in_the_old_encoding_of_its_language_or_else_in_the_western_one(
    encoding: str, saved: str, shown: str, tmp_path: Path
) -> None:
    sheet = read(f"Sakinys;Pastaba\r\n{saved};žodis\r\n".encode(encoding, "replace"), tmp_path)
    assert (sheet.encoding, cells(sheet)) == (encoding, [(shown, "žodis")])


def test_a_workbook_is_read_whatever_its_name(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Viršelis"
    book.active.append(["Mano pastabos"])
    sheet = book.create_sheet("Lapas")
    sheet.append([])
    sheet.append([None, *TITLES])
    sheet.append([None, 5, "Žąsis", datetime.date(2026, 5, 1)])
    sheet.append([])
    sheet.append([None, 2.5, "'=a", True])
    book.save(tmp_path / "ana.xlsx")
    found = read((tmp_path / "ana.xlsx").read_bytes(), tmp_path)
    assert [row.cells[-3:] for row in found.rows] == [("5", "Žąsis", "2026-05-01"), ("2.5", "=a", "TRUE")]
    assert [row.number for row in found.rows] == [3, 5]


ODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.2"><office:body><office:spreadsheet><table:table table:name="Lapas">
<table:table-row><table:table-cell office:value-type="string"><text:p>Sakinys</text:p></table:table-cell>
<table:table-cell office:value-type="string"><text:p>Pastaba</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Žąsis</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="5"><text:p>5</text:p></table:table-cell></table:table-row>
</table:table></office:spreadsheet></office:body></office:document-content>"""


def test_an_open_document_sheet_is_read(tmp_path: Path) -> None:
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(tmp_path / "ana.ods", "w") as archive:
        archive.writestr("mimetype", kind, zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
        archive.writestr("content.xml", ODS.replace("\n", ""))
    assert cells(read((tmp_path / "ana.ods").read_bytes(), tmp_path)) == [("Žąsis", "5")]


@given(st.binary(max_size=200), st.sampled_from([b"", b"Sakinys;Pastaba\r\n", b"\xff\xfe", b"\xef\xbb\xbf"]))
def test_no_bytes_bring_the_reader_down(content: bytes, start: bytes) -> None:
    with TemporaryDirectory() as folder:
        try:
            sheet = read(start + content, Path(folder))
        except ReviewError:
            return
        assert all(row.number <= 202 for row in sheet.rows)
