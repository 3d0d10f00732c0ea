"""From a document to checked pairs, without a workspace."""

from pathlib import Path

import pytest

import pairwright as pw

SOURCES = Path(__file__).parents[2] / "sources"


def test_an_error_list_gives_rules_pairs_and_checks() -> None:
    blocks = pw.read_source(SOURCES / "lt-sample" / "list.md", language="lt")
    folder = pw.read_source(SOURCES / "lt-sample")
    assert ([block.text for block in folder], folder.source.id) == ([block.text for block in blocks], "lt-sample")
    assert (blocks.source.language, blocks.source.kind, blocks.rejected) == ("lt", "error-list", ())
    rules = pw.find_rules(blocks)
    pairs = pw.make_pairs(rules)
    assert {pair.rule_id for pair in pairs} <= {rule.id for rule in rules}
    checked = pw.check_pairs(pairs, "lt", rules=rules)
    assert [pair.candidate for pair in checked] == pairs
    assert {pair.verdict for pair in checked} == {"pass"}


def test_what_makes_no_pair_is_rejected_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text("# Klaidos\n\n- Ji laukia autobusą (= autobuso).\n- Jis bijo (= šuns.\n", encoding="utf-8")
    rules = pw.find_rules(pw.read_source(path, language="lt"))
    assert [(pair.good, pair.bad) for pair in pw.make_pairs(rules)] == [("Ji laukia autobuso.", "Ji laukia autobusą.")]
    (rejected,) = rules.rejected
    assert (rejected.line, "Jis bijo" in rejected.text) == (4, True)


def test_pages_of_a_pdf_are_read_once_and_some_blocks_need_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIRWRIGHT_CACHE", str(tmp_path))
    read: list[int] = []
    book = SOURCES / "lt-sample-grammar" / "book.pdf"
    blocks = pw.read_source(book, language="lt", pages=(3, 4), progress=read.append)
    assert sorted(read) == [3, 4]
    assert {block.page for block in blocks} == {3, 4}
    assert pw.read_source(book, language="lt", pages=(3, 4), progress=read.append) == blocks
    assert len(read) == 2
    some = [block for block in blocks if block.page < 4]
    assert all(rule.page < 4 for rule in pw.find_rules(some, blocks.source))
    with pytest.raises(TypeError, match=r"blocks\.source"):
        pw.find_rules(some)
    with pytest.raises(pw.SourceError, match="pages 3-999"):
        pw.read_source(book, language="lt", pages=(3, 999))


@pytest.mark.parametrize(
    ("name", "language", "message"),
    [
        ("none.md", "lt", "no such file"),
        ("list.md", None, "say the language"),
        ("list.xyz", "lt", "can't tell what this is"),
        ("bank.conllu", "lt", "has to be in CoNLL-U: convert it"),
    ],
)
def test_what_cant_be_read_is_one_line(tmp_path: Path, name: str, language: str | None, message: str) -> None:
    path = tmp_path / name
    if name != "none.md":
        path.write_text("text", encoding="utf-8")
    with pytest.raises(pw.SourceError, match=message):
        pw.read_source(path, language=language)
