"""Rules, codes, headwords, notes and whole lists."""

import json
from pathlib import Path

import pytest
from list_parts import ReadList, pairs_of

from pairwright.core.errors import ConfigError
from pairwright.core.text import comparison_key

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sources" / "lt-sample" / "list.md"
TRUTH = ROOT / "tests" / "data" / "lt-sample-truth.jsonl"
REAL = ROOT.parent / "shared" / "data"


LIST = """\
# Linksniai

### 2.1. Naudininkas nevartotinas:

### 2.1.1. objektui reikšti su veiksmažodžiais:
- kenkti ką → = kénkti kám: Dūmai kenkia sveikatą (= sveikatai).
- (pa)dėkoti ką → pvz.: Padėkojo mokytoją (= mokytojai). Dėkok tėvus (= tėvams)!
- pavydėti → žr. 2.1.2
- **2.1.2.** laikui reikšti — pvz.: Grįžo vakarui (= vakare).
- Pastaba. Paskirčiai reikšti naudininkas – ne klaida: Pirko duonos vakarui. Pone dėde / Ponas dėde, sėskite.
- **2.1.3.** būviui reikšti — vietoj vardininko: Jis buvo vadu (= vadas); vietoj galininko: Radau jį gyvu (= gyvą).
"""


def test_a_list_has_rules_with_their_places_and_examples_without_headwords(read_list: ReadList) -> None:
    rules, rejected = read_list(LIST)
    assert rejected == []
    assert [(rule.code, rule.title) for rule in rules] == [
        ("2.1.1", "objektui reikšti su veiksmažodžiais"),
        ("2.1.2", "laikui reikšti"),
        ("2.1.3", "būviui reikšti"),
    ]
    assert {rule.phenomenon for rule in rules} == {"Naudininkas nevartotinas"}
    assert rules[0].description == "Naudininkas nevartotinas: objektui reikšti su veiksmažodžiais"
    assert [(example.entry, example.bad) for example in rules[0].examples] == [
        ("kenkti ką → kénkti kám", "Dūmai kenkia sveikatą."),
        ("(pa)dėkoti ką", "Padėkojo mokytoją."),
        ("(pa)dėkoti ką", "Dėkok tėvus!"),
    ]
    # Labels between examples stay out.
    assert [(example.bad, example.good) for example in rules[2].examples] == [
        ("Jis buvo vadu.", "Jis buvo vadas."),
        ("Radau jį gyvu.", "Radau jį gyvą."),
    ]
    lines = LIST.splitlines()
    for rule in rules:
        assert rule.quote.replace("*", "") in lines[(rule.line or 0) - 1].replace("*", "")
        for example in rule.examples:
            assert example.evidence.quote in lines[(example.evidence.line or 0) - 1]


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("siekti ko → ką: Svoris siekė kilogramo (= kilogramą).", "siekti ko → ką"),
        ("siekti ko → pavyzdžiui: Svoris siekė kilogramo (= kilogramą).", "siekti ko"),
    ],
)
def test_a_headword_keeps_what_it_should_govern(read_list: ReadList, line: str, entry: str) -> None:
    (rule,), _ = read_list(f"## 1.1. Kilmininkas nevartotinas:\n\n- {line}\n")
    (example,) = rule.examples
    assert (example.entry, example.good, example.bad) == (entry, "Svoris siekė kilogramą.", "Svoris siekė kilogramo.")


def test_notes_give_exceptions_and_never_pairs(read_list: ReadList) -> None:
    rules, _ = read_list(LIST)
    exceptions = [example for example in rules[1].examples if example.exception]
    assert [(e.good, e.bad, e.alternatives) for e in exceptions] == [
        ("Pirko duonos vakarui.", None, ()),
        ("Pone dėde, sėskite.", None, ("Ponas dėde, sėskite.",)),
    ]
    assert rules[1].notes == ("Paskirčiai reikšti naudininkas – ne klaida",)
    assert {e.note for e in exceptions} == set(rules[1].notes)


