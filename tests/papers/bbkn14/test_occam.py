"""The exponential mechanism over a representation."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from privpac.audit.cases import labelled
from privpac.audit.exact import worst_divergence
from privpac.classes.explicit import ExplicitClass
from privpac.exact.entropy import entropy
from privpac.papers.bbkn14.occam import PrivateOccam, comparison, theorem_3_2, theorem_4_2
from privpac.papers.bbkn14.representation import overlap, random_sets
from privpac.privacy.budget import Budget

PAIRS = ExplicitClass([[1, 1, 0], [1, 0, 1], [0, 1, 1]])


def occam(H, constants="tight"):
    return PrivateOccam(H, Budget(1), Fraction(1, 2), Fraction(1, 10), constants)


@pytest.mark.parametrize("n", [1, 3])
def test_privacy(n):
    found = worst_divergence(occam(PAIRS).law, labelled(range(3)), n, Budget(1))
    assert not found.refuted
    assert found.value > 0.5


def test_examples_that_tell_good_from_bad():
    m, s = comparison(20, 0.05, 0.1, 0.025, 1.0), 2**0.5
    φ = 1 - 0.1 * (1 - 1 / s) + 0.05 * (s - 1)
    assert 20 * φ**m <= 0.025 < 20 * φ ** (m - 1)
    assert 300 * (1 - 0.1 * (1 - exp(-0.5))) ** comparison(300, 0, 0.1, 0.05, 1.0) <= 0.05


def test_a_small_representation_learns_points():
    """64 points by sets of 8, every two of which share few of them; of 100 runs 23 fail at most, as β = 0.1."""
    H, rng = ExplicitClass(random_sets(64, 200, 8, entropy(5))), np.random.default_rng()
    assert overlap(H.matrix) <= Fraction(9, 20)
    learner = PrivateOccam(H, Budget(1), Fraction(9, 10), Fraction(1, 10), "tight")
    target = np.arange(64) == 7
    masses = np.where(target, 0.05, 0.95 / 63)
    failed = 0
    for _ in range(100):
        x = rng.choice(64, size=learner.N, p=masses)
        failed += masses[learner.learn(x.tolist(), (x == 7).tolist())(range(64)) != target].sum() > 0.9
    assert failed <= 23


def test_numbers():
    assert theorem_4_2(64, 0.1, 0.05, 1.0) < theorem_3_2(np.log(64 / 0.01), 0.1, 0.05, 1.0)
    assert occam(PAIRS, "printed").N == 7
    with pytest.raises(ValueError, match="constants"):
        occam(PAIRS, "loose")
