"""Starred examples of grammars: which sentences become pairs, and why the other stars do not."""

import json
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from grammar_parts import read_book
from hypothesis import given
from hypothesis import strategies as st

from made_records import make_source
from pairwright.core.records import Block, Rejection
from pairwright.documents.read.reader import learn_book, link, read_pages
from pairwright.languages.linguistics.marks import WEAK
from pairwright.sources.given import source_candidates
from pairwright.sources.grammar.starred.pairs import StarredPair, example_rules, starred_pairs
from pairwright.sources.grammar.starred.variants import UnclearError, starred_variants

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sources" / "lt-sample-grammar"
BOOKS = ROOT.parent / "shared" / "data" / "grammars"

Read = Callable[[str], tuple[list[StarredPair], list[Rejection]]]


@pytest.fixture
def blocks_of(tmp_path: Path) -> Callable[[str], list[Block]]:
    return lambda text: read_book(tmp_path, text)[1]


@pytest.fixture
def read(blocks_of: Callable[[str], list[Block]]) -> Read:
    """Reads a Markdown grammar; every quotation must stand in its block."""

    def pairs(text: str) -> tuple[list[StarredPair], list[Rejection]]:
        blocks = blocks_of(text)
        found, rejected = starred_pairs(blocks)
        texts = {block.id: block.text for block in blocks}
        assert all(pair.example.evidence.quote in texts[pair.example.evidence.block_id] for pair in found)
        return found, rejected

    return pairs


def sentences(pairs: list[StarredPair]) -> list[tuple[str, str | None]]:
    return [(pair.example.good, pair.example.bad) for pair in pairs]


def reasons(rejected: list[Rejection]) -> list[str]:
    return [item.reason.removeprefix("starred: ") for item in rejected]


PARTS = """\
## 2.1 Verbs with the genitive

Verbs of waiting take the genitive. An accusative is wrong here, as the ungrammaticality of (16b) shows. The next
chapter is about adverbs.

(16) a. Laukiu autobuso.
    wait.PRS.1SG bus.GEN.SG
    ‘I am waiting for the bus.’
    b. *Laukiu autobusą.
    wait.PRS.1SG bus.ACC.SG
    c. Vakar mieste laukiau draugo.
"""


