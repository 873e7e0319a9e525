"""Labeled releases of cuts: exact gaps, curves, files, bad input, and labels of every kind."""

from datetime import date
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import privpac as pp
from privpac.classes.lines.rules import Threshold
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.lines.line_tree import DoubledTree, LineTree
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused, RefusedType
from privpac.release.labeled import lines
from privpac.release.labeled.curves import best_within
from privpac.release.labeled.lines import LabeledLineCounts, LabeledLineSanitizer
from privpac.release.labeled.rates import Labeling, Outcomes
from privpac.release.release import Release
from tests.grid import over
from tests.release.labeled.labeled_samples import assert_is_the_labeled_gap, gap_by_definition

RNG = np.random.default_rng(5)
BOTH = ("no", "yes")


def scores(n=10_000, N=1000, rare=0.1):
    y = RNG.random(n) < rare
    return (RNG.beta(2 + 3 * y, 6 - 2 * y) * N).astype(int), y


def front(N=1000, **asked):
    return pp.PrivateRelease(pp.Thresholds(0, N - 1, direction="above"), **{"epsilon": 1} | asked)


def some_counts(N, n, cells, short=0):
    starts = (0, *sorted(RNG.choice(np.arange(1, N), cells - 1, replace=False).tolist()))
    negatives = int(RNG.integers(0, n - short + 1))
    below = [(0, *sorted(RNG.integers(0, m + 1, cells - 1).tolist()), m) for m in (negatives, n - short - negatives)]
    return LabeledLineCounts(n, Line(0, N - 1), BOTH, starts, *below)


def all_rules(counts):
    N = counts.line.size
    return [counts.rule_at(t, above) for t, above in product(range(N + 1), (True, False))]


def test_the_gap_is_the_largest_error_of_all_counts_of_all_cuts():
    for cells, short in ((1, 0), (2, 0), (3, 1)):
        counts = some_counts(3, 2, cells, short)
        universe = [*product(range(3), (0, 1)), None]
        assert_is_the_labeled_gap(counts, Line(0, 2), universe, all_rules(counts), 2)


@over("long", [False, True])
def test_the_gap_of_longer_lines_against_asking_every_cut(long, monkeypatch):
    """Where cuts are not listed, those beside records are enough; wrong labels are then not compared."""
    if long:
        monkeypatch.setattr(lines, "MOST_LISTED", 0)
    for N, n, cells in ((12, 9, 3), (60, 300, 5), (300, 400, 40)):
        counts = some_counts(N, n, cells, short=2)
        values, y = RNG.integers(0, RNG.integers(1, N + 1), n - 2), RNG.random(n - 2) < 0.3
        sample = Sample(values.astype(np.uint64), y, None, n, values)
        assert counts.joint is not long
        assert counts.gap(sample) == gap_by_definition(counts, sample, all_rules(counts))
        grouped = Sample(sample.points, y, np.ones(n - 2, np.int64), n, values)
        assert grouped.counts is not None and counts.gap(grouped) == counts.gap(sample)


@pytest.mark.parametrize("N", [2**21, 2**64, 2**64 + 1, 2**100])
def test_long_lines(N):
    x, y = RNG.integers(0, 1000, 3000), RNG.random(3000) < 0.4
    release = pp.PrivateRelease(pp.Thresholds(0, N - 1, direction="above"), epsilon=1).fit(x, y.astype(int)).release_
    curve, rule = release.curve(), Threshold(500)
    assert not release.answers_.joint and 0 <= curve.auc_low <= curve.auc <= curve.auc_high <= 1
    assert abs(release.error(rule) - ((x >= 500) != y).mean()) <= 2 * release.guarantee.measured / 3000 + 0.01
    assert Release.from_json(release.to_json()) == release
    low, high = release.rates(rule).error_low, release.rates(rule).error_high
    assert high - low <= 4 * release.guarantee.measured / 3000 + 1e-9


