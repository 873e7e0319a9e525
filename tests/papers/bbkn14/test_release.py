"""Synthetic databases: the net, the mechanism's exact law and privacy, how many records suffice and how few do not."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil, exp, log

import numpy as np
import pytest
from flint import arb

from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import ExplicitClass, explicit
from privpac.classes.lines.thresholds import Thresholds
from privpac.exact.exponential_weights import Weights
from privpac.papers.bbkn14.release import (
    NetMechanism,
    interval_net,
    necessary_records,
    point_net,
    printed_order,
    sufficient_records,
)
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, spend
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers

ONE = Budget(1)


def points(T):
    return ExplicitClass([[x == c for x in range(1, T + 1)] for c in range(1, T + 1)], points=range(1, T + 1))


def intervals(T):
    return explicit(Thresholds(1, T, direction="below"))


def databases(T, m):
    return combinations_with_replacement(range(1, T + 1), m)


def share(database, query):
    return Fraction(sum(x in query for x in database), len(database))


def error(queries, D, released):
    sets = [
        {x for x, y in zip(queries.all_points, row, strict=True) if y} for row in queries.matrix_on(queries.all_points)
    ]
    return max(abs(share(D, c) - share(released, c)) for c in sets)


@pytest.mark.parametrize("queries", [points(3), intervals(3)], ids=["points", "intervals"])
def test_the_law_is_that_of_the_definition(queries):
    net, D = NetMechanism(queries, 2, ONE), (1, 1, 2, 3, 3)
    law = net.law(D)
    weights = {released: exp(-5 * error(queries, D, released) / 2) for released in databases(3, 2)}
    assert {each: float(p) for each, p in law.items()} == pytest.approx(
        {each: w / sum(weights.values()) for each, w in weights.items()}
    )
    assert all(net.error(D, released) == error(queries, D, released) for released in law)


@pytest.mark.parametrize(("spent", "refuted"), [(1, False), (200, True)], ids=["private", "too dear"])
def test_sampled_on_401_records(spent, refuted):
    """One record decides which of two points a database of one point shall be; at 200 times the ε it does."""
    pair = tuple((1,) * k + (3,) * (401 - k) for k in (200, 201))
    net = NetMechanism(points(3), 1, Budget(spent))
    assert audit(net, pair, claimed=ONE, runs=800, confidence=1 - 1e-9).refuted is refuted


@pytest.mark.parametrize(("queries", "size", "n"), [(points(3), 2, 4), (intervals(3), 3, 4), (points(2), 1, 6)])
def test_release_is_private_on_all_databases(queries, size, n):
    net = NetMechanism(queries, size, ONE)
    found = worst_divergence(net.law, queries.all_points, n, ONE)
    assert not found.refuted
    assert float(found.ratio) > 0.4


class Unscaled(NetMechanism):
    """Reads m·m̂·err as if one record moved it by 1, not by m̂."""

    def menu(self, data):
        weights, outcome = super().menu(data)
        return Weights(weights.scores, self.cost.epsilon / 2), outcome


def test_a_score_that_one_record_moves_twice_is_refuted():
    assert worst_divergence(Unscaled(points(3), 2, ONE).law, (1, 2, 3), 4, ONE).refuted


@pytest.mark.parametrize(
    ("queries", "net", "T", "size"),
    [
        (points(3), point_net, 3, 2),
        (points(2), point_net, 2, 3),
        (points(4), point_net, 4, 1),
        (intervals(2), interval_net, 2, 3),
        (intervals(3), interval_net, 3, 2),
    ],
)
def test_nets_are_as_fine_as_they_say_and_no_finer(queries, net, T, size):
    m = 2 * T * size
    worst = max(min(error(queries, D, released) for released in databases(T, size)) for D in databases(T, m))
    assert worst == net(T, size)


def failure(net, D, alpha):
    """Pr[err ≥ α] on D."""
    law = net.law(D)
    return float(sum((p for released, p in law.items() if net.error(D, released) >= alpha), arb(0)))


@pytest.mark.parametrize(
    ("queries", "net", "T", "alpha", "beta"),
    [(points(3), point_net, 3, 0.7, 0.2), (intervals(3), interval_net, 3, 0.6, 0.2)],
)
def test_enough_records_are_enough_on_every_database(queries, net, T, alpha, beta):
    size, m = sufficient_records(net, T, alpha=alpha, beta=beta, epsilon=3)
    mechanism = NetMechanism(queries, size, Budget(3))
    assert 5 < m < 30
    assert max(failure(mechanism, D, Fraction(alpha).limit_denominator(100)) for D in databases(T, m)) <= beta


@pytest.mark.parametrize("net", [point_net, interval_net])
def test_what_is_enough_is_the_least_of_its_bound(net):
    T, α, β, ε = 2**16, 0.1, 0.05, 1.0
    size, m = sufficient_records(net, T, alpha=α, beta=β, epsilon=ε)

    def bound(size, m):
        log_others = sum(log((T + i) / (i + 1)) for i in range(size))
        return log_others - ε * m * (α - float(net(T, size))) / 2 <= log(β / (1 - β)) + 1e-9

    assert bound(size, m)
    assert not any(bound(other, m - 1) for other in range(1, 200) if net(T, other) < α)


def test_one_point_needs_no_records():
    assert sufficient_records(point_net, 1, alpha=0.5, beta=0.1, epsilon=1) == (1, 1)


@pytest.mark.parametrize("constants", ["printed", "tight"])
@pytest.mark.parametrize("m", [2, 4, 7])
def test_no_mechanism_beats_the_lower_bound(m, constants):
    """The net mechanism's worst failure β on the databases of the proof is one that the bound allows at this m."""
    T, α, ε = 4, 0.25, 1
    net, f = NetMechanism(points(T), 8, ONE), (3 if constants == "printed" else 2) * α
    hard = [(1,) * (m - ceil(f * m)) + (i,) * ceil(f * m) for i in range(2, T + 1)] + [(1,) * m]
    β = max(failure(net, D, α) for D in hard)
    assert necessary_records(T, alpha=α, beta=round(β, 9), epsilon=ε, constants=constants) <= m


