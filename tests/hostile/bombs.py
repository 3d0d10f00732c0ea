"""Files that are small and unpack to gigabytes, files whose size lies, and lines that no reader may take long for."""

import io
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

from attempts import ATTEMPTS, FINE, REFUSED, Attempt, Outcome, attempt
from parts import workspace

Bomb = Generator[tuple[str | Path, ...], Outcome, None]

SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
ODF = "urn:oasis:names:tc:opendocument:xmlns:"


def archive(**members: str) -> bytes:
    """A ZIP archive; `__` in a name stands for `/`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(name.replace("__", "/"), text)
    return out.getvalue()


def xlsx(rows: str, strings: str = "") -> bytes:
    """A workbook of one sheet with these rows, in SpreadsheetML, and these shared strings."""
    relation = '<Relationship Id="r{0}" Type="' + OFFICE + '/{1}" Target="{2}"/>'
    return archive(
        **{
            "_rels__.rels": f'<Relationships xmlns="{RELATIONS}">'
            + relation.format(1, "officeDocument", "xl/workbook.xml")
            + "</Relationships>",
            "xl___rels__workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}">'
            + relation.format(1, "worksheet", "worksheets/sheet1.xml")
            + relation.format(2, "sharedStrings", "sharedStrings.xml")
            + "</Relationships>",
            "xl__workbook.xml": f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}">'
            '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl__worksheets__sheet1.xml": f'<worksheet xmlns="{SPREADSHEET}"><sheetData>{rows}</sheetData></worksheet>',
            "xl__sharedStrings.xml": f'<sst xmlns="{SPREADSHEET}">{strings}</sst>',
        }
    )


def ods(rows: str) -> bytes:
    """An OpenDocument spreadsheet of one sheet with these rows."""
    spaces = " ".join(f'xmlns:{name}="{ODF}{name}:1.0"' for name in ("office", "table", "text"))
    return archive(
        mimetype="application/vnd.oasis.opendocument.spreadsheet",
        **{
            "META-INF__manifest.xml": f'<manifest:manifest xmlns:manifest="{ODF}manifest:1.0"/>',
            "content.xml": f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="a">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        },
    )


def ods_cell(text: str, repeated: int = 1) -> str:
    return (
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{repeated}">'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


def parquet(n_rows: int, text: str = "Sakinys yra čia.") -> bytes:
    """A table of equal pairs, whose rows take hardly any bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(pa.array(bytes(n_rows), type=pa.int8()), [text])
    table = pa.table({"good": column, "bad": column})
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", row_group_size=n_rows, write_statistics=False)
    return out.getvalue()


def sparse(path: Path, size: int) -> Path:
    """A file of NUL characters that takes no place on the disk."""
    with path.open("wb") as file:
        file.truncate(size)
    return path


WORKBOOKS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a workbook with a cell in its last corner": (
        "xlsx",
        lambda: xlsx('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
    ),
    "a workbook whose cells share one long text": (
        "xlsx",
        lambda: xlsx(
            "".join(
                f'<row r="{n}">' + "".join(f'<c r="{c}{n}" t="s"><v>0</v></c>' for c in "ABCDEFGH") + "</row>"
                for n in range(1, 2001)
            ),
            f"<si><t>{'a' * 1_000_000}</t></si>",
        ),
    ),
    "a workbook with twenty million cells": (
        "xlsx",
        lambda: xlsx(("<row>" + "<c><v>0</v></c>" * 20 + "</row>") * 1_000_000),
    ),
    "an ods sheet whose text is a billion spaces": (
        "ods",
        lambda: ods("<table:table-row>" + ods_cell('<text:s text:c="1000000000"/>') + "</table:table-row>"),
    ),
    "an ods sheet whose cell is repeated a billion times": (
        "ods",
        lambda: ods(f"<table:table-row>{ods_cell('a', 1_000_000_000)}</table:table-row>"),
    ),
    "an ods sheet whose long text is repeated": (
        "ods",
        lambda: ods(
            f'<table:table-row table:number-rows-repeated="1000">{ods_cell("a" * 100_000, 100)}</table:table-row>'
        ),
    ),
}


def sent(ending: str, make: Callable[[], bytes]) -> Callable[[Path], Bomb]:
    """An attempt in which a file lies among the sheets of a source when they are taken over."""

    def script(folder: Path) -> Bomb:
        root = workspace(folder)
        (root / "annotations" / "sarasas" / f"sent.{ending}").write_bytes(make())
        yield ("review", "sync", "sarasas", "--workspace", root)

    return script


