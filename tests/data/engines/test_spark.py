"""Files whose types Spark would guess are refused, whatever their records are; what the refusal says to type works."""

import json
import re
import uuid

import ibis
import polars as pl
import pytest

from privpac.data.counting.groups import group_counts
from tests.data.tables_in import table_in

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]
AGES = ([5, 5, 6], [5, 5, "six"])  # neighbors


def as_text(folder, ages):
    (folder / "records.csv").write_text("\n".join(["age,late", *(f"{age},1" for age in ages)]), encoding="utf-8")
    return f"{folder}/records.csv"


def as_json(folder, ages):
    lines = [json.dumps({"age": age, "late": 1}) for age in ages]
    (folder / "records.json").write_text("\n".join(lines), encoding="utf-8")
    return f"{folder}/records.json"


def as_folders(folder, ages):
    for i, age in enumerate(ages):
        (place := folder / "records" / f"age={age}").mkdir(parents=True, exist_ok=True)
        pl.DataFrame({"late": [1]}).write_parquet(place / f"{i}.parquet")
    return f"{folder}/records"


def joined(engine, file):
    """A query that needs the file only to choose records."""
    engine.raw_sql("CREATE OR REPLACE TEMP VIEW typed_ages AS SELECT 5 AS age, 1 AS late")
    return engine.sql(f"SELECT * FROM typed_ages WHERE late IN (SELECT late FROM json.`{file}`)")


GUESSED = {
    "csv": (as_text, lambda engine, file: engine.read_csv(file)),
    "json": (as_json, lambda engine, file: engine.read_json(file)),
    "json in SQL": (as_json, lambda engine, file: engine.sql(f"SELECT * FROM json.`{file}`")),
    "json in a query": (as_json, lambda engine, file: engine.read_json(file).mutate(age=ibis._.age.cast("string"))),
    "json in a subquery": (as_json, joined),
    "folders": (as_folders, lambda engine, file: engine.read_parquet(file)),
}


@pytest.mark.parametrize("held", GUESSED)
def test_types_that_neighbors_would_decide_are_refused(spark, tmp_path, held):
    write, read = GUESSED[held]
    engine, told = ibis.pyspark.connect(spark), set()
    for i, ages in enumerate(AGES):
        (folder := tmp_path / str(i)).mkdir()
        with pytest.raises(ValueError, match=r"Spark would take the types .* from their records") as refusal:
            group_counts(read(engine, write(folder, ages)), ["age"], "late", rule="default")
        told.add(str(refusal.value))
    assert len(told) == 1


def test_what_the_refusal_says_to_type_works(spark, tmp_path):
    engine = ibis.pyspark.connect(spark)
    with pytest.raises(ValueError, match="CREATE TABLE") as refusal:
        group_counts(engine.read_json(as_json(tmp_path, AGES[1])), ["age"])
    create, partitioned, recover = re.search(
        "(CREATE TABLE .*?), and, .*(PARTITIONED BY .year.).*(ALTER TABLE .*)", str(refusal.value)
    ).groups()
    for ages, found in zip(AGES, ([5, 6], [5]), strict=True):
        name = f"t{uuid.uuid4().hex}"
        engine.raw_sql(create.replace("typed", name).replace("records.json", as_json(tmp_path, ages)))
        assert sorted(group_counts(engine.table(name), ["age"], rule="default").columns[0].tolist()) == found
        engine.raw_sql(f"DROP TABLE {name}")
    name, folders = f"t{uuid.uuid4().hex}", as_folders(tmp_path, AGES[0])
    create = create.replace("(age INT)", "(late BIGINT, age INT)").replace("json OPTIONS", "parquet OPTIONS")
    create = create.replace("typed", name).replace("records.json", folders)
    engine.raw_sql(f"{create} {partitioned.replace('year', 'age')}")
    engine.raw_sql(recover.replace("typed", name))
    found = group_counts(engine.table(name), ["age"], "late")
    assert dict(zip(found.columns[0].tolist(), found.counts.tolist(), strict=True)) == {5: 2, 6: 1}
    engine.raw_sql(f"DROP TABLE {name}")


def test_files_with_types_pass(request, spark, tmp_path):
    engine, text = ibis.pyspark.connect(spark), as_text(tmp_path, AGES[1])
    pl.DataFrame({"age": [5, 6]}).write_parquet(tmp_path / "records.parquet")
    for table, ages in (
        (engine.read_csv(text, inferSchema=False), ["5", "six"]),
        (engine.read_csv(text, inferSchema=False, schema="age INT, late INT"), [5]),
        (engine.read_parquet(f"{tmp_path}/records.parquet"), [5, 6]),
        (table_in(request, "spark", {"age": "INT"}, [(5,), (6,)]), [5, 6]),
        (engine.sql("SELECT * FROM VALUES (5), (6) t(age)"), [5, 6]),
    ):
        assert sorted(group_counts(table, ["age"], rule="default").columns[0].tolist()) == ages
