"""Tables of grammars' pages: cells of several lines, heads, merged cells, tables side by side, notes below."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_pages import PROFILE, drawn, filled, kinds, line, only, page, rules_drawn, tabbed, width, word

from pairwright.documents.lines.data import RuledLine, Run
from pairwright.documents.lines.rows import Word, split_mark
from pairwright.documents.pages.layout import PagePiece, read_pieces
from pairwright.documents.tables.columns import FoundTable

# Each page has a name, its picture, and its tables. Rows of the head begin with `#`, what a merged cell covers is `·`,
# and `+` tells how many rows follow.
PAGES = """between rules, with its head
──────────────────────
     singular  plural
──────────────────────
nom  nam-as    nam-ai
gen  nam-o     nam-ų
──────────────────────
=> # | singular | plural
+ 2
## a centred head stands in the first of its columns
─────────────────────────────────────────────────────
                       Active
tense          masc          fem          neuter
─────────────────────────────────────────────────────
present        stem-as       stem-a       stem-oma
past           stem-as       stem-a       stem-oma
future         stem-as       stem-a       stem-oma
─────────────────────────────────────────────────────
=> # | Active | · |
# tense | masc | fem | neuter
+ 3
## a rule under a head says what it covers
───────────────────────────────────────────────────────────────────────
                      singular                                  due
                ──────────────────────────────────────
                one             two             one             two
───────────────────────────────────────────────────────────────────────
nom             tama0           tama1           tama2           tama3
gen             tama0           tama1           tama2           tama3
dat             tama0           tama1           tama2           tama3
───────────────────────────────────────────────────────────────────────
=> # | singular | · | · | due
# | one | two | one | two
+ 3
## a label holds for the blank places below it
Person          Number          Form
first           sg              ne
                pl              ner
second          sg              to
                pl              tor
=> Person | Number | Form
first | sg | ne
· | pl | ner
second | sg | to
· | pl | tor
## two rows with a rule under each are the head
────────────────────────────────────────
                     singular
────────────────────────────────────────
                house           tree
────────────────────────────────────────
nom             tama0           moli0
gen             tama1           moli1
────────────────────────────────────────
=> # | singular |
# | house | tree
+ 2
## a rule between groups of rows ends no head
────────────────────────────────────────
nom             tama0           moli0
gen             tama1           moli1
dat             tama2           moli2
nom             tama0           moli0
gen             tama1           moli1
────────────────────────────────────────
nom             tama0           moli0
gen             tama1           moli1
dat             tama2           moli2
────────────────────────────────────────
=> nom | tama0 | moli0
+ 7
## a head that has no room goes on in the next row
───────────────────────────────────────────────
case            after a long    use
                consonant
───────────────────────────────────────────────
nom             tama0           moli0
gen             tama1           moli1
dat             tama2           moli2
───────────────────────────────────────────────
=> # case | after a long consonant | use
+ 3
## a row goes on where a word is cut and the others had no room
─────────────────────────────────────────────────
case            use               place
─────────────────────────────────────────────────
Ergative        agent of a sen-   rare in tales
                tence             of the west
Allative        goal              often
Instrumen-      tool              often
tal
─────────────────────────────────────────────────
=> # case | use | place
Ergative | agent of a sentence | rare in tales of the west
Allative | goal | often
Instrumental | tool | often
## two full rows show the columns over which a cell reaches
──────────────────────────────────────
na        yes    yes    no
ka        yes    yes    no
ro        in questions  no
──────────────────────────────────────
=> na | yes | yes | no
ka | yes | yes | no
ro | in questions | | no
## a translation that is closed does not go on
────────────────────────────────────────────────
sound           form        meaning
────────────────────────────────────────────────
k               tama        ‘to be a house’
                            tamanane
t               moli        ‘tree’
                            molinane
────────────────────────────────────────────────
=> # sound | form | meaning
k | tama | ‘to be a house’
· | | tamanane
t | moli | ‘tree’
· | | molinane
## stacked forms under an empty label stay rows
──────────────────────────────────
form            verb
──────────────────────────────────
infinitive      tama-n
                root-INF
