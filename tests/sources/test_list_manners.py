"""Manners of lists that mark the wrong words in a sentence and give what replaces them."""

import re
import time

import pytest
from list_parts import ReadList, readings


@pytest.mark.parametrize(
    ("line", "bad", "good"),
    [
        ("Er fragt ~~mir~~ → **mich**.", "Er fragt mir.", "Er fragt mich."),
        ("Er fragt ~~mir~~ [mich] oft.", "Er fragt mir oft.", "Er fragt mich oft."),
        ("Es ist [x → y] groß.", "Es ist x groß.", "Es ist y groß."),
        ("Falsch: Sie geht in Schule. – Richtig: … in die Schule.", "Sie geht in Schule.", "? Sie geht in die Schule."),
        ("Er hat es ~~gemacht~~ → getan.", "Er hat es gemacht.", "Er hat es getan."),
        # Refused words are wrong.
        ("Wegen **des Sturms** (nicht: dem Sturm) fiel er.", "Wegen dem Sturm fiel er.", "Wegen des Sturms fiel er."),
        ("Er geht zu **der** (et non *die) Frau.", "Er geht zu die Frau.", "Er geht zu der Frau."),
        ("Er ist älter **als** (nicht wie) ich.", "Er ist älter wie ich.", "Er ist älter als ich."),
        # Struck words without others are a guess.
        ("Er kommt ~~zu~~ heute.", "Er kommt zu heute.", "? Er kommt heute."),
    ],
)  # fmt: skip
def test_marked_words_are_replaced_in_their_sentence(read_list: ReadList, line: str, bad: str, good: str) -> None:
    rules, rejected = read_list(f"- {line}\n", notation=None, language="de")
    assert readings(rules) == [(bad, good.removeprefix("? "), good.startswith("? "))]
    assert rejected == []


ARROWS = [
    ("Wir denken **über** die Prüfung. ➜ an die Prüfung", "Wir denken an die Prüfung."),
    ("**Bei** Mitternacht schlief er. → Um Mitternacht", "Um Mitternacht schlief er."),
    ("Er blieb *für* zwei Tage dort. → Er blieb zwei Tage", "Er blieb zwei Tage dort."),
    ("Sie ist *mehr klein* als er. → Sie ist kleiner als er.", "Sie ist kleiner als er."),
    ("Er half **seine** Schwester. → seiner Schwester (helfen + Dativ)", "Er half seiner Schwester."),
]
VERDICTS = [
    ("Er kam **bei** Montag – ugs., = am", "Er kam am Montag."),
    ("Sie fährt **in** Bern – ugs., nach", "Sie fährt nach Bern."),
    ("Er sah **ihm** – ugs.: ihn", "Er sah ihn."),
]
# Right words in italics behind a verdict.
ITALICS = [
    ("Senis ėjo **miške** pasivaikščioti. — T. b. *į mišką*.", "Senis ėjo į mišką pasivaikščioti."),
    ("Mama **padarė** vakarienę. — T. b. *išvirė*.", "Mama išvirė vakarienę."),
    ("Upė **neša** šiukšles. — Geriau *plukdo*.", "Upė plukdo šiukšles."),
]


@pytest.mark.parametrize(("lines", "language"), [(ARROWS, "de"), (VERDICTS, "de"), (ITALICS, "lt")])
def test_a_manner_that_the_list_often_shows_is_certain(
    read_list: ReadList, lines: list[tuple[str, str]], language: str
) -> None:
    rules, rejected = read_list("".join(f"- {line}\n" for line, _ in lines), notation=None, language=language)
    assert [(good, uncertain) for _, good, uncertain in readings(rules)] == [(good, False) for _, good in lines]
    assert rejected == []


@pytest.mark.parametrize(("line", "good"), ARROWS)
def test_a_manner_that_the_list_shows_rarely_is_a_guess(read_list: ReadList, line: str, good: str) -> None:
    rules, _ = read_list(f"- {line}\n", notation=None, language="de")
    assert [each[1:] for each in readings(rules)] == [(good, True)]


