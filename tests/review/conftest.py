"""A small queue to review, in a folder of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from review_queue import QueueFixture, make_queue


@pytest.fixture
def queue(tmp_path: Path) -> QueueFixture:
    return make_queue(tmp_path)


@pytest.fixture
def exported(queue: QueueFixture) -> QueueFixture:
    """The queue with its sheets, which nobody has filled in."""
    queue.export()
    return queue


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    """The contents of a folder, to show that nothing was written; the lock is no content."""

    def take(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}

    return take
