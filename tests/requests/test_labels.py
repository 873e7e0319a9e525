"""Labels are one of two, or void, or refused."""

import numpy as np
import pytest

from privpac.data.values.columns import objects
from privpac.requests.labels import positives


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


class Marked(str):
    """A label that carries more than its text."""


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (objects([True, 1, 0]), "[0, 1]"),
        (objects([1.0, 1, 0]), "[0, 1]"),
        (objects([Marked("yes"), "yes", "no"]), "['no', 'yes']"),
        (np.array([-0.0, 0.0, 1.0]), "[0.0, 1.0]"),
    ],
)
def test_which_of_equal_labels_a_record_held_is_not_told(labels, told):
    classes = positives(labels, None, strict=True)[2]
    assert repr(classes.tolist()) == told and not any(isinstance(each, Marked) for each in classes)


@pytest.mark.parametrize("classes", [(0, "yes"), (2**63 + 1, -1), ("a\0", "a"), ("no", ("yes", 1))])
def test_declared_labels_of_any_types_are_read_as_they_are(classes):
    assert read(objects([*classes, classes[1]]), classes=classes) == ([False, True, True], None)
    assert positives(objects(classes), classes, strict=True)[2].tolist() == list(classes)


@pytest.mark.parametrize("classes", [(None, 1), (0, float("nan")), "ny", {0, 1}, 0, (0,)])
def test_declared_labels_are_two_that_are_there(classes):
    with pytest.raises(ValueError, match="two different labels"):
        read(objects([1]), classes=classes, on_invalid="default")
