"""δ beside n: the default, the refusal and the warning, before anything is spent."""

import re
import warnings
from fractions import Fraction

import numpy as np
import pytest

import privpac as pp
from privpac.learners import LEARNERS, PrivateClassifier
from privpac.privacy.accounting.delta import LargeDelta, LargeDeltaWarning, check_delta, default_delta
from privpac.privacy.ledger import BudgetExceeded, MemoryAccount
from privpac.requests.conditions import Conditions

NAMES = ["EV"] * 400 + ["UA"] * 600
LATE = [1] * 400 + [0] * 600


def learner(**parameters):
    return PrivateClassifier(pp.Points(), feature=None, **parameters, method="PointLearner")


@pytest.mark.parametrize("n", [1, 9_999, 10**4, 10**4 + 1, 10**6, 2**40, np.int64(10**6)])
def test_by_default_one_record_in_a_hundred_releases_at_most(n):
    assert default_delta(n) == min(Fraction(1, 10**6), Fraction(1, 100 * int(n)))
    check_delta(default_delta(n), n)  # a warning is an error here


@pytest.mark.parametrize(("n", "delta"), [(5000, 1e-6), (10**6, 1e-8)])
def test_every_learner_spends_the_default_of_its_n(n, delta):
    assert PrivateClassifier().delta is None
    assert Conditions.of().price(n) == pp.Budget(1, delta)
    assert learner().fitting(n).cost == pp.Budget(1, delta)
    assert learner(delta=1e-6).fitting(n).cost == pp.Budget(1, 1e-6)  # one that is given is taken as it is


def test_a_fit_spends_the_default_of_its_n():
    n = 20_000
    account = MemoryAccount(pp.Budget(1, 1e-6))
    clf = learner(budget=account).fit(np.zeros(n, int), np.ones(n, int))
    assert clf.privacy_ == account.spent == pp.Budget(1, "0.0000005")
    assert "δ·n = 0.01 for n = 20000 [" in str(clf.guarantee_)
    assert clf.delta is None  # as scikit-learn wants it


@pytest.mark.slow
def test_few_releases_show_a_value_that_one_record_holds():
    """At δ·n = 1 about half of the releases do, at the default one in a hundred; each line fails once in 10⁵ runs."""
    n, runs = 10**4, 40

    def shown(**delta):
        fit = learner(**delta).fit
        return sum(str(fit(np.arange(n), np.ones(n, int)).hypothesis_) != "never" for _ in range(runs))

    assert shown() <= 5
    assert shown(delta=Fraction(1, n), allow_large_delta=True) > 5


@pytest.mark.parametrize("made", [learner, lambda **given: PrivateClassifier(pp.Points(), feature=None, **given)])
def test_a_large_delta_is_refused_before_anything_is_spent(made):
    account = MemoryAccount(pp.Budget(5, 0.5))
    ledger = pp.Ledger(account)
    with pytest.raises(LargeDelta, match=r"too large for 1000 records: it allows 0\.2 of them") as refused:
        made(delta=2e-4, budget=ledger).fit(NAMES, LATE)
    assert "set delta=1e-06, or allow_large_delta=True" in str(refused.value)
    assert (account.spent, ledger.entries) == (pp.Budget(0), ())
    clf = made(delta=2e-4, budget=ledger, allow_large_delta=True).fit(NAMES, LATE)  # no warning either
    assert account.spent == clf.privacy_ == pp.Budget(1, 2e-4)
    assert "δ·n = 0.2 for n = 1000" in str(clf.guarantee_)


@pytest.mark.parametrize("delta", ["0.0000101", "0.0001"])  # δ·n is 0.0101, 0.1
def test_a_doubtful_delta_draws_a_warning_before_anything_is_spent(delta):
    account = MemoryAccount(pp.Budget(5, 1))
    with warnings.catch_warnings(), pytest.raises(LargeDeltaWarning, match="is large for 1000 records"):
        warnings.simplefilter("error")
        learner(delta=delta, budget=account).fit(NAMES, LATE)
    assert account.spent == pp.Budget(0)
    with pytest.warns(UserWarning, match="set delta=1e-06"):
        assert learner(delta=delta, budget=account).fit(NAMES, LATE).privacy_.delta == Fraction(delta)


