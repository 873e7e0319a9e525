"""Groups that an engine counted, and their labels."""

import numpy as np
import pyarrow as pa
import pytest

from privpac.data.counting.groups import distinct_labels


@pytest.mark.parametrize("chunks", [[["b", "a"], ["a"], [], ["c", "b"]], [["a"] * 5], [[]], []])
def test_labels_are_told_once_each_across_chunks(chunks):
    entries = [each for chunk in chunks for each in chunk]
    told, alike = distinct_labels(pa.chunked_array(chunks, pa.string()))
    assert sorted(told.to_pylist()) == sorted(set(entries))
    assert np.array(told.to_pylist(), dtype=object)[alike].tolist() == entries
