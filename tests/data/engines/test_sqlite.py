"""SQLite files are opened by name, and told from DuckDB's by what they hold."""

import re
import sqlite3
from contextlib import closing

import duckdb
import ibis
import pytest

import privpac as pp
from privpac.data.engines.sqlite import is_sqlite
from privpac.data.open_table import open_table
from privpac.learners.classifier import PrivateClassifier
from tests.learners.readers import gathered
from tests.sentinels import SECRET


@pytest.fixture
def opened(request):
    """Opens tables, and closes their files when the test is over."""

    def open_one(*place):
        table = open_table(*place)
        request.addfinalizer(table.get_backend().disconnect)
        return table

    return open_one


def write(file, *tables):
    with closing(sqlite3.connect(file)) as connection, connection:
        for name in tables:
            connection.execute(f"CREATE TABLE {name} (delay INTEGER, late INTEGER)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?)", [(i, i >= 37) for i in range(100)] * 20)
    connection.close()


@pytest.mark.parametrize("name", ["flights.sqlite", "flights.sqlite3", "flights.db"])
def test_a_sqlite_file_is_learned_from(tmp_path, opened, name):
    write(tmp_path / name, "flights")
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="delay").fit(
        opened(tmp_path / name), "late"
    )
    assert clf.n_records_ == 2000


def test_a_table_is_named_where_there_are_several(tmp_path, opened):
    write(tmp_path / "flights.sqlite", "early", "late")
    assert opened(tmp_path / "flights.sqlite", "late").columns == ("delay", "late")
    with pytest.raises(ValueError, match="several tables; choose one with table=…: early, late"):
        open_table(tmp_path / "flights.sqlite")


def test_a_duckdb_file_may_have_the_same_ending(tmp_path, opened):
    with duckdb.connect(str(tmp_path / "flights.db")) as connection:
        connection.execute("CREATE TABLE flights AS SELECT 37 AS delay")
    assert not is_sqlite(str(tmp_path / "flights.db"))
    assert opened(tmp_path / "flights.db").get_backend().name == "duckdb"


def test_a_broken_file_is_refused_without_its_bytes(tmp_path, monkeypatch):
    """Nor does Ibis open it: it would not close it, which Python 3.13 tells some later test."""
    monkeypatch.setattr(ibis.sqlite, "connect", lambda file: pytest.fail("Ibis opened it"))
    (tmp_path / "flights.sqlite").write_bytes(b"SQLite format 3\0" + str(SECRET).encode() * 100)
    with pytest.raises(ValueError, match="complete DuckDB or SQLite file") as error:
        open_table(tmp_path / "flights.sqlite")
    assert str(SECRET) not in str(error.value)


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_texts_in_another_encoding_are_refused_rather_than_misread(tmp_path, opened, encoding):
    with closing(sqlite3.connect(tmp_path / "wide.db")) as connection, connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE flights (carrier TEXT)")
        connection.executemany("INSERT INTO flights VALUES (?)", [(f"N{SECRET}",), ("é",)] * 500)
    connection.close()
    account = pp.Ledger(pp.Budget(3, 1e-5))
    for queries in (pp.Points(), pp.StartsWith(height=4), pp.Points().on("carrier", values=("é", "EV"))):
        release = pp.PrivateRelease(queries, delta=1e-6, on_invalid="default", budget=account)
        with pytest.raises(ValueError, match="UTF-16; make a copy in UTF-8") as refusal:
            release.fit(opened(tmp_path / "wide.db"))
        assert str(SECRET) not in str(refusal.value)
    assert account.spent == pp.Budget(0)


@pytest.mark.parametrize("odd", ["abc", 1.5, b"1"])
@pytest.mark.parametrize("classes", [("0", "1"), (0, 1)])
def test_an_entry_of_another_type_changes_its_own_record_only(tmp_path, opened, odd, classes):
    """SQLite stores a text in a column of integers; the others are still the numbers 0 and 1, not names."""
    found = []
    for number, last in enumerate((1, odd)):
        with closing(sqlite3.connect(tmp_path / f"{number}.sqlite")) as connection, connection:
            connection.execute("CREATE TABLE t (age INTEGER, late INTEGER)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, 0), (2, 1), (5, 0), (7, last)])
        clf = PrivateClassifier(
            pp.Thresholds(0, 9, direction="above"), feature="age", on_invalid="default", classes=classes
        )
        sample = gathered(clf, opened(tmp_path / f"{number}.sqlite"), "late")
        found.append({(x, y) for x, y in zip(sample.points.tolist(), sample.labels.tolist(), strict=True) if x < 7})
    assert found[0] == found[1] == (set() if classes == ("0", "1") else {(1, False), (2, True), (5, False)})


def test_a_type_that_is_not_read_is_named_with_the_cast_to_write(request, tmp_path):
    """The other columns are read, and what the refusal says to type works."""
    with closing(sqlite3.connect(tmp_path / "visits.db")) as connection, connection:
        connection.execute("CREATE TABLE visits (age INTEGER, wait INTERVAL)")
        connection.executemany("INSERT INTO visits VALUES (?, ?)", [(i % 50, str(i % 9)) for i in range(100)])
    table = open_table(tmp_path / "visits.db")
    request.addfinalizer(table.get_backend().disconnect)
    assert pp.PrivateRelease(pp.Thresholds(0, 50, direction="above"), feature="age").fit(table).release_.n == 100
    with pytest.raises(ValueError, match="column 'wait' declares the type INTERVAL in SQLite") as refusal:
        pp.PrivateRelease(pp.Points(), feature="wait", delta=1e-6).fit(table)
    assert 'CAST("wait" AS TEXT)' in str(refusal.value)
    statements = re.search("(CREATE TABLE .*?); (INSERT INTO .*?);", str(refusal.value)).groups()
    with closing(sqlite3.connect(tmp_path / "visits.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    typed = open_table(tmp_path / "visits.db", "visits_typed")
    request.addfinalizer(typed.get_backend().disconnect)
    assert pp.PrivateRelease(pp.Points(), feature="wait", delta=1e-6).fit(typed).release_.n == 100
