"""Examples of grammars' pages and texts with interlinear glosses, wherever presses set their lines; pages are drawn."""

from dataclasses import replace
from typing import Any

import pytest
from gloss_parts import shown
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_pages import COLUMNS, LEADING, LEFT, PROFILE, RIGHT, drawn, filled, glossed, line, only, page, word

from pairwright.core.records import Gloss
from pairwright.documents.lines.data import Profile, RuledLine, Run
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import PagePiece, read_pieces
from pairwright.languages.conventions import Conventions

Words = list[tuple[str, str]]
Fields = dict[str, Any]
DOGS: Words = [("keno-t", "dog-PL"), ("nela-lo", "river-LOC"), ("muv-i-r", "go-PRS-3PL")]
STONE: Words = [("mar", "PROH"), ("pando-n", "stone-ACC"), ("por", "carry")]
RAIN: Words = [("hune", "rain"), ("olda", "yesterday"), ("sum-ak", "fall-PST")]
MUVIR, PANDON, SUMAK = "keno-t nela-lo muv-i-r", "mar pando-n por", "hune olda sum-ak"


def set_page(runs: list[Run], profile: Profile | None = None) -> list[PagePiece]:
    """The pieces of a page with prose above and below; without a profile, the page shows its type of glosses itself."""
    typed = page([*filled(80), *runs, *filled(max(run.baseline for run in runs) + 46)])
    learned = learn([typed], 1)
    return read_pieces(typed, profile or replace(PROFILE, gloss_styles=learned.gloss_styles, words=learned.words))


def read(runs: list[Run], profile: Profile | None = None) -> list[Gloss]:
    return [leaf for piece in set_page(runs, profile) if piece.gloss for _, leaf in piece.gloss.leaves()]


def told(gloss: Gloss, names: Fields) -> Fields:
    """The named fields of an example; lines of words as one text."""
    found = {name: getattr(gloss, name) for name in names} | {
        "segmentation": " ".join(gloss.segmentation),
        "glosses": "\n".join(map(" ".join, gloss.glosses)),
    }
    return {name: found[name] for name in names}


def check(glosses: list[Gloss], *wanted: Fields) -> None:
    assert [told(gloss, names) for gloss, names in zip(glosses, wanted, strict=True)] == list(wanted)


SOURCES = {
    "(Text 3: 12)": "Text 3: 12",
    "[tr080621.21m02s]": "tr080621.21m02s",
    "Smith 1987:34": "Smith 1987:34",
    "(elicited)": "elicited",
    "(lit. ‘it fell’)": None,
    "He came late.": None,
    "Two dogs": None,
    "(a word of the coast)": None,
}


@pytest.mark.parametrize(("below", "source"), SOURCES.items())
def test_a_reference_below_the_translation_is_the_source(below: str, source: str | None) -> None:
    picture = f"""
(1)   keno-t  nela-lo    muv-i-r
      dog-PL  river-LOC  go-PRS-3PL
      ‘The dogs walk.’
      {below}
"""
    unnumbered = picture.replace("(1)", "   ") + picture.replace("(1)", "   ").replace("keno-t", "nero-t")
    for runs, count in ((drawn(picture), 1), (drawn(unnumbered), 2)):
        glosses = read(runs)
        assert len(glosses) >= count
        assert {gloss.source for gloss in glosses} == {source}