def test_lines_are_entries_where_the_next_word_would_have_fitted_them(read_list: ReadList) -> None:
    lines = (
        "für – Er dankt um Hilfe (= für Hilfe).",
        "an – Sie denkt zu ihn (= an ihn).",
        "bei – Er hilft an Arbeit und beim Einkauf (= bei Arbeit).",
    )
    rules, _ = read_list("\n".join(lines), notation=None, language="de")
    assert [bad for bad, *_ in readings(rules)] == [
        "Er dankt um Hilfe.",
        "Sie denkt zu ihn.",
        "Er hilft an Arbeit und beim Einkauf.",
    ]
    wrapped = "Er dankt seinem Bruder sehr um Hilfe (= für\nHilfe) bei allem, was\nihm in dieser langen Woche geschah."
    rules, _ = read_list(wrapped, notation=None, language="de")
    assert len(readings(rules)) == 1


@pytest.mark.parametrize(
    ("before", "between", "last", "swapped", "uncertain"),
    [
        ("Falsch:", "Richtig:", "oder:", False, False),
        ("So schreibt man:", "Nicht:", "nicht", True, False),
        ("Aus einem Brief:", "Daraus wird:", "auch", False, True),
    ],
    ids=["the wrong one first", "the right one first", "without words that say it"],
)
def test_wrong_and_right_sentences_that_prose_sets_off_are_pairs(
    read_list: ReadList, before: str, between: str, last: str, swapped: bool, uncertain: bool
) -> None:
    one, two = ("Ich warte an dich.", "Ich warte auf dich."), ("Sie half mich oft.", "Sie half mir oft.")
    sides = [pair[::-1] if swapped else pair for pair in (one, two)]
    (a, b), (c, d) = sides
    text = f"Manche Verben sind anders. {before} *{a}* {between} **{b}** Ebenso *helfen*. "
    text += f"{before} *{c}* {between} **{d}**\n\n"
    rules, rejected = read_list(f"{text}Gut ist auch {last} **Er kam gestern.**\n", notation=None, language="de")
    assert readings(rules) == [(*pair, uncertain) for pair in (one, two)]
    assert not any(pair[0] in each.text for pair in (one, two) for each in rejected)


def test_each_wrong_sentence_behind_a_right_one_makes_a_pair(read_list: ReadList) -> None:
    right, wrongs = "Ich warte auf dich.", ("Ich warte an dich.", "Ich warte über dich.")
    text = f"Man schreibt *{right}* Nicht: *{wrongs[0]}* Nicht: *{wrongs[1]}*\n\nSie half mich (= mir).\n"
    rules, _ = read_list(text, notation=None, language="de")
    assert readings(rules)[:2] == [(wrong, right, False) for wrong in wrongs]


@pytest.mark.parametrize(
    ("item", "pairs"),
    [
        ("1. Falsch ist „Er hilft den Kind“, es heißt „dem Kind“.", [("Er hilft den Kind.", "Er hilft dem Kind.")]),
        ("1. \\*Er hilft den Kind.\\\n   Skriv: dem Kind", [("Er hilft den Kind.", "Er hilft dem Kind.")]),
    ],
    ids=["set off", "after a label"],
)
def test_words_behind_a_sentence_correct_it_where_most_items_have_such(
    read_list: ReadList, item: str, pairs: list[tuple[str, str]]
) -> None:
    nouns = ("Kind", "Mann", "Hund")
    text = "\n".join(item.replace("Kind", noun).replace("1.", f"{n}.") for n, noun in enumerate(nouns, 1))
    rules, _ = read_list(f"{text}\n", notation=None, language="de")
    assert [pair[:2] for pair in readings(rules)] == [
        tuple(side.replace("Kind", noun) for side in pair) for noun in nouns for pair in pairs
    ]


def test_what_stands_before_a_quoted_sentence_is_no_part_of_it(read_list: ReadList) -> None:
    lines = [
        f"- {n} KAS »Sie hilft *{word}* oft.« → *dem {word}*\n" for n, word in enumerate(("Kind", "Mann", "Hund"), 1)
    ]
    rules, _ = read_list("".join(lines), notation=None, language="de")
    assert readings(rules) == [
        (f"Sie hilft {word} oft.", f"Sie hilft dem {word} oft.", False) for word in ("Kind", "Mann", "Hund")
    ]


