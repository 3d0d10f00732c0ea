"""Each attempt to harm a user ends as its script says: refused in one line, or harmless."""

from pathlib import Path

import pytest
from attempts import Attempt
from corpus import ATTEMPTS


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.script.__name__)
def test_an_attempt_does_no_harm(attempt: Attempt, tmp_path: Path) -> None:
    outcome, faults = attempt.make(tmp_path)
    assert not faults, f"{faults}\n{outcome.out}\n{outcome.err}"
