"""The conventions of a book: what its labels, words and marks are, and the file in which a person corrects them."""

import re
from pathlib import Path

import pytest

from made_records import make_source
from pairwright.core.errors import SourceError
from pairwright.languages import load_language
from pairwright.languages.conventions import (
    FILE,
    Conventions,
    ExampleConventions,
    own_conventions,
    usual_conventions,
    write_conventions,
)

USUAL = usual_conventions()
LEARNED = {
    "examples.number": (("({n})",), "40 of 40 labels count upward"),
    "examples.translation": (("‘", "’"), "around 38 of 38 translations"),
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("caption", text) for text in ("Table 3:", "Tabelle 3.1.", "Lentelė 2", "Tableau 4:", "Şekil 1.")),
        *(
            ("heading", text)
            for text in ("Kapitel 3 Syntax", "CHAPTER 2 Verbs", "§ 12 Cases", "3.2.1 Cases", "Skyrius 1")
        ),
        *(
            ("intended", text)
            for text in ("(gemeint: ‘Er geht.’)", "Intended: ‘He goes.’", "(sens voulu : « Il va. »)")
        ),
    ],
)
def test_the_languages_that_come_with_pairwright_name_the_parts_of_books(name: str, text: str) -> None:
    assert getattr(USUAL, name).match(text)


def test_a_line_of_a_book_names_other_labels_and_adds_words() -> None:
    book = Conventions.of({"examples": {"number": ["Ex. {n}:", "{n})"]}, "words": {"captions": ["Taula"]}})
    assert [book.number(label) for label in ("Ex. 7:", "12)", "(12)")] == ["7", "12", None]
    assert book.caption.match("Taula 3:")
    assert book.caption.match("Table 3:")


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("(12)", "12"),
        ("[3]", "3"),
        ("(3–12a)", "3-12a"),
        ("*(4.2)", "4.2"),
        ("(iv)", "iv"),
        ("12)", None),
        ("(so)", None),
    ],
)
def test_labels_of_examples(label: str, number: str | None) -> None:
    assert USUAL.number(label) == number


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("‘I go.’ (Sefa)", "(Sefa)"),
        ("‘I go.’ [A3: 12]", "[A3: 12]"),
        ("‘I go.’ JS", "JS"),
        ("„Ich gehe.“ Meier 1999: 12", "Meier 1999: 12"),
        ("« Ils aboient. » — J. R.", "— J. R."),
        ("‚Ich gehe.‘ (wörtl. ‚ich laufe‘) (Brandt 1911)", "(Brandt 1911)"),
        ("‘I see the dogs’ house.’", None),
        ("‘I go.’", None),
        ("‘I go.’ lit.: he goes", None),
    ],
)
def test_what_stands_behind_a_translation(line: str, source: str | None) -> None:
    translation, behind = USUAL.cut_behind(line)
    assert behind == source
    assert USUAL.unquoted(translation)[0] == "I"
    assert USUAL.unquoted("‘I go’ (lit. ‘I walk’)") == "I go (lit. ‘I walk’)"


def test_what_a_person_wrote_stays_and_the_rest_is_learned_again(tmp_path: Path) -> None:
    write_conventions(tmp_path, LEARNED)
    assert own_conventions(tmp_path) == {}
    path = tmp_path / FILE
    path.write_text(
        path.read_text(encoding="utf-8").replace('number = ["({n})"]', 'number = ["{n})"]'), encoding="utf-8"
    )
    assert own_conventions(tmp_path) == {"examples": {"number": ["{n})"]}}
    write_conventions(tmp_path, LEARNED | {"examples.translation": (("“", "”"), "around 9 of 9 translations")})
    assert own_conventions(tmp_path) == {"examples": {"number": ["{n})"]}}
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^translation = (.*)", text, flags=re.MULTILINE) == ['["“", "”"]']


def test_a_new_file_shows_every_key_and_says_nothing(tmp_path: Path) -> None:
    write_conventions(tmp_path, {})
    assert own_conventions(tmp_path) == {}
    text = (tmp_path / FILE).read_text(encoding="utf-8")
    (tmp_path / FILE).write_text(re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE), encoding="utf-8")
    own = own_conventions(tmp_path)
    assert set(own) == {"examples", "judgements", "words"}
    assert set(own["examples"]) == set(ExampleConventions.model_fields)


@pytest.mark.parametrize(
    ("text", "place"),
    [('[examples]\nnumber = ["12"]\n', "examples.number"), ("[example]\n", "example"), ("[examples\n", "TOML")],
)
def test_a_faulty_file_is_an_error_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=place) as fault:
        own_conventions(tmp_path)
    assert FILE in str(fault.value)


@pytest.mark.parametrize(
    ("line", "mark"), [("*?keno muvir", "*?"), ("**keno", "**"), ("×keno", "×"), ("×?keno", "×?"), ("keno", None)]
)
def test_a_mark_before_a_line_is_whole_whatever_marks_a_book_names(line: str, mark: str | None) -> None:
    match = Conventions.of({"judgements": {"bad": ["*", "×"], "doubtful": ["×?"]}}).judgement.match(line)
    assert (match["mark"] if match else None) == mark


def test_marks_words_and_boundaries_of_a_source_are_its_conventions() -> None:
    source = make_source(written_in=("de",), marks=(("!", "bad"),))
    book = Conventions.of_source(source, own={"judgements": {"doubtful": ["#"]}, "words": {"history": ["Proto"]}})
    assert [book.meaning(mark) for mark in ("!", "#", "*")] == ["bad", "doubtful", "bad"]
    assert book.split_mark("!Jis eina.") == ("!", "Jis eina.")
    assert "doubtful" in book.why_no_pair("#")
    assert "Proto" in book.words.history
    assert set(load_language("de").examples.refusals) == set(book.words.refusals)