def test_a_sign_before_a_sentence_is_no_part_of_it(read_list: ReadList) -> None:
    lines = [f"- ✓ Sie hilft **dem {word}** oft. — nicht: *{word}*\n" for word in ("Kind", "Mann", "Hund")]
    rules, _ = read_list("".join(lines), notation=None, language="de")
    assert readings(rules) == [
        (f"Sie hilft {word} oft.", f"Sie hilft dem {word} oft.", False) for word in ("Kind", "Mann", "Hund")
    ]


def test_a_column_of_numbers_before_the_sentences_does_not_count(read_list: ReadList) -> None:
    rows = ((f"Sie hilft der {word}.", f"Sie hilft dem {word}.") for word in ("Kind", "Mann", "Hund"))
    extra = "| 4 | Sie hilft der Herr. | Sie hilft dem Herrn. auch: dem Mann. | |\n"
    table = "".join(f"| {n} | {wrong} | {right} | Dativ |\n" for n, (wrong, right) in enumerate(rows, 1))
    rules, _ = read_list(
        f"| Nr. | Man liest | Es muss heißen | Hinweis |\n|---|---|---|---|\n{table}{extra}",
        notation=None,
        language="de",
    )
    *found, (_, _, is_more_unsure) = readings(rules)
    assert [(bad, good) for bad, good, _ in found] == [
        (f"Sie hilft der {word}.", f"Sie hilft dem {word}.") for word in ("Kind", "Mann", "Hund")
    ]
    # What follows the right sentence may be another.
    assert is_more_unsure


def test_a_label_between_quoted_sentences_is_read(read_list: ReadList) -> None:
    rules, _ = read_list(
        "- „Ich habe viele Hunger.“ – richtig: „Ich habe viel Hunger.“\n", notation=None, language="de"
    )
    assert readings(rules) == [("Ich habe viele Hunger.", "Ich habe viel Hunger.", False)]


SIGNS = {"colon": ("„{}“", ": {}"), "bracket": ("**{}**", " ({})"), "dash": ("*{}*", " – {}")}


@pytest.mark.parametrize("name", SIGNS)
def test_a_sign_that_may_mean_something_else_counts_where_most_lines_have_it(read_list: ReadList, name: str) -> None:
    mark, sign = SIGNS[name]
    words = (
        ("Er sieht", "der", "Hund", "den"),
        ("Wir holen", "der", "Wagen", "den"),
        ("Sie kennt", "das", "Mann", "den"),
    )
    lines = [
        f"- {opening} {mark.format(wrong)} {noun} oft{sign.format(right)}\n" for opening, wrong, noun, right in words
    ]
    rules, _ = read_list("".join(lines), notation=None, language="de")
    expected = [(f"{o} {wrong} {noun} oft.", f"{o} {right} {noun} oft.", False) for o, wrong, noun, right in words]
    assert readings(rules) == expected
    single, _ = read_list(f"Wrong: She run. Right: She runs.\n\n{lines[0]}", notation=None, language="de")
    assert [bad for bad, *_ in readings(single)] == ["She run."]


def test_marked_words_before_square_brackets_are_replaced_where_most_lines_have_them(read_list: ReadList) -> None:
    lines = (
        "- Er wartet **bei** [auf] dich.\n- Sie blieb **für** [Ø] zwei Tage.\n"
        "- Er fragt **mir** [mich] oft.\n- Er half **den** [dem / einem] Kind.\n"
    )
    rules, rejected = read_list(lines, notation=None, language="de")
    assert {(bad, good) for bad, good, uncertain in readings(rules) if not uncertain} == {
        ("Er wartet bei dich.", "Er wartet auf dich."),
        ("Sie blieb für zwei Tage.", "Sie blieb zwei Tage."),
        ("Er fragt mir oft.", "Er fragt mich oft."),
        ("Er half den Kind.", "Er half dem Kind."),
        ("Er half den Kind.", "Er half einem Kind."),
    }
    assert rejected == []
    first, _ = read_list(f"{lines}- **mir** [mich] fragt er heute oft.\n", notation=None, language="de")
    assert readings(first)[-1][1] == "mich fragt er heute oft."
    rare, _ = read_list("- **Wagen** [Auto] sind teuer.\n- Er half den (= dem) Kind.\n", notation=None, language="de")
    assert [bad for bad, *_ in readings(rare)] == ["Er half den Kind."]


