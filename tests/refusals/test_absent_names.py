"""Sentences about what is not there say what to type instead, alike wherever it is missed."""

import ibis
import pandas as pd
import pyarrow as pa
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.open_table import open_table
from privpac.data.values.tables import pick
from privpac.refusals.absent_names import did_you_mean, no_file_ending, no_such_column, no_such_file, same_letters


def test_a_missing_file_is_told_alike(tmp_path):
    with pytest.raises(FileNotFoundError) as missed:
        open_table(tmp_path / "visits.csv")
    assert str(missed.value) == str(no_such_file(tmp_path / "visits.csv"))
    with pytest.raises(FileNotFoundError) as missed:
        open_table(tmp_path)
    assert str(missed.value) == str(no_file_ending(".parquet", tmp_path))


@pytest.mark.parametrize("columns", [["delay", "carrier"], []])
def test_a_missing_column_is_told_alike(columns):
    with pytest.raises(ValueError, match="no column") as missed:
        pick(pd.DataFrame({name: ["EV"] for name in columns}), "dealy")
    assert str(missed.value) == no_such_column("dealy", columns)
    assert str(missed.value).endswith("did you mean 'delay'?" if columns else "it has no columns")


def test_a_schema_names_the_column_that_was_meant():
    schema = pp.Schema.parse('[columns.delay]\nkind = "integer"\nlow = 0\nhigh = 9\n')
    with pytest.raises(ValueError, match="the schema declares no column 'dealy'; its columns are delay; did you mean"):
        schema.column("dealy")


TABLE = {"delay": [37, 2], "late": [1, 0]}


def test_tables_in_memory_and_in_engines_are_asked_about():
    for read in (lambda: pick(TABLE, "dealy"), lambda: group_counts(ibis.memtable(pa.table(TABLE)), ["dealy"], "late")):
        with pytest.raises(ValueError, match=r"; did you mean 'delay'\?$"):
            read()
    with pytest.raises(ValueError, match=r"did you mean 'delay'\?$"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="Delay").fit(TABLE, "late")


def test_the_first_line_of_a_text_file_is_shown_only_if_its_letters_were_typed(tmp_path):
    """It may be a record."""
    file = tmp_path / "patients.csv"
    file.write_text("Smithe,Dep Delay\nJones,1\n")
    for typed, told in (("smith", "there$"), ("dep_delay", r"there; did you mean 'Dep Delay'\?$")):
        with pytest.raises(ValueError, match=told):
            group_counts(open_table(file), [typed], "Smithe")


def test_names_that_are_far_or_not_text_are_not_proposed():
    assert did_you_mean("age", ["carrier", 1]) == did_you_mean(3, ["carrier"]) == did_you_mean("_", ["-"]) == ""
    assert same_letters("_", ["-"]) == []
