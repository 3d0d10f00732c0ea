"""Words of sheets, pages and questions: complete where they ship, English where a language has none, checked where a
user wrote them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.core.errors import ConfigError
from pairwright.evaluate.asking.questions import load_wording
from pairwright.languages import load_language, resource_names
from pairwright.languages.locale import LocaleFile, decision_words, load_words

LANGUAGES = resource_names("languages")


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("file", ["review", "tasks"])
def test_every_shipped_language_has_all_words_of_sheets_and_questions(code: str, file: LocaleFile) -> None:
    english, own = load_words(file), load_words(file, code)
    assert set(own.places) == set(english.places)
    if file == "review":
        titles = own.group("columns")
        assert len(set(titles.values())) == len(titles)
        assert own.places["interface-progress"] == {"done", "total"}


def test_lithuanian_has_every_text_of_reports_with_the_same_places_and_each_can_be_filled_in() -> None:
    english, lithuanian = load_words("report"), load_words("report", "lt")
    assert lithuanian.places == english.places
    for words in (english, lithuanian):
        for key, places in words.places.items():
            assert all(words(key, **dict.fromkeys(places, n)) for n in (0, 1, 2, 10, 21)), key


def test_lithuanian_counts_as_people_do() -> None:
    forms = {"pora": (1, 21, 101), "poros": (2, 9, 22), "porų": (0, 10, 11, 12, 19, 20, 111, 212)}
    words = load_words("report", "lt")
    for form, numbers in forms.items():
        assert all(words("page.n_sampled", n=n).startswith(f"{n} {form}") for n in numbers)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    words, english = load_words("report", "lt"), load_words("report")
    assert (words.cell(12345, "count"), english.cell(12345, "count")) == ("12\u00a0345", "12,345")
    assert (words.cell(0.8125, "percent"), english.cell(0.8125, "percent")) == ("81,2", "81.2")
    assert (words.signed(-1.5, 2), english.signed(0.001, 2)) == ("−1,50", "0.00")


def test_a_language_without_the_words_has_english_ones() -> None:
    turkish = load_words("report", "tr")
    assert (turkish.code, turkish("page.release")) == ("en", "Release")


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[..., Path]:
    def made(text: str, file: LocaleFile = "report") -> Path:
        path = tmp_path / "locale" / "qaa" / f"{file}.ftl"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        return tmp_path

    return made


def test_a_workspace_may_translate_some_of_the_words(workspace: Callable[..., Path]) -> None:
    words = load_words("report", "qaa", workspace("page-release = Eldono\n"))
    assert (words.code, words("page.release"), words("page.pairs")) == ("qaa", "Eldono", "Pairs")
    assert words("page.n_sampled", n=1).startswith("1 pair,")


def test_a_workspace_replaces_a_single_text_of_a_shipped_language(tmp_path: Path) -> None:
    path = tmp_path / "locale" / "lt" / "review.ftl"
    path.parent.mkdir(parents=True)
    path.write_text("columns-good = Geras\n", encoding="utf-8")
    titles = load_language("lt", tmp_path).words("review").group("columns")
    assert (titles["good"], titles["bad"]) == ("Geras", load_words("review", "lt")("columns.bad"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("page-nothing = X", "'page-nothing': no such text"),
        ("page-at_least = { $m } ar daugiau", r"there is no \$m to fill in; known: n"),
        ("page-at_least = { $n ar daugiau", "write it as KEY = TEXT"),
        ("just words", "write it as KEY = TEXT"),
    ],
)
def test_a_text_that_cannot_be_used_is_one_line(workspace: Callable[..., Path], text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as caught:
        load_words("report", "qaa", workspace(text))
    assert "\n" not in str(caught.value)


def test_a_word_of_two_decisions_is_refused(workspace: Callable[..., Path]) -> None:
    root = workspace("decisions-approve = ja, A\ndecisions-reject = a\n", "review")
    with pytest.raises(ConfigError, match="'a' means both approve and reject"):
        decision_words(load_words("review", "qaa", root))


def test_an_example_that_does_not_end_with_its_label_is_refused(workspace: Callable[..., Path]) -> None:
    together = "acceptability_prefix = P\nacceptability_question = { $text }?\nyes_or_no = J\nyes = j\nno = n\n"
    root = workspace(together + "acceptability_example = { $label }: { $text }\n", "tasks")
    (root / "languages").mkdir()
    (root / "languages" / "qaa.toml").write_text('code = "qaa"\nname = "X"\nautonym = "x"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="acceptability_example"):
        load_wording("qaa", workspace=root)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_shipped_instructions_name_each_decision_and_the_columns_to_fill(code: str) -> None:
    words = load_words("review", code)
    titles, pairs = words.group("columns"), " ".join(words("instructions.pairs").split())
    assert all(spellings[0] in pairs for spellings in decision_words(words).values())
    assert all(titles[field] in pairs for field in ("decision", "fixed_good", "fixed_bad", "comment"))
    assert titles["choice"] in words("instructions.choice")
    assert titles["rating"] in words("instructions.likert")
