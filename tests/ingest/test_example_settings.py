"""Where presses set marks of judgement, sources and sentences without glosses; what running text emphasises."""

from dataclasses import replace

import pytest
from typed_pages import LEADING, LEFT, PROFILE, RIGHT, filled, glossed, line, only, page, width, word

from pairwright.core.records import Gloss
from pairwright.documents.lines.data import Run
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import read_pieces

DOGS = [("keno-t", "dog-PL"), ("nela-lo", "river-LOC"), ("muv-i-r", "go-PRS-3PL")]
SEGMENTATION = ("keno-t", "nela-lo", "muv-i-r")


def leaves(runs: list[Run]) -> list[Gloss]:
    pieces = read_pieces(page([*filled(80), *runs, *filled(300)]), PROFILE)
    return [leaf for piece in pieces if piece.gloss for _, leaf in piece.gloss.leaves()]


class TestMarksInAColumnOfTheirOwn:
    @pytest.mark.parametrize("mark", ["*", "?", "??", "#", "%"])
    def test_between_number_and_sentence(self, mark: str) -> None:
        runs = [*line("(1)", 130), word(mark, 82, 130), *glossed(DOGS, 130, x=100), *line("‘They go.’", 154, 100)]
        (gloss,) = leaves(runs)
        assert (gloss.judgement, gloss.segmentation, gloss.translation) == (mark, SEGMENTATION, "They go.")

    def test_between_letter_and_sentence(self) -> None:
        runs = [*line("(1)", 130), word("a.", 84, 130), *glossed(DOGS, 130, x=114), *line("‘They go.’", 154, 114)]
        runs += [word("b.", 84, 170), word("*", 104, 170), *glossed(DOGS, 170, x=114)]
        one, two = leaves(runs)
        assert (one.judgement, one.number) == (None, "a")
        assert (two.judgement, two.number, two.segmentation) == ("*", "b", SEGMENTATION)

    def test_before_the_letter(self) -> None:
        runs = [*line("(1)", 130), word("a.", 94, 130), *glossed(DOGS, 130, x=114), *line("‘They go.’", 154, 114)]
        runs += [word("*", 84, 170), word("b.", 94, 170), *glossed(DOGS, 170, x=114)]
        one, two = leaves(runs)
        assert (one.judgement, two.judgement, two.number) == (None, "*", "b")

    def test_before_the_number(self) -> None:
        runs = [word("*", LEFT - 8, 130), *line("(1)", 130), *glossed(DOGS, 130), *line("‘They go.’", 154, 90)]
        (gloss,) = leaves(runs)
        assert (gloss.judgement, gloss.number, gloss.segmentation) == ("*", "1", SEGMENTATION)

    def test_above_the_glosses_with_a_line_of_words(self) -> None:
        words = line("Kenot nelalo muvir.", 118, 100)
        runs = [
            *line("(1)", 118),
            word("*", 82, 118),
            *words,
            *glossed(DOGS, 130, x=100),
            *line("‘They go.’", 154, 100),
        ]
        (gloss,) = leaves(runs)
        assert (gloss.judgement, gloss.surface) == ("*", "Kenot nelalo muvir.")


class TestSourcesWithoutBrackets:
    def read(self, runs: list[Run], *, numbered: bool) -> Gloss:
        number = line("(1)", 130) if numbered else []
        (gloss,) = leaves([*number, *glossed(DOGS, 130), *runs])
        return gloss

    @pytest.mark.parametrize("numbered", [True, False])
    def test_in_smaller_type_below_the_translation(self, numbered: bool) -> None:
        runs = [*line("‘The dogs go.’", 154, 90), *line("Vera, in conversation", 165, 90, size=8.0)]
        gloss = self.read(runs, numbered=numbered)
        assert (gloss.translation, gloss.source, gloss.notes) == ("The dogs go.", "Vera, in conversation", ())

    @pytest.mark.parametrize("numbered", [True, False])
    def test_at_the_right_margin_of_the_translation(self, numbered: bool) -> None:
        place = RIGHT - width("Tape 3, side A") + 6
        runs = [*line("‘The dogs go.’", 154, 90), *line("Tape 3, side A", 154, place)]
        gloss = self.read(runs, numbered=numbered)
        assert (gloss.translation, gloss.source) == ("The dogs go.", "Tape 3, side A")

    @pytest.mark.parametrize("numbered", [True, False])
    def test_at_the_right_margin_below_the_translation(self, numbered: bool) -> None:
        place = RIGHT - width("Tape 3, side A") + 6
        runs = [*line("‘The dogs go.’", 154, 90), *line("Tape 3, side A", 166, place)]
        gloss = self.read(runs, numbered=numbered)
        assert (gloss.translation, gloss.source) == ("The dogs go.", "Tape 3, side A")

    def test_the_sentence_in_another_script_is_none(self) -> None:
        runs = [*line("‘The dogs go.’", 154, 90), *line("Кенот нелало", 165, 90, size=8.0)]
        gloss = self.read(runs, numbered=True)
        assert (gloss.source, gloss.notes) == (None, ("Кенот нелало",))


def test_a_bracket_says_that_a_translation_is_meant() -> None:
    (gloss,) = leaves([*line("(1)", 130), *glossed([("*muv", "go"), *DOGS], 130), *line("(‘The dogs go.’)", 154, 90)])
    assert (gloss.judgement, gloss.translation) == ("*", "The dogs go.")


def italic(runs: list[Run]) -> list[Run]:
    return [run._replace(italic=True) for run in runs]


