"""`pairwright notation try FILE`."""

from pathlib import Path

from pairwright.cli.notation import try_notation
from pairwright.core.workspace import Workspace


def tried(tmp_path: Path, text: str, suffix: str = ".txt", language: str = "de") -> list[str]:
    file = tmp_path / f"list{suffix}"
    file.write_text(text, encoding="utf-8")
    return [line.replace(f"{file}:", "") for line in try_notation(Workspace(tmp_path), file, language=language)]


def test_each_line_says_what_it_is_read_as(tmp_path: Path) -> None:
    text = "nicht: Ich helfe den Hund, sondern: Ich helfe dem Hund.\n\nGar nichts.\n\nnicht: , sondern: Wir gehen.\n"
    assert tried(tmp_path, text) == [
        "notation not-but: A line that says: not the wrong wording but the right one",
        "1: rule list",
        "1: pair: Ich helfe den Hund. -> Ich helfe dem Hund.",
        "5: nothing: one side is empty: nicht: , sondern: Wir gehen.",
        "1 rule, 1 pair, 0 of them guesses, 1 rejected",
    ]


def test_numbered_items_with_two_labelled_lines(tmp_path: Path) -> None:
    text = "1. Wrong: She go home.\n   Right: She goes home.\n2. *Wrong:* I seen it. *Right:* I saw it.\n"
    lines = tried(tmp_path, text, ".md", "en")
    assert lines[0].startswith("notation wrong-right:")
    assert [line for line in lines if "pair:" in line] == [
        "1: pair: She go home. -> She goes home.",
        "3: pair: I seen it. -> I saw it.",
    ]


def test_guesses_show_what_else_may_be_meant(tmp_path: Path) -> None:
    lines = tried(tmp_path, "Vakare jis žiūrėjo televizorių (= klausėsi radijo).\n", language="lt")
    assert lines[2].startswith("1: guess: Vakare jis žiūrėjo televizorių. -> Vakare jis ")
    assert "Vakare jis klausėsi radijo." in lines[2]
    assert "(else: " in lines[2]
    assert lines[-1] == "1 rule, 1 pair, 1 of them guesses, 0 rejected"


def test_a_list_in_another_encoding(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_bytes("Wrong: Ji laukia žinią.\nRight: Ji laukia žinios.\n".encode("cp1257"))
    lines = list(try_notation(Workspace(tmp_path), file, language="lt", encoding="cp1257"))
    assert f"{file}:1: pair: Ji laukia žinią. -> Ji laukia žinios." in lines
