"""Marginals: sensitivity over all pairs of records, exact δ, gaps, whole releases, hostile input, miss rates."""

from itertools import product
from operator import attrgetter

import numpy as np
import pytest
from scipy.stats import binom

import privpac as pp
from privpac.audit.claims.case import Case
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tables.marginals import Marginals
from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.refusals.refusal import Refused
from privpac.release import Release
from privpac.release.postprocessing.consistency import consistent_effects
from privpac.release.tables import marginals as module
from privpac.release.tables.marginals import MarginalAnswers, MarginalSanitizer, TableShape, fitted_tables, table_counts
from privpac.requests.conditions import Terms
from tests.grid import over
from tests.release.samples import Whole, asked, assert_is_the_gap, sample_of

JOB = pp.Points().on("job", values=("clerk", "nurse"))
AGE = pp.Thresholds(0, 9, direction="above").on("age", values=(3, 7))
LATE = pp.Points().on("late", values=(False, True))
ROWS = list(product(("clerk", "nurse"), (0, 3, 9), (False, True)))
BITS = Marginals(*(pp.Points().on(f"b{i}", values=(0, 1)) for i in range(6)), order=3)
GAUSSIAN = Budget(1, 1e-6)


def table_of(rows, names=("job", "age", "late")):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@over("order", (1, 2, 3))
def test_the_sensitivity_is_the_largest_change_over_all_pairs_of_records(order):
    marginals = Marginals(JOB, AGE, LATE, order=order)
    counts = [table_counts(sample_of(marginals.domain, [row]), marginals.cells, marginals.tables) for row in ROWS]
    counts.append(np.zeros_like(counts[0]))  # a void record
    changes = [np.abs(x - y) for x, y in product(counts, repeat=2)]
    for cost in (Budget(1), GAUSSIAN):
        noise = MarginalSanitizer(marginals, Terms(cost)).noise
        said = noise.squared_sensitivity if isinstance(noise, GaussianCounts) else noise.sensitivity
        assert said == max(each.sum() for each in changes) == max((each**2).sum() for each in changes)
    assert said == 2 * len(marginals.tables)


def exact_delta(variance, changed, epsilon):
    """δ at ε of discrete Gaussian noise on counts of which ``changed`` change by 1: the privacy loss depends on the sum
    of the noise of these counts only."""
    reach = int(12 * float(variance) ** 0.5) + 2
    one = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * float(variance)))
    one /= one.sum()
    law = np.ones(1)
    for _ in range(changed):
        law = np.convolve(law, one)
    S = np.arange(len(law)) - (len(law) - 1) / 2
    loss = (2 * S + changed) / (2 * float(variance))
    return float((law * np.maximum(0, 1 - np.exp(epsilon - loss))).sum())


def test_the_gaussian_noise_stays_within_delta_and_half_the_sensitivity_does_not():
    sanitizer = MarginalSanitizer(BITS, Terms(GAUSSIAN))
    assert sanitizer.noise == GaussianCounts(GAUSSIAN, 40)
    everywhere = 40  # records that differ in all columns
    assert 0.9e-6 < exact_delta(sanitizer.noise.variance, everywhere, 1) <= 1e-6
    twin = GaussianCounts(GAUSSIAN, 20)  # every record counted in one cell of each table
    assert exact_delta(twin.variance, everywhere, 1) > 50 * 1e-6


def test_without_delta_and_for_few_tables_noise_is_laplace():
    assert MarginalSanitizer(BITS, Terms(Budget(1))).noise == DiscreteLaplaces(Budget(1), 40)
    few = MarginalSanitizer(Marginals(JOB, AGE, order=2), Terms(GAUSSIAN))
    assert few.noise == DiscreteLaplaces(Budget(1), 2)
    assert few.cost == Budget(1)


def test_the_gap_is_the_largest_error_and_changes_by_one():
    marginals = Marginals(JOB, LATE, order=2)
    answers = MarginalAnswers(3, marginals.cells, 2, ((2,), (1, 2), (0, 3), (1, 0, 0, 2)))
    queries = [marginals.at(T, cells) for T in marginals.choices for cells in product(*(range(2) for _ in T))]
    rows = [*product(("clerk", "nurse"), (False, True)), None]
    assert_is_the_gap(answers, marginals.domain, rows, queries, 2)


