"""Files whose types ClickHouse would guess are refused, whatever they hold; what the refusal says to type works."""

import re
import uuid

import ibis
import pytest

from privpac.data.counting.groups import group_counts
from tests.data.tables_in import table_in

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]
READ = {
    "file": "SELECT * FROM file('{file}')",
    "subquery": "SELECT 5 AS age, 1 AS late WHERE 1 IN (SELECT late FROM file('{file}'))",
    "union": "SELECT 5 AS age, 1 AS late UNION ALL SELECT age, late FROM file('{file}') WHERE false",
    "with": "WITH records AS (SELECT * FROM file('{file}')) SELECT age, late FROM records",
    "text": """SELECT * FROM format(JSONEachRow, '{{"age": {last}, "late": 1}}')""",
}


def written(folder, last):
    file = folder / f"{uuid.uuid4().hex}.csv"
    file.write_text(f"age,late\n5,1\n5,1\n{last},1\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("read", READ)
def test_types_that_neighbors_would_decide_are_refused(clickhouse, tmp_path, read):
    engine, told = ibis.clickhouse.connect(**clickhouse), set()
    for last in ("6", '"six"'):
        table = engine.sql(READ[read].format(file=written(tmp_path, last), last=last))
        for query in (table, table.mutate(age=table.age.cast("string"))):
            with pytest.raises(ValueError, match=r"ClickHouse would take the types .* from their records") as refusal:
                group_counts(query, ["age"], "late", rule="default")
            told.add(str(refusal.value))
    assert len(told) == 1


def test_what_the_refusal_says_to_type_works(clickhouse, tmp_path):
    engine = ibis.clickhouse.connect(**clickhouse)
    for last, ages in (("6", [5, 6]), ("", [5])):
        file, name = written(tmp_path, last), f"t{uuid.uuid4().hex}"
        with pytest.raises(ValueError, match="CREATE TABLE") as refusal:
            group_counts(engine.sql(READ["file"].format(file=file)), ["age"])
        for statement in re.search("(CREATE TABLE .*); (INSERT INTO .*)", str(refusal.value)).groups():
            engine.raw_sql(statement.replace("typed", name).replace("records.csv", file))
        assert sorted(group_counts(engine.table(name), ["age"], rule="default").columns[0].tolist()) == ages


def test_queries_of_tables_pass(request):
    table = table_in(request, "clickhouse", {"age": "Int64"}, [(5,), (6,)])
    engine, name = table.get_backend(), table.get_name()
    for query in (f"SELECT age FROM {name}", "SELECT toInt64(number + 5) AS age FROM numbers(2)"):
        assert sorted(group_counts(engine.sql(query), ["age"]).columns[0].tolist()) == [5, 6]
    assert group_counts(table.sql(f"SELECT age + 1 AS age FROM {name}"), ["age"]).n == 2
