"""Each attempt to harm a user ends as its script says: refused in one line, or harmless."""

from pathlib import Path

import answers  # noqa: F401
import documents  # noqa: F401
import pytest
import releases  # noqa: F401
import sheets  # noqa: F401
import workspaces  # noqa: F401
from attempts import ATTEMPTS, Attempt


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.script.__name__)
def test_an_attempt_does_no_harm(attempt: Attempt, tmp_path: Path) -> None:
    outcome, faults = attempt.make(tmp_path)
    assert not faults, f"{faults}\n{outcome.out}\n{outcome.err}"
