"""What a fit read stays what a prediction reads, and a column must be where it is said to be."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import privpac as pp
from privpac.data.open_table import open_table
from privpac.learners.classifier import PrivateClassifier
from tests.learners.readers import gathered

AGES = {"age": [*range(100)] * 20, "size": [0] * 2000}
SENIOR = [int(age >= 65) for age in AGES["age"]]


@pytest.mark.parametrize(
    "other",
    [
        {"feature": "size"},
        {"feature": None},
        {"concept_class": pp.Thresholds(0, 9, direction="above")},
        {"concept_class": pp.Rectangles(0, 99, 2)},
        {"on_invalid": "raise"},
        {"classes": ("no", "yes")},
        {"method": "no such"},
    ],
    ids=repr,
)
def test_parameters_set_after_a_fit_are_for_the_next_fit(other):
    clf = PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=5, feature="age", on_invalid="clamp").fit(
        AGES, SENIOR
    )
    asked = {"age": [3, 99, 1000], "size": [50, 50, 50]}
    before, model = clf.predict(asked).tolist(), pp.model_of(clf)
    clf.set_params(**other)
    assert clf.predict(asked).tolist() == before == [0, 1, 1]
    assert pp.model_of(clf) == model


def test_a_fit_that_was_refused_leaves_the_one_before_as_it_was():
    clf = PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=5, feature="age").fit(AGES, SENIOR)
    with pytest.raises(ValueError, match="neither of the two declared"):
        clf.set_params(classes=("no", "yes")).fit(AGES, SENIOR)
    assert clf.predict({"age": [3, 99], "size": [0, 0]}).tolist() == [0, 1]


BARE = {
    "numbers": [1, 2, 3],
    "text": np.array(["1", "2", "3"]),
    "objects": np.array([1, 2, 3], dtype=object),
    "pandas": pd.Series([1, 2, 3]),
    "polars": pl.Series("size", [1, 2, 3]),
}


@pytest.mark.parametrize("feature", ["age", 1, np.int64(2)], ids=repr)
@pytest.mark.parametrize("X", BARE.values(), ids=BARE)
def test_a_bare_column_has_no_other_column(X, feature):
    with pytest.raises(ValueError, match="X is a bare column, but the rule reads column"):
        gathered(PrivateClassifier(pp.Points(), feature=feature), X, [0, 1, 0])


@pytest.mark.parametrize("feature", [None, 0])
def test_a_bare_column_is_the_first(feature):
    assert (
        gathered(
            PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature=feature), BARE["numbers"], [0, 1, 0]
        ).size
        == 3
    )
    for named in (pd.Series([1, 2, 3], name="age"), pl.Series("age", [1, 2, 3])):
        assert (
            gathered(PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature="age"), named, [0, 1, 0]).size
            == 3
        )


@pytest.mark.parametrize("rule", ["clamp", "default"])
@pytest.mark.parametrize("feature", ["age", 1])
def test_a_record_that_is_not_a_row_has_no_other_column(feature, rule):
    """Whether it stands among rows or not, it is void: no record decides how another one is read."""
    clf = PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature=feature, on_invalid=rule)
    for row, points in ((3, []), ({"age": 3}, [3] * (feature == "age")), ((0, 3), [3] * (feature == 1))):
        sample = gathered(clf, [1, 2, row], [0, 1, 1])
        assert (sample.size, sample.points.tolist()) == (3, points)


@pytest.mark.slow
def test_pure_points_read_the_digits_of_a_file(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("code,late\n" + "5,1\n 5,1\n5.0,1\n3,0\n" * 300)
    clf = PrivateClassifier(pp.Points(9), method="ProperPointLearner", feature="code", epsilon=5, report_error=True)
    clf.fit(open_table(file), "late")
    assert str(clf.hypothesis_) == "code = 5" and clf.error_.error < 0.1
    assert clf.predict(open_table(file)).sum() == 900
    model = pp.Model.from_json(pp.model_of(clf).to_json())
    assert model.predict(open_table(file)).sum() == 900 and model.predict({"code": [5, 3]}).tolist() == [1, 0]
    file.write_text("code,late\n5,1\nfive,1\n12,0\n")
    with pytest.raises(ValueError, match="not integers from 0 to"):
        clf.fit(open_table(file), "late")
    assert clf.set_params(on_invalid="default").fit(open_table(file), "late").n_records_ == 3