class TestNeighbours:
    def test_a_starred_part_is_read_against_the_part_most_like_it(self, read: Read) -> None:
        pairs, rejected = read(PARTS)
        assert rejected == []
        [pair] = pairs
        assert sentences(pairs) == [("Laukiu autobuso.", "Laukiu autobusą.")]
        assert (pair.number, pair.example.mark) == ("16b", "*")
        assert pair.example.translation == "I am waiting for the bus."
        assert pair.example.gloss == "wait.PRS.1SG bus.GEN.SG"
        assert [(c.good, c.bad) for c in pair.example.changes] == [("autobuso", "autobusą")]
        assert pair.example.evidence.quote == "*Laukiu autobusą."

    def test_the_example_before_or_after_counts_where_it_is_much_alike(self, read: Read) -> None:
        pairs, _ = read("# Case\n\n(1) *Ji atstovauja mūsų miestą.\n\n(2) Ji atstovauja mūsų miestui.\n")
        assert sentences(pairs) == [("Ji atstovauja mūsų miestui.", "Ji atstovauja mūsų miestą.")]
        assert len(pairs[0].block_ids) == 2

    def test_an_unlike_neighbour_makes_no_pair_and_is_named(self, read: Read) -> None:
        pairs, rejected = read("# Case\n\n(1) *Ji atstovauja mūsų miestą.\n\n(2) Vakar lijo visą naktį.\n")
        assert pairs == []
        assert "Vakar lijo visą naktį." in rejected[0].reason

    def test_another_section_is_no_neighbour(self, read: Read) -> None:
        text = "# Case\n\n(1) *Laukiu autobusą.\n\n# Word order\n\n(2) Laukiu autobuso.\n"
        pairs, rejected = read(text)
        assert pairs == []
        assert reasons(rejected) == ["no unstarred form stands beside it"]

    def test_the_part_with_the_intended_meaning_comes_first(self, read: Read) -> None:
        pairs, _ = read(
            "# Clitics\n\n(3) a. Matau jį namuose.\n    see.1SG him home\n    ‘I see him at home.’\n"
            "    b. Matau jos brolį namuose.\n    see.1SG her brother home\n    ‘I see her brother at home.’\n"
            "    c. *Matau jojį namuose.\n    see.1SG her-him home\n    Intended: ‘I see her brother at home.’\n"
        )
        assert [pair.example.good for pair in pairs] == ["Matau jos brolį namuose."]

    def test_another_language_is_no_neighbour(self, read: Read) -> None:
        pairs, _ = read("# Case\n\n(1) Latvian\n    Gaidu autobusu.\n\n(2) Lithuanian\n    *Laukiu autobusu.\n")
        assert pairs == []

    def test_items_of_a_list(self, read: Read) -> None:
        pairs, _ = read("# Case\n\nCompare:\n\n- Bijau šuns.\n- \\*Bijau šunį.\n")
        assert sentences(pairs) == [("Bijau šuns.", "Bijau šunį.")]

    @pytest.mark.parametrize(
        "lines",
        [
            "*Laukiu autobusą.\n    Laukiu autobuso.\n    wait.PRS.1SG bus.GEN\n    ‘I wait for the bus.’",
            "Laukiu autobuso.\n    *Laukiu autobusą.\n    wait.PRS.1SG bus.GEN\n    ‘I wait for the bus.’",
            "Laukiu autobuso.\n    wait.PRS.1SG bus.GEN\n    ‘I wait for the bus.’\n    *Laukiu autobusą.",
        ],
        ids=["before the good one", "above the gloss", "after the translation"],
    )
    def test_the_starred_line_may_stand_anywhere_in_an_example(self, read: Read, lines: str) -> None:
        pairs, _ = read(f"# Case\n\n(1) {lines}\n")
        assert sentences(pairs) == [("Laukiu autobuso.", "Laukiu autobusą.")]

    def test_inline_forms_count_where_the_page_sets_them_off(self, read: Read) -> None:
        pairs, _ = read("# Case\n\nOne says *Bijau šuns* but never \\**Bijau šunį* in the written language.\n")
        assert sentences(pairs) == [("Bijau šuns", "Bijau šunį")]
        pairs, rejected = read("# Case\n\nOne says Bijau šuns but never \\*Bijau šunį in the written language.\n")
        assert pairs == []
        assert reasons(rejected) == ["inline, and nothing shows where the form ends"]


@pytest.mark.parametrize(
    ("line", "good", "bad"),
    [
        ("Jis yra {geras/*geru} vaikas.", "Jis yra geras vaikas.", "Jis yra geru vaikas."),
        ("Jis yra *geru/geras vaikas.", "Jis yra geras vaikas.", "Jis yra geru vaikas."),
        ("*Geru/Geras vaikas žaidžia.", "Geras vaikas žaidžia.", "Geru vaikas žaidžia."),
        ("Einu *(į) mokyklą.", "Einu į mokyklą.", "Einu mokyklą."),
        ("Skaitau (*su) knygą.", "Skaitau knygą.", "Skaitau su knygą."),
        ("*(Mes) ir jūs einate namo.", "Mes ir jūs einate namo.", "Ir jūs einate namo."),
        ("Jonas *eini namo, o Petras lieka.", None, None),
    ],
)
def test_variants_inside_one_example(read: Read, line: str, good: str | None, bad: str | None) -> None:
    pairs, rejected = read(f"# Case\n\n(4) {line}\n")
    assert sentences(pairs) == ([(good, bad)] if good else [])
    assert len(pairs) + len(rejected) == 1


@pytest.mark.parametrize(
    ("line", "good", "bad"),
    [
        ("Laukiu autobuso (*autobusą).", "Laukiu autobuso.", "Laukiu autobusą."),
        ("Kerta kirviu (*su kirviu).", "Kerta kirviu.", "Kerta su kirviu."),
        ("Skaitau (*su) knygą.", "Skaitau knygą.", "Skaitau su knygą."),
        ("Perka gero draugo (*gerą draugą).", "Perka gero draugo.", "Perka gerą draugą."),
    ],
)
def test_a_starred_bracket_replaces_other_forms_of_its_words(line: str, good: str, bad: str) -> None:
    [variant] = starred_variants(line)
    assert (variant.good, variant.bad) == (good, bad)


