"""What every learner does around its own lines: checks first, charges what ran, certifies what is proved."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pytest

import privpac as pp
from privpac.learners import LEARNERS, Learner, PrivateClassifier, Terms, choice
from privpac.learners.choice import ranking
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.mechanisms import discrete_laplace
from privpac.privacy.ledger import MemoryAccount
from tests.grid import over

AGES = pp.Thresholds(0, 120, direction="above")
X = np.repeat(np.arange(60), 20).reshape(-1, 1)
Y = (X[:, 0] >= 30).astype(int)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (X, Y[:-1], "differ in length"),
        (X, np.where(Y, 2, 0), "Unknown label type"),
        (X + 100, Y, "lie outside low … high"),
        (X[:0], Y[:0], "minimum of 1"),
        (X, None, "requires y to be passed"),
    ],
)
def test_records_that_do_not_fit_are_refused_before_anything_is_spent(x, y, words):
    account = MemoryAccount(pp.Budget(5, 1e-3))
    with pytest.raises(ValueError, match=words):
        PrivateClassifier(AGES, budget=account, method="ThresholdLearner").fit(x, y)
    assert account.spent == pp.Budget(0)


@pytest.mark.parametrize("report_error", [False, True])
@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
def test_what_a_fit_spent_is_the_sum_of_what_ran_and_no_more_than_declared(regime, report_error):
    ledger = pp.Ledger(pp.Budget(3, 1e-5))
    clf = PrivateClassifier(
        AGES, epsilon=1, delta=1e-6, regime=regime, report_error=report_error, budget=ledger, method="ThresholdLearner"
    ).fit(X, Y)
    assert clf.privacy_ == ledger.spent == sum((entry.cost for entry in clf.ledger_.entries), pp.Budget(0))
    assert clf.privacy_ == pp.Budget(1, 1e-6) == clf.guarantee_.privacy
    assert (clf.error_ is not None) is report_error
    again = clf.fit(X, Y)
    assert again.privacy_ == pp.Budget(1, 1e-6) and ledger.spent == pp.Budget(2, 2e-6)


def test_a_fit_reports_what_it_spent_itself(monkeypatch):
    ledger = pp.Ledger(pp.Budget(3, 1e-5))

    class Meanwhile(ThresholdLearner):
        """While it learns, something else is charged to the same ledger."""

        def run(self, records, ask):
            discrete_laplace(0, epsilon=1, budget=ledger)
            return super().run(records, ask)

    monkeypatch.setattr(choice, "LEARNERS", (Meanwhile,))
    clf = PrivateClassifier(AGES, budget=ledger).fit(X, Y)
    assert clf.privacy_ == clf.guarantee_.privacy == pp.Budget(1, 1e-6)
    assert ledger.spent == pp.Budget(2, 1e-6)
    assert ledger.entries[0].mechanism == "discrete Laplace"
    assert ledger.since(1).unsigned() == clf.ledger_


def test_fits_that_share_a_ledger_and_run_at_the_same_time():
    ledger = pp.Ledger(pp.Budget(8, 1e-5))
    with ThreadPoolExecutor(4) as pool:
        fitted = list(
            pool.map(lambda _: PrivateClassifier(AGES, budget=ledger, method="ThresholdLearner").fit(X, Y), range(8))
        )
    assert {clf.privacy_ for clf in fitted} == {pp.Budget(1, 1e-6)}
    assert ledger.spent == pp.Budget(8, 8e-6)
    with pytest.raises(pp.BudgetExceeded):
        PrivateClassifier(AGES, budget=ledger, method="ThresholdLearner").fit(X, Y)


def test_a_seed_makes_the_certificate_say_so():
    clf = PrivateClassifier(AGES, random_state=1, method="ThresholdLearner").fit(X, Y)
    assert not clf.guarantee_.private and "NOT PRIVATE" in str(clf.guarantee_)
    with pytest.raises(ValueError, match="give the seed to the ledger"):
        PrivateClassifier(AGES, budget=pp.Ledger(pp.Budget(1, 1e-6)), random_state=1, method="ThresholdLearner").fit(
            X, Y
        )


def test_labels_from_the_data_are_said_to_be_public():
    assert "given that which labels occur is public" in str(
        PrivateClassifier(AGES, classes=None, method="ThresholdLearner").fit(X, Y).guarantee_
    )
    assert "given that" not in str(PrivateClassifier(AGES, method="ThresholdLearner").fit(X, Y).guarantee_)


def test_too_few_records_still_learn_and_nothing_is_claimed():
    clf = PrivateClassifier(AGES).fit([[3], [50]], [0, 1])
    assert clf.guarantee_.utility is None
    assert "no guarantee claimed" in str(clf.guarantee_)
    assert set(clf.predict([[0], [120]])) <= {0, 1}


def test_the_certificate_is_the_least_error_that_is_proved():
    clf = PrivateClassifier(AGES, method="ThresholdLearner").fit(X, Y)
    α = clf.guarantee_.utility.alpha
    assert α == clf.certified_alpha(len(Y))
    step = Fraction(1, 10_000)
    assert clf.learner_.failure(len(Y), float(α)) <= 0.05 < clf.learner_.failure(len(Y), float(α - step))


def test_certified_records_and_errors_are_each_others_inverse():
    learner = PrivateClassifier(pp.ExplicitClass(np.tri(20, dtype=int)), method="FiniteLearner")
    n = learner.certified_n(alpha=0.2)
    assert learner.certified_alpha(n) <= Fraction(1, 5) < learner.certified_alpha(n - 1)


def test_labels_keep_their_names():
    clf = PrivateClassifier(AGES, epsilon=9, classes=("no", "yes"), method="ThresholdLearner").fit(
        X, np.where(Y, "yes", "no")
    )
    assert clf.predict([[0], [119]]).tolist() == ["no", "yes"]
    assert clf.score(X, np.where(Y, "yes", "no")) > 0.9


def test_units_are_protected_as_a_whole():
    people = np.arange(len(Y)) // 4
    clf = PrivateClassifier(AGES, epsilon=4, max_records=2, method="ThresholdLearner").fit(X, Y, unit=people)
    assert clf.n_records_ == 2 * len(set(people.tolist()))
    assert clf.privacy_ <= pp.Budget(4, 1e-6)
    assert clf.guarantee_.utility is None  # records of one unit need not be independent
    assert "one unit, of which 2 records count" in str(clf.guarantee_)


def test_the_learner_itself_learns_nothing():
    with pytest.raises(TypeError, match="abstract"):
        Learner(AGES, Terms(pp.Budget(1)))


@over("regime", ["agnostic", "realizable"])
@over("concept_class", [AGES, pp.Points(), pp.RootPaths("/", height=4)])
def test_what_is_certified_never_grows_with_the_number_of_records(concept_class, regime):
    learner = PrivateClassifier(concept_class, regime=regime)
    certified = [learner.certified_alpha(n) or 1 for n in (10, 300, 10**4, 10**7, 2**30, 2**31, 10**15)]
    assert certified == sorted(certified, reverse=True) and certified[-1] < Fraction(1, 1000)


def test_the_certificate_says_what_it_is_about():
    wide = pp.And(
        pp.Thresholds(0, 10**9, direction="above").on("a"), pp.Thresholds(0, 10**9, direction="above").on("b")
    )
    realizable = PrivateClassifier(wide, regime="realizable", method="RuleLearner")
    assert (
        "some such rule makes no error" in realizable.learner().assumptions
    )  # the best rule of a coarse grid is meant
    assert "some rule of the class makes no error" not in realizable.learner().assumptions
    assert any(
        "fit what is declared" in each
        for each in PrivateClassifier(AGES, on_invalid="default", method="ThresholdLearner").learner().assumptions
    )
    assert (
        "units are drawn" in PrivateClassifier(AGES, max_records=1, method="ThresholdLearner").learner().assumptions[0]
    )


def test_nothing_is_certified_for_several_records_of_a_unit():
    learner = PrivateClassifier(AGES, max_records=4, method="ThresholdLearner")
    assert learner.certified_n() is None and learner.certified_alpha(10**6) is None
    assert PrivateClassifier(AGES, max_records=4).learner().pure  # still the one that needs the fewest


def test_parameters_set_after_a_fit_count():
    clf = PrivateClassifier(AGES, epsilon=8).fit(X, Y)
    before = clf.certified_n()
    assert clf.set_params(epsilon=0.1).certified_n() == PrivateClassifier(AGES, epsilon=0.1).certified_n() > before


@pytest.mark.audit
def test_one_record_of_each_unit_is_as_good_as_a_sample_of_records():
    """600 units of 50 records each: the certificate for one record of each holds."""
    rng = np.random.default_rng(11)
    unit, x = np.arange(600).repeat(50), rng.integers(0, 10, 30_000)
    line, wrong = pp.Thresholds(0, 9, direction="above"), 0
    for _ in range(10):
        clf = PrivateClassifier(line, regime="realizable", feature=None, max_records=1, method="ThresholdLearner").fit(
            x.tolist(), x >= 5, unit=unit
        )
        wrong += np.mean(clf.hypothesis_(np.arange(10)) != (np.arange(10) >= 5)) > float(clf.guarantee_.utility.alpha)
    assert wrong <= 4  # half a fit is expected at most; one choice for all units fails in most fits


@pytest.mark.parametrize("feature", ["age", 1])
@pytest.mark.parametrize("make", [dict, pd.DataFrame])
def test_a_rule_about_two_columns_is_told_both(feature, make):
    clf = PrivateClassifier(pp.Rectangles(0, 9, 2), feature=feature)
    with pytest.raises(ValueError, match="the rule reads 2 columns; name them in order"):
        clf.fit(make({"age": [1, 2], "height": [3, 4], "pays": [0, 1]}), "pays")


@pytest.mark.parametrize("delta", [-1, 1, 2])
def test_delta_is_a_probability(delta):
    with pytest.raises(ValueError, match=r"delta must lie in \[0, 1\)"):
        PrivateClassifier(AGES, delta=delta).learner()


TREES = [pp.RootPaths("/"), pp.Taxonomy({"J10": "J", "J": "I"}, kind="subtree"), pp.Spider(10)]


@over("concept_class", [AGES, pp.Intervals(0, 99), pp.Points(), *TREES])
@over("regime", ["agnostic", "realizable"])
def test_with_hardly_any_epsilon_nothing_is_certified_and_nothing_breaks(concept_class, regime):
    for epsilon in (1e-9, 1e-5):
        learner = PrivateClassifier(concept_class, epsilon=epsilon, regime=regime)
        assert (learner.certified_n(), learner.certified_alpha(10**6)) == (None, None)
    for epsilon in ("1e-20", 1e-300):
        with pytest.raises(ValueError, match="epsilon must be at least 1e-9"):
            PrivateClassifier(concept_class, epsilon=epsilon, regime=regime).certified_n()


def test_a_fit_with_hardly_any_epsilon_is_a_fit():
    clf = PrivateClassifier(AGES, epsilon=1e-9).fit(X, Y)
    assert clf.guarantee_.utility is None
    for concept_class, values in ((TREES[0], ["a/b", "a/c"]), (pp.Points(), ["a", "b"])):
        for regime in ("agnostic", "realizable"):
            clf = PrivateClassifier(concept_class, epsilon=1e-9, regime=regime, feature=None).fit(values, [0, 1])
            assert clf.privacy_.epsilon == Fraction(1, 10**9)


def test_slots_may_be_a_number_of_numpy():
    fitted = PrivateClassifier(AGES, max_records=np.int64(2), method="ThresholdLearner").fit(
        X, Y, unit=np.arange(len(Y)) // 2
    )
    assert (type(fitted.n_records_), fitted.n_records_) == (int, len(Y))
    assert (
        fitted.guarantee_
        == PrivateClassifier(AGES, max_records=2, method="ThresholdLearner")
        .fit(X, Y, unit=np.arange(len(Y)) // 2)
        .guarantee_
    )
    for odd in (True, 0, -1, 2.0, "2"):
        with pytest.raises(ValueError, match="max_records must be a whole number"):
            PrivateClassifier(AGES, max_records=odd, method="ThresholdLearner").fit(X, Y, unit=np.arange(len(Y)))


@pytest.mark.audit
@over("concept_class", [AGES, pp.Intervals(0, 99), pp.RootPaths("/", height=3), pp.Spider(2)])
@over("regime", ["agnostic", "realizable"])
def test_numbers_at_the_ends_of_what_is_allowed_break_no_certificate(concept_class, regime):
    """e^ε that no float holds, a δ that promises nothing, a β beyond all: all of it is allowed."""
    for promise in ({"epsilon": 10**4}, {"epsilon": 10**6}, {"delta": 1 - 1e-12, "epsilon": 0.01}, {"beta": 1e-280}):
        conditions = PrivateClassifier(concept_class, regime=regime, **promise).conditions()
        for kind, _ in ranking(concept_class, conditions):
            for n in (1, 100, 10**6):
                learner = kind.for_class(concept_class, conditions.terms(n))
                assert all(0 <= learner.failure(n, α) <= 1 for α in (0.01, 0.9)), learner


def test_a_certificate_that_cannot_be_computed_costs_nothing(monkeypatch):
    class Careless(ThresholdLearner):
        def failure(self, n, alpha):
            raise ArithmeticError

    monkeypatch.setattr(choice, "LEARNERS", (Careless,))
    account = MemoryAccount(pp.Budget(1, 1e-6))
    with pytest.raises(ArithmeticError):
        PrivateClassifier(AGES, budget=account).fit(X, Y)
    assert account.spent == pp.Budget(0)


def test_units_that_leave_no_delta_are_refused_before_anything_is_spent():
    account = MemoryAccount(pp.Budget(10**5, 1e-6))
    for clf in (PrivateClassifier(AGES, method="ThresholdLearner"), PrivateClassifier(AGES)):
        clf.set_params(epsilon=10**4, max_records=2, budget=account)
        with pytest.raises(ValueError, match="leaves no delta; ask for a smaller epsilon"):
            clf.fit(X, Y, unit=np.arange(len(Y)))
    assert account.spent == pp.Budget(0)


@over("concept_class", [AGES, pp.Intervals(0, 99), pp.Points(), *TREES, pp.RootPaths("/", height=4)])
@over("regime", ["agnostic", "realizable"])
def test_of_no_records_nothing_is_certified(concept_class, regime):
    terms = Terms(pp.Budget(1, 1e-6), regime=regime)
    for learner in LEARNERS:
        if learner.supports(concept_class):
            assert learner.for_class(concept_class, terms).certified_alpha(0) is None


def test_certificates_are_asked_for_with_shares():
    for asked in ({"alpha": 0}, {"beta": 1}, {"alpha": 2}):
        with pytest.raises(ValueError, match="must lie strictly between 0 and 1"):
            PrivateClassifier(AGES, method="ThresholdLearner").certified_n(**asked)
    with pytest.raises(ValueError, match="must lie strictly between 0 and 1"):
        PrivateClassifier(AGES, method="ThresholdLearner").certified_alpha(100, beta=0)


def test_what_a_fitted_learner_keeps_tells_the_day_alone():
    ledger = pp.Ledger(pp.Budget(1), who="Ada")
    clf = PrivateClassifier(pp.ExplicitClass(np.tri(3, dtype=int)), budget=ledger, method="FiniteLearner").fit(
        [[0]] * 9, [0] * 9
    )
    assert {(entry.who, entry.time.time().isoformat()) for entry in clf.ledger_.entries} == {("", "00:00:00")}
    (charged,) = ledger.entries
    assert charged.who == "Ada"
    assert charged.time.date() >= clf.ledger_.entries[0].time.date()
    kept = pickle.dumps(clf.set_params(budget=None))
    assert b"Ada" not in kept


PEOPLE = [21, 34, 70, 85] * 100
TABLES = [
    ({"age": PEOPLE, "height": PEOPLE}, "age", "age"),
    (pd.DataFrame({"height": PEOPLE, "age": PEOPLE}), "age", "age"),
    (pd.DataFrame({"height": PEOPLE, "age": PEOPLE}), 1, "age"),
    (pd.DataFrame({"age": PEOPLE}), (), "age"),
    (pl.DataFrame({"age": PEOPLE}), "age", "age"),
    (ibis.memtable(pd.DataFrame({"age": PEOPLE, "ill": [0, 0, 1, 1] * 100})), "age", "age"),
    (np.array(PEOPLE).reshape(-1, 1), (), "x"),
    (PEOPLE, None, "x"),
]


@over(("X", "feature", "name"), TABLES)
def test_a_rule_names_the_column_that_it_reads(X, feature, name):
    y = "ill" if isinstance(X, ibis.Table) else [0, 0, 1, 1] * 100
    rule = PrivateClassifier(pp.Thresholds(0, 120, direction="above"), feature=feature).fit(X, y).hypothesis_
    assert str(rule).startswith(f"{name} ≥ ")
    assert str(pickle.loads(pickle.dumps(rule))) == str(rule)
    assert pp.Hypothesis.from_json(rule.to_json()) == rule  # names are no part of the rule


@pytest.mark.slow
def test_a_rule_names_all_columns_that_it_reads():
    table = pd.DataFrame({"age": PEOPLE, "height": PEOPLE})
    clf = PrivateClassifier(pp.Rectangles(0, 99, 2), feature=["height", "age"]).fit(table, [0, 0, 1, 1] * 100)
    assert "height" in str(clf.hypothesis_) and "age" in str(clf.hypothesis_) and "x" not in str(clf.hypothesis_)
    parts = pp.And(
        pp.Thresholds(0, 99, direction="above").on("age"), pp.Thresholds(0, 99, direction="above").on("height")
    )  # which names them itself
    assert "age" in str(PrivateClassifier(parts).fit(table, [0, 0, 1, 1] * 100).hypothesis_)


@over("classes", [(0, 1), ("on time", "late"), (False, True)])
def test_an_error_names_the_labels(classes):
    y = [classes[0]] * 600 + [classes[1]] * 200
    clf = PrivateClassifier(pp.Thresholds(0, 120, direction="above"), classes=classes, feature=None, report_error=True)
    error = clf.fit([21] * 600 + [70] * 200, y).error_
    assert f"always answering {classes[0]} would err" in str(error)
    assert pp.model_of(clf).error == error  # names are no part of what was measured
