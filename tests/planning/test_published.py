"""The smallest ε of three digits, and bounds as rows."""

from fractions import Fraction

from privpac.classes import Points
from privpac.planning.bounds import RELEASES, Goal
from privpac.planning.plans import Plan
from privpac.planning.published import published_row, smallest_epsilon
from privpac.planning.rows import Section, Sought


def test_the_smallest_epsilon_holds_and_the_one_before_does_not():
    for least in (Fraction(1, 3), Fraction("0.0001"), Fraction("99.95")):
        found = smallest_epsilon(lambda ε, least=least: ε >= least)
        assert least <= found <= least * Fraction(101, 100)
    assert smallest_epsilon(lambda ε: ε > 100) is None


def test_a_bound_is_solved_for_what_is_sought():
    goal, lower = Goal(0.1, 0.05, 1.0, 0.0), RELEASES[-1]
    least = lower.n(Points(2**64), goal)
    row = published_row(lower, Plan(Points(2**64), goal, "no labels", None, Sought.RECORDS))
    assert (row.n, row.kind.section) == (least, Section.LOWER)
    row = published_row(lower, Plan(Points(2**64), goal, "no labels", least, Sought.ERROR))
    assert row.alpha == 0.099  # an error of 0.1 is not excluded
    assert lower.n(Points(2**64), Goal(row.alpha, 0.05, 1.0, 0.0)) > least
    assert published_row(lower, Plan(Points(), goal, "no labels", None, Sought.RECORDS)) is None
