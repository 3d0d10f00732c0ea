"""A file of pairs and a frozen release, made once."""

from pathlib import Path

import pandas as pd
import pytest

import pairwright as pw
from pairwright.core.config import ReleaseSettings
from pairwright.release.contents.selection import ReleaseRequest
from pairwright.release.write import freeze

ROOT = Path(__file__).parents[2]
LIST = ROOT / "sources" / "lt-sample" / "list.md"
SENTENCES = (
    ("case", "Mums trūksta laiko.", "Mums trūksta laikas."),
    ("case", "Jie laukia traukinio.", "Jie laukia traukinį."),
    ("case", "Ji bijo griaustinio.", "Ji bijo griaustinį."),
    ("agreement", "Mažos katės miega.", "Mažos katė miega."),
    ("agreement", "Seni namai griūva.", "Seni namas griūva."),
    ("agreement", "Šiltas vėjas pučia.", "Šilta vėjas pučia."),
)


@pytest.fixture
def pairs_csv(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    rows = [f"{number};{';'.join(row)}" for number, row in enumerate(SENTENCES, start=1)]
    path.write_text("\n".join(["pairID;phenomenon;good_sentence;bad_sentence", *rows]), encoding="utf-8")
    return path


@pytest.fixture
def pairs(pairs_csv: Path) -> pd.DataFrame:
    return pw.load_pairs(pairs_csv)


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the sample list, in which two reviewers approved of every pair."""
    rules = pw.find_rules(pw.read_source(LIST, language="lt"))
    checked = pw.check_pairs(pw.make_pairs(rules), "lt", rules=rules)
    source = rules.source.model_copy(update={"licence": "CC0-1.0"})
    request = ReleaseRequest(
        name="mini",
        version="1.0.0",
        pairs=checked,
        rules={rule.id: rule for rule in rules},
        sources={source.id: source},
        votes={pair.candidate.id: {"ona": "approve", "jonas": "approve"} for pair in checked},
        settings=ReleaseSettings(),
        key=bytes(32),
    )
    return freeze(tmp_path_factory.mktemp("releases"), request).path
