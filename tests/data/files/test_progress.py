"""Progress: counts of records, told to a listener, and to nobody otherwise."""

import time

import pyarrow as pa
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.engines import queries as answers
from privpac.data.files.csv_files import BLOCK
from privpac.data.files.progress import listening, say
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota


def test_only_the_last_listener_hears_and_only_within_its_block():
    outer, inner = [], []
    with listening(outer.append):
        say("1 row read")
        with listening(inner.append):
            say("2 rows read")
    say("3 rows read")
    assert (outer, inner) == (["1 row read"], ["2 rows read"])


def test_a_listener_that_fails_stays_in_its_block():
    with pytest.raises(ZeroDivisionError), listening(print):
        raise ZeroDivisionError
    say("nobody hears this")


@pytest.mark.slow
def test_reading_a_csv_file_tells_how_many_rows_were_read(tmp_path):
    file, told = tmp_path / "flights.csv", []
    rows = BLOCK // 3
    file.write_text("delay,late,plane\n" + "37,1,N\n" * rows)
    with listening(lambda *said: told.append(said)):
        group_counts(open_table(file), ["delay"], "late")
    *reading, counting = told
    assert len(reading) >= 2
    assert reading[-1] == ("{} rows read", rows)
    assert counting == ("{} records counted", rows)


def test_units_are_told(tmp_path):
    file, told = tmp_path / "flights.csv", []
    file.write_text("delay,late,plane\n" + "37,1,N\n" * 5 + "3,0,M\n")
    with listening(lambda *said: told.append(said)):
        group_counts(open_table(file), ["delay"], "late", Quota("plane", 2, "key"))
    assert told[-1] == ("{} records of {} units counted", 4, 2)


def test_an_engine_that_knows_its_progress_tells_it():
    class Slow:
        name = "duckdb"

        def get_backend(self):
            return self

        @property
        def con(self):
            return self

        def query_progress(self):
            return 42.3

        def to_pyarrow_batches(self):
            time.sleep(3 * answers.PAUSE)
            return pa.table({}).to_reader()

    told = []
    with listening(lambda *said: told.append(said)):
        answers.answer(Slow())
    assert set(told) == {("{} % read", 42)}