@pytest.mark.parametrize(
    "line", ["mano knyga / *manęs knyga guli čia", "{*geru/*gero} vaikas", "laukiu autobuso/*-ą rytoj"]
)
def test_variants_of_unknown_extent_or_all_starred_are_refused(line: str) -> None:
    with pytest.raises(UnclearError):
        starred_variants(line)


WORD = st.text(alphabet="abdeikmnostuš", min_size=1, max_size=7)


@given(before=st.lists(WORD, max_size=3), good=WORD, bad=WORD, after=st.lists(WORD, max_size=3))
def test_what_is_put_into_brackets_comes_out(before: list[str], good: str, bad: str, after: list[str]) -> None:
    def around(middle: str) -> str:
        return " ".join(filter(None, [*before, middle, *after]))

    for middle, right, wrong in [
        (f"{{{good}/*{bad}}}", good, bad),
        (f"(*{bad}/{good})", good, bad),
        (f"{good}/??{bad}", good, bad),
        (f"*({good})", good, ""),
    ]:
        [variant] = starred_variants(around(middle))
        assert (variant.good, variant.bad) == (around(right), around(wrong))


class TestOtherStars:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("The word goes back to Proto-Baltic \\*wilkas and is old.", "a reconstructed form"),
            ("The word *vilkai* is like \\**vilkos*.", "a single word form, not a sentence"),
            ("The tone is H\\* here.", "a star behind a word or by itself: the sign of a note, not of a form"),
            (
                "(5) #Rytoj važiuojame Vilniuje.",
                WEAK["#"],
            ),
            ("(5) %Rytoj važiuojame Vilniuje.", WEAK["%"]),
            ("(5) Jonas eina namo.\n    ‘John goes home.’, *‘Let John go.’", "bad under one reading only"),
            ("| form | |\n|---|---|\n| vilkai | *vilkos |", "a single word form, not a sentence"),
        ],
    )
    def test_it_makes_no_pair_and_the_reason_is_kept(self, read: Read, text: str, reason: str) -> None:
        pairs, rejected = read(f"# Words\n\n(4) Rytoj važiuojame į Vilnių.\n\n{text}\n")
        assert pairs == []
        assert reason in reasons(rejected)
        assert all(item.stage == "rules" and item.text for item in rejected)

    def test_speakers_that_differ_make_no_pair_and_speakers_that_agree_do(self, read: Read) -> None:
        text = "# Case\n\n(1) a. Laukiu autobuso mieste. (AB, CD)\n    b. Laukiu autobusą mieste. ({})\n"
        assert sentences(read(text.format("*AB, *CD"))[0]) == [("Laukiu autobuso mieste.", "Laukiu autobusą mieste.")]
        pairs, rejected = read(text.format("AB, *CD"))
        assert pairs == []
        assert reasons(rejected) == ["the source's speakers differ about it"]

    def test_two_question_marks_make_a_pair_that_keeps_its_mark(self, read: Read) -> None:
        pairs, _ = read("# Order\n\n(1) a. Čia tėvo namas.\n    b. ??Čia namas tėvo.\n")
        assert [pair.example.mark for pair in pairs] == ["??"]

    def test_the_stars_of_typesetters_are_stars(self, read: Read) -> None:
        pairs, _ = read("# Case\n\n(1) a. Laukiu jo.\n    b. ∗Laukiu jam.\n")
        assert sentences(pairs) == [("Laukiu jo.", "Laukiu jam.")]
        assert (pairs[0].example.mark, pairs[0].example.evidence.quote) == ("*", "∗Laukiu jam.")


def test_morphemes_are_joined_where_only_they_are_printed_and_the_pair_says_so(read: Read) -> None:
    pairs, _ = read(
        "# Case\n\n(1) a. lauk-iu autobus-o\n    wait-1SG bus-GEN\n    ‘I wait for the bus.’\n"
        "    b. *lauk-iu autobus-ą\n    wait-1SG bus-ACC\n"
    )
    assert sentences(pairs) == [("laukiu autobuso", "laukiu autobusą")]
    assert "cut into morphemes" in (pairs[0].example.note or "")
    assert pairs[0].example.segmentation == "lauk-iu autobus-o"


