"""Sources: source.toml, registered files, and documents that can't be read."""

from pathlib import Path
from typing import Any

import pytest
from source_folders import write_source

from pairwright.core.errors import SourceError
from pairwright.core.files import read_file
from pairwright.core.ids import file_sha256
from pairwright.core.records import Source
from pairwright.core.workspace import Workspace
from pairwright.documents.flowing.pieces import decode_text
from pairwright.documents.source import load_source, register_file
from pairwright.pipeline.ingest import find_source
from pairwright.pipeline.options import SourceOptions


def accept_all(_folder: Path, _source: Source) -> None:
    """No condition on a source that is registered."""


def read_text(path: Path, *, encoding: str = "utf-8", max_bytes: int = 1_000) -> str:
    return decode_text(path, read_file(path, max_bytes, SourceError), encoding)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.md").write_text("Nematau kalnus (= kalnų).", encoding="utf-8")
    return write_source(tmp_path, "list.md", id="my-list", title="My list")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[files]]", 'autor = "x"\n\n[[files]]', r"source\.toml:7: unknown key 'autor'; known keys: id, title"),
        ('id = "my-list"', 'id = "x', r"source\.toml: not valid TOML: .*line 1"),
        ('id = "my-list"', 'id = "../../escaped"', r"source\.toml:1: 'id'"),
        ('"list.md"', '"../../../x"', "leaves"),
    ],
)
def test_a_fault_of_a_description_is_named(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "source.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        load_source(folder)


def test_a_bare_file_is_registered_once_and_found_again(tmp_path: Path) -> None:
    document = tmp_path / "Klaidų sąrašas 2.md"
    document.write_text("Nematau kalnus (= kalnų).", encoding="utf-8")
    workspace = Workspace(tmp_path / "workspace")
    first = register_file(workspace, document, language="lt", pages=(17, 31), accept=accept_all)
    assert first.name == "klaidu-sarasas-2"
    assert (load_source(first).licence, load_source(first).pages) == ("unknown", (17, 31))
    assert register_file(workspace, document, accept=accept_all) == first


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("Žąsys nemato kalnų.".encode("cp1257"), "cp1257"),
        ("Žąsys nemato kalnų.".encode(), "utf-8"),
        ("Žąsys nemato kalnų, ėda žolę. ".encode() + "ų".encode("cp1257"), "utf-8"),
    ],
    ids=["legacy", "utf-8", "damaged utf-8"],
)
def test_a_text_that_is_not_unicode_is_in_the_encoding_of_its_language(
    tmp_path: Path, data: bytes, encoding: str
) -> None:
    document = tmp_path / "list.md"
    document.write_bytes(data)
    folder = register_file(Workspace(tmp_path), document, language="lt", accept=accept_all)
    assert load_source(folder).encoding == encoding


