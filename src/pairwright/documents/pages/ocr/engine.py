"""Loads models of PaddleOCR without noise and without the packages that reading a page does not need."""

import logging
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from pairwright.core.config import OcrSettings
from pairwright.core.errors import ConfigError, one_line
from pairwright.documents.pages.ocr.models import Adaptation, model_directory


def load_model(
    kind: str,
    settings: OcrSettings,
    name: str,
    directory: Path | None,
    adapted: Adaptation | None = None,
    **options: Any,
) -> Any:
    """One of PaddleOCR's models: `kind` is its class there. Raises ConfigError where it can't be had or loaded."""
    place = model_directory(name, directory, settings, adapted)
    device = _best_device(settings.engine) if settings.device == "auto" else settings.device
    threads = settings.threads or os.cpu_count() or 1
    # An arena keeps the memory of the largest page. Pages are shrunk and lines short, so that is little, and taking
    # it anew for each line costs a tenth of the time.
    config = {"intra_op_num_threads": threads, "log_severity_level": 3, "enable_cpu_mem_arena": True}
    if settings.engine == "onnxruntime":
        options["engine_config"] = config
    weights = None if place is None else str(place)
    try:
        model = getattr(_paddleocr(settings.allow_downloads), kind)
        return model(model_name=name, model_dir=weights, engine=settings.engine, device=device, **options)
    except Exception as fault:
        where = f" from {place}" if place else ""
        reason = one_line(fault, 300)
        raise ConfigError(f"PaddleOCR can't load {name}{where}: {reason}; check the name and its files") from None


def _best_device(engine: str) -> str:
    """A GPU where onnxruntime was built for one; PaddleOCR's other engines choose for themselves."""
    if engine != "onnxruntime":
        return "cpu"
    import onnxruntime

    return "gpu:0" if "CUDAExecutionProvider" in onnxruntime.get_available_providers() else "cpu"


def _paddleocr(downloads: bool) -> Any:
    """PaddleOCR imported without its log lines.

    Its import loads modelscope, a download client, and with that torch and transformers: half a gigabyte that reading a
    page never uses. Where nothing is to be downloaded, an empty module stands in for it.
    """
    stand_in = not downloads and "modelscope" not in sys.modules
    if stand_in:
        sys.modules["modelscope"] = ModuleType("modelscope")
    try:
        import paddleocr
    finally:
        if stand_in:
            del sys.modules["modelscope"]
    for name in ("paddlex", "paddleocr", "ppocr"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return paddleocr