def test_surface_lines_are_compared_with_surface_lines(read: Read) -> None:
    pairs, _ = read(
        "# Case\n\n(1) a. Laukiu autobuso.\n    lauk-iu autobus-o\n    wait-1SG bus-GEN\n    ‘I wait for the bus.’\n"
        "    b. *Laukiu autobusą.\n    lauk-iu autobus-ą\n    wait-1SG bus-ACC\n"
    )
    assert sentences(pairs) == [("Laukiu autobuso.", "Laukiu autobusą.")]
    assert pairs[0].example.note is None
    assert (pairs[0].example.segmentation, pairs[0].example.gloss) == ("lauk-iu autobus-o", "wait-1SG bus-GEN")


def test_a_sentence_that_the_book_does_not_cut_has_no_morphemes(read: Read) -> None:
    pairs, _ = read(PARTS)
    assert [pair.example.segmentation for pair in pairs] == [None]


class TestRules:
    def test_a_rule_quotes_the_sentence_that_names_the_example(self, blocks_of: Callable[[str], list[Block]]) -> None:
        blocks = blocks_of(PARTS)
        pairs, _ = starred_pairs(blocks)
        [rule] = example_rules(pairs, make_source())
        assert rule.quote == "An accusative is wrong here, as the ungrammaticality of (16b) shows."
        assert rule.description == rule.quote
        assert (rule.code, rule.title) == ("2.1", "Verbs with the genitive")
        assert rule.extracted_by == "examples"
        assert rule.contrast is not None
        assert rule.contrast.licensed
        assert rule.contrast.what == "‘autobuso’, not ‘autobusą’"
        prose = next(block for block in blocks if block.kind == "paragraph")
        assert rule.block_ids == (prose.id,)
        assert rule.quote in prose.text
        assert [block.id for block in blocks if block.gloss] == list(rule.example_ids)

    def test_without_a_name_the_sentence_that_speaks_of_the_differing_word(self, read: Read) -> None:
        pairs, _ = read(
            "# Tools\n\nThe preposition *su* is kept for company. The locative is for places.\n\n"
            "(1) a. Kerta kirviu.\n    b. *Kerta su kirviu.\n"
        )
        [rule] = example_rules(pairs, make_source())
        assert rule.quote == "The preposition su is kept for company."

    @pytest.mark.parametrize(
        ("text", "quotes"),
        [
            pytest.param(
                "A tool never takes the preposition su. Materials have another rule.\n\n"
                "Here are two tools, with the translations that our teachers gave us.\n\n"
                "- Kerta kirviu.\n- *Kerta su kirviu.\n",
                ["A tool never takes the preposition su."],
                id="a list whose ban stands two paragraphs up",
            ),
            pytest.param(
                "Tools never take a preposition, and materials never take a locative.\n\n"
                "(1) a. Kerta kirviu.\n    b. *Kerta su kirviu.\n\n(2) a. Pinta vytele.\n    b. *Pinta vytelėje.\n",
                ["Tools never take a preposition, and materials never take a locative."],
                id="two examples under one introduction",
            ),
            pytest.param(
                "A tool never takes the preposition su.\n\n(1) a. Kerta kirviu.\n    b. *Kerta su kirviu.\n\n"
                "Time has a case of its own in most texts.\n\n(2) a. Grįšiu rytoj.\n    b. *Grįšiu rytoje.\n",
                [
                    "A tool never takes the preposition su.",
                    "Time has a case of its own in most texts.",
                ],
                id="a ban of the example before is not one of the next",
            ),
            pytest.param(
                "Tools never take a preposition in this language.\n\nminimal core\n\n"
                "(1) a. Kerta kirviu.\n    b. *Kerta su kirviu.\n",
                ["Tools never take a preposition in this language."],
                id="words of a figure are no sentence",
            ),
        ],
    )
    def test_the_sentence_that_states_the_ban_is_found(self, read: Read, text: str, quotes: list[str]) -> None:
        pairs, _ = read(f"# Tools\n\n{text}")
        assert [rule.quote for rule in example_rules(pairs, make_source())] == quotes

    def test_without_prose_the_starred_form_is_quoted(self, read: Read) -> None:
        pairs, _ = read("# Tools\n\n(1) a. Kerta kirviu.\n    b. *Kerta su kirviu.\n")
        [rule] = example_rules(pairs, make_source())
        assert rule.quote == "*Kerta su kirviu."

    def test_examples_of_one_sentence_are_one_rule(self, read: Read) -> None:
        pairs, _ = read(
            "# Tools\n\nTools never take a preposition (1–2).\n\n(1) a. Kerta kirviu.\n    b. *Kerta su kirviu.\n\n"
            "(2) a. Rašau pieštuku.\n    b. *Rašau su pieštuku.\n"
        )
        [rule] = example_rules(pairs, make_source())
        assert len(rule.examples) == 2

    def test_ids_stay_when_the_book_is_read_again(self, blocks_of: Callable[[str], list[Block]]) -> None:
        first, again = (
            [rule.id for rule in example_rules(starred_pairs(blocks_of(PARTS))[0], make_source())] for _ in range(2)
        )
        assert first == again


