"""A release of a few pairs, and scores on them."""

import pytest
from report_parts import Given, make_release

from pairwright.core.records.release import Release


@pytest.fixture(scope="session")
def release() -> Release:
    return make_release()


@pytest.fixture(scope="session")
def given(release: Release) -> dict[str, Given]:
    """Right by both; right by the mean alone; right by the sum alone; a tie."""
    scores: list[Given] = [
        ((-20.0, 4), (-24.0, 4)),
        ((-30.0, 6), (-26.0, 4)),
        ((-20.0, 4), (-21.0, 5)),
        ((-20.0, 4), (-20.0, 4)),
    ]
    return dict(zip((pair.id for pair in release.pairs), scores, strict=True))
