"""Public records that come sorted: which of them cut and which count must not follow from their values."""

import os
import subprocess
import sys

import numpy as np
import pytest

from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.boxes import Rectangles
from privpac.learners.public.boxes import most_lost
from privpac.learners.public.requests import with_public
from tests.grid import over

RECORDS = [(int(x), int(y)) for x, y in np.random.default_rng(1).integers(0, 10**6, (800, 2))]

LINES = WHOLE, FLOATS = Thresholds(0, 9), Thresholds(0.0, 1.0)
ALIKE = [
    (WHOLE, ([1, 3, 2], [1.0, 2.0, 3.0], np.array([3, 2, 1], dtype=np.uint8))),
    (FLOATS, ([0, 1, 0.5], [-0.0, 0.5, 1.0], np.array([0, 1, 0.5], dtype=np.float32))),
    (WHOLE.on("a"), ({"a": [1, 3, 2]}, [{"a": 1.0}, {"a": 2.0}, {"a": 3.0}])),
]


def test_the_order_of_a_table_plays_no_part():
    given, ordered = PublicRecords.of(RECORDS), PublicRecords.of(sorted(RECORDS))
    assert given == ordered
    assert given.points == ordered.points != tuple(sorted(RECORDS))


@over(("H", "tables"), ALIKE)
def test_equal_records_are_the_same_in_any_container(H, tables):
    """So a key of an account stands for one question, whether a table came as whole numbers or as floats."""
    first, *others = (with_public(H, table, None if H in LINES else ()) for table in tables)
    assert all(each == first and each.public.points == first.public.points for each in others)


def test_sorted_records_certify_no_more_than_others():
    """Every other one of sorted records would lie between two that cut, so that no half of a cell holds many."""
    boxes = Rectangles(0, 10**6, dim=2)
    alternating = PublicRecords(len(RECORDS), "", tuple(sorted(RECORDS)))
    assert most_lost(WithPublic(boxes, alternating))[0] < most_lost(WithPublic(boxes, PublicRecords.of(RECORDS)))[0]


@pytest.mark.slow
def test_the_order_of_sets_is_the_same_in_every_process():
    imported = "from privpac.classes.finite.public_records import PublicRecords"
    program = f"{imported}; print(PublicRecords.of([frozenset('abcd')]).digest)"
    environments = [os.environ | {"PYTHONHASHSEED": seed} for seed in "123"]
    digests = {subprocess.check_output([sys.executable, "-c", program], env=each) for each in environments}
    assert len(digests) == 1
