"""A morphology of a few words."""

from pathlib import Path

import pytest

from pairwright.languages import load_language
from pairwright.languages.morphology.inflection import Inflector

PARADIGM_AFF = """\
SET UTF-8
SFX N Y 3
SFX N as as as is:Masc_Sg_Nom
SFX N as ui as is:Masc_Sg_Dat
SFX N as ą as is:Masc_Sg_Acc
SFX V Y 5
SFX V ti a ti is:Indic_Pres_III
SFX V ti damas ti is:HalfPart_Masc_Sg
SFX V ti dama ti is:HalfPart_Fem_Sg
SFX V ti ant ti is:Gerund_Pres
SFX V ti ąs ti is:Part_Act_Pres_Masc_Sg_Nom_short
"""
PARADIGM_DIC = """\
4
vaikas/N	po:noun
mažas/N	po:adjective
namas/N	po:noun
nešti/V	po:verb
"""


@pytest.fixture
def inflector(tmp_path: Path) -> Inflector:
    """An inflector of the few words of `PARADIGM_DIC`."""
    (tmp_path / "lt.aff").write_text(PARADIGM_AFF, encoding="utf-8")
    (tmp_path / "lt.dic").write_text(PARADIGM_DIC, encoding="utf-8")
    settings = '[[morphology.lt]]\nkind = "hunspell"\npath = "lt.dic"\ntagset = "lt-hunspell"\n'
    (tmp_path / "pairwright.toml").write_text(settings, encoding="utf-8")
    return Inflector.of(load_language("lt", tmp_path))
