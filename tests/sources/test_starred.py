"""Starred examples of grammars: which sentences and words become pairs, with which partner, and why others do not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from grammar_parts import read_book
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from made_records import make_rule, make_source
from pairwright.core.config import SectionPatterns
from pairwright.core.records import Block, Contrast, Rejection, Source
from pairwright.core.records.rules import Licence
from pairwright.documents.read.reader import learn_book, link, read_pages
from pairwright.languages import load_language, load_tagset
from pairwright.languages.conventions import Conventions, Table, usual_conventions
from pairwright.languages.features import show_demand
from pairwright.languages.linguistics.sentences import WEAK
from pairwright.sources import PROPOSED
from pairwright.sources.grammar.rules.passages import sections_left_out
from pairwright.sources.grammar.starred.forms import NoPairError, starred_variants
from pairwright.sources.grammar.starred.pairs import (
    StarredPair,
    example_rules,
    gloss_demand,
    left_to_examples,
    starred_pairs,
)
from pairwright.sources.grammar.starred.prose import Prose

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sources" / "lt-sample-grammar"
ENGLISH = Prose((), usual_conventions())
LEIPZIG = load_tagset("leipzig")

Read = Callable[..., tuple[list[StarredPair], list[Rejection]]]
Sides = list[tuple[str, str | None]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a Markdown grammar, whose chapter is `Case` unless the text has its own; every quotation must stand in it.

    What else is passed is said in its source.toml, such as `written_in`.
    """

    def pairs(text: str, **said: object) -> tuple[list[StarredPair], list[Rejection]]:
        source, blocks = read_book(tmp_path, text if text.startswith("#") else f"# Case\n\n{text}\n", **said)
        found, rejected = starred_pairs(blocks, conventions=Conventions.of_source(source))
        texts = {block.id: block.text for block in blocks}
        assert all(pair.example.evidence.quote in texts[pair.example.evidence.block_id] for pair in found)
        return found, rejected

    return pairs


def sides(pairs: list[StarredPair]) -> Sides:
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
BUS: Sides = [("Laukiu autobuso.", "Laukiu autobusą.")]
DOG: Sides = [("Bijau šuns.", "Bijau šunį.")]
GLOSS = "\n    wait.PRS.1SG bus.GEN\n    ‘I wait for the bus.’"
BETWEEN = "(2) Mama skaito knygą.\n\n(3) Tėvas rašo laišką."
GOOD, BAD = WANTED = ("Vaikas laukia savo draugo.", "Mergaitė laukia savo draugą.")
CHILD = "\n    ‘The child is waiting for its friend.’"
GLOSSED = f"(1) Vaikas laukia savo draugo.\n    child waits own friend.GEN{CHILD}"
CASES = "| | singular | plural |\n|---|---|---|\n"


def test_a_starred_part_is_read_against_the_part_most_like_it(read: Read) -> None:
    pairs, rejected = read(PARTS)
    assert rejected == []
    [pair] = pairs
    assert sides(pairs) == BUS
    assert (pair.number, pair.example.mark) == ("16b", "*")
    assert pair.example.translation == "I am waiting for the bus."
    assert (pair.example.gloss, pair.example.segmentation) == ("wait.PRS.1SG bus.GEN.SG", None)
    assert [(c.good, c.bad) for c in pair.example.changes] == [("autobuso", "autobusą")]
    assert pair.example.evidence.quote == "*Laukiu autobusą."


