"""Starred single words: which of them make a pair with a word of their passage or table, and which are none."""

from collections.abc import Callable
from pathlib import Path

import pytest
from grammar_parts import read_book

from pairwright.core.records import Rejection
from pairwright.sources.grammar.starred.pairs import StarredPair, starred_pairs

Read = Callable[[str], tuple[list[StarredPair], list[Rejection]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a Markdown grammar with the heading `Nouns`, unless the text has its own."""

    def pairs(text: str) -> tuple[list[StarredPair], list[Rejection]]:
        return starred_pairs(read_book(tmp_path, text if text.startswith("#") else f"# Nouns\n\n{text}\n")[1])

    return pairs


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("The plural is namai ‘houses’, not \\*namas.", "namai", "namas"),
        ("The plural of namas is namai (\\*namos) in all villages.", "namai", "namos"),
        ("One hears [nam-uose] ‘in houses’ instead of \\*nam-use.", "namuose", "namuse"),
        ("There is no verb \\*miegin-ti, only miegoti ‘sleep’.", "miegoti", "mieginti"),
        ("Speakers say vaikams ‘to children’ and never \\*vaikem as it would be elsewhere.", "vaikams", "vaikem"),
    ],
    ids=["before its contrast", "before a bracket", "cut into morphemes", "behind it", "in running text"],
)
def test_a_word_that_the_passage_refuses_is_paired_with_the_one_it_gives(
    read: Read, text: str, good: str, bad: str
) -> None:
    pairs, rejected = read(text)
    assert [(pair.example.good, pair.example.bad) for pair in pairs] == [(good, bad)]
    assert rejected == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The word vasara ‘summer’ goes back to \\*vasera, not to a loan.", "reconstructed"),
        ("# Sound changes\n\nThe form is namai ‘houses’, not \\*namoi.", "reconstructed"),
        ("A bound form such as \\*-gi [gi] is not used.", "bound form"),
        ("The noun namas ‘house’ has the plural \\*namos.", "single word form"),
        ("There is knyga ‘book’, not \\*namos.", "single word form"),
    ],
    ids=["etymology", "heading", "bound form", "no contrast", "no like word"],
)
def test_other_starred_words_make_no_pair_and_say_why(read: Read, text: str, reason: str) -> None:
    pairs, rejected = read(text)
    assert pairs == []
    assert rejected
    assert all(reason in item.reason for item in rejected)


TABLE = "| | singular | plural |\n|---|---|---|\n"


def test_a_starred_cell_below_another_goes_with_it(read: Read) -> None:
    pairs, _ = read(f"{TABLE}| GEN | namo | namų |\n| | \\*namos | |\n")
    assert [(pair.example.good, pair.example.bad) for pair in pairs] == [("namo", "namos")]


def test_a_form_that_is_good_elsewhere_in_the_table_is_no_bad_side(read: Read) -> None:
    pairs, rejected = read(f"{TABLE}| NOM | namas | namai |\n| GEN | namo | namų |\n| | \\*namas | |\n")
    assert pairs == []
    assert "stands unstarred in the table" in rejected[0].reason


def test_a_column_of_reconstructions_makes_no_pair(read: Read) -> None:
    pairs, rejected = read("| | Lithuanian | Proto-Baltic |\n|---|---|---|\n| | namas | |\n| | | \\*namos |\n")
    assert (pairs, len(rejected)) == ([], 1)


def test_a_bracket_with_a_word_of_the_sentence_adds_it_again(read: Read) -> None:
    pairs, _ = read("(1) Ir tėvas (\\*ir) motina miega.")
    assert [(pair.example.good, pair.example.bad) for pair in pairs] == [
        ("Ir tėvas motina miega.", "Ir tėvas ir motina miega.")
    ]


def test_a_translation_behind_a_sentence_stays_out_of_it(read: Read) -> None:
    pairs, _ = read("- Bijau šuns. ‘I fear the dog.’\n- \\*Bijau šunį. ‘I fear the dog.’")
    assert [(pair.example.good, pair.example.bad) for pair in pairs] == [("Bijau šuns.", "Bijau šunį.")]
    assert pairs[0].example.translation == "I fear the dog."


def test_a_bracket_that_is_no_word_has_no_counterpart(read: Read) -> None:
    pairs, rejected = read("A phrase [NA] has this order, not \\*[N A].")
    assert (pairs, len(rejected)) == ([], 1)


def test_italics_in_an_earlier_sentence_do_not_give_the_word_in_place_of_a_starred_one(read: Read) -> None:
    pairs, _ = read(
        "The adverb *nur* has no derivatives. There is no word \\**nurlik*, although others in *-lik* exist."
    )
    assert pairs == []