# Those that take long to be made or read.
SLOW = (
    "a sheet of a megabyte of letters of no encoding",
    "a sheet of a megabyte of lines",
    "a sheet of a megabyte of open quotation marks",
    "a workbook whose cells share one long text",
    "an ods sheet whose long text is repeated",
    "a workbook with twenty million cells",
    "a table of pairs that unpacks to a hundred million rows",
)
for _name, (_ending, _make) in WORKBOOKS.items():
    ATTEMPTS.append(Attempt(_name, sent(_ending, _make), FINE, (f"sent.{_ending}", "sarasas/jonas.csv"), _name in SLOW))


PAIRS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a table of pairs that unpacks to a hundred million rows": ("parquet", lambda: parquet(100_000_000)),
    "a table of pairs that share a long sentence": ("parquet", lambda: parquet(100_000, "a" * 9_000)),
    "a table of a hundred megabytes of zeros": ("csv", lambda: b"good,bad\n" + b"0," * 50_000_000),
    "a table of pairs with a megabyte of titles": (
        "csv",
        lambda: b"good,bad" + b"".join(b",%d" % n for n in range(1000, 160_000)) + b"\n0,1\n",
    ),
    "a table of pairs with many titles and many rows": (
        "csv",
        lambda: b"good,bad" + b"".join(b",%d" % n for n in range(1000, 80_000)) + b"\n" + b"0,1\n" * 100_000,
    ),
    "pairs whose number has a million digits": ("jsonl", lambda: b'{"good": ' + b"9" * 1_000_000 + b"}\n"),
    "pairs of a megabyte of empty objects": ("jsonl", lambda: b"{}\n" * 330_000),
    "pairs of a megabyte of quotation marks": ("csv", lambda: b"good,bad\n" + b'"' * 1_000_000),
}


def checked(ending: str, make: Callable[[], bytes]) -> Callable[[Path], Bomb]:
    """An attempt in which a file of pairs is checked."""

    def script(folder: Path) -> Bomb:
        path = folder / f"pairs.{ending}"
        path.write_bytes(make())
        yield ("check", path, "--language", "lt", "--workspace", folder)

    return script


for _name, (_ending, _make) in PAIRS.items():
    ATTEMPTS.append(Attempt(_name, checked(_ending, _make), REFUSED, ("pairs",), _name in SLOW))


@attempt(REFUSED, "pairs.csv", "bytes")
def a_table_of_pairs_of_three_gigabytes_that_are_not_there(folder: Path) -> Bomb:
    yield ("check", sparse(folder / "pairs.csv", 3 * 2**30), "--language", "lt", "--workspace", folder)


@attempt(FINE, "sent.csv", "bytes")
def a_sheet_of_three_gigabytes_that_are_not_there(folder: Path) -> Bomb:
    root = workspace(folder)
    sparse(root / "annotations" / "sarasas" / "sent.csv", 3 * 2**30)
    yield ("review", "sync", "sarasas", "--workspace", root)


SHEETS: dict[str, Callable[[], bytes]] = {
    "a sheet of a hundred megabytes of zeros": lambda: b"Sprendimas;" + b"0;" * 50_000_000,
    "a sheet of a megabyte of lines": lambda: b"Sprendimas;Pastaba\n" + b"0\n" * 500_000,
    "a sheet of a megabyte of quotation marks": lambda: b"Sprendimas;Pastaba\n" + b'"' * 999_999,
    "a sheet of a megabyte of open quotation marks": lambda: b"Sprendimas;Pastaba\n" + b'"a\n' * 333_333,
    "a sheet of a megabyte of letters of no encoding": lambda: b"Sprendimas;Pastaba\n" + b"\x81\x8d\n" * 333_333,
}
for _name, _make in SHEETS.items():
    ATTEMPTS.append(Attempt(_name, sent("csv", _make), FINE, ("sent.csv",), _name in SLOW))


@attempt(REFUSED, "list.txt", "bytes")
def a_list_of_three_gigabytes_that_are_not_there(folder: Path) -> Bomb:
    (folder / "workspace").mkdir()
    sparse(folder / "list.txt", 3 * 2**30)
    yield ("build", folder / "list.txt", "--language", "lt", "--workspace", folder / "workspace")
