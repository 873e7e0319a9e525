"""Sentences about what is not there say what to type instead, alike wherever it is missed."""

import pandas as pd
import pytest

import privpac as pp
from privpac.data.open_table import open_table
from privpac.data.values.tables import pick
from privpac.refusals.missing import no_file_ending, no_such_column, no_such_file


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