SIGNED = [
    ("Wir warten <u>den Bus</u> [{} auf den Bus].", "Wir warten auf den Bus."),
    ("Er hilft <u>den Mann</u> [{} dem Mann] oft.", "Er hilft dem Mann oft."),
    ("Sie folgt <u>den Weg</u> [{} dem Weg, auch so: den Wegen].", "Sie folgt dem Weg."),
    ("a) Er dankt <u>den Freund</u> [{} dem Freund]; b) Sie glaubt <u>den Vater</u> [{} dem Vater].",
     "Er dankt dem Freund."),
    ("§ 12. Wir trauen <u>das Kind</u> [{} dem Kind].", "Wir trauen dem Kind."),
]  # fmt: skip


@pytest.mark.parametrize(("sign", "uncertain"), [("richt.", False), ("korr.", True)])
def test_a_sign_that_opens_most_brackets_of_a_list_is_learned(read_list: ReadList, sign: str, uncertain: bool) -> None:
    text = "\n\n".join(line.replace("{}", sign) for line, _ in SIGNED)
    rules, rejected = read_list(text, notation=None, language="de")
    found = {good: is_uncertain for _, good, is_uncertain in readings(rules)}
    assert {good: found.get(good) for _, good in SIGNED} == {good: uncertain for _, good in SIGNED}
    assert {"Sie folgt den Wegen.", "Sie glaubt dem Vater."} <= found.keys()
    assert [sign in item.reason for item in rejected] == [True] * uncertain


SET_OFF = [
    ("[1] *Bus* – Wir warten †den Bus†. {} ›auf den Bus‹. N. Nie *den*.", "Wir warten auf den Bus."),
    ("[2] helfen – Er hilft †den Mann† oft. {} ›dem Mann‹.", "Er hilft dem Mann oft."),
    ("[3] Weg und Steg – Sie folgt †den Weg†. {} ›dem Weg‹ od. ›den Wegen‹.", "Sie folgt dem Weg."),
    ("Er dankt †den Freund†. {} ›dem Freund‹.", "Er dankt dem Freund."),
    ("Der Bus hält hier. non not.", None),
]  # fmt: skip


# A wrong word, the right one, the sentence around them; then how manners mark them, what follows, and what explains it.
WORDS = [
    ("den", "dem", "Er hilft {} Mann oft."),
    ("ihm", "ihn", "Wir fragen {} heute."),
    ("das", "den", "Sie kennt {} Weg."),
]
MANNERS = {
    # The sentence is printed as it should be, and the wrong words are refused.
    "behind, in a bracket": ("*{r}*", " [ej »{w}«]", ""),
    "behind, with a label": ("**{r}**", " — Ei: *{w}*.", ""),
    "beside, in a bracket": ("**{r}** (nie: *{w}*)", "", ""),
    "with a sign": ("**{r}**", " (No ⊗*{w}*.)", ""),
    "explained": ("*{r}*", " — n. ‘{w}’", "Behind *n.* (= niet) stands what is wrong."),
    "by a typist": ("={r}= /ne {w}/", "", ""),
    "struck": ("*{r}*", " (NOT ~~{w}~~)", ""),
    # It is printed as it should not be.
    "signs beside words": ("●*{w}* **{r}**", "", ""),
    "signs of one's own": ("×**{w}**", " ‖ t. *{r}*", "t. – taisytina; plg. – compare"),
    "a label that is marked": ("“{w}”", " — *Em.* *{r}*.", "*Em.*: emenda."),
    "words repeated": ("*{w}*", " [*{w}* y. **{r}**]", "y.: yerine"),
}


@pytest.mark.parametrize("name", MANNERS)
def test_a_list_is_read_in_its_own_manner(read_list: ReadList, name: str) -> None:
    mark, behind, legend = MANNERS[name]
    lines = [(text.format(mark) + behind).format(w=wrong, r=right) for wrong, right, text in WORDS]
    rules, _ = read_list("\n\n".join([legend, *(f"- {line}" for line in lines)]), notation=None, language="de")
    assert readings(rules) == [(text.format(wrong), text.format(right), False) for wrong, right, text in WORDS]


