"""Texts are read one by one, as the declared domain says."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.values.columns import objects
from privpac.data.values.spelling import names_spelled, spelled

DAYS = Line(date(2020, 1, 1), date(2021, 1, 1))


@pytest.mark.parametrize(
    ("domain", "texts", "values"),
    [
        (Line(0, 5), ["3", " +4 ", "-0", "3.5", "1e2"], [3, 4, 0, Decimal("3.5"), 100]),
        (Line(0, 5), ["37.0", "1e9999", "", "three", "0x3"], [37, Decimal("1e9999"), None, None, None]),
        (Line(0.0, 5.0), ["3", "nan", "x", "1e999"], [3.0, "nan", None, float("inf")]),
        (Line(Decimal("0.0"), Decimal("9.9")), ["3.5", "x"], [Decimal("3.5"), None]),
        (DAYS, ["2020-02-01", " 2020-02-01 ", "2020-02-01T00:00"], ["2020-02-01"] * 2 + ["2020-02-01T00:00"]),
        (DAYS, ["2020-02-01 08:30:00.5", "2020-02-30"], ["2020-02-01T08:30:00.500", None]),
        (DAYS, ["today", "now", "20200201", "2020", "2020-02", "2020/02/01", "NaT", "soon", ""], [None] * 9),
        (DAYS, ["2020-02-01+05:00", "2020-02-01Z", "+2020-02-01", "٢٠٢٠-02-01"], [None] * 4),
        (
            DAYS,
            ["2020-02-01T00:00+05:00", "2020-02-01 08:30 Z"],
            ["2020-02-01 00:00:00+05:00", "2020-02-01 08:30:00+00:00"],
        ),
        (
            DAYS,
            ["2020-02-01T00:00+25:00", "2020-02-01T00:00+5", "0000-02-01T00:00Z", "2020-02-01T00:00 UTC"],
            [None] * 4,
        ),
        (Line("a", "c"), ["b", "3"], ["b", "3"]),
        (Listing(("EV", 3)), ["EV", "3", "UA"], ["EV", 3, "UA"]),
        (Anything(), ["3"], ["3"]),
        (Line(0, 5), [3, None], [3, None]),
    ],
)
def test_what_texts_spell(domain, texts, values):
    found = domain.spell(objects(texts)).tolist()
    assert [str(value) for value in found] == [str(value) for value in values]


def test_numbers_are_no_texts():
    array = np.array([1, 2])
    assert Line(0, 5).spell(array) is array
    assert names_spelled((0, 1), array) is array


def test_labels_in_any_spelling():
    assert names_spelled((False, True), objects(["True", "False", "1"])).tolist() == [True, False, "1"]
    assert names_spelled((0, 1), objects(["1", "1.0", "+1", "one", True])).tolist() == [1, 1, 1, "one", True]


@pytest.mark.parametrize("text", ["sNaN", "-sNaN123", "NaN", "nan7"])
def test_a_text_that_spells_a_kind_of_nan_concerns_its_own_record_only(text):
    texts = np.array(["EV", text, "1.0"], dtype=object)
    assert names_spelled(("EV", 1), texts).tolist() == ["EV", text, 1]
    assert spelled("integer", texts).tolist() == [None, None, 1]


def test_entries_that_are_not_text_are_no_names_whatever_else_a_column_holds():
    """A column of integers may arrive as numpy's or, because of one record, as Python's: both are read alike."""
    numbers = np.array([0, 1, 37])
    for names in (("0", "1"), (0, 1), (False, True)):
        assert (
            names_spelled(names, numbers.astype(object)).tolist()
            == names_spelled(names, numbers).tolist()
            == [0, 1, 37]
        )


def test_zero_is_a_whole_number_with_any_exponent():
    texts = np.array(["0", "-0", "0e999", "0.E2999999999999999", "0E-2999999999999999"], dtype=object)
    assert spelled("integer", texts).tolist() == [0] * 5
    assert all(type(each) is int for each in spelled("integer", texts))