@pytest.mark.audit
@pytest.mark.parametrize("on_invalid", ["raise", "default"])
def test_whole_releases_hold_for_all_neighbors(on_invalid):
    one = Marginals(JOB, order=1)
    sanitizer = MarginalSanitizer(one, Terms(Budget(1), on_invalid=on_invalid))
    universe = [("clerk",), ("nurse",), *([None] if on_invalid == "default" else [])]

    case = Case(Whole(sanitizer, attrgetter("tables")), tuple, "one column", universe, 2, Budget(1))
    assert not case.exact().refuted
    assert case.overspent(4).exact().refuted


def test_answers_are_exact_without_noise_whichever_way_they_are_fitted(monkeypatch):
    marginals, rng = Marginals(JOB, AGE, LATE, order=2), np.random.default_rng(0)
    rows = [ROWS[i] for i in rng.integers(0, len(ROWS), 500)]
    sample = sample_of(marginals.domain, rows)
    for listed in (module.LISTED, 0):
        monkeypatch.setattr(module, "LISTED", listed)
        release = pp.PrivateRelease(marginals, epsilon=10**5).fit(table_of(rows))
        assert release.release_.answers_.gap(sample) == 0
        for T in marginals.choices:
            for cells in product(*(range(marginals.shape[i]) for i in T)):
                query = marginals.at(T, cells)
                assert release.answer(query) == query(table_of(rows)).mean()


def chain(n, seed, width=6):
    rng = np.random.default_rng(seed)
    X = np.zeros((n, width), dtype=int)
    X[:, 0] = rng.random(n) < 0.4
    for j in range(1, width):
        X[:, j] = np.where(rng.random(n) < 0.7, X[:, j - 1], rng.random(n) < 0.3)
    return {f"b{i}": X[:, i] for i in range(width)}


def test_fitting_makes_answers_better_than_noise_does():
    """The largest of 160 draws of the noise is about 90 records; fitted answers are off by less than half of it."""
    X = chain(2000, 1)
    release = pp.PrivateRelease(BITS, epsilon=1, delta=1e-6).fit(X)
    sample = sample_of(BITS.domain, list(zip(*X.values(), strict=True)))
    assert release.release_.answers_.gap(sample) < 90


def test_combinations_that_a_tree_makes_likely_are_fitted_where_not_all_are_listed(monkeypatch):
    """Without noise, weights of 100 rows come within 2 % of the tables; the independent start is off by 10 %."""
    marginals, X = Marginals(*BITS.parts, order=2), chain(4000, 3)
    monkeypatch.setattr(module, "LISTED", 100 * len(marginals.tables) - 1)
    whole = np.array(list(X.values())).T
    tables = {S: np.zeros((2, 2)) for S in marginals.tables}
    for (i, j), table in tables.items():
        np.add.at(table, (whole[:, i], whole[:, j]), 1)
    effects = consistent_effects(tables, marginals.shape, 4000)
    found = fitted_tables(effects, TableShape(marginals.shape, marginals.tables, marginals.order), 40.0**2, 4000.0)
    true = np.concatenate([table.ravel() for table in tables.values()])
    alone = np.concatenate([np.outer(t.sum(axis=1), t.sum(axis=0)).ravel() / 4000 for t in tables.values()])
    assert np.abs(found - true).max() < 80 < 400 < np.abs(alone - true).max()


@pytest.mark.audit
def test_certificates_miss_no_more_often_than_beta():
    """400 runs at β = 1/5; a true rate of β fails with probability below 1e-6, one of 2β passes with less than 1e-4."""
    runs, X = 400, chain(50, 2, 2)
    marginals = Marginals(*BITS.parts[:2], order=2)
    sample = sample_of(marginals.domain, list(zip(*X.values(), strict=True)))
    algorithm = pp.PrivateRelease(marginals, epsilon=4, beta=0.2, certify=0.5).algorithm(sample.size)
    missed = 0
    for _ in range(runs):
        answers, bound = algorithm.run(Opened(sample, sample.size), asked)
        missed += answers.gap(sample) > bound
    most = int(binom.isf(1e-6, runs, 0.2))
    assert binom.cdf(most, runs, 0.4) < 1e-4
    assert missed <= most


def test_json_brings_everything_back():
    marginals = Marginals(JOB, AGE, LATE, order=2)
    release = pp.PrivateRelease(marginals, epsilon=1).fit(table_of(ROWS * 20)).release_
    again = Release.from_json(release.to_json())
    assert again == release
    query = Hypothesis.from_json(marginals.hypothesis({"age": 4, "late": True}).to_json())
    assert again.answer(query) == release.answer(query)
    frame = release.counts()
    assert list(frame) == ["job", "age", "late", "records"]
    assert len(frame["records"]) == marginals.size and frame["records"][0] == 240
    assert set(frame["age"]) == {None, "0 ≤ age ≤ 2", "3 ≤ age ≤ 6", "7 ≤ age ≤ 9"}
    with pytest.raises(Refused, match="not one of the class"):
        release.answer(pp.Thresholds(0, 9, direction="above").on("age").hypothesis(4))