def test_every_figure_of_a_rule_and_of_the_curve_agrees():
    x, y = scores()
    release = front(classes=BOTH).fit(x, np.where(y, "yes", "no")).release_
    curve, E, n = release.curve(), release.guarantee.measured, 10_000
    assert len(curve) == 1000 and curve.cut.tolist() == list(range(1000))
    for t in (1, 250, 700, 999):
        rates = release.rates(Threshold(t))
        for name in ("tpr", "fpr", "error"):
            for end in ("", "_low", "_high"):
                assert getattr(rates, name + end) == getattr(curve, name + end)[t]
        assert rates.flagged == curve.flagged[t] == release.answer(Threshold(t))
        assert (rates.flagged_low, rates.flagged_high) == release.interval(Threshold(t))
        opposite = release.rates(Threshold(t, above=False))
        assert opposite.error == pytest.approx(1 - rates.error) and opposite.tpr == pytest.approx(1 - rates.tpr)
        T, F, P, Q = (int(each[0]) for each in release.answers_.outcomes(Threshold(t)))
        low, high = max(T - E, 0), T + E
        assert rates.tpr_low == low / (low + F + E) and rates.tpr_high == high / (high + max(F - E, 0))
        assert (T + F + P + Q, rates.error) == (n, (P + F) / n)
    assert release.error(Threshold(1)) == release.rates(Threshold(1)).error
    assert rates.sensitivity == rates.tpr and rates.specificity == 1 - rates.fpr
    cost, low, high = curve.cost((1, 9))
    best = release.best(weights=(1, 9))
    assert best.cost == pytest.approx(cost.min()) and best.weights == (1, 9)
    i = int(cost.argmin())
    assert (best.cost_low, best.cost_high) == (low[i], high[i])
    assert high[i] - cost[i] == pytest.approx(9 * E / n)


def test_the_curve_is_near_the_true_one_and_within_its_bands():
    """The error curve is off by .005 on average: in one run, by less than .02 for sure."""
    x, y = scores()
    release = front().fit(x, y.astype(int)).release_
    curve = release.curve()
    error = np.array([((x >= t) != y).mean() for t in range(1000)])
    assert np.abs(curve.error - error).max() < 0.02
    wins = (x[y][:, None] > x[~y]).mean() + (x[y][:, None] == x[~y]).mean() / 2
    assert abs(curve.auc - wins) < 0.05
    if release.answers_.gap(Sample(x.astype(np.uint64), y, None, len(x))) <= release.guarantee.measured:
        assert curve.auc_low <= wins <= curve.auc_high
        assert ((curve.error_low <= error + 1e-12) & (error <= curve.error_high + 1e-12)).all()


def test_the_area_is_that_of_pairs_of_records():
    """Exact counts: the trapezoid rule counts ties half."""
    x, y = np.array([1, 1, 2, 3, 3, 5]), np.array([0, 1, 0, 1, 0, 1], bool)
    release = front(N=8, epsilon=10**6).fit(x, y.astype(int)).release_
    assert release.curve().auc == pytest.approx(np.mean([(a > b) + (a == b) / 2 for a in x[y] for b in x[~y]]))
    below = pp.PrivateRelease(pp.Thresholds(0, 7, direction="below"), epsilon=10**6).fit(x, y.astype(int)).release_
    assert below.curve().auc == pytest.approx(1 - release.curve().auc) and not below.curve().above


def test_either_direction_and_the_better_curve():
    x, y = scores()
    either = pp.Thresholds(0, 999, direction="either")
    release = pp.PrivateRelease(either, epsilon=1).fit(x, (~y).astype(int)).release_
    assert not release.curve().above and release.curve().auc > 0.8
    assert release.curve(above=True).auc == pytest.approx(1 - release.curve().auc)
    assert str(release.best(sensitivity=0.8).rule).startswith("x <")
    with pytest.raises(Refused, match="leave out above"):
        front().fit(x, y.astype(int)).curve(above=False)


def test_the_best_rule_by_each_criterion():
    x, y = scores(rare=0.3)
    release = front().fit(x, y.astype(int)).release_
    curve = release.curve()
    assert release.best().error <= curve.error.min() and release.best().cost is None
    sensitive = release.best(sensitivity=0.8)
    assert sensitive.tpr >= 0.8 and sensitive.fpr == curve.fpr[curve.tpr >= 0.8].min()
    specific = release.best(specificity="0.9")
    assert specific.fpr <= 0.1 and specific.tpr == curve.tpr[curve.fpr <= 0.1].max()
    few = release.best(flagged_at_most=0.15)
    assert few.flagged <= 0.15 and few.tpr == curve.tpr[curve.flagged <= 0.15].max()
    sure = release.best(sensitivity=0.8, certain=True)
    assert sure.tpr_low >= 0.8 and sure.fpr >= sensitive.fpr
    assert release.best(weights=(1, 1)).error == release.best().error
    assert (
        release.best(weights={0: 1, 1: 9}) == release.best(weights=(0.5, 4.5)) == release.best(weights=np.array([1, 9]))
    )
    assert curve.cost({0: 1, 1: 9})[0].tolist() == curve.cost((1, 9))[0].tolist()
    assert str(release.best(flagged_at_most=0).rule) in {"never", *map(str, (Threshold(t) for t in range(1000)))}
    for rates in (sensitive, sure, release.best(weights=(1, 9))):
        assert "these 10,000 records, not for new ones" in str(rates)
    assert "these 10,000 records, not for new ones" in str(curve)


