"""Queues: who gets which pair, what a sheet shows, and that no cell of a person is ever lost."""

import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_queue import BAD, COMMENT, DECISION, GOOD, QueueFixture, make_pair
from workspace_parts import write_words

from made_records import make_checked, make_source
from pairwright.contrasts import load_contrasts
from pairwright.core.config import ReviewSettings
from pairwright.core.errors import ConfigError, ReviewError
from pairwright.core.records import Block, Contrast, Evidence, Finding, Gloss, LLMCall
from pairwright.core.store import write_jsonl
from pairwright.core.workspace import Workspace
from pairwright.languages import load_language
from pairwright.languages.linguistics.glosses import GlossedBook, glossed_sentences
from pairwright.pipeline.review import read_context
from pairwright.sources.treebank.candidates import declared_rules

LOREM = "Antradienį lijo ir pūtė vėjas"
ODD_NAMES = ("../ana", "Ana", "", "a b", "ąna", "-ana", "a/b", ".ana", "a\n", "a" * 65)


def assigned(queue: QueueFixture, *reviewers: str) -> dict[str, list[str]]:
    return {reviewer: queue.ids(reviewer) for reviewer in reviewers}


def test_a_sheet_shows_the_pair_its_rule_and_its_place_and_leaves_room_for_the_answer(queue: QueueFixture) -> None:
    pair = make_pair("Prie namo auga liepa.", "Prie namą auga liepa.", alternatives=("Šalia namo auga liepa.",))
    queue.pairs = [make_checked(pair)]
    queue.export()
    assert queue.rows("jonas") == [
        {
            "Poros ID": pair.id,
            "Vertintojas": "jonas",
            "Taisyklė": "1.1 Taisyklė 1.1",
            "Taisyklingas sakinys": "Prie namo auga liepa.",
            "Klaidingas sakinys": "Prie namą auga liepa.",
            "Kuo skiriasi": "namo → namą",
            "Kiti taisymai": "1) Šalia namo auga liepa.",
            "Pavyzdžiai": "Laukiu draugo. (*Laukiu draugą.) | Noriu miego.",
            "Šaltinis": "Klaidų sąrašas, klaidos.md:7",
            DECISION: "",
            GOOD: "",
            BAD: "",
            COMMENT: "",
            "Kaip pateikta (nekeisti)": "",
        }
    ]
    assert [*queue.rows()[0]][3:6] == ["Taisyklingas sakinys", "Klaidingas sakinys", "Sprendimas"]


def test_rules_of_contrast_files_have_their_titles_in_the_reviewers_language(tmp_path: Path) -> None:
    workspace, source = Workspace(tmp_path), make_source(language="lt")
    (contrast,) = (one for one in load_contrasts("lt") if one.name == "object-case-negation")
    write_jsonl(workspace.work(source.id) / "rules.jsonl", declared_rules([contrast], source))
    write_jsonl(workspace.work(source.id) / "checked.jsonl", [])
    titles = {}
    for code in ("lt", "en"):
        context = read_context(workspace, source, "q", ReviewSettings(language=code))
        titles[code] = next(iter(context.rules.values())).title
    assert titles == {"lt": "Neigimo kilmininkas", "en": "Genitive of negation"}


def test_only_pairs_that_passed_are_asked_about_and_alternatives_only_on_request(queue: QueueFixture) -> None:
    default = make_pair("Laukiu traukinio.", "Laukiu traukinį.")
    other = make_pair("Sulaukiu traukinio.", "Laukiu traukinį.", parent_id=default.id)
    mended = make_pair("Laukiu greitojo traukinio.", "Laukiu traukinį.", parent_id=default.id, method="manual")
    broken = make_pair("Laukiu", "Laukia")
    queue.pairs = [
        make_checked(default),
        make_checked(other),
        make_checked(mended),
        make_checked(broken, "no full stop"),
    ]
    queue.export()
    assert set(queue.ids()) == {default.id, mended.id}
    queue.set(alternatives=True)
    queue.export()
    assert queue.ids()[-1] == other.id


def test_rows_are_in_the_order_of_the_source_where_that_is_asked_for(queue: QueueFixture) -> None:
    queue.set(order="source")
    queue.pairs.reverse()
    queue.export()
    assert [row["Taisyklė"][:3] for row in queue.rows()] == ["1.1", "1.1", "1.1", "1.2", "1.2"]


