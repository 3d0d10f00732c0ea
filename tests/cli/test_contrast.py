"""`pairwright contrast try FILE TREEBANK`, with a contrast of order."""

from pathlib import Path

import pytest

from pairwright.cli.sources import try_contrasts
from pairwright.core.errors import ConfigError
from pairwright.core.workspace import Workspace

ORDER = """\
[[contrast]]
name = "verb-second"
title = "T"
phenomenon = "word order"
description = "D"
swap = ["verb", "subject"]
[contrast.words]
verb = { upos = "VERB", deprel = "root" }
subject = { deprel = "nsubj", head = "verb", after = "verb" }

[[contrast]]
name = "waiting"
title = "T"
phenomenon = "P"
description = "D"
change = "object"
to = "Case=Acc"
[contrast.words]
verb = { upos = "VERB", lemma = ["warten-auf", "helfen"] }
object = { upos = "NOUN", deprel = "obj", head = "verb" }
"""
# Gestern kam der alte Mann. / Der Mann wartet. / Kam der Mann, der lacht?
TREES = """\
1 Gestern gestern ADV _ 2 advmod _
2 kam kommen VERB _ 0 root _
3 der der DET _ 5 det _
4 alte alt ADJ _ 5 amod _
5 Mann Mann NOUN _ 2 nsubj SpaceAfter=No
6 . . PUNCT _ 2 punct _

1 Der der DET _ 2 det _
2 Mann Mann NOUN _ 3 nsubj _
3 wartet warten VERB _ 0 root SpaceAfter=No
4 . . PUNCT _ 3 punct _

1 Heute heute ADV _ 2 advmod _
2 kam kommen VERB _ 0 root _
3 der der DET _ 4 det _
4 Mann Mann NOUN _ 2 nsubj SpaceAfter=No
5 , , PUNCT _ 7 punct _
6 der der PRON _ 7 nsubj _
7 lacht lachen VERB _ 4 acl SpaceAfter=No
8 . . PUNCT _ 2 punct _
"""


def tried(folder: Path, contrasts: str = ORDER) -> list[str]:
    file, treebank = folder / "own.toml", folder / "trees.conllu"
    file.write_text(contrasts, encoding="utf-8")
    rows = (row.split(" ") for row in TREES.split("\n"))
    lines = ("\t".join([*row[:4], "_", *row[4:7], "_", row[7]]) if len(row) > 1 else "" for row in rows)
    treebank.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [line.strip() for line in try_contrasts(Workspace(folder), file, treebank, language="de")]


def test_matches_pairs_reasons_and_lemmas_written_otherwise_are_shown(tmp_path: Path) -> None:
    order, pair, phrase, waiting, missed, verb, _, lemma = tried(tmp_path)
    assert order.endswith("verb-second: 2 matches, 1 pair")
    # The subject takes its phrase along, the verb moves alone.
    assert pair == "Gestern kam der alte Mann. -> Gestern der alte Mann kam."
    assert phrase.startswith("no pair from 1 match: the phrase of")
    assert waiting.endswith("waiting: 0 matches, 0 pairs")
    assert missed == "no match: no word fits verb or object"
    assert "upos VERB 4 words" in verb
    assert "'warten-auf' of verb" in lemma
    assert "'warten' (1 word)" in lemma


@pytest.mark.parametrize(
    ("swap", "reason"),
    [
        ('["verb"]', "swap: name two words"),
        ("[]", "say which word changes into what, or two words to swap"),
    ],
)
def test_a_contrast_of_order_names_two_words(tmp_path: Path, swap: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        tried(tmp_path, ORDER.replace('["verb", "subject"]', swap))
