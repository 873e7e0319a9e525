"""Several Parquet files as one table.

An engine gives all files the types of the first one and converts the records of the others. A value that does not
convert would stop the reading of all records, and others would be rounded. So the files must store the same columns in
the same types.

Main declarations
    check_alike    refuses files that store their columns differently
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privpac.data.csv_sql import unglobbed
from privpac.data.refusal import Refused

STORED = "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false))"


def check_alike(connection: Any, files: Sequence[str]) -> None:
    """Refused unless all ``files`` store the same columns in the same types.

    ``connection`` is one to DuckDB. Only names and types are read, and no record.
    """
    first, *others = (dict(connection.execute(STORED, [unglobbed(file)]).fetchall()) for file in files)
    for file, stored in zip(files[1:], others, strict=True):
        differing = [name for name in first | stored if first.get(name) != stored.get(name)]
        if differing:
            how = [
                f"{Path(each).name} {_how(held, differing[0])}" for each, held in ((files[0], first), (file, stored))
            ]
            told = f"the files differ in column {differing[0]!r}: {' and '.join(how)}"
            raise Refused("source", f"{told}; write them again with the same columns in the same types")


def _how(stored: dict[str, str], name: str) -> str:
    return f"stores it as {stored[name]}" if name in stored else "lacks it"