@pytest.mark.parametrize(
    ("text", "wanted"),
    {
        "the next example": (
            "(1) *Ji atstovauja mūsų miestą.\n\n(2) Ji atstovauja mūsų miestui.",
            [("Ji atstovauja mūsų miestui.", "Ji atstovauja mūsų miestą.")],
        ),
        "one of the next examples that differs in one place": (
            f"(1) {GOOD}\n\n{BETWEEN}\n\n(4) *Vaikas laukia savo draugą.",
            [(GOOD, "Vaikas laukia savo draugą.")],
        ),
        "items of a list": ("Compare:\n\n- Bijau šuns.\n- \\*Bijau šunį.", DOG),
        "lines of a numbered list": ("Here:\n\n1\\. Bijau šuns.\n\n2\\. \\*Bijau šunį.", DOG),
        "items with translations": ("- Bijau šuns. ‘I fear the dog.’\n- \\*Bijau šunį. ‘I fear the dog.’", DOG),
        "a line before the good one": (f"(1) *Laukiu autobusą.\n    Laukiu autobuso.{GLOSS}", BUS),
        "a line above the gloss": (f"(1) Laukiu autobuso.\n    *Laukiu autobusą.{GLOSS}", BUS),
        "a line after the translation": (f"(1) Laukiu autobuso.{GLOSS}\n    *Laukiu autobusą.", BUS),
        "italics of running text": (
            "One says *Bijau šuns* but never \\**Bijau šunį* in the written language.",
            [("Bijau šuns", "Bijau šunį")],
        ),
        "a star of typesetters": ("(1) a. Laukiu jo.\n    b. ∗Laukiu jam.", [("Laukiu jo.", "Laukiu jam.")]),
        "a bracket that repeats a word": (
            "(1) Ir tėvas (\\*ir) motina miega.",
            [("Ir tėvas motina miega.", "Ir tėvas ir motina miega.")],
        ),
        "the part with the intended meaning": (
            "(3) a. Matau jį namuose.\n    see.1SG him home\n    ‘I see him at home.’\n"
            "    b. Matau jos brolį namuose.\n    see.1SG her brother home\n    ‘I see her brother at home.’\n"
            "    c. *Matau jojį namuose.\n    see.1SG her-him home\n    Intended: ‘I see her brother at home.’",
            [("Matau jos brolį namuose.", "Matau jojį namuose.")],
        ),
        "an example with the intended meaning": (
            f"{GLOSSED}\n\n(2) Mama skaito.\n    mum reads\n    ‘Mum reads.’\n\n"
            f"(3) *Savo draugą laukia vaikas.\n    own friend.ACC waits child{CHILD} (intended)",
            [(GOOD, "Savo draugą laukia vaikas.")],
        ),
        "a neighbour before a farther example with the translation": (
            f"## Genitive\n\n{GLOSSED}\n\n## Accusative\n\n(2) Vaikas čia laukia draugo.\n\n"
            f"(3) *Vaikas čia laukia draugą.\n    child here waits friend.ACC{CHILD}",
            [("Vaikas čia laukia draugo.", "Vaikas čia laukia draugą.")],
        ),
        "the same translation in another section": (
            f"# Case\n\n## Genitive\n\n{GLOSSED}\n\n## Accusative\n\n"
            f"(5) *Vaikas laukia savo draugą.\n    child waits own friend.ACC{CHILD}",
            [(GOOD, "Vaikas laukia savo draugą.")],
        ),
        "rows of a table with one translation": (
            "| Sentence | Translation |\n|---|---|\n| Vaikas laukia draugo | ‘The child waits for a friend’ |\n"
            "| Vaikas lankė draugą | ‘The child visited a friend’ |\n"
            "| \\*Vaikas laukia draugą | ‘The child waits for a friend’ |",
            [("Vaikas laukia draugo", "Vaikas laukia draugą")],
        ),
        "the order of morphemes in one word": (
            "(1) a. nemeduso\n       ne-me-du-so\n       go-NEG-PST-1SG\n       ‘I did not go.’\n"
            "    b. *nedumeso\n       ne-du-me-so\n       go-PST-NEG-1SG",
            [("nemeduso", "nedumeso")],
        ),
        "normal writing beside morphemes alone, whose letters change where they meet": (
            "(1) a. Sa ahos litô.\n       sa a-hos lito=o\n       NEG 3SG-see boat=DEF\n       ‘He saw no boat.’\n"
            "    b. *A-hos sa lito=o.\n       3SG-see NEG boat=DEF\n       ‘He saw no boat.’",
            [("Sa ahos litoo.", "Ahos sa litoo.")],
        ),
        "a word that is a sentence": ("- ni-k-itta ‘I see it.’\n- \\*k-ni-itta ‘I see it.’", [("nikitta", "kniitta")]),
        "the same example before what the prose names": (
            f"(1) {GOOD}\n\n{BETWEEN}\n\n(4) a. Mergaitė laukia savo mamos.\n    b. *{BAD}\n\nUnlike (1), (4b) is out.",
            [("Mergaitė laukia savo mamos.", BAD)],
        ),
        "one that is named by a number that begins with the chapter": (
            "(3-1) Vakar lijo.\n\n(3‑2) Bijau šuns.\n\nIt takes no accusative (compare 3-2):\n\n(3-3) *Bijau šunį.",
            DOG,
        ),
        **{
            "an example that the prose names beside it: " + text: (text, [WANTED])
            for text in (
                f"Unlike (1), the accusative in (4) is bad.\n\n(1) {GOOD}\n\n{BETWEEN}\n\n(4) *{BAD}",
                f"(1) {GOOD}\n\n{BETWEEN}\n\n(4) *{BAD}\n\n(1) is grammatical, (4) is not.",
                f"(1) a. Mama miega.\n    b. {GOOD}\n\n{BETWEEN}\n\n(4) *{BAD}\n\nCompare (4) with (1b).",
                f"(1) {GOOD}\n\n{BETWEEN}\n\nNow compare example 1 with the following.\n\n(4) *{BAD}",
                f"(1) {GOOD}\n\n{BETWEEN}\n\n(4) *{BAD} (cf. (1))",
                f"(1) {GOOD}\n\n{BETWEEN}\n\nExcept for its object, the sentence is the same as (1).\n\n(4) *{BAD}",
            )
        },
    }.values(),
)
def test_the_partner_is_the_nearest_sentence_that_is_like_it(read: Read, text: str, wanted: Sides) -> None:
    assert sides(read(text)[0]) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "(1) Latvian\n    Gaidu autobusu.\n\n(2) Lithuanian\n    *Laukiu autobusu.",
        f"(1) {GOOD}\n\n{BETWEEN}\n\nCompare (1) with (2).\n\n(4) *{BAD}",
        "(1) Vakar lijo visą naktį.\n\n(2) *Mergaitė laukia draugą.\n\nCompare (1) with (2).",
        f"(1) {GOOD}\n\n# Objects\n\n(1) Katė miega.\n\n{BETWEEN}\n\n(4) *{BAD}\n\nCompare (4) with (1).",
        "(1) a. Mačiau kad atėjo vaikas.\n       saw.1SG that came child\n       ‘I saw that the child came.’\n"
        "    b. *Mačiau jį kuris atėjo.\n       saw.1SG him who came\n       ‘Who is he?’",
        "(1) Man šalta.\n    me cold\n    ‘I am cold.’\n\n(2) Mama skaito.\n\n"
        "(3) *Aš šaltas.\n    me cold\n    ‘I am cold.’",
        "The adverb *nur* has no derivatives. There is no word \\**nurlik*, although others in *-lik* exist.",
        "A phrase [NA] has this order, not \\*[N A].",
        "| | Lithuanian | Proto-Baltic |\n|---|---|---|\n| | namas | |\n| | | \\*namos |",
    ],
    ids=[
        *("another language", "a comparison of others", "unlike", "another chapter", "other things are said"),
        *("two ways to say one thing", "italics of an earlier sentence", "no word", "reconstructions"),
    ],
)
def test_what_is_no_partner_makes_no_pair(read: Read, text: str) -> None:
    pairs, rejected = read(text)
    assert pairs == []
    assert len(rejected) == 1


