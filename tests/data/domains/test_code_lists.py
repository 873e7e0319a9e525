"""Cells of several codes: how they are read, and what does not fit."""

import numpy as np
import pytest

from privpac.data.domains.code_lists import CodeLists, codes_in
from tests.grid import over

TWO = CodeLists(";", 2)


def test_order_spaces_and_repetitions_do_not_count():
    assert TWO.encode(["b; a", "a;b;a", ";;", " a "]).tolist() == [("a", "b"), ("a", "b"), (), ("a",)]
    assert codes_in("a, b", ",") == ("a", "b") and TWO.decode(("a", "b")) == "a;b"


@over(
    ("values", "kind", "says"),
    [(["a", None], ValueError, "missing"), (["a;b;c"], ValueError, "s=2"), ([3], TypeError, "text")],
)
def test_what_does_not_fit_is_refused(values, kind, says):
    with pytest.raises(kind, match=says):
        TWO.encode(values)


def test_what_does_not_fit_is_void_or_cut_off():
    values = np.array(["c;b;a", None, 3, "a", ""], dtype=object)
    found, fits = TWO.fit(values, clamp=False)
    assert fits.tolist() == [False, False, False, True, True]
    found, fits = TWO.fit(values, clamp=True)
    assert fits.tolist() == [True, False, False, True, True] and found[0] == "a;b"


@over(("separator", "s"), [("", 2), (" ", 2), (None, 2), (";", 0), (";", True), (";", "2")])
def test_a_domain_that_cannot_be_read_is_refused(separator, s):
    with pytest.raises(ValueError, match="must be"):
        CodeLists(separator, s)
