"""Compositions and unions: patterns are those of the definition; what does not fit together is refused."""

import copy
import math
import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest

from privpac.classes.compositions.compose import And, Compose, Majority, Not, OnColumn, Or, Union, Xor
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.classes.vectors.boxes import Conjunctions, Rectangles
from privpac.classes.vectors.half_spaces import HalfPlanes
from privpac.classes.vectors.parities import Parities
from tests.classes.definitions import assert_comes_back, assert_patterns, dimension, rows_of

CUTS = [lambda x, t=t: x >= t for t in range(6)]  # of 0 … 4
SPANS = [lambda x, l=l, r=r: l <= x <= r for l in range(5) for r in range(l, 5)] + [lambda x: False]
LATE, SPAN = Thresholds(0, 4, direction="above"), Intervals(0, 4)

GATES = [
    (And, lambda *bits: all(bits)),
    (Or, lambda *bits: any(bits)),
    (Xor, lambda *bits: sum(bits) % 2 == 1),
    (Majority, lambda *bits: 2 * sum(bits) > len(bits)),
]


@pytest.mark.parametrize(("made", "rule"), GATES)
def test_compositions_on_the_same_points(made, rule):
    two = [lambda x, f=f, g=g: rule(f(x), g(x)) for f, g in product(CUTS, SPANS)]
    assert_patterns(made(LATE, SPAN), two, [0, 3, 4, 3])
    three = [lambda x, fs=fs: rule(*(f(x) for f in fs)) for fs in product(CUTS, CUTS, SPANS)]
    assert_patterns(made(LATE, LATE, SPAN), three, [1, 2, 4])


def test_any_function_composes():
    rings = [lambda x, f=f, g=g: f(x) and not g(x) for f, g in product(SPANS, SPANS)]
    assert_patterns(Compose(lambda outer, inner: outer and not inner, SPAN, SPAN), rings, [0, 1, 2, 3, 4])


@pytest.mark.parametrize(("made", "rule"), GATES)
def test_compositions_on_columns(made, rule):
    rows = [(0, "a"), (4, "b"), (2, "a"), (2, "b"), (4, "b")]
    named = [lambda x, v=v: x == v for v in ("a", "b", "elsewhere")]
    predicates = [lambda x, f=f, g=g: rule(f(x[0]), g(x[1])) for f, g in product(CUTS, named)]
    assert_patterns(made(LATE.on(0), Points().on(1)), predicates, rows)
    by_name = made(LATE.on("delay"), Points().on("carrier"))
    frame = pd.DataFrame(rows, columns=["delay", "carrier"])
    found = set(map(tuple, by_name.patterns(frame).tolist()))
    assert found == rows_of(predicates, rows)
    c = by_name.materialize(frame)
    assert len(c.all_points) == 4 and c.all_points[0]["carrier"] == "a"
    for h in c.concepts:
        assert h(frame)[:4].tolist() == c[h][c.columns(c.all_points)].tolist() == h(c.all_points).tolist()
        assert_comes_back(h)


def test_nested_compositions_with_shared_columns():
    rule = Or(And(LATE.on("x"), SPAN.on("y")), Not(LATE.on("x")))
    assert rule.domain.names == ("x", "y")
    rows = [{"x": x, "y": y} for x, y in [(0, 0), (1, 4), (3, 2)]]
    predicates = [
        lambda r, f=f, g=g, e=e: (f(r["x"]) and g(r["y"])) or not e(r["x"]) for f, g, e in product(CUTS, SPANS, CUTS)
    ]
    assert_patterns(rule, predicates, rows)
    sentences = [str(h) for h in rule.representatives(rows)]
    assert {"2 ≤ y ≤ 2", "x < 1", "always", "never"} <= set(sentences)


def test_explicit_parts_in_any_order_of_points():
    a = ExplicitClass([[0, 0, 1], [1, 0, 0]], points="abc")
    b = ExplicitClass([[1, 1, 0]], points="cba")
    assert And(a, b).patterns("abc").tolist() == [[False, False, True], [False, False, False]]
    c = Or(a.on("code"), Thresholds(0, 1, direction="above").on("late")).materialize()
    assert len(c.all_points) == 6
    assert {str(h) for h in c.concepts} >= {"code = c or late ≥ 1"}


def test_vector_classes_compose_on_the_same_grid():
    c = And(HalfPlanes(3), Rectangles(0, 2, 2))
    rows = {
        tuple(np.logical_and(h, r))
        for h in HalfPlanes(3).materialize().matrix
        for r in Rectangles(0, 2, 2).materialize().matrix
    }
    assert set(map(tuple, c.patterns(np.array([(x, y) for x in range(3) for y in range(3)])).tolist())) == rows
    flags = Or(Conjunctions(2).on("flags"), LATE.on("delay"))
    assert flags.patterns([{"flags": (0, 1), "delay": 3}]).tolist() == [[True], [False]]


def test_union_and_stumps():
    points = [(0, 1), (3, 4), (2, 2), (1, 0)]
    stumps = Union(*(Thresholds(0, 4, direction="either").on(i) for i in (0, 1)))
    predicates = [lambda x, i=i, f=f, s=s: f(x[i]) == s for i in (0, 1) for f in CUTS for s in (False, True)]
    assert_patterns(stumps, predicates, points)
    assert_patterns(Union(LATE, SPAN), CUTS + SPANS, [0, 2, 4])
    assert {str(h) for h in stumps.representatives(points)} >= {"column 0 ≥ 3", "column 1 < 1"}


