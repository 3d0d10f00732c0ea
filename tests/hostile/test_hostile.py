"""Each attempt to harm a user ends as its script says: refused in one line or harmless."""

from pathlib import Path

import bombs  # noqa: F401
import pytest
import workspaces  # noqa: F401
from attempts import ATTEMPTS, Attempt

import documents  # noqa: F401


@pytest.mark.parametrize(
    "attempt", [pytest.param(it, id=it.name, marks=[pytest.mark.slow] if it.slow else []) for it in ATTEMPTS]
)
def test_an_attempt_does_no_harm(attempt: Attempt, tmp_path: Path) -> None:
    outcome, faults = attempt.make(tmp_path)
    assert not faults, f"{faults}\n{outcome.out}\n{outcome.err}"
