"""A grid is visited everywhere, and a failure says where."""

import pytest

from tests.grid import over


def test_every_point_is_visited_and_other_arguments_stay():
    seen = []

    @over("a", [1, 2])
    @over(("b", "c"), [(3, 4), (5, 6)])
    def statement(a, b, c, fixture):
        seen.append((a, b, c, fixture))

    statement(fixture="x")
    assert seen == [(1, 3, 4, "x"), (1, 5, 6, "x"), (2, 3, 4, "x"), (2, 5, 6, "x")]


def test_a_failure_names_its_point():
    @over("a", [1, 2])
    @over("b", [3, 4])
    def statement(a, b):
        assert a * b < 8

    with pytest.raises(AssertionError) as failure:
        statement()
    assert failure.value.__notes__ == ["at b = 4", "at a = 2"]


def test_wrong_names_and_empty_grids_are_seen():
    with pytest.raises(AssertionError, match="statement does not take b"):

        @over("b", [1])
        def statement(a):
            pass

    with pytest.raises(AssertionError, match="no point"):
        over("a", [])


@pytest.fixture
def three():
    return 3


@over("a", [1, 2])
@pytest.mark.parametrize("b", [10, 20])
def test_fixtures_and_marks_go_through(a, b, three):
    assert a < three < b
