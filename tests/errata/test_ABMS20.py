"""[ABMS20]: what is printed fails, what the code does instead holds. Entries: docs/errata/ABMS20.md."""

from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np

from privpac.classes.explicit import ExplicitClass
from privpac.classes.subspaces import AffineSubspaces
from privpac.dimensions.closure import littlestone_of_union
from privpac.dimensions.littlestone import littlestone_dimension
from privpac.dimensions.threshold import threshold_dimension
from privpac.privacy.amplification import redrawn
from privpac.privacy.budget import Budget
from tests.grid import over


def ldim(matrix):
    return littlestone_dimension(matrix).value


def test_lines_of_littlestone_dimension_one():
    """E-ABMS20-1, as printed: the lines of the plane over F₃, and no points, have more than dimension 1."""
    c = AffineSubspaces(3, 2, 1).materialize()
    lines = c.matrix[c.matrix.sum(axis=1) == 3]
    assert len(lines) == 12
    assert ldim(lines) == 2


@over(("p", "n", "d"), [(2, 2, 0), (2, 2, 1), (2, 2, 2), (2, 3, 2), (3, 1, 1), (3, 2, 1), (5, 1, 1)])
def test_affine_subspaces(p, n, d):
    """E-ABMS20-1, as corrected: dimension d + 1."""
    assert ldim(AffineSubspaces(p, n, d).materialize()) == d + 1


def sums(n, values, keep):
    return ExplicitClass([[v == max(values) for v in h] for h in product(values, repeat=n) if keep(sum(h))])


def test_the_tight_example_over_signs():
    """E-ABMS20-7, as printed: Σ ≤ d₁ over ±1 leaves nearly everything; and thresholds do not have Ldim t."""
    assert ldim(sums(3, (-1, 1), lambda total: total <= 1)) == 2
    assert ldim(np.tri(4)[:2]) < 2


@over(("d1", "d2"), [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)])
def test_the_tight_example_over_bits(d1, d2):
    """E-ABMS20-7, as corrected: Hamming balls attain d₁ + d₂ + 1; the remark holds for threshold dimensions."""
    n = d1 + d2 + 1
    low, high = sums(n, (0, 1), lambda total: total <= d1), sums(n, (0, 1), lambda total: total >= n - d2)
    assert (ldim(low), ldim(high)) == (d1, d2)
    assert ldim(low.union(high)) == littlestone_of_union(d1, d2) == n
    thresholds = np.triu(np.ones((4, 4)))
    assert [threshold_dimension(part).value for part in (thresholds[:2], thresholds[2:], thresholds)] == [2, 2, 4]


def best_share(wrong):
    """The smallest share of equally weighted rounds on which a voter errs; wrong[voter][round]."""
    return min(Fraction(sum(rounds), len(rounds)) for rounds in wrong)


def majorities_right(k, rounds):
    """All ways in which k voters may err such that the majority never does."""
    columns = [column for column in product((0, 1), repeat=k) if 2 * sum(column) < k]
    return (tuple(zip(*choice, strict=True)) for choice in product(columns, repeat=rounds))


def test_an_edge_of_one_in_k():
    """E-ABMS20-5, as printed: three voters, each wrong once in three rounds, have no such edge."""
    k, wrong = 3, ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert all(2 * sum(column) < k for column in zip(*wrong, strict=True))
    assert best_share(wrong) > Fraction(1, 2) - Fraction(1, k)


@over(("k", "rounds"), [(3, 3), (3, 4), (3, 5), (5, 2), (5, 3)])
def test_an_edge_of_one_in_2k(k, rounds):
    """E-ABMS20-5, as corrected: some voter errs on at most 1/2 − 1/(2k), however the majority comes about."""
    bound = Fraction(1, 2) - Fraction(1, 2 * k)
    assert max(map(best_share, majorities_right(k, rounds))) <= bound


def ratio_of_yes(epsilon, m, n):
    """How much likelier yes is with a value once among n than without, if j copies make it e^(ε·j) times as likely."""
    q = 1 / n
    return sum(comb(m, j) * q**j * (1 - q) ** (m - j) * exp(epsilon * j) for j in range(m + 1))


def test_a_ninth_costs_no_more_than_the_whole():
    """E-ABMS20-14, as printed: at ε = 4, six draws from 54 examples are more than e^4 times as likely to say yes."""
    assert ratio_of_yes(4, 6, 54) > exp(4.1)
    assert ratio_of_yes(1, 6, 54) < exp(0.2)


@over("epsilon", [0.5, 1, 4])
@over(("m", "n"), [(6, 54), (100, 900), (5, 3)])
def test_the_price_of_drawing_with_replacement(epsilon, m, n):
    """E-ABMS20-14, as corrected: the ratio is e^ε', neither more nor less; and δ' follows δ·(e^ε' − 1)/(e^ε − 1)."""
    price = redrawn(Budget(epsilon, "1e-9"), m, n)
    assert abs(ratio_of_yes(epsilon, m, n) / exp(price.epsilon) - 1) < 1e-9
    q, doses = 1 / n, range(m + 1)  # yes with probability δ·(e^(εj) − 1)/(e^ε − 1) at j copies
    yes = sum(comb(m, j) * q**j * (1 - q) ** (m - j) * (exp(epsilon * j) - 1) for j in doses) / (exp(epsilon) - 1)
    assert abs(yes * 1e-9 / float(price.delta) - 1) < 1e-9
