"""Lists in the notations that people write without being asked to, and in notations of their own."""

from pathlib import Path

import pytest
from list_parts import ReadList, pairs

from made_records import make_source
from pairwright.core.errors import ConfigError, SourceError
from pairwright.core.records import Rule
from pairwright.documents.flowing.reader import read_text_document
from pairwright.languages import load_language
from pairwright.sources.error_list.notation import load_notation
from pairwright.sources.error_list.reader import read_error_list

DATIVE = [("Ich helfe den Mann.", "Ich helfe dem Mann."), ("Sie dankt die Frau.", "Sie dankt der Frau.")]


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".txt", "Ich helfe den Mann. -> Ich helfe dem Mann.\nSie dankt die Frau. → Sie dankt der Frau.\n"),
        (".txt", "1. Ich helfe den Mann → Ich helfe dem Mann.\n2. „Sie dankt die Frau.“ → „Sie dankt der Frau.“\n"),
        (".md", "# Dativ\n\n- Ich helfe den Mann. => Ich helfe dem Mann.\n"
                "- Sie dankt die Frau. => Sie dankt der Frau.\n"),
        (".csv", "Ich helfe den Mann.;Ich helfe dem Mann.\nSie dankt die Frau.;Sie dankt der Frau.\n"),
        (".csv", "Ich helfe dem Mann.;*Ich helfe den Mann.\nSie dankt der Frau.;* Sie dankt die Frau.\n"),
        (".tsv", "Ich helfe den Mann.\tIch helfe dem Mann.\tDativ\nSie dankt die Frau.\tSie dankt der Frau.\t\n"),
        (".txt", "nicht: Ich helfe den Mann, sondern: Ich helfe dem Mann.\n"
                 "nicht: Sie dankt die Frau, sondern: Sie dankt der Frau.\n"),
        (".txt", "Nicht „Ich helfe den Mann.“, sondern „Ich helfe dem Mann.“\n"
                 "Nicht „Sie dankt die Frau.“, sondern „Sie dankt der Frau.“\n"),
        (".md", "## 1.1 Dativ\n- *Ich helfe den Mann. → Ich helfe dem Mann.\n- siehe oben → unten\n"
                "- *Sie dankt die Frau. → Sie dankt der Frau.\n"),
        (".md", "## 1.1 Dativ\n- ✓ Ich helfe dem Mann. ✗ Ich helfe den Mann.\n"
                "- ✗ Sie dankt die Frau. ✓ Sie dankt der Frau.\n"),
        (".csv", "code;wrong;right\n1.1;Ich helfe den Mann.;Ich helfe dem Mann.\n"
                 ";Sie dankt die Frau.;Sie dankt der Frau.\n"),
        (".html", "<table><tr><th>Falsch</th><th>Richtig</th></tr>"
                  "<tr><td>Ich helfe den Mann.</td>"
                  "<td>Ich helfe dem Mann.</td></tr>"
                  "<tr><td>Sie dankt die Frau.</td><td>Sie dankt der Frau.</td></tr></table>"),
        (".txt", "Falsch: Ich helfe den Mann. Richtig: Ich helfe dem Mann.\n"
                 "FALSCH: Sie dankt die Frau.\nRICHTIG: Sie dankt der Frau.\n"),
    ],
)  # fmt: skip
def test_lists_as_people_write_them_are_read_without_being_described(
    read_list: ReadList, suffix: str, text: str
) -> None:
    rules, rejected = read_list(text, suffix=suffix, notation=None, language="de")
    assert rejected == []
    assert pairs(rules) == DATIVE


def test_brackets_without_a_sign_correct_where_they_repeat_words_and_a_headword_in_bold_is_the_entry(
    read_list: ReadList,
) -> None:
    items = (
        "- Įmonė (UAB Šilas) neturi laiko.\n- **laukti** Vaikai laukia autobusą (autobuso).\n"
        "- Neturiu laiką (laiko) iki vakaro (2020).\n- Bendrovė (AB „Ąžuolas“) laukia pagalbą (pagalbos).\n"
    )
    rules, rejected = read_list(f"# Kilmininkas (2 linksnis)\n\n{items}", notation=None)
    [guess, one, other, named] = [example for rule in rules for example in rule.examples]
    assert rejected == []
    assert (guess.uncertain, other.uncertain) == (True, False)
    assert (one.entry, one.bad, one.good) == ("laukti", "Vaikai laukia autobusą.", "Vaikai laukia autobuso.")
    assert (other.entry, other.good) == (None, "Neturiu laiko iki vakaro (2020).")
    assert named.good == "Bendrovė (AB „Ąžuolas“) laukia pagalbos."


def test_brackets_that_explain_make_no_list(read_list: ReadList) -> None:
    text = "Der Dativ (Wemfall) ist ein Fall (siehe oben).\n\nEr steht im Duden (2020) und in Lehrbüchern (Mannheim).\n"
    with pytest.raises(SourceError):
        read_list(text, suffix=".txt", notation=None, language="de")


