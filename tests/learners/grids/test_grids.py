"""Rules on a public grid: which they are, and the errors of all of them against the definition."""

from datetime import date
from itertools import product

import numpy as np
import pytest

from privpac.classes.compositions.compose import And, Compose, Majority, Not, Or, Xor
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.learners.grids.grids import FINEST, ColumnPart, cell_starts, rules_of, size_on
from tests.grid import over

SIZES = ExplicitClass([[0, 1, 1], [1, 0, 0], [0, 0, 1]], points=["S", "M", "L"])


def rules(H, limit):
    return rules_of(tuple(map(ColumnPart.of, H.parts)), H.domain, limit)


def sample_of(H, table, labels, counts=None):
    points = H.domain.points(table)
    size = len(labels) if counts is None else int(counts.sum())
    return Sample(points, np.array(labels, dtype=bool), counts, size, table)


@pytest.mark.audit
@over(
    "H",
    [
        And(Thresholds(0, 9, direction="above").on("a"), Thresholds(0, 4, direction="below").on("b")),
        Or(Thresholds(0, 9, direction="either").on("a"), Intervals(0, 4).on("b")),
        Xor(Thresholds(0.0, 9.0, direction="above").on("a"), SIZES.on("c")),
        Majority(Thresholds(0, 9, direction="above").on("a"), Intervals(0, 4).on("b"), SIZES.on("c")),
        Compose(lambda a, b: a and not b, Intervals(0, 9).on("a"), Intervals(0, 9).on("a")),
        Not(Thresholds(0, 9, direction="above").on("a")),
        Compose([0, 0, 0, 0], Thresholds(0, 9, direction="above").on("a"), SIZES.on("c")),
    ],
)
@over("limit", [10**6, 60])
def test_errors_are_those_of_the_rules(H, limit):
    rng = np.random.default_rng(1)
    found = rules(H, limit)
    assert found.size <= limit
    for n in (0, 1, 7, 7):
        table = {
            "a": rng.integers(0, 10, n),
            "b": rng.integers(0, 5, n),
            "c": [["S", "M", "L"][i] for i in rng.integers(0, 3, n)],
        }
        sample = sample_of(H, table, rng.random(n) < 0.5, rng.integers(1, 9, n))
        errors = found.errors(sample, H.gate.table)
        assert errors.shape == found.shape
        for place in rng.permutation(found.size)[:40].tolist():
            assert errors.ravel()[place] == sample.errors(H.hypothesis(*found.combination(place)))


def test_points_themselves_need_no_column():
    ring = Compose(lambda outer, inner: outer and not inner, Intervals(0, 9), Intervals(0, 9))
    found = rules(ring, 10**6)
    sample = sample_of(ring, list(range(10)), [3 <= x <= 4 or 7 <= x <= 8 for x in range(10)])
    errors = found.errors(sample, ring.gate.table)
    assert errors.min() == 0
    assert str(ring.hypothesis(*found.combination(int(errors.argmin())))).count("x") == 2


def test_all_values_if_they_are_few():
    found = rules(And(Thresholds(0, 9, direction="above").on("a"), Thresholds(0, 4, direction="above").on("b")), 10**6)
    assert found.shape == (11, 6)
    assert not found.coarse
    assert found.reference_rules == ()


def test_columns_with_few_values_leave_room_for_the_others():
    wide = Thresholds(0, 10**9, direction="above")
    together, alone = (
        rules(And(wide.on("a"), Thresholds(0, high, direction="above").on("b")), 10**6) for high in (10**9, 1)
    )
    assert together.shape == (1000, 1000)
    assert alone.shape == (FINEST + 1, 3)
    assert "999 steps" in together.reference_rules[0]


@pytest.mark.parametrize(
    "line",
    [Line(0, 10**30), Line(date(1900, 1, 1), date(2100, 1, 1)), Line("", "zz"), Line(-1.0, 1.0), Line(0.0, 1.7e308)],
)
def test_cells_cover_the_line_in_order(line):
    first = cell_starts(line, 100).tolist()
    assert first[0] == 0
    assert first == sorted(set(first))
    assert 50 < len(first) <= 100
    assert first[-1] < line.size


def test_floats_have_cuts_of_equal_steps_and_of_equal_ratios():
    line = Line(0.0, 10.0)
    cuts = [line.decode(t) for t in cell_starts(line, 200).tolist()]
    assert {0.1, 0.2, 9.9} <= set(cuts)
    assert min(cut for cut in cuts if cut > 0) < 1e-100


def test_sizes_count_different_rules():
    for H, cells in product(
        (Thresholds(0, 9, direction="above"), Thresholds(0, 9, direction="either"), Intervals(0, 9)), (2, 5, 10)
    ):
        found = rules(Not(H), size_on(H, cells))
        assert len(set(map(found.combination, range(found.size)))) == found.size == size_on(H, cells)


def test_no_grid():
    assert rules(And(Thresholds(0, 9, direction="above").on("a"), Points().on("b")), 10**6) is None
    assert rules(And(*(Thresholds(0, 9**9, direction="above").on(i) for i in range(15))), 10**6) is None
    assert (
        rules(And(ExplicitClass(np.zeros((0, 2))).on("a"), Thresholds(0, 9, direction="above").on("b")), 10**6) is None
    )


def test_listed_values_in_another_order_are_the_same():
    other = ExplicitClass([[1, 1, 0], [0, 0, 1]], points=["L", "M", "S"])
    H = And(SIZES.on("c"), other.on("c"))
    found = rules(H, 100)
    sample = sample_of(H, {"c": ["S", "M", "L"]}, [False, True, True])
    errors = found.errors(sample, H.gate.table).ravel()
    assert errors.tolist() == [sample.errors(H.hypothesis(*found.combination(i))) for i in range(found.size)]