# Each page has a name, its picture, and the examples that a reader of the book finds in it, as `shown` writes them.
PAGES = """aligned words, a translation and a source
(9)   šuo      loj-a       garsiai
      dog.NOM  bark-PRS.3  loudly
      ‘The dog barks loudly.’                                 [LT-12]
=> 9) ~ šuo loj-a garsiai = dog.NOM bark-PRS.3 loudly ‘The dog barks loudly.’ [LT-12]
## wrapped lines
(1)   vakar      senas    žmogus   lėtai   ėjo     piktas    vakar
      yesterday  old.NOM  man.NOM  slowly  go.PST  angry.NOM yesterday
      namučių-link
      home-towards
      ‘Yesterday an old man walked slowly home.’
=> 1) ~ vakar senas žmogus lėtai ėjo piktas vakar namučių-link = yesterday old.NOM man.NOM slowly go.PST angry.NOM
   yesterday home-towards ‘Yesterday an old man walked slowly home.’
## an object line that is repeated cut into morphemes
(2)   vaikai        žaidžia
      vaik-ai       žaidž-ia
      child-NOM.PL  play-PRS.3
      ‘Children are playing.’
=> 2) vaikai žaidžia ~ vaik-ai žaidž-ia = child-NOM.PL play-PRS.3 ‘Children are playing.’
## sub-examples and marks of judgement
(3)   a.  aš  einu
          I   go.PRS.1SG
          ‘I go.’
      b.  *aš  eina
          I    go.PRS.3
          intended: ‘I go.’
=> a) ~ aš einu = I go.PRS.1SG ‘I go.’
=> b) * ~ aš eina = I go.PRS.3 ‘I go.’
## sub-examples side by side
(4)   a.  nam-as                      b.  nam-o
          house-NOM                       house-GEN
          ‘house’                         ‘of the house’
=> a) ~ nam-as = house-NOM ‘house’
=> b) ~ nam-o = house-GEN ‘of the house’
## what a bad sentence was meant to say
(5)   *šuo     loj-a       garsiai
      dog.NOM  bark-PRS.3  loudly
      (intended: ‘The dog barks.’)
=> 5) * ~ šuo loj-a garsiai = dog.NOM bark-PRS.3 loudly ‘The dog barks.’
## a bracket around the translation
(1)   *muv  keno-t  nela-lo
      go    dog-PL  river-LOC
      (‘The dogs go.’)
=> 1) * ~ muv keno-t nela-lo = go dog-PL river-LOC ‘The dogs go.’
## a starred example right below
      keno-t  nela-lo    muv-i-r
      dog-PL  river-LOC  go-PRS-3PL
      ‘The dogs walk.’
      (Mill, 4)

      *mar  pando-n    por
      PROH  stone-ACC  carry
      (elicited)
=> ~ keno-t nela-lo muv-i-r = dog-PL river-LOC go-PRS-3PL ‘The dogs walk.’ [Mill, 4]
=> * ~ mar pando-n por = PROH stone-ACC carry [elicited]
## wordings of one sentence below each other
(1)   keno-t nela-lo muv-i-r
      *keno-t nela-la muv-i-r
=> 1) keno-t nela-lo muv-i-r + *keno-t nela-la muv-i-r
## numbers in the margin
1     keno-t  nela-lo    muv-i-r
      dog-PL  river-LOC  go-PRS-3PL

2     mar   pando-n    por
      PROH  stone-ACC  carry
=> 1) ~ keno-t nela-lo muv-i-r = dog-PL river-LOC go-PRS-3PL
=> 2) ~ mar pando-n por = PROH stone-ACC carry
## surface lines and translations without marks
kenot nelalo muvir
keno-t  nela-lo    muv-i-r
dog-PL  river-LOC  go-PRS-3PL
The dogs walk.
mar pandon por
mar   pando-n    por
PROH  stone-ACC  carry
Don’t carry it!
hune olda sumak
hune  olda       sum-ak
rain  yesterday  fall-PST
It rained.
=> kenot nelalo muvir ~ keno-t nela-lo muv-i-r = dog-PL river-LOC go-PRS-3PL ‘The dogs walk.’
=> mar pandon por ~ mar pando-n por = PROH stone-ACC carry ‘Don’t carry it!’
=> hune olda sumak ~ hune olda sum-ak = rain yesterday fall-PST ‘It rained.’
## tiers and a translation beside them that wrap apart
(1)   keno-t  nela-lo    muv-i-r                ‘The dogs walk
      dog-PL  river-LOC  go-PRS-3PL             in the river
      olda       sum-ak                         at night.’
      yesterday  fall-PST                                      (Vera, 3)
=> 1) ~ keno-t nela-lo muv-i-r olda sum-ak = dog-PL river-LOC go-PRS-3PL yesterday fall-PST ‘The dogs walk in the
   river at night.’ [Vera, 3]
## names of lines
Words       keno-t  nela-lo    muv-i-r
Gloss       dog-PL  river-LOC  go-PRS-3PL
Free        The dogs walk.

Words       mar   pando-n    por
Gloss       PROH  stone-ACC  carry
Free        Don’t carry it!

Words       hune  olda       sum-ak
Gloss       rain  yesterday  fall-PST
Free        It rained.
=> ~ keno-t nela-lo muv-i-r = dog-PL river-LOC go-PRS-3PL ‘The dogs walk.’
=> ~ mar pando-n por = PROH stone-ACC carry ‘Don’t carry it!’
=> ~ hune olda sum-ak = rain yesterday fall-PST ‘It rained.’
## the translation of a numbered example without marks
(4)   keno-t  nela-lo    muv-i-r
      dog-PL  river-LOC  go-PRS-3PL
      Dogs walk there.
=> 4) ~ keno-t nela-lo muv-i-r = dog-PL river-LOC go-PRS-3PL ‘Dogs walk there.’
## several groups of tiers
      soro-a        mela-a        vako-a        tovi-a
      soro-PST.1SG  mela-PST.2SG  vako-PST.3SG  tovi-PST.4SG

      mar   pando-n    por
      PROH  stone-ACC  carry
      ‘All of it.’
=> ~ soro-a mela-a vako-a tovi-a mar pando-n por = soro-PST.1SG mela-PST.2SG vako-PST.3SG tovi-PST.4SG PROH stone-ACC
   carry ‘All of it.’
## a sub-example that wraps and has no translation
(6)   a.  dabar  rašau                      b.  dabar  parašau
          now    write.PRS.1SG                  now    PFV.write.PRS.1SG
          ‘I am writing now.’                   laišką
                                                letter.ACC.SG
=> a) ~ dabar rašau = now write.PRS.1SG ‘I am writing now.’
=> b) ~ dabar parašau laišką = now PFV.write.PRS.1SG letter.ACC.SG
## a translation right behind a sentence
(6)   Šunys loja. ‘Dogs bark.’
=> 6) Šunys loja. ‘Dogs bark.’
## a sentence of two rows without gloss
(7)   *Visi kaimo šunys vakar labai garsiai lojo ant mūsų senojo kaimyno
      kurie miegojo.
=> 7) * Visi kaimo šunys vakar labai garsiai lojo ant mūsų senojo kaimyno kurie miegojo.
## a translation beside the object line
(8)   tam-t     →   tam-tji-t       ‘build a little’
      build-INF     build-DIM-INF
=> 8) ~ tam-t → tam-tji-t = build-INF build-DIM-INF ‘build a little’
## the number of a line in the margin
      Keno-t  nela-lo    te   olda-ma-ri            sumak-a-te-li    hune-to-mo
      dog-PL  river-LOC  and  yesterday-again-EMPH  fall-PST-3PL-REP rain-ABL-with
 5    pando-n    por-ak
      stone-ACC  carry-PST
      ‘The dogs carried stones.’
=> ~ Keno-t nela-lo te olda-ma-ri sumak-a-te-li hune-to-mo pando-n por-ak = dog-PL river-LOC and yesterday-again-EMPH
   fall-PST-3PL-REP rain-ABL-with stone-ACC carry-PST ‘The dogs carried stones.’ + 5
"""
PICTURES = {name: picture for name, _, picture in (part.partition("\n") for part in PAGES.rstrip().split("\n## "))}


