"""Tables of released columns as text."""

import csv
from io import StringIO

from privpac.cli.release_options import first_rows
from privpac.data.files.csv_files import csv_text

ODD = {"name": ['U"A', "a,b", "two\nlines", "", "é", "\ud800"], "records": [1, 2, 3, 4, 5, 6]}


def test_csv_can_be_read_back():
    heading, *rows = csv.reader(StringIO(csv_text(ODD)))
    assert heading == ["name", "records"]
    assert [row[0] for row in rows] == [*ODD["name"][:5], "\\ud800"]
    assert csv_text(ODD).encode("utf-8")


def test_first_rows():
    assert first_rows(ODD, 2) == [{"name": 'U"A', "records": 1}, {"name": "a,b", "records": 2}]
    assert len(first_rows(ODD, 99)) == 6
    assert first_rows({"name": [], "records": []}, 5) == []
