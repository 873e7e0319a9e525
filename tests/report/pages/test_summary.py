"""The page about a summary: every number with its interval, rounded outward, and how many records are in no group."""

import re
from decimal import Decimal

import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Schema
from privpac.release.summaries.answers import Estimate
from privpac.report.numbers import number_text
from privpac.report.pages.release import release_page
from privpac.report.pages.summary import MOST_ROWS, _estimate
from tests.report.pages.test_rule import Reader

WARD = Column("ward", "category", values=("A", "<b>"))
STAY = Column("stay", "integer", low=0, high=60, missing=True)
VISITS = {"ward": ["A", "<b>", "C", "A"] * 500, "stay": [3, 12, 5, None] * 500}


def summary(by="ward", **given):
    asked = {"schema": Schema((WARD, STAY)), "of": "stay", "by": by, "epsilon": 5, "on_invalid": "default"}
    return pp.summarize(VISITS, random_state=1, **asked | given).release


def test_every_number_has_its_interval():
    page = release_page(summary())
    text = Reader(page).text
    assert "<b>" not in page and "&lt;b&gt;" in page and page.count('class="band"') == 2
    for words in ("stay by ward: counts, sums, means, and quartiles", "upper quartile", "missing", "at least 95"):
        assert words in text


def test_records_that_are_in_no_group_are_told_only_if_there_may_be_some():
    found = re.search(
        r"<dt>Not counted</dt><dd>about ([0-9]+)<small>([0-9]+) to ([0-9]+) records", release_page(summary())
    )
    value, least, most = map(int, found.groups())
    assert least <= 500 <= most and least <= value <= most
    whole = pp.summarize(
        {"stay": [3, 12] * 500},
        schema=Schema((Column("stay", "integer", low=0, high=60),)),
        of="stay",
        epsilon=1,
        quartiles=False,
    )
    assert "Not counted" not in release_page(whole.release)


def test_without_quartiles_there_is_no_band():
    page = release_page(summary(quartiles=False))
    assert 'class="band"' not in page and "quartile" not in Reader(page).text and page.count("<circle") == 2


def test_ends_of_intervals_are_rounded_outward():
    assert _estimate(Estimate(5.43219, 5.08019, 5.80511)) == "5.432<small>5.08 to 5.806</small>"
    assert _estimate(Estimate(-2.00019, -2.00019, 19957.2)) == "\u22122<small>\u22122.001 to 19,958</small>"
    assert _estimate(Estimate(Decimal("4.50"), Decimal("4.50"), Decimal("4.50"))) == "4.5"
    assert number_text(0.0) == "0"


def test_many_groups_are_cut_off():
    schema = Schema((Column("ward", "category", values=tuple(map(str, range(MOST_ROWS + 3)))), STAY))
    page = release_page(summary(schema=schema, quartiles=False))
    assert "and 3 more groups" in page and page.count("<tr><td") >= MOST_ROWS and "and 73 more" in page


@pytest.mark.parametrize("quartiles", [True, False])
def test_groups_that_nobody_is_in_are_the_headline(quartiles):
    """Names in other letters: the page begins with it, with and without a distribution that measures it."""
    schema = Schema((Column("ward", "category", values=("a", "b")), STAY))
    page = release_page(summary(schema=schema, quartiles=quartiles))
    assert re.search(r'class="warn">At least [0-9.,]+( %| of 2,000 records are not counted)', page.split("<h1>")[0])


def test_a_missing_entry_is_called_missing():
    ward = Column("ward", "category", values=("A", "<b>"), missing=True)
    page = release_page(summary(schema=Schema((ward, STAY))))
    assert '<td class="brief">missing</td>' in page and ">missing<" in page.split("<table")[0] and "None" not in page


def test_a_quartile_of_which_nothing_is_known_is_a_dash():
    page = release_page(summary(epsilon=0.005))
    assert page.count("–<small>0 to 60</small>") == 6 and "A dash stands for a quartile" in Reader(page).text
    assert "–<small>" not in release_page(summary())


def test_quartiles_that_noise_hides_are_not_drawn():
    """At a small price, the interval of every quartile holds all values."""
    page = release_page(summary(epsilon=0.005))
    assert 'class="band"' not in page and "upper quartile" in Reader(page).text and page.count("<circle") == 2
