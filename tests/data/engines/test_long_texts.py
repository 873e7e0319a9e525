"""Where MariaDB groups or sorts, it compares short forms; test_engine_neighbors.py counts there."""

import ibis
import pytest

from privpac.data.engines.exact_forms import COMPARED_DIGITS, comparison_keys, short_form

VIEW = ibis.table({"x0": "string", "x1": "float64", "unit": "string"}, name="t")


def test_short_forms_are_keys_where_beginnings_decide():
    view, keys = comparison_keys(VIEW, ["x0", "x1"], "mysql")
    assert keys == ["x0", "x1", "x0 short"]
    sql = ibis.to_sql(view.group_by(keys).agg(n=view.count()), dialect="mysql")
    assert f"CHAR_LENGTH(`t0`.`x0`) <= {COMPARED_DIGITS}" in sql and "SHA2(`t0`.`x0`, 256)" in sql


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "pyspark", "sqlite"])
def test_other_engines_compare_whole_texts(engine):
    view, keys = comparison_keys(VIEW, ["x0", "x1"], engine)
    assert view is VIEW and keys == ["x0", "x1"]
    assert short_form(VIEW.unit, engine) is VIEW.unit or short_form(VIEW.unit, engine).equals(VIEW.unit)


def test_a_short_form_is_never_a_text_of_digits():
    """So a long text and a short one are never taken for equal."""
    assert "long " in ibis.to_sql(VIEW.select(short_form(VIEW.x0, "mysql")), dialect="mysql")
