"""The pairs that separate good models from bad ones are found."""

import numpy as np
import pytest

from pairwright.stats.difficulty import discrimination


def test_the_pair_that_good_models_alone_get_right_tells_them_apart() -> None:
    able = np.array([[1, 1, 1, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 1, 1], [0, 0, 0, 1, 1]], dtype=bool)
    found = discrimination(able)
    assert found[1] > 0.5
    assert found[3] < -0.5
    assert np.isnan(found[4])
    others = able.sum(axis=1) - able[:, 1]
    assert found[1] == pytest.approx(np.corrcoef(able[:, 1], others)[0, 1])
