"""Records of a line in order: counts below and up to values, grouped or not."""

import numpy as np

from privpac.data.samples.sample import InOrder, Sample


def test_records_in_order():
    points, counts = np.array([7, 3, 7, 9], np.uint64), np.array([1, 2, 5, 0])
    grouped, single = InOrder.of(points, counts), InOrder.of(np.repeat(points, counts), None)
    at = np.arange(12, dtype=np.uint64)
    assert grouped.below(at).tolist() == single.below(at).tolist() == [0] * 4 + [2] * 4 + [8] * 4
    assert grouped.up_to(at).tolist() == single.up_to(at).tolist() == [0] * 3 + [2] * 4 + [8] * 5
    assert grouped.number == single.number == 8
    rows = Sample(points[:, None], np.ones(4, bool), counts, 20)
    assert rows.in_order.below(at).tolist() == grouped.below(at).tolist()
    assert rows.in_order is rows.in_order
