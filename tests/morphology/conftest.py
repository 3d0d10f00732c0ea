"""A workspace with small lexicons of words in general use."""

from pathlib import Path

import pytest

TABLE = """\
kalnas\tkal̃nas\tN;NOM;SG
kalnas\tkálno\tN;GEN;SG
kalnas\tkálnui\tN;DAT;SG
kalnas\tkalnai̇̃\tN;NOM;PL
kalnas\tkalnų̃\tN;GEN;PL
kalnas\tkalnáms\tN;DAT;PL
varlė\tvarlė̃\tN;NOM;SG
varlė\tvarlė̃s\tN;GEN;SG
varlė\tvar̃lės\tN;NOM;PL
varlė\tvarlių̃\tN;GEN;PL

skaityti\tskaitęs\tV;V.PTCP;PST;ACT
"""
AFF = """\
SET UTF-8
NEEDAFFIX !
SFX A Y 3
SFX A as as as is:Masc_Sg_Nom
SFX A as o as is:Masc_Sg_Gen
SFX A as uose as is:Masc_Pl_Loc
SFX B Y 1
SFX B as uos as is:Masc_Pl_Loc_short
"""
DIC = "3\nKalnas/A!\tpo:noun_family_name\nkalnas/AB!\tpo:noun\nnamas/AB!\tpo:noun\n"
TREEBANK = """\
# sent_id = 1
# text = Namas stovi.
1\tNamas\tnamas\tNOUN\t_\tCase=Nom|Gender=Masc|Number=Sing\t2\tnsubj\t_\t_
2\tstovi\tstovėti\tVERB\t_\tTense=Pres\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

1-2\tanamas\t_\t_\t_\t_\t_\t_\t_\t_
1\tĮ\tį\tADP\t_\t_\t2\tcase\t_\t_
2\tNAMUS\tnamas\tNOUN\t_\tCase=Acc|Gender=Masc|Number=Plur\t0\troot\t_\t_
3\tnamuss\tnamas\tNOUN\t_\tCase=Acc|Typo=Yes\t0\troot\t_\t_
"""


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lithuanian with a table, a dictionary and a treebank, in the order of their names."""
    root = tmp_path_factory.mktemp("workspace")
    for name, text in (("lit", TABLE), ("small.aff", AFF), ("small.dic", DIC), ("bank.conllu", TREEBANK)):
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def settings() -> str:
    """What pairwright.toml says of them."""
    return """\
[[morphology.lt]]
kind = "hunspell"
path = "small.dic"
tagset = "lt-hunspell"

[[morphology.lt]]
kind = "unimorph"
path = "lit"
tagset = "unimorph"

[[morphology.lt]]
kind = "conllu"
path = "bank.conllu"
"""
