"""Documents that lie, swell, never end or are no documents; and folders of sources that contradict each other."""

import os
import random
import socket
import zlib
from collections.abc import Callable, Generator
from pathlib import Path

from attempts import FINE, REFUSED, Outcome, attempt
from parts import LIST, docx, epub, objects_pdf, paragraph, pdf, register

Attack = Generator[tuple[str | Path, ...], Outcome, None]
BOOK = ("--language", "lt", "--kind", "grammar-book")


def ingest(folder: Path, document: str | Path, *options: str) -> tuple[str | Path, ...]:
    (folder / "workspace").mkdir(exist_ok=True)
    return (
        "build",
        document,
        "--until",
        "blocks",
        *(options or ("--language", "lt")),
        "--workspace",
        folder / "workspace",
    )


def blocks(folder: Path) -> str:
    """What was read from the only source."""
    return _stage(folder, "blocks")


def rejections(folder: Path) -> str:
    return _stage(folder, "blocks.rejected")


def _stage(folder: Path, name: str) -> str:
    paths = list((folder / "workspace").glob(f"output/work/*/{name}.jsonl"))
    assert paths, "nothing was read"
    return paths[0].read_text(encoding="utf-8")


@attempt("documents", FINE, "rejected", slow=True)
def a_page_whose_stream_is_damaged_in_the_middle(folder: Path) -> Attack:
    path = pdf(folder / "book.pdf")
    data = bytearray(path.read_bytes())
    begin = data.index(b"stream", data.index(b"stream") + 10) + 40
    chance = random.Random(3)
    for _ in range(40):
        data[begin + chance.randrange(60)] ^= 1 << chance.randrange(8)
    path.write_bytes(bytes(data))
    yield ingest(folder, path)
    read, left = blocks(folder), rejections(folder)
    assert all(f"Page {n}, row 11" in read or f'"page":{n}' in left for n in (1, 2, 3)), "a page is lost silently"


def page_tree(tree: str) -> Callable[[Path], Attack]:
    """An attempt with a PDF whose pages are this tree."""

    def script(folder: Path) -> Attack:
        objects = {1: "<< /Type /Catalog /Pages 2 0 R >>", 2: f"<< /Type /Pages {tree} >>"}
        yield ingest(folder, objects_pdf(folder / "book.pdf", objects))

    return script


for _name, _tree in {
    "a page tree that is its own parent": "/Kids [2 0 R] /Count 3",
    "a page tree that claims a million pages": "/Kids [] /Count 1000000",
}.items():
    attempt("documents", REFUSED, "book.pdf", name=_name)(page_tree(_tree))


@attempt("documents", REFUSED, "book.pdf", "cut short")
def a_pdf_that_is_cut_in_half(folder: Path) -> Attack:
    path = pdf(folder / "book.pdf")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    yield ingest(folder, path)


@attempt("documents", REFUSED, "book.pdf", "not a PDF")
def a_program_under_the_name_of_a_pdf(folder: Path) -> Attack:
    path = folder / "book.pdf"
    path.write_bytes(b"\x7fELF" + bytes(5000))
    yield ingest(folder, path)


@attempt("documents", REFUSED, "book.pdf", "password")
def a_pdf_with_a_password(folder: Path) -> Attack:
    import pymupdf

    path = pdf(folder / "book.pdf")
    with pymupdf.open(path) as document:
        document.save(folder / "locked.pdf", encryption=5, user_pw="x", owner_pw="y")
    os.replace(folder / "locked.pdf", path)
    yield ingest(folder, path)


@attempt("documents", FINE, slow=True)
def a_pdf_that_wants_to_run_a_script_and_open_an_address(folder: Path) -> Attack:
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
    )
    text = "BT /F 12 Tf 20 200 Td (A sentence that is here to be read.) Tj ET"
    yield ingest(
        folder,
        objects_pdf(
            folder / "book.pdf",
            {
                1: "<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.launchURL('http://x')) >> >>",
                2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                3: page,
                4: f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
                5: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            },
        ),
    )
    assert "here to be read" in blocks(folder), "the text is lost"


