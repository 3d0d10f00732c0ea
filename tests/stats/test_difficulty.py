"""Hard rules and able models are told apart, and the pairs that separate good models from bad ones are found."""

import numpy as np
import pytest

from pairwright.stats.difficulty import discrimination, fit_difficulty


def test_abilities_and_difficulties_come_out_in_their_true_order() -> None:
    generator = np.random.default_rng(5)
    abilities = np.array([-0.5, 0.5, 1.5, 2.5])
    difficulties = np.array([-1.5, -0.5, 0.5, 1.5])
    rules = np.repeat(np.arange(4), 30)
    odds = abilities[:, None] - difficulties[rules][None, :]
    right = generator.random(odds.shape) < 1 / (1 + np.exp(-odds))
    found = fit_difficulty(right, ["m1", "m2", "m3", "m4"], [f"r{rule}" for rule in rules], seed=1)
    assert found is not None
    fitted = [item.value for item in found.abilities]
    assert fitted == sorted(fitted)
    assert fitted == pytest.approx(abilities, abs=0.8)
    hard = [item.value for item in found.difficulties]
    assert hard == sorted(hard)
    assert sum(hard) == pytest.approx(0, abs=1e-9)
    assert [item.label for item in found.difficulties] == ["r0", "r1", "r2", "r3"]


def test_a_model_that_met_harder_pairs_only_by_chance_is_not_needed() -> None:
    right = np.array([[True, False, True]] * 2)
    assert fit_difficulty(right, ["a", "b"], ["r", "r", "s"], seed=1) is None
    assert fit_difficulty(np.ones((3, 3), dtype=bool), ["a", "b", "c"], ["r", "r", "s"], seed=1) is None


def test_the_pair_that_good_models_alone_get_right_tells_them_apart() -> None:
    able = np.array([[1, 1, 1, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 1, 1], [0, 0, 0, 1, 1]], dtype=bool)
    found = discrimination(able)
    assert found[1] > 0.5
    assert found[3] < -0.5
    assert np.isnan(found[4])
    others = able.sum(axis=1) - able[:, 1]
    assert found[1] == pytest.approx(np.corrcoef(able[:, 1], others)[0, 1])
