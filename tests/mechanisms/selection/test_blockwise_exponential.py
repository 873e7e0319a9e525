"""Candidates in blocks have the law of candidates in a list."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from privpac.exact.entropy import entropy
from privpac.mechanisms.selection.blockwise_exponential import BlockExponential, by_errors, place, without_copies
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget
from tests.grid import over


class Halves(BlockExponential):
    """Blocks after the first weigh e^(−3) of what they would."""

    log_priors = (0.0, -3.0)


@over("epsilon", [Fraction(1, 50), 1, 80])
@over(("kind", "priors"), [(BlockExponential, (0.0, 0.0, 0.0)), (Halves, (0.0, -3.0, -3.0))])
def test_the_law_is_that_of_a_list(epsilon, kind, priors):
    rng = np.random.default_rng(1)
    for _ in range(5):
        blocks = [rng.integers(0, 30, shape) for shape in ((1,), (3, 2), (2, 2, 2))]
        law = kind(Budget(epsilon)).law(blocks)
        names = [(number, i) for number, block in enumerate(blocks) for i in range(block.size)]
        prior = [priors[number] for number, _ in names]
        errors = np.concatenate([block.ravel() for block in blocks])
        expected = Exponential(Budget(epsilon), log_prior=prior).law(-errors)
        assert set(law) == set(names)
        assert all(law[name].overlaps(expected[i]) for i, name in enumerate(names))


def test_what_is_left_out_weighs_next_to_nothing():
    blocks = [np.array([0, 10**12]), np.arange(5000)]
    weights, _ = Halves(Budget(2)).menu(blocks)
    full, listed = weights.complete(), len(weights.scores)
    assert listed < len(full.scores) == 2 + 5000
    for ours, theirs in zip(
        (weights.scores, weights.counts, weights.log_prior), (full.scores, full.counts, full.log_prior), strict=True
    ):
        assert ours.tolist() == theirs[:listed].tolist()
    assert sum(arb(int(score)).exp() for score in full.scores[listed:]) < arb(2) ** -64 * arb(-3).exp()


def test_entries_are_tallied_however_far_apart():
    for block in (np.array([[5, 3], [5, 5]]), np.array([0, 10**15, 0]), np.array(7), np.array([], dtype=np.int64)):
        values, counts = np.unique(block, return_counts=True)
        assert list(by_errors(block)) == list(zip(values.tolist(), counts.tolist(), strict=True))


def test_the_last_place_and_none_beyond():
    blocks = [np.array([4]), np.array([[3, 5], [5, 3]])]
    assert place(enumerate(blocks), 3, 1) == (1, 3)
    with pytest.raises(IndexError):
        place(enumerate(blocks), 3, 2)


def test_a_release_reads_the_block_it_names():
    blocks = [np.full((40, 50), 900), np.full((40, 50), 900)]
    blocks[1][7, 9] = 0
    assert BlockExponential(Budget(1)).release(blocks, entropy(1)) == (1, 7 * 50 + 9)


def test_a_block_that_numpy_repeats_has_the_law_of_its_copies():
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 9, (3, 2))
    repeated = [np.array([4]), np.broadcast_to(rows, (5, 3, 2)), rng.integers(0, 9, (2, 2))]
    assert without_copies(repeated[1])[1] == 5 and without_copies(repeated[2]) == (repeated[2], 1)
    laws = [Halves(Budget(1)).law(blocks) for blocks in (repeated, [np.array(block) for block in repeated])]
    assert set(laws[0]) == set(laws[1]) and len(laws[0]) == 1 + 30 + 4
    assert all(laws[0][name].overlaps(laws[1][name]) for name in laws[0])
