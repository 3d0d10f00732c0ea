"""What a reader of texts with interlinear glosses relies on: each sentence is a gloss, whatever its page looks like."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_pages import LEADING, LEFT, PROFILE, filled, glossed, kinds, line, page, tabbed, word

from pairwright.core.records import Gloss
from pairwright.documents.interlinear.translation import is_reference
from pairwright.documents.lines.data import PageData, RuledLine, Run
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import PagePiece, read_pieces

Words = list[tuple[str, str]]
DOGS: Words = [("keno-t", "dog-PL"), ("nela-lo", "river-LOC"), ("muv-i-r", "go-PRS-3PL")]
STONE: Words = [("mar", "PROH"), ("pando-n", "stone-ACC"), ("por", "carry")]
RAIN: Words = [("hune", "rain"), ("olda", "yesterday"), ("sum-ak", "fall-PST")]


def read(runs: list[Run]) -> list[Gloss]:
    """The sentences of a page of a book with this page alone."""
    typed = page(runs)
    learned = learn([typed], 1)
    profile = replace(PROFILE, gloss_styles=learned.gloss_styles, words=learned.words)
    return [leaf for piece in read_pieces(typed, profile) if piece.gloss for _, leaf in piece.gloss.leaves()]


def segmentations(glosses: list[Gloss]) -> list[str]:
    return [" ".join(gloss.segmentation) for gloss in glosses]


@pytest.mark.parametrize("source", ["(Text 3: 12)", "[tr080621.21m02s]", "Smith 1987:34", "(elicited)"])
def test_sentences_below_each_other_are_glosses_with_their_sources(source: str) -> None:
    runs = [*glossed(DOGS, 130), *line("‘The dogs walk.’", 154, 90), *line(source, 166, 90)]
    runs += [*glossed(STONE, 184), *line("‘Don’t carry it!’", 208, 90), *line(source, 220, 90)]
    one, two = read([*filled(80), *runs, *filled(250)])
    assert (one.translation, one.source, one.notes) == ("The dogs walk.", source.strip("()[]"), ())
    assert (two.translation, two.source, two.notes) == ("Don’t carry it!", source.strip("()[]"), ())


def test_a_numbered_example_has_its_source_below_it() -> None:
    runs = [*line("(1)", 130), *glossed(DOGS, 130), *line("‘The dogs walk.’", 154, 90), *line("Smith 1987:34", 166, 90)]
    (gloss,) = read([*filled(80), *runs, *filled(200)])
    assert (gloss.source, gloss.notes) == ("Smith 1987:34", ())


@pytest.mark.parametrize("text", ["(lit. ‘it fell’)", "He came late.", "Two dogs", "(a word of the coast)"])
def test_other_lines_are_no_references(text: str) -> None:
    assert not is_reference(text)


def test_a_starred_example_right_below_is_an_example_of_its_own() -> None:
    starred = [("*mar", "PROH"), *STONE[1:]]
    runs = [
        *glossed(DOGS, 130),
        *line("‘The dogs walk.’", 154, 90),
        *line("(Mill, 4)", 166, 90),
        *glossed(starred, 184),
    ]
    runs += line("(elicited)", 208, 90)
    one, two = read([*filled(80), *runs, *filled(240)])
    assert (one.judgement, one.source) == (None, "Mill, 4")
    assert (two.judgement, two.translation, two.source) == ("*", None, "elicited")


def test_the_letter_of_who_speaks_is_a_note() -> None:
    runs = [*line("B: kenot nelalo muvir", 118, 90), *glossed(DOGS, 130), *line("‘The dogs walk.’", 154, 90)]
    (gloss,) = read([*filled(80), *runs, *filled(200)])
    assert (gloss.surface, gloss.notes) == ("kenot nelalo muvir", ("B:",))


def test_wordings_of_one_sentence_below_each_other_are_no_glosses() -> None:
    runs = [*line("(1)", 130), *line("keno-t nela-lo muv-i-r", 130, 90), *line("*keno-t nela-la muv-i-r", 142, 90)]
    (gloss,) = read([*filled(80), *runs, *filled(200)])
    assert (gloss.surface, gloss.glosses) == ("keno-t nela-lo muv-i-r", ())
    assert gloss.notes == ("*keno-t nela-la muv-i-r",)


def test_numbers_in_the_margin_number_the_sentences() -> None:
    runs = [*line("1", 130), *glossed(DOGS, 130), *line("2", 166), *glossed(STONE, 166)]
    one, two = read([*filled(80), *runs])
    assert [one.number, two.number] == ["1", "2"]
    assert segmentations([one, two]) == ["keno-t nela-lo muv-i-r", "mar pando-n por"]


def test_a_surface_line_and_a_translation_without_marks_belong_to_the_sentence() -> None:
    runs: list[Run] = []
    for y, sentence, surface, free in (
        (116, DOGS, "kenot nelalo muvir", "The dogs walk."),
        (164, STONE, "mar pandon por", "Don’t carry it!"),
        (212, RAIN, "hune olda sumak", "It rained."),
    ):
        runs += [*line(surface, y, LEFT), *glossed(sentence, y + 12, LEFT), *line(free, y + 36, LEFT)]
    glosses = read([*filled(80), *runs, *filled(290)])
    assert [gloss.surface for gloss in glosses] == ["kenot nelalo muvir", "mar pandon por", "hune olda sumak"]
    assert [gloss.translation for gloss in glosses] == ["The dogs walk.", "Don’t carry it!", "It rained."]


def test_a_translation_may_stand_above_its_sentence() -> None:
    runs: list[Run] = []
    for y, sentence, free in ((130, DOGS, "‘The dogs walk.’"), (184, STONE, "‘Don’t carry it!’")):
        runs += [*line(free, y, 90), *glossed(sentence, y + 12)]
    glosses = read([*filled(80), *runs, *filled(250)])
    assert [gloss.translation for gloss in glosses] == ["The dogs walk.", "Don’t carry it!"]


def test_a_translation_may_stand_beside_its_sentence() -> None:
    runs: list[Run] = []
    for y, sentence, free in (
        (130, DOGS, "The dogs walk in"),
        (166, STONE, "Don’t carry it"),
        (202, RAIN, "It rained in"),
    ):
        runs += [*glossed(sentence, y, LEFT), *line(free, y, 320), *line("the end.", y + 12, 320)]
    glosses = read([*filled(80), *runs, *filled(250)])
    assert segmentations(glosses) == ["keno-t nela-lo muv-i-r", "mar pando-n por", "hune olda sum-ak"]
    assert glosses[0].translation == "The dogs walk in the end."


WRAPPED = ["The dogs walk", "in the river", "at night."]


def beside(y: float, x: float, marks: str = "‘’") -> list[Run]:
    """A sentence whose tiers wrap, with a translation of three lines beside them and a source at the right margin."""
    lines = [*WRAPPED]
    if marks:
        lines = [marks[0] + lines[0], lines[1], lines[2] + marks[1]]
    sides = [run for index, text in enumerate(lines) for run in line(text, y + index * LEADING, 300)]
    return [*glossed(DOGS, y, x), *glossed(RAIN[1:], y + 2 * LEADING, x), *sides, *line("(Vera, 3)", y + 36, 375)]


class TestATranslationBesideANumberedExample:
    WORDS = "keno-t nela-lo muv-i-r olda sum-ak"

    def check(self, gloss: Gloss) -> None:
        assert segmentations([gloss]) == [self.WORDS]
        assert (gloss.translation, gloss.source, gloss.notes) == (" ".join(WRAPPED), "Vera, 3", ())

    def test_tiers_and_translation_wrap_apart(self) -> None:
        (gloss,) = read([*filled(80), *line("(1)", 130), *beside(130, 90), *filled(250)])
        self.check(gloss)

    def test_under_numbers_within_numbers(self) -> None:
        runs = [*line("(1)", 130), *line("(i)", 130, 84), *beside(130, 110)]
        runs += [*line("(ii)", 190, 84), *beside(190, 110)]
        one, two = read([*filled(80), *runs, *filled(270)])
        assert (one.number, two.number) == ("i", "ii")
        self.check(one)
        self.check(two)

    def test_without_quotation_marks_where_a_column_of_them_stands_on_the_page(self) -> None:
        runs = [run for n in range(3) for run in (*line(f"({n})", 130 + 60 * n), *beside(130 + 60 * n, 90, ""))]
        glosses = read([*filled(80), *runs, *filled(340)])
        assert [gloss.number for gloss in glosses] == ["0", "1", "2"]
        for gloss in glosses:
            self.check(gloss)


def test_lines_may_have_names() -> None:
    runs: list[Run] = []
    for y, sentence, free in (
        (130, DOGS, "The dogs walk."),
        (178, STONE, "Don’t carry it!"),
        (226, RAIN, "It rained."),
    ):
        runs += [*glossed(sentence, y, 120), *line(free, y + 24, 120)]
        runs += [run for n, name in enumerate(("Words", "Gloss", "Free")) for run in line(name, y + n * LEADING)]
    glosses = read([*filled(80), *runs])
    assert segmentations(glosses) == ["keno-t nela-lo muv-i-r", "mar pando-n por", "hune olda sum-ak"]
    assert [gloss.translation for gloss in glosses] == ["The dogs walk.", "Don’t carry it!", "It rained."]


@pytest.mark.parametrize("above", [True, False])
def test_the_translation_of_a_numbered_example_may_stand_above_it_or_lack_its_marks(above: bool) -> None:
    y = 142 if above else 130
    free = line("‘The dogs walk.’", 130, 90) if above else line("The dogs walk.", 154, 90)
    (gloss,) = read([*filled(80), *line("(4)", 130), *glossed(DOGS, y), *free, *filled(210)])
    assert (gloss.translation, gloss.segmentation) == ("The dogs walk.", ("keno-t", "nela-lo", "muv-i-r"))


def test_a_sentence_may_wrap_over_several_groups_of_tiers() -> None:
    first = [(f"{form}-a", f"{form}-PST.{place}SG") for place, form in enumerate(["soro", "mela", "vako", "tovi"], 1)]
    runs = [*glossed(first, 130, gap=22), *glossed(STONE, 160), *line("‘All of it.’", 184, 90)]
    (gloss,) = read([*filled(80), *runs, *filled(220)])
    assert gloss.segmentation == (*(form for form, _ in [*first, *STONE]),)
    assert gloss.translation == "All of it."


def test_a_text_that_runs_on_is_cut_into_its_sentences() -> None:
    tiers = [
        [*DOGS[:2], ("muv-i-r.", "go-PRS-3PL"), ("mavi", "mother"), ("galo-n", "bread-ACC")],
        [("kel-ak.", "give-PST"), ("hune", "rain"), ("olda", "yesterday"), ("sum-ak-er-tu.", "fall-PST-3PL-CAUS")],
    ]
    runs = [*glossed(tiers[0], 130, gap=22), *glossed(tiers[1], 160, gap=22)]
    glosses = read([*filled(80), *runs, *line("The dogs walk. It rained.", 196)])
    sentences = ["keno-t nela-lo muv-i-r.", "mavi galo-n kel-ak.", "hune olda sum-ak-er-tu."]
    assert segmentations(glosses) == sentences
    assert all(gloss.translation is None for gloss in glosses)


@given(st.lists(st.sampled_from([DOGS, STONE, RAIN, DOGS[:2]]), min_size=1, max_size=8), st.booleans())
@settings(max_examples=40, deadline=None)
def test_every_sentence_comes_out_once_and_in_order(sentences: list[Words], sourced: bool) -> None:
    runs: list[Run] = filled(80)
    for index, sentence in enumerate(sentences):
        y = 130 + 54 * index
        runs += [*glossed(sentence, y), *line("‘So it was.’", y + 24, 90)]
        runs += line(f"(Text 1: {index})", y + 36, 90) if sourced else []
    glosses = read(runs)
    assert segmentations(glosses) == [" ".join(form for form, _ in sentence) for sentence in sentences]
    assert all((gloss.source is not None) == sourced and not gloss.notes for gloss in glosses)


def test_a_table_of_forms_is_no_text() -> None:
    cells = [["", "SG", "PL"], ["1", "muv-i-m", "muv-i-n"], ["2", "muv-i-s", "muv-i-t"], ["3", "muv-i", "muv-i-r"]]
    runs = [
        run
        for index, row in enumerate(cells)
        for run in tabbed(
            [(x, text) for x, text in zip((100.0, 150.0, 230.0), row, strict=True) if text], 140 + 12 * index
        )
    ]
    assert kinds(read_pieces(page([*filled(80), *runs, *filled(220)]), PROFILE)) == ["paragraph", "table", "paragraph"]


class TestFootnoteMarks:
    def pieces(self, marked: Run, mark: str) -> list[PagePiece]:
        """A page with an example in which a word bears a mark, and a footnote below a rule."""
        raised = word(mark, marked.x1, 126, 6.0)
        rest = [run for run in glossed(DOGS, 130) if run != marked]
        note = [word(mark, LEFT, 616, 5.0), *line("A note on it.", 620, LEFT + 6, 8.0)]
        runs = [*filled(80), *line("(1)", 130), *rest, marked, raised, *line("‘The dogs walk.’", 154, 90), *note]
        return read_pieces(PageData(5, 480, 680, tuple(runs), rules=(RuledLine(LEFT, 608, 160, 608),)), PROFILE)

    @pytest.mark.parametrize(("mark", "note"), [("3", "³"), ("b", "b")])
    def test_they_are_no_letters_of_a_word_or_gloss(self, mark: str, note: str) -> None:
        for marked in glossed(DOGS, 130)[2:4]:
            gloss = next(piece.gloss for piece in self.pieces(marked, mark) if piece.gloss)
            assert gloss.segmentation == ("keno-t", "nela-lo", "muv-i-r")
            assert gloss.glosses == (("dog-PL", "river-LOC", "go-PRS-3PL"),)
            assert gloss.notes == (note,)

    def test_tones_stay(self) -> None:
        runs = [*filled(80), *line("(1)", 130), *glossed([("ma", "horse"), ("lai", "come")], 130, gap=30)]
        tones = [word("3", run.x1, 126, 6.0) for run in runs if run.text in {"ma", "lai"}]
        note = [word("3", LEFT, 616, 5.0), *line("A note on it.", 620, LEFT + 6, 8.0)]
        typed = PageData(5, 480, 680, (*runs, *tones, *note), rules=(RuledLine(LEFT, 608, 160, 608),))
        gloss = next(piece.gloss for piece in read_pieces(typed, PROFILE) if piece.gloss)
        assert gloss.segmentation == ("ma³", "lai³")


class TestHyphensAtTheEndsOfLines:
    def text(self, halves: tuple[str, str], words: set[str], cited: bool) -> str:
        ends = [line(halves[0], 80, 300), line(halves[1], 80 + LEADING)]
        first, second = ([run._replace(italic=cited) for run in end] for end in ends)
        runs = [*line("the form of the noun is", 80), *first, *second, *line("and no other", 92, 150)]
        profile = replace(PROFILE, words=frozenset(words))
        return read_pieces(page(runs), profile)[0].text

    def test_a_boundary_of_morphemes_in_a_cited_form_stays(self) -> None:
        assert "prey-ti" in self.text(("prey-", "ti"), {"prey-", "-ti"}, cited=True)

    def test_a_form_that_the_book_has_whole_is_joined(self) -> None:
        assert "preyti" in self.text(("prey-", "ti"), {"prey-", "-ti", "preyti"}, cited=True)

    def test_a_word_with_the_ending_of_other_words_is_joined(self) -> None:
        assert "improvements" in self.text(("improve-", "ments"), {"improve", "require-"}, cited=False)

    def test_the_second_half_of_a_cut_word_is_no_word_of_the_book(self) -> None:
        typed = page([*line("some more improve-", 80), *line("ments of it and more", 92)])
        assert "ments" not in learn([typed], 1).words
