"""Which line of a glossed example is the sentence, which its segmentation and which a title."""

import pytest
from typed_pages import PROFILE, filled, line, only, page, tabbed

from pairwright.ingest.layout.reading_order import read_pieces
from pairwright.records import Gloss

SEGMENTED = [(90.0, "šun-ys"), (160, "loj-a"), (230, "kiem-e")]
LABELS = [(90.0, "dog-NOM.PL"), (160, "bark-PRS.3"), (230, "yard-LOC")]


def read(*lines: str) -> Gloss:
    """The example whose first lines are these, above a segmented line, its glosses and a translation."""
    runs = line("(4)", 130)
    for index, text in enumerate(lines):
        runs += line(text, 130 + 12 * index, 90)
    y = 130 + 12 * len(lines)
    runs += [*tabbed(SEGMENTED, y), *tabbed(LABELS, y + 12), *line("‘The dogs bark in the yard.’", y + 24, 90)]
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(y + 60)]), PROFILE), "gloss").gloss
    assert gloss is not None
    return gloss


def test_the_sentence_above_its_segmentation_is_the_surface_line() -> None:
    gloss = read("Šunys loja kieme.")
    assert (gloss.surface, gloss.title, gloss.judgement) == ("Šunys loja kieme.", None, None)
    assert gloss.segmentation == ("šun-ys", "loj-a", "kiem-e")
    assert gloss.translation == "The dogs bark in the yard."


def test_its_star_is_the_judgement_of_the_example() -> None:
    gloss = read("*Šunys loja kieme.")
    assert (gloss.judgement, gloss.surface) == ("*", "Šunys loja kieme.")


def test_a_caption_stays_a_title() -> None:
    gloss = read("Locative with verbs")
    assert (gloss.title, gloss.surface) == ("Locative with verbs", None)
    assert gloss.object_line == "šun-ys loj-a kiem-e"


def test_a_caption_and_a_surface_line_are_told_apart() -> None:
    gloss = read("Locative with verbs", "Šunys loja kieme.")
    assert (gloss.title, gloss.surface) == ("Locative with verbs", "Šunys loja kieme.")


def test_a_surface_line_of_two_rows_is_one_sentence() -> None:
    gloss = read("Šunys loja", "kieme.")
    assert (gloss.title, gloss.surface) == (None, "Šunys loja kieme.")


@pytest.mark.parametrize("second", ["*šuo loju", "šuo loju"])
def test_another_wording_above_the_glosses_is_a_note_with_its_mark(second: str) -> None:
    runs = line("(5)", 130)
    for index, words in enumerate(["šuo loja", second, "dog bark.PRS.3"]):
        runs += tabbed(list(zip((90.0, 140.0), words.split(), strict=True)), 130 + 12 * index)
    runs += line("‘The dog barks.’", 166, 90)
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(200)]), PROFILE), "gloss").gloss
    assert gloss is not None
    assert (gloss.surface, gloss.segmentation, gloss.notes) == (None, ("šuo", "loja"), (second,))


def test_a_translation_right_behind_a_sentence_is_no_part_of_it() -> None:
    runs = line("(6)", 130) + line("Šunys loja. ‘Dogs bark.’", 130, 90)
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(170)]), PROFILE), "example").gloss
    assert gloss is not None
    assert (gloss.surface, gloss.translation) == ("Šunys loja.", "Dogs bark.")


def test_a_sentence_of_two_rows_without_gloss_is_whole() -> None:
    first, second = "Visi kaimo šunys vakar labai garsiai lojo ant mūsų senojo kaimyno", "kurie miegojo."
    runs = line("(7)", 130) + line(f"*{first}", 130, 90) + line(second, 142, 90)
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(170)]), PROFILE), "example").gloss
    assert gloss is not None
    assert (gloss.judgement, gloss.surface) == ("*", f"{first} {second}")


def test_lettered_parts_behind_a_number_of_two_figures_are_an_example() -> None:
    runs = line("(10)", 130) + line("a.", 130, 86) + line("Šunys loja.", 130, 104) + line("‘Dogs bark.’", 142, 104)
    runs += line("b.", 154, 86) + line("*Šunys loju.", 154, 104)
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(190)]), PROFILE), "example").gloss
    assert gloss is not None
    assert [(part.number, part.judgement, part.surface) for part in gloss.parts] == [
        ("a", None, "Šunys loja."),
        ("b", "*", "Šunys loju."),
    ]
