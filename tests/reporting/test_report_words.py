"""The words of reports: complete in Lithuanian, English where a language has none, checked where a user wrote them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.errors import ConfigError
from pairwright.reporting.data.words import places, report_words

N_FORMS = {"en": 2, "lt": 3}


def test_lithuanian_has_every_text_with_the_same_places() -> None:
    english, lithuanian = report_words().own, report_words("lt").own
    assert set(lithuanian) == set(english)
    for key in english.keys() - {"plural"}:
        assert places(lithuanian[key]) == places(english[key]), key


@pytest.mark.parametrize("code", N_FORMS)
def test_each_count_has_the_forms_of_the_language(code: str) -> None:
    for key, text in report_words(code).own.items():
        for forms in re.findall(r"\{\w+:([^{}]*\|[^{}]*)\}", text):
            assert forms.count("|") + 1 == N_FORMS[code], key


@pytest.mark.parametrize(
    ("n", "form"),
    [(1, "1 pora"), (21, "21 pora"), (101, "101 pora"), (2, "2 poros"), (9, "9 poros"), (22, "22 poros")]
    + [(n, f"{n} porų") for n in (0, 10, 11, 12, 19, 20, 111, 212)],
)
def test_lithuanian_counts_as_people_do(n: int, form: str) -> None:
    assert report_words("lt")("page.n_sampled", n=n).startswith(form)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    words, english = report_words("lt"), report_words()
    assert (words.cell(12345, "count"), english.cell(12345, "count")) == ("12\u00a0345", "12,345")
    assert (words.cell(0.8125, "percent"), english.cell(0.8125, "percent")) == ("81,2", "81.2")
    assert (words.signed(-1.5, 2), english.signed(0.001, 2)) == ("−1,50", "0.00")


def test_a_language_without_the_words_has_english_ones() -> None:
    turkish = report_words("tr")
    assert (turkish.code, turkish("page.methods")) == ("en", "Methods")


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[[str], Path]:
    def made(report: str) -> Path:
        (tmp_path / "languages").mkdir()
        text = f'code = "qaa"\nname = "X"\nautonym = "x"\n\n[report]\n{report}\n'
        (tmp_path / "languages" / "qaa.toml").write_text(text, encoding="utf-8")
        return tmp_path

    return made


def test_a_language_of_a_workspace_may_have_some_of_the_words(workspace: Callable[[str], Path]) -> None:
    words = report_words("qaa", workspace('page.methods = "Metodoj"\nplural = "0"'))
    assert (words.code, words("page.methods"), words("page.limits")) == ("qaa", "Metodoj", "Limits")
    assert words("page.n_sampled", n=1).startswith("1 pair,")


@pytest.mark.parametrize(
    ("report", "fault"),
    [
        ('page.nothing = "X"', r"'report\.page\.nothing': no such text"),
        ("page.methods = 3", r"'report\.page\.methods': no text; write it in quotes"),
        ('page.at_least = "{m} ar daugiau"', r"there is no \{m\} to fill in; known: n"),
        ('page.at_least = "{n ar daugiau"', r"'report\.page\.at_least': .*; write every place as \{name\}"),
        ('page.n_sampled = "{n:{n} pora|poros}"', r"a brace within braces"),
        ('plural = "n % 0"', r"'report\.plural': .*; write it as gettext does"),
        ('plural = "n !"', r"'report\.plural': .*; write it as gettext does"),
    ],
)
def test_a_text_that_cannot_be_used_is_one_line(workspace: Callable[[str], Path], report: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as caught:
        report_words("qaa", workspace(report))
    assert "\n" not in str(caught.value)
