"""`import pairwright as pw`: quick, and every name there, whatever is imported beside it."""

import inspect
import json
import subprocess
import sys

import pytest

import pairwright as pw

HEAVY = ("pandas", "pydantic", "numpy", "torch", "transformers", "matplotlib", "pymupdf")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_import_loads_nothing_heavy_and_shows_every_name() -> None:
    code = f"import json, sys, pairwright as pw; print(json.dumps([m for m in {HEAVY} if m in sys.modules] + dir(pw)))"
    shown = json.loads(run(code))
    assert not set(HEAVY) & set(shown)
    assert set(pw.__all__) <= set(shown)
    assert all(inspect.getdoc(getattr(pw, name)) for name in pw.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        pw.scores  # type: ignore[attr-defined]  # noqa: B018