def test_the_instructions_stand_beside_the_sheets_and_are_rewritten_only_when_they_change(queue: QueueFixture) -> None:
    path = queue.export().instructions
    assert path.name == "INSTRUCTIONS.lt.txt"
    text = path.read_bytes().decode("utf-8-sig")
    assert all(decision in text for decision in ("gerai", "taisyti", "atmesti", "neaišku"))
    before = path.stat().st_mtime_ns
    queue.export()
    assert path.stat().st_mtime_ns == before
    path.write_text("senos taisyklės", encoding="utf-8")
    queue.export()
    assert path.read_bytes().decode("utf-8-sig") == text
    queue.language = load_language("sjd")  # without words of its own
    assert "approve" in queue.export("english").instructions.read_text(encoding="utf-8-sig")
    assert {"Pair ID", "Decision", "Comment"} <= set(queue.rows(queue="english")[0])


def test_two_columns_with_one_title_are_refused(queue: QueueFixture, tmp_path: Path) -> None:
    write_words(tmp_path, "sjd", "columns-good = Lause\ncolumns-bad = lause:\n")
    queue.language = load_language("sjd", tmp_path)
    with pytest.raises(ConfigError, match="two columns have the same title"):
        queue.export()


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n_pairs=st.integers(1, 40), n_reviewers=st.integers(1, 5), per_pair=st.integers(1, 5), start=st.integers(0, 10**6)
)
def test_each_pair_goes_to_as_many_reviewers_as_asked_and_the_sheets_are_even(
    n_pairs: int, n_reviewers: int, per_pair: int, start: int, queue: QueueFixture
) -> None:
    queue = queue.fresh()
    names = tuple(f"r{number}" for number in range(n_reviewers))
    per_pair = min(per_pair, n_reviewers)
    queue.settings = ReviewSettings(reviewers=names, per_pair=per_pair)
    queue.pairs = []
    queue.add_pairs(n_pairs, start=start)
    export = queue.export()
    sizes = [sheet.n_new for sheet in export.sheets]
    assert sum(sizes) == n_pairs * per_pair
    assert max(sizes) - min(sizes) <= 1
    again = queue.export()
    assert [(sheet.n_new, sheet.n_kept) for sheet in again.sheets] == [(0, size) for size in sizes]


def test_reviewers_do_not_always_meet_the_same_colleague_but_the_same_on_every_machine(
    queue: QueueFixture, tmp_path: Path
) -> None:
    names = ("ana", "jonas", "ona", "petras")
    queue.settings = ReviewSettings(reviewers=names, per_pair=2)
    queue.add_pairs(60)
    queue.export()
    sheets = assigned(queue, *names)
    met = Counter(name for name in names[1:] for pair in sheets["ana"] if pair in sheets[name])
    assert min(met[name] for name in names[1:]) >= 3
    queue.annotations = tmp_path / "elsewhere"
    queue.export()
    assert assigned(queue, *names) == sheets


def test_a_reviewer_who_joins_later_is_asked_in_place_of_the_unsure_and_gets_new_pairs(exported: QueueFixture) -> None:
    before = assigned(exported, "ana", "jonas")
    exported.answer({0: "neaišku"}, "jonas")
    assert exported.export().n_short == 1
    exported.settings = ReviewSettings(reviewers=("ana", "jonas", "ona"), per_pair=2)
    assert [sheet.n_new for sheet in exported.export().sheets] == [0, 0, 1]
    assert exported.ids("ona") == [exported.id(0)]
    exported.add_pairs(5)
    assert exported.export().n_short == 0
    after = assigned(exported, "ana", "jonas", "ona")
    assert len(after["ona"]) == 6
    assert {name: after[name][: len(pairs)] for name, pairs in before.items()} == before


def test_an_alternative_that_a_reviewer_takes_as_the_correction_goes_to_the_others(queue: QueueFixture) -> None:
    default = queue.pairs[0].candidate
    other = make_pair("Palaukiu autobuso.", default.bad, parent_id=default.id)
    queue.pairs.append(make_checked(other))
    queue.export()
    assert other.id not in queue.ids("jonas")
    queue.answer({default.good: {DECISION: "taisyti", GOOD: other.good}})
    queue.export()
    shown = assigned(queue, "ana", "jonas")
    assert (other.id in shown["ana"], other.id in shown["jonas"]) == (False, True)


