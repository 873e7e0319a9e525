"""The sentence about many distinct values depends on public numbers alone: the engine, the domain, and n."""

import ibis
import pyarrow as pa
import pytest

from privpac.classes.values.points import Points
from privpac.data.counting import groups as many_groups
from privpac.data.counting.groups import ManyGroups, warn_of_many
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.learners.classifier import PrivateClassifier

N = 20


@pytest.fixture
def small(monkeypatch):
    """DuckDB in the role of a cluster, and ten rows in the role of a million."""
    monkeypatch.setattr(many_groups, "CLUSTERS", ("duckdb",))
    monkeypatch.setattr(many_groups, "MANY", 10)


def table(values):
    connection = ibis.duckdb.connect()
    return connection.create_table("t", pa.table({"x": values, "y": [0, 1] * (len(values) // 2)}))


ALIKE, DISTINCT = [7] * N, list(range(N))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("values", [ALIKE, DISTINCT])
def test_the_values_do_not_decide(values):
    with pytest.warns(ManyGroups, match=f"up to {N} rows may arrive in this process; declare fewer: a step"):
        warn_of_many(table(values), Anything(), units=False)
    with pytest.warns(ManyGroups, match="as many rows as there are records"):
        warn_of_many(table(values), Line(0, 10**9), units=True)


@pytest.mark.usefixtures("small")
def test_few_values_and_few_records_need_no_sentence():
    warn_of_many(table(DISTINCT), Line(0, 4), units=True)
    warn_of_many(table(DISTINCT[:10]), Anything(), units=False)


def test_engines_on_this_machine_need_no_sentence(monkeypatch):
    monkeypatch.setattr(many_groups, "MANY", 10)
    warn_of_many(table(DISTINCT), Anything(), units=False)


@pytest.mark.usefixtures("small")
def test_a_fit_says_it_before_it_spends():
    clf = PrivateClassifier(Points(), epsilon=1, feature="x")
    with pytest.warns(ManyGroups):
        clf.fit(table(ALIKE), "y")