@pytest.mark.parametrize(
    ("line", "good", "bad"),
    [
        ("Jis yra {geras/*geru} vaikas.", "Jis yra geras vaikas.", "Jis yra geru vaikas."),
        ("Jis yra *geru/geras vaikas.", "Jis yra geras vaikas.", "Jis yra geru vaikas."),
        ("*Geru/Geras vaikas žaidžia.", "Geras vaikas žaidžia.", "Geru vaikas žaidžia."),
        ("Einu *(į) mokyklą.", "Einu į mokyklą.", "Einu mokyklą."),
        ("Skaitau (*su) knygą.", "Skaitau knygą.", "Skaitau su knygą."),
        ("*(Mes) ir jūs einate namo.", "Mes ir jūs einate namo.", "Ir jūs einate namo."),
        ("Laukiu autobuso (*autobusą).", "Laukiu autobuso.", "Laukiu autobusą."),
        ("Kerta kirviu (*su kirviu).", "Kerta kirviu.", "Kerta su kirviu."),
        ("Perka gero draugo (*gerą draugą).", "Perka gero draugo.", "Perka gerą draugą."),
        ("Jonas *eini namo, o Petras lieka.", None, None),
    ],
)
def test_variants_inside_one_example(read: Read, line: str, good: str | None, bad: str | None) -> None:
    pairs, rejected = read(f"(4) {line}")
    assert sides(pairs) == ([(good, bad)] if good else [])
    assert len(pairs) + len(rejected) == 1


