"""Releases of lines: accuracy, certificates on the worst data, void records, units, odd samples, private for all."""

from collections import Counter
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.release.algorithm import ReleaseAlgorithm
from privpac.release.lines import count_rounds
from privpac.release.lines import sanitizer as lines
from privpac.release.lines.sanitizer import LineSanitizer, split_tree, tree_share
from privpac.release.private_release import PrivateRelease
from privpac.release.release import Release
from privpac.report.pages.release import release_page
from privpac.requests.conditions import Conditions, Terms
from tests.grid import over
from tests.statistics import at_least

RNG = np.random.default_rng(3)
LONG = 2**64
NASTY = {
    "constant": lambda n: np.full(n, 12_345),
    "two values at the ends": lambda n: np.where(np.arange(n) < n // 3, 0, LONG - 1),
    "atoms": lambda n: np.array([3, 10**6, 10**12, 2**63, LONG - 5], np.uint64)[RNG.integers(0, 5, n)],
    "even": lambda n: RNG.integers(0, LONG - 1, n, np.uint64, endpoint=True),
    "log-normal": lambda n: RNG.lognormal(10, 3, n),
}


def sampled(name, n):
    return Sample(NASTY[name](n).astype(np.uint64), np.ones(n, bool), None, n)


def ask(mechanism, seen):
    return mechanism.release(mechanism.check(seen), SYSTEM)


@pytest.mark.audit
def test_certificates_hold_on_the_worst_data():
    """At most β of all runs miss; size below 10⁻⁶. A certificate without its margin would miss about half of them."""
    β, runs, missed = Fraction(1, 10), 0, 0
    for name, H in (
        (name, H) for name in NASTY for H in (Thresholds(0, LONG - 1, direction="above"), Intervals(0, LONG - 1))
    ):
        for n in (40, 400):
            algorithm = ReleaseAlgorithm.of(H, Conditions.of(epsilon=2, beta=β), "auto", Fraction(1, 10), n)
            for _ in range(8):
                sample = sampled(name, n)
                answers, bound = algorithm.run(Opened(sample, n), ask)
                runs, missed = runs + 1, missed + (answers.gap(sample) > bound)
    assert runs == 160
    assert at_least(missed, runs, float(β)) > 1e-6
    assert at_least(50, runs, float(β)) < 1e-6  # so a certificate that misses half the runs is caught


@over(("name", "bar"), [("constant", 100), ("even", 150), ("log-normal", 200), ("atoms", 150)])
def test_accuracy(name, bar):
    """Records off, of 10⁴ at ε = 1: three or more times what was measured."""
    n, sanitizer = 10_000, LineSanitizer(Thresholds(0, LONG - 1, direction="above"), Terms(Budget(1)))
    sample = sampled(name, n)
    assert sanitizer.run(Opened(sample, n), ask).gap(sample) <= bar


@pytest.mark.slow
@over(("name", "bar"), [("log-normal", 350), ("even", 250), ("atoms", 450)])
def test_accuracy_with_very_little(name, bar):
    """Records off, of 1000 at ε = .1, in the mean of 8 runs: far more than was measured."""
    n, sanitizer = 1000, LineSanitizer(Thresholds(0, LONG - 1, direction="above"), Terms(Budget("0.1")))
    samples = [sampled(name, n) for _ in range(8)]
    assert np.mean([sanitizer.run(Opened(each, n), ask).gap(each) for each in samples]) <= bar


def test_plans_depend_on_public_numbers_only():
    assert [tree_share(n, Fraction(1)) for n in (300, 3000, 3001)] == [Fraction(1, 4)] * 2 + [Fraction(4, 25)]
    tree = split_tree(Budget("1e-20"), lines.LineTree(1000))
    assert tree.theta == tree.step == tree.floor == lines.MOST


@pytest.mark.audit
@over("little", [0, 10**6])
def test_the_whole_release_is_private_over_all_neighbors(monkeypatch, little):
    """Three values and a void record, at what all costs: a tree and the noisy counts of its cells, or two rounds."""
    monkeypatch.setattr(lines, "FEW_VALUES", 1)
    monkeypatch.setattr(lines, "MOST_FOR_ROUNDS", (little, little))
    monkeypatch.setattr(count_rounds, "STEPS", 3)  # of post-processing, in hundreds of runs
    monkeypatch.setattr(lines, "cells_by_magnitude", lambda tree, starts, below: (starts, below))
    monkeypatch.setattr(lines, "LineCounts", lambda n, domain, starts, below, *_: (starts, below))
    cost = Budget(2)
    sanitizer = LineSanitizer(Thresholds(0, 2, direction="above"), Terms(cost, on_invalid="default"))

    def law(records):
        seen = np.array([value for value in records if value is not None], dtype=np.uint64)
        sample = Sample(seen, np.ones(len(seen), bool), None, len(records))
        return lines.LineSanitizer.law(Wrapped(sanitizer), Opened(sample, len(records)))

    worst = worst_divergence(law, (0, 1, 2, None), 1, cost)
    assert not worst.refuted
    assert worst.share > 0.4


class Wrapped(LineSanitizer):
    """The same sanitizer; its law is that of what it releases."""

    def __init__(self, sanitizer):
        super().__init__(sanitizer.concept_class, sanitizer.terms)


def heaped(n, rng):
    """Amounts in cents, of which six tenths are round."""
    amounts = rng.lognormal(7, 0.5, n)
    steps = rng.choice([1, 1000, 5000], n, p=[0.4, 0.3, 0.3])
    return np.rint(amounts * 100 / steps).astype(np.uint64) * steps.astype(np.uint64)


def test_heaps_become_cells_of_their_own():
    """Records off, of 10⁴ at ε = 1: about 75 in the mean; the tree alone leaves 400 or more."""
    n, H = 10_000, Thresholds(0, 10**7, direction="above")
    values = heaped(n, np.random.default_rng(3))
    sample = Sample(values, np.ones(n, bool), None, n)
    assert LineSanitizer(H, Terms(Budget(1))).run(Opened(sample, n), ask).gap(sample) <= 200


@over(
    ("values", "paid"),
    [
        (np.arange(10**4), [("split tree", "0.16"), ("discrete Laplace", "0.04"), ("disjoint counts", "0.8")]),
        (
            np.repeat([1234, 500_000, 777_777], [400, 5000, 300]),
            [("split tree", "0.16"), ("discrete Laplace", "0.04"), ("atoms", "0.3"), ("disjoint counts", "0.5")],
        ),
        (np.arange(799), [("split tree", "0.25"), ("disjoint counts", "0.75")]),
    ],
)
def test_the_search_for_atoms_is_paid_with_what_counts_would_have(values, paid):
    """If no atom is heavy, counts have it; and among few records, nobody asks. Wrong with probability .03 a try."""
    H = Thresholds(0, 10**7, direction="above")
    for _ in range(4):
        entries = PrivateRelease(H, epsilon=1, certify=0).fit(values).ledger_.entries
        joined = Counter[str]()
        for entry in entries:
            joined[entry.mechanism] += entry.cost.epsilon
        if joined == {name: Fraction(ε) for name, ε in paid}:
            return
    raise AssertionError(joined)


def test_void_records_count_in_no_query():
    H = Thresholds(0, 10**6, direction="above")
    X = [None] * 3000 + [-5] * 1000 + [10**5] * 6000
    clamped = PrivateRelease(H, epsilon=5, on_invalid="clamp").fit(np.array(X, dtype=object))
    assert abs(clamped.answer(H.at(0)) - 0.7) < 0.02
    assert abs(clamped.answer(H.hypothesis(10**5)) - 0.6) < 0.02
    void = PrivateRelease(H, epsilon=5, on_invalid="default").fit(np.array(X, dtype=object))
    assert abs(void.answer(H.at(0)) - 0.6) < 0.02
    assert void.quantile(0.5) == 10**5


@over(
    ("H", "X"),
    [
        (Thresholds(0.0, 1.0, direction="above"), [0.25] * 500 + [0.75] * 500),
        (Thresholds(date(2000, 1, 1), date(2030, 1, 1), direction="above"), [date(2026, 1, 1)] * 1000),
        (Thresholds("a", "zzzz", direction="above"), ["kiwi"] * 500 + ["plum"] * 500),
        (Thresholds(-(2**100), 2**100, direction="above"), [-(2**70)] * 500 + [3] * 500),
        (Thresholds(0, 150, step=0.1, direction="above"), [37.5] * 1000),
        (Thresholds(0, 1, direction="above"), [0, 1] * 500),
        (Thresholds(5, 5, direction="above"), [5] * 100),
    ],
)
def test_lines_of_all_kinds(H, X):
    release = PrivateRelease(H, epsilon=8).fit(X)
    assert release.quantile(0.25) == min(X) and release.quantile(0.9) == max(X)
    assert Release.from_json(release.to_json()) == release.release_
    assert set(release.synthetic(3)) == {"value"}


def test_intervals_and_columns():
    H = Intervals(0, 10**9).on("income")
    X = {"income": np.repeat([10**4, 5 * 10**4, 10**8], [3000, 5000, 2000]), "name": np.arange(10_000)}
    release = PrivateRelease(H, epsilon=4, beta=1e-9).fit(X)
    assert abs(release.answer(H.hypothesis(10**4, 10**5)) - 0.8) < 0.02
    low, high = release.interval(H.hypothesis(5 * 10**4, 5 * 10**4))
    assert low <= 0.5 <= high
    assert list(release.counts()) == ["income from", "income to", "records"]
    ages = Intervals(0, 120)
    small = PrivateRelease(ages, epsilon=4).fit(np.repeat([30, 60], 1000))
    assert len(small.counts()["records"]) == 121
    assert abs(small.answer(ages.hypothesis(20, 40)) - 0.5) < 0.02


@over("n", [1, 2])
def test_the_smallest_samples(n):
    release = PrivateRelease(Thresholds(0, LONG - 1, direction="above"), epsilon=1).fit(np.full(n, 7, np.uint64))
    assert release.guarantee_.measured <= n and release.guarantee_.least <= Fraction(1, 2)


def test_units_and_the_cost():
    H = Thresholds(0, 10**6, direction="above")
    whole = PrivateRelease(H, epsilon=1, max_records=2).fit(np.arange(4000), unit=np.arange(4000) // 2)
    assert whole.privacy_.epsilon <= 1 and not whole.privacy_.delta
    names = [entry.theorem for entry in PrivateRelease(H, epsilon=1).fit(np.arange(4000)).ledger_.entries]
    assert names[0] == SplitTree.theorem and "holding out, Theorem 2" in names


@over("H", [Thresholds(0, 120, direction="above"), Intervals(0, 10**6)])
def test_units_may_have_fewer_records_than_count(H):
    """A unit with one record has four void slots, which lie nowhere on the line."""
    release = PrivateRelease(H, epsilon=50, max_records=5).fit(np.arange(2000) % 100, unit=np.arange(2000))
    assert release.n_records_ == 10_000 and abs(release.release_.answers_.below[-1] - 2000) < 200
    assert release.guarantee_.measured < 500


def test_the_lower_bound_counts_all_of_epsilon():
    """(ln(N − 1) + ln 19)/(2ε) − ½ records, at ε = 1 and not at the share of the answers: 23 of 1000."""
    release = PrivateRelease(Thresholds(0, LONG - 1, direction="above"), epsilon=1).fit(
        np.arange(1000, dtype=np.uint64)
    )
    assert release.guarantee_.least == Fraction(23, 1000)
    exact = LineSanitizer(Thresholds(0, LONG - 1, direction="above"), Terms(Budget(1))).least_gap(1000)
    assert exact == Fraction(23, 1000)
    assert LineSanitizer(Thresholds(0, 0, direction="above"), Terms(Budget(1))).least_gap(1000) is None
    assert LineSanitizer(Thresholds(0, LONG - 1, direction="above"), Terms(Budget("0.001"))).least_gap(
        1000
    ) == Fraction(1, 2)


def test_what_is_refused_names_the_query():
    release = PrivateRelease(Thresholds(0, 999, direction="above"), epsilon=1).fit(np.arange(1000))
    with pytest.raises(ValueError, match=r"concept_class\.hypothesis"):
        release.answer(Intervals(0, 999).hypothesis(3, 5))


@over("record", [0, 7, 2**1022, 2**1023])
def test_an_epsilon_so_large_that_noise_has_no_variance_as_a_float_fails_for_no_record(record):
    answers = (
        PrivateRelease(Thresholds(0, 2**1023, direction="above"), epsilon=5000)
        .fit(np.array([record], dtype=object))
        .release_.answers_
    )
    assert answers.below[-1] == 1


WAYS = [(30, 200, "all values"), (5000, 200, "cut finer in each round"), (10**6, 10**5, "split tree")]


@over(("size", "n", "words"), WAYS)
def test_a_release_says_which_way_it_ran(size, n, words):
    front = PrivateRelease(Thresholds(0, size - 1, direction="above"), epsilon=1)
    assert words in front.preview(n).title
    assert front.fit(np.zeros(n, dtype=int)).release_.sanitizer == front.preview(n).title


def test_a_release_in_steps_says_how_values_were_read():
    stepped = PrivateRelease(Thresholds(0, 200, step=100, direction="above"), epsilon=1).fit([50, 150]).release_
    assert "Values between two multiples of 100 count as the lower one." in release_page(stepped)
    assert "multiples" not in release_page(
        PrivateRelease(Thresholds(0, 200, direction="above"), epsilon=1).fit([50, 150]).release_
    )