def test_nobody_gets_more_rows_than_their_quota_and_what_is_left_over_is_counted(queue: QueueFixture) -> None:
    queue.settings = ReviewSettings(reviewers=("ana", "jonas", "ona"), per_pair=2, quota=3)
    export = queue.export()
    assert [sheet.n_new for sheet in export.sheets] == [3, 3, 3]
    assert export.n_short == 1
    queue.set(quota=4)
    export = queue.export()
    assert sum(sheet.n_new for sheet in export.sheets) == 1
    assert export.n_short == 0


def test_a_sheet_that_is_gone_is_written_again_with_the_answers_that_were_taken_over(exported: QueueFixture) -> None:
    exported.answer({0: {DECISION: "g", COMMENT: "=tikrai"}})
    order = assigned(exported, "ana")
    exported.path().unlink()
    exported.export()
    assert assigned(exported, "ana") == order
    row = next(row for row in exported.rows() if row["Poros ID"] == exported.id(0))
    assert (row[DECISION], row[COMMENT]) == ("gerai", "'=tikrai")
    assert exported.import_sheets().sheets[0].n_changed == 0


# What people put into their cells: formulas, quotation marks, separators, line breaks.
human = st.text(alphabet="aąž \"';,\t\n=+-@.", max_size=12)


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.tuples(human, human, human, human, human), min_size=5, max_size=5),
    separator=st.sampled_from(";,\t"),
    seed=st.integers(0, 10**9),
)
def test_no_cell_of_a_person_changes_when_a_sheet_is_topped_up(
    cells: list[tuple[str, ...]], separator: str, seed: int, queue: QueueFixture
) -> None:
    queue = queue.fresh()
    queue.export()
    rows = queue.rows()
    for row, answer in zip(rows, cells, strict=True):
        row["Mano stulpelis"] = answer[4]
        row.update(
            zip(("Sprendimas", "Pataisytas taisyklingas", "Pataisytas klaidingas", "Pastaba"), answer, strict=False)
        )
    columns = list(rows[0])
    random.Random(seed).shuffle(columns)
    rows = [{column: row[column] for column in columns} for row in rows]
    queue.save(rows)
    queue.add_pairs(2, start=100)
    queue.set(separator=separator)
    queue.export()
    found = queue.rows() if separator == ";" else queue.rows(separator=separator)
    # A cell that would run as a formula is guarded; nothing else changes, and the columns keep their order.
    plain = [{column: unguarded(cell) for column, cell in row.items()} for row in found]
    assert plain[:5] == [{column: unguarded(cell) for column, cell in row.items()} for row in rows]
    assert [row["Taisyklingas sakinys"] for row in found[5:]] == ["Laukiu 100 autobuso.", "Laukiu 101 autobuso."]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for row in found for cell in row.values())


def unguarded(cell: str) -> str:
    bare = cell.lstrip("'")
    return cell[1:] if cell.startswith("'") and bare.startswith(("=", "+", "-", "@", "\t", "\n")) else cell


@pytest.mark.parametrize("encoding", ["cp1257", "utf-16", "utf-8"])
def test_a_sheet_that_excel_saved_is_topped_up_with_its_answers_and_untouched_where_nothing_is_new(
    encoding: str, exported: QueueFixture
) -> None:
    exported.fill({1: {DECISION: "neaišku", COMMENT: "žąsų šėrėjas? „gal“"}})
    exported.path().write_bytes(exported.path().read_bytes().decode("utf-8-sig").encode(encoding, "replace"))
    before = exported.path().read_bytes()
    exported.export()
    assert exported.path().read_bytes() == before
    exported.add_pairs(1)
    exported.export()
    said = {row["Taisyklingas sakinys"]: row[COMMENT] for row in exported.rows() if row[COMMENT]}
    assert said == {exported.good(1): "žąsų šėrėjas? „gal“"}
    assert len(exported.rows()) == 6
    assert exported.path().read_bytes().startswith(b"\xef\xbb\xbf")