@attempt("documents", FINE, "rejected", slow=True)
def a_page_of_a_hundred_metres(folder: Path) -> Attack:
    data = zlib.compress(bytes(1000)).decode("latin-1")
    yield ingest(
        folder,
        objects_pdf(
            folder / "book.pdf",
            {
                1: "<< /Type /Catalog /Pages 2 0 R >>",
                2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 280000 280000] /Contents 4 0 R "
                "/Resources << /XObject << /I 5 0 R >> >> >>",
                4: "<< /Length 33 >>\nstream\n280000 0 0 280000 0 0 cm /I Do   \nendstream",
                5: "<< /Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray "
                f"/BitsPerComponent 8 /Filter /FlateDecode /Length {len(data)} >>\nstream\n{data}\nendstream",
            },
        ),
    )


@attempt("documents", REFUSED, "pipe")
def a_pipe_in_place_of_a_list(folder: Path) -> Attack:
    os.mkfifo(folder / "list.md")
    yield ingest(folder, folder / "list.md")


@attempt("documents", REFUSED, "list.md")
def a_device_that_never_ends_in_place_of_a_list(folder: Path) -> Attack:
    (folder / "list.md").symlink_to("/dev/zero")
    yield ingest(folder, folder / "list.md")


@attempt("documents", REFUSED, "list.md")
def a_socket_in_place_of_a_list(folder: Path) -> Attack:
    here = os.getcwd()
    os.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("list.md")
        os.chdir(here)
        yield ingest(folder, folder / "list.md")


@attempt("documents", REFUSED, "list.md")
def a_link_that_leads_to_itself(folder: Path) -> Attack:
    (folder / "list.md").symlink_to(folder / "list.md")
    yield ingest(folder, folder / "list.md")


@attempt("documents", REFUSED, "book.pdf")
def a_pipe_in_place_of_a_book(folder: Path) -> Attack:
    os.mkfifo(folder / "book.pdf")
    yield ingest(folder, folder / "book.pdf")


@attempt("documents", REFUSED)
def a_name_with_line_ends_and_terminal_commands(folder: Path) -> Attack:
    yield ingest(folder, folder / "list\n\x1b[2Jerror: all is well\u202e.md")


@attempt("documents", REFUSED, "list.md", "encoding")
def a_list_in_utf_32_without_a_mark(folder: Path) -> Attack:
    path = folder / "list.md"
    path.write_bytes(LIST.encode("utf-32-le"))
    yield ingest(folder, path)


@attempt("documents", REFUSED, "list.md")
def a_list_full_of_nul_characters(folder: Path) -> Attack:
    path = folder / "list.md"
    path.write_bytes(LIST.encode().replace(b" ", b" \0"))
    yield ingest(folder, path)


@attempt("documents", REFUSED, "rot13", "encoding")
def an_encoding_that_is_a_cipher(folder: Path) -> Attack:
    register(folder / "workspace", "list", "list.md", LIST.encode(), more='encoding = "rot13"')
    yield ingest(folder, "list", "--strict")


@attempt("documents", REFUSED, "no-such", "encoding")
def an_encoding_that_does_not_exist(folder: Path) -> Attack:
    path = folder / "list.md"
    path.write_text(LIST, encoding="utf-8")
    yield ingest(folder, path, "--language", "lt", "--encoding", "no-such")


@attempt("documents", FINE, slow=True)
def a_list_with_a_hundred_thousand_open_brackets(folder: Path) -> Attack:
    path = folder / "list.md"
    path.write_text(LIST + "- Nematau " + "(" * 100_000 + "kalnus (= kalnų).\n", encoding="utf-8")
    (folder / "workspace").mkdir()
    yield ("build", path, "--language", "lt", "--workspace", folder / "workspace")


@attempt("documents", FINE)
def a_list_whose_quotations_are_nested_fifty_thousand_deep(folder: Path) -> Attack:
    path = folder / "list.md"
    path.write_text(LIST + ">" * 50_000 + " gilu\n\n" + "- " * 20_000 + "giliau\n", encoding="utf-8")
    yield ingest(folder, path)


