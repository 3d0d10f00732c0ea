"""The recipes of docs/release.md beside the tools that they name; a tool that is not installed skips."""

import re
from pathlib import Path

import pandas as pd
import pytest
from tiny_model import make_tiny_model

import pairwright as pw
from pairwright.release.verify import read_release
from pairwright.reporting.external import read_minicons

pytestmark = pytest.mark.slow
RELEASE = "output/releases/lt-cases-1.0.0"
PAGE = (Path(__file__).parents[2] / "docs" / "release.md").read_text(encoding="utf-8")


def build(folder: Path, bos: str) -> Path:
    """A model whose tokenizer has no BOS, has one and leaves it to the caller, or puts it before each text itself."""
    from tokenizers import processors

    network, tokenizer = make_tiny_model()
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
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return build(tmp_path / "model", request.param)


@pytest.fixture
def page(release: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page with a release and a model that are there, which the programs that it names find without a network."""
    for name, value in {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.chdir(tmp_path)
    text = PAGE.replace(RELEASE, str(release)).replace("MODEL", str(model)).replace("lt_cases", "mini")
    return str(text.replace("lt-cases", "mini"))


def sums(release: Path, model: Path) -> dict[str, float]:
    """The log-probability of each sentence, in nats."""
    scores = pw.score(pw.load_release(release).pairs, str(model), dtype="float32", device="cpu")
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
