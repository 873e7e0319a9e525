"""Published bounds: their numbers, where they apply, and that certified numbers respect proved lower bounds."""

import re
from math import ceil, exp, log
from pathlib import Path

import pytest

from privpac.classes import (
    And,
    CentralHalfPlanes,
    ExplicitClass,
    HalfPlanes,
    Intervals,
    Points,
    RootPaths,
    Thresholds,
)  # fmt: skip
from privpac.learners.certificates.deviation import chance
from privpac.planning.bounds import BOUNDS, RELEASES, Goal
from privpac.planning.rows import Constants
from privpac.privacy.bisection import smallest
from tests.grid import over

ROOT = Path(__file__).resolve().parents[2]
GOAL = Goal(0.1, 0.05, 1.0, 1e-6)
AT = {ε: Goal(0.1, 0.05, ε, 1e-6) for ε in (0.5, 1.0, 3.0)}


def bound(source):
    (found,) = [each for each in BOUNDS if each.source == source]
    return found


def rounded(n):
    """One digit, as orders of magnitude are compared."""
    return float(f"{n:.0e}")


@pytest.mark.parametrize(
    ("H", "orders"),
    [
        (Thresholds(0, 2**16 - 1, direction="above"), (7e8, 3e8, 1e8)),
        (Thresholds(0, 2**64 - 1, direction="above"), (7e8, 3e8, 1e8)),
        (Points(), (6e8, 3e8, 8e7)),
        (RootPaths(height=32), (6e8, 3e8, 9e7)),
    ],
    ids=str,
)
def test_the_order_of_the_tree_learner(H, orders):
    assert tuple(rounded(bound("[Yan25, Alg. 2]").n(H, goal)) for goal in AT.values()) == orders


def test_the_order_of_points_with_noise():
    n = bound("[BBKN14, Claim 4.5]").n(Points(), AT[0.5])
    assert float(f"{n:.1e}") == 1.4e8
    assert bound("[BBKN14, Claim 4.5]").n(Points(), AT[3.0]) == bound("[BBKN14, Claim 4.5]").n(Points(), AT[1.0])


def test_formulas_by_hand():
    assert bound("[BBKN14, Thm 3.2]").n(Thresholds(0, 2**64 - 1, direction="above"), GOAL) == ceil(
        (log(2**64 + 1) + log(20)) / 0.1
    )
    assert bound("[BBKN14, Thm 4.2]").n(Points(2**64), GOAL) == ceil((log(64) + log(10) + log(20)) / 0.1)
    assert bound("[GGKM21, Thm 6.4]").n(Points(), GOAL) == ceil(100 * log(1 / (1e-6 * 0.1 * 0.05)) ** 2)
    finite = (log(2**64) + log(20)) / 0.1
    assert bound("[ABMS20, Thm 6.1]").n(Points(2**64), GOAL) == ceil(finite + 100 * (1 + log(20)))
    assert bound("[BBKN14, Lemma 5.2]").n(Thresholds(0, 2**64 - 1, direction="above"), GOAL) == ceil(
        log(2**64 * 0.95 / 0.05)
    )
    assert bound("[BBKN14, Thm 3.6]").n(Points(2**64), GOAL) == ceil(log((2**64 - 1) * 0.95 / 0.05))
    extra = bound("[Yan25, Thm 13]").n(Points(), GOAL) - bound("[Yan25, Alg. 2]").n(Points(), GOAL)
    assert extra == pytest.approx((log(10) + log(200)) * log(1e6) ** 0.5 * 10**2.5, abs=2)


def test_the_number_of_subsets_solves_its_own_equation():
    """N = t·m, where t is as large as its median and its choice ask for at β/(t + 2)."""
    N = bound("[Yan25, Alg. 2]").n(Thresholds(0, 2**64 - 1, direction="above"), GOAL)
    t = smallest(lambda t: t * 480 * (10 * log(480 * exp(1)) + log(5 * (t + 2) / 0.05)) >= N)
    median = 5 * log(5 * (t + 2) / (0.05 * 5e-7)) ** 2 / 0.5
    choice = 6 * 16 / 0.5 * log(4 * median * (t + 2) / (0.05 * 0.5 * 5e-7))
    assert t == pytest.approx(max(median, choice), rel=1e-3)


def test_the_lower_bound_for_points_is_the_last_failing_size():
    n = bound("[BBKN14, Lemma 3.9]").n(Points(2**64), GOAL)

    def possible(m):
        Γ = 0.05 + exp(-0.1 * m / 3)
        return (2**64 - 2) * exp(-0.4 * m) * (1 - Γ) <= Γ

    assert possible(n)
    assert not possible(n - 1)
    assert all(possible(m) for m in range(n, n + 500))


def test_minimality_of_thresholds_needs_one_direction_and_a_small_error():
    lower = bound("[BBKN14, Lemma 5.2]")
    assert lower.n(Thresholds(0, 9, direction="below"), GOAL) == ceil(log(10 * 0.95 / 0.05))
    assert lower.n(Thresholds(0, 9, direction="either"), GOAL) is None
    assert lower.n(Thresholds(0, 9, direction="above"), Goal(0.5, 0.05, 1.0, 0.0)) is None
    assert lower.n(Points(2**64), GOAL) is None


def test_bounds_on_releases():
    upper, vague, lower = RELEASES
    assert vague.n(HalfPlanes(10), GOAL) == 3 and vague.constants is Constants.HIDDEN_BELOW
    assert upper.n(Points(2**16), GOAL) == ceil(16 * log(2) * log(10) * 1000 + log(20) * 10)
    assert upper.n(Points(), GOAL) is None
    assert lower.n(Points(2**64), GOAL) == 157  # 48 records have to differ, and 156 leave 47
    assert lower.n(Points(2**64), Goal(0.4, 0.05, 1.0, 0.0)) is None
    assert lower.n(Thresholds(0, 99, direction="above"), GOAL) is None


