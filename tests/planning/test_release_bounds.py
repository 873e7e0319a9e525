"""Lower bounds on releases as rows: which classes they are about, and that they are on the page."""

from math import ceil
from pathlib import Path

from privpac.classes import And, Conjunctions, ExplicitClass, Points, RootPaths, Thresholds
from privpac.papers.ggkm21.lower_bounds import theorem_6_9
from privpac.planning.bounds import Goal
from privpac.planning.release_bounds import LABELED_RELEASES, PROVED_RELEASES
from privpac.planning.rows import Constants

GOAL = Goal(0.1, 0.05, 0.5, 1e-9)
FOOLED, CONJUNCTIONS, SHATTERED = LABELED_RELEASES


def test_conjunctions():
    assert CONJUNCTIONS.n(Conjunctions(256), GOAL) == ceil(128 * 16 / (0.5 * 0.01) * (1 - 1e-12))
    assert CONJUNCTIONS.n(Conjunctions(256), Goal(0.5, 0.05, 0.5, 1e-9)) is None
    assert CONJUNCTIONS.n(Conjunctions(256, monotone=True), GOAL) is None
    assert CONJUNCTIONS.n(Points(9), GOAL) is None


def test_classes_with_a_known_dimension():
    assert SHATTERED.n(Conjunctions(256), GOAL) == 590
    cube = ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert SHATTERED.n(cube, GOAL) == theorem_6_9(2, alpha=0.1, beta=0.05, epsilon=0.5, delta=1e-9)
    assert SHATTERED.n(Thresholds(0, 2**64 - 1, direction="above"), GOAL) == theorem_6_9(
        1, alpha=0.1, beta=0.05, epsilon=0.5, delta=1e-9
    )
    assert (
        SHATTERED.n(And(Thresholds(0, 9, direction="above").on("a"), Points(9).on("b")), GOAL) is None
    )  # only bounded from above
    assert SHATTERED.n(Conjunctions(9), Goal(0.1, 0.05, 0.5, 0)) is None  # the default of approximate bounds
    assert SHATTERED.n(RootPaths(), GOAL) == SHATTERED.n(Points(), GOAL)


def test_rows():
    page = (Path(__file__).resolve().parents[2] / "docs" / "theory" / "bounds.md").read_text("utf-8")
    for each in (*LABELED_RELEASES, *PROVED_RELEASES):
        assert each.source in page
    assert [each.kind for each in LABELED_RELEASES] == ["upper", "lower", "lower"]
    assert [each.constants for each in LABELED_RELEASES] == [
        Constants.HIDDEN,
        Constants.HIDDEN_BELOW,
        Constants.PRINTED,
    ]


def test_the_upper_bound_and_its_dual():
    """By closed forms as by search; far above every lower bound."""
    for T in (3, 4, 7, 8):
        assert FOOLED.n(Thresholds(1, T, direction="above"), GOAL) == FOOLED.n(
            Thresholds(1, T, direction="above").materialize(), GOAL
        )
    assert FOOLED.n(Points(6), GOAL) == FOOLED.n(Points(6).materialize(), GOAL)
    assert 1e13 < FOOLED.n(Thresholds(1, 2**16, direction="above"), Goal(0.1, 0.05, 1.0, 1e-6)) < 1e14
    assert FOOLED.n(And(Thresholds(0, 9, direction="above").on("a"), Points(9).on("b")), GOAL) is None
    assert FOOLED.n(Thresholds(1, 8, direction="either"), GOAL) is None
    assert FOOLED.n(RootPaths(), GOAL) is None


def test_what_is_proved_about_points_and_lines():
    net, weights, packed = PROVED_RELEASES
    line, goal = Thresholds(0, 2**16 - 1, direction="above"), Goal(0.1, 0.05, 1.0, 1e-6)
    assert (net.n(line, goal), packed.n(line, goal)) == (3940, 71)
    assert net.n(Thresholds(0, 2**16 - 1, direction="either"), goal) == 3940  # complements err alike
    assert packed.n(Points(2**16), goal) == 71 and net.n(Points(2**16), goal) == 7273
    for each in (net, packed):
        assert each.n(Points(), goal) is None
        assert each.n(And(Thresholds(0, 9, direction="above").on("a"), Points(9).on("b")), goal) is None
        assert each.n(line, Goal(0.2, 0.05, 1.0, 0.0)) < each.n(line, goal)
    assert weights.n(line, Goal(0.1, 0.05, 1.0, 0.0)) is None
    assert weights.n(line, Goal(0.2, 0.05, 1.0, 1e-6)) * 4 <= weights.n(line, goal) + 4