@pytest.mark.parametrize("name", PICTURES)
def test_each_line_of_an_example_has_its_place(name: str) -> None:
    picture, *wanted = PICTURES[name].split("\n=> ")
    assert [shown(gloss) for gloss in read(drawn(picture))] == [" ".join(text.split()) for text in wanted]


@pytest.mark.parametrize(
    ("above", "wanted"),
    [
        (("Šunys loja kieme.",), {"surface": "Šunys loja kieme.", "title": None, "judgement": None}),
        (("*Šunys loja kieme.",), {"surface": "Šunys loja kieme.", "judgement": "*"}),
        (("Locative with verbs",), {"title": "Locative with verbs", "surface": None}),
        (
            ("Locative with verbs", "Šunys loja kieme."),
            {"title": "Locative with verbs", "surface": "Šunys loja kieme."},
        ),
        (("Šunys loja", "kieme."), {"title": None, "surface": "Šunys loja kieme."}),
        (("*", "Šunys loja kieme."), {"judgement": "*", "surface": "Šunys loja kieme."}),
    ],
    ids=["surface line", "its star", "caption", "caption and surface line", "two rows", "a mark in its own column"],
)
def test_lines_above_the_segmentation_are_the_sentence_or_a_title(above: tuple[str, ...], wanted: Fields) -> None:
    tiers = ("šun-ys        loj-a        kiem-e", "dog-NOM.PL    bark-PRS.3   yard-LOC")
    lines = [*above, *tiers, "‘The dogs bark in the yard.’"]
    if above[0] == "*":
        lines[:2] = [f"*  {above[1]}"]
        lines[1:] = [f"   {text}" for text in lines[1:]]
    picture = "(4)   " + "\n      ".join(lines)
    common = {"segmentation": "šun-ys loj-a kiem-e", "translation": "The dogs bark in the yard."}
    check(read(drawn(picture), PROFILE), wanted | common)