@pytest.mark.parametrize(
    "line", ["mano knyga / *manęs knyga guli čia", "{*geru/*gero} vaikas", "laukiu autobuso/*-ą rytoj"]
)
def test_variants_of_unknown_extent_or_all_starred_are_refused(line: str) -> None:
    with pytest.raises(NoPairError):
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


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The word goes back to Proto-Baltic \\*wilkas and is old.", "a reconstructed form"),
        ("The word vasara ‘summer’ goes back to \\*vasera, not to a loan.", "a reconstructed form"),
        ("# Sound changes\n\nThe form is namai ‘houses’, not \\*namoi.", "a reconstructed form"),
        ("The word *vilkai* is like \\**vilkos*.", "a single word form"),
        ("The noun namas ‘house’ has the plural \\*namos.", "a single word form"),
        ("There is knyga ‘book’, not \\*namos.", "a single word form"),
        ("- namai ‘houses’\n- \\*namos ‘houses’", "a single word form"),
        ("The plural is namai ‘houses’, not \\*namas.", "a single word form"),
        ("(1) a. namai\n    house.PL\n    ‘to the houses’\n    b. *namos", "a single word form"),
        (
            "(1) a. lupus\n    wolf\n    ‘The wolf.’\n    b. lukus (from *luk ‘wolf’ (Brown 1990))",
            "a reconstructed form",
        ),
        ("| form | |\n|---|---|\n| vilkai | *vilkos |", "a single word form"),
        ("A bound form such as \\*-gi [gi] is not used.", "a bound form"),
        ("The tone is H\\* here.", "a star behind a word or by itself"),
        ("(5) #Rytoj važiuojame Vilniuje.", WEAK["#"]),
        ("(5) %Rytoj važiuojame Vilniuje.", WEAK["%"]),
        ("(5) Jonas eina namo.\n    ‘John goes home.’, *‘Let John go.’", "bad under one reading only"),
        (f"{CASES}| NOM | namas | namai |\n| GEN | namo | namų |\n| | \\*namas | |", "the same form stands unstarred"),
        ("One says Bijau šuns but never \\*Bijau šunį in the written language.", "inline, and nothing shows"),
        ("(1) *Laukiu autobusą.\n\n# Word order\n\n(2) Laukiu autobuso.", "there is no unstarred form next to it"),
        ("(1) *Ji laukia miestą.\n\n(2) Vakar lijo naktį.", "no unstarred neighbour is like it; the nearest"),
        ("(1) a. Laukiu jo. (AB, CD)\n    b. Laukiu jį. (AB, *CD)", "the source's speakers differ about it"),
    ],
)
def test_other_stars_make_no_pair_and_say_why(read: Read, text: str, reason: str) -> None:
    pairs, rejected = read(text)
    assert pairs == []
    assert [why for why in reasons(rejected) if why.startswith(reason)]
    assert all(item.stage == "rules" and item.text for item in rejected)


def test_stars_come_from_the_sections_that_are_read_alone(tmp_path: Path) -> None:
    part = "(1) a. Laukiu autobuso.\n    b. *Laukiu autobusą.\n"
    _, blocks = read_book(tmp_path, f"# 1 Phonology\n\n{part}\n# 2 Case\n\n{part}\n# 3 Order\n\n{part}")
    unread = sections_left_out(blocks, SectionPatterns(exclude=("3*",)), [load_language("en")])
    pairs, rejected = starred_pairs(blocks, left_out=unread)
    assert [pair.section for pair in pairs] == [("2 Case",)]
    assert [why.split(":")[0] for why in reasons(rejected)] == ["its section is not read"] * 2