def test_the_lower_bound_is_the_last_failing_size():
    for T, α, β, ε in ((2**64, 0.1, 0.05, 1), (2**8, 0.03, 0.01, 0.5), (3, 0.3, 0.4, 2)):
        for constants, factor in (("printed", 3), ("tight", 2)):
            m = necessary_records(T, alpha=α, beta=β, epsilon=ε, constants=constants)
            moved = [ceil(factor * Fraction(str(α)) * k) for k in (m - 1, m)]
            possible = [(T - 1) * exp(-ε * k) * (1 - β) <= β for k in moved]
            assert possible[1]
            assert m == 1 or not possible[0]


def test_upper_and_lower_bounds_both_grow_with_the_logarithm_of_the_domain():
    for d in (16, 32, 64):
        low = [necessary_records(2**b, alpha=0.1, beta=0.05, epsilon=1, constants="tight") for b in (d, 2 * d)]
        high = [sufficient_records(point_net, 2**b, alpha=0.1, beta=0.05, epsilon=1)[1] for b in (d, 2 * d)]
        assert low[0] < high[0]
        assert 1.5 < low[1] / low[0] < 2
        assert 2 < high[1] / high[0] < 2.5


def test_the_printed_order():
    assert printed_order(16 * log(2), 1, alpha=0.1, beta=0.05, epsilon=1) == pytest.approx(
        16 * log(2) * log(10) * 1000 + 10 * log(20)
    )


def test_bad_databases_are_refused_before_anything_is_spent():
    ledger = Ledger(ONE)
    with pytest.raises(ValueError) as caught:
        spend(NetMechanism(points(3), 2, ONE), (1, SECRET), ledger, None)
    assert str(SECRET) not in str(caught.value)
    assert ledger.spent == Budget(0)


def test_what_runs_is_charged():
    ledger = Ledger(ONE)
    released = spend(NetMechanism(points(3), 2, ONE), (1, 1, 3, 3), ledger, None)
    assert released in set(databases(3, 2))
    assert ledger.spent == ONE


def test_rows_may_be_lists():
    net = NetMechanism(ExplicitClass([[1, 0], [1, 1]], points=[(1, 2), (3, 4)]), 1, ONE)
    assert net.check([[1, 2], [3, 4]]) == ((1, 2), (3, 4))
    assert spend(net, [[1, 2], [3, 4]], Ledger(ONE), None)[0] in {(1, 2), (3, 4)}


def test_sizes_that_cannot_be_listed_are_refused():
    with pytest.raises(ValueError, match="size must be at least 1"):
        NetMechanism(points(3), 0, ONE)
    with pytest.raises(ValueError, match="too many to list"):
        NetMechanism(points(64), 20, ONE)
    with pytest.raises(ValueError, match="at least one query"):
        NetMechanism(ExplicitClass(np.zeros((0, 3))), 2, ONE)
    for α, β, ε in ((0, 0.1, 1), (1, 0.1, 1), (0.1, 0, 1), (0.1, 0.1, 0)):
        with pytest.raises(ValueError, match="alpha"):
            sufficient_records(point_net, 8, alpha=α, beta=β, epsilon=ε)
        with pytest.raises(ValueError, match="alpha"):
            necessary_records(8, alpha=α, beta=β, epsilon=ε)
    with pytest.raises(ValueError, match="printed, tight"):
        necessary_records(8, alpha=0.1, beta=0.1, epsilon=1, constants="best")