def test_rows_of_lost_pairs_that_nobody_answered_are_taken_out_and_said_and_come_back_with_them(
    exported: QueueFixture,
) -> None:
    exported.answer({1: "gerai", 2: {COMMENT: LOREM}})
    lost, intact = exported.pairs[:3], exported.path("jonas").read_bytes()
    gone, *written = (pair.candidate.id for pair in lost)
    del exported.pairs[:3]
    exported.path("jonas").write_bytes(b"PK\x03\x04 no workbook")
    assert exported.export().n_withdrawn == 0  # where a sheet can't be read
    exported.path("jonas").write_bytes(intact)
    export = exported.export()
    assert export.withdrawn_line == "2 rows taken out: no longer asked about, and nobody had answered"
    for rows in assigned(exported, "ana", "jonas").values():
        assert gone not in rows
        assert set(written) < set(rows)
    assert exported.export().withdrawn_line is None
    exported.pairs += lost
    exported.export()
    assert exported.ids().count(gone) == 1


def test_a_sheet_gets_a_column_with_the_first_pair_that_needs_it_and_findings_on_request_alone(
    queue: QueueFixture,
) -> None:
    finding = Finding(check="judge", level="warning", message="both may be acceptable")
    queue.pairs[0] = queue.pairs[0].model_copy(update={"findings": (finding,)})
    queue.set(order="source")
    queue.export()
    assert b"both may be acceptable" not in queue.path().read_bytes()
    assert "Vertimas" not in queue.rows()[0]
    queue.fill({0: {COMMENT: LOREM}})
    written = make_pair("Šuo laukia kaulo.", "Šuo laukia kaulą.", translation="The dog waits for a bone.")
    queue.pairs.append(make_checked(written))
    queue.export()
    first, *_, last = queue.rows()
    assert (first[COMMENT], first["Vertimas"] or "", last["Vertimas"]) == (LOREM, "", "‘The dog waits for a bone.’")
    assert queue.import_sheets().doubts == ()
    queue.set(show_findings=True)
    queue.export("atvira")
    assert "both may be acceptable" in queue.path(queue="atvira").read_text(encoding="utf-8-sig")


RULE, DIFFERS, SOURCE, BASIS, EXAMPLES = "Taisyklė", "Kuo skiriasi", "Šaltinis", "Kuo pora pagrįsta", "Pavyzdžiai"
BANNED = {
    "title": "objektui reikšti",
    "phenomenon": "Galininkas nevartotinas",
    "description": "Galininkas nevartotinas: objektui reikšti",
}
STATED = {
    "contrast": Contrast(licence="obligatory", what="genitive, not accusative"),
    "title": "Commands",
    "quote": "The object of a command is in the genitive.",
}
ASKED = LLMCall(prompt="extract_rules/v6", prompt_sha256="0" * 64, server="s", model="m", reply="0" * 64)
QUOTE = "Laukiu draugą (= draugo (geriausio)) (šnek.)."
FROM = "pagal šaltinio sakinį: knyga.pdf, p. 12"
STANDS = "taisyklingas sakinys yra šaltinyje: knyga.pdf, p. 12"
WORDS = {"segmentation": "Šuo lauk-ia katės", "gloss": "dog wait-PRS cat.GEN"}
CAT, CAT_BAD = "Šuo laukia katės.", "Šuo laukia katę."
RULE_PLACE = Evidence(block_id="block-9", file="knyga.pdf", page=12, quote="The accusative is ruled out.")
RULED_OUT = {"contrast": Contrast(licence="banned", what="genitive, not accusative", evidence=RULE_PLACE)}
WRITTEN = {"method": "llm", "attested_ids": ("block-0",), "new_words": ("kaulo",), **WORDS}


