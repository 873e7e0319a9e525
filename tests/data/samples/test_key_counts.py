"""Keys in Arrow's memory are named as they are."""

import numpy as np
import pyarrow as pa

from privpac.data.samples.key_counts import ManyKeys


def test_some_keys_are_named_in_the_order_asked_for():
    keys = ManyKeys((pa.array(["a", "b\0", "é"], pa.large_string()), pa.array([2**63, 0, 7], pa.uint64())), np.ones(3))
    assert keys.named(np.array([2, 0])) == [("é", 7), ("a", 2**63)]
    assert keys.named(np.array([], dtype=np.int64)) == []
