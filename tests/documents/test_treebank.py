"""CoNLL-U treebanks become sentences with trees; a faulty line costs its sentence alone."""

from pathlib import Path

import pytest

from made_records import make_source
from pairwright.core.errors import SourceError
from pairwright.core.records import Block, Rejection
from pairwright.documents.flowing.reader import read_treebank

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-treebank" / "sample.conllu"


def row(number: str, form: str, upos: str = "NOUN", head: str = "0", feats: str = "_", misc: str = "_") -> str:
    relation = "root" if head == "0" else "dep"
    return f"{number}\t{form}\t{form.lower()}\t{upos}\t_\t{feats}\t{head}\t{relation}\t_\t{misc}"


def read(folder: Path, *sentences: str) -> tuple[list[Block], list[Rejection]]:
    path = folder / "sakiniai.conllu"
    path.write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    records = list(read_treebank(path, path.name, make_source(path, kind="treebank"), 1_000_000))
    blocks = [record for record in records if isinstance(record, Block)]
    return blocks, [record for record in records if isinstance(record, Rejection)]


def test_a_sentence_has_its_text_its_words_in_their_places_and_its_line(tmp_path: Path) -> None:
    words = [row("1", "Kas"), row("2", "lyja", head="1", misc="SpaceAfter=No"), row("3", "?", "PUNCT", "1")]
    blocks, rejected = read(tmp_path, row("1", "Taip"), "\n".join(["# sent_id = a-1", *words]))
    assert not rejected
    assert [block.text for block in blocks] == ["Taip", "Kas lyja?"]
    tree = blocks[1].tree
    assert tree is not None
    assert (blocks[1].line, tree.sent_id, blocks[0].tree and blocks[0].tree.sent_id) == (4, "a-1", "sakiniai-1")
    assert [blocks[1].text[word.start : word.end] for word in tree.words] == ["Kas", "lyja", "?"]


def test_multiword_tokens_are_whole_and_empty_nodes_are_no_words(tmp_path: Path) -> None:
    lines = [
        row("1", "Eik"),
        row("2-3", "namolio", misc="SpaceAfter=No"),
        row("2", "namo", head="1"),
        row("3", "lio", head="2"),
        "3.1\tyra\tbūti\tVERB\t_\t_\t_\t_\t0:root\t_",
        row("4", "!", "PUNCT", "1"),
    ]
    blocks, rejected = read(tmp_path, "\n".join(lines))
    assert not rejected
    assert blocks[0].text == "Eik namolio!"
    tree = blocks[0].tree
    assert tree is not None
    assert [(word.form, blocks[0].text[word.start : word.end]) for word in tree.words[1:3]] == [
        ("namo", "namolio"),
        ("lio", "namolio"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1\tNamas\tnamas\tNOUN", "4 columns and not the ten of CoNLL-U"),
        (row("2", "Namas"), "word 2 stands where word 1 is due"),
        (row("1", "Namas", upos="daiktavardis"), "'daiktavardis' is no part of speech"),
        (row("1", "Namas", feats="Case:Nom"), "'Case:Nom' is no feature"),
        (row("1", "Namas", head="7"), "its head 7 is no word of the sentence"),
        (row("1", "Namas", head="_"), "the word has no head"),
        (row("1-x", "Namas"), "not a valid ID"),
        (row("1-3", "Namas"), "ends before its last word"),
    ],
)
def test_a_faulty_line_is_named_and_the_rest_is_read(tmp_path: Path, line: str, reason: str) -> None:
    blocks, rejected = read(tmp_path, row("1", "Taip"), f"# sent_id = b\n{line}", row("1", "Ne"))
    assert [block.text for block in blocks] == ["Taip", "Ne"]
    assert [(item.line, item.file) for item in rejected] == [(4, "sakiniai.conllu")]
    assert reason in rejected[0].reason


def test_words_count_where_the_text_comment_says_something_else(tmp_path: Path) -> None:
    blocks, rejected = read(tmp_path, f"# text = Namai\n{row('1', 'Namas')}", f"# text = Namas\n{row('1', 'Namas')}")
    assert [block.text for block in blocks] == ["Namas", "Namas"]
    assert [item.text for item in rejected] == ["Namai"]
    assert blocks[0].id != blocks[1].id


@pytest.mark.parametrize(
    "text", ["(S (NP Namas) (VP stovi))", "<s id='1'>Namas stovi.</s>", "# sent_id = 1", row("1", "Namas", upos="N")]
)
def test_another_format_is_one_line_with_what_to_do(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError, match=r"sakiniai\.conllu.*has to be in CoNLL-U: convert it"):
        read(tmp_path, text)


def test_the_sample_is_read_whole_and_its_ids_stay(tmp_path: Path) -> None:
    sentences = SAMPLE.read_text(encoding="utf-8").strip().split("\n\n")
    blocks, rejected = read(tmp_path, *sentences)
    assert (len(blocks), rejected) == (len(sentences), [])
    moved, _ = read(tmp_path, *reversed(sentences))
    assert {block.id for block in moved} == {block.id for block in blocks}