def test_each_of_several_refused_words_makes_a_sentence(read_list: ReadList) -> None:
    lines = "".join(f"- {text.format(f'*{right}*')} [ej »{wrong}«, »des«]\n" for wrong, right, text in WORDS)
    found = readings(read_list(lines, notation=None, language="de")[0])
    wanted = [(text.format(bad), text.format(right)) for wrong, right, text in WORDS for bad in (wrong, "des")]
    assert [pair[:2] for pair in found] == wanted


def test_words_before_which_a_list_does_not_say_what_they_are_make_guesses_and_are_named(read_list: ReadList) -> None:
    lines = "".join(f"- {text.format(f'*{one}*')} — Zz. *{two}*.\n" for one, two, text in WORDS)
    rules, rejected = read_list(lines, notation=None, language="de")
    assert [uncertain for *_, uncertain in readings(rules)] == [True] * 3
    assert any("Zz." in item.reason for item in rejected)


ENTRIES = [
    ("Er kommt **am** (nie: *im*) Montag.", [("Er kommt im Montag.", "Er kommt am Montag.")]),
    ("Er **wartet** a. **harrt** (nie: *lauert*) dort.",
     [("Er lauert dort.", "Er wartet dort."), ("Er lauert dort.", "Er harrt dort.")]),
    ("**Der Hund** bellt. (nie: *den Hund*)", [("Den Hund bellt.", "Der Hund bellt.")]),
    ("Sie **gibt** ihm **den** Rat. (nie: *geben*; *der*)",
     [("Sie geben ihm den Rat.", "Sie gibt ihm den Rat."), ("Sie gibt ihm der Rat.", "Sie gibt ihm den Rat."),
      ("Sie geben ihm der Rat.", "Sie gibt ihm den Rat.")]),
    ("Alle Kind**er** (nie: *-en*) lachen.", [("Alle Kinden lachen.", "Alle Kinder lachen.")]),
]  # fmt: skip


def test_entries_name_other_words_several_mistakes_and_endings(read_list: ReadList) -> None:
    text = "a. – albo\n\n" + "".join(f"- {line}\n" for line, _ in ENTRIES)
    found = [
        (bad, good)
        for bad, good, uncertain in readings(read_list(text, notation=None, language="de")[0])
        if not uncertain
    ]
    assert sorted(found) == sorted(pair for _, pairs in ENTRIES for pair in pairs)


@pytest.mark.parametrize(("verdict", "uncertain"), [("recte", False), ("obl.", True), ("nicht", None)])
def test_signs_that_set_words_off_in_most_lines_are_learned(
    read_list: ReadList, verdict: str, uncertain: bool | None
) -> None:
    text = "\n\n".join(line.replace("{}", verdict) for line, _ in SET_OFF) + "\n\nEr half den (= dem) Kind.\n"
    found = {good: is_uncertain for _, good, is_uncertain in readings(read_list(text, notation=None, language="de")[0])}
    wanted = {good: uncertain for _, good in SET_OFF if good and uncertain is not None}
    assert {good: found.get(good) for good in wanted} == wanted
    assert found.keys() >= {"Er half dem Kind."}
    assert ("Sie folgt den Wegen." in found) is (uncertain is not None)
    assert not any("†" in good or "–" in good for good in found)


def test_a_sign_that_stands_behind_marked_words_in_most_lines_is_learned(read_list: ReadList) -> None:
    text = (
        "I/1 ● **warten** *auf wen*: Wir warten ›den Bus‹. ‖ auf den Bus\n\n"
        "I/2 ● **helfen**: Er hilft ›den Mann‹ oft. ‖ dem Mann / den Männern\n\na) ○ Wir danken ›sie‹. ‖ ihnen\n\n"
        "b) ○ Er kennt den ›Jungem‹. ‖ -en\n\n"
        "Sie gab ›den Kind‹ ›das Apfel‹. ‖ dem Kind … den Apfel\n"
    )
    rules, rejected = read_list(text, notation=None, language="de")
    assert {(good, uncertain) for _, good, uncertain in readings(rules)} >= {
        ("Wir warten auf den Bus.", False),
        ("Er hilft dem Mann oft.", False),
        ("Er hilft den Männern oft.", False),
        ("Wir danken ihnen.", False),
        ("Er kennt den Jungen.", False),
        ("Sie gab dem Kind den Apfel.", False),
    }
    assert rejected == []