def test_the_source_of_an_example_is_no_part_of_its_sentence(read: Read) -> None:
    other = "(1) Vakar lijo.\n    yesterday rained\n    ‘It rained yesterday.’ (NF_12)\n\n"
    text = f"{other}(2) a. Laukiu autobuso.\n    wait bus\n    ‘I wait for the bus.’\n    b. *Laukiu autobusą. (NF_12)"
    assert sides(read(text)[0]) == BUS


@pytest.mark.parametrize(
    ("code", "prose", "intended"),
    [
        ("de", "Im Gegensatz zu Beispiel 1 ist (4) ungrammatisch.", "Gemeint"),
        ("fr", "Contrairement à (1), la phrase 4 est agrammaticale.", "Sens voulu"),
        ("lt", "Kitaip nei (1), (4) yra netaisyklingas sakinys.", "Norėta pasakyti"),
    ],
)
def test_references_and_labels_are_read_in_it(read: Read, code: str, prose: str, intended: str) -> None:
    text = f"{prose}\n\n(1) {GOOD}\n\n{BETWEEN}\n\n(4) *{BAD}\n    {intended}: ‘X.’"
    pairs, _ = read(text, written_in=(code,))
    assert sides(pairs) == [WANTED]
    assert pairs[0].example.translation == "X."
    assert pairs[0].introduction is not None
    assert pairs[0].introduction.text == prose


@pytest.mark.parametrize(
    ("own", "text", "wanted"),
    [
        (
            {"words": {"references": ["nr"]}},
            f"(1) {GOOD}\n\n{BETWEEN}\n\nWrong beside nr 1 is (4).\n\n(4) *{BAD}",
            [WANTED],
        ),
        (
            {"examples": {"boundaries": "+"}},
            "- ni+k+itta ‘I see it.’\n- \\*k+ni+itta ‘I see it.’",
            [("nikitta", "kniitta")],
        ),
    ],
)
def test_a_line_of_the_book_s_conventions_adds_words_and_signs(
    tmp_path: Path, own: Table, text: str, wanted: Sides
) -> None:
    source, blocks = read_book(tmp_path, f"# Case\n\n{text}\n")
    assert sides(starred_pairs(blocks, conventions=Conventions.of_source(source))[0]) != wanted
    assert sides(starred_pairs(blocks, conventions=Conventions.of_source(source, own=own))[0]) == wanted


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("as in (12a) and (3.14)", "12 a, 3.14"),
        ("(7a–c, e) show", "7 a, 7 b, 7 c, 7 e"),
        ("example 8bii and sentences (A1)", "8 bii, A1"),
        ("compare 9a with 10", "9 a"),
        ("cf. (4)", "4"),
        ("(3–6) show", "3, 3-6, 6"),
        ("as (4-2b) shows", "2 b, 4, 4-2 b"),
        ("in § 3.2 of 1999", ""),
    ],
)
def test_references_to_examples(text: str, named: str) -> None:
    assert ", ".join(sorted(" ".join(it).strip() for it in ENGLISH.mentions(text))) == named


@given(number=st.integers(1, 999), letter=st.sampled_from("abcdef"), text=st.text("ab (),.-–", max_size=20))
def test_a_number_in_brackets_is_a_reference_in_any_text(number: int, letter: str, text: str) -> None:
    assert ENGLISH.precision(f"{text} ({number}{letter}) {text}", (str(number), letter)) == 2


BUSES = "(1) a. Laukiu autobuso.\n    b. {}Laukiu autobusą."
AS_PAIR = "as a pair: Laukiu autobuso. | Laukiu autobusą."


@pytest.mark.parametrize(
    ("text", "marks", "mark", "reason"),
    [
        *((BUSES.format(mark), {mark: "bad"}, mark, None) for mark in ("?", "#", "!")),
        (BUSES.format("??"), {}, "??", None),
        (BUSES.format("∗"), {}, "*", None),
        ("(1) a. Laukiu autobuso. (AB, CD)\n    b. Laukiu autobusą. (*AB, *CD)", {}, "*", None),
        # A doubtful one makes a guess for a person.
        (BUSES.format("?"), {}, "", AS_PAIR),
        ("(1) Laukiu {autobuso/?autobusą}.", {}, "", AS_PAIR),
        (BUSES.format("(*)"), {}, "", f"marked '(*)': doubtful; {AS_PAIR}"),
        (BUSES.format("??"), {"??": "doubtful"}, "", AS_PAIR),
        (BUSES.format("??"), {"??": "other"}, "", ""),
    ],
)
def test_a_mark_or_speakers_that_agree_call_a_sentence_bad(
    read: Read, text: str, marks: dict[str, str], mark: str, reason: str | None
) -> None:
    pairs, rejected = read(text, marks=marks)
    assert (sides(pairs), [pair.example.mark for pair in pairs]) == ((BUS, [mark]) if mark else ([], []))
    assert len(rejected) == (reason is not None)
    for rejection in rejected:
        assert rejection.reason.endswith(reason or "")
        assert ("as a pair" in rejection.reason) is bool(reason)


