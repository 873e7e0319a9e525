"""Numbers of texts are dense, in order, and come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.values.text_order import A, rank, texts, unrank

ANY = st.text(st.characters(), max_size=6) | st.text(st.sampled_from("\x00\x01a\ud800\udfff\U0010ffff"), max_size=6)


@given(ANY, ANY, st.integers(0, 5))
def test_numbers_are_in_the_order_of_the_cut_texts(a, b, width):
    assert (rank(a, width) < rank(b, width)) == (a[:width] < b[:width])
    assert unrank(rank(a, width), width) == a[:width]


@given(st.integers(0, 4), st.data())
def test_every_number_is_a_text(width, data):
    number = data.draw(st.integers(0, texts(width) - 1))
    text = unrank(number, width)
    assert len(text) <= width
    assert rank(text, width) == number


@pytest.mark.slow
@pytest.mark.parametrize("width", [0, 1, 2, 16, 3000])
def test_the_last_text(width):
    assert rank("\U0010ffff" * 3000, width) == texts(width) - 1
    assert unrank(texts(width) - 1, width) == "\U0010ffff" * width
    assert texts(width) == sum(A**length for length in range(width + 1))
