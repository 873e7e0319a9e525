"""Certificates on trees: exact means, bounds that hold for the worst case and never grow with n or α."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from privpac.classes.tree_orders.spider import Spider
from privpac.learners.certificates import tree_orders as trees
from privpac.learners.certificates.tree_orders import FailureByCount, cap, never_failure, release_failures, selection
from privpac.learners.classifier import PrivateClassifier
from privpac.privacy.budget import Budget
from tests.grid import over

BUDGETS = [Budget(0.5, 1e-6), Budget(1, 1e-6), Budget(3, 1e-6), Budget(1, 0.01)]


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_the_mean_is_that_of_the_binomial_law(n: int) -> None:
    given = np.linspace(1, 0.1, 12)
    for α in (0.01, 0.3, 0.9):
        exact = sum(comb(n, j) * α**j * (1 - α) ** (n - j) * given[min(j, 11)] for j in range(n + 1))
        assert FailureByCount(np.arange(12), given).mean(n, α) == pytest.approx(exact, rel=1e-6)


@over("cost", BUDGETS)
@over("levels", [1, 2, 32, 65])
def test_failures_given_the_records_that_tell_never_grow(cost: Budget, levels: int) -> None:
    for parts in (
        release_failures(cost, levels, 0.05, False),
        release_failures(cost, levels, 0.05, True),
        (never_failure(cost, levels),),
    ):
        for each in parts:
            assert (np.diff(each.chance) <= 1e-15).all() and each.chance[0] == 1.0
        assert sum(each.mean(2**30, 0.1) for each in parts) <= 0.05 / 2 + 1e-9
        assert sum(each.mean(1, 0.1) for each in parts) >= 0.5


def worst_of_chains(cost: Budget, levels: int, C: int, j: int) -> float:
    """The largest chance of a bad path over chains with j records below the deepest bad node, at one or two nodes.

    The bad nodes above it have these j errors and no others, and as much support as can be.
    """
    chosen = selection(cost, levels)
    log_r, T = chosen.log_r, chosen.T

    def weight(q: int, err: int) -> float:
        return float(np.exp(min(q - T, C - err) * log_r))

    bad = (levels - 1) * weight(10**6, j) + np.exp(max(C - j, 0) * log_r)
    # below the deepest bad node: k records at the end of the path, the others one node above it
    good = [weight(j, k) + weight(k, 0) * (k > 0) for k in range(j + 1)]
    return max(bad / (bad + each) for each in good)


@pytest.mark.parametrize("cost", BUDGETS)
def test_the_bound_covers_chains_that_are_as_bad_as_can_be(cost: Budget) -> None:
    levels = 32
    C = cap(cost, levels, 0.05)
    given = release_failures(cost, levels, 0.05, False)[0].chance
    for j in range(1, len(given)):
        assert given[j] >= worst_of_chains(cost, levels, C, j) - 1e-9


def test_the_bound_is_nearly_attained() -> None:
    """Where J is as large as certificates ask for, chains come within a factor of 2 of it."""
    cost, levels = Budget(1, 1e-6), 32
    C = cap(cost, levels, 0.05)
    given = release_failures(cost, levels, 0.05, False)[0].chance
    for j in range(C, C + 20):
        assert given[j] <= 2 * worst_of_chains(cost, levels, C, j)


@pytest.mark.parametrize(("bits", "epsilon", "beta", "n"), [(16, 30, 0.3, 36), (16, 30, 0.05, 61), (1, 10, 0.3, 59)])
def test_legs_can_be_missed_on_either_side(bits: int, epsilon: int, beta: float, n: int) -> None:
    """Just more than α on each side of the target's end: n records fail more often than β (.375, .054, .319)."""
    learner = PrivateClassifier(
        Spider(bits=bits), epsilon=epsilon, regime="realizable", beta=beta, method="SpiderLearner"
    )
    certified = learner.certified_n(alpha=0.1)
    assert certified is not None and certified > n


def test_a_sum_in_few_steps_is_never_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    every = release_failures(Budget("0.1", 1e-6), 32, 0.05, True)
    monkeypatch.setattr(trees, "STEPS", 200)
    some = release_failures.__wrapped__(Budget("0.1", 1e-6), 32, 0.05, True)
    assert [len(each.at) for each in some] == [201, 201] < [each.at[-1] for each in every]
    for n in (10, 3000, 6000, 10**4):
        for one, other in zip(every, some, strict=True):
            assert one.mean(n, 0.1) <= other.mean(n, 0.1) <= one.mean(n - n // 20, 0.1) * (1 + 1e-9)
    monkeypatch.undo()
    assert (
        len(release_failures(Budget("1e-4", "1e-300"), 32, 1e-12, False)[0].at) <= trees.STEPS + 1
    )  # of some 30 million


def test_a_rule_is_found_with_any_epsilon() -> None:
    assert never_failure(Budget(10**6, 1e-6), 8).mean(600, 0.1) <= 1e-20