def test_a_rule_that_just_keeps_the_condition_counts():
    """1 − .9 as a float is less than .1: 90 of 100 negative records left alone are 90 %."""
    every = Outcomes(*np.array([[10, 9], [0, 1], [10, 0], [90, 100]]))
    labeling = Labeling(110, "records", (0, 1), None, None, False)
    assert best_within(every, labeling, "specificity", 0.9, certain=False) == 0
    assert best_within(every, labeling, "specificity", 0.91, certain=False) == 1
    assert best_within(every, labeling, "sensitivity", 0.9, certain=False) == 1
    assert best_within(every, labeling, "flagged_at_most", 9 / 110, certain=False) == 1


@over(
    "asked",
    [
        *(
            {"weights": each}
            for each in ((0, 1), (1, -9), (1, 10_001), (1,), (1, 2, 3), "ab", 5, {}, (), {0: 1}, {0: 1, 2: 3})
        ),
        *({"weights": (float("nan"), 1)}, {"sensitivity": 1.5}, {"sensitivity": "much"}, {"flagged_at_most": -0.1}),
        *({"weights": (1, 9), "sensitivity": 0.8}, {"sensitivity": 0.8, "specificity": 0.9}),
    ],
)
def test_criteria_that_are_refused(asked):
    release = front(N=10).fit([1, 2, 3, 4], [0, 0, 1, 1])
    with pytest.raises((Refused, RefusedType)) as refusal:
        release.best(**asked)
    assert refusal.value.parameter in asked


def test_rules_outside_the_class_and_releases_without_labels():
    labeled, bare = front(N=10).fit([1, 2, 3, 4], [0, 0, 1, 1]), front(N=10).fit([1, 2, 3, 4])
    for rule in (Threshold(2.5), Threshold(10), pp.Intervals(0, 9).hypothesis(2, 3), pp.Points().hypothesis(3)):
        with pytest.raises(Refused, match="hypothesis") as refusal:
            labeled.error(rule)
        assert refusal.value.parameter == "rule"
    with pytest.raises(RefusedType, match="hypothesis"):
        labeled.rates(37)
    for ask in (lambda: bare.error(Threshold(3)), lambda: bare.rates(Threshold(3)), bare.curve, bare.best):
        with pytest.raises(Refused, match=r"fit\(X, y\)"):
            ask()


@over("queries", [pp.Points(), pp.StartsWith(height=3), pp.Intervals(0, 2**20), pp.Rectangles(0, 2**10, 2)])
def test_classes_without_labeled_releases(queries):
    budget = pp.Budget(1, 1e-6)
    with pytest.raises(Refused, match="Thresholds") as refusal:
        pp.PrivateRelease(queries, epsilon=1, delta=1e-6, budget=budget).fit([1, 2], [0, 1])
    assert refusal.value.parameter == "concept_class"


@pytest.mark.slow
@over("n", [1, 2, 3])
@over("labels", ["one", "both"])
def test_few_records_and_one_label(n, labels):
    """Nothing depends on which labels occur: no refusal, and every figure is a number."""
    for _ in range(30):
        y = np.zeros(n, int) if labels == "one" else np.arange(n) % 2
        release = front(N=5, certify=RNG.choice([0, 0.1])).fit(np.zeros(n, int), y).release_
        figures = [release.best(sensitivity=0.8), release.best(weights=(1, 9)), release.rates(Threshold(3))]
        assert all(0 <= each.tpr <= 1 and 0 <= each.fpr <= 1 and 0 <= each.error <= 1 for each in figures)
        assert 0 <= release.curve().auc <= 1 and str(release.curve()) and release.counts() and release.synthetic(2)
        assert Release.from_json(release.to_json()) == release


