"""The price of a table's parts: what the counts are worth together, and that halvings take their share and no more."""

from fractions import Fraction

from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import SharedCost
from privpac.privacy.budget import Budget
from privpac.release.tables.price import BEFORE_LAPLACE, CELLS, TablePrice
from tests.grid import over

COST = Budget(1, "1e-6")


@over(
    ("lines", "unordered", "tables"), [((7, 4, 17, 13, 7), 0, 78), ((7, 41), 1, 6), ((128,), 0, 45), ((4, 4), 3, 200)]
)
def test_lines_are_worth_at_most_their_share(lines, unordered, tables):
    price = TablePrice(COST, tables, 10**5, lines, unordered)
    assert price.laplace is None
    σ2 = price.noise.variance
    kinds = [(2 * L, σ2 / price.leaf_noise(L).variance) for L in lines]
    meant = 2 * tables * CELLS / (1 - CELLS) * len(lines) / price.searched
    assert meant / 2 < sum(d * κ for d, κ in kinds) <= meant
    whole = SharedCost(((2 * tables, Fraction(1)), *kinds), price.histogram.cost, unordered)
    assert whole.delta(COST.epsilon, σ2) <= COST.delta


def test_a_certificate_takes_its_share_of_the_whole():
    alone, both = (TablePrice(COST, 78, 10**5, (7, 17), extra_weight=κ) for κ in (Fraction(0), Fraction(37, 2)))
    ratio = float(both.noise.variance / alone.noise.variance)
    assert abs(ratio / float((alone.weight + both.extra_weight) / alone.weight) - 1) < 0.01


@over(
    ("lines", "unordered"), [((7,), 0), ((2,), 0), ((1,), 0), ((7, 41), 0), ((128,), 1), ((2, 2), 3), ((), 1), ((), 4)]
)
def test_before_laplace_noise_cells_cost_their_share_and_no_more(lines, unordered):
    """All rounds of all lines, and all histograms: what one record may spend if every leaf is halved."""
    price = TablePrice(COST, 1, 300, lines, unordered)
    assert price.laplace is not None and price.noise.cost == Budget((1 - BEFORE_LAPLACE) * COST.epsilon)
    rounds = [Concentrated(1 / price.leaf_noise(L).variance) for L in lines for _ in range(L)]
    histograms = [Concentrated.of(price.histogram.cost)] * unordered
    spent = sum((*rounds, *histograms), Concentrated(0)).at_epsilon(BEFORE_LAPLACE * COST.epsilon)
    assert COST.delta / 2 < spent.delta <= COST.delta
