"""Every sanitizer on neighbors, with the same answers: it asks the same, hands on what it may, and says the same."""

import random

import pytest

import privpac as pp
from privpac.classes.marginals import Marginals
from privpac.classes.schema import Column, Schema
from privpac.release.choice import SANITIZERS
from privpac.release.private_release import PrivateRelease
from privpac.report.frame import Named
from privpac.report.release_page import release_page
from tests.replays import SEEDS, Tape, column, said, spoiled

TABLE = Schema(
    (
        Column("job", "category", values=("clerk", "nurse")),
        Column("age", "integer", 0, 120),
        Column("city", "category", open=True),
    )
)
JOBS, CITIES = (pp.Points().on(name, values=tuple(values)) for name, values in (("job", "ab"), ("city", "xy")))
ANSWERED = {  # classes, with values of their domain; of columns, by name
    "CategorySanitizer": [(JOBS, {"job": "ab"})],
    "PointSanitizer": [
        (pp.Points(), ["a", "b", 1, True, "é"]),
        (pp.And(pp.Points().on("job"), pp.Points().on("city")), {"job": "ab", "city": ["x", 1]}),
    ],
    "CodeTreeSanitizer": [
        (pp.StartsWith(height=3), ["J10", "J11", "K", "J"]),
        (pp.Taxonomy({"a": None, "b": "a", "c": "a"}), "abc"),
    ],
    "LineSanitizer": [(pp.Thresholds(0, 9), [0, 3, 9]), (pp.Intervals(0, 2**40), [5, 2**39])],
    "MarginalSanitizer": [(Marginals(JOBS, CITIES, order=2), {"job": "ab", "city": "xy"})],
    "GridSanitizer": [(pp.Rectangles(0, 3, 2), [(0, 0), (1, 3), (3, 3)])],
    "ExplicitSanitizer": [(pp.ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc"), "abc")],
    "TableSanitizer": [(TABLE, {"job": ["clerk", "nurse"], "age": [0, 30, 120], "city": ["Oslo", "Rome"]})],
}
FITS = [("clamp", None), ("default", 2)]


def neighbors(values, k, n, rng):
    """Two samples of (record, unit) that differ in one record, or in one unit."""

    def record(hostile):
        if not isinstance(values, dict):
            value = rng.choice(values)
            return spoiled(value, rng) if rng.random() < hostile else value
        row = {name: rng.choice(each) for name, each in values.items()}
        name = rng.choice([*row])
        return row | {name: spoiled(row[name], rng)} if rng.random() < hostile else row

    one = [(record(0.05), i // 2) for i in range(n)]
    at = rng.randrange(n)
    changed = [(record(0.7), unit) if i == at or (k and unit == one[at][1]) else (each, unit)
               for i, (each, unit) in enumerate(one)]  # fmt: skip
    return one, [*changed, (record(0.5), one[at][1])] if k and rng.random() < 0.5 else changed


def released(queries, values, records, k, **asked):
    """All that a release makes public."""
    rows, units = zip(*records, strict=True)
    X = {name: column([row[name] for row in rows]) for name in values} if isinstance(values, dict) else column(rows)
    front = PrivateRelease(queries, max_records=k, allow_large_delta=True, **asked).fit(X, unit=k and list(units))
    page = release_page(front.release_, Named("flights", {}, None))
    return front.to_json(), page, *map(str, (front.guarantee_, front.ledger_, front.counts()))


def test_every_sanitizer_is_tried():
    assert set(ANSWERED) == {each.__name__ for each in SANITIZERS}


@pytest.mark.parametrize("name", ANSWERED)
def test_neighbors_with_the_same_answers_are_the_same_to_everyone(name):
    for queries, values in ANSWERED[name]:
        for (rule, k), seed in ((fit, seed) for fit in FITS for seed in range(SEEDS)):
            rng = random.Random(f"{name} {queries} {rule} {seed}")
            one, other = neighbors(values, k, rng.choice((10, 60, 300)), rng)
            asked = {"epsilon": rng.choice((1, 6)), "delta": 1e-6, "method": name, "on_invalid": rule}
            asked |= {"random_state": seed}  # of units; answers are given
            tape = Tape()
            with tape.recorded():
                here = said(lambda: released(queries, values, one, k, **asked))  # noqa: B023
            with tape.replayed():
                there = said(lambda: released(queries, values, other, k, **asked))  # noqa: B023
            assert here == there, (one, other, asked)
            assert tape.too_far() == [], (one, other, asked)
