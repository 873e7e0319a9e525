"""Histograms and crosstabs: certain bounds, gaps, queries, and whole releases against all neighbors."""

import sys
from dataclasses import replace
from datetime import date
from itertools import product

import pytest

from privpac import And, Points, PrivateRelease, SparseSets
from privpac.audit.claims.case import Case
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import OneOf
from privpac.data.domains.anything import Anything
from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.release.histograms import CategorySanitizer, KeyCounts, PointSanitizer
from privpac.release.release import Release
from privpac.requests.conditions import Terms
from tests.release.samples import Whole, assert_is_the_gap

SHOWN = KeyCounts(3, Anything(), (("a",), ("b",)), (2, 1), most=3)


def shown(answers):
    return frozenset(zip(answers.keys, answers.numbers, strict=True))


def one(value):
    return OneOf(frozenset([value]))


def test_the_gap_is_the_largest_error_and_changes_by_one():
    queries = [Constant(False), *map(one, "abc")]
    assert_is_the_gap(SHOWN, Anything(), [*"abc", None], queries, 3)


def test_the_gap_of_sets_adds_errors_of_one_sign():
    sets = KeyCounts(3, Anything(), (("a",), ("b",)), (2, 2), most=3, values=2)
    queries = [Constant(False), *(OneOf(frozenset(pair)) for pair in product("abc", repeat=2))]
    assert_is_the_gap(sets, Anything(), "abc", queries, 3)


def test_the_gap_of_a_crosstab():
    both = And(Points().on("x"), Points().on("y", values=("u", "v")))
    answers = KeyCounts(2, both.domain, (("a", "u"),), (2,), most=1)
    queries = [both.hypothesis(x, y) for x, y in product("ab", "uv")]
    assert_is_the_gap(answers, both.domain, list(product("ab", "uv")), queries, 2)


def test_bounds_hold_with_certainty():
    records = ["a"] * 60 + ["b"] * 40 + ["c"] * 20 + ["d"]
    for _ in range(50):
        release = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(records)
        assert release.guarantee_.certain == (27, 54)
        for value in "abcde":
            low, high = release.interval(Points().hypothesis(value))
            assert low <= records.count(value) / len(records) <= high


def test_nothing_is_spent_on_a_certificate_where_bounds_are_certain():
    release = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(["a"] * 100)
    assert [entry.mechanism for entry in release.ledger_.entries] == ["truncated histogram"]
    assert release.privacy_ == Budget(1, 1e-6)
    assert release.guarantee_.measured is None


def test_values_that_python_takes_for_equal_are_one():
    release = PrivateRelease(Points(), epsilon=50, delta=1e-6).fit([1, 1.0, True] * 100)
    assert release.counts()["records"] == pytest.approx([300], abs=2)
    assert release.answer(Points().hypothesis(True)) == release.answer(Points().hypothesis(1))


def test_a_crosstab_counts_combinations():
    flights = {"carrier": ["EV"] * 200 + ["UA"] * 300, "origin": ["JFK"] * 300 + ["LGA"] * 200}
    both = And(Points().on("carrier"), Points().on("origin"))
    release = PrivateRelease(both, epsilon=5, delta=1e-6).fit(flights)
    shown = dict(
        zip(
            zip(release.counts()["carrier"], release.counts()["origin"], strict=True),
            release.counts()["records"],
            strict=True,
        )
    )
    assert shown == {
        ("EV", "JFK"): pytest.approx(200, abs=10),
        ("UA", "LGA"): pytest.approx(200, abs=10),
        ("UA", "JFK"): pytest.approx(100, abs=10),
    }
    assert release.answer(both.hypothesis("UA", "JFK")) == shown["UA", "JFK"] / 500
    assert set(release.synthetic(10)) == {"carrier", "origin"}


