"""Partners of starred examples: by what the prose compares, by the translation; marks and words of the book's own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from grammar_parts import read_book
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from made_records import make_source
from pairwright.core.records import Rejection, Source
from pairwright.languages.conventions import Conventions, usual_conventions
from pairwright.sources.grammar.starred.pairs import StarredPair, starred_pairs
from pairwright.sources.grammar.starred.prose import Prose

Read = Callable[..., tuple[list[StarredPair], list[Rejection]]]
ENGLISH = Prose((), usual_conventions())


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a Markdown grammar whose source.toml says what is passed, such as `written_in`."""

    def pairs(text: str, **said: object) -> tuple[list[StarredPair], list[Rejection]]:
        source, blocks = read_book(tmp_path, f"# Case\n\n{text}\n", **said)
        return starred_pairs(blocks, conventions=Conventions.of_source(source))

    return pairs


def sides(pairs: list[StarredPair]) -> list[tuple[str, str | None]]:
    return [(pair.example.good, pair.example.bad) for pair in pairs]


BETWEEN = "(2) Mama skaito knygą.\n\n(3) Tėvas rašo laišką."
WANTED = [("Vaikas laukia savo draugo.", "Mergaitė laukia savo draugą.")]


class TestComparedExamples:
    @pytest.mark.parametrize(
        "text",
        [
            "Unlike (1), the accusative in (4) is bad.\n\n(1) {good}\n\n{between}\n\n(4) {bad}",
            "(1) {good}\n\n{between}\n\n(4) {bad}\n\n(1) is grammatical, (4) is not.",
            "(1) a. Mama miega.\n    b. {good}\n\n{between}\n\n(4) {bad}\n\nCompare (4) with (1b).",
            "(1) {good}\n\n{between}\n\nNow compare example 1 with the following.\n\n(4) {bad}",
            "(1) {good}\n\n{between}\n\n(4) {bad} (cf. (1))",
        ],
        ids=["unlike", "one and the other", "a part", "right before the example", "in the example"],
    )
    def test_an_example_that_the_prose_names_beside_it_is_the_partner(self, read: Read, text: str) -> None:
        good, bad = WANTED[0]
        pairs, _ = read(text.format(good=good, bad=f"*{bad}", between=BETWEEN))
        assert sides(pairs) == WANTED

    def test_the_same_example_comes_before_what_the_prose_names(self, read: Read) -> None:
        good, bad = WANTED[0]
        pairs, _ = read(
            f"(1) {good}\n\n{BETWEEN}\n\n(4) a. Mergaitė laukia savo mamos.\n    b. *{bad}\n\nUnlike (1), (4b) is out."
        )
        assert [pair.example.good for pair in pairs] == ["Mergaitė laukia savo mamos."]

    def test_a_comparison_of_other_examples_names_no_partner(self, read: Read) -> None:
        good, bad = WANTED[0]
        pairs, _ = read(f"(1) {good}\n\n{BETWEEN}\n\nCompare (1) with (2).\n\n(4) *{bad}")
        assert pairs == []

    def test_a_sentence_of_the_next_examples_is_the_partner_where_it_differs_in_one_place(self, read: Read) -> None:
        pairs, _ = read(f"(1) {WANTED[0][0]}\n\n{BETWEEN}\n\n(4) *Vaikas laukia savo draugą.")
        assert sides(pairs) == [("Vaikas laukia savo draugo.", "Vaikas laukia savo draugą.")]

    def test_the_prose_may_say_that_the_rest_is_the_same(self, read: Read) -> None:
        good, bad = WANTED[0]
        prose = "Except for its object, the sentence is the same as (1)."
        pairs, _ = read(f"(1) {good}\n\n{BETWEEN}\n\n{prose}\n\n(4) *{bad}")
        assert sides(pairs) == WANTED

    def test_an_unlike_example_that_the_prose_names_makes_no_pair(self, read: Read) -> None:
        pairs, _ = read("(1) Vakar lijo visą naktį.\n\n(2) *Mergaitė laukia draugą.\n\nCompare (1) with (2).")
        assert pairs == []

    def test_another_chapter_counts_its_own_examples(self, read: Read) -> None:
        good, bad = WANTED[0]
        pairs, _ = read(
            f"(1) {good}\n\n# Objects\n\n(1) Katė miega.\n\n{BETWEEN}\n\n(4) *{bad}\n\nCompare (4) with (1)."
        )
        assert pairs == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("as in (12a) and (3.14)", {("12", "a"), ("3.14", "")}),
        ("(7a–c, e) show", {("7", "a"), ("7", "b"), ("7", "c"), ("7", "e")}),
        ("example 8bii and sentences (A1)", {("8", "bii"), ("A1", "")}),
        ("compare 9a with 10", {("9", "a")}),
        ("cf. (4)", {("4", "")}),
        ("(3–6) show", {("3", ""), ("6", ""), ("3-6", "")}),
        ("as (4-2b) shows", {("4", ""), ("2", "b"), ("4-2", "b")}),
        ("in § 3.2 of 1999", set()),
    ],
)
def test_references_to_examples(text: str, named: set[tuple[str, str]]) -> None:
    assert ENGLISH.mentions(text) == named