def test_no_records_and_bad_labels():
    with pytest.raises(Refused, match="no records"):
        front().fit(np.zeros(0, int), np.zeros(0, int))
    for y in ([0, 1, 2], [0, 1, None], [0.0, 1.0, float("nan")], ["0", "1", "1"]):
        with pytest.raises(Refused):
            front(N=10, budget=Budget(1)).fit([1, 2, 3], y)
        release = front(N=10, on_invalid="default", epsilon=10**5).fit([1, 2, 3], y).release_
        assert release.n == 3 and sum(release.answers_._totals) == (0 if isinstance(y[0], str) else 2)
    with pytest.raises(Refused, match="differ in length"):
        front(N=10).fit([1, 2, 3], [0, 1])
    for classes in (None, (1,), (1, 1), "no", ("a", "b", "c")):
        with pytest.raises(Refused) as refusal:
            front(N=10, classes=classes).fit([1, 2, 3], [0, 1, 1])
        assert refusal.value.parameter == "classes"


def test_nothing_is_spent_by_a_refusal(tmp_path):
    account = pp.BudgetStore(f"sqlite:///{tmp_path}/b.db").account("clinic", Budget(2))
    for y in ([0, 1, 2], [0, 1]):
        with pytest.raises(Refused):
            front(N=10, budget=account).fit([1, 2, 3], y)
    assert account.spent == Budget(0)
    front(N=10, budget=account).fit([1, 2, 3], [0, 1, 1])
    assert account.spent == Budget(1)
    once = [front(N=10, budget=account.once("k")).fit([1, 2, 3], [0, 1, 1]).release_ for _ in range(2)]
    assert once[0] == once[1] and account.spent == Budget(2)
    with pytest.raises(ValueError, match="k"):
        front(N=10, budget=account.once("k")).fit([1, 2, 3])  # another question under the same key


def test_labels_in_a_column_a_table_and_a_file(tmp_path):
    x, y = scores(2000)
    words = np.where(y, "yes", "no")
    table = pd.DataFrame({"score": x, "outcome": words})
    table.to_csv(tmp_path / "scores.csv", index=False)
    ways = [
        pp.PrivateRelease(pp.Thresholds(0, 999, direction="above"), classes=BOTH, feature="score").fit(
            table, "outcome"
        ),
        pp.PrivateRelease(pp.Thresholds(0, 999, direction="above"), classes=BOTH).fit(table, "outcome"),
        pp.PrivateRelease(pp.Thresholds(0, 999, direction="above"), classes=BOTH).fit(
            table[["score"]], table["outcome"]
        ),
        pp.PrivateRelease(pp.Thresholds(0, 999, direction="above").on("score"), classes=BOTH).fit(table, "outcome"),
        pp.PrivateRelease(pp.Thresholds(0, 999, direction="above"), classes=BOTH, feature="score").fit(
            pp.open_table(str(tmp_path / "scores.csv")), "outcome"
        ),
    ]
    rule = Threshold(400)
    for each in ways:
        asked = (
            rule
            if not each.concept_class.domain.column_names
            else pp.Thresholds(0, 999, direction="above").on("score").hypothesis(400)
        )
        assert abs(each.error(asked) - ((x >= 400) != y).mean()) < 0.1
        each.save(tmp_path / "release.json")
        loaded = pp.load(tmp_path / "release.json")
        assert loaded == each.release_ and loaded.best() == each.best() and loaded.labels == BOTH
    assert "score ≥" in str(ways[0].best(sensitivity=0.8)) and "score ≥" in str(ways[3].best(sensitivity=0.8))
    assert list(ways[0].counts()) == ["score from", "score to", "outcome", "records"]
    assert list(ways[0].synthetic(5)) == ["score", "outcome"] and set(ways[0].synthetic(50)["outcome"]) <= set(BOTH)


