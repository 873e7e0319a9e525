"""Kinds of rows, in words: programs read them in JSON and in frames."""

import pytest

from privpac.planning.rows import CERTIFIED, NOTHING, Constants, Kind, Section


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (CERTIFIED, "certified"),
        (NOTHING, "no certificate"),
        (Kind(Section.PUBLISHED, Constants.HIDDEN, "realizable"), "published, O-constants = 1 (realizable)"),
        (Kind(Section.PUBLISHED, regime="realizable"), "published (realizable)"),
        (Kind(Section.LOWER), "lower bound"),
        (Kind(Section.LOWER, Constants.HIDDEN_BELOW), "lower bound, Ω-constant = 1"),
    ],
)
def test_a_kind_reads_as_words(kind, words):
    assert str(kind) == words
    assert kind.hidden == ("= 1" in words)
