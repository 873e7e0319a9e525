"""How a table is seen in an engine, before anything is counted."""

import pytest

from privpac.data.engines.views import check_columns, engine_view, may_be_record
from privpac.data.samples.units import Quota
from privpac.refusals.refusal import Refused
from tests.data.tables_in import duckdb_table

FLIGHTS = "SELECT * FROM (VALUES ('N1', 37), ('N1', 2), (NULL, 5)) AS flights(plane, delay)"


def test_columns_have_the_names_of_their_places():
    seen = engine_view(duckdb_table(FLIGHTS), {"x0": "delay"})
    assert seen.records is seen.chosen
    assert sorted(seen.records.to_pyarrow().to_pylist(), key=str) == [{"x0": 2}, {"x0": 37}, {"x0": 5}]


def test_a_unit_has_its_slots():
    seen = engine_view(duckdb_table(FLIGHTS), {"x0": "delay"}, Quota("plane", 1, "4f"))
    assert seen.records.count().to_pyarrow().as_py() == 3
    assert seen.chosen.count().to_pyarrow().as_py() == 1


def test_absent_columns_are_refused_by_the_name_of_the_parameter():
    for told in (lambda t: check_columns(t, ["dealy"], "x"), lambda t: engine_view(t, {}, Quota("dealy", 1, "4f"))):
        with pytest.raises(Refused, match=r"no column 'dealy'.*did you mean 'delay'") as refused:
            told(duckdb_table(FLIGHTS))
        assert refused.value.parameter in ("x", "quota")


def test_names_of_text_columns_may_be_a_record():
    assert may_be_record(duckdb_table("SELECT 'a' AS \"83\", 'b' AS \"J10\""))
    assert not may_be_record(duckdb_table(FLIGHTS))