@pytest.mark.parametrize(
    ("rule", "sentences", "fields", "cells"),
    [
        # A list names what is banned and marks the bracket that corrects; the pair's own example says nothing new.
        (BANNED, ("Laukiu draugo.", "Laukiu draugą (šnek.)."), {"quote": QUOTE}, {
            RULE: "1.1 Galininkas nevartotinas: objektui reikšti",
            SOURCE: "Klaidų sąrašas, klaidos.md:7: “Laukiu draugą ⟦(= draugo (geriausio))⟧ (šnek.).”",
            EXAMPLES: "Noriu miego.",
        }),
        ({}, ("Einu į namus.", "Einu namus."), {"page": 12, "line": None}, {
            SOURCE: "Klaidų sąrašas, klaidos.md, p. 12", DIFFERS: "į → ∅",
        }),
        # A model's rule has the number of its section, a rule of a grammar the words of the book.
        ({"code": "1.1-366f", "title": "Taisyklė", "asked": (ASKED,)}, (CAT, CAT_BAD), {}, {RULE: "1.1 Taisyklė"}),
        ({"code": "366f8a02", "title": "Taisyklė", "asked": (ASKED,)}, (CAT, CAT_BAD), {}, {RULE: "Taisyklė"}),
        (STATED, (CAT, CAT_BAD), {}, {RULE: "1.1 Commands: “The object of a command is in the genitive.”"}),
        *(({}, sentences, {}, {DIFFERS: differs}) for sentences, differs in (
            ((CAT, CAT_BAD), "katės (cat.GEN) → katę (cat.ACC)"),
            ((CAT, "Šuo katės laukia."), "laukia katės → katės laukia"),
            ((CAT, "Šuo laukia kaulo."), "katės (cat.GEN) → kaulo"),
            ((CAT, "Šuo laukia."), "katės (cat.GEN) → ∅"),
        )),
        # A sentence stands in the source only letter by letter.
        *(({}, (good, "Šuo laukiame katės."), {"attested_ids": ("block-0",)}, {BASIS: basis}) for good, basis in (
            (CAT, STANDS), ("šuo laukia katės!", STANDS), ("Šuo laukia", FROM), ("Suo laukia katės", FROM),
        )),
        ({}, (CAT, CAT_BAD), {"attested_ids": ("block-0",), **WORDS}, {
            "Vertimas": "Šuo lauk-ia katės | dog wait-PRS cat.GEN", BASIS: STANDS,
        }),
        # Who says that the bad sentence is bad, who wrote it, what it was made from, and what the source does not have.
        *((RULED_OUT, ("Šuo laukia kaulo.", "Šuo laukia kaulą."), WRITTEN, {BASIS: basis}) for basis in (
            "taip sakyti neleidžia šaltinis: “The accusative is ruled out.”", "klaidingą sakinį sudarė kalbos modelis",
            f"{FROM} | Šuo lauk-ia katės | dog wait-PRS cat.GEN", "kurių šaltinyje nėra: kaulo",
        )),
    ],
)  # fmt: skip
def test_a_row_shows_the_rule_the_difference_the_place_and_what_a_pair_rests_on(
    rule: dict[str, Any], sentences: tuple[str, str], fields: dict[str, Any], cells: dict[str, str], queue: QueueFixture
) -> None:
    first = next(iter(queue.rules.values()))
    queue.rules[first.id] = first.model_copy(update=rule)
    blocks = glossed("Šuo lauk-ia katės", "Mato katę")
    queue.glosses, queue.attested = GlossedBook(glossed_sentences(blocks)), {block.id: block for block in blocks}
    pair = make_pair(*sentences)
    place: dict[str, Any] = {name: fields[name] for name in ("quote", "page", "line") if name in fields}
    own = {name: value for name, value in fields.items() if name not in place}
    pair = pair.model_copy(update={"evidence": pair.evidence.model_copy(update=place), **own})
    queue.pairs = [make_checked(pair)]
    queue.export()
    (row,) = queue.rows()
    for title, text in cells.items():
        assert text in row[title] if title == BASIS else text == row[title]


GLOSSES = {"Šuo": "dog", "lauk-ia": "wait-PRS", "katės": "cat.GEN", "Mato": "see.PRS", "katę": "cat.ACC"}


def glossed(*sentences: str) -> list[Block]:
    """Examples of a grammar, glossed."""
    blocks = []
    for number, words in enumerate(map(str.split, sentences)):
        leaf = Gloss(segmentation=tuple(words), glosses=(tuple(GLOSSES[word] for word in words),))
        place: Any = {"id": f"block-{number}", "source_id": "mini", "file": "knyga.pdf", "page": 12, "reader": "t"}
        blocks.append(Block(kind="gloss", text=" ".join(words), gloss=leaf, **place))
    return blocks


