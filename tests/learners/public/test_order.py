"""Public records that come sorted: which of them cut and which count must not follow from their values."""

import numpy as np

from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.classes.vectors.boxes import Rectangles
from privpac.learners.public.boxes import most_lost

RECORDS = [(int(x), int(y)) for x, y in np.random.default_rng(1).integers(0, 10**6, (800, 2))]


def test_the_order_of_a_table_plays_no_part():
    given, ordered = PublicRecords.of(RECORDS), PublicRecords.of(sorted(RECORDS))
    assert given == ordered
    assert given.points == ordered.points != tuple(sorted(RECORDS))


def test_sorted_records_certify_no_more_than_others():
    """Every other one of sorted records would lie between two that cut, so that no half of a cell holds many."""
    boxes = Rectangles(0, 10**6, dim=2)
    alternating = PublicRecords(len(RECORDS), "", tuple(sorted(RECORDS)))
    assert most_lost(WithPublic(boxes, alternating))[0] < most_lost(WithPublic(boxes, PublicRecords.of(RECORDS)))[0]