@pytest.mark.parametrize("second", ["*šuo   loju", "šuo    loju"])
def test_another_wording_above_the_glosses_is_a_note_with_its_mark(second: str) -> None:
    picture = f"(5)   šuo    loja\n      {second}\n      dog    bark.PRS.3\n      ‘The dog barks.’"
    check(read(drawn(picture)), {"surface": None, "segmentation": "šuo loja", "notes": (" ".join(second.split()),)})


MARKED = {
    "between number and sentence": ("(1)  {:2}  keno-t  nela-lo    muv-i-r\n         dog-PL  river-LOC  go-PRS-3PL", 0),
    "before the number": ("{:>3}  (1)   keno-t  nela-lo    muv-i-r\n           dog-PL  river-LOC  go-PRS-3PL", -25),
    "between letter and sentence": (
        "(1)  b.  {}  keno-t  nela-lo    muv-i-r\n           dog-PL  river-LOC  go-PRS-3PL",
        0,
    ),
    "before the letter": ("(1)  {}  b.  keno-t  nela-lo    muv-i-r\n            dog-PL  river-LOC  go-PRS-3PL", 0),
}


@pytest.mark.parametrize("mark", ["*", "?", "??", "#", "%"])
@pytest.mark.parametrize("place", MARKED)
def test_a_mark_of_judgement_may_have_a_column_of_its_own(place: str, mark: str) -> None:
    picture, moved = MARKED[place]
    runs = drawn(picture.format(mark), x=LEFT + moved)
    check(read(runs, PROFILE), {"judgement": mark, "segmentation": MUVIR})


def test_a_mark_that_hangs_before_the_column_is_a_judgement() -> None:
    runs = [*line("(13)", 130), word("*Ji", 85, 130), word("atstovauja", 140, 130), word("miestą.", 230, 130)]
    runs = [run._replace(xs=(85.0, 90.0, 95.0)) if run.text == "*Ji" else run for run in runs]
    runs += drawn("      3SG.NOM   represent.PRS.3   town", 142)
    wanted = {"judgement": "*", "object_line": "Ji atstovauja miestą.", "glosses": "3SG.NOM represent.PRS.3 town"}
    check(read(runs), wanted)