@given(number=st.integers(1, 999), letter=st.sampled_from("abcdef"), text=st.text("ab (),.-–", max_size=20))
def test_a_number_in_brackets_is_a_reference_in_any_text(number: int, letter: str, text: str) -> None:
    assert ENGLISH.precision(f"{text} ({number}{letter}) {text}", (str(number), letter)) == 2


GLOSSED = "(1) Vaikas laukia savo draugo.\n    child waits own friend.GEN\n    ‘The child is waiting for its friend.’"


class TestTranslations:
    @pytest.mark.parametrize(
        "translation",
        [
            "Intended: ‘The child is waiting for its friend.’",
            "‘The child is waiting for its friend.’ (intended)",
        ],
        ids=["label before", "label behind"],
    )
    def test_an_example_with_the_intended_meaning_is_the_partner(self, read: Read, translation: str) -> None:
        starred = f"(3) *Savo draugą laukia vaikas.\n    own friend.ACC waits child\n    {translation}"
        pairs, _ = read(f"{GLOSSED}\n\n(2) Mama skaito.\n    mum reads\n    ‘Mum reads.’\n\n{starred}")
        assert sides(pairs) == [("Vaikas laukia savo draugo.", "Savo draugą laukia vaikas.")]

    def test_a_neighbour_that_fits_comes_before_a_farther_one_with_the_translation(self, read: Read) -> None:
        starred = "(3) *Vaikas čia laukia draugą.\n    child here waits friend.ACC\n"
        starred += "    ‘The child is waiting for its friend.’"
        pairs, _ = read(f"## Genitive\n\n{GLOSSED}\n\n## Accusative\n\n(2) Vaikas čia laukia draugo.\n\n{starred}")
        assert sides(pairs) == [("Vaikas čia laukia draugo.", "Vaikas čia laukia draugą.")]

    def test_it_may_stand_in_another_section_of_the_chapter(self, read: Read) -> None:
        starred = "(5) *Vaikas laukia savo draugą.\n    child waits own friend.ACC\n"
        starred += "    ‘The child is waiting for its friend.’"
        pairs, _ = read(f"## Genitive\n\n{GLOSSED}\n\n## Accusative\n\n{starred}")
        assert sides(pairs) == [("Vaikas laukia savo draugo.", "Vaikas laukia savo draugą.")]

    def test_sentences_that_say_other_things_are_no_pair_though_they_share_words(self, read: Read) -> None:
        text = "(1) a. Mačiau kad atėjo vaikas.\n       saw.1SG that came child\n       ‘I saw that the child came.’\n"
        text += "    b. *Mačiau jį kuris atėjo.\n       saw.1SG him who came\n       ‘Who is he?’"
        pairs, _ = read(text)
        assert pairs == []

    def test_the_order_of_morphemes_is_read_from_the_line_that_cuts_the_word(self, read: Read) -> None:
        text = "(1) a. nemeduso\n       ne-me-du-so\n       go-NEG-PST-1SG\n       ‘I did not go.’\n"
        text += "    b. *nedumeso\n       ne-du-me-so\n       go-PST-NEG-1SG"
        pairs, _ = read(text)
        assert sides(pairs) == [("nemeduso", "nedumeso")]

    def test_rows_of_a_table_with_one_translation_are_a_pair(self, read: Read) -> None:
        pairs, _ = read(
            "| Sentence | Translation |\n|---|---|\n| Vaikas laukia draugo | ‘The child waits for a friend’ |\n"
            "| Vaikas lankė draugą | ‘The child visited a friend’ |\n"
            "| \\*Vaikas laukia draugą | ‘The child waits for a friend’ |"
        )
        assert sides(pairs) == [("Vaikas laukia draugo", "Vaikas laukia draugą")]

    def test_a_word_that_is_a_sentence_is_read_against_another(self, read: Read) -> None:
        pairs, _ = read("- ni-k-itta ‘I see it.’\n- \\*k-ni-itta ‘I see it.’")
        assert sides(pairs) == [("nikitta", "kniitta")]

    def test_a_word_with_the_translation_of_a_word_is_no_sentence(self, read: Read) -> None:
        pairs, rejected = read("- namai ‘houses’\n- \\*namos ‘houses’")
        assert pairs == []
        assert rejected[0].reason.endswith("a single word form, not a sentence")