@attempt("documents", FINE)
def a_word_document_with_a_cell_over_200_million_columns(folder: Path) -> Attack:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="200000000"/></w:tcPr>{paragraph("platu")}</w:tc>'
    table = f"<w:tbl><w:tr>{cell}<w:tc>{paragraph('siaura')}</w:tc></w:tr></w:tbl>"
    yield ingest(folder, docx(folder / "book.docx", paragraph("Sakinys yra čia.") + table), *BOOK)
    assert "Sakinys yra čia." in blocks(folder), "the text is lost"


@attempt("documents", REFUSED, "book.docx")
def a_word_document_whose_entities_multiply(folder: Path) -> Attack:
    path = docx(folder / "book.docx", paragraph("x"))
    import zipfile

    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE d [<!ENTITY e0 "ha">{entities}]><w:document xmlns:w="x"><w:body>&e11;</w:body></w:document>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", text)
    yield ingest(folder, path)


@attempt("documents", REFUSED, "book.docx", slow=True)
def a_word_document_that_unpacks_to_a_gigabyte(folder: Path) -> Attack:
    body = paragraph("x") + paragraph(" " * 1_000_000) * 1000
    yield ingest(folder, docx(folder / "book.docx", body))


@attempt("documents", REFUSED, "book.epub", slow=True)
def an_e_book_that_names_one_file_two_hundred_thousand_times(folder: Path) -> Attack:
    item = '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
    text = "<p>" + "Sakinys yra čia. " * 200 + "</p>"
    yield ingest(folder, epub(folder / "book.epub", '<itemref idref="c"/>' * 200_000, item, c=text))


@attempt("documents", REFUSED, "book.epub")
def an_e_book_that_names_files_outside_itself(folder: Path) -> Attack:
    item = '<item id="c" href="../../../../etc/hostname" media-type="application/xhtml+xml"/>'
    yield ingest(folder, epub(folder / "book.epub", '<itemref idref="c"/>', item, d="<p>x</p>"))


@attempt("documents", REFUSED, "list.html", "nested")
def a_page_of_html_that_is_nested_a_hundred_thousand_deep(folder: Path) -> Attack:
    path = folder / "list.html"
    path.write_text("<p>Sakinys yra čia.</p>" + "<div><ul><li>" * 100_000 + "gilu", encoding="utf-8")
    yield ingest(folder, path)


@attempt("documents", FINE)
def a_table_of_html_over_a_thousand_million_columns(folder: Path) -> Attack:
    path = folder / "list.html"
    cell = '<td colspan="1000000000" rowspan="1000000000">platu</td>'
    path.write_text(f"<p>Sakinys yra čia.</p><table><tr>{cell}<td>a</td></tr><tr><td>b</td></tr></table>", "utf-8")
    yield ingest(folder, path, *BOOK)
    assert "Sakinys yra čia." in blocks(folder), "the text is lost"


@attempt("documents", FINE)
def html_with_a_script_an_image_and_a_frame_from_elsewhere(folder: Path) -> Attack:
    path = folder / "list.html"
    inner = "<script>fetch('http://x')</script><img src='http://x/y.png'><iframe src='file:///etc/hostname'></iframe>"
    path.write_text(f"<p>Sakinys yra čia.</p>{inner}", encoding="utf-8")
    yield ingest(folder, path, *BOOK)
    assert "fetch" not in blocks(folder), "the script was read as text"


@attempt("documents", REFUSED, "sarasas", "second")
def two_folders_of_sources_with_one_id(folder: Path) -> Attack:
    root = folder / "workspace"
    register(root, "sarasas", "list.md", LIST.encode(), folder="first")
    register(root, "sarasas", "list.md", LIST.replace("kaln", "mišk").encode(), folder="second")
    yield ingest(folder, root / "sources" / "second", "--strict")


