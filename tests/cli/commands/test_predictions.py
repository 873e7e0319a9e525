"""The files that predictions are written to."""

from decimal import Decimal
from uuid import UUID

import pytest
from pyarrow.parquet import read_table

from privpac.classes.lines.rules import Threshold
from privpac.cli.commands.predict import writing
from privpac.cli.drafts import Draft
from privpac.data.domains.line import Line
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from tests.data.tables_in import duckdb_table, table_in

MIXED = Model(Threshold(37), Line(0, 999), "delay", (0, "yes"), 10, "t", Certificate(Budget(1)))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_columns_of_every_type_reach_a_parquet_file(request, tmp_path, engine):
    name = UUID("123e4567-e89b-12d3-a456-426614174000")
    types = {"delay": "integer", "id": "uuid", "price": "numeric" if engine == "postgres" else "decimal(9, 2)"}
    table = table_in(request, engine, types, [(37, name, Decimal("1.50")), (None, None, None)])
    draft = Draft.of(tmp_path / "p.parquet", "out")
    with writing(MIXED, table, draft, as_json=False) as write:
        for rows in MIXED.labeled(table):
            write(rows)
    draft.keep()
    missing, there = sorted(read_table(tmp_path / "p.parquet").to_pylist(), key=lambda row: row["predicted"])
    assert missing == {"delay": None, "id": None, "price": None, "predicted": "0"}
    assert there == {"delay": 37, "id": str(name), "price": there["price"], "predicted": "yes"}
    assert Decimal(there["price"]) == Decimal("1.5")


def test_times_that_python_does_not_hold_are_spelled_in_a_text_file(tmp_path):
    whens = "'2026-01-31 08:30:00.000000001'::TIMESTAMP_NS, NULL"
    years = "'2026-01-31 08:30:00'::TIMESTAMP, '20000-01-01 00:00:00'::TIMESTAMP"
    table = duckdb_table(f"SELECT 37 AS delay, unnest([{whens}]) AS fine, unnest([{years}]) AS far")
    draft = Draft.of(tmp_path / "p.csv", "out")
    with writing(MIXED, table, draft, as_json=False) as write:
        for rows in MIXED.labeled(table):
            write(rows)
    draft.keep()
    assert (tmp_path / "p.csv").read_text().splitlines()[1:] == [
        "37,2026-01-31 08:30:00.000000001,2026-01-31 08:30:00,yes",
        "37,,20000-01-01 00:00,yes",
    ]