def test_sizes_are_upper_bounds_and_exact_for_one_part():
    for made in (And, Or, Xor):
        c = made(LATE, SPAN)
        assert c.materialize().size <= c.size == LATE.size * SPAN.size
    assert Union(LATE, SPAN).materialize().size <= Union(LATE, SPAN).size == LATE.size + SPAN.size
    assert Not(SPAN).size == SPAN.on("x").size == SPAN.size == Not(SPAN).materialize().size
    assert And(LATE.on(0), Points().on(1)).size == math.inf
    huge = Thresholds(0, 2**64 - 1, direction="above")
    assert And(huge.on(0), huge.on(1)).log_size == pytest.approx(128 * math.log(2))


@pytest.mark.parametrize("cls", [LATE, SPAN, Parities(2), Conjunctions(2), Points(4)])
def test_closed_forms_of_not_and_on_columns(cls):
    rows = set(map(tuple, cls.materialize().matrix.tolist()))
    negated = set(map(tuple, Not(cls).materialize().matrix.tolist()))
    for kind in ("VC", "Littlestone", "dual VC", "dual Littlestone"):
        known = cls.known(kind)
        assert Not(cls).known(kind) == cls.on("x").known(kind) == known
        if known is not None:
            assert known.value == dimension(kind, rows) == dimension(kind, negated)
    threshold = Not(cls).known("threshold")
    assert (threshold is None) == (not isinstance(cls, Points))
    assert threshold is None or threshold.value == dimension("threshold", negated)
    assert And(cls, cls).known("VC") is None
    assert Union(cls, cls).known("VC") is None


def test_classes_are_values():
    rule = And(LATE.on("x"), SPAN.on("y"))
    assert rule == And(LATE.on("x"), SPAN.on("y")) != And(SPAN.on("y"), LATE.on("x"))
    assert rule == copy.deepcopy(rule) == pickle.loads(pickle.dumps(rule))
    assert hash(rule) == hash(copy.deepcopy(rule))
    assert repr(Not(Parities(2))) == "Not(Parities(d=2, affine=False))"
    assert repr(Compose([0, 1, 1, 1], Parities(1), Parities(1))).startswith("Compose(G, Parities")
    assert repr(Union(Parities(2))) == "Union(Parities(d=2, affine=False))"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: And(LATE.on("x"), SPAN), "every part or on none"),
        (lambda: Union(LATE, SPAN.on(0)), "every part or on none"),
        (lambda: And(LATE, Intervals(0, 5)), "different domains for the points"),
        (lambda: And(LATE.on("x"), Intervals(0, 5).on("x")), "different domains for column 'x'"),
        (lambda: And(ExplicitClass([[0, 1]]), ExplicitClass([[0, 1]], points="ab")), "different domains"),
        (And, "1 to 16 classes"),
        (Union, "at least one class"),
        (lambda: Not(LATE, SPAN), "must take 2 booleans"),
        (lambda: Compose([0, 1], LATE, SPAN), "2 classes need 4"),
        (lambda: Compose("nand", LATE), "no gate is called"),
        (lambda: And([[0, 1]], LATE), "ExplicitClass"),
        (lambda: LATE.on("x").on("y"), "already reads columns"),
        (lambda: LATE.on(-1), "position counted from 0"),
        (lambda: LATE.on(True), "column of ColumnRule must be"),
        (lambda: LATE.on(None), "column of ColumnRule must be"),
        (lambda: OnColumn([[0, 1]], "x"), "ExplicitClass"),
    ],
)
def test_what_does_not_fit_together_is_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


@pytest.mark.parametrize(
    "points",
    [
        [],
        [{"x": 987654321, "y": 0}],
        [{"x": None, "y": 0}],
        [{"x": 1}],
        [(1, 2)],
        "text",
        {"x": [1, 2], "y": [1]},
        [{"x": 1.5, "y": 0}],
    ],
)
def test_bad_points_are_refused(points):
    rule = And(LATE.on("x"), SPAN.on("y"))
    for ask in (rule.patterns, rule.materialize, rule.representatives):
        with pytest.raises((TypeError, ValueError)) as caught:
            ask(points)
        assert "987654321" not in str(caught.value)


def test_too_many_patterns_are_refused():
    cut = Thresholds(0, 10**6, direction="above")
    with pytest.raises(ValueError, match="choose fewer points"):
        And(cut.on(0), cut.on(1), cut.on(2)).patterns([(i, i, i) for i in range(200)])


def test_a_domain_that_any_values_fit_is_that_of_the_other_part():
    assert And(Points(), LATE).domain == And(LATE, Points()).domain == LATE.domain


def test_nothing_combined_with_anything_is_nothing():
    c = ExplicitClass([[0, 1], [1, 1]])
    empty = c.where({0: 0, 1: 0})
    for combined in (Or(empty, c), And(c, empty), Not(empty)):
        assert (combined.size, combined.materialize().size) == (0, 0)
    assert Union(empty, c).materialize().size == 2
    assert And(empty.on("a"), Points().on("b")).size == 0


def test_a_rule_is_named_by_what_distinguishes_its_parts():
    late = And(Thresholds(-100, 2000, direction="above").on("delay"), Points().on("carrier"))
    rule = late.hypothesis(37, "EV")
    assert str(rule) == "delay ≥ 37 and carrier = EV"
    assert rule({"delay": [36, 37, 50], "carrier": ["EV", "EV", "UA"]}).tolist() == [False, True, False]
    assert str(Not(Thresholds(0, 9, direction="above")).hypothesis(5)) == "x < 5"
    assert late.hypothesis(late.parts[0].hypothesis(37), "EV") == rule
    with pytest.raises(ValueError, match="give 2 choices"):
        late.hypothesis(37)
