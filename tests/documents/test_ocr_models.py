"""Model directories appear whole, once, and adapted to the language."""

import threading
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import yaml
from numpy.typing import NDArray
from onnx import numpy_helper

from pairwright.documents.pages.ocr import DETECTION, RECOGNITION, Adaptation, adaptation, model_directory
from pairwright.languages import load_language


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAIRWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_many_at_once_leave_one_whole_directory(cache: Path) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(model_directory(DETECTION))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert [path.name for path in (cache / "ocr").iterdir()] == [found[0].name]


def test_a_prior_shifts_the_named_letters_alone(cache: Path) -> None:
    plain = model_directory(RECOGNITION)
    adapted = model_directory(RECOGNITION, None, Adaptation({"į": 2.0, "no such letter": 1.0}, han=True))
    assert plain != adapted
    characters = yaml.safe_load((adapted / "inference.yml").read_text(encoding="utf-8"))["PostProcess"][
        "character_dict"
    ]
    n_classes = len(characters) + 2
    bias = [_bias(directory, n_classes) for directory in (plain, adapted)]
    moved = np.flatnonzero(bias[0] != bias[1])
    assert [characters[index - 1] for index in moved] == ["į"]
    assert np.exp(bias[1] - bias[0])[moved[0]] == pytest.approx(100, rel=1e-4)


def _bias(directory: Path, n_classes: int) -> NDArray[np.float32]:
    model = onnx.load(str(directory / "inference.onnx"))
    return next(numpy_helper.to_array(t) for t in reversed(model.graph.initializer) if list(t.dims) == [n_classes])


@pytest.mark.parametrize(
    ("language", "others", "han"),
    [("lt", ["en"], False), ("lt", ["ja"], True), ("qaa", ["en"], True), ("en", [], False)],
)
def test_chinese_characters_are_read_where_a_language_may_have_them(
    language: str, others: list[str], han: bool
) -> None:
    assert adaptation(load_language(language), [load_language(code) for code in others]).han is han


def test_a_recogniser_without_chinese_characters_keeps_every_other_class(cache: Path) -> None:
    whole = model_directory(RECOGNITION, None, Adaptation({}, han=True))
    cut = model_directory(RECOGNITION, None, Adaptation({}, han=False))
    line = np.random.default_rng(0).normal(0, 1, (1, 3, 48, 320)).astype(np.float32)
    outputs = []
    for directory in (whole, cut):
        session = onnxruntime.InferenceSession(str(directory / "inference.onnx"), providers=["CPUExecutionProvider"])
        outputs.append(session.run(None, {session.get_inputs()[0].name: line})[0][0])
    # The blank and the space keep their places, and the odds between them stay.
    odds = [output[:, 0] / output[:, -1] for output in outputs]
    assert odds[1] == pytest.approx(odds[0], rel=1e-3)
