"""Which values a record may hold: others are refused or void before anything is spent, whatever their code does."""

from pathlib import PureWindowsPath

import numpy as np
import pandas as pd
import pytest

import privpac as pp
from privpac.data.values.columns import objects
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.data.values.test_allowed_types import UNLISTED, Text, Whole

TWINS = {  # equal, and printed differently
    "paths": (PureWindowsPath("UA"), PureWindowsPath("ua")),
    "ranges": (range(0, 3, 2), range(0, 4, 2)),
    "views": (memoryview(b"ua"), b"ua"),
    "sets": (frozenset([0, 8]), frozenset([8, 0])),
    "text": (Text("ua"), "ua"),
    "numbers": (Whole(7), 7),
}


def learned(first, second, rule, **parameters):
    """The rule from one record with the first value and many with the second."""
    X = objects([first] + [second] * 600 + ["other"] * 300)
    learner = pp.PrivateClassifier(pp.Points(), epsilon=5, feature=None, on_invalid=rule, **parameters)
    return learner.fit(X, [1] * 601 + [0] * 300).hypothesis_


@pytest.mark.parametrize("kind", TWINS)
def test_no_record_decides_how_a_value_is_printed(kind):
    one, other = TWINS[kind]
    rules = {str(learned(*pair, "default")) for pair in [(one, other), (other, other)]}
    assert len(rules) == 1


@pytest.mark.parametrize("value", UNLISTED, ids=range(len(UNLISTED)))
@pytest.mark.parametrize("where", ["points", "labels", "units"])
def test_what_is_not_listed_is_refused_before_anything_is_spent(value, where):
    ledger = Ledger(Budget(10, "1/10"))
    columns = {"points": ["a"] * 600 + ["b"] * 300, "labels": [1] * 600 + [0] * 300, "units": list(range(900))}
    columns[where][7] = value
    X, y, units = (objects(each) for each in columns.values())
    table = {"x": X, "patient": units}
    learner = pp.PrivateClassifier(pp.Points(), feature="x", budget=ledger, max_records=1)
    with pytest.raises((TypeError, ValueError)):
        learner.fit(table, y, "patient")
    assert ledger.spent == Budget(0)
    learner.set_params(on_invalid="default").fit(table, y, "patient")
    assert learner.n_records_ == 900 - (where == "units")


@pytest.mark.parametrize("rule", ["raise", "clamp", "default"])
@pytest.mark.parametrize(
    ("cls", "value", "plain"),
    [
        (pp.Points(), Whole(7), 7),
        (pp.Thresholds(0, 9, direction="above"), Whole(7), 7),
        (pp.Thresholds("a", "z", direction="above"), Text("ua"), "ua"),
        (pp.RootPaths("/", height=3), Text("ua"), "ua"),
        (pp.StartsWith(height=3), Text("ua"), "ua"),
        (pp.And(pp.Points().on("x"), pp.Thresholds(0, 3, direction="above").on("z")), Text("ua"), "ua"),
    ],
    ids=["points", "numbers", "text", "paths", "beginnings", "a column"],
)
def test_the_code_of_a_record_never_runs_after_the_charge(cls, value, plain, rule):
    """What a subclass overrides fails or lies; all that is learned is what Python's own value would have led to."""
    columns = [objects([each] * 300 + [plain] * 300) for each in (value, plain)]
    found = [
        pp.PrivateClassifier(cls, epsilon=4, on_invalid=rule, report_error=True, random_state=5, feature="x")
        .fit({"x": column, "z": [1] * 600}, [1, 0] * 300)
        .hypothesis_
        for column in columns
    ]
    assert str(found[0]) == str(found[1])


def test_labels_and_units_of_subclasses_are_what_they_extend():
    y = objects([Text("yes"), Text("no"), "yes"] * 200)
    unit = objects([Text(f"u{i // 2}") for i in range(600)])
    learner = pp.PrivateClassifier(
        pp.Points(), feature=None, classes=("no", "yes"), max_records=1, delta=1e-5, on_invalid="default"
    )
    assert learner.fit(["a", "b", "a"] * 200, y, unit).n_records_ == 300


def test_times_of_pandas_and_numbers_of_numpy_are_values():
    for value in (pd.Timestamp("2026-11-15 08:30"), np.float32(2.5), np.datetime64(3, "ns"), pd.Timedelta("1s")):
        assert "other" not in str(learned(value, value, "raise"))