class TestLanguageOfTheProse:
    @pytest.mark.parametrize(
        ("code", "text"),
        [
            ("de", "Man sagt [namuose], nicht \\*namuse."),
            ("fr", "On dit [namuose], jamais \\*namuse."),
            ("lt", "Sakoma [namuose], o ne \\*namuse."),
        ],
    )
    def test_the_words_of_contrast_are_those_of_its_language(self, read: Read, code: str, text: str) -> None:
        assert sides(read(text, written_in=(code,))[0]) == [("namuose", "namuse")]
        assert read(text, written_in=("tr",))[0] == []

    @pytest.mark.parametrize(
        ("code", "prose", "intended"),
        [
            ("de", "Im Gegensatz zu Beispiel 1 ist (4) ungrammatisch.", "Gemeint"),
            ("fr", "Contrairement à (1), la phrase 4 est agrammaticale.", "Sens voulu"),
            ("lt", "Kitaip nei (1), (4) yra netaisyklingas sakinys.", "Norėta pasakyti"),
        ],
    )
    def test_references_and_labels_are_read_in_it(self, read: Read, code: str, prose: str, intended: str) -> None:
        good, bad = WANTED[0]
        text = f"{prose}\n\n(1) {good}\n\n{BETWEEN}\n\n(4) *{bad}\n    {intended}: ‘X.’"
        pairs, _ = read(text, written_in=(code,))
        assert sides(pairs) == WANTED
        assert pairs[0].example.translation == "X."
        assert pairs[0].introduction is not None
        assert pairs[0].introduction.text == prose


