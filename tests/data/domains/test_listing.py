"""Names and their numbers."""

import numpy as np
import pytest

from privpac.data.domains.listing import Listing


def test_there_and_back():
    names = Listing(("b", 3, ("x", 1)))
    assert names.size == 3
    assert names.encode(["b", 3, ("x", 1), "b"]).tolist() == [0, 1, 2, 0]
    assert [names.decode(i) for i in range(3)] == ["b", 3, ("x", 1)]


def test_rows_of_an_array_are_tuples():
    assert Listing(((0, 1), (1, 1))).encode(np.array([[1, 1], [0, 1]])).tolist() == [1, 0]


def test_unknown_names_are_neither_counted_nor_quoted():
    with pytest.raises(ValueError, match="some names are not declared") as refusal:
        Listing(("a",)).encode(["a", "secret", "secret"])
    assert not {"secret", "2", "3"} & set(str(refusal.value).split())


@pytest.mark.parametrize("number", [-1, 1])
def test_only_numbers_of_names_are_decoded(number):
    with pytest.raises(ValueError, match="no value has this number"):
        Listing(("a",)).decode(number)


def test_nothing_is_fine():
    assert Listing(("a",)).encode([]).tolist() == []