@pytest.mark.parametrize("sign", ["nicht:", "vgl.", "pl."])
def test_a_sign_that_refuses_or_refers_is_none_of_a_correction(read_list: ReadList, sign: str) -> None:
    text = "\n\n".join(line.replace("{}", sign) for line, _ in SIGNED) + "\n\nEr half den (= dem) Kind.\n"
    rules, _ = read_list(text, notation=None, language="de")
    assert not {good for _, good in SIGNED} & {good for _, good, is_uncertain in readings(rules) if not is_uncertain}


def test_each_section_may_have_its_own_manner(read_list: ReadList) -> None:
    text = (
        "# A\n\n- Er wartet **bei** dich. → auf dich\n\n# B\n\n"
        "✗ Er schläft immer gut nicht.\n✓ Er schläft nicht immer gut.\n"
        "\n# C\n\n- Er [hat → ist] gegangen.\n"
    )
    rules, rejected = read_list(text, notation=None, language="de")
    assert [(rule.title, rule.examples[0].good) for rule in rules] == [
        ("A", "Er wartet auf dich."), ("B", "Er schläft nicht immer gut."), ("C", "Er ist gegangen."),
    ]  # fmt: skip
    assert rejected == []


def test_verdicts_of_editors_are_no_correction_and_lines_that_give_nothing_are_named(read_list: ReadList) -> None:
    verdicts = "".join(f"- Er kam **{word}** Montag – ugs.\n" for word in ("bei", "zu", "in"))
    rules, rejected = read_list(f"{verdicts}- Er sah ihm (= ihn).\n", notation=None, language="de")
    assert [bad for bad, *_ in readings(rules)] == ["Er sah ihm."]
    assert [item.line for item in rejected] == [1]
    assert "1, 2, 3" in rejected[0].reason


def test_wordings_on_both_sides_may_be_quoted_cut_short_or_several(read_list: ReadList) -> None:
    lines = (
        "Nicht: „Heute er kommt nicht.“ Sondern: „Heute kommt er nicht.“ Oder: „Er kommt heute nicht.“",
        "Nicht: „Sie fragt, ob er kommt morgen.“ Sondern: „… ob er morgen kommt.“",
        "Nicht: „Der Hund bellte laut den Mann an.“ Sondern: „… gegen den Mann.“",
        "Nicht: *eine Frage machen*. Sondern: *eine Frage stellen* oder *fragen*.",
    )
    rules, _ = read_list("".join(f"- {line}\n" for line in lines), notation=None, language="de")
    found = readings(rules)
    assert found[:3] == [
        ("Heute er kommt nicht.", "Heute kommt er nicht.", False),
        ("Heute er kommt nicht.", "Er kommt heute nicht.", False),
        ("Sie fragt, ob er kommt morgen.", "Sie fragt, ob er morgen kommt.", True),
    ]
    assert [uncertain for bad, _, uncertain in found if "Hund" in bad] == [True]
    assert [each[1:] for each in found if "machen" in each[0]] == [("eine Frage stellen oder fragen.", True)]


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("- Er wartet **bei** [auf] dich.\n- Er fragt **mir** [mich] oft.\n- Er half **den** [dem] Kind.\n",
         ["Er wartet bei [auf] dich.", "Er fragt mir [mich] oft.", "Er half den [dem] Kind."]),
        ("- Er hat ~~gemacht~~ → **getan**. Er fragt ~~mir~~ → **mich**.\n",
         ["Er hat ~~gemacht~~ → getan. Er fragt ~~mir~~ → mich."] * 2),
        ("für – Er dankt [um → für] Hilfe.\nan – Sie denkt [zu → an] ihn.\n"
         "bei – Er hilft [an → bei] Arbeit und beim Einkauf.\n",
         ["für – Er dankt [um → für] Hilfe.", "an – Sie denkt [zu → an] ihn.",
          "bei – Er hilft [an → bei] Arbeit und beim Einkauf."]),
        ("- Er half den (= dem) Kind. Er [fragte → bat] mich.\n",
         ["Er half den (= dem) Kind.", "Er half den (= dem) Kind. Er [fragte → bat] mich."]),
    ],
)  # fmt: skip
def test_a_quotation_has_the_letters_of_the_list(read_list: ReadList, text: str, quotes: list[str]) -> None:
    rules, _ = read_list(text, notation=None, language="de")
    found = [(each.evidence.quote, each.evidence.line) for rule in rules for each in rule.examples]
    assert [quote for quote, _ in found] == quotes
    lines = [re.sub(r"^- |\*\*", "", line) for line in text.splitlines()]
    assert all(quote in lines[(line or 0) - 1] for quote, line in found)


