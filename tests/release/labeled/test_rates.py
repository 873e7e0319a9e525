"""Figures that follow from noisy outcomes: intervals, weights, and words."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.classes.lines.rules import Threshold
from privpac.refusals.refusal import Refused
from privpac.release.labeled.curves import best_within
from privpac.release.labeled.rates import Interval, Labeling, Outcomes, area, figure_text, weights_of


def test_intervals_of_rates_hold_for_all_counts_that_the_bound_allows_and_are_reached():
    """By trying all of them: TP and FN within E of the answers."""
    for T, F, E in product(range(5), range(5), range(4)):
        _, low, high = Interval.of_rate(np.array([T]), np.array([F]), E)
        near = [(a, b) for a, b in product(range(T - E, T + E + 1), range(F - E, F + E + 1)) if min(a, b) >= 0]
        rates = [a / (a + b) for a, b in near if a + b]
        if rates:
            assert low[0] == pytest.approx(min(rates)) and high[0] == pytest.approx(max(rates))
        else:
            assert (low[0], high[0]) == (0, 1)


def test_costs_are_off_by_the_larger_weight_at_most_and_reach_it():
    """All errors of FP and FN whose sum is also within E."""
    for a, b, E in product((1, 2, 9), (1, 3), (1, 4)):
        errors = [(p, f) for p, f in product(range(-E, E + 1), repeat=2) if abs(p + f) <= E]
        worst = max(abs(a * p + b * f) for p, f in errors)
        assert worst == Labeling(100, "records", ("no", "yes"), E, None, True).margin(a, b) == max(a, b) * E
        apart = max(abs(a * p + b * f) for p, f in product(range(-E, E + 1), repeat=2))
        assert apart == Labeling(100, "records", ("no", "yes"), E, None, False).margin(a, b)


def test_weights():
    assert weights_of([2, 18], (0, 1)) == (1, 9) and weights_of(np.array([0.1, 0.3]), (0, 1)) == (1, 3)
    assert weights_of((Fraction(1, 3), 1), "ab") == (1, 3) and weights_of((10_000, 1), "ab") == (10_000, 1)
    for wrong in ((1, 10_001), (0, 1), (1, 0), (-1, -1)):
        with pytest.raises(Refused):
            weights_of(wrong, "ab")


def test_words():
    assert figure_text(0.5, 0.4999, 0.5001) == "50.0 % (49.9–50.1 %)"  # outward
    labeling = Labeling(1000, "records", ("no", "yes"), 20, Fraction(1, 20), True)
    one = Outcomes(*(np.array([each]) for each in (80, 20, 100, 800)))
    told = str(labeling.rates(Threshold(37).named("age"), one, 0, (1, 9)))
    assert told == (
        "“age ≥ 37” finds 80.0 % (60.0–100.0 %) of the records labeled yes, flags 11.1 % (8.8–13.4 %) of those labeled "
        "no, and is wrong on 12.0 % (10.0–14.0 %) of all records; with errors weighed 1 : 9, a record costs 0.280 "
        "(0.100–0.460) on average.\nThe intervals hold for all rules at once with probability ≥ 0.95, for these 1,000 "
        "records, not for new ones."
    )


def test_areas_and_choices():
    assert area(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])) == 1
    every = Outcomes(*np.array([[10, 8, 2, 0], [0, 2, 8, 10], [90, 20, 1, 0], [0, 70, 89, 90]]))
    labeling = Labeling(100, "records", ("no", "yes"), 2, Fraction(1, 20), True)
    assert [int(every.cost(*pair).argmin()) for pair in ((1, 1), (1, 5), (1, 100))] == [2, 1, 0]
    assert best_within(every, labeling, "sensitivity", 0.7, certain=False) == 1
    assert best_within(every, labeling, "sensitivity", 0.7, certain=True) == 0
    assert best_within(every, labeling, "flagged_at_most", 0.02, certain=False) == 3
    with pytest.raises(Refused, match="certain"):
        best_within(every, labeling, "flagged_at_most", 0.01, certain=True)
