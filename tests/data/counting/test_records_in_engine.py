"""Every kind of records that stay in an engine keeps the contract."""

import pytest

from privpac.data.counting.crosstabs import CellsInEngine
from privpac.data.counting.keys import KeysOfEngine
from privpac.data.counting.prefixes import PrefixesInEngine
from privpac.data.counting.records_in_engine import RecordsInEngine
from privpac.data.domains.anything import Anything
from privpac.data.domains.listing import Listing
from privpac.data.domains.paths import Paths
from tests.data.tables_in import duckdb_table

KINDS: dict[type[RecordsInEngine], object] = {
    CellsInEngine: Listing(("EV", "UA")),
    PrefixesInEngine: Paths(None, 2),
    KeysOfEngine: Anything(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_void_records_count_in_n(kind):
    table = duckdb_table("SELECT unnest(['EV', 'UA', 'EV', NULL]) AS x")
    held = kind.of(table, ["x"], KINDS[kind], rule="default")
    assert held.size == 4
    held.close()
    held.close()  # what is dropped stays dropped
    with pytest.raises(ValueError, match=r"no value in column 'x'|column 'x': some records have no value"):
        kind.of(table, ["x"], KINDS[kind])
    with pytest.raises(ValueError, match="no column 'y'"):
        kind.of(table, ["y"], KINDS[kind])
