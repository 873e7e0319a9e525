"""Groups that an engine counted, and their labels."""

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.data.counting.groups import MOST_COLUMNS, distinct_labels, group_counts
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.units import Quota


@pytest.mark.parametrize("chunks", [[["b", "a"], ["a"], [], ["c", "b"]], [["a"] * 5], [[]], []])
def test_labels_are_told_once_each_across_chunks(chunks):
    entries = [each for chunk in chunks for each in chunk]
    told, alike = distinct_labels(pa.chunked_array(chunks, pa.string()))
    assert sorted(told.to_pylist()) == sorted(set(entries))
    assert np.array(told.to_pylist(), dtype=object)[alike].tolist() == entries


def test_a_refusal_names_all_columns_that_do_not_fit():
    rows = {"age": ["37", "old"], "ward": ["A", None], "stay": ["3", "4"], "late": ["1", "0"]}
    table, domains = ibis.memtable(pa.table(rows)), [Line(0, 120), Listing(("A", "B")), Line(0, 9)]
    with pytest.raises(ValueError, match=r"no value in column 'ward', and some values do not fit .* in 'age' \("):
        group_counts(table, ["age", "ward", "stay"], "late", domains=domains)
    domain = Columns(("age", "ward", "stay"), tuple(domains))
    with pytest.raises(ValueError, match=r"2 columns do not fit .*: 'age', 'ward'; column 'age': ") as refusal:
        domain.points({"age": [300], "ward": ["C"], "stay": [3]})
    assert refusal.value.__context__ is None
    with pytest.raises(ValueError, match=r"^column 'age': "):
        domain.points({"age": [300], "ward": ["A"], "stay": [3]})


@pytest.mark.parametrize("records", [0, 2])
def test_records_without_units_are_refused_even_if_no_record_has_one(records):
    columns = {"age": pa.array([37] * records, pa.int64()), "who": pa.array([None] * records, pa.string())}
    table, quota = ibis.memtable(pa.table(columns)), Quota("who", 2, "any key")
    assert group_counts(table, ["age"], quota=quota, rule="default").n == 0
    if records:
        with pytest.raises(ValueError, match="some records have no unit"):
            group_counts(table, ["age"], quota=quota)


def test_more_columns_than_an_engine_counts_together_are_refused_before_the_query(monkeypatch):
    def answered(query):
        raise AssertionError("the table is read")

    monkeypatch.setattr("privpac.data.counting.groups.answer", answered)
    names = [f"c{i}" for i in range(MOST_COLUMNS + 1)]
    table = ibis.memtable(pa.table({name: [0] for name in names}))
    with pytest.raises(ValueError, match="combinations of at most 1,024 columns; declare no more, or read the table"):
        group_counts(table, names)
