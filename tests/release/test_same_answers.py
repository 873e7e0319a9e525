"""Every sanitizer on neighbors, with the same answers: it asks the same, hands on what it may, and says the same."""

import random

import pandas as pd
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Schema
from privpac.classes.tables.marginals import Marginals
from privpac.release.choice import SANITIZERS
from privpac.release.private_release import PrivateRelease
from privpac.report.pages.frame import PageNames
from privpac.report.pages.release import release_page
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
    "LineSanitizer": [(pp.Thresholds(0, 9, direction="above"), [0, 3, 9]), (pp.Intervals(0, 2**40), [5, 2**39])],
    "MarginalSanitizer": [(Marginals(JOBS, CITIES, order=2), {"job": "ab", "city": "xy"})],
    "GridSanitizer": [(pp.Rectangles(0, 3, 2), [(0, 0), (1, 3), (3, 3)])],
    "SummarySanitizer": [(pp.And(JOBS, pp.Thresholds(0, 9).on("age")), {"job": "ab", "age": [0, 3, 9]})],
    "MeanSanitizer": [(pp.And(JOBS, pp.Thresholds(0, 9).on("age")), {"job": "ab", "age": [0, 3, 9]})],
    "ExplicitSanitizer": [(pp.ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc"), "abc")],
    "TableSanitizer": [(TABLE, {"job": ["clerk", "nurse"], "age": [0, 30, 120], "city": ["Oslo", "Rome"]})],
}
FITS = [("clamp", None), ("default", 2)]


def record(values, hostile, rng):
    if not isinstance(values, dict):
        value = rng.choice(values)
        return spoiled(value, rng) if rng.random() < hostile else value
    row = {name: rng.choice(each) for name, each in values.items()}
    name = rng.choice([*row])
    return row | {name: spoiled(row[name], rng)} if rng.random() < hostile else row


def neighbors(one, values, k, rng):
    """One record changes, or one unit, which may have more or fewer records then: to nothing at all, or to anything."""
    at = rng.randrange(len(one))
    unit, none = one[at][1], dict.fromkeys(values) if isinstance(values, dict) else None
    yield [(none, each) if i == at or (k and each == unit) else (row, each) for i, (row, each) in enumerate(one)]
    for _ in range(2):
        anew = [(record(values, 0.5, rng), unit) for _ in range(rng.randrange(1, 4) if k else 1)]
        place = at - at % 2 if k else at
        yield [*one[:place], *anew, *one[place + (2 if k else 1) :]]


def released(queries, values, records, k, **asked):
    """All that a release makes public."""
    rows, units = zip(*records, strict=True)
    X = column(rows)
    if isinstance(values, dict):
        X = {name: column([row[name] for row in rows]) for name in values}
        if len(rows) % 2 and "\\ud800" not in repr(rows):  # half a character, which pandas refuses
            X = pd.DataFrame(rows)  # which chooses types by what it finds
    front = PrivateRelease(queries, max_records=k, allow_large_delta=True, **asked).fit(X, unit=k and list(units))
    page = release_page(front.release_, PageNames("flights", {}, None))
    return front.to_json(), page, *map(str, (front.guarantee_, front.ledger_, front.counts()))


def test_every_sanitizer_is_tried():
    assert set(ANSWERED) == {each.__name__ for each in SANITIZERS}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERED)
def test_neighbors_with_the_same_answers_are_the_same_to_everyone(name):
    for queries, values in ANSWERED[name]:
        for (rule, k), seed in ((fit, seed) for fit in FITS for seed in range(SEEDS)):
            rng = random.Random(f"{name} {queries} {rule} {seed}")
            one = [(record(values, 0.05, rng), i // 2) for i in range(rng.choice((10, 61, 300)))]
            asked = {"epsilon": rng.choice((1, 6)), "delta": 1e-6, "method": name, "on_invalid": rule}
            asked |= {"random_state": seed}  # of units; answers are given
            tape = Tape()
            with tape.recorded():
                here = said(lambda: released(queries, values, one, k, **asked))  # noqa: B023
            for other in neighbors(one, values, k, rng):
                with tape.replayed():
                    there = said(lambda: released(queries, values, other, k, **asked))  # noqa: B023
                assert here == there, (one, other, asked)
                assert tape.too_far() == [], (one, other, asked)
