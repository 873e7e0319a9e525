"""Records held out: as many as is public, whole units, one record of each, and never one that was learned from."""

from collections import Counter

import numpy as np
import pytest

import privpac as pp
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.requests.holding_out import SHARE, HeldOutSizes, split_sample
from tests.grid import over
from tests.statistics import assert_matches

LINE = Line(0, 99)
X = np.arange(100)


def listed(n=100, units=None):
    return Sample(X[:n], X[:n] % 2 == 0, None, n if units is None else len(set(units.tolist())) * 3, X[:n], units)


def content(*samples):
    """How often each record occurs in the samples."""
    found = Counter()
    for sample in samples:
        counts = np.ones(len(sample.labels), dtype=int) if sample.counts is None else sample.counts
        for x, y, count in zip(sample.points.tolist(), sample.labels.tolist(), counts.tolist(), strict=True):
            found[x, y] += count
    return found


@over("n", [1, 2, 4, 5, 6, 99])
def test_sizes_are_public_and_a_fifth_is_held_out(n):
    learned, held = split_sample(listed(n), LINE, 1, SYSTEM)
    assert (learned.size, held.size) == HeldOutSizes.of(n) == (n - n // SHARE, n // SHARE)
    assert content(learned, held) == content(listed(n))
    assert len(learned.labels) == learned.size


def test_more_records_never_mean_fewer_to_learn_from():
    for k in (1, 3):
        learned = [HeldOutSizes.of(n * k, k).learned for n in range(200)]
        assert learned == sorted(learned)


def test_counted_records_and_void_ones_are_divided_like_listed_ones():
    """Void records are chosen as often as others, so how many fit remains private. False alarms: 10⁻⁹."""
    counts = np.array([6, 2])
    sample = Sample(np.array([1, 2]), np.array([True, False]), counts, 10, np.array([1, 2]))
    both = [split_sample(sample, LINE, 1, SYSTEM) for _ in range(50)]
    assert all(content(*each) == {(1, True): 6, (2, False): 2} for each in both)
    law = {(2, 0): 15 / 45, (1, 1): 12 / 45, (0, 2): 1 / 45, (1, 0): 12 / 45, (0, 1): 4 / 45, (0, 0): 1 / 45}
    fitting = {(2, 0): 15 / 28, (1, 1): 12 / 28, (0, 2): 1 / 28}

    def chosen():
        found = content(split_sample(sample, LINE, 1, SYSTEM)[1])
        return found[1, True], found[2, False]

    assert_matches(chosen, law, must_reject=fitting, draws=1000)


def test_values_follow_their_records():
    learned, held = split_sample(listed(), LINE, 1, SYSTEM)
    for part in (learned, held):
        assert np.array_equal(part.values, part.points)
    H = pp.And(pp.Thresholds(0, 9, direction="above").on("a"), pp.Points().on("b"))
    rows = {"a": np.arange(10), "b": np.array(list("abcdefghij"), dtype=object)}
    sample = Sample(H.domain.points(rows), np.ones(10, dtype=bool), None, 10, rows)
    for part in split_sample(sample, H.domain, 1, SYSTEM):
        assert [ord(b) - ord("a") for b in H.domain.split(part.values)[1]] == H.domain.split(part.values)[0].tolist()


def test_units_are_held_out_whole_and_one_record_of_each_is_measured():
    units = np.repeat(np.arange(10), 3)
    sample = listed(30, units)
    learned, held = split_sample(sample, LINE, 3, SYSTEM)
    assert (learned.size, held.size) == (24, 2)
    owners = [set((part.points // 3).tolist()) for part in (learned, held)]
    assert not owners[0] & owners[1] and len(owners[0] | owners[1]) == 10
    assert len(held.labels) == 2


@pytest.mark.slow
def test_all_records_of_a_unit_are_measured_equally_often():
    """An entry that stands for two records is measured twice as often as one that stands for one."""
    units, counts = np.repeat(np.arange(5), 2), np.array([1, 2] * 5)
    sample = Sample(X[:10], X[:10] % 2 == 1, counts, 15, X[:10], units)
    assert_matches(
        lambda: bool(split_sample(sample, LINE, 3, SYSTEM)[1].labels[0]),
        {True: 2 / 3, False: 1 / 3}, must_reject={True: 1 / 2, False: 1 / 2}, draws=3000,
    )  # fmt: skip


def test_a_unit_without_records_that_fit_is_void():
    sample = Sample(X[:0], X[:0] > 0, None, 15, X[:0], X[:0])
    learned, held = split_sample(sample, LINE, 3, SYSTEM)
    assert (learned.size, held.size, len(held.labels)) == (12, 1, 0)


@pytest.mark.parametrize("rule", ["raise", "default"])
def test_engines_tell_units_apart_as_memory_does(rule):
    ibis, pyarrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
    columns = {"x": np.arange(90) % 50, "y": np.arange(90) % 2, "unit": np.repeat(np.arange(30), 3)}
    given = {"feature": "x", "max_records": 2, "report_error": True, "random_state": 4, "on_invalid": rule}
    held = []
    for table, unit in ((columns, columns["unit"]), (ibis.memtable(pyarrow.table(columns)), "unit")):
        clf = pp.PrivateClassifier(pp.Thresholds(0, 49, direction="above"), **given)
        clf.fit(table, "y", unit)
        held.append((clf.n_records_, clf.error_.held))
    assert held == [(60, 6)] * 2


def test_it_costs_no_more_and_the_rule_gets_all_of_it():
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=1, report_error=True, feature=None)
    clf.fit(X.repeat(20), X.repeat(20) >= 50)
    assert [entry.cost for entry in clf.ledger_.entries] == [pp.Budget(1), pp.Budget(0)]
    assert clf.privacy_ == clf.fitting(2000).cost == pp.Budget(1)
    assert clf.error_.held == 400


def test_certificates_are_about_the_records_learned_from():
    plain, told = (
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), epsilon=1, report_error=each)
        for each in (False, True)
    )
    assert told.certified_alpha(1000) == plain.certified_alpha(800)
    n = told.certified_n()
    assert HeldOutSizes.of(n).learned == plain.certified_n() and HeldOutSizes.of(n - 1).learned < plain.certified_n()


@pytest.mark.parametrize(
    ("H", "given", "table"),
    [
        (pp.Thresholds(0, 9, direction="above"), {"feature": "x"}, {"x": [None] * 10}),
        (pp.HalfSpaces(2, 5), {"feature": ["x", "z"]}, {"x": [None] * 10, "z": [1] * 10}),
        (
            pp.And(pp.Thresholds(0, 9, direction="above").on("x"), pp.Points().on("z")),
            {},
            {"x": [None] * 10, "z": ["EV"] * 10},
        ),
        (pp.Spider(4), {"feature": ["x", "z"]}, {"x": ["EV"] * 10, "z": [None] * 10}),
        (pp.Equalities("x", "z", at_most=2), {}, {"x": [None] * 10, "z": ["EV"] * 10}),
    ],
    ids=["thresholds", "half-spaces", "compositions", "spiders", "equalities"],
)
def test_no_record_that_fits_is_no_reason_to_fail(H, given, table):
    clf = pp.PrivateClassifier(H, on_invalid="default", report_error=True, **given).fit(table, [0, 1] * 5)
    assert (clf.error_.held, clf.error_.better) == (2, False)