def test_a_doubtful_sentence_is_no_good_side(read: Read) -> None:
    pairs, _ = read("(1) a. Laukiu jo.\n    b. (*)Laukiu jį.\n    c. *Laukiu jam.")
    assert sides(pairs) == [("Laukiu jo.", "Laukiu jam.")]


@pytest.mark.parametrize(("mark", "meaning", "message"), [("x", "bad", "is no mark"), ("?", "worse", "can mean")])
def test_what_is_no_mark_or_no_meaning_is_refused(mark: str, meaning: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Source.model_validate(make_source().model_dump() | {"marks": {mark: meaning}})


@pytest.mark.parametrize(
    ("lines", "wanted", "note", "segmentation"),
    [
        (
            ("lauk-iu autobus-o", "", "lauk-iu autobus-ą", ""),
            ("laukiu autobuso", "laukiu autobusą"),
            "cut into morphemes",
            "lauk-iu autobus-o",
        ),
        (
            ("Laukiu autobuso.", "    lauk-iu autobus-o\n", "Laukiu autobusą.", "    lauk-iu autobus-ą\n"),
            ("Laukiu autobuso.", "Laukiu autobusą."),
            "",
            "lauk-iu autobus-o",
        ),
        (("Laukiu autobuso", "", "Laukiu autobusą.", ""), ("Laukiu autobuso", "Laukiu autobusą"), "full stop", None),
    ],
    ids=["only segmented lines", "surface lines", "one full stop"],
)
def test_sentences_are_made_alike_and_the_pair_says_so(
    read: Read, lines: tuple[str, ...], wanted: tuple[str, str], note: str, segmentation: str | None
) -> None:
    good, cut, bad, bad_cut = lines
    pairs, _ = read(
        f"(1) a. {good}\n{cut}    wait-1SG bus-GEN\n    ‘I wait for the bus.’\n"
        f"    b. *{bad}\n{bad_cut}    wait-1SG bus-ACC\n"
    )
    assert sides(pairs) == [wanted]
    assert pairs[0].example.segmentation == segmentation
    assert note in (pairs[0].example.note or "")
    assert bool(pairs[0].example.note) is bool(note)


def test_a_rule_quotes_the_sentence_that_names_the_example(tmp_path: Path) -> None:
    blocks = read_book(tmp_path, PARTS)[1]
    [rule] = example_rules(starred_pairs(blocks)[0], make_source())
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
    [again] = example_rules(starred_pairs(read_book(tmp_path, PARTS)[1])[0], make_source())
    assert again.id == rule.id


TOOL = "(1) a. Kerta kirviu.\n    b. *Kerta su kirviu."


@pytest.mark.parametrize(
    ("text", "quotes"),
    {
        "the sentence that speaks of the differing word": (
            f"The preposition *su* is kept for company. The locative is for places.\n\n{TOOL}",
            ["The preposition su is kept for company."],
        ),
        "a list whose ban stands two paragraphs up": (
            "A tool never takes the preposition su. Materials have another rule.\n\n"
            "Here are two tools, with the translations that our teachers gave us.\n\n"
            "- Kerta kirviu.\n- *Kerta su kirviu.\n",
            ["A tool never takes the preposition su."],
        ),
        "two examples under one introduction": (
            f"Tools never take a preposition, and materials never take a locative.\n\n{TOOL}\n\n"
            "(2) a. Pinta vytele.\n    b. *Pinta vytelėje.",
            ["Tools never take a preposition, and materials never take a locative."],
        ),
        "two examples that one sentence names": (
            f"Tools never take a preposition (1–2).\n\n{TOOL}\n\n(2) a. Rašau pieštuku.\n    b. *Rašau su pieštuku.",
            ["Tools never take a preposition (1–2)."],
        ),
        "a ban of the example before is not one of the next": (
            f"A tool never takes the preposition su.\n\n{TOOL}\n\n"
            "Time has a case of its own in most texts.\n\n(2) a. Grįšiu rytoj.\n    b. *Grįšiu rytoje.",
            ["A tool never takes the preposition su.", "Time has a case of its own in most texts."],
        ),
        "words of a figure are no sentence": (
            f"Tools never take a preposition in this language.\n\nminimal core\n\n{TOOL}",
            ["Tools never take a preposition in this language."],
        ),
        "the ban right behind the sentence that names the example": (
            f"The verb takes a tool (1). The preposition is not possible. It is an old verb.\n\n{TOOL}",
            ["The verb takes a tool (1). The preposition is not possible."],
        ),
        "the sentence before one that only points at examples": (
            f"A tool takes no preposition. Compare (1a) with (1b).\n\n{TOOL}",
            ["A tool takes no preposition."],
        ),
        "a sentence about another starred form introduces no example": (
            f"The verb takes a tool. A bound form such as \\*-gi is never used alone.\n\n{TOOL}",
            ["The verb takes a tool."],
        ),
        "without prose, the starred form": (TOOL, ["*Kerta su kirviu."]),
    }.values(),
)
def test_the_sentence_that_states_the_ban_is_found(read: Read, text: str, quotes: list[str]) -> None:
    assert [rule.quote for rule in example_rules(read(f"# Tools\n\n{text}\n")[0], make_source())] == quotes


@pytest.mark.parametrize(
    ("licence", "notes", "n_kept", "reason"),
    [("banned", (), 0, ""), ("none", (), 0, "speakers differ"), ("none", (f"{PROPOSED}the genitive",), 1, "")],
    ids=["that licenses it", "that says why not", "whose licence a program refused"],
)
def test_a_pair_goes_with_the_rule_that_a_model_rests_on_it(
    tmp_path: Path, licence: Licence, notes: tuple[str, ...], n_kept: int, reason: str
) -> None:
    blocks = read_book(tmp_path, PARTS)[1]
    pairs, _ = starred_pairs(blocks)
    contrast = Contrast(licence=licence, what="speakers differ", evidence=pairs[0].example.evidence)
    examples = tuple(pair.example for pair in pairs)
    stated = make_rule(id="rule", quote="wrong", examples=examples, contrast=contrast, notes=notes)
    kept, rejected = left_to_examples(pairs, [stated], blocks)
    assert len(kept) == n_kept
    assert [item.reason for item in rejected if reason in item.reason] == [item.reason for item in rejected]
    assert len(rejected) == bool(reason)


@pytest.mark.parametrize(
    ("good", "bad", "demand"),
    [
        ("wait.PRS.1SG bus-GEN", "wait.PRS.1SG bus-ACC", ("good: Case=Gen", "bad: Case=Acc")),
        ("children sing-PRS.3PL", "children sing-PRS.3SG", ("good: Number=Plur", "bad: Number=Sing")),
        ("this-GEN letter-GEN.SG", "this-ACC letter-ACC.SG", ("good: Case=Gen", "bad: Case=Acc")),
        ("we.NOM live-1PL", "we.NOM live-3", ("good: Person=1", "bad: Person=3")),
        ("tree-GEN.PL", "tree-NOM.PL", ("good: Case=Gen", "bad: Case=Nom")),
        ("with who.INS talk-PST.2SG", "who.INS talk-PST.2SG with", ()),
        ("dog bark", "dog barks loudly", ()),
        ("go-INF", "go", ()),
        ("in house", "IN house", ()),
        ("bus-GEN go-PRS", "bus-ACC go-PST", ()),
        ("bus-GEN", "bus-GEN", ()),
        ("", "", ()),
    ],
)
def test_a_difference_of_labels_is_demanded_where_it_is_one_alone(good: str, bad: str, demand: tuple[str, ...]) -> None:
    assert show_demand(gloss_demand(good, bad, LEIPZIG)) == demand


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


@given(text=st.text(alphabet="ab *?(){}/[]‘’.\n1-=|#", max_size=120))
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