@pytest.mark.parametrize("number", ["(1)", ""])
@pytest.mark.parametrize(
    ("text", "row", "at", "size"),
    [("Vera, in conversation", 165, 90, 8.0), ("Tape 3, side A", 166, RIGHT - 64, 10.0), ("(Vera)", 154, 220, 10.0)],
    ids=["in smaller type below", "at the right margin below", "in brackets behind the translation"],
)
def test_the_setting_alone_tells_a_source(text: str, row: float, at: float, size: float, number: str) -> None:
    runs = [*line(number, 130), *glossed(DOGS, 130), *line("‘The dogs go.’", 154, 90), *line(text, row, at, size=size)]
    check(read(runs, PROFILE), {"translation": "The dogs go.", "source": text.strip("()"), "notes": ()})


def test_the_sentence_in_another_script_is_no_source() -> None:
    runs = drawn("(1)   keno-t  muv-i-r\n      dog-PL  go-PRS\n      ‘The dogs go.’")
    check(read([*runs, *line("Кенот мувир", 165, 90, size=8.0)]), {"source": None, "notes": ("Кенот мувир",)})


OWN: list[tuple[dict[str, dict[str, Any]], str, Fields]] = [
    (
        {"examples": {"number": ["Ex. {n}:"]}},
        "Ex. 7:\n      keno-t  muv-i-r\n      dog-PL  go-PRS\n      ‘The dogs go.’",
        {"number": "7", "segmentation": "keno-t muv-i-r"},
    ),
    (
        {"judgements": {"bad": ["×"]}, "examples": {"boundaries": ":"}},
        "(7)   ×keno:t  muv:i:r\n      dog:PL   go:PRS\n      ‘The dogs go.’",
        {"judgement": "×", "segmentation": "keno:t muv:i:r"},
    ),
    *(
        (
            {"examples": {"source": [source]}},
            "(7)   keno-t  muv-i-r\n      dog-PL  go-PRS\n      The dogs go — slowly. — H 5",
            {"translation": "The dogs go — slowly." + " — H 5" * (wanted is None), "source": wanted},
        )
        for source, wanted in (("(...)", None), ("— ...", "H 5"))
    ),
]


@pytest.mark.parametrize(("own", "picture", "wanted"), OWN, ids=["labels", "marks and signs", "no dash", "a dash"])
def test_what_nothing_else_tells_is_said_in_the_conventions(
    own: dict[str, dict[str, Any]], picture: str, wanted: Fields
) -> None:
    check(read(drawn(picture), replace(PROFILE, conventions=Conventions.of(own))), wanted)


TONES = ["Âkhwàlú ntá.", "Ùmv’ êlá dî.", "Íʃòmbá gù.", "Ôlyè mbw’ ísà."]
CUT = ["a-ku-alu        ni-ta", "u-mu            e-la-di", "i-so-mba        gu", "o-li-e          mu-isa"]


def tone_example(number: int, y: float, title: str = "") -> list[Run]:
    """A numbered example of a tone language, whose sandhi its segmentation takes back; perhaps under a title."""
    runs = line(f"({number})", y)
    for text, font in [*([(title, "Serif")] if title else []), (TONES[number % 4], "Serif-Italic")]:
        runs += [run._replace(font=font, italic=font != "Serif") for run in line(text, y, 90)]
        y += LEADING
    return [*runs, *drawn(f"      {CUT[number % 4]}\n      3-FUT-see       SG-go\n      ‘They will see.’ NK", y)]


def test_the_books_pattern_of_lines_tells_sentences_whose_letters_differ_from_the_segmentation() -> None:
    pages = [
        page([*filled(80), *(run for at in range(5) for run in tone_example(5 * n + at + 1, 110 + 64 * at))])
        for n in range(3)
    ]
    profile = learn(pages, len(pages))
    glosses = [piece.gloss for each in pages for piece in read_pieces(each, profile) if piece.gloss]
    assert [gloss.surface for gloss in glosses] == [TONES[number % 4] for number in range(1, 16)]
    assert {(gloss.title, gloss.translation, gloss.source) for gloss in glosses} == {(None, "They will see.", "NK")}
    titled = tone_example(16, 110, "Locative with verbs")
    check(read(titled, profile), {"title": "Locative with verbs", "surface": TONES[0]})


