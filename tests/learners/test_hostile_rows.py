"""A row whose own code fails is void, and stops no other record."""

import numpy as np
import pytest

import privpac as pp
from privpac.learners import PrivateClassifier
from tests.sentinels import SECRET


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


class Raising(ValueError):
    """A refusal that is not ours."""


class Unlisted(dict):
    """A row by names whose own code fails."""

    def __contains__(self, key):
        raise Raising(SECRET)

    __iter__ = __len__ = items = keys = values = __getitem__ = get = __contains__


HOSTILE = {name: ROWS[name] for name in ("unsized", "unclassed", "entry")} | {"unlisted": lambda: Unlisted(age=3)}


@pytest.mark.parametrize("rule", ["default", "clamp"])
@pytest.mark.parametrize("feature", [None, [1, 0]])
@pytest.mark.parametrize("made", ROWS.values(), ids=ROWS)
def test_a_row_that_cannot_be_read_is_void(made, feature, rule):
    clf = PrivateClassifier(pp.Rectangles(0, 9, 2), feature=feature, on_invalid=rule, random_state=0)
    for rows in ([made()] + [(1, 2)] * 4, [(1, 2)] * 4 + [made()]):
        assert clf.fit(rows, [0, 1, 0, 1, 0]).n_records_ == 5


@pytest.mark.parametrize("made", [ROWS["unsized"], ROWS["unclassed"]])
def test_a_row_that_nothing_can_be_picked_from_is_void(made):
    clf = PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature=0, on_invalid="default", random_state=0)
    assert clf.fit([(1,), made(), (3,)], [0, 1, 0]).n_records_ == 3


@pytest.mark.parametrize(
    "cls", [pp.Thresholds(0, 9, direction="above"), pp.Rectangles(0, 9, 2), pp.Points()], ids=lambda c: c.shell_name
)
@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE)
def test_under_raise_its_own_error_does_not_escape(made, cls):
    """Some are read all the same: their entries are a tuple's, or the failing one is not read."""
    ran = []
    for feature in (None, 0, 1, "age", [0, 1]):
        clf = PrivateClassifier(cls, feature=feature, random_state=0)
        for rows in (
            [made(), (1, 2)],
            [(1, 2), made()],
            [{"age": 3}, made()],
            [{"age": 3}, {"age": made()}],
            [3, made()],
        ):
            try:
                ran.append(bool(clf.fit(rows, [0, 1])))
            except (ValueError, TypeError) as refusal:
                assert not isinstance(refusal, Raising) and str(SECRET) not in str(refusal)
                ran.append(False)
    assert not all(ran)
