"""What the doctor says of a workspace: what it lacks, what that costs, and what to do."""

from pathlib import Path

from source_folders import write_source

from pairwright.cli.inspect.doctor import doctor
from pairwright.core.records import Rejection
from pairwright.core.store import write_jsonl
from pairwright.core.workspace import Workspace
from pairwright.languages import load_language
from pairwright.languages.letters import dictionary_path, speller


def lacks(root: Path) -> list[str]:
    return [line.split("missing: ")[1] for line in doctor(Workspace(root)) if line.startswith("  missing: ")]


def source(root: Path, source_id: str, language: str, licence: str) -> Path:
    folder = root / "sources" / source_id
    folder.mkdir(parents=True)
    path = folder / "list.md"
    path.write_text(f"{source_id} (= x).", encoding="utf-8")
    write_source(folder, "list.md", language=language, licence=licence)
    return path


def test_each_lack_says_what_it_costs_and_what_to_do(tmp_path: Path) -> None:
    assert lacks(tmp_path) == ["no source yet; run: pairwright build FILE --language CODE"]
    source(tmp_path, "one", "sje", "unknown")
    source(tmp_path, "two", "lb", "CC0-1.0")
    source(tmp_path, "three", "lt", "CC0-1.0").write_text("changed", encoding="utf-8")
    said = lacks(tmp_path)
    assert any("source one has no licence: no release may hold it" in line for line in said)
    assert any("source three can't be read" in line and "has changed" in line for line in said)
    assert any("language sje has no file" in line and "pairwright language add sje" in line for line in said)
    assert any(
        "language lb has no spelling dictionary" in line and "spelling/lb.dic; put it there" in line for line in said
    )
    assert not any("language lt" in line for line in said)


def test_a_dictionary_of_ones_own_is_used_where_the_language_file_names_it(tmp_path: Path) -> None:
    source(tmp_path, "two", "lb", "CC0-1.0")
    (tmp_path / "spelling").mkdir()
    (tmp_path / "spelling" / "lb.dic").write_text("1\nHaus/A\n", encoding="utf-8")
    (tmp_path / "spelling" / "lb.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A 0 es .\n", encoding="utf-8")
    assert not any("spelling dictionary" in line for line in lacks(tmp_path))
    dictionary = dictionary_path(load_language("lb", tmp_path))
    assert dictionary
    assert speller(dictionary).knows("Hauses")
    assert not speller(dictionary).knows("Hausen")


def test_a_transducer_whose_tags_the_tagset_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "qaa.toml").write_text(
        'code = "qaa"\nname = "Q"\nautonym = "q"\n[[morphology]]\nkind = "transducer"\npath = "t.att"\n'
        'tagset = "giellalt"\n',
        encoding="utf-8",
    )
    for tag, line in (
        ("+Xyz", "tagset GiellaLT, which lacks 1 of its tags, such as +Xyz"),
        ("+Sg", "tagset GiellaLT"),
    ):
        (tmp_path / "t.att").write_text(f"0\t1\ta\ta\n1\t2\t+N\t@0@\n2\t3\t{tag}\t@0@\n3\n", encoding="utf-8")
        assert any(said.endswith(line) for said in doctor(Workspace(tmp_path)))


def test_pages_whose_text_layer_lies_are_named(tmp_path: Path) -> None:
    source(tmp_path, "book", "lt", "CC0-1.0")
    faults = [
        Rejection(
            stage="blocks", source_id="book", reason=f"the text layer says {letter}", text="", file="b.pdf", page=page
        )
        for page, letter in ((3, "к inside Latin words"), (7, "х inside Latin words"))
    ]
    work = Workspace(tmp_path).work("book")
    work.mkdir(parents=True)
    write_jsonl(work / "blocks.rejected.jsonl", faults)
    (line,) = [line for line in lacks(tmp_path) if "text layer" in line]
    assert line.startswith("source book, page 3: the text layer says к inside Latin words; 1 more in ")
