"""Tables as CSV.

Main declarations
    csv_text    a table of columns and entries as CSV
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any


def csv_text(table: Mapping[str, Sequence[Any]]) -> str:
    """A table as CSV.

    >>> print(csv_text({"carrier": ["EV", 'U"A'], "records": [300, 20]}), end="")
    carrier,records
    EV,300
    "U""A",20
    """
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(table)
    rows.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode("utf-8", "backslashreplace").decode()  # a released text may hold half a character