@pytest.mark.parametrize(
    ("suffix", "text", "found", "named"),
    [
        # At the `but` whose sides are most alike.
        (".txt", "not he was small but he were strong but he was small but he was strong\nnot: alot, but: a lot\n",
         [("he was small but he were strong", "he was small but he was strong"), ("alot", "a lot")], []),
        # Entry arrows of a list with brackets.
        (".md", "## 1.1. Valdymas\n- dėkoti ką → dėkoti kam: Dėkoju tėvus (ne tėvams).\n- dėkoti → padėkoti\n",
         [("Dėkoju tėvams.", "Dėkoju tėvus.")], None),
        # Lines that seem to show an error.
        (".txt", "Wrong: she go. Right: she goes.\n\nSay not: he go but he goes.\n\nhe go / he goes\n\nA line.",
         [("she go.", "she goes.")], ["Say not: he go but he goes.", "he go / he goes"]),
        # Titles that come again inside a table.
        (".csv", "\n".join(("Falsch;Richtig", ";".join(DATIVE[0]), "Wrong;Right", ";".join(DATIVE[1]))), DATIVE, []),
        # Brackets and another notation.
        (".md", "- She go (= goes).\n- He sit (= sits).\n- ✗ It rain. ✓ It rains.\n",
         [("She go.", "She goes."), ("He sit.", "He sits."), ("It rain.", "It rains.")], []),
        # A repeated pair; equal sides; a table below items.
        (".csv", "Wrong,Right\nShe run.,She runs.\nHe sit.,He sits.\nShe run.,She runs.\n",
         [("She run.", "She runs."), ("He sit.", "He sits.")], ["She run.\tShe runs."]),
        (".md", "## 1.2 Verbs\n\n- Wrong: She run. Right: She runs.\n- Wrong: He sits. Right: He sits.\n\n"
         "| Wrong | Right |\n|---|---|\n| It rain. | It rains. |\n",
         [("She run.", "She runs."), ("It rain.", "It rains.")], ["Wrong: He sits. Right: He sits."]),
    ],
)  # fmt: skip
def test_what_a_list_gives_and_what_of_it_is_named(
    read_list: ReadList, suffix: str, text: str, found: list[tuple[str, str]], named: list[str] | None
) -> None:
    rules, rejected = read_list(text, suffix=suffix, notation=None, language="lt" if "ką" in text else "en")
    assert pairs(rules) == found
    assert named is None or [item.text for item in rejected] == named


def test_an_explanation_behind_the_right_wording_is_its_note(read_list: ReadList) -> None:
    rules, _ = read_list("alot -> a lot (two words)\nteh -> the\n", suffix=".txt", notation=None, language="en")
    assert [(e.bad, e.good, e.note) for rule in rules for e in rule.examples] == [
        ("alot", "a lot", "two words"),
        ("teh", "the", None),
    ]


@pytest.mark.parametrize(
    ("suffix", "text", "reasons"),
    [
        (".txt", "Wortschatz → siehe Anhang\nIch helfe den Mann. → Ich helfe dem Mann.\nA → B → A B\nSatz →\n",
         {1: "the two sides have nothing in common", 3: "more than one arrow on the line", 4: "one side is empty"}),
        (".csv", "Schüler;Lehrkraft\nIch helfe den Mann.;Ich helfe dem Mann.\nSie dankt.;\n",
         {1: "titles of columns, and no sentences", 3: "column 2 is empty"}),
        (".csv", "Falscher Satz;Richtiger Satz\nIch helfe den Mann.;Ich helfe dem Mann.\n",
         {1: "titles of columns, and no sentences"}),
    ],
)  # fmt: skip
def test_what_means_something_else_is_kept_with_its_line(
    read_list: ReadList, suffix: str, text: str, reasons: dict[int, str]
) -> None:
    notation = "bare-arrows" if suffix == ".txt" else None
    rules, rejected = read_list(text, suffix=suffix, notation=notation, language="de")
    assert pairs(rules) == DATIVE[:1]
    assert {item.line: item.reason.split(";")[0] for item in rejected} == reasons


def test_a_single_bracket_is_read_beside_a_list_of_arrows(read_list: ReadList) -> None:
    words = ("Haus", "Kind", "Brot", "Buch", "Pferd", "Schaf", "Land")
    lines = "".join(f"Er sieht der {word}. -> Er sieht das {word}.\n" for word in words)
    rules, _ = read_list(f"{lines}Das ist eine Probe (= ein Versuch).\n", suffix=".txt", notation=None, language="de")
    assert len(pairs(rules)) == len(words) + 1


OWN = 'name = "mine"\ntitle = "Mine"\nlayout = "marks"\n'