@over("ε", [0.5, 1.0, 3.0])
@over("bits", [8, 16, 64])
def test_a_proper_pure_certificate_respects_the_lower_bounds(ε, bits):
    """The exponential mechanism over 2^bits rules: proper, pure, realizable."""
    certified = smallest(lambda n: chance(bits * log(2), 0, n, 0.1, ε / 2, "realizable") <= 0.05)
    goal = Goal(0.1, 0.05, ε, 0.0)
    for each in BOUNDS:
        if each.kind == "lower" and each.constants is Constants.PRINTED:
            least = [each.n(H, goal) for H in (Points(2**bits), Thresholds(1, 2**bits - 1, direction="above"))]
            assert max(n or 0 for n in least) <= certified
            assert any(least) or each.source == "[BBKN14, §1.2]"  # which is about more shattered points


@pytest.mark.parametrize(
    ("H", "sources"),
    [
        (HalfPlanes(10), {"[BBKN14, Thm 3.2]", "[HCT24, Cor. 22]"}),
        (CentralHalfPlanes(-9, 9), {"[BBKN14, Thm 3.2]", "[HCT24, Cor. 22]", "[GGKM21, Thm 6.4]"}),
        (RootPaths(), set()),
        (Intervals(0, 99), {"[BBKN14, Thm 3.2]", "[GGKM21, Thm 6.4]", "[GGKM21, Alg. 2]"}),
        (
            And(Thresholds(0, 9, direction="above").on("a"), Points(9).on("b")),
            {"[BBKN14, Thm 3.2]", "[ABMS20, Thm 7.1]"},
        ),
        (ExplicitClass([[0, 0], [0, 1]]), {"[Yan25, Alg. 2]", "[Yan25, Thm 13]", "[BBKN14, Thm 3.2]"}),
    ],
    ids=lambda each: "" if isinstance(each, set) else str(each),
)
def test_bounds_speak_of_the_classes_they_are_about(H, sources):
    upper = {each.source for each in BOUNDS if each.kind == "upper" and each.n(H, GOAL) is not None}
    assert sources <= upper
    assert "[Yan25, Alg. 2]" in sources or "[Yan25, Alg. 2]" not in upper
    assert "[BBKN14, Claim 4.5]" not in upper


def test_no_approximate_bound_without_delta():
    pure = Goal(0.1, 0.05, 1.0, 0.0)
    sources = {each.source for each in BOUNDS if each.n(Points(2**64), pure) is not None}
    assert sources == {
        "[BBKN14, Thm 3.2]",
        "[BBKN14, Thm 4.2]",
        "[BBKN14, Claim 4.5]",
        "[BBKN14, Thm 3.6]",
        "[BBKN14, Lemma 3.9]",
        "[BBKN14, Remark 6.2]",
    }


def test_what_every_learner_needs():
    shattered, rare = bound("[BBKN14, §1.2]"), bound("[BBKN14, Remark 6.2]")
    everything = ExplicitClass([[i >> j & 1 for j in range(5)] for i in range(32)])
    assert shattered.n(everything, GOAL) == ceil(5 * (1 - 2 * (0.1 + 0.05 - 0.005)))
    assert shattered.n(everything, Goal(0.4, 0.2, 1.0, 0.0)) is None
    assert shattered.n(Points(2**64), GOAL) is None  # one record is no bound
    assert rare.n(Points(2**64), GOAL) == ceil(log(10) / -log(0.9)) == rare.n(Points(3), Goal(0.1, 0.05, 9.0, 0.0))
    assert rare.n(Points(2), GOAL) is None and rare.n(Points(9), Goal(0.1, 0.5, 1.0, 0.0)) is None


def test_half_planes_through_the_origin_need_no_lifting():
    plane, space = bound("[HCT24, Cor. 15]"), bound("[HCT24, Cor. 22]")
    assert plane.n(CentralHalfPlanes(-9, 9), GOAL) < space.n(CentralHalfPlanes(-9, 9), GOAL)
    assert plane.n(HalfPlanes(10), GOAL) is None


def test_bounds_fall_with_each_number_of_the_goal():
    for each in BOUNDS:
        for easier in (Goal(0.2, 0.05, 1.0, 1e-6), Goal(0.1, 0.1, 1.0, 1e-6), Goal(0.1, 0.05, 1.0, 1e-5)):
            hard, easy = each.n(Points(2**64), GOAL), each.n(Points(2**64), easier)
            assert (hard is None) == (easy is None)
            assert hard is None or easy <= hard, each.source


def test_every_bound_is_on_the_page_and_says_what_it_is():
    page = (ROOT / "docs" / "theory" / "bounds.md").read_text("utf-8")
    for each in (*BOUNDS, *RELEASES):
        assert each.source in page
        assert each.kind in {"upper", "lower"}
    assert {each.constants for each in BOUNDS if each.kind == "upper"} == {Constants.PRINTED, Constants.HIDDEN}
    assert [each.source for each in BOUNDS if not each.holds] == ["[HCT24, Cor. 15]", "[HCT24, Cor. 22]"]
    assert {re.match(r"\[(\w+), ", each.source)[1] for each in BOUNDS} == {
        "Yan25",
        "GGKM21",
        "ABMS20",
        "BBKN14",
        "HCT24",
    }
