"""Bounds, values and sentences of a dimension; what rules know about themselves."""

import pytest

from privpac.classes.base import Known
from privpac.classes.explicit import ExplicitClass
from privpac.dimensions.base import Dimension, closed_form


def test_the_value_of_bounds_is_refused():
    d = Dimension("VC", 2, 3, None, "time limit")
    assert not d.exact and str(d) == "VC dimension between 2 and 3 (time limit)"
    with pytest.raises(ValueError, match="only bounds"):
        d.value  # noqa: B018
    assert Dimension("VC", 2, 2, None, "search").value == 2


def test_closed_forms_come_with_their_reason():
    class Wise(ExplicitClass):
        def known(self, kind):
            return Known(7, "a theorem") if kind == "VC" else None

    assert closed_form(Wise([[0]]), "VC") == Dimension("VC", 7, 7, None, "a theorem")
    assert closed_form(Wise([[0]]), "threshold") is None
    assert closed_form([[0]], "VC") is None


def test_irreducibility_is_no_dimension():
    assert str(Dimension("irreducibility", 3, 3, None, "search")) == "irreducibility 3 (search)"


def test_bounds_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="exceeds"):
        Dimension("VC", 2, 0, None, "claimed")