def test_declared_values_need_no_delta_and_are_measured():
    jobs = Points().on("job", values=("clerk", "nurse", "smith"))
    release = PrivateRelease(jobs, epsilon=1).fit({"job": ["clerk"] * 300 + ["nurse"] * 700})
    assert release.privacy_ == Budget(1)
    assert [str(entry.cost) for entry in release.ledger_.entries] == ["ε = 0.9", "ε = 0.1"]
    assert len(release.counts()["records"]) == 3
    assert release.guarantee_.measured is not None


def test_a_declared_crosstab_counts_all_combinations():
    both = And(Points().on("x", values=(1, 2)), Points().on("y", values=("u", "v")))
    release = PrivateRelease(both, epsilon=9).fit({"x": [1, 2] * 50, "y": ["u", "v"] * 50})
    assert len(release.counts()["records"]) == 4
    assert release.answer(both.hypothesis(1, "v")) < 0.1 < 0.4 < release.answer(both.hypothesis(2, "v"))


def test_sets_of_values_add_up():
    release = PrivateRelease(SparseSets(2), epsilon=9, delta=1e-6).fit(["a"] * 100 + ["b"] * 50 + ["c"] * 50)
    assert release.answer(SparseSets(2).hypothesis("a", "b")) == pytest.approx(0.75, abs=0.05)
    with pytest.raises(Refused, match="at most 2 values"):
        release.answer(OneOf(frozenset("abc")))


@pytest.mark.parametrize(
    "query", [Thresholds(0, 9, direction="above").hypothesis(3), OneOf(frozenset("ab")), Constant(True)]
)
def test_a_query_outside_the_class_is_refused(query):
    with pytest.raises(Refused, match="one value") as refused:
        SHOWN.count(query)
    assert refused.value.parameter == "query"


@pytest.mark.parametrize("void", [(), (None,)])
def test_a_whole_histogram_is_private_for_all_neighbors(void):
    cost = Budget(3, "0.00315")
    many = ("a", "b") * (2 * TruncatedHistogram(cost).most + 2)
    whole = Whole(PointSanitizer(Points(), Terms(cost)), shown)
    found = Case(whole, tuple, "", [*"abc", *void], 1, cost, crowd=many).exact()
    assert not found.refuted and float(found.ratio) > 0.9


def test_a_whole_count_of_categories_is_private_and_tight():
    jobs, cost = Points().among(("a", "b")), Budget(2)
    whole = Whole(CategorySanitizer(jobs, Terms(cost)), shown)
    found = Case(whole, tuple, "", "ab", 2, cost).exact()
    assert not found.refuted and float(found.ratio) > 0.6


def calls_of(function, *given):
    """How many functions Python enters."""
    entered = 0

    def count(frame, event, arg):
        nonlocal entered
        entered += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*given)
    finally:
        sys.setprofile(before)
    return entered


def test_reading_many_keys_calls_nothing_for_each():
    """A million keys took 12 seconds; a release of several columns, or with dates, is read as before."""
    small = PrivateRelease(Points(), epsilon=1, delta=1e-6).fit(["a"] * 500 + ["b"] * 500).release_

    def of(keys, domain=small.answers_.domain):
        return replace(small, answers_=replace(small.answers_, domain=domain, keys=keys, numbers=(1,) * len(keys)))

    texts = [of(tuple((f"k{i}",) for i in range(N))).to_json() for N in (100, 900)]
    few, many = (calls_of(Release.from_json, text) for text in texts)
    assert many < few + 100
    for values in (("a", 7, None, True, 2.5, date(2026, 1, 1), (1, "b"), frozenset([3])), ("a", ("b",)), (10**40, "é")):
        mixed = of(tuple((value,) for value in values))
        read = Release.from_json(mixed.to_json())
        assert read == mixed and [type(k) for (k,) in read.answers_.keys] == list(map(type, values))
    for broken in ('["k1"], "k2"', '["k1", "k2"]', '["k1"], ["k1"]', '["k1"], {"k": 1}', '["k1"], 3'):
        text = texts[0][: texts[0].index('"keys": [')] + f'"keys": [{broken}], "numbers": [1, 1], "most": 27}}}}'
        with pytest.raises(ValueError, match=r"JSON|key"):
            Release.from_json(text)
