"""Words that a grammar attests, in a language without a dictionary."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Finding
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords

ZULU = Language(code="zu", name="Zulu", autonym="isiZulu")
BOOK = (Path(__file__).parents[1] / "data" / "beside" / "language-not-attested.attested.txt").read_text(
    encoding="utf-8"
)
Find = Callable[..., dict[str, Finding]]


@pytest.fixture(scope="module")
def found(pair: Callable[..., Candidate]) -> Find:
    """The findings about the words of a pair that a model wrote for a grammar of Zulu."""
    book = AttestedWords(BOOK.splitlines())

    def find(good: str, bad: str, attested: AttestedWords = book, **changed: object) -> dict[str, Finding]:
        candidate = pair(good, bad).model_copy(update={"method": "llm"} | changed)
        (checked,) = check_pairs([candidate], {}, ZULU, CheckSettings(), attested=attested)
        return {it.check: it for it in checked.findings if it.check.startswith("language-")}

    return find


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Watoto wanasoma vitabu.", "Watoto anasoma vitabu."),
        ("Mama anapika chakula jikoni.", "Mama wanapika chakula jikoni."),
        ("Mtoto analia.", "Mtoto wanalia."),
        ("Tėvas nepataisė seno dviračio.", "Tėvas nepataisė seną dviratį."),
        ("Laukiu autobuso.", "Laukiu autobusą."),
        ("The boy reads a book.", "The boy read a book."),
    ],
)
def test_a_pair_in_another_language_is_an_error(found: Find, good: str, bad: str) -> None:
    assert found(good, bad)["language-unlike-source"].level == "error"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Abafana baphuza amanzi.", "Abafana uphuza amanzi."),
        ("Izingane zifunda izincwadi.", "Izingane ifunda izincwadi."),
        ("Sithanda inyama.", "Inyama sithanda."),
        ("Inkomo ayiphuzi amanzi.", "Inkomo akaphuzi amanzi."),
    ],
)
def test_a_new_inflection_of_an_attested_stem_passes_and_is_told(found: Find, good: str, bad: str) -> None:
    findings = found(good, bad)
    assert findings.keys() == {"language-not-attested"}
    assert findings["language-not-attested"].level == "info"


def test_attested_sentences_have_no_finding_and_people_are_not_held_against_the_book(found: Find) -> None:
    assert found("Abafana bafunda izincwadi.", "Umfana bafunda izincwadi.") == {}
    assert "language-unlike-source" not in found("Watoto wanasoma vitabu.", "Watoto anasoma vitabu.", method="source")
    few = AttestedWords(BOOK.splitlines()[:5])
    assert "language-unlike-source" not in found("Abafazi balima insimu.", "Umfazi balima insimu.", few)
