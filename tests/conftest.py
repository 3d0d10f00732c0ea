"""How the default suite is shared out to processes."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file run in one process, which share its fixtures, and all tests of flows, which share a server."""
    for item in items:
        group = item.path.parent if item.path.parent.name == "flows" else item.path
        item.add_marker(pytest.mark.xdist_group(str(group)))
