"""Which columns of a table are counted together, and what is refused before any record is read."""

from itertools import combinations, islice
from time import process_time

import numpy as np
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Label, Schema
from privpac.refusals.refusal import Refused
from privpac.release.tables.queries import TableQueries

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
    with pytest.raises(Refused, match="name columns of the schema, as in marginals="):
        pp.PrivateRelease(TWO, epsilon=1, marginals=wrong).preview(10)


def test_an_unknown_column_of_a_marginal_is_named():
    why = (
        r"the schema declares no column 'jbo'; its columns are age, job; did you mean 'job'\?; .* marginals=\[\('age',"
    )
    with pytest.raises(Refused, match=why):
        pp.PrivateRelease(TWO, epsilon=1, marginals=[("age", "jbo")]).preview(10)


def test_marginals_that_can_be_read_only_once_are_refused():
    """They are read before the fit and during it: a generator would be empty the second time."""
    for once in (iter([BOTH]), [iter(BOTH)], map(tuple, [BOTH])):
        with pytest.raises(Refused, match="marginals="):
            pp.PrivateRelease(TWO, epsilon=1, marginals=once).preview(10)


def test_only_columns_that_are_asked_for_must_be_there():
    schema = Schema((*TWO.columns, Column("city", "category", values=("Oslo", "Rome"))), label=Label("late", (0, 1)))
    table, release = {"age": [3] * 9, "job": ["clerk"] * 9}, pp.PrivateRelease(schema, epsilon=1, marginals=[BOTH])
    assert release.fit(table).n_records_ == 9
    for lacking in (["age", "city"], ["job", "late"]):
        with pytest.raises(Refused, match=f"the table has no column '{lacking[1]}'"):
            pp.PrivateRelease(schema, epsilon=1, marginals=[lacking]).fit(table)
    with pytest.raises(Refused, match="the table has no columns 'late', 'city'"):
        pp.PrivateRelease(schema, epsilon=1).fit(table)


def test_many_values_together_need_delta_and_the_reason_is_told():
    columns = tuple(Column(name, "category", values=tuple(range(7))) for name in "abcdefgh")
    marginals = [tuple("abcdefgh")]
    with pytest.raises(Refused, match="leave room for 6 values of a column, and 'a' declares more"):
        pp.PrivateRelease(Schema(columns), epsilon=1, marginals=marginals).preview(100)
    pp.PrivateRelease(Schema(columns), epsilon=1, delta=1e-6, marginals=marginals).preview(100)
    pp.PrivateRelease(Schema(columns), epsilon=1, marginals=[tuple("abcdefg")]).preview(100)


def test_twenty_thousand_marginals_are_sorted_out_at_once():
    """By comparing all with all, this took more than a minute."""
    names = [f"c{i}" for i in range(41)]
    schema = Schema(tuple(Column(name, "category", values=(0, 1)) for name in names))
    many = tuple(islice(combinations(names[:-1], 5), 20_000))
    start = process_time()
    assert len(TableQueries(schema, (*many, *combinations(names[:4], 2), (names[-1],))).sets) == 20_001
    assert process_time() - start < 5


def test_a_table_has_no_representatives():
    with pytest.raises(Refused, match="only after its release"):
        TableQueries(TWO).representatives([])
