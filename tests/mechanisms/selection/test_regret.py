"""Selection by supported regret: its weights are those of the definition, and what it depends on."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, log

import numpy as np
import pytest

from privpac.mechanisms.selection.public_stable import NO_STABLE, Stable
from privpac.mechanisms.selection.regret import Discounts, RegretExponential, regret_exponential, regrets
from privpac.privacy.budget import Budget
from tests.grid import over


def test_regrets_are_those_of_the_definition() -> None:
    rng = np.random.default_rng()
    for _ in range(300):
        size = int(rng.choice([*range(1, 30), 65, 66, 100]))  # more than 65 are sorted
        errors, trust = rng.integers(0, 40, size), rng.integers(-30, 30, size)
        expected = [max(0, *(min(A, err - other) for A, other in zip(trust, errors, strict=True)), 0) for err in errors]
        assert regrets(errors, trust).tolist() == expected


def by_definition(cost: Budget, levels: int | None, near: bool, errors: int, stable: Stable) -> list[float]:
    """The probabilities of the fallback and of all candidates, in floats."""
    ε, odds = float(cost.epsilon), float((1 - cost.delta) / cost.delta)
    near = near and (levels is None or levels > 2)

    def λ_far(l: int) -> float:
        first, rest = (2, 0.2) if near else (0, 1.0)
        place = max(l - first, 0)
        return max(log(odds / rest * (levels - first if levels else (place + 1) * (place + 2))), 0.0)

    λ_near = max(log(odds / 0.4), 0.0) if near else 0.0
    trust, limit = [10.0**9], [10.0**9]
    for q, l, s in zip(stable.support, stable.level, stable.spare, strict=True):
        x, m = 2 * (q - 1), 2 * max(q - 1, s) if near else 2 * (q - 1)
        trust.append(min(x - ceil(λ_near * 4 / ε - 1e-9), m - ceil(λ_far(l) * 4 / ε - 1e-9)))
        limit.append(min(x - λ_near * 4 / ε, m - λ_far(l) * 4 / ε))
    err = [errors, *stable.errors]
    R = [max(0, *(min(A, e - other) for A, other in zip(trust, err, strict=True)), 0) for e in err]
    weights = [exp(ε / 4 * min(A, -r)) for A, r in zip(limit, R, strict=True)]
    return [w / sum(weights) for w in weights]


@pytest.mark.audit
@over("near", [False, True])
@over("levels", [None, 1, 2, 3, 32])
@over("cost", [Budget(1, 1e-6), Budget("0.2", "0.3"), Budget(6, "0.9")])
def test_the_law_is_that_of_the_definition(near: bool, levels: int | None, cost: Budget) -> None:
    rng = np.random.default_rng()
    for _ in range(20):
        size = int(rng.integers(1, 8))
        level = rng.integers(0, levels or 9, size).tolist()
        support = rng.choice([1, 2, 5, 20, 30, 40, 60], size).tolist()
        errors, spare = rng.integers(0, 60, size).tolist(), rng.choice([0, 1, 10, 40, 2**59], size).tolist()
        stable = Stable(list(range(size)), level, support, errors, None, spare)
        worst = int(rng.integers(0, 60))
        law = RegretExponential(cost, levels, near).law((("none", worst), stable))
        expected = by_definition(cost, levels, near, worst, stable)
        assert [float(law[x]) for x in ("none", *range(size))] == pytest.approx(expected, rel=1e-6, abs=1e-300)


def test_a_group_is_as_many_candidates() -> None:
    one = Stable(["a", "b"], [0, 0], [50, 50], [1, 1], None, [0, 0])
    grouped = Stable([["a", "b"]], [0], [50], [1], [2], [0])
    laws = [RegretExponential(Budget(1, 1e-6), 5, True).law((("none", 30), each)) for each in (one, grouped)]
    assert {x: float(p) for x, p in laws[0].items()} == pytest.approx({x: float(p) for x, p in laws[1].items()})


def test_the_fallback_is_released_if_nothing_is_supported() -> None:
    assert regret_exponential(("none", 9), NO_STABLE, epsilon=1, delta=1e-6) == "none"


def test_shares_of_delta_add_up() -> None:
    """Two near candidates and one on each of the other levels, or one on each level."""
    cost = Budget(1, "0.01")
    most = float(cost.delta / (1 - cost.delta))
    for levels in (1, 2, 3, 32):
        near, far = Discounts.of(cost, levels, True, np.arange(levels))
        new = [exp(-λ) for λ in far] if near is None else [2 * exp(-near), *(exp(-λ) for λ in far[2:])]
        assert 0.999999 * most < sum(new) <= most
    near, far = Discounts.of(cost, None, True, np.arange(4000))
    assert 0.9999 * most < 2 * exp(-near) + sum(exp(-λ) for λ in far[2:]) <= most


def test_no_number_of_records_is_enough_if_epsilon_is_tiny() -> None:
    stable = Stable(["a"], [0], [2**50], [0], None, [2**59])
    law = RegretExponential(Budget(Fraction(1, 10**30), 1e-6), 3, True).law((("none", 2**50), stable))
    assert float(law["a"]) < 1e-5


def test_spare_has_one_entry_each() -> None:
    with pytest.raises(ValueError, match="spare must have one entry"):
        regret_exponential(("none", 1), Stable(["a"], [0], [1], [0], None, [0, 0]), epsilon=1, delta=0.1)
