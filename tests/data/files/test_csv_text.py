"""Tables as CSV read back as they were."""

import csv
from io import StringIO

from privpac.data.files.csv_files import csv_text


def test_quotes_commas_and_half_characters():
    text = csv_text({"name": ['a"b', "c,d", "e\nf", "\ud800"], "records": [1, 2, 3, 4]})
    rows = list(csv.reader(StringIO(text)))
    assert rows == [["name", "records"], ['a"b', "1"], ["c,d", "2"], ["e\nf", "3"], ["\\ud800", "4"]]
    assert csv_text({"name": []}) == "name\n"