def test_bare_letters_are_parts_where_the_conventions_say_so() -> None:
    """The second part has a mark in a column of its own; a line begins with one letter."""
    picture = """
(7) a     Akwalu unita.
          u   alu         u-nita
          SG  see         FUT-go
          ‘They will see.’
    b  *  Unita akwalu.
          u-nita      a-ku-alu
          FUT-go      3-FUT-see
"""
    parts = read(drawn(picture), replace(PROFILE, conventions=Conventions.of({"examples": {"letter": ["{a}"]}})))
    told = [(part.number, part.judgement, part.surface, part.segmentation) for part in parts]
    assert told == [
        ("a", None, "Akwalu unita.", ("u", "alu", "u-nita")),
        ("b", "*", "Unita akwalu.", ("u-nita", "a-ku-alu")),
    ]


@pytest.mark.parametrize(
    ("head", "number"), [("    c.    ", None), ("(12) (continued)\n    b)    ", "12")], ids=["bare letter", "number"]
)
def test_an_example_goes_on_at_the_head_of_the_next_page(head: str, number: str | None) -> None:
    tiers = "šuo      loj-a       garsiai\n          dog.NOM  bark-PRS.3  loudly\n          ‘The dog barks loudly.’"
    runs = drawn(head + tiers, 80)
    piece = only(read_pieces(page([*runs, *filled(170)]), PROFILE), "gloss")
    assert piece.gloss is not None
    assert (piece.gloss.number, piece.open_start) == (number, number is None)
    [part] = piece.gloss.parts
    check([part], {"number": "b" if number else "c", "segmentation": "šuo loj-a garsiai"})


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([DOGS, STONE, RAIN, DOGS[:2]]), min_size=1, max_size=8), st.booleans())
def test_every_sentence_comes_out_once_and_in_order(sentences: list[Words], sourced: bool) -> None:
    runs: list[Run] = []
    for index, sentence in enumerate(sentences):
        y = 130 + 54 * index
        runs += [*glossed(sentence, y), *line("‘So it was.’", y + 24, 90)]
        runs += line(f"(Text 1: {index})", y + 36, 90) if sourced else []
    glosses = read(runs)
    assert [" ".join(gloss.segmentation) for gloss in glosses] == [" ".join(form for form, _ in it) for it in sentences]
    assert all((gloss.source is not None) == sourced and not gloss.notes for gloss in glosses)


@pytest.mark.parametrize(("mark", "note"), [("3", "³"), ("b", "b")])
def test_marks_of_footnotes_are_no_letters_of_a_word_or_gloss(mark: str, note: str) -> None:
    for marked in glossed(DOGS, 130)[2:4]:
        raised = word(mark, marked.x1, 126, 6.0)
        below = [word(mark, LEFT, 616, 5.0), *line("A note on it.", 620, LEFT + 6, 8.0)]
        rest = [run for run in glossed(DOGS, 130) if run != marked]
        runs = [*filled(80), *line("(1)", 130), *rest, marked, raised, *line("‘The dogs walk.’", 154, 90), *below]
        pieces = read_pieces(page(runs, [RuledLine(LEFT, 608, 160, 608)]), PROFILE)
        gloss = next(piece.gloss for piece in pieces if piece.gloss)
        check([gloss], {"segmentation": MUVIR, "glosses": "dog-PL river-LOC go-PRS-3PL", "notes": (note,)})


def test_raised_tones_stay() -> None:
    runs = [*filled(80), *line("(1)", 130), *glossed([("ma", "horse"), ("lai", "come")], 130, gap=30)]
    tones = [word("3", run.x1, 126, 6.0) for run in runs if run.text in {"ma", "lai"}]
    note = [word("3", LEFT, 616, 5.0), *line("A note on it.", 620, LEFT + 6, 8.0)]
    pieces = read_pieces(page([*runs, *tones, *note], [RuledLine(LEFT, 608, 160, 608)]), PROFILE)
    assert next(piece.gloss.segmentation for piece in pieces if piece.gloss) == ("ma³", "lai³")


