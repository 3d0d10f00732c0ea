"""The recipes of docs/release.md beside the tools that they name; a tool that is not installed skips."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest

import pairwright as pw
from pairwright.core.config import ScoreSettings
from pairwright.release.verify import read_release
from pairwright.reporting.external.results import read_lm_eval, read_minicons

pytestmark = pytest.mark.slow
RELEASE = "output/releases/lt-cases-1.0.0"
BuildModel = Callable[[], tuple[Any, Any]]
PAGE = (Path(__file__).parents[2] / "docs" / "release.md").read_text(encoding="utf-8")


def build(folder: Path, build_model: BuildModel, bos: str) -> Path:
    """A model whose tokenizer has no BOS, has one and leaves it to the caller, or puts it before each text itself."""
    from tokenizers import processors

    network, tokenizer = build_model()
    start = tokenizer.bos_token_id
    if bos == "added":
        tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", start)]
        )
    if bos == "none":
        tokenizer.bos_token = None
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(params=["added", "left", "none"])
def model(request: pytest.FixtureRequest, tmp_path: Path, build_model: BuildModel) -> Path:
    return build(tmp_path / "model", build_model, request.param)


@pytest.fixture
def page(release: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page with a release and a model that are there, which the programs that it names find without a network."""
    for name, value in {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.chdir(tmp_path)
    text = PAGE.replace(RELEASE, str(release)).replace("MODEL", str(model)).replace("lt_cases", "mini")
    return str(text.replace("lt-cases", "mini"))


def sums(release: Path, model: Path, bos: Literal["auto", "or-eos"] = "auto") -> dict[str, float]:
    """The log-probability of each sentence, in nats."""
    pairs, settings = pw.load_release(release).pairs, ScoreSettings(bos=bos)
    scores = pw.score(pairs, str(model), dtype="float32", device="cpu", settings=settings)
    return dict(zip(scores["sentence"], scores["sum_logprob"], strict=True))


def test_minicons_gives_our_sums_whoever_adds_the_bos(page: str, release: Path, model: Path) -> None:
    pytest.importorskip("minicons", reason="minicons is not installed")
    (recipe,) = re.findall(r'```python title="minicons"\n(.*?)```', page, re.DOTALL)
    exec(recipe, {})
    theirs, ours = pd.read_csv("minicons.csv"), sums(release, model)
    assert {*theirs["good_sentence"], *theirs["bad_sentence"]} == ours.keys()
    for side in ("good", "bad"):
        for text, value in zip(theirs[f"{side}_sentence"], theirs[f"{side}_sum"], strict=True):
            assert value == pytest.approx(ours[text], abs=1e-3)
    pairs = read_release(release).pairs
    (result,) = read_minicons(Path("minicons.csv"), "model", pairs)
    assert result.verdicts == {pair.id: ours[pair.sentence_good] > ours[pair.sentence_bad] for pair in pairs}


def test_lm_eval_decides_on_the_release_as_we_do(page: str, release: Path, model: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("lm_eval") is None:
        pytest.skip("lm-evaluation-harness is not installed")
    ((_, arguments),) = re.findall(r"^(lm_eval) (.*)$", page, re.MULTILINE)
    command = [sys.executable, "-m", "lm_eval", *arguments.split(), "--device", "cpu"]
    command += ["--log_samples", "--output_path", str(tmp_path / "results")]
    paths = [path for path in sys.path if path and Path(path).name != "flows"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    )
    assert done.returncode == 0, done.stderr[-2000:]
    pairs, ours = read_release(release).pairs, sums(release, model, "or-eos")
    (folder,) = (path.parent for path in list((tmp_path / "results").rglob("samples_*.jsonl"))[:1])
    result = read_lm_eval(folder, "model", pairs)
    assert result.verdicts == {
        pair.id: ours[pair.sentence_good] > ours[pair.sentence_bad] for pair in pairs if not pair.exception
    }
