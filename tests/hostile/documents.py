"""Documents that lie, swell, never end or are no documents; and folders of sources that contradict each other."""

import os
import random
from collections.abc import Callable, Generator
from pathlib import Path

from attempts import ATTEMPTS, FINE, REFUSED, Attempt, Outcome, attempt
from parts import LIST, docx, epub, objects_pdf, paragraph, pdf

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


SENTENCE = "Sakinys yra čia."
WORD = "1\tTaip\ttaip\tPART\t_\t_\t0\troot\t_\t_\n\n"
CHAPTER = '<item id="c" href="{}" media-type="application/xhtml+xml"/>'
FOREIGN = "<script>fetch('http://x')</script><img src='http://x/y.png'><iframe src='file:///etc/hostname'></iframe>"


def page_tree(tree: str) -> Callable[[Path], object]:
    """A PDF whose pages are this tree."""
    objects = {1: "<< /Type /Catalog /Pages 2 0 R >>", 2: f"<< /Type /Pages {tree} >>"}
    return lambda path: objects_pdf(path, objects)


def half_a_pdf(path: Path) -> None:
    content = pdf(path).read_bytes()
    path.write_bytes(content[: len(content) // 2])


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


# By name: the exit code, words that are printed beside the file's name, the file, and its content or what makes it.
MADE: dict[str, tuple[int, tuple[str, ...], str, str | bytes | Callable[[Path], object]]] = {
    "a page tree that is its own parent": (REFUSED, (), "book.pdf", page_tree("/Kids [2 0 R] /Count 3")),
    "a page tree that claims a million pages": (REFUSED, (), "book.pdf", page_tree("/Kids [] /Count 1000000")),
    "a pdf that is cut in half": (REFUSED, ("cut short",), "book.pdf", half_a_pdf),
    "a program under the name of a pdf": (REFUSED, ("not a PDF",), "book.pdf", b"\x7fELF" + bytes(5000)),
    "a pipe in place of a book": (REFUSED, (), "book.pdf", os.mkfifo),
    "a pipe in place of a list": (REFUSED, ("pipe",), "list.md", os.mkfifo),
    "a device that never ends in place of a list": (REFUSED, (), "list.md", endless),
    "a link that leads to itself": (REFUSED, (), "list.md", lambda path: path.symlink_to(path)),
    "a list in utf 32 without a mark": (REFUSED, ("encoding",), "list.md", LIST.encode("utf-32-le")),
    "a list full of NUL characters": (REFUSED, (), "list.md", LIST.replace(" ", " \0")),
    "a word document that unpacks to a gigabyte": (
        *(REFUSED, (), "book.docx"),
        lambda path: docx(path, paragraph("x") + paragraph(" " * 1_000_000) * 1000),
    ),
    "an e book that names one file two hundred thousand times": (
        *(REFUSED, (), "book.epub"),
        lambda path: epub(
            path, '<itemref idref="c"/>' * 200_000, CHAPTER.format("c.xhtml"), c=f"<p>{SENTENCE * 200}</p>"
        ),
    ),
    "an e book that names files outside itself": (
        *(REFUSED, (), "book.epub"),
        lambda path: epub(path, '<itemref idref="c"/>', CHAPTER.format("../../../../etc/hostname"), d="<p>x</p>"),
    ),
    "html with a script an image and a frame from elsewhere": (
        *(FINE, (), "list.html"),
        f"<p>{SENTENCE}</p>{FOREIGN}",
    ),
    "a table of pairs that is a device": (REFUSED, (), "pairs.csv", endless),
    "a treebank with numbers of five thousand digits": (
        *(REFUSED, ("treebank.conllu:1: ", "…"), "treebank.conllu"),
        WORD.replace("1", "9" * 5000, 1),
    ),
}
SLOW = {
    "a word document that unpacks to a gigabyte",
    "an e book that names one file two hundred thousand times",
}


def made(code: int, name: str, content: str | bytes | Callable[[Path], object]) -> Callable[[Path], Attack]:
    """An attempt in which a document is read, or a file of pairs checked; its own sentence is read, and no script."""

    def script(folder: Path) -> Attack:
        path = folder / name
        if callable(content):
            content(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if name.startswith("pairs"):
            yield ("check", path, "--language", "lt", "--workspace", folder)
        else:
            yield ingest(folder, path, *(() if name.endswith(("md", "conllu")) else BOOK))
        if code == FINE and name != "list.md":
            assert SENTENCE in blocks(folder), "the text is lost"
            assert "fetch" not in blocks(folder), "the script was read as text"

    return script


for _name, (_code, _words, _file, _content) in MADE.items():
    _said = (*_words, _file) if _code == REFUSED and _words != ("pipe",) else _words
    ATTEMPTS.append(Attempt(_name, made(_code, _file, _content), _code, _said, _name in SLOW))


@attempt(FINE, "rejected", slow=True)
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


@attempt(REFUSED)
def a_name_with_line_ends_and_terminal_commands(folder: Path) -> Attack:
    yield ingest(folder, folder / "list\n\x1b[2Jerror: all is well\u202e.md")


@attempt(FINE, slow=True)
def a_list_with_a_hundred_thousand_open_brackets(folder: Path) -> Attack:
    path = folder / "list.md"
    path.write_text(LIST + "- Nematau " + "(" * 100_000 + "kalnus (= kalnų).\n", encoding="utf-8")
    (folder / "workspace").mkdir()
    yield ("build", path, "--language", "lt", "--workspace", folder / "workspace")


@attempt(FINE, slow=True)
def a_list_whose_thousands_of_lines_have_hundreds_of_labels(folder: Path) -> Attack:
    path = folder / "list.md"
    lines = (
        f"- Jis **kalną{n}** turi nuo {n} d. ({chr(97 + n % 26)}{chr(97 + n // 26 % 26)}. kalno{n}).\n"
        for n in range(3_000)
    )
    path.write_text(LIST + "".join(lines), encoding="utf-8")
    yield ("notation", "try", path, "--language", "lt")


@attempt(REFUSED, "not UTF-8")
def a_document_whose_name_is_not_utf_8(folder: Path) -> Attack:
    path = os.fsdecode(os.fsencode(folder) + b"/s\xe0ra\xf0as.md")
    Path(path).write_text(LIST, encoding="utf-8")
    yield ingest(folder, path)


@attempt(REFUSED, "not in UTF-8")
def a_treebank_of_files_whose_names_are_not_utf_8(folder: Path) -> Attack:
    treebank = folder / "treebank"
    treebank.mkdir()
    Path(os.fsdecode(os.fsencode(treebank) + b"/s\xe0ra\xf0as.conllu")).write_text(WORD, encoding="utf-8")
    yield ingest(folder, treebank)
