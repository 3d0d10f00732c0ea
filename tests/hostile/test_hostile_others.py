"""Hostile answers, releases, workspaces and bombs: each ends as its script says, refused in one line or harmless."""

from pathlib import Path

import pytest
from attempts import Attempt
from corpus import of_areas


@pytest.mark.parametrize("attempt", of_areas("answers", "releases", "workspaces", "bombs"))
def test_an_attempt_does_no_harm(attempt: Attempt, tmp_path: Path) -> None:
    outcome, faults = attempt.make(tmp_path)
    assert not faults, f"{faults}\n{outcome.out}\n{outcome.err}"