@attempt("documents", REFUSED, "list.md", "same content")
def a_source_that_lists_one_file_twice(folder: Path) -> Attack:
    path = register(folder / "workspace", "list", "list.md", LIST.encode())
    description = path.with_name("source.toml")
    text = description.read_text(encoding="utf-8")
    description.write_text(text + text[text.index("[[files]]") :], encoding="utf-8")
    yield ingest(folder, "list", "--strict")


@attempt("documents", REFUSED, "leaves")
def a_source_whose_file_lies_outside_its_folder(folder: Path) -> Attack:
    path = register(folder / "workspace", "list", "list.md", LIST.encode())
    description = path.with_name("source.toml")
    description.write_text(
        description.read_text(encoding="utf-8").replace('"list.md"', '"../../../x"'), encoding="utf-8"
    )
    yield ingest(folder, "list", "--strict")


@attempt("documents", REFUSED, "id")
def a_source_whose_id_is_a_path(folder: Path) -> Attack:
    root = folder / "workspace"
    register(root, "../../escaped", "list.md", LIST.encode(), folder="list")
    yield ingest(folder, root / "sources" / "list", "--strict")
    assert not (folder / "escaped").exists(), "a folder was made outside the workspace"


@attempt("documents", REFUSED, "source.toml")
def a_description_of_a_source_that_is_no_text(folder: Path) -> Attack:
    path = register(folder / "workspace", "list", "list.md", LIST.encode())
    path.with_name("source.toml").write_bytes(b'id = "\xff\xfe"\n')
    yield ingest(folder, "list", "--strict")


@attempt("documents", REFUSED, "source.toml")
def a_description_of_a_source_that_is_a_pipe(folder: Path) -> Attack:
    description = register(folder / "workspace", "list", "list.md", LIST.encode()).with_name("source.toml")
    description.unlink()
    os.mkfifo(description)
    yield ingest(folder, folder / "workspace" / "sources" / "list", "--strict")


@attempt("documents", REFUSED, "pairs.csv")
def a_table_of_pairs_that_is_a_device(folder: Path) -> Attack:
    (folder / "pairs.csv").symlink_to("/dev/zero")
    yield ("check", folder / "pairs.csv", "--language", "lt", "--workspace", folder)


@attempt("documents", REFUSED, "pairs.jsonl", "no end")
def a_table_of_pairs_nested_a_hundred_thousand_deep(folder: Path) -> Attack:
    path = folder / "pairs.jsonl"
    path.write_text("[" * 100_000, encoding="utf-8")
    yield ("check", path, "--language", "lt", "--workspace", folder)


@attempt("documents", REFUSED, "pairs.parquet")
def a_table_of_pairs_that_is_no_parquet(folder: Path) -> Attack:
    path = folder / "pairs.parquet"
    path.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    yield ("check", path, "--language", "lt", "--workspace", folder)


@attempt("documents", REFUSED, "not UTF-8")
def a_document_whose_name_is_not_utf_8(folder: Path) -> Attack:
    path = os.fsdecode(os.fsencode(folder) + b"/s\xe0ra\xf0as.md")
    Path(path).write_text(LIST, encoding="utf-8")
    yield ingest(folder, path)


@attempt("documents", REFUSED, "not in UTF-8")
def a_treebank_of_files_whose_names_are_not_utf_8(folder: Path) -> Attack:
    treebank = folder / "treebank"
    treebank.mkdir()
    Path(os.fsdecode(os.fsencode(treebank) + b"/s\xe0ra\xf0as.conllu")).write_text(WORD, encoding="utf-8")
    yield ingest(folder, treebank)


WORD = "1\tTaip\ttaip\tPART\t_\t_\t0\troot\t_\t_\n\n"


@attempt("documents", REFUSED, "treebank.conllu:1", "treebank.conllu:1: ", "…")
def a_treebank_with_numbers_of_five_thousand_digits(folder: Path) -> Attack:
    path = folder / "treebank.conllu"
    path.write_text(WORD.replace("1", "9" * 5000, 1), encoding="utf-8")
    yield ingest(folder, path)