class TestEmphasis:
    def spans(self, runs: list[Run]) -> list[str]:
        piece = only(read_pieces(page(runs), PROFILE), "paragraph")
        return [piece.text[start:end] for start, end in piece.emphasis]

    def test_cited_words_are_one_stretch_without_the_comma_behind_it(self) -> None:
        runs = [*line("They say", 80), *italic(line("kenot muvir,", 80, 110)), *line("never *", 80, 180)]
        assert self.spans([*runs, *italic(line("muvir kenot.", 80, 230))]) == ["kenot muvir", "muvir kenot."]

    def test_a_stretch_goes_on_over_a_line_end_that_divides_a_word(self) -> None:
        runs = [*line("one two three four five six seven eight nine ten and", 80)]
        runs += [*italic(line("keno nela-", 80, 350)), *italic(line("lomuvi", 80 + LEADING)), *line("is said", 92, 110)]
        assert self.spans(runs) == ["keno nelalomuvi"]

    def test_bold_beside_italics_is_another_stretch(self) -> None:
        runs = [*line("kenot", 80, font="Bold"), *italic(line("muvir", 80, 90)), *line("is said", 80, 130)]
        assert self.spans(runs) == ["kenot", "muvir"]

    def test_a_sign_that_fonts_have_upright_only_belongs_to_its_form(self) -> None:
        form = italic(line("muv-i-", 80, 110))
        runs = [*line("They say", 80), *form, word("∅", form[-1].x1, 80), *line("here", 80, 170)]
        assert self.spans(runs) == ["muv-i-∅"]


class TestSentencesWithoutNumbers:
    def read(self, runs: list[Run]) -> list[Gloss]:
        typed = page([*filled(80), *runs, *filled(450)])
        profile = replace(PROFILE, gloss_styles=learn([typed], 1).gloss_styles)
        pieces = read_pieces(typed, profile)
        return [leaf for piece in pieces if piece.gloss for _, leaf in piece.gloss.leaves()]

    def glossed(self, y: float) -> list[Run]:
        """A sentence in italics over its glosses."""
        runs = glossed(DOGS, y)
        return [run._replace(font="Italic", italic=True) if run.baseline == y else run for run in runs]

    def test_one_in_the_type_of_examples_over_its_translation_is_an_example(self) -> None:
        runs = [run for y in (130, 180, 230) for run in (*self.glossed(y), *line("‘They go.’", y + 24, 90))]
        bare = [*line("Kenot muvir wen!", 280, 90, font="Italic"), *line("‘The dogs went!’", 292, 90)]
        glosses = self.read([*runs, *bare, *line("Vera, in conversation", 303, 90, size=8.0)])
        last = glosses[-1]
        assert len(glosses) == 4
        assert (last.surface, last.translation, last.source) == (
            "Kenot muvir wen!",
            "The dogs went!",
            "Vera, in conversation",
        )

    def test_one_in_the_type_of_the_prose_is_none(self) -> None:
        runs = [run for y in (130, 180, 230) for run in (*self.glossed(y), *line("‘They go.’", y + 24, 90))]
        quoted = [*line("He called out to them:", 280, 90), *line("‘The dogs went!’", 292, 90)]
        assert len(self.read([*runs, *quoted])) == 3

    def test_the_number_of_a_line_in_the_margin_does_not_end_a_sentence(self) -> None:
        first = [("Keno-t", "dog-PL"), ("nela-lo", "river-LOC"), ("te", "and"), ("olda-ma-ri", "yesterday-again-EMPH")]
        first += [("sumak-a-te-li", "fall-PST-3PL-REP"), ("hune-to-mo", "rain-ABL-with")]
        second = [("pando-n", "stone-ACC"), ("por-ak", "carry-PST")]
        runs = [*glossed(first, 130), *line("5", 154, LEFT + 4), *glossed(second, 154)]
        (gloss,) = self.read([*runs, *line("‘The dogs carried stones.’", 178, 90)])
        assert gloss.segmentation == tuple(form for form, _ in [*first, *second])
        assert (gloss.translation, gloss.notes) == ("The dogs carried stones.", ("5",))

    def test_first_words_that_recur_are_no_names_of_lines(self) -> None:
        runs: list[Run] = []
        for index, verb in enumerate([("mu-vir", "go-PRS"), ("su-mak", "fall-PST"), ("por-ak", "carry-PST")]):
            y = 130 + 50 * index
            rows = [[*line("Leopard", y, 90)], [*line("leopard", y + 12, 90)], [*line("CL1", y + 24, 90)]]
            rows[0] += line(verb[0].replace("-", ""), y, 160)
            rows[1] += line(verb[0], y + 12, 160)
            rows[2] += line(verb[1], y + 24, 160)
            runs += [run for row in rows for run in row]
            runs += line("‘So it was.’", y + 36, 90)
        for y in (290, 340, 390):
            runs += [*glossed(DOGS, y, gap=12), *line("‘The dogs go.’", y + 24, 90)]
        assert [gloss.object_line.split()[0] for gloss in self.read(runs)] == ["Leopard"] * 3 + ["keno-t"] * 3


def test_the_sentence_of_an_example_is_whole_where_the_gutter_above_goes_through_it() -> None:
    columns = [run for side in (LEFT, 252) for run in filled(80, 14, side, side + 168)]
    sentence = [word("kenot-ak-a", 180, 318), word("nela-lo", 252, 318), word("muv", 300, 318)]
    glosses = [word("dog-PL-NOM.DEF", 180, 330), word("river-LOC", 252, 330), word("go", 300, 330)]
    runs = [*columns, *filled(270), *sentence, *glosses, *line("‘The dogs go to the river.’", 342, 180)]
    read = [piece.gloss for piece in read_pieces(page(runs), PROFILE) if piece.gloss]
    assert [gloss.segmentation for gloss in read] == [("kenot-ak-a", "nela-lo", "muv")]
