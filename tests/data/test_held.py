"""Every kind of records that stay in an engine keeps the contract."""

import pytest

from privpac.data.any_values import Anything
from privpac.data.crosstabs import InEngine
from privpac.data.engine_keys import KeysOfEngine
from privpac.data.engine_prefixes import PrefixesInEngine
from privpac.data.held import RecordsInEngine
from privpac.data.listing import Listing
from privpac.data.paths import Paths
from tests.data.tables_in import duckdb_table

KINDS: dict[type[RecordsInEngine], object] = {
    InEngine: Listing(("EV", "UA")),
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
    with pytest.raises(ValueError, match="no value in column 'x'"):
        kind.of(table, ["x"], KINDS[kind])
    with pytest.raises(ValueError, match="no column 'y'"):
        kind.of(table, ["y"], KINDS[kind])
