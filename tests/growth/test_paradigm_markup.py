"""Seeds that a person marked up, and the frames file of a language."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from paradigm_parts import made

from made_records import make_rule
from pairwright.core.errors import ConfigError, SourceError
from pairwright.growth.paradigm.frames import Frames, chosen_conditions, load_frames
from pairwright.growth.paradigm.seeds import ParsedSeed, marked_up_seeds
from pairwright.languages import load_language
from pairwright.languages.morphology.inflection import Inflector

RULES = {"dative": make_rule("dative", id="rule-1", source_id="seeds")}


@pytest.fixture(scope="module")
def frames() -> Frames:
    return load_frames(load_language("lt"))


@pytest.fixture(scope="module")
def turkish() -> Frames:
    return load_frames(load_language("tr"))


def seeds_of(path: Path, text: str, frames: Frames) -> Iterator[ParsedSeed]:
    path.write_text(text, encoding="utf-8")
    return marked_up_seeds(path, RULES, "seeds", frames)


def test_marked_up_seeds_give_orders_and_the_clauses_whose_forms_they_have(tmp_path: Path, turkish: Frames) -> None:
    text = "# a comment\nrule dative\n[S Ali; dik=Ali'nin] [O ineğe/*ineği] dün [V vurdu; dik=vurduğunu].\n"
    (seed,) = seeds_of(tmp_path / "paradigms.txt", text, turkish)
    results = made(seed, Inflector.of(load_language("tr")))
    # The seed itself has the order SOV, and is a pair of the paradigm.
    assert results["SOV"] == ("Ali ineğe dün vurdu.", "Ali ineği dün vurdu.")
    assert results["OSV"] == ("İneğe Ali dün vurdu.", "İneği Ali dün vurdu.")
    assert results["VOS"] == ("Dün vurdu ineğe Ali.", "Dün vurdu ineği Ali.")
    assert results["finite"] == ("Herkes Ali ineğe dün vurdu sanıyor.", "Herkes Ali ineği dün vurdu sanıyor.")
    assert results["dik"] == (
        "Herkes Ali'nin ineğe dün vurduğunu sanıyor.",
        "Herkes Ali'nin ineği dün vurduğunu sanıyor.",
    )
    assert results["ken"] == "'vurdu' is in no lexicon; write its form in the mark-up"
    assert set(results) == set(turkish.conditions)


def test_a_dropped_subject_is_marked_by_its_features(tmp_path: Path, turkish: Frames) -> None:
    text = "rule dative\n[S Person=1|Number=Sing] [O ineğe/*ineği] [V vurdum; dik=vurduğumu]!\n"
    (seed,) = seeds_of(tmp_path / "paradigms.txt", text, turkish)
    results = made(seed, Inflector.of(load_language("tr")), "SOV", "dik")
    assert results == {
        "baseline": ("İneğe vurdum!", "İneği vurdum!"),
        "SOV": ("Ben ineğe vurdum!", "Ben ineği vurdum!"),
        "dik": ("Herkes ineğe vurduğumu sanıyor.", "Herkes ineği vurduğumu sanıyor."),
    }


def test_words_without_a_form_are_inflected_where_they_have_one_reading(
    tmp_path: Path, frames: Frames, inflector: Inflector
) -> None:
    text = "rule dative\n[S vaikas] [V neša] [O {didelį namą/*didelis namas}].\n"
    (seed,) = seeds_of(tmp_path / "paradigms.txt", text, frames)
    results = made(seed, inflector, "gerund", "half-participle")
    assert results["gerund"] == (
        "Vaikui nešant didelį namą, praėjo daug laiko.",
        "Vaikui nešant didelis namas, praėjo daug laiko.",
    )
    assert results["half-participle"] == (
        "Nešdamas didelį namą, vaikas pasikeitė.",
        "Nešdamas didelis namas, vaikas pasikeitė.",
    )


def test_a_file_in_another_encoding_or_without_a_rule_is_named(tmp_path: Path, turkish: Frames) -> None:
    path = tmp_path / "paradigms.txt"
    path.write_bytes("rule dative\n[S Ali] [O ineğe/*ineği] [V vurdu].\n".encode("cp1254"))
    with pytest.raises(SourceError, match=r"paradigms\.txt:2:15: byte 0xf0 is not UTF-8; save the file as UTF-8"):
        list(marked_up_seeds(path, RULES, "seeds", turkish))
    with pytest.raises(SourceError, match="no rule yet"):
        list(seeds_of(path, "[S Ali] [O ineğe/*ineği] [V vurdu].\n", turkish))


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("[S Ali] [O ineğe/*ineği] [V vurdu.", "2:26", "can't be read"),
        ("[S Ali] [O ineğe/*ineği] vurdu.", "2:1", "one [S], one [O] and one [V]"),
        ("[S Ali] [O ineğe] [V vurdu].", "2:1", "both sentences are the same"),
        ("[S Ali] [O ineğe/*ineği] [V vurdu; dikk=x].", "2:29", "is no CONDITION=FORM"),
        ("[S Ali] [O ineğe/*ineği] [V vurdu]", "2:35", "ends with one full stop"),
        ("[S Person=1st|] [O ineğe/*ineği] [V vurdu].", "2:4", "is no feature"),
        ("rule genitive", "2:6", "no rule 'genitive'"),
    ],
)
def test_faults_of_the_markup_are_told_with_line_and_column(
    tmp_path: Path, turkish: Frames, line: str, place: str, reason: str
) -> None:
    with pytest.raises(SourceError) as caught:
        list(seeds_of(tmp_path / "paradigms.txt", f"rule dative\n{line}\n", turkish))
    assert f"paradigms.txt:{place}: " in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("orderz = []", "orderz"),
        ('orders = ["SVX"]', "SVX"),
        ('[[clauses]]\ncondition = "x"\ntemplate = "no place"', "clause"),
        ('[[clauses]]\ncondition = "x"\ntemplate = "{clause}."\nverb = "case gen"', "is no feature"),
        ('[[clauses]]\ncondition = "SVO"\ntemplate = "{clause}."', "taken"),
    ],
)
def test_faults_of_a_frames_file_are_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "lt.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=reason) as caught:
        load_frames(load_language("lt"), tmp_path)
    assert "lt.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_conditions_are_those_of_the_file(frames: Frames, tmp_path: Path) -> None:
    language = load_language("lt")
    assert chosen_conditions(frames, (), language) == frames.conditions
    assert chosen_conditions(frames, ("OVS", "kad"), language) == ("OVS", "kad")
    with pytest.raises(ConfigError, match=r"write frames/sje\.toml"):
        load_frames(load_language("sje"), tmp_path)
    with pytest.raises(ConfigError, match="--conditions dik: unknown condition"):
        chosen_conditions(frames, ("dik",), language)