def test_the_same_list_reads_alike_in_markdown_html_and_text(read_list: ReadList) -> None:
    entries = ["Nematau kalnus (= kalnų).", "Neturiu laiką (= laiko; daug laiko)."]
    head = "1.2. Galininkas nevartotinas:"
    texts = {
        ".md": f"## {head}\n" + "".join(f"- {entry}\n" for entry in entries),
        ".html": f"<h2>{head}</h2><ul>" + "".join(f"<li>{entry}</li>" for entry in entries) + "</ul>",
        ".txt": f"{head}\n\n" + "".join(f"• {entry}\n" for entry in entries),
    }
    found = [read_list(text, suffix=suffix)[0] for suffix, text in texts.items()]
    one, *others = ([(r.code, r.title, [(e.bad, e.good) for e in r.examples]) for r in rules] for rules in found)
    assert others == [one, one]
    assert one[0][0] == "1.2"


def test_a_table_with_wrong_and_right_columns_inside_a_bracket_list(read_list: ReadList) -> None:
    rules, rejected = read_list(
        "## 1.1. Kilmininkas\n\nNematau kalnus (= kalnų).\n\n"
        "| Klaida | Taisymas |\n|---|---|\n| Laukiu autobusui. | Laukiu autobuso. |\n| Bijau šuo. |  |\n"
    )
    assert [(e.bad, e.good, e.evidence.line) for e in pairs_of(rules)] == [
        ("Nematau kalnus.", "Nematau kalnų.", 3),
        ("Laukiu autobusui.", "Laukiu autobuso.", 7),
    ]
    assert [(item.line, item.reason) for item in rejected] == [(8, "the column 'Taisymas' is empty")]


def test_an_unknown_notation_names_the_known_ones(read_list: ReadList) -> None:
    with pytest.raises(ConfigError, match=r"unknown notation 'nosuch'; known: arrows, .*columns, .*ticks, .*vlkk"):
        read_list("Nematau kalnus (= kalnų).", notation="nosuch")


def test_the_sample_list_reads_as_its_author_meant_it(read_list: ReadList) -> None:
    rules, rejected = read_list(SAMPLE.read_text(encoding="utf-8"))
    assert rejected == []
    found = {(e.bad, e.good): (r.code, e.evidence.line) for r in rules for e in r.examples if e.bad is not None}
    exceptions = {s for r in rules for e in r.examples if e.exception for s in (e.good, *e.alternatives)}
    wanted: dict[tuple[str, str], tuple[str, int]] = {}
    excepted: set[str] = set()
    for line in TRUTH.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("exception"):
            excepted |= set(row["good"])
            continue
        goods = [(row["bad"], good) for good in row["good"]]
        alone = [(item["bad"], item["good"]) for item in row.get("each_alone", [])]
        wanted |= dict.fromkeys([*goods, *alone], (row["code"], row["line"]))
    assert found == wanted
    assert exceptions == excepted


@pytest.mark.skipif(not REAL.exists(), reason="the real lists are not here")
def test_the_published_pairs_are_found_in_the_real_list(read_list: ReadList) -> None:
    from error_lists import fault, read_published, verbatim

    text = (REAL / "vlkk" / "section3-linksniu-vartojimas.md").read_text(encoding="utf-8")
    rules, rejected = read_list(text)
    published = [row for row in read_published(REAL) if row.origin == "vlkk"]
    rows = verbatim(published, text)
    faults = [fault(row, [(rule, e) for rule in rules for e in rule.examples]) for row in rows]
    assert len(rows) == 155
    assert rejected == []
    assert sum(f == "bad sentence not found" for f in faults) <= 2
    assert sum(f is None for f in faults) >= 147
    kept = {comparison_key(s) for r in rules for e in r.examples if e.exception for s in (e.good, *e.alternatives)}
    assert all(comparison_key(row.good) in kept for row in published if row.exception)
