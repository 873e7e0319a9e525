"""A row whose own code fails is void, and stops no other record."""

import numpy as np
import pytest

import privpac as pp
from privpac.learners import PrivateClassifier
from tests.refusals import SECRET


class Unsized(tuple):
    """A row whose own code fails."""

    def __len__(self):
        raise RuntimeError(SECRET)

    __iter__ = __getitem__ = __len__


class Unclassed:
    """A row, or an entry, that raises even when it is asked what it is."""

    @property
    def __class__(self):
        raise RuntimeError(SECRET)


ROWS = {
    "no dimension": lambda: np.array(3),
    "masked": lambda: np.ma.masked,
    "unsized": lambda: Unsized((1, 2)),
    "unclassed": Unclassed,
    "entry": lambda: (Unclassed(), 2),
}


@pytest.mark.parametrize("rule", ["default", "clamp"])
@pytest.mark.parametrize("feature", [None, [1, 0]])
@pytest.mark.parametrize("made", ROWS.values(), ids=ROWS)
def test_a_row_that_cannot_be_read_is_void(made, feature, rule):
    clf = PrivateClassifier(pp.Rectangles(0, 9, 2), feature=feature, on_invalid=rule, random_state=0)
    for rows in ([made()] + [(1, 2)] * 4, [(1, 2)] * 4 + [made()]):
        assert clf.fit(rows, [0, 1, 0, 1, 0]).n_records_ == 5


@pytest.mark.parametrize("made", [ROWS["unsized"], ROWS["unclassed"]])
def test_a_row_that_nothing_can_be_picked_from_is_void(made):
    clf = PrivateClassifier(pp.Thresholds(0, 9), feature=0, on_invalid="default", random_state=0)
    assert clf.fit([(1,), made(), (3,)], [0, 1, 0]).n_records_ == 3
