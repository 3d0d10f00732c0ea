"""Details of grammars' pages that were once misread, on typed pages that are set here word by word."""

from collections import Counter
from pathlib import Path

import pymupdf
import pytest
from typed_pages import (
    COLUMNS,
    LEADING,
    LEFT,
    PROFILE,
    RIGHT,
    filled,
    glossed,
    kinds,
    line,
    only,
    page,
    tabbed,
    width,
    word,
)

from pairwright.documents.lines.data import PageData, Profile, RuledLine, Run
from pairwright.documents.lines.glyphs import find_forms
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import read_pieces
from pairwright.documents.read.reader import (
    Book,
    PageBlocks,
    ReaderChoice,
    ReadOptions,
    lay_out,
    learn_book,
    link,
    read_pages,
)


def measured(runs: list[Run]) -> list[Run]:
    """Runs as OCR gives them."""
    return [run._replace(confidence=0.9) for run in runs]


class TestExamples:
    def test_a_mark_that_hangs_before_the_column_is_a_judgement(self) -> None:
        runs = [*line("(13)", 130), word("*Ji", 85, 130), word("atstovauja", 140, 130), word("miestą.", 230, 130)]
        runs = [run._replace(xs=(85.0, 90.0, 95.0)) if run.text == "*Ji" else run for run in runs]
        runs += tabbed([(90, "3SG.NOM"), (140, "represent.PRS.3"), (230, "town")], 142)
        piece = only(read_pieces(page([*filled(80), *runs, *filled(170)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.judgement == "*"
        assert piece.gloss.object_line == "Ji atstovauja miestą."
        assert piece.gloss.glosses == (("3SG.NOM", "represent.PRS.3", "town"),)

    def test_what_a_bad_sentence_was_meant_to_say_is_its_translation(self) -> None:
        runs = [*line("(5)", 130), *glossed(COLUMNS, 130), *line("(intended: ‘The dog barks.’)", 154, 90)]
        piece = only(read_pieces(page([*filled(80), *runs, *filled(190)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.translation == "The dog barks."

    def test_a_wrapped_sub_example_without_translation_is_whole(self) -> None:
        runs = [*line("(6)", 130), *line("a.", 130, 90), *line("b.", 130, 280)]
        runs += [*glossed([("dabar", "now"), ("rašau", "write.PRS.1SG")], 130, 110)]
        runs += [*glossed([("dabar", "now"), ("parašau", "PFV.write.PRS.1SG")], 130, 300)]
        runs += [*line("‘I am writing now.’", 154, 110), *glossed([("laišką", "letter.ACC.SG")], 156, 300)]
        piece = only(read_pieces(page([*filled(80), *runs, *filled(200)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.parts[0].translation == "I am writing now."
        assert piece.gloss.parts[1].object_line == "dabar parašau laišką"
        assert piece.gloss.parts[1].glosses == (("now", "PFV.write.PRS.1SG", "letter.ACC.SG"),)


class TestText:
    def test_running_heads_that_name_each_page_anew_are_left_out(self) -> None:
        names = ("nouns", "verbs", "clauses", "negation", "aspect", "voice", "order", "particles")
        pages = [
            page([*line(f"On {name}", 40), *filled(80, 30), *line(str(number), 650, 240)], number=number)
            for number, name in enumerate(names, start=1)
        ]
        profile = learn(pages, len(pages))
        texts = [piece.text for piece in read_pieces(pages[3], profile)]
        assert not any("On negation" in text for text in texts)

    def test_the_first_row_of_each_page_stays_where_there_are_no_running_heads(self) -> None:
        pages = [
            page([*line(f"forms of row {number} that go", 80), *filled(92, 30)], number=number)
            for number in range(1, 9)
        ]
        profile = learn(pages, len(pages))
        assert "forms of row 4 that go" in read_pieces(pages[3], profile)[0].text

    def test_a_compound_that_is_cut_at_its_hyphen_keeps_it(self) -> None:
        runs = [*line("a single and well-", 80), *line("known gram-", 92), *line("mar of it", 104)]
        profile = Profile(
            body_font="Text", body_size=10.0, leading=LEADING, words=frozenset({"well", "known", "grammar"})
        )
        assert [piece.text for piece in read_pieces(page(runs), profile)] == ["a single and well-known grammar of it"]

    def test_a_word_list_is_read_line_by_line(self) -> None:
        entries = [
            "brolis brother",
            "duona bread, rye bread, loaf",
            "eiti go",
            "galva head",
            "kalba language",
            "kirvis axe",
        ]
        runs = [run for index, entry in enumerate(entries) for run in line(entry, 140 + index * LEADING)]
        pieces = read_pieces(page([*filled(80), *runs]), PROFILE)
        assert [piece.text for piece in pieces if piece.kind == "list_item"] == entries

    def test_lines_of_a_paragraph_are_no_list(self) -> None:
        assert kinds(read_pieces(page(filled(80, 12)), PROFILE)) == ["paragraph"]

    def test_columns_whose_rows_do_not_meet_are_read_one_after_the_other(self) -> None:
        left = [run for i in range(20) for run in line(f"abessive case of the noun, {i:02d}", 80 + i * LEADING)]
        right = [run for i in range(20) for run in line(f"numeral stem of a class, {i:02d}", 86 + i * LEADING, 240)]
        text = " ".join(piece.text for piece in read_pieces(page([*left, *right]), PROFILE))
        assert text.index("abessive case of the noun, 19") < text.index("numeral stem of a class, 00")

    def test_notes_in_the_margin_of_a_scan_stand_apart(self) -> None:
        body = [run for i in range(24) for run in filled(100 + i * LEADING, 1)]
        notes = [
            run for i, text in enumerate(("Gene-", "ral", "view")) for run in line(text, 102 + 9 * i, 20, size=7.0)
        ]
        number = line("67.", 100 + 10 * LEADING, 30)
        pieces = read_pieces(page(measured([*body, *notes, *number])), PROFILE)
        assert pieces[-1].text == "General view"
        assert [piece.text[:9] for piece in pieces[:-1]] == ["words wor", "67. words"]


class TestTables:
    RULES = tuple(RuledLine(100, y, 340, y) for y in (140, 156, 194, 220))

    def test_a_label_in_the_middle_of_its_rows_belongs_to_the_first(self) -> None:
        runs = tabbed([(105, "case"), (180, "verb"), (260, "meaning")], 152)
        for index, (verb, meaning) in enumerate([("laukti", "wait"), ("bijoti", "fear"), ("vengti", "avoid")]):
            runs += tabbed([(180, verb), (260, meaning)], 166 + index * LEADING)
        runs += [*line("GEN", 178, 105), *line("DAT", 210, 105)]
        runs += [*tabbed([(180, "padėti"), (260, "help")], 204), *tabbed([(180, "kenkti"), (260, "harm")], 216)]
        table = only(read_pieces(page(runs, list(self.RULES)), PROFILE), "table").table
        assert table is not None
        assert table.cells[1:] == (
            ("GEN", "laukti", "wait"),
            ("", "bijoti", "fear"),
            ("", "vengti", "avoid"),
            ("DAT", "padėti", "help"),
            ("", "kenkti", "harm"),
        )

    def test_a_head_that_is_centred_over_columns_stands_in_the_first_of_them(self) -> None:
        runs = [*line("Active", 152, 215), *tabbed([(105, "tense"), (150, "masc"), (210, "fem"), (270, "neuter")], 164)]
        for index, name in enumerate(("present", "past", "future")):
            runs += tabbed([(105, name), (150, "stem-as"), (210, "stem-a"), (270, "stem-oma")], 182 + index * LEADING)
        rules = [RuledLine(100, y, 315, y) for y in (140, 169, 212)]
        table = only(read_pieces(page(runs, rules), PROFILE), "table").table
        assert table is not None
        assert table.cells[0] == ("", "Active", "", "")


def test_a_fonts_own_superscript_figures_are_known_by_their_width() -> None:
    counts = {("Serif", str(figure), 20 + figure, 514): 30 for figure in range(10)}
    counts |= {("Serif", "1", 86, 307): 4, ("Serif", "2", 87, 480): 4}
    assert find_forms(counts).raised == {("Serif", 86)}  # type: ignore[arg-type]


def forms_of(font: str, widths: dict[str, int], first_glyph: int = 20) -> dict[tuple[str, str, int, int], int]:
    return {(font, char, first_glyph + at, wide): 30 for at, (char, wide) in enumerate(widths.items())}


WIDTHS = {"a": 450, "b": 510, "c": 430, "d": 520, "e": 440, "n": 540, "A": 700, "B": 640, "C": 660, "D": 720, "E": 600}
WIDTHS |= {"N": 740}


def test_small_capitals_raised_letters_and_bold_type_of_one_name_are_told_apart() -> None:
    light, bold = "AAAAAA+Serif", "BBBBBB+Serif"
    counts = forms_of(light, WIDTHS) | forms_of(bold, {char: wide + 40 for char, wide in WIDTHS.items()})
    capitals = {char: int(0.8 * WIDTHS[char.upper()]) for char in "abcden"}
    counts |= dict.fromkeys(forms_of(light, capitals, 60), 5)
    counts[light, "a", 90, 300] = 2
    forms = find_forms(counts)  # type: ignore[arg-type]
    assert forms.heavier == {bold}
    assert forms.raised == {(light, 90)}
    # The one of `b` is as wide as the usual letter.
    assert forms.small == {(light, glyph) for glyph in range(60, 66)}


def test_small_capitals_of_rare_letters_are_known_by_their_neighbours() -> None:
    font = "AAAAAA+Serif"
    counts = forms_of(font, WIDTHS) | dict.fromkeys(
        forms_of(font, {char: int(0.8 * WIDTHS[char.upper()]) for char in "abcden"}, 60), 5
    )
    rare, common = (font, 99), (font, 20)
    beside = Counter({(rare, (font, 60)): 3, (rare, common): 1, (common, (font, 21)): 30})
    assert rare in find_forms(Counter(counts), beside).small
    assert common not in find_forms(Counter(counts), beside).small


def test_subsets_of_one_font_are_no_bold_type_and_have_no_small_capitals() -> None:
    forms = find_forms(forms_of("AAAAAA+Serif", WIDTHS) | forms_of("BBBBBB+Serif", WIDTHS, 60))  # type: ignore[arg-type]
    assert not any(forms)


def test_a_drawn_soft_hyphen_is_a_hyphen(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    document = pymupdf.open()
    sheet = document.new_page(width=480, height=680)
    sheet.insert_text((60, 80), "The gloss dog\u00adNOM stands here.", fontname="helv", fontsize=10)
    document.save(path)
    pieces = [block for found in read_pages(learn_book(path, "grammar", ReadOptions())) for block in found.blocks]
    assert [block.text for block in pieces] == ["The gloss dog-NOM stands here."]


def test_a_scans_running_head_with_its_page_number_is_left_out() -> None:
    head = [*line("The cases", 40, 180), *line("27", 40, 400)]
    data = page(measured([*head, *filled(80, 30, LEFT, RIGHT)]))
    assert isinstance(data, PageData)
    assert not any("The cases" in piece.text for piece in read_pieces(data, PROFILE))


class TestWhatBooksDo:
    def test_examples_with_a_reference_at_the_right_do_not_make_paragraphs_hang(self) -> None:
        runs = []
        for number in range(1, 6):
            y = 60 + number * 60
            runs += [*tabbed([(LEFT, f"({number})"), (90, f"/tama{number}/"), (180, f"tama{number}")], y)]
            runs += [*line("[src:12.3456]", y, RIGHT - width("[src:12.3456]"))]
            runs += tabbed([(90, f"[tama{number}]"), (180, "‘house’")], y + LEADING)
        runs += filled(420, 4)
        pieces = read_pieces(page(runs), PROFILE)
        assert kinds(pieces) == ["example"] * 5 + ["paragraph"]
        assert len(pieces[-1].text.split("words")) > 4 * 10

    def test_beside_a_transcription_the_word_is_the_object_line(self) -> None:
        runs = [*tabbed([(LEFT, "(7)"), (90, "/tama/"), (180, "tamma")], 100), *line("[src:12]", 100, 380)]
        runs += tabbed([(90, "[tamːa]"), (180, "‘house’")], 112)
        gloss = only(read_pieces(page(runs), PROFILE), "example").gloss
        assert gloss is not None
        assert gloss.object_line == "tamma"
        assert gloss.translation == "house"
        assert gloss.notes == ("/tama/", "[tamːa]")

    def test_a_translation_may_stand_beside_the_object_line(self) -> None:
        runs = [*tabbed([(LEFT, "(8)"), (90, "tam-t"), (140, "→"), (160, "tam-tji-t"), (230, "‘build a little’")], 100)]
        runs += tabbed([(90, "build-INF"), (160, "build-DIM-INF")], 112)
        gloss = only(read_pieces(page(runs), PROFILE), "gloss").gloss
        assert gloss is not None
        assert gloss.segmentation == ("tam-t →", "tam-tji-t")
        assert gloss.glosses == (("build-INF", "build-DIM-INF"),)
        assert gloss.translation == "build a little"

    def test_a_root_sign_that_hangs_belongs_to_its_form(self) -> None:
        runs = []
        for index, name in enumerate(("present", "past", "future", "imperative")):
            y = 152 + index * 13.6
            runs += tabbed([(105, name), (180, "tama-n")], y)
            runs += [word("√", 250, y + 3.8), word("-th-1sg", 257.5, y)]
        rules = [RuledLine(100, y, 330, y) for y in (140, 198)]
        table = only(read_pieces(page(runs, rules), PROFILE), "table").table
        assert table is not None
        assert [row[-1] for row in table.cells] == ["√-th-1sg"] * 4


def test_a_paragraph_goes_on_past_a_table_that_floats_and_an_example_in_a_footnote(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    document = pymupdf.open()
    one = document.new_page(width=480, height=680)
    for index in range(30):
        one.insert_text(
            (60, 80 + 13 * index), "The words of this paragraph fill their lines up to the edge", fontsize=11
        )
    one.draw_line((60, 560), (160, 560))
    one.insert_text((60, 575), "1 A note in small letters gives this example:", fontsize=8)
    for x, form, gloss in ((90, "tama", "house"), (150, "moli-n", "see-1SG")):
        one.insert_text((x, 590), form, fontsize=8)
        one.insert_text((x, 600), gloss, fontsize=8)
    one.insert_text((72, 590), "(i)", fontsize=8)
    one.insert_text((90, 610), "‘I see the house.’", fontsize=8)
    two = document.new_page(width=480, height=680)
    two.insert_text((60, 80), "Table 1: Forms", fontsize=9)
    for index, row in enumerate((("case", "form"), ("nom", "tama"), ("gen", "tama-n"), ("dat", "tama-l"))):
        for x, text in zip((60, 160), row, strict=True):
            two.insert_text((x, 104 + 13 * index), text, fontsize=9)
    for y in (94, 108, 148):
        two.draw_line((60, y), (220, y))
    for index in range(20):
        two.insert_text(
            (60, 190 + 13 * index), "and they go on after the table up to the edge of its lines,", fontsize=11
        )
    document.save(path)
    pages = list(link(read_pages(learn_book(path, "grammar"))))
    paragraphs = [block for found in pages for block in found.blocks if block.kind == "paragraph"]
    assert [block.kind for block in pages[1].blocks] == ["caption", "table", "paragraph"]
    assert paragraphs[-1].continues == paragraphs[0].id


def test_each_word_of_a_scan_keeps_how_sure_its_reader_was() -> None:
    runs = [
        run._replace(confidence=0.35 if run.text == "tarna" else 0.97) for run in line("the form tarna is old", 200)
    ]
    book = Book(
        path=Path("x.pdf"), name="x.pdf", source_id="x", sha256="0" * 64, profile=PROFILE, options=ReadOptions()
    )
    read = PageBlocks(page=1, choice=ReaderChoice("ocr", "no text layer"), scan=page(runs))
    [block] = lay_out(read, book).blocks
    assert block.word_confidence == (("the", 0.97), ("form", 0.97), ("tarna", 0.35), ("is", 0.97), ("old", 0.97))
    assert block.confidence == pytest.approx((4 * 0.97 + 0.35) / 5)


def rows_of_table(sheet: pymupdf.Page, top: float, rows: tuple[tuple[str, str], ...]) -> None:
    for index, row in enumerate(rows):
        for x, text in zip((60, 160), row, strict=True):
            sheet.insert_text((x, top + 10 + 13 * index), text, fontsize=9)
    for y in (top, top + 14, top + 13 * len(rows) + 2):
        sheet.draw_line((60, y), (220, y))


@pytest.mark.parametrize(
    ("caption", "goes_on"), [("Table 1: Forms (continued)", True), ("Table 2: Other forms", False)]
)
def test_a_table_goes_on_over_pages_unless_a_caption_begins_a_new_one(
    caption: str, goes_on: bool, tmp_path: Path
) -> None:
    path = tmp_path / "book.pdf"
    document = pymupdf.open()
    rows = (("case", "form"), ("nom", "tama"), ("gen", "tama-n"), ("dat", "tama-l"))
    for text in ("Table 1: Forms", caption):
        sheet = document.new_page(width=480, height=680)
        sheet.insert_text((60, 80), text, fontsize=9)
        rows_of_table(sheet, 94, rows)
    document.save(path)
    pages = link(read_pages(learn_book(path, "grammar")))
    first, second = (block for found in pages for block in found.blocks if block.kind == "table")
    assert second.continues == (first.id if goes_on else None)