·
past            tamo-li-n
                root-PST-1SG
──────────────────────────────────
=> # form | verb
infinitive | tama-n
· | root-INF
past | tamo-li-n
· | root-PST-1SG
## rules of their own make two tables
───────────────────            ─────────────────────
          one                             many
───────────────────            ─────────────────────
nom       tama                  nom       tamak
gen       taman                 gen       tamakin
dat       tamal                 dat       tamakil
───────────────────            ─────────────────────
=> # | one
+ 3
=> # | many
+ 3
## heads that reach over columns do not hide them
                   labial      dental      velar
                  -v    +v    -v    +v    -v    +v
stop              p     b     t     d     k     g
emphatic                      T     D
fricative         f     v     s     z     x     h
nasal                   m           n
trill                               r
=> # | labial | · | dental | · | velar | ·
# | -v | +v | -v | +v | -v | +v
stop | p | b | t | d | k | g
emphatic | | | T | D | |
+ 3
## two rows apart from the text
          -u        indicative
          -a        subjunctive
=> -u | indicative
-a | subjunctive
## the lines of a table of contents are none
3.1   Nouns and forms . . . . . . . . . . . .   3
4.1   Nouns and forms . . . . . . . . . . . .   4
5.1   Nouns and forms . . . . . . . . . . . .   5
"""
PICTURES = {name: picture for name, _, picture in (part.partition("\n") for part in PAGES.rstrip().split("\n## "))}


def read(runs: list[Run], rules: list[RuledLine] | None = None) -> list[PagePiece]:
    below = max([run.baseline for run in runs] + [rule.y1 for rule in rules or ()]) + 30
    return read_pieces(page([*filled(80), *runs, *filled(below)], rules), PROFILE)


def tables(runs: list[Run], rules: list[RuledLine] | None = None) -> list[FoundTable]:
    return [piece.table for piece in read(runs, rules) if piece.table]


def shown(table: FoundTable) -> list[str]:
    rows = [
        " | ".join(text if box else "·" for text, box in zip(*row, strict=True))
        for row in zip(table.cells, table.boxes, strict=True)
    ]
    return [" ".join(f"{'# ' * (at < table.header_rows)}{row}".split()) for at, row in enumerate(rows)]


@pytest.mark.parametrize("name", PICTURES)
def test_a_table_has_its_cells_and_its_head(name: str) -> None:
    picture, *wanted = PICTURES[name].split("\n=> ")
    found = tables(drawn(picture, 150, 100), rules_drawn(picture, 150, 100))
    for table, (text, _, more) in zip(found, (it.partition("\n+ ") for it in wanted), strict=True):
        rows = text.splitlines()
        assert shown(table)[: len(rows)] == rows
        assert len(table.cells) == len(rows) + int(more or 0)


def across(*heights: float, x0: float = 95, x1: float = 330) -> list[RuledLine]:
    return [RuledLine(x0, y, x1, y) for y in heights]


def down(*places: float, y0: float, y1: float) -> list[RuledLine]:
    return [RuledLine(x, y0, x, y1) for x in places]


def test_a_label_between_rows_names_all_of_them() -> None:
    runs = [*drawn("case           verb            meaning", 152, 105), *line("GEN", 178, 105), *line("DAT", 210, 105)]
    runs += drawn("laukti          wait\nbijoti          fear\nvengti          avoid", 166, 180)
    runs += drawn("padėti          help\nkenkti          harm", 204, 180)
    [table] = tables(runs, across(140, 156, 194, 220, x0=100, x1=340))
    assert [row[0] for row in table.cells] == ["case", "GEN", "", "", "DAT", ""]
    runs = drawn("Stem            Voice           Form", 150, 100)
    for at, stem in enumerate(("basic", "intensive")):
        voices = f"active          zalen{at}\n·\npassive         zulen{at}"
        runs += [*drawn(voices, 164 + 32 * at, 180), *line(stem, 173 + 32 * at, 100)]
    [table] = tables(runs)
    assert [row[:2] for row in table.cells[1:]] == [
        *(("basic", "active"), ("", "passive"), ("intensive", "active"), ("", "passive"))
    ]


def test_merged_cells_of_a_grid_stand_once() -> None:
    runs = drawn("case             form\nnom         nam-as       nam-ai\ngen         nam-o        nam-ų", 150, 105)
    rules = [*across(140, 154, 166, 178, x0=100, x1=300), *down(100, 160, 300, y0=140, y1=178)]
    [table] = tables(runs, [*rules, *down(230, y0=154, y1=178)])
    assert [row.removeprefix("# ") for row in shown(table)] == [
        "case | form | ·",
        "nom | nam-as | nam-ai",
        "gen | nam-o | nam-ų",
    ]
    assert list(table.boxes[0][1] or ()) == [160, 140, 300, 154]


def test_the_head_of_a_grid_reaches_as_far_down_as_a_cell_over_columns_needs() -> None:
    forms = "\n".join(f"k{at}              tama{at}           moli{at}" for at in range(3))
    runs = drawn(f"class           forms\n                one             many\n{forms}", 152, 105)
    rules = [*across(142, *(166 + 12 * at for at in range(4)), x0=100, x1=340), *across(154, x0=180, x1=340)]
    rules += [*down(100, 180, 340, y0=142, y1=202), *down(260, y0=154, y1=202)]
    assert [table.header_rows for table in tables(runs, rules)] == [2]


def test_labels_outside_a_frame_belong_to_its_table() -> None:
    rows = "\n".join(f"{name:10}p{at}            t{at}            k{at}" for at, name in enumerate(("stop", "nasal")))
    runs = drawn(f"          front         back          low\n{rows}", 150, 100)
    frame = [*across(154, 179, x0=128, x1=320), *down(128, 320, y0=154, y1=179)]
    assert [len(row) for table in tables(runs, frame) for row in table.cells] == [4] * 3


def test_columns_are_parted_by_white_where_only_the_first_has_a_rule() -> None:
    runs = drawn("\n".join(f"dir{at}        tama{at}       moli{at}       karu{at}" for at in range(5)), 150, 105)
    frame = [*across(138, 204, x0=100, x1=330), *down(100, 155, 330, y0=138, y1=204)]
    assert tables(runs, frame)[0].cells[2] == ("dir2", "tama2", "moli2", "karu2")


def test_the_rule_under_a_running_head_is_none_of_a_table_of_its_width() -> None:
    rows = drawn("\n".join(f"dir{at}            tama{at}               molin{at}" for at in range(4)), 150, 100)
    runs = [*filled(80, x=95, until=400), *rows]
    pieces = read_pieces(page(runs, across(44, 138, 190, x1=400)), replace(PROFILE, head_below=40.0))
    assert [len(piece.table.cells) for piece in pieces if piece.table] == [4]
    assert pieces[0].kind == "paragraph"


def test_a_root_sign_that_hangs_belongs_to_its_form() -> None:
    runs = []
    for index, name in enumerate(("present", "past", "future", "imperative")):
        y = 152 + index * 13.6
        runs += [*tabbed([(105, name), (180, "tama-n")], y), word("√", 250, y + 3.8), word("-th-1sg", 257.5, y)]
    assert [row[-1] for table in tables(runs, across(140, 198)) for row in table.cells] == ["√-th-1sg"] * 4


@pytest.mark.parametrize(
    ("captions", "kind"), [("Table 1: One  Table 2: Two", "caption"), ("(4) One  (5) Two", "paragraph")]
)
def test_tables_side_by_side_have_their_captions(captions: str, kind: str) -> None:
    one, two = captions.split("  ")
    rows = "nom     tama                  nom     moli\ngen     taman                 gen     molin"
    last = "dat     tamal                 dat     molil"
    pieces = read(drawn(f"{one:30}{two}\n·\n{rows}\n{last}", 148, 100))
    assert kinds(pieces) == ["paragraph", kind, "table", kind, "table", "paragraph"]
    assert {one, two} < {piece.text for piece in pieces}


class TestNotes:
    RULES = across(140, 154, 190)
    PLAIN = "case            house           tree\nnom             tama0           moli0"
    BOOK = drawn(f"{PLAIN}\ngen             tama1           moli1\ndat             tama2           moli2", 150, 100)

    def raised(self, mark: str, after: str, x: float, y: float) -> Run:
        """A small mark right behind a word that begins at `x`."""
        return word(mark, x + width(after), y - 4, 6)

    def note(self, mark: str, text: str, y: float) -> list[Run]:
        return [*([word(mark, 100, y - 3, 5)] if mark else []), *line(text, y, 104 if mark else 100, 8)]

    def table(self, *more: Run, ruled: bool = True) -> FoundTable:
        runs = [*self.BOOK, *more]
        [found] = [piece.table for piece in self.pieces(runs, ruled) if piece.table]
        return found

    def pieces(self, runs: list[Run], ruled: bool = True) -> list[PagePiece]:
        return read_pieces(page([*runs, *filled(240)], self.RULES if ruled else None), PROFILE)

    @pytest.mark.parametrize("mark", ["a", "1"])
    def test_raised_marks_go_from_the_words_to_their_notes(self, mark: str) -> None:
        marked = [self.raised(mark, "moli1", 260, 174), *self.note(mark, "Also molin.", 202)]
        found = self.table(*marked)
        assert found.cells[2] == ("gen", "tama1", "moli1")
        assert [(one.mark, one.text, one.cells) for one in found.notes] == [(mark, "Also molin.", ((2, 2),))]
        text = only(self.pieces([*self.BOOK, *marked]), "table").text
        assert text.splitlines()[2:] == ["gen\ttama1\tmoli1", "dat\ttama2\tmoli2", f"{found.notes[0].printed}"]

    def test_each_mark_begins_a_note_and_a_note_may_have_lines(self) -> None:
        marks = [self.raised("a", "tama0", 180, 162), self.raised("b", "tama2", 180, 186)]
        first = [*self.note("a", "Only of people and of", 198), *line("animals.", 207, 104, 8)]
        found = self.table(*marks, *first, *self.note("b", "Rare.", 216), ruled=False)
        assert [one.printed for one in found.notes] == ["a Only of people and of animals.", "b Rare."]
        assert [row[1] for row in found.cells] == ["house", "tama0", "tama1", "tama2"]

    def test_signs_on_the_line_are_marks_where_a_cell_has_them(self) -> None:
        rows = f"{self.PLAIN}\ngen             tama1*          moli1\n\n* Also tamol."
        [found] = [piece.table for piece in self.pieces(drawn(rows, 150, 100), ruled=False) if piece.table]
        assert (found.cells[2][1], found.notes[0].printed) == ("tama1", "* Also tamol.")

    def test_small_lines_and_labelled_lines_right_below_need_no_mark(self) -> None:
        for text, below in (
            ("Forms of the north.", self.note("", "Forms of the north.", 202)),
            ("Source: own notes.", line("Source: own notes.", 202, 100)),
        ):
            assert [note.printed for note in self.table(*below).notes] == [text]

    def test_text_captions_and_footnotes_below_a_table_are_none_of_its_notes(self) -> None:
        other = self.note("7", "Another mark.", 202)
        footnote = self.note("7", "A footnote of the page.", 640)
        for below in (filled(204), line("Table 3: Cases", 202, 100, 8), footnote, [*other, *filled(220)]):
            assert self.table(*below).notes == ()
        # A mark without a note stays at its word.
        assert self.table(self.raised("2", "moli1", 260, 174)).cells[2][2] == "moli1²"

    @given(st.text("aʰ¹²ᵃᵇ*†,x-", min_size=1, max_size=8))
    def test_a_word_keeps_all_but_the_marks_behind_it(self, text: str) -> None:
        rest, marks = split_mark(Word((word(text, 100, 100),)))
        assert rest is not None
        assert rest.text
        assert text.startswith(rest.text)
        assert bool(marks) == (rest.text != text)
