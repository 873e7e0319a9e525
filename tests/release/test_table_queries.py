"""Which columns of a table are counted together, and what is refused before any record is read."""

import numpy as np
import pytest

import privpac as pp
from privpac.classes.schema import Column, Schema
from privpac.data.refusal import Refused
from privpac.release.table_queries import TableQueries

TWO = Schema((Column("age", "integer", low=0, high=5), Column("job", "category", values=("clerk", "nurse"))))
BOTH = ("age", "job")


def test_marginals_may_be_any_list():
    for given in ([BOTH], (("job", "age"),), {BOTH}, np.array([BOTH]), [["age", "job"], "job"], [BOTH, ("job", "age")]):
        assert TableQueries.of(TWO, given).sets == ((0, 1),)
    assert TableQueries.of(TWO, ["job"]).domain.names == ("job",)


@pytest.mark.parametrize(
    "wrong",
    [5, True, b"age", [5], [None], [b"age"], [("age", 5)], [("age", ["job"])], [("age", None)], [("age", np.zeros(2))]],
    ids=repr,
)
def test_marginals_of_a_wrong_type_are_refused_in_a_sentence(wrong):
    with pytest.raises(Refused, match="name columns of the schema: marginals="):
        pp.PrivateRelease(TWO, epsilon=1, marginals=wrong).preview(10)


def test_marginals_that_can_be_read_only_once_are_refused():
    """They are read before the fit and during it: a generator would be empty the second time."""
    for once in (iter([BOTH]), [iter(BOTH)], map(tuple, [BOTH])):
        with pytest.raises(Refused, match="marginals="):
            pp.PrivateRelease(TWO, epsilon=1, marginals=once).preview(10)


def test_a_table_has_no_representatives():
    with pytest.raises(Refused, match="only after its release"):
        TableQueries(TWO).representatives([])
