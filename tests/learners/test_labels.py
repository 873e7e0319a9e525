"""Labels are one of two, or void, or refused."""

import numpy as np
import pytest

from privpac.data.columns import objects
from privpac.learners.labels import positives


def read(labels, **parameters):
    found, known, _ = positives(labels, parameters.get("classes", (0, 1)), strict="on_invalid" not in parameters)
    return found.tolist(), known if known is None else known.tolist()


def test_declared_labels():
    assert read(np.array([0, 1, 1])) == ([False, True, True], None)
    assert read(objects(["no", "yes"]), classes=("no", "yes")) == ([False, True], None)
    assert read(objects([0, "x", {}, 1]), on_invalid="default")[1] == [True, False, False, True]


@pytest.mark.parametrize("labels", [objects(["No", "yes"]), objects(["no ", "yes"]), objects([0, 1])])
def test_case_spaces_and_type_count(labels):
    with pytest.raises(ValueError, match="case, spaces, and type matter"):
        read(labels, classes=("no", "yes"))


def test_labels_that_are_found_are_two_and_of_one_type():
    assert read(np.array([3, 5, 3]), classes=None) == ([False, True, False], None)
    assert read(np.array([3, 3]), classes=None) == ([False, False], None)
    with pytest.raises(ValueError, match="more than two"):
        read(np.array([1, 2, 3]), classes=None)
    with pytest.raises(TypeError, match="labels have several types"):
        read(objects(["x", 1]), classes=None)


@pytest.mark.parametrize("labels", [np.array([0, np.nan]), np.array([np.inf, 1]), objects([np.nan, 1])])
@pytest.mark.parametrize("parameters", [{}, {"classes": None, "on_invalid": "default"}])
def test_labels_that_are_missing_are_refused_with_a_way_out(labels, parameters):
    with pytest.raises(
        ValueError, match=r"some labels are missing or infinite: Input .*leave it out.*on_invalid='default'"
    ):
        read(labels, **parameters)
    assert read(labels, on_invalid="default")[1] == [bool(np.isfinite(label)) for label in labels]
