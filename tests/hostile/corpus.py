"""All attempts, of every area."""

from typing import Any

import answers  # noqa: F401
import bombs  # noqa: F401
import pytest
import workspaces  # noqa: F401
from attempts import ATTEMPTS, Area

import documents  # noqa: F401

__all__ = ["ATTEMPTS", "of_areas"]


def of_areas(*areas: Area) -> list[Any]:
    """The attempts of some areas as parameters of a test."""
    return [
        pytest.param(attempt, id=attempt.name, marks=[pytest.mark.slow] if attempt.slow else [])
        for attempt in ATTEMPTS
        if attempt.area in areas
    ]
