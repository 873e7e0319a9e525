"""Each domain says in words which values were declared."""

from datetime import date

import pytest

import privpac as pp

WORDS = {
    "whole numbers from −60 to 1440": pp.Thresholds(-60, 1440, direction="above"),
    "numbers from 0.0 to 1.5 in steps of 0.001": pp.Thresholds(0.0, 1.5, direction="above"),
    "dates from 2020-01-01 to 2021-01-01": pp.Thresholds(date(2020, 1, 1), date(2021, 1, 1), direction="above"),
    "text from A00 to Z99": pp.Thresholds("A00", "Z99", direction="above"),
    "any value": pp.Points(),
    "one of child, adult": pp.ExplicitClass([[0, 1]], points=["child", "adult"]),
    "one of 20 values: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …": pp.ExplicitClass([[0] * 20]),
    "one of J, J10": pp.Taxonomy({"J10": "J"}),
    "codes of at most 7 characters": pp.StartsWith(height=7),
    "paths of at most 1024 steps by '/'": pp.RootPaths("/"),
    "at most 5 codes, separated by ';'": pp.HasAny(2, s=5),
}


@pytest.mark.parametrize("words", WORDS)
def test_words(words):
    assert WORDS[words].domain.words == words