@pytest.mark.parametrize(("new", "encoding"), [("Laukiu autobuso.", "cp775"), ("Laukiu traukinio.", "cp1257")])
def test_a_sheet_whose_encoding_is_in_doubt_is_not_written_on_and_stops_nobody(
    new: str, encoding: str, exported: QueueFixture
) -> None:
    """Bytes of an encoding that is not among the known ones, or a sentence that was edited in an old one."""
    exported.edit("Laukiu autobuso.", new)
    text = exported.path().read_bytes().decode("utf-8-sig")
    exported.path().write_bytes(text.encode(encoding, "replace"))
    before = exported.path().read_bytes()
    exported.answer({1: "gerai"}, "jonas")
    exported.add_pairs(1)
    (fault,) = exported.export().faults
    assert re.search(r"ana\.csv:\d:[DE]: column '.*the encoding of the file is in doubt", fault)
    assert exported.path().read_bytes() == before
    assert len(exported.rows("jonas")) == 6
    assert (exported.id(1), "jonas") in exported.latest


@pytest.mark.parametrize(
    ("name", "reviewers", "words"),
    [
        *((name, ("ana", "jonas"), "not a plain name") for name in ODD_NAMES),
        *(("linksniai", ("ana", name), "not a plain name") for name in ODD_NAMES),
        ("linksniai", ("ana",), "name more or lower per_pair"),
        ("linksniai", (), "0 named"),
        ("linksniai", ("ana", "ana"), "named twice"),
        ("linksniai", ("ana", "jonas"), "unknown rule"),
    ],
)
def test_names_that_are_not_plain_and_settings_that_cannot_be_met_are_refused(
    name: str, reviewers: tuple[str, ...], words: str, queue: QueueFixture
) -> None:
    queue.settings = ReviewSettings(reviewers=reviewers, per_pair=2)
    queue.rules.popitem()
    with pytest.raises(ReviewError, match=words):
        queue.export(name)
    assert not queue.annotations.exists()


ENDLESS_EXPORT = """
import sys
from pathlib import Path
from pairwright.core.config import ReviewSettings
from pairwright.languages import load_language
from pairwright.core.records import CheckedPair, Rule, Source
from pairwright.review.log import ReviewContext
from pairwright.review.assign.export import export_queue
from pairwright.core.store import read_jsonl

folder = Path(sys.argv[1])
pairs = [(pair.candidate.id, pair) for pair in read_jsonl(folder / "pairs.jsonl", CheckedPair)]
rules = {rule.id: rule for rule in read_jsonl(folder / "rules.jsonl", Rule)}
source = Source(id="mini", title="t", language="lt", kind="error-list", licence="x", citation="x",
                files=[{"path": "a", "sha256": "0" * 64}])
print("ready", flush=True)
for count in range(6, len(pairs)):
    settings = ReviewSettings(reviewers=("ana", "jonas"))
    export_queue(ReviewContext(folder / "annotations", "linksniai", source, dict(pairs[:count]), rules,
                               load_language("lt"), settings))
"""


def test_an_export_killed_at_any_moment_loses_no_cell(exported: QueueFixture, tmp_path: Path) -> None:
    answers = {number: {DECISION: "neaišku", COMMENT: f"{LOREM} {number}"} for number in range(len(exported.pairs))}
    exported.fill(answers)
    filled = [list(row.values()) for row in exported.rows()]
    exported.add_pairs(500)
    write_jsonl(tmp_path / "pairs.jsonl", exported.pairs)
    write_jsonl(tmp_path / "rules.jsonl", exported.rules.values())
    chance, n_bytes = random.Random(7), len(exported.path().read_bytes())
    for number in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_EXPORT, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.0, 0.3))
        while number == 2 and len(exported.path().read_bytes()) == n_bytes:
            time.sleep(0.01)  # until one of the exports is whole
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert [list(row.values()) for row in exported.rows()][: len(filled)] == filled
    assert len(filled) < len(exported.rows()) < len(exported.pairs)
    exported.export()
    assert [list(row.values()) for row in exported.rows()][: len(filled)] == filled
    assert len(exported.rows()) == len(exported.rows("jonas")) == len(exported.pairs)
    assert not list(exported.path().parent.glob(".*.tmp"))
