"""A Prefect server for the flow tests, started once; a workspace with a small list."""

from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko; daug laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).
- Pastaba. Be neigimo galininkas – ne klaida: Matau kalnus.
"""


@pytest.fixture(scope="session", autouse=True)
def prefect_server() -> Iterator[None]:
    """One temporary server and database for all flow tests."""
    from prefect.testing.utilities import prefect_test_harness

    import flow_support  # noqa: F401 - sets what Prefect reads at import

    with prefect_test_harness(server_startup_timeout=180):
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one source, two reviewers and nothing built."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "pairwright.toml").write_text('[review]\nreviewers = ["ana", "jonas"]\n', encoding="utf-8")
    return root


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "sarasas.md"
    path.write_text(LIST, encoding="utf-8")
    return path