def test_a_registered_file_that_changed_or_is_described_anew_is_refused(tmp_path: Path) -> None:
    document = tmp_path / "list.md"
    document.write_text("Nematau kalnus (= kalnų).", encoding="utf-8")
    workspace = Workspace(tmp_path / "workspace")
    register_file(workspace, document, language="lt", accept=accept_all)
    with pytest.raises(SourceError, match="language is 'lt' there but 'lv' was asked for"):
        register_file(workspace, document, language="lv", accept=accept_all)
    document.write_text("Nematau miškus (= miškų).", encoding="utf-8")
    changed = r"list\.md: the file has changed: its sha256 is [0-9a-f]{64}, source.toml says"
    with pytest.raises(SourceError, match=changed):
        register_file(workspace, document, accept=accept_all)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("list.md", {}, "say the language"),
        ("list.xyz", {"language": "lt"}, "can't tell what kind of source"),
        ("list.md", {"language": "lt", "kind": "novel"}, "there is no kind .novel."),
        ("missing.md", {"language": "lt"}, "no such file"),
    ],
)
def test_a_file_that_can_not_be_registered_leaves_nothing(
    tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    (tmp_path / "list.md").write_text("x", encoding="utf-8")
    (tmp_path / "list.xyz").write_text("x", encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        register_file(Workspace(tmp_path / "workspace"), tmp_path / name, **options, accept=accept_all)
    assert not (tmp_path / "workspace").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-32-le", "cp1257"])
@pytest.mark.parametrize("marked", [True, False])
def test_the_same_text_comes_from_every_encoding_by_its_mark_or_by_name(
    tmp_path: Path, encoding: str, marked: bool
) -> None:
    path = tmp_path / "list.md"
    wide = encoding in {"utf-16-be", "utf-32-le"}
    path.write_bytes(("\ufeff" * (marked and wide) + "Žąsys\u00a0gagena.\r\nĖjo.\n").encode(encoding))
    by_name = encoding == "cp1257" or (wide and not marked)
    assert read_text(path, encoding=encoding if by_name else "utf-8") == "Žąsys gagena.\nĖjo.\n"
    if wide and not marked:
        with pytest.raises(SourceError, match=r"binary file, not a text|is not utf-8"):
            read_text(path)


def source_folder(folder: Path, source_id: str) -> Path:
    (folder).mkdir(parents=True)
    (folder / "list.md").write_text(f"Nematau kalnus (= kalnų). {folder}", encoding="utf-8")
    return write_source(folder, "list.md", id=source_id)


def test_a_list_in_a_manner_of_its_own_becomes_a_source(tmp_path: Path) -> None:
    path = tmp_path / "fel.md"
    lines = ("Hon är stolt *över* honom. [ej »av«]", "Det beror *på* dig. [ej »av«]", "Vi bor *i* Lund. [ej »på«]")
    path.write_text("\n".join(f"- {line}" for line in lines), encoding="utf-8")
    source = find_source(Workspace(tmp_path / "workspace"), path, SourceOptions(language="sv"))
    assert (source.id, source.kind) == ("fel", "error-list")


def test_an_id_belongs_to_one_folder(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    own = source_folder(workspace.sources / "cases", "cases")
    other = source_folder(tmp_path / "elsewhere", "cases")
    misnamed = source_folder(workspace.sources / "verbs", "cases")
    assert find_source(workspace, own) == load_source(own) == find_source(workspace, Path("cases"))
    for folder in (other, misnamed):
        with pytest.raises(SourceError, match=f"^{folder}: its id 'cases' belongs to {own}; give one of them another"):
            find_source(workspace, folder)
    with pytest.raises(SourceError, match=f"^{misnamed}: its id"):
        find_source(workspace, Path("verbs"))


def test_a_folder_elsewhere_becomes_a_source_by_a_link(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    folder = source_folder(tmp_path / "elsewhere", "cases")
    place = workspace.sources / "cases"
    with pytest.raises(SourceError, match=f"^{folder}: the folder of source 'cases' has to be {place}; move it there"):
        find_source(workspace, folder)
    place.parent.mkdir(parents=True)
    place.symlink_to(folder)
    assert find_source(workspace, folder) == load_source(folder)
    assert find_source(workspace, Path("cases")) == load_source(place)


@pytest.mark.parametrize("name", ["list.md", "./list.md", "copy.md", "link.md"])
def test_a_file_is_named_once(tmp_path: Path, name: str) -> None:
    folder = source_folder(tmp_path / "cases", "cases")
    (folder / "copy.md").write_bytes((folder / "list.md").read_bytes())
    (folder / "link.md").symlink_to("list.md")
    with (folder / "source.toml").open("a", encoding="utf-8") as toml:
        toml.write(f'\n[[files]]\npath = "{name}"\nsha256 = "{file_sha256(folder / "list.md")}"\n')
    with pytest.raises(SourceError, match=rf"source\.toml: '{name}' has the same content as 'list\.md'"):
        load_source(folder)