@pytest.mark.parametrize(
    "piece", ["[ab. x ", "†a", "a †b† c. recte ›d‹ ", "a (b ", "„Ich sah dir da.“ *dich* ", "a" * 9]
)
def test_a_line_of_many_signs_takes_no_longer_than_its_letters(read_list: ReadList, piece: str) -> None:
    text, start = f"Er half den (= dem) Kind.\n\n{piece * 9000}\n", time.process_time()
    rules, _ = read_list(text, notation=None, language="de")
    assert [good for _, good, _ in readings(rules)] == ["Er half dem Kind."]
    assert time.process_time() - start < 20


def test_a_bracket_behind_a_quoted_sentence_corrects_it(read_list: ReadList) -> None:
    lines = (
        ("„Wir warten den Bus.“ (auf den Bus) Man wartet *auf wen*.", "Wir warten auf den Bus."),
        ("„Sie hilft den Mann.“ (dem Mann) Nach *helfen* steht der Dativ.", "Sie hilft dem Mann."),
        ("„Er folgt den Weg bis zum Ende.“ (dem Weg)", "Er folgt dem Weg bis zum Ende."),
        ("„Ich danke die Frau.“ (der Frau) Man dankt *wem*.", "Ich danke der Frau."),
    )
    text = "".join(f"- {line}\n" for line, _ in lines)
    rules, rejected = read_list(text, notation=None, language="de")
    assert rejected == []
    assert [good for _, good, _ in readings(rules)] == [good for _, good in lines]


def test_a_sentence_behind_a_colon_is_an_example_of_a_remark(read_list: ReadList) -> None:
    words = ("weil", "wenn", "damit", "obwohl")
    remarks = "".join(
        f"Das Wort *{word}* ist gut: {word.capitalize()} es regnet, gehen wir heim.\n\n" for word in words
    )
    rules, _ = read_list(f"- Er wartet den Bus (= auf den Bus).\n\n{remarks}", notation=None, language="de")
    assert [bad for bad, _, _ in readings(rules)] == ["Er wartet den Bus."]


def test_a_sign_is_a_deletion_where_its_explanation_says_so(read_list: ReadList) -> None:
    lines = (
        "Er kommt |zu| heute. ‖ ₰\n\nSie hilft |den| Mann. ‖ dem\n\n"
        "Wir sehen |auf| ihn nie. ‖ ₰\n\nSie folgt |den| Weg. ‖ dem\n"
    )
    legend = "- ₰ — *deleatur*: die Wörter zwischen den Strichen: streichen.\n\n"
    rules, _ = read_list(f"{legend}{lines}", notation=None, language="de")
    goods = [good for _, good, _ in readings(rules)]
    assert goods == ["Er kommt heute.", "Sie hilft dem Mann.", "Wir sehen ihn nie.", "Sie folgt dem Weg."]


def test_sentences_behind_emphasised_words_are_read_by_themselves(read_list: ReadList) -> None:
    heads = (("warten", "Wir warten den Bus.", "Wir warten auf den Bus."),
             ("helfen", "Sie hilft den Mann.", "Sie hilft dem Mann."),
             ("danken", "Ich danke die Frau.", "Ich danke der Frau."))  # fmt: skip
    text = "".join(f"**{w}** – nicht mit dem Akkusativ wie *{w}*. Falsch: {b}  \nRichtig: {g}\n\n" for w, b, g in heads)
    rules, _ = read_list(text, notation=None, language="de")
    assert [(bad, good) for bad, good, _ in readings(rules)] == [(bad, good) for _, bad, good in heads]