def test_dates_decimals_and_units():
    days = [date(2026, 1, 1 + i % 28) for i in range(2000)]
    late = [int(day.day > 14) for day in days]
    H = pp.Thresholds(date(2026, 1, 1), date(2026, 1, 28), direction="above")
    release = pp.PrivateRelease(H, epsilon=1).fit(days, late).release_
    assert release.error(H.hypothesis(date(2026, 1, 15))) < 0.1
    assert release.best().rule == H.hypothesis(date(2026, 1, 15))
    steps = (
        pp.PrivateRelease(pp.Thresholds(0, 1, step=0.01, direction="above"), epsilon=1)
        .fit(RNG.random(2000), late)
        .release_
    )
    assert str(steps.best(sensitivity=0.5).rule)[:4] in ("x ≥ ", "alwa")
    table = {"x": [1, 5] * 1000, "who": np.arange(2000) // 2, "y": [0, 1] * 1000}
    per = (
        pp.PrivateRelease(pp.Thresholds(0, 9, direction="above"), feature="x", max_records=3)
        .fit(table, "y", unit="who")
        .release_
    )
    assert per.n == 3000 and "these 3,000 places" in str(per.best())
    assert sum(per.answers_._totals) <= 3000


def test_without_a_certificate_there_are_no_bands():
    release = front(N=10, certify=0).fit([1, 2, 3, 4] * 20, [0, 0, 1, 1] * 20).release_
    assert release.rates(Threshold(3)).tpr_low is None and release.curve().auc_low is None
    assert "not measured" in str(release.best())
    with pytest.raises(Refused, match="certify"):
        release.best(sensitivity=0.8, certain=True)


def test_answers_that_contradict_themselves_are_not_read():
    good = ((0, 5), (0, 60, 70), (0, 10, 30))
    LabeledLineCounts(100, Line(0, 9), BOTH, *good)
    for classes, starts, negatives, positives in (
        (("no",), *good), (("no", "no"), *good), (BOTH, (0, 5), (0, 60, 80), (0, 10, 30)),
        (BOTH, (0, 5), (0, 60, 50), (0, 10, 30)), (BOTH, (1, 5), *good[1:]), (BOTH, (0,), *good[1:]),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            LabeledLineCounts(100, Line(0, 9), classes, starts, negatives, positives)


def test_the_doubled_tree_has_two_copies_and_a_cut_between():
    for half in (LineTree(1), LineTree(8), LineTree(16, 5), LineTree(2**64), LineTree(2**63 + 9, 7)):
        tree, N = DoubledTree.of_two(half), half.size
        low, high = tree.numbers([0]), tree.numbers([2 * N - 1])
        assert tree.cuts(low, high).tolist() == [N]
        if N > 1:
            cut = half.cuts(half.numbers([0]), half.numbers([N - 1])).tolist()[0]
            both = tree.cuts(tree.numbers([0, N]), tree.numbers([N - 1, 2 * N - 1])).tolist()
            assert both == [cut, N + cut]


@pytest.mark.audit
def test_prevalence_is_not_moved_toward_a_half():
    """Even records with few positive ones: the number of positive ones is answered within its noise."""
    x, y = RNG.integers(0, 10**6, 2000), np.arange(2000) < 100
    H = pp.Thresholds(0, 10**6 - 1, direction="above")
    ones = [pp.PrivateRelease(H, epsilon=1).fit(x, y.astype(int)).release_.answers_._totals[1] for _ in range(20)]
    assert 60 < np.mean(ones) < 140


@over("n", [50, 200, 2000])
def test_void_records_count_in_n_only(n):
    x = np.where(np.arange(n) % 4 == 0, 5000.0, np.arange(n) % 1000)
    release = front(on_invalid="default", epsilon=10**4).fit(x, np.arange(n) % 2).release_
    assert release.n == n and abs(sum(release.answers_._totals) - np.isin(x, range(1000)).sum()) <= 2


def test_previews_and_algorithms_know_of_labels():
    ahead = front().preview(5000, labeled=True)
    assert ahead.sanitizer == "LabeledLineSanitizer" and ahead.cost == Budget(1)
    assert front().preview(5000).sanitizer == "LineSanitizer"
    with pytest.raises(Refused, match="method"):
        front(method="LineSanitizer").fit([1, 2], [0, 1])
    found = front(method="LabeledLineSanitizer").fit([1, 2], [0, 1])
    assert isinstance(found.algorithm(2, labeled=True).sanitizer, LabeledLineSanitizer)


def test_synthetic_records_follow_the_counts():
    counts = LabeledLineCounts(100, Line(0, 9), BOTH, (0, 5), (0, 60, 70), (0, 10, 30))
    rows = counts.rows(1000, SYSTEM)
    assert 150 < sum(label == "yes" for label in rows["label"]) < 450
    assert counts.quantile(Fraction(1, 2)) == 3


@over("N", [1000, 2**40, 2**100])
@over("on_invalid", ["raise", "default"])
def test_few_records_on_longer_lines_are_counted_in_rounds(N, on_invalid):
    for n in (1, 100, 220):
        x, y = RNG.integers(0, 1000, n), (RNG.random(n) < 0.2).astype(int)
        release = (
            pp.PrivateRelease(pp.Thresholds(0, N - 1, direction="above"), epsilon=1, on_invalid=on_invalid)
            .fit(x, y)
            .release_
        )
        assert "in each round" in release.sanitizer and sum(release.answers_._totals) <= n
        assert on_invalid == "default" or sum(release.answers_._totals) == n
        assert Release.from_json(release.to_json()).best() == release.best()
