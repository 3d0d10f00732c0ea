"""Which line of a glossed example is the sentence, which its segmentation and which a title."""

from dataclasses import replace

import pytest
from typed_pages import COLUMNS, PROFILE, filled, glossed, line, only, page, tabbed

from pairwright.core.records import Gloss
from pairwright.documents.lines.data import Run
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import read_pieces
from pairwright.languages.conventions import Conventions

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


TONES = ["Âkhwàlú ntá.", "Ùmv’ êlá dî.", "Íʃòmbá gù.", "Ôlyè mbw’ ísà."]
CUT = [("a-ku-alu", "ni-ta"), ("u-mu", "e-la-di"), ("i-so-mba", "gu"), ("o-li-e", "mu-isa")]


def example(number: int, y: float, title: str = "") -> list[Run]:
    """A numbered example of a tone language, whose sandhi its segmentation takes back; perhaps under a title."""
    runs = line(f"({number})", y)
    tops = [*([(title, "Serif")] if title else []), (TONES[number % 4], "Serif-Italic")]
    for text, font in tops:
        runs += [run._replace(font=font, italic=font != "Serif") for run in line(text, y, 90)]
        y += 12
    words, labels = CUT[number % 4], ("3-FUT-see", "SG-go")
    runs += tabbed(list(zip((90.0, 170.0), words, strict=True)), y)
    runs += tabbed(list(zip((90.0, 170.0), labels, strict=True)), y + 12)
    return runs + line("‘They will see.’ NK", y + 24, 90)


def test_the_books_pattern_of_lines_tells_sentences_whose_letters_differ_from_the_segmentation() -> None:
    data = [
        page([*filled(80), *(run for at in range(5) for run in example(5 * number + at + 1, 110 + 64 * at))])
        for number in range(3)
    ]
    profile = learn(data, len(data))
    glosses = [piece.gloss for each in data for piece in read_pieces(each, profile) if piece.gloss]
    assert [gloss.surface for gloss in glosses] == [TONES[number % 4] for number in range(1, 16)]
    assert {(gloss.title, gloss.translation, gloss.source) for gloss in glosses} == {(None, "They will see.", "NK")}
    titled = page([*filled(80), *example(16, 110, "Locative with verbs"), *filled(190)])
    gloss = only(read_pieces(titled, profile), "gloss").gloss
    assert gloss is not None
    assert (gloss.title, gloss.surface) == ("Locative with verbs", TONES[0])


def test_a_line_of_conventions_names_labels_that_nothing_else_tells() -> None:
    runs = line("Ex. 7:", 130) + tabbed(SEGMENTED, 142) + tabbed(LABELS, 154) + line("‘The dogs bark.’", 166, 90)
    pieces = page([*filled(80), *runs, *filled(200)])
    profile = replace(PROFILE, conventions=Conventions.of({"examples": {"number": ["Ex. {n}:"]}}))
    gloss = only(read_pieces(pieces, profile), "gloss").gloss
    assert gloss is not None
    assert (gloss.number, gloss.segmentation) == ("7", tuple(word for _, word in SEGMENTED))


def test_a_word_that_stands_in_no_column_does_not_cost_an_example_its_gloss() -> None:
    runs = line("(8)", 130) + tabbed(SEGMENTED, 130) + line("kartais", 142, 103) + tabbed(LABELS, 154)
    runs += line("‘The dogs bark in the yard.’", 166, 90)
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(200)]), PROFILE), "gloss").gloss
    assert gloss is not None
    assert gloss.glosses == (tuple(word for _, word in LABELS),)
    assert gloss.notes == ("kartais",)


@pytest.mark.parametrize(
    ("line_below", "translation", "source"),
    [
        ("« Les chiens aboient. » — J. R.", "Les chiens aboient.", "J. R."),
        ("« Ils aboient. » (litt. « font du bruit ») — J. R.", "Ils aboient. (litt. « font du bruit »)", "J. R."),
        ("‚Sie bellen.‘ (wörtl. ‚machen Lärm‘) (Brandt 1911)", "Sie bellen. (wörtl. ‚machen Lärm‘)", "Brandt 1911"),
    ],
)  # fmt: skip
def test_a_source_may_stand_behind_a_dash_or_another_wording(line_below: str, translation: str, source: str) -> None:
    runs = line("(9)", 130) + tabbed(SEGMENTED, 130) + tabbed(LABELS, 142) + line(line_below, 154, 90)
    gloss = only(read_pieces(page([*filled(80), *runs, *filled(190)]), PROFILE), "gloss").gloss
    assert gloss is not None
    assert (gloss.translation, gloss.source) == (translation, source)


def lettered(number: int, y: float) -> list[Run]:
    """An example of two parts under bare letters in a column, the second with a mark in a column of its own; a word of
    one letter begins a line."""
    runs = line(f"{number}.", y) + line("a", y, 80)
    runs += line("Akwalu unita.", y, 110) + tabbed([(110.0, "u"), (130, "alu"), (190, "u-nita")], y + 12)
    runs += tabbed([(110.0, "SG"), (130, "see"), (190, "FUT-go")], y + 24) + line("‘They will see.’", y + 36, 110)
    runs += line("b", y + 48, 80) + line("*", y + 48, 98)
    runs += line("Unita akwalu.", y + 48, 110) + tabbed([(110.0, "u-nita"), (170, "a-ku-alu")], y + 60)
    return runs + tabbed([(110.0, "FUT-go"), (170, "3-FUT-see")], y + 72)


def test_a_column_of_bare_letters_is_learned() -> None:
    numbers = [range(first, first + 4) for first in range(1, 13, 4)]
    data = [
        page([*filled(80), *(run for at, number in enumerate(each) for run in lettered(number, 124 + 100 * at))])
        for each in numbers
    ]
    profile = learn(data, len(data))
    glosses = [piece.gloss for each in data for piece in read_pieces(each, profile) if piece.gloss]
    assert [gloss.number for gloss in glosses] == [str(number) for number in range(1, 13)]
    assert {tuple((part.number, part.judgement, part.surface) for part in gloss.parts) for gloss in glosses} == {
        (("a", None, "Akwalu unita."), ("b", "*", "Unita akwalu."))
    }
    assert {gloss.parts[0].segmentation for gloss in glosses} == {("u", "alu", "u-nita")}


def test_an_example_goes_on_under_its_number_on_the_next_page() -> None:
    runs = line("(12) (continued)", 80) + line("b)", 96, 82) + glossed(COLUMNS, 96, 110)
    runs += line("‘The dog barks loudly.’", 120, 110)
    gloss = only(read_pieces(page([*runs, *filled(160)]), PROFILE), "gloss").gloss
    assert gloss is not None
    assert [(gloss.number, part.number, part.segmentation) for part in gloss.parts] == [
        ("12", "b", ("šuo", "loj-a", "garsiai"))
    ]