class TestSentencesWithoutNumbers:
    def glossed(self, y: float) -> list[Run]:
        """A sentence in italics over its glosses and a translation."""
        runs = [run._replace(font="Italic", italic=True) if run.baseline == y else run for run in glossed(DOGS, y)]
        return [*runs, *line("‘They go.’", y + 24, 90)]

    @pytest.mark.parametrize("font", ["Italic", "Text"])
    def test_one_in_the_type_of_examples_over_its_translation_is_an_example(self, font: str) -> None:
        runs = [run for y in (130, 180, 230) for run in self.glossed(y)]
        bare = [*line("Kenot muvir wen!", 280, 90, font=font), *line("‘The dogs went!’", 292, 90)]
        last = {"surface": "Kenot muvir wen!", "translation": "The dogs went!", "source": "Vera, in conversation"}
        glosses = read([*runs, *bare, *line("Vera, in conversation", 303, 90, size=8.0)])
        check(glosses, *([{"translation": "They go."}] * 3), *([last] if font == "Italic" else []))

    def test_first_words_that_recur_are_no_names_of_lines(self) -> None:
        forms = ("mu-vir  go-PRS", "su-mak  fall-PST", "por-ak  carry-PST")
        leopards = [
            f"Leopard       {form.replace('-', '')}\n      leopard       {form}\n      CL1           {label}"
            for form, label in (pair.split("  ") for pair in forms)
        ]
        dogs = "keno-t   nela-lo     muv-i-r\n      dog-PL   river-LOC   go-PRS-3PL"
        sentences = [f"      {it}\n      ‘So it was.’\n" for it in (*leopards, dogs, dogs, dogs)]
        objects = [gloss.object_line.split()[0] for gloss in read(drawn("\n".join(sentences)))]
        assert objects == ["Leopard"] * 3 + ["keno-t"] * 3


def test_the_sentence_of_an_example_is_whole_where_the_gutter_above_goes_through_it() -> None:
    columns = [run for side in (LEFT, 252) for run in filled(80, 14, side, side + 168)]
    sentence = [word("kenot-ak-a", 180, 318), word("nela-lo", 252, 318), word("muv", 300, 318)]
    glosses = [word("dog-PL-NOM.DEF", 180, 330), word("river-LOC", 252, 330), word("go", 300, 330)]
    runs = [*columns, *filled(270), *sentence, *glosses, *line("‘The dogs go to the river.’", 342, 180)]
    read_glosses = [piece.gloss for piece in read_pieces(page(runs), PROFILE) if piece.gloss]
    check(read_glosses, {"segmentation": "kenot-ak-a nela-lo muv"})


def test_a_line_of_prose_that_begins_with_a_number_is_no_example() -> None:
    text = "(9) and the forms in the section above are alike in all but one of their"
    pieces = read_pieces(page([*filled(80, 2), *line(text, 104), *filled(116, 2)]), PROFILE)
    assert [piece.kind for piece in pieces] == ["paragraph"]


def test_an_example_in_a_footnote_keeps_its_structure() -> None:
    notes = [word("1", LEFT, 546, 6.0), *line("Compare the example:", 550, LEFT + 6, 8.5)]
    inner = [*line("(i)", 566, LEFT + 6, 8.5), *line("‘The dog barks loudly.’", 588, 90, 8.5)]
    for at, (surface, gloss) in enumerate(COLUMNS):
        inner += [word(surface, 90 + 70 * at, 566, 8.5), word(gloss, 90 + 70 * at, 577, 8.5)]
    pieces = read_pieces(page([*filled(80), *notes, *inner], [RuledLine(LEFT, 535, 160, 535)]), PROFILE)
    assert [piece.kind for piece in pieces] == ["paragraph", "footnote", "gloss"]
