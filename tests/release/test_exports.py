"""What the exports say, read as plain files. `test_export_tools.py` loads them with the tools that they are for."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from release_parts import PAIRS, RULES, Build, make_pair, make_rule, make_source

from pairwright.core.records import Block, CheckedPair, Gloss
from pairwright.core.text import squeeze
from pairwright.release.contents.contents import uids
from pairwright.release.exports import EXPORTS
from pairwright.release.exports.tasks import euroeval_rows
from pairwright.release.verify import read_release


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def front_matter(card: str) -> dict[str, object]:
    metadata = yaml.safe_load(card.split("---\n")[1])
    assert isinstance(metadata, dict)
    return metadata


@pytest.fixture
def many() -> list[CheckedPair]:
    """Enough pairs for all splits."""
    return [make_pair(RULES["3.9"], f"Trūksta {n} litrų.", f"Trūksta {n} litrai.") for n in range(60)]


def test_blimp_files_have_blimps_keys_and_the_ids_of_the_pairs(build: Build) -> None:
    release = build().path
    assert sorted(path.name for path in (release / "blimp").iterdir()) == [
        "mini_3_10.jsonl", "mini_3_2.jsonl", "mini_3_9.jsonl",
    ]  # fmt: skip
    (record,) = lines(release / "blimp" / "mini_3_10.jsonl")
    assert record.keys() >= {
        "sentence_good", "sentence_bad", "field", "linguistics_term", "UID", "simple_LM_method", "one_prefix_method",
        "two_prefix_method", "lexically_identical", "pairID",
    }  # fmt: skip
    assert (record["UID"], record["pairID"]) == ("mini_3_10", PAIRS["wait"].candidate.id)
    assert (record["one_prefix_method"], record["lexically_identical"]) == (True, False)
    (other,) = lines(release / "blimp" / "mini_3_2.jsonl")
    assert other["one_prefix_method"] is False


def test_uids_are_plain_names_that_no_two_rules_share() -> None:
    rules = [
        make_rule("3.1", "A"),
        make_rule("3_1", "B"),
        make_rule("3-1", "C"),
        make_rule("", "D"),
        make_rule("Č/š ../x", "E"),
        make_rule("3.1", "F", source_id="other"),
        make_rule("3.1", "G").model_copy(update={"id": "rule-00000000000000aa"}),
        make_rule("9." * 60 + "9", "H"),
    ]
    rules += [make_rule("3.1", "I", source_id="mini-3"), make_rule("1", "J", source_id="mini-3-3")]
    names = uids(rules)
    assert len(set(names.values())) == len(rules)
    assert all(name.isascii() and name.replace("_", "").isalnum() and name == name.lower() for name in names.values())
    assert max(map(len, names.values())) < 100
    assert uids([make_rule("3.10", "A")]) == {make_rule("3.10", "A").id: "mini_3_10"}


def test_cue_words_and_the_critical_region_stand_in_turblimps_columns(build: Build) -> None:
    pairs = [
        make_pair(RULES["3.9"], "Mums laiko labai trūksta.", "Mums laikas labai trūksta."),
        make_pair(RULES["3.9"], "Mums trūksta laiko.", "Mums trūksta laikas."),
        make_pair(RULES["3.2"], "Ji pieštuku rašo laišką.", "Ji su pieštuku rašo laiškas."),
    ]
    rows = lines(build(pairs=pairs).path / "minicons" / "pairs.jsonl")
    columns = {row["good_sentence"]: (row["good_cue"], row["bad_cue"], row["critical_region"]) for row in rows}
    assert columns["Mums laiko labai trūksta."] == ("laiko", "laikas", "labai")
    assert columns["Mums trūksta laiko."] == ("laiko", "laikas", "")
    assert columns["Ji pieštuku rašo laišką."] == (" … laišką", "su … laiškas", "")


def test_exceptions_are_a_task_of_their_own(build: Build) -> None:
    exception = make_pair(RULES["3.2"], "Jis eina su lazda.", "Jis eina lazda.", exception=True)
    release = build((exception, "approve", "approve")).path
    tasks = yaml.safe_load((release / "lm_eval" / "_mini_cases.yaml").read_text(encoding="utf-8"))["task"]
    assert tasks == ["mini_cases_mini_3_2", "mini_cases_mini_3_9", "mini_cases_mini_3_10"]
    apart = yaml.safe_load((release / "lm_eval" / "exceptions.yaml").read_text(encoding="utf-8"))
    assert (apart["task"], apart["dataset_kwargs"]) == ("mini_cases_exceptions", {"exception": True})


FORMULA = "=+-@\t\r\n＝＋－＠"


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    starts=st.lists(st.text(st.sampled_from("=+-@'\"\t\r,;| ž＝"), min_size=1, max_size=6), min_size=40, max_size=40)
)
def test_programs_read_the_plain_sentences_and_people_open_no_formula(
    build: Build, tmp_path_factory: pytest.TempPathFactory, starts: list[str]
) -> None:
    pairs = [
        make_pair(RULES["3.9"], f"{start}Trūksta {n} litrų.", f"{start}Trūksta {n} litrai.")
        for n, start in enumerate(starts)
    ]
    release = build(pairs=pairs, into=tmp_path_factory.mktemp("cells")).path
    expected = [(one.sentence_good, one.sentence_bad) for one in read_release(release).pairs]
    assert [(row["good_sentence"], row["bad_sentence"]) for row in lines(release / "minicons/pairs.jsonl")] == expected
    assert [(row["sentence_good"], row["sentence_bad"]) for row in lines(release / "blimp/mini_3_9.jsonl")] == expected
    # Sentences that are alike go to one split, and a release without one of EuroEval's splits has no such files.
    assume((release / "euroeval").exists())
    labelled = [row for name in ("train", "val", "test") for row in table(release / f"euroeval/lt/{name}.csv")]
    labels = {row["text"]: row["label"] for row in labelled}
    assert {(squeeze(good), squeeze(bad)) for good, bad in expected} <= {
        (good, bad) for good in labels if labels[good] == "correct" for bad in labels if labels[bad] == "incorrect"
    }
    for path in sorted(release.rglob("*.csv")):
        if path.parent.name != "lt":
            assert not [cell for row in table(path) for cell in row.values() if cell and cell[0] in FORMULA], path
    assert "The CSV files in `euroeval/` are for programs" in (release / "README.md").read_text(encoding="utf-8")


def test_a_sentence_with_both_labels_is_left_out_and_listed(build: Build) -> None:
    one = make_pair(RULES["3.9"], "Trūksta pieno.", "Trūksta pienas.")
    two = make_pair(RULES["3.10"], "Trūksta pienas.", "Trūksta pieną.")
    rows, both = euroeval_rows(read_release(build(pairs=[one, two]).path).pairs)
    assert both == ["Trūksta pienas."]
    assert sorted(row for own in rows.values() for row in own) == [
        ("Trūksta pieno.", "correct"), ("Trūksta pieną.", "incorrect"),
    ]  # fmt: skip


def test_the_card_lists_every_export_that_was_made_and_why_not_others(build: Build, many: list[CheckedPair]) -> None:
    for result in (build(), build(pairs=many, name="many", settings={"items": 60})):
        left_out, card = result.info.left_out, (result.path / "README.md").read_text(encoding="utf-8")
        assert set(left_out) == ({"cldf"} if result.info.name == "many" else {"cldf", "euroeval", "tasks"})
        assert "- cldf: no rule of this release has a glossed example" in card
        for name in EXPORTS:
            assert (result.path / name).exists() is (name not in left_out)
            assert (f"\n| `{name}/" in card) is (name not in left_out)


def test_provenance_leads_to_the_page_and_the_votes_those_on_pairs_that_were_left_out_too(
    build: Build, tmp_path: Path
) -> None:
    wait, result = PAIRS["wait"].candidate.id, build()
    record = next(line for line in lines(result.path / "provenance.jsonl") if line["pair_id"] == wait)
    assert (record["file"], record["file_sha256"], record["page"], record["line"]) == ("list.md", "0" * 64, 1, 5)
    assert (record["rule_id"], record["rule_quote"]) == (RULES["3.10"].id, RULES["3.10"].quote)
    held = next(pair for pair in read_release(result.path).pairs if pair.id == wait)
    assert [vote.decision for vote in held.votes] == ["approve", "approve"]
    assert record["votes"] == [vote.model_dump() for vote in held.votes]
    again = build((PAIRS["wait"], "approve", "reject"), into=tmp_path / "again")
    rows = table(again.path / "votes.csv")
    own = [row for row in rows if row["pair_id"] == wait]
    assert sorted((row["decision"], row["released"]) for row in own) == [("approve", "false"), ("reject", "false")]
    assert len(rows) == 6
    # The canary is one for all releases of a name, and stands in every record.
    assert result.info.canary == again.info.canary != build(name="other-cases").info.canary
    records = ("pairs.jsonl", "pairs.csv", "blimp/mini_3_2.jsonl", "minicons/pairs.jsonl")
    for name in ("README.md", "croissant.json", *records):
        assert result.info.canary in (result.path / name).read_text(encoding="utf-8"), name


def test_pairs_of_phrases_are_marked_and_counted(build: Build, tmp_path: Path) -> None:
    phrase = make_pair(RULES["3.2"], "rašyti pieštuku", "rašyti su pieštuku", phrase=True)
    result = build(pairs=[*PAIRS.values(), phrase])
    assert [pair.sentence_good for pair in read_release(result.path).pairs if pair.phrase] == ["rašyti pieštuku"]
    assert "1 pair is of phrases or forms" in (result.path / "README.md").read_text(encoding="utf-8")
    assert "of phrases or forms" not in (build(into=tmp_path / "other").path / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("url", "quote", "published"),
    [
        ("https://example.org/list", "Kam trūksta drąsos? Mums trūksta laikas (= laiko).", True),
        ("https://example.org/list", "mums trūksta – laiko", True),
        ("https://example.org/list", "Mums trūksta laikas ir pinigai.", True),
        ("https://example.org/list", "Ir mums trūkstas laikas.", False),
        ("https://example.org/list", "Mums trūksta (stinga) laikas (= laiko).", True),
        ("https://example.org/list", "Mums trūksta (= stinga (ko)) laikas [sic].", True),
        ("https://example.org/list", "Mums trūksta (stinga laikas.", False),
        ("https://example.org/list", "(su)trūkti ko", False),
        (None, "Mums trūksta laikas (= laiko).", False),
    ],
)
def test_pairs_that_stand_word_by_word_at_an_address_are_marked(
    build: Build, url: str | None, quote: str, published: bool
) -> None:
    candidate = PAIRS["lack"].candidate
    evidence = candidate.evidence.model_copy(update={"quote": quote})
    moved = PAIRS["lack"].model_copy(update={"candidate": candidate.model_copy(update={"evidence": evidence})})
    result = build(pairs=[moved], sources=[make_source(url=url)])
    (pair,) = read_release(result.path).pairs
    assert pair.published_source is published
    card = (result.path / "README.md").read_text(encoding="utf-8")
    assert (f"{int(published)} of 1 pairs have a sentence that appears there verbatim" in card) is (url is not None)


def test_the_hubs_metadata_name_the_licence_the_language_and_the_splits(build: Build, many: list[CheckedPair]) -> None:
    card = front_matter((build(pairs=many).path / "README.md").read_text(encoding="utf-8"))
    assert (card["license"], card["language"], card["size_categories"]) == ("cc-by-4.0", ["lt"], ["n<1K"])
    configs = card["configs"]
    assert isinstance(configs, list)
    assert [file["split"] for file in configs[0]["data_files"]] == ["few_shot", "validation", "test"]
    odd = build(pairs=many, sources=[make_source(licence="Ask the academy")], name="odd").path
    card = front_matter((odd / "README.md").read_text(encoding="utf-8"))
    assert (card["license"], card["license_link"]) == ("other", "LICENSE")
    assert "Ask the academy, 60 pairs" in (odd / "LICENSE").read_text(encoding="utf-8")


def test_the_citation_names_authors_and_date_where_they_were_given(build: Build) -> None:
    details = {"authors": ["Petraitienė, Ona", "Kalbos grupė"], "title": "Linksniai"}
    result = build(settings=details, date="2026-05-04")
    fields = yaml.safe_load((result.path / "CITATION.cff").read_text(encoding="utf-8"))
    assert fields["authors"] == [{"family-names": "Petraitienė", "given-names": "Ona"}, {"name": "Kalbos grupė"}]
    assert (fields["date-released"], fields["license"], fields["title"]) == ("2026-05-04", "CC-BY-4.0", "Linksniai")


def test_glossed_examples_go_to_cldf_word_by_word(build: Build) -> None:
    leaf = Gloss(
        segmentation=("Man", "trūksta", "laik-o"),
        glosses=(("1SG.DAT", "lack.PRS.3", "time-GEN.SG"),),
        translation="I lack time",
    )
    unequal = Gloss(segmentation=("Man", "trūksta"), glosses=(("1SG.DAT",),))
    starred = leaf.model_copy(update={"judgement": "*"})
    written = leaf.model_copy(update={"surface": "Man trūksta laiko!"})
    parts = Gloss(parts=(leaf, unequal, starred, written))
    place: Any = {"id": "block-77", "source_id": "mini", "file": "list.md", "page": 12, "reader": "text"}
    block = Block(kind="example", text="x", gloss=parts, **place)
    rule = RULES["3.9"].model_copy(update={"example_ids": (block.id, "block-unknown")})
    sources = [make_source(), make_source("list", citation="Sąrašas, 2025")]
    release = build(rules={one.id: one for one in (*RULES.values(), rule)}, sources=sources, blocks={block.id: block})
    rows = table(release.path / "cldf" / "examples.csv")
    assert [row["ID"] for row in rows] == ["block-77-1", "block-77-3", "block-77-4"]
    # The primary text is the sentence as written, where the source has it.
    assert [row["Primary_Text"] for row in rows] == ["Man trūksta laiko", "Man trūksta laiko", "Man trūksta laiko!"]
    assert rows[0]["Gloss"].split("\t") == ["1SG.DAT", "lack.PRS.3", "time-GEN.SG"]
    assert (rows[0]["Translated_Text"], rows[0]["LGR_Conformance"], rows[0]["Source"]) == (
        "I lack time", "MORPHEME_ALIGNED", "mini[12]",
    )  # fmt: skip
    assert [row["Judgement"] for row in rows] == ["", "*", ""]
    assert {row["Rule_UID"] for row in rows} == {"mini_3_9"}
    assert (release.path / "cldf" / "sources.bib").read_text(encoding="utf-8").count("@misc") == 1
    metadata = json.loads((release.path / "cldf" / "Generic-metadata.json").read_text(encoding="utf-8"))
    assert metadata["dc:bibliographicCitation"] == "Pavyzdžių rinkinys, 2026"
    assert "cldf" not in release.info.left_out
