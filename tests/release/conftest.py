"""Releases of a small reviewed source: to freeze, to read and to damage."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from release_parts import PAIRS, RULES, Build, freeze_reviewed, make_pair, matrix

from pairwright.core.records import Block, Gloss
from pairwright.core.records.release import ReleaseResult

WITH_ITEMS = {"items": 60}


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """`freeze_reviewed` into a directory of the test, unless another is given as `into`."""

    def run(*voted: tuple[object, ...], into: Path = tmp_path, **options: object) -> ReleaseResult:
        return freeze_reviewed(into, *voted, **options)  # type: ignore[arg-type]

    return run


@pytest.fixture(scope="session")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that no test changes."""
    return freeze_reviewed(tmp_path_factory.mktemp("frozen"), settings=WITH_ITEMS).path


@pytest.fixture
def release(frozen: Path, tmp_path: Path) -> Path:
    """A release of its own for a test to damage."""
    return Path(shutil.copytree(frozen, tmp_path / frozen.name))


@pytest.fixture(scope="session")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second version of a release with all exports: pairs in all splits, an exception, translations, items, a rule
    with a glossed example, and words that need care in JSON, CSV, YAML and templates. No test changes it.
    """
    rule = RULES["3.9"].model_copy(update={"example_ids": ("block-77",)})
    gloss = Gloss(
        segmentation=("Man", "", "trūksta", "laik-o"),
        glosses=(("1SG.DAT", "…", "lack.PRS.3", "time-GEN.SG"),),
        translation="I lack time; badly",
        notes=('a note, "quoted"',),
    )
    place: Any = {"source_id": "mini", "kind": "example", "text": "x", "file": "list.md", "page": 12, "reader": "text"}
    pairs = [
        *PAIRS.values(),
        *(
            make_pair(rule, f"Trūksta {n} litrų.", f"Trūksta {n} litrai.", translation=f"{n} litres, {{{{all}}}}")
            for n in range(60)
        ),
        make_pair(RULES["3.2"], "Rašo {{tuo}}: 'rašalu'.", "Rašo {{su tuo}}: 'rašalu'."),
        make_pair(RULES["3.10"], "Laukiu – ilgai\\ilgai – draugo.", "Laukiu – ilgai\\ilgai – draugą."),
    ]
    own: dict[str, Any] = {
        "pairs": pairs,
        "rules": {one.id: one for one in (*RULES.values(), rule)},
        "blocks": {"block-77": Block(id="block-77", gloss=gloss, **place)},
        "matrices": [matrix(2), matrix(1, split="train"), matrix(3)],
        "date": "2026-05-04",
    }
    folder = tmp_path_factory.mktemp("rich")
    freeze_reviewed(folder, (PAIRS["wait"], "approve", "reject"), **own)
    odd = make_pair(RULES["3.2"], 'Jis, "senis", eina su lazda.', 'Jis, "senis", eina lazda.', exception=True)
    result = freeze_reviewed(folder, (odd, "approve", "approve"), version="1.1.0", settings=WITH_ITEMS, **own)
    assert not result.info.left_out
    return result.path


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of its own for what other tools keep, and no network for those that reach for it unless told not to."""
    for name, value in {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    # As docs/release.md says: what they compile into a release, it would be refused for.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # which EuroEval imports
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    return tmp_path
