"""Intervals of ratios: noise exceeds its bound as often as stated; sums of groups are centered."""

from fractions import Fraction

import numpy as np

from privpac.classes.compositions.compose import And
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.release.lines.answers import LineCounts
from privpac.release.summaries.answers import GroupSummaries, centered_sums
from privpac.release.summaries.intervals import RatioNoise, _nodes, _tail
from privpac.release.summaries.sanitizer import MeanSanitizer
from privpac.requests.conditions import Terms


def test_noise_of_a_ratio_exceeds_its_bound_as_often_as_stated():
    for sum_rate, count_rate, a in ((Fraction(1, 100), Fraction(1, 4), 30.0), (Fraction(1, 20), Fraction(2), 3.0)):
        noise = RatioNoise(sum_rate, count_rate, 0.02, 60)
        (q,) = noise.bound(np.array([a]))
        s, r = float(sum_rate), float(count_rate)
        z = np.arange(-40_000, 40_001)
        Zs, Zn = np.exp(-s * np.abs(z)) * np.tanh(s / 2), np.exp(-r * np.abs(z[39_000:41_001])) * np.tanh(r / 2)
        listed = zip(z[39_000:41_001].tolist(), Zn.tolist(), strict=True)
        tail = sum(p * Zs[np.abs(z - a * w) > q].sum() for w, p in listed if p > 1e-16)
        assert 0.018 < tail <= 0.02


def test_between_two_nodes_no_ratio_exceeds_the_bound_more_often():
    """Noise is whole, so q jumps: numbers interpolated between nodes would fail up to 1.09 times as often."""
    for ε, most in ((3, 2), (10, 1), (10, 10), (30, 10)):
        r, s, β = ε * 0.15, ε * 0.15 / most, 0.004
        nodes, q = _nodes(RatioNoise(Fraction(s), Fraction(r), β, most))
        z = np.arange(-int(60 / r) - 2, int(60 / r) + 3)
        for a in [most * i / 30 for i in range(31)]:
            bound = q[np.searchsorted(nodes[1:-1], a, side="right")]
            tails = _tail(s, np.floor(bound + a * z) + 1)
            assert 2 * (np.exp(-r * np.abs(z)) * np.tanh(r / 2) * tails).sum() <= β


def test_small_rates_are_nearly_continuous():
    near = [RatioNoise(Fraction(1, 10**4), Fraction(1, d), 0.05, 60).bound(np.array([20.0]))[0] for d in (100, 105)]
    assert near[0] < near[1] < 1.02 * near[0]


def test_one_record_changes_all_sums_by_the_width_at_most():
    """In half steps: 2·(N − 1), whichever group and value it leaves and enters."""
    stays = And(Points().on("ward", values=("A", "B")), Thresholds(0, 9).on("stay"))
    rows = [(g, j) for g in (0, 1) for j in (0, 4, 9)]
    one = {row: np.array(centered_sums(_sample([row]), stays.domain)[1]) for row in rows}
    assert max(np.abs(one[a] - one[b]).sum() for a in rows for b in rows) == 18


def _sample(rows):
    return Sample(np.array(rows), np.ones(len(rows), dtype=bool), None, len(rows))


def _summaries(line, numbers, sums, rate=Fraction(1, 10), n=100):
    groups = tuple(map(str, range(len(numbers))))
    domain = Columns(("ward", "stay"), (Listing(groups), line))
    return GroupSummaries(n, domain, numbers, sums, rate, rate, Fraction(1, 20))


def test_whatever_the_noise_is_values_lie_in_their_intervals_and_these_in_what_is_declared():
    numbers = (-500, -9, 0, 1, 60, 100, 900)
    for line, least, most in ((Line(0, 9), 0, 9), (Line(5, 5), 5, 5), (Line(0.05, 1, step=0.3), 0, 0.9)):
        for total in (-9000, 0, 9000):
            for each in _summaries(line, numbers, (total,) * len(numbers)).summaries():
                for estimate in each[1:4]:
                    assert estimate.low <= estimate.value <= estimate.high
                assert 0 <= each.records.low <= each.records.high <= 100
                assert least <= each.mean.low <= each.mean.high <= most
                assert 0 <= each.sum.low <= each.sum.high <= most * 100


def test_a_column_at_its_bound_has_its_mean_in_the_interval():
    """0.9 is no float: the end of the interval is the float that is nearest to it, not one below it."""
    (each,) = _summaries(Line(0, 1, step=0.3), (100,), (300,), rate=Fraction(90)).summaries()
    assert each.mean.high == 0.9


def test_a_group_with_the_name_of_a_number_keeps_its_column():
    domain = Columns(("mean low", "stay"), (Listing(("A",)), Line(0, 9)))
    table = GroupSummaries(9, domain, (9,), (0,), Fraction(1), Fraction(1), Fraction(1, 20)).counts()
    assert table["mean low (column)"] == ["A"]
    assert table["mean low"] != ["A"]


def test_quartiles_of_few_records_are_values_that_records_have():
    domain = Columns(("ward", "stay"), (Listing(("A", "B")), Line(0, 9)))
    values = LineCounts(2, Line(0, 19), (0, 5, 6, 17, 18), (0, 0, 1, 1, 2, 2), True)
    found = GroupSummaries(2, domain, (1, 1), (0, 0), Fraction(1), Fraction(1), Fraction(1, 20), values).summaries(0)
    assert [[quartile.value for quartile in each.quartiles] for each in found] == [[5] * 3, [7] * 3]


def test_large_epsilon_tells_the_true_means():
    stays = And(Points().on("ward", values=("A", "B")), Thresholds(0, 9).on("stay"))
    sample = _sample([(0, 3), (0, 4), (1, 9)])
    found = MeanSanitizer(stays, Terms(Budget(10**4))).run(
        Opened(sample, 3), lambda mechanism, data: mechanism.release(mechanism.check(data), SYSTEM)
    )
    assert [each.mean.value for each in found.summaries()] == [3.5, 9.0]