class TestMarks:
    TEXT = "(1) a. Laukiu autobuso.\n    b. {}Laukiu autobusą."

    @pytest.mark.parametrize("line", [TEXT.format("?"), "(1) Laukiu {autobuso/?autobusą}."])
    def test_a_question_mark_makes_no_pair_but_a_guess_for_a_person(self, read: Read, line: str) -> None:
        pairs, rejected = read(line)
        assert pairs == []
        assert rejected[0].reason.endswith("as a pair: Laukiu autobuso. | Laukiu autobusą.")

    def test_a_mark_in_brackets_is_a_doubt_and_its_sentence_no_good_side(self, read: Read) -> None:
        pairs, rejected = read("(1) a. Laukiu jo.\n    b. (*)Laukiu jį.\n    c. *Laukiu jam.")
        assert sides(pairs) == [("Laukiu jo.", "Laukiu jam.")]
        assert rejected[0].reason.endswith("marked '(*)': doubtful; as a pair: Laukiu jo. | Laukiu jį.")

    @pytest.mark.parametrize("mark", ["?", "#", "!"])
    def test_a_book_says_that_a_mark_calls_a_sentence_bad(self, read: Read, mark: str) -> None:
        pairs, _ = read(self.TEXT.format(mark), marks={mark: "bad"})
        assert sides(pairs) == [("Laukiu autobuso.", "Laukiu autobusą.")]
        assert pairs[0].example.mark == mark

    @pytest.mark.parametrize(("meaning", "guessed"), [("doubtful", True), ("other", False)])
    def test_a_book_says_that_a_mark_calls_no_sentence_bad(self, read: Read, meaning: str, *, guessed: bool) -> None:
        pairs, rejected = read(self.TEXT.format("??"), marks={"??": meaning})
        assert pairs == []
        assert ("as a pair" in rejected[0].reason) is guessed

    @pytest.mark.parametrize(("mark", "meaning", "message"), [("x", "bad", "is no mark"), ("?", "worse", "can mean")])
    def test_what_is_no_mark_or_no_meaning_is_refused(self, mark: str, meaning: str, message: str) -> None:
        with pytest.raises(ValidationError, match=message):
            Source.model_validate(make_source().model_dump() | {"marks": {mark: meaning}})


def test_a_full_stop_behind_one_sentence_only_is_left_out_and_the_pair_says_so(read: Read) -> None:
    pairs, _ = read("(1) a. Laukiu autobuso\n    b. *Laukiu autobusą.")
    assert sides(pairs) == [("Laukiu autobuso", "Laukiu autobusą")]
    assert "full stop" in (pairs[0].example.note or "")


def test_the_ban_right_behind_the_sentence_that_names_the_example_belongs_to_it(read: Read) -> None:
    prose = "The verb laukti takes a genitive (1). The accusative is not possible."
    pairs, _ = read(f"{prose} It is an old verb.\n\n(1) a. Laukiu autobuso.\n    b. *Laukiu autobusą.")
    assert pairs[0].introduction is not None
    assert pairs[0].introduction.text == prose


def test_two_ways_to_say_one_thing_are_no_pair(read: Read) -> None:
    gloss = "\n    me cold\n    ‘I am cold.’"
    pairs, _ = read(f"(1) Man šalta.{gloss}\n\n(2) Mama skaito.\n\n(3) *Aš šaltas.{gloss}")
    assert pairs == []


def test_lines_of_a_numbered_list_are_examples(read: Read) -> None:
    pairs, _ = read("The verb takes a genitive:\n\n1\\. Bijau šuns.\n\n2\\. \\*Bijau šunį.")
    assert sides(pairs) == [("Bijau šuns.", "Bijau šunį.")]
    assert pairs[0].introduction is not None
    assert pairs[0].introduction.text == "The verb takes a genitive:"


def test_numbers_that_begin_with_the_chapter_number_examples(read: Read) -> None:
    pairs, _ = read(
        "(3-1) Vakar lijo.\n\n(3‑2) Bijau šuns.\n\nThe verb takes no accusative (compare 3-2):\n\n(3-3) *Bijau šunį."
    )
    assert sides(pairs) == [("Bijau šuns.", "Bijau šunį.")]


def test_a_sentence_about_another_starred_form_introduces_no_example(read: Read) -> None:
    prose = "The verb takes a genitive. A bound form such as \\*-gi is never used alone."
    pairs, _ = read(f"{prose}\n\n(1) a. Bijau šuns.\n    b. *Bijau šunį.")
    assert pairs[0].introduction is not None
    assert pairs[0].introduction.text == "The verb takes a genitive."
