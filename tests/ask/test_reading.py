"""Answers of models are read where one reading is left, and only there."""

import contextlib
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.evaluate.asking.questions import (
    LETTERS,
    OptionWords,
    UnreadableAnswerError,
    read_label,
    read_letters,
    read_options,
)

SENTENCES = ("She reads a book.", "She read a book every day.")
RULES = ("Verbs agree with the subject", "Adjectives follow nouns", "Objects take the genitive", "Verbs come last")
ONE = OptionWords(SENTENCES, ("none",), several=False)
MANY = OptionWords(RULES, ("nė vienas", "none"), several=True, joins=("ir", "and"))
LITHUANIAN = (("taip", "ne"), ("yes", "no"))


ONE_LETTER = (
    *("b.", "(B)", "Ｂ", "Β", "Answer: B"),
    "The answer is **B**.",
    "B. She read a book every day.",
    "B) because the verb is in the past",
    "Both have a subject.\n\nB",
    "“She read a book every day”",
    "The acceptable one is: She read a book every day.",
    r"So the answer is \boxed{B}",
)
SEVERAL = {
    "A, C": (0, 2),
    "A ir C": (0, 2),
    "[A, C]": (0, 2),
    "A and C.": (0, 2),
    "Atsakymas: A, C": (0, 2),
    "C": (2,),
    "none": (),
    "Nė vienas.": (),
    "Objects take the genitive": (2,),
    "D. Verbs come last": (3,),
}


@pytest.mark.parametrize(
    ("text", "words", "places"),
    [*((text, ONE, (1,)) for text in ONE_LETTER), *((text, MANY, places) for text, places in SEVERAL.items())],
)
def test_letters_are_read_from_many_forms(text: str, words: OptionWords, places: tuple[int, ...]) -> None:
    assert read_options(text, words) == places


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A or B", "no option"),
        ("A, B", "names 2"),
        ("C", "no option"),
        ("A sentence is good.", "no option"),
        ("A sentence must have a verb, so I choose B.", "no option"),
        ("B sentences are rare.", "no option"),
        ("The verb agrees in sentence B only.", "no option"),
        ("", "empty"),
        ("none", "none of the options"),
        ("Бв", "no option"),
    ],
)
def test_what_is_open_is_not_guessed(text: str, reason: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=reason):
        read_options(text, ONE)


def test_the_letters_of_a_structured_answer_are_read() -> None:
    assert read_letters(["C", "a"], MANY) == (0, 2)
    assert read_letters([], MANY) == ()
    assert read_letters(["none"], MANY) == ()
    with pytest.raises(UnreadableAnswerError, match="no option is called so: E"):
        read_letters(["A", "E"], MANY)
    with pytest.raises(UnreadableAnswerError, match="names none of the options"):
        read_letters([], ONE)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("taip", 0),
        ("Ne.", 1),
        ("**Taip**, sakinys teisingas.", 0),
        ("Sakinys nėra geras, todėl ne", 1),
        ("No, the case is wrong.", 1),
        ("Gramatiškai teisingas: ne", 1),
        ("Is it yes or no? The answer: yes.", 0),
        ("One could say yes, as no case is wrong.\n\nNo.", 1),
        ("Whether yes or no depends on the verb. **No**, the object is wrong.", 1),
    ],
)
def test_a_label_is_read_in_the_language_or_in_english(text: str, place: int) -> None:
    assert read_label(text, LITHUANIAN) == place


@pytest.mark.parametrize(
    ("read", "words", "texts"),
    [
        (read_options, MANY, ["A applies, but B does not.", "Perhaps A. Or C, as the object shows.", "All of them"]),
        (read_label, LITHUANIAN, ["Taip arba ne?", "Sakinys yra geras", "", "да", "First no, then yes"]),
    ],
)
def test_prose_about_several_options_and_none_or_both_labels_are_unreadable(
    read: Any, words: Any, texts: list[str]
) -> None:
    for text in texts:
        with pytest.raises(UnreadableAnswerError):
            read(text, words)


@given(st.sets(st.integers(0, 9), min_size=1), st.sampled_from([", ", " ", "\n", ",", " and ", "; "]))
def test_any_list_of_letters_is_read_back(places: set[int], between: str) -> None:
    options = OptionWords(
        tuple(f"rule number {number}" for number in range(10)), ("none",), several=True, joins=("and",)
    )
    assert read_options(between.join(LETTERS[place] for place in sorted(places)), options) == tuple(sorted(places))


@pytest.mark.parametrize("part", ["A ", "A   ", ". ", "A: ", "**", "\\boxed{", "((", "A. ", "a or ", "!" * 9])
def test_long_answers_are_read_in_no_time(part: str) -> None:
    started = time.process_time()
    for options in (ONE, MANY):
        with contextlib.suppress(UnreadableAnswerError):
            read_options(part * 4000 + "x?", options)
    assert time.process_time() - started < 1


@given(st.text())
def test_any_words_are_an_answer_or_unreadable(text: str) -> None:
    for options in (ONE, MANY):
        try:
            places = read_options(text, options)
        except UnreadableAnswerError:
            continue
        assert set(places) <= set(range(len(options.texts)))
