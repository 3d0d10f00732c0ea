"""Lists with a label or a sign before each wording, and lists that mix notations."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from list_parts import ReadList, readings

from pairwright.core.ids import content_id
from pairwright.core.records import Block, Rejection
from pairwright.sources.error_list.notation import load_notation
from pairwright.sources.error_list.wordings import ListedPair, listed_pairs

LISTS = tomllib.loads(Path(__file__).with_name("labelled_lists.toml").read_text(encoding="utf-8"))["list"]


@pytest.mark.parametrize("written", LISTS, ids=lambda written: str(written["name"]))
def test_labelled_lists_of_different_people(read_list: ReadList, written: dict[str, Any]) -> None:
    rules, rejected = read_list(
        written["text"].lstrip("\n"), suffix=Path(written["name"]).suffix, notation=None,
        language=written.get("language", "en"),
    )  # fmt: skip
    expected = [(*pair, False) for pair in written["pairs"]] + [(*pair, True) for pair in written.get("guesses", [])]
    assert sorted(readings(rules)) == sorted(expected)
    for line in written.get("unused", []):
        assert any(line in item.text or item.text in line for item in rejected), line


def test_right_wordings_of_one_wrong_one_are_alternatives_of_each_other(read_list: ReadList) -> None:
    rules, _ = read_list("- Wrong: Me go. Right: I go. Right: I am going.\n- Wrong: He eat. Right: He eats.\n",
                         notation="wrong-right", language="en")  # fmt: skip
    assert [(each.good, each.alternatives, each.default) for each in rules[0].examples] == [
        ("I go.", ("I am going.",), True),
        ("I am going.", ("I go.",), False),
        ("He eats.", (), True),
    ]


def test_a_guess_names_the_other_right_wordings_of_its_block(read_list: ReadList) -> None:
    text = "Wrong: Two boat sink.\nWrong: Two car stop.\nRight: Two cars stop.\nRight: Two boats sink.\n"
    rules, _ = read_list(text, notation="wrong-right", language="en")
    assert [(each.bad, each.good, each.alternatives, each.uncertain) for each in rules[0].examples] == [
        ("Two boat sink.", "Two boats sink.", ("Two cars stop.",), True),
        ("Two car stop.", "Two cars stop.", ("Two boats sink.",), True),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wrong: it were cold, right: it was cold\n", [("it were cold", "it was cold", False)]),
        ("❌ Wrong: She run.\n✅ Right: She runs.\n", [("She run.", "She runs.", False)]),
        ("Wrong:\nShe run.\nRight:\nShe runs.\n", [("She run.", "She runs.", False)]),
        ("Wrong: The boy in the\ngarden run. Right: The boy in the garden runs.\n",
         [("The boy in the garden run.", "The boy in the garden runs.", False)]),
        ("Wrong: She run (home). Right: She runs (home).\n", [("She run (home).", "She runs (home).", False)]),
        ("Wrong: She run. (Right: She runs.)\n", [("She run.", "She runs.", False)]),
        ("Wrong: Stones are heavy. Right: I sing.\n", [("Stones are heavy.", "I sing.", True)]),
        ("Wrong (formal): She run. Right (formal): She runs.\n", [("She run.", "She runs.", False)]),
        ("**Wrong:** ~~She run.~~ **Right:** She runs.\n", [("She run.", "She runs.", False)]),
        ("Wrong: she runs. Right: She runs.\n", [("she runs.", "She runs.", False)]),
        ("Wrong: She run. Right: She runs / goes.\n", [("She run.", "She runs / goes.", True)]),
    ],
)  # fmt: skip
def test_forms_of_labels(read_list: ReadList, text: str, expected: list[tuple[str, str, bool]]) -> None:
    rules, rejected = read_list(text, notation=None, language="en")
    assert rejected == []
    assert readings(rules) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Wrong: She run.\n- Right: She runs.\n- Wrong: We sits.\n- Right: We sit.\n",
         [("She run.", "She runs.", False), ("We sits.", "We sit.", False)]),
        ("Wrong: She run.\n\nRight: She runs.\n", [("She run.", "She runs.", False)]),
        ("| text |\n|---|\n| Wrong: She run. |\n| Right: She runs. |\n", [("She run.", "She runs.", False)]),
        ("- Wrong: She run.\n- Right: She runs.\n- Right: She sings.\n",
         [("She run.", "She runs.", True)]),
        ("- Wrong: She run.\n- Right: I sing.\n", [("She run.", "I sing.", True)]),
    ],
)  # fmt: skip
def test_wrong_and_right_may_stand_in_items_of_their_own(
    read_list: ReadList, text: str, expected: list[tuple[str, str, bool]]
) -> None:
    rules, rejected = read_list(f"Wrong: A dog bark. Right: A dog barks.\n\n{text}", notation=None, language="en")
    assert rejected == []
    assert readings(rules) == [("A dog bark.", "A dog barks.", False), *expected]


@pytest.mark.parametrize(
    "text",
    ["- Wrong: She run.\n- Some text.\n- Right: She runs.\n", "- Wrong: She run.\n\n# More\n\n- Right: She runs.\n"],
)
def test_other_items_and_headings_part_wrong_from_right(read_list: ReadList, text: str) -> None:
    _, rejected = read_list(f"Wrong: A dog bark. Right: A dog barks.\n\n{text}", notation=None, language="en")
    assert {item.text for item in rejected} == {"She run.", "She runs."}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=5))
def test_every_labelled_wording_is_in_a_pair_of_its_item_or_its_neighbours_or_rejected(items: list[list[bool]]) -> None:
    notation, blocks = load_notation("wrong-right"), []
    for line, item in enumerate(items, start=1):
        labelled = [
            f"{'Wrong' if is_wrong else 'Right'}: We say {line} {place}." for place, is_wrong in enumerate(item)
        ]
        text = " ".join(labelled)
        blocks.append(Block(id=content_id("block", line), source_id="s", kind="list_item", text=text, file="f", page=1,
                            line=line, reader="r"))  # fmt: skip
    read = list(listed_pairs(blocks, notation))
    pairs = [item for item in read if isinstance(item, ListedPair)]
    halves = {line for line, item in enumerate(items, start=1) if any(item) == all(item)}
    for pair in pairs:
        first, *_, last = sorted(int(text.split()[2]) for text in (pair.bad, *pair.goods))
        assert first == last or halves >= set(range(first, last + 1))
    said = " ".join([text for pair in pairs for text in (pair.bad, *pair.goods)])
    lines = {item.line for item in read if isinstance(item, Rejection)}
    for line, item in enumerate(items, start=1):
        for place in range(len(item)):
            assert f"We say {line} {place}." in said or line in lines


MIXED = (
    "Wrong: She run. Right: She runs.\n\nWrong: He sit. Right: He sits.\n\n| Wrong | Right |\n|---|---|\n"
    "| It rain. | It rains. |\n\n*They goes. → They go.\n\nWe was → We were\n\nIt were (= was) here.\n"
)


def test_notations_whose_signs_stand_for_nothing_else_are_read_together_and_others_named(read_list: ReadList) -> None:
    rules, rejected = read_list(MIXED, notation=None, language="en")
    goods = [good for _, good, _ in readings(rules)]
    assert goods == ["She runs.", "He sits.", "It rains.", "They go.", "It was here."]
    assert [(item.line, item.reason.split("'")[1]) for item in rejected] == [(11, "bare-arrows")]
    assert "a list of their own, with --notation bare-arrows" in rejected[0].reason


def test_with_a_named_notation_what_others_would_read_is_named(read_list: ReadList) -> None:
    rules, rejected = read_list(MIXED, notation="columns", language="en")
    assert [good for _, good, _ in readings(rules)] == ["It rains."]
    assert sorted((item.line, item.reason.split("'")[1]) for item in rejected) == [
        (1, "wrong-right"), (3, "wrong-right"), (9, "arrows"), (11, "bare-arrows"), (13, "vlkk"),
    ]  # fmt: skip
    assert "name no notation, and both are read" in next(item.reason for item in rejected if item.line == 1)


@pytest.mark.parametrize(
    "text",
    ["Wrong: a b. Right: a c. " * 3_000, "Wrong: a b.\n" * 3_000 + "Right: a c.\n" * 3_000],
    ids=["line", "lines"],
)
def test_endless_labels_are_rejected_at_once(text: str) -> None:
    block = Block(id="b", source_id="s", kind="paragraph", text=text, file="f", page=1, line=1, reader="r")
    read = list(listed_pairs([block], load_notation("wrong-right")))
    assert {item.reason for item in read if isinstance(item, Rejection)} == {
        "more than 40 wordings stand together; split them"
    }
    assert not any(isinstance(item, ListedPair) for item in read)
