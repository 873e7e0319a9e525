"""The least integer at which a claim holds."""

import pytest

from privpac.privacy.bisection import smallest, smallest_between, smallest_upto


@pytest.mark.parametrize("above", [0, 1, 2, 7, 1000])
def test_the_smallest_number_is_found(above):
    for least in (*range(above + 1, above + 40), 10**6, 2**80 + 1):
        asked = []
        assert smallest(lambda n: asked.append(n) or n >= least, above) == least  # noqa: B023
        assert min(asked) > above
        assert len(asked) <= 2 * least.bit_length() + 2


def test_a_claim_that_holds_everywhere_holds_just_above():
    assert smallest(lambda n: True) == 1
    assert smallest(lambda n: True, above=5) == 6


def test_beyond_the_limit_there_is_none():
    asked = []
    assert smallest_upto(64, asked.append) is None
    assert max(asked) == 64
    assert smallest_upto(64, lambda n: n >= 60) == 60
    assert smallest_upto(64, lambda n: n >= 65) is None


def test_between_two_numbers_neither_is_asked():
    asked = []
    assert smallest_between(lambda n: asked.append(n) or n >= 3, -1, 8) == 3
    assert {-1, 8}.isdisjoint(asked)
    assert smallest_between(lambda n: True, 4, 4) == 4
    assert smallest_between(lambda n: False, 4, 9) == 9
