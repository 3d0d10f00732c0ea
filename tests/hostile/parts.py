"""What attempts are made of: documents by their bytes, and a workspace that is built, reviewed and released."""

import shutil
import zipfile
from pathlib import Path

import pymupdf
from attempts import built, run
from source_folders import write_source
from workspace_parts import approve_all

LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).
"""
# Enough pairs for each split, so that every export is there.
STEMS = ("mišk", "ežer", "nam", "stal", "lang", "lauk", "draug", "tilt", "kiem", "med", "kel", "varp", "žiln", "kalt")
LONG_LIST = LIST + "".join(
    f"- Negirdžiu {stem}ą (= {stem}o) prie upės.\n- Nematau {stem}ą (= {stem}o).\n" for stem in STEMS
)
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def build_workspace(root: Path) -> Path:
    """A workspace with a small list: built, approved by both reviewers, released as `cases` 1.0.0."""
    (root / "pairwright.toml").write_text(
        '[review]\nreviewers = ["ana", "jonas"]\n[ingest]\nworkers = 1\n', encoding="utf-8"
    )
    register(root, "sarasas", "sarasas.md", LONG_LIST.encode())
    _finish(root, "build", "sarasas")
    approve_all(root)
    _finish(root, "review", "sync", "sarasas")
    _finish(root, "release", "create", "--name", "cases", "--version", "1.0.0")
    return root


def _finish(root: Path, *arguments: str) -> None:
    outcome = run(*arguments, "--workspace", root)
    assert outcome.code == 0, outcome.err


def workspace(folder: Path) -> Path:
    """A copy of that workspace."""
    return Path(shutil.copytree(built(), folder / "workspace"))


def register(
    root: Path, source_id: str, name: str, content: bytes, kind: str = "error-list", more: str = "", folder: str = ""
) -> Path:
    """A source of one file; `more` are further lines of its source.toml. Returns the file."""
    path = root / "sources" / (folder or source_id) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    write_source(path.parent, name, more=more, id=source_id, kind=kind, licence="unknown")
    return path


def pdf(path: Path, n_pages: int = 3) -> Path:
    """A text PDF with compressed streams, whose pages say their number."""
    with pymupdf.open() as document:
        for number in range(1, n_pages + 1):
            page = document.new_page()
            for row in range(12):
                page.insert_text((72, 90 + 18 * row), f"Page {number}, row {row}: the verb stands in the second place.")
        document.save(path, deflate=True)
    return path


def objects_pdf(path: Path, objects: dict[int, str]) -> Path:
    """A PDF of these objects; 1 is the catalogue. Its cross-reference table is right."""
    body, places = b"%PDF-1.5\n", {}
    for number, text in objects.items():
        places[number] = len(body)
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    size = max(objects) + 1
    table = "".join(f"{places[number]:010d} 00000 n \n" for number in range(1, size))
    body += f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode()
    path.write_bytes(
        body + f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{body.rindex(b'xref')}\n%%EOF\n".encode()
    )
    return path


def docx(path: Path, body: str, **members: str) -> Path:
    """A Word document with this body, in WordprocessingML with the prefix w."""
    kinds = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{MAIN}"/></Types>'
    )
    relations = f'<Relationship Id="r1" Type="{DOCUMENT}" Target="word/document.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", kinds)
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{RELATIONS}">{relations}</Relationships>')
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def epub(path: Path, spine: str, manifest: str, **chapters: str) -> Path:
    """An e-book with this spine and manifest; `chapters` are its files by name, without `.xhtml`."""
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
        f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("book.opf", package)
        for name, text in chapters.items():
            archive.writestr(f"{name}.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{text}</body></html>')
    return path