HOSTILE = {
    "a missing number": {"job": "nurse", "age": float("nan"), "late": True},
    "a missing category": {"job": None, "age": 3, "late": True},
    "an unseen category": {"job": "cook", "age": 3, "late": True},
    "text for a number": {"job": "nurse", "age": "old", "late": True},
    "another type": {"job": object, "age": 3, "late": 7},
}


@pytest.mark.parametrize("row", HOSTILE)
def test_records_that_do_not_fit_are_refused_or_void(row):
    marginals = Marginals(JOB, AGE, LATE, order=2)
    good = [dict(zip(("job", "age", "late"), each, strict=True)) for each in ROWS * 10]
    account = pp.Ledger(Budget(9))
    with pytest.raises((TypeError, ValueError)) as refused:
        pp.PrivateRelease(marginals, epsilon=1, budget=account).fit([*good, HOSTILE[row]])
    assert "cook" not in str(refused.value) and account.spent == Budget(0)
    for on_invalid in ("clamp", "default"):
        release = pp.PrivateRelease(marginals, epsilon=10**4, on_invalid=on_invalid).fit([*good, HOSTILE[row]])
        assert release.n_records_ == 121
        assert release.release_.answers_.count(marginals.hypothesis({})) == 120
        assert release.release_.answers_.count(marginals.hypothesis({"job": "clerk"})) == 60


def test_values_beyond_a_line_are_clamped():
    release = pp.PrivateRelease(Marginals(AGE, order=1), epsilon=10**4, on_invalid="clamp").fit({"age": [99, -5, 4]})
    assert release.counts()["records"] == [3, 1, 1, 1]


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_few_records_and_constant_ones(delta):
    marginals = Marginals(JOB, AGE, LATE, order=2)
    with pytest.raises(ValueError, match="no records"):
        pp.PrivateRelease(marginals, epsilon=1, delta=delta).fit({"job": [], "age": [], "late": []})
    for rows in (ROWS[:1], ROWS[:1] * 1000):
        release = pp.PrivateRelease(marginals, epsilon=1, delta=delta).fit(table_of(rows))
        assert all(0 <= each <= len(rows) for each in release.counts()["records"])
        assert release.release_.answers_.count(marginals.hypothesis({})) == len(rows)
    low, high = release.interval(marginals.hypothesis({"job": "clerk"}))
    assert 0 <= low <= high <= 1


def test_units_with_fewer_records_than_allowed():
    marginals = Marginals(JOB, order=1)
    X = {"job": ["clerk"] * 30 + ["nurse"] * 10, "who": [i // 3 for i in range(40)]}
    release = pp.PrivateRelease(marginals, epsilon=10**5, max_records=2).fit(X, unit="who")
    assert release.n_records_ == 28  # two slots each of 14 units; the last has one record only
    counts = release.counts()["records"]
    assert counts[0] == sum(counts[1:]) == 27


def test_parameters_that_are_refused():
    with pytest.raises(ValueError, match="combination"):
        MarginalAnswers(3, Marginals(JOB, order=1).cells, 1, ((3,), (1, 1, 1)))


@over(("order", "tables"), [(10**30, ((3,), (1, 2))), (-1, ()), (0, ((10**30,),)), (1, ((3,), (-1, 4)))])
def test_files_with_foreign_numbers_are_refused(order, tables):
    cells = Marginals(pp.Points().on("a", values=(0, 1)), order=1).cells
    with pytest.raises(ValueError, match=r"must not exceed the number|between 0 and n"):
        MarginalAnswers(3, cells, order, tables)


def test_columns_of_one_value_may_be_more_than_an_array_has_axes():
    """They add no combinations, so all combinations are listed."""
    names = [f"a{i}" for i in range(70)]
    parts = *(pp.Points().on(name, values=("x",)) for name in names), pp.Thresholds(0, 1).on("b")
    marginals = Marginals(*parts, order=1)
    X = {name: ["x"] * 300 for name in names} | {"b": [0, 1, 1] * 100}
    release = pp.PrivateRelease(marginals, epsilon=50).fit(X)
    assert abs(release.answer(marginals.hypothesis({"b": 1})) - 2 / 3) < 0.05
    assert release.answer(marginals.hypothesis({"a69": "x"})) == 1
