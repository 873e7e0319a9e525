"""Values as sentences show them."""

from datetime import datetime

import numpy as np
import pytest

from privpac.data.values.value_text import readable_bound, readable_cut, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (37, "37"),
        ("J10", "J10"),
        ("", "''"),
        (" a", "' a'"),
        ("\u202e", r"'\u202e'"),
        ("\ud800", r"'\ud800'"),
        (("a", 1), "('a', 1)"),
        (datetime(2026, 11, 15, 8, 30), "2026-11-15 08:30"),
        (np.datetime64("2026-11-15T08:30:00"), "2026-11-15 08:30"),
        (np.datetime64("2026-11-15T08:00:00.000000000"), "2026-11-15 08:00"),
        (np.datetime64("2026-11-15T08:00"), "2026-11-15 08:00"),
        (np.datetime64("2026-11-15T08:00:30.500"), "2026-11-15 08:00:30.500"),
        (np.datetime64("2026-11-15"), "2026-11-15"),
        (np.datetime64("NaT"), "NaT"),
    ],
)
def test_values_in_a_sentence(value, text):
    assert value_text(value) == text
    assert value_text(value).isprintable()


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        ("Größe\x00\x00\U000e4e0f", r"'Größe\x00'…"),
        ("\U0010ffff" * 16, r"'\U0010ffff'…"),
        ("\ud800it's", r"'\ud800'…"),
        ("a\x00", r"'a\x00'"),
        ("J10…", "J10…"),
        ("", "''"),
        (-37, "−37"),
        pytest.param(-(2**20_000), "−0x1" + "0" * 5000, id="too long for decimals"),
    ],
)
def test_cuts_in_a_sentence_end_where_they_cannot_be_read(cut, text):
    assert readable_bound(cut) == text
    assert readable_bound(cut).isprintable()


@pytest.mark.parametrize("start", ["J1", "Widowe[", "Z", "a-"])
@pytest.mark.parametrize("rest", ["\x07", "\U000e4e0f"])
def test_readable_cuts_separate_readable_texts_alike(start, rest):
    sign, text = readable_cut(start + rest)
    assert text.isprintable()
    words = [start[:-1] + chr(code) + end for code in range(ord(" "), 127) for end in ("", " ", "A", "~", "é")]
    for word in words:
        prefix = text.removesuffix("…")
        said = {"≥": word >= text, ">": word > text if prefix == text else word[: len(prefix)] > prefix}[sign]
        assert said == (word >= start + rest), word
