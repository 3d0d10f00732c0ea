"""Items and the words of a language."""

import pytest
from item_parts import MakeItem
from item_parts import make_item as make

from pairwright.evaluate.asking.wording import Wording, load_wording


@pytest.fixture
def make_item() -> MakeItem:
    return make


@pytest.fixture(scope="session")
def lithuanian() -> Wording:
    return load_wording("lt")