def test_from_a_pdf_to_candidates(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=480, height=680)
    page.insert_text((60, 80), "1 Case", fontname="hebo", fontsize=16)
    prose = [
        "The verb helfen takes the dative. The accusative is ungrammatical with it,",
        "as the contrast in (1) shows.",
    ]
    for line, text in enumerate(prose):
        page.insert_text((60, 110 + 12 * line), text, fontname="tiro", fontsize=10)
    rows = [
        (60, 150, "(1)"), (85, 150, "a."),
        (105, 150, "Ich"), (135, 150, "helfe"), (175, 150, "dem"), (215, 150, "Mann."),
        (105, 162, "I"), (135, 162, "help"), (175, 162, "the.DAT"), (215, 162, "man"),
        (105, 174, "'I help the man.'"),
        (85, 190, "b."), (105, 190, "*Ich"), (135, 190, "helfe"), (175, 190, "den"), (215, 190, "Mann."),
        (105, 202, "I"), (135, 202, "help"), (175, 202, "the.ACC"), (215, 202, "man"),
    ]  # fmt: skip
    for x, y, text in rows:
        page.insert_text((x, y), text, fontname="tiro", fontsize=10)
    path = tmp_path / "grammar.pdf"
    document.save(path)
    blocks = [block for found in link(read_pages(learn_book(path, "grammar"))) for block in found.blocks]
    pairs, rejected = starred_pairs(blocks)
    rules = list(example_rules(pairs, make_source()))
    [candidate] = source_candidates(rules)
    assert rejected == []
    assert (candidate.good, candidate.bad) == ("Ich helfe dem Mann.", "Ich helfe den Mann.")
    assert candidate.translation == "I help the man."
    assert candidate.method == "source"
    assert candidate.evidence.page == 1
    assert rules[0].quote == "The accusative is ungrammatical with it, as the contrast in (1) shows."


def test_every_counterpart_of_the_sample_grammar_is_found() -> None:
    path = SAMPLE / "book.pdf"
    blocks = [block for page in link(read_pages(learn_book(path, "lt-sample-grammar"))) for block in page.blocks]
    truth = [json.loads(line) for line in (SAMPLE / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    examples = {f"{r['number']}{r['letter'] or ''}": r for r in truth if r["kind"] == "gloss" and not r["footnote"]}
    wanted = {
        (examples[record["counterpart"]]["text"], record["text"], record["judgement"])
        for record in examples.values()
        if record["counterpart"] and record["judgement"] in {"*", "??"}
    }
    pairs, _ = starred_pairs(blocks)
    assert {(pair.example.good, pair.example.bad, pair.example.mark) for pair in pairs} == wanted


TEXT = st.text(alphabet="ab *?(){}/[]‘’.\n1-=|#", max_size=120)


@given(text=TEXT)
def test_no_text_breaks_the_reader_and_no_star_is_dropped_in_silence(text: str) -> None:
    blocks = [
        Block(id=f"block-{number}", source_id="g", kind=kind, text=text, file="g.md", page=1, reader="test")
        for number, kind in enumerate(("paragraph", "list_item", "footnote"))
    ]
    pairs, rejected = starred_pairs(blocks)
    assert all(pair.example.good != pair.example.bad for pair in pairs)
    assert all(item.reason for item in rejected)
    assert all(rule.quote for rule in example_rules(pairs, make_source()))
    if "*" in text:
        assert len(pairs) + len(rejected) >= len(blocks)