def test_the_bounds_themselves_are_allowed():
    check_delta(Fraction(1, 100), 1)
    with pytest.warns(LargeDeltaWarning):
        check_delta(Fraction(1, 10), 1)
    with pytest.raises(LargeDelta):
        check_delta(Fraction(1, 10) + Fraction(1, 10**9), 1)


def test_refusal_and_warning_depend_on_public_numbers_alone():
    for y in (LATE, [0] * 1000, [1] * 1000):
        for x in (NAMES, list(range(1000)), [None] * 1000):
            with pytest.raises(LargeDelta, match="for 1000 records"):
                learner(delta=2e-4, on_invalid="default").fit(x, y)


def test_learners_that_spend_no_delta_are_not_asked_for_one():
    clf = PrivateClassifier(pp.Points(9), delta=0.5, feature=None, method="ProperPointLearner").fit(
        [1] * 500 + [2] * 500, [1] * 500 + [0] * 500
    )
    assert clf.privacy_ == pp.Budget(1)
    assert "δ·n" not in str(clf.guarantee_)


def test_where_units_are_protected_units_are_counted():
    units = [f"unit {i // 4}" for i in range(1000)]
    made = {"delta": 2e-4, "max_records": 4}
    with pytest.warns(LargeDeltaWarning, match="for 250 units: it allows 0.05 of them"):
        clf = learner(**made).fit(NAMES, LATE, unit=units)
    assert clf.guarantee_.delta_n == 250 * clf.privacy_.delta <= Fraction(1, 20)
    assert "one unit, of which 4 records count; δ·n = 0.05 for n = 250 units" in str(clf.guarantee_)
    assert learner(max_records=4).conditions().price(4 * 10**6).delta == Fraction(1, 10**8)
    assert learner(max_records=4).conditions().price(4 * 10**6 + 1).delta < Fraction(1, 10**8)


def test_an_account_with_less_delta_than_the_default_says_so():
    with pytest.raises(BudgetExceeded, match="a fit costs ε = 1, δ = 1e-06 but ε = 1, δ = 1e-07 remains"):
        learner(budget=pp.Budget(1, 1e-7)).fit(NAMES, LATE)
    assert learner(delta=1e-7, budget=pp.Budget(1, 1e-7)).fit(NAMES, LATE).privacy_ == pp.Budget(1, 1e-7)


def test_a_name_is_asked_for_with_true_or_false():
    with pytest.raises(TypeError, match="allow_large_delta must be True or False"):
        learner(allow_large_delta="no").fit(NAMES, LATE)


@pytest.mark.slow
@pytest.mark.parametrize("regime", ["agnostic", "realizable"])
@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_the_certified_n_is_the_least_that_is_certified_at_its_own_delta(regime, alpha):
    for concept_class in (pp.Points(), pp.RootPaths("/", height=8), pp.Thresholds(0, 2**32, direction="above")):
        kind = next(each for each in LEARNERS if each.supports(concept_class) and not each.pure)
        made = PrivateClassifier(concept_class, regime=regime, alpha=alpha, method=kind.__name__)
        n = made.certified_n()
        sizes = (n - 1, n, n + 1, 2 * n, 30 * n, 900 * n)
        few, *enough = [made.fitting(m).learner.failure(m, alpha) for m in sizes]
        assert few > 0.05 >= max(enough)
        given = made.set_params(delta=1e-6).certified_n()
        assert given == n if n <= 10**4 else given <= n


@pytest.mark.parametrize("n", [1, 7, 180_000, 999_999, 10**9 + 7])
def test_the_advice_can_be_followed(n):
    """Also where the default has more digits than are told: 1/(100·180,000) is 5.55…·10⁻⁸."""
    with pytest.raises(LargeDelta) as refused:
        check_delta(Fraction(1, 2), n)
    advised = Fraction(re.search(r"set delta=(\S+),", str(refused.value)).group(1))
    assert 0.9 * default_delta(n) <= advised <= default_delta(n)