def test_a_mark_of_ones_own_may_have_several_characters(tmp_path: Path, read_list: ReadList) -> None:
    (tmp_path / "notations").mkdir()
    keys = 'wrong_marks = ["*", "**", "ERR:"]\narrows = [">>"]\n'
    (tmp_path / "notations" / "mine.toml").write_text(OWN + keys, encoding="utf-8")
    text = "ERR: she go >> she goes\n**he go >> he goes\n*they goes >> they go\n"
    rules, _ = read_list(text, suffix=".txt", notation="mine", language="en", workspace=tmp_path)
    assert pairs(rules) == [("she go", "she goes"), ("he go", "he goes"), ("they goes", "they go")]


def test_an_empty_mark_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "notations").mkdir()
    (tmp_path / "notations" / "mine.toml").write_text(f'{OWN}wrong_marks = [""]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mine\.toml:\d+: 'wrong_marks"):
        load_notation("mine", tmp_path)


def test_a_list_that_nothing_reads_names_the_three_nearest_notations(read_list: ReadList) -> None:
    text = "Wörter\n\nEsel → siehe Anhang\nApfel → siehe Buch\n✗ Er geht heim\n(Probe)\n"
    with pytest.raises(SourceError) as fault:
        read_list(text, suffix=".txt", notation=None, language="de")
    message = str(fault.value)
    assert "list.txt: no correction found" in message
    nearest = message.split("nearest")[1]
    assert nearest.index("bare-arrows `wrong → right` (line 3: the two sides") < nearest.index(
        "ticks `✗ wrong ✓ right` (line 5"
    )
    assert nearest.count("`") == 6
    assert "notations/<name>.toml" in message


def test_a_notation_that_finds_nothing_is_told_which_one_does(read_list: ReadList) -> None:
    with pytest.raises(SourceError, match=r"in notation 'vlkk'.*nearest.*ticks `✗ wrong ✓ right` \(finds 1\)"):
        read_list("✗ Ben geldik.\n✓ Ben geldim.\n", notation="vlkk", language="tr")


@pytest.mark.parametrize("name", ["arrows", "bare-arrows", "not-but", "ticks", "vlkk", "wrong-right"])
def test_the_example_of_each_shipped_notation_is_read_by_it(read_list: ReadList, name: str) -> None:
    example = load_notation(name).example.replace("wrong", "She go").replace("right", "She goes")
    rules, rejected = read_list(f"{example}\n", suffix=".txt", notation=name, language="en")
    assert rejected == []
    assert [(bad.rstrip("."), good.rstrip(".")) for bad, good in pairs(rules)] == [("She go", "She goes")]


def test_a_few_words_between_empty_lines_are_a_heading_in_plain_text(read_list: ReadList) -> None:
    text = "Genitiv\n\nWir gedenken den Mann (= des Mannes).\n\nDativ:\n\nIch helfe den Mann (= dem Mann).\n"
    rules, _ = read_list(text, suffix=".txt", notation=None, language="de")
    assert [rule.title for rule in rules] == ["Genitiv", "Dativ"]


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".md", "| Geschrieben | Besser | Warum |\n|---|---|---|\n"
                "| Wir warten **für** ihn seit Stunden. | auf | *warten auf* |\n"
                "| Hanna lacht **an** ihn. | über | |\n"
                "| Ich helfe den Mann. | Ich helfe dem Mann. | |\n| Sie dankt **die Frau**. | der Frau | |\n"),
        (".html", "<table><tr><th>Geschrieben</th><th>Besser</th></tr>"
                  "<tr><td>Wir warten <b>für</b> ihn seit Stunden.</td><td>auf</td></tr>"
                  "<tr><td>Hanna lacht <b>an</b> ihn.</td><td>über</td></tr>"
                  "<tr><td>Ich helfe den Mann.</td><td>Ich helfe dem Mann.</td></tr>"
                  "<tr><td>Sie dankt <i>die Frau</i>.</td><td>der Frau</td></tr></table>"),
    ],
)  # fmt: skip
def test_what_stands_beside_bold_words_of_a_cell_replaces_them(read_list: ReadList, suffix: str, text: str) -> None:
    rules, rejected = read_list(text, suffix=suffix, notation=None, language="de")
    assert rejected == []
    prepositions = [
        ("Wir warten für ihn seit Stunden.", "Wir warten auf ihn seit Stunden."),
        ("Hanna lacht an ihn.", "Hanna lacht über ihn."),
    ]
    assert pairs(rules) == [*prepositions, *DATIVE]
    assert not any(example.uncertain for rule in rules for example in rule.examples)


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_a_workbook_is_read_as_its_tables_are(tmp_path: Path, suffix: str) -> None:
    import pandas as pd

    path = tmp_path / f"list{suffix}"
    pd.DataFrame(DATIVE, columns=["Falsch", "Richtig"]).to_excel(path, index=False)
    source = make_source(path, language="de")
    blocks = list(read_text_document(path, path.name, source, 5_000_000))
    rules = [item for item in read_error_list(blocks, source, load_language("de")) if isinstance(item, Rule)]
    assert pairs(rules) == DATIVE
    assert [example.evidence.line for rule in rules for example in rule.examples] == [2, 3]
