"""Medians and quantiles of units: what is charged, whom it protects, and what other units contribute."""

from fractions import Fraction

import numpy as np
import pytest

import privpac as pp
from privpac.data.domains.line import Line
from privpac.mechanisms.quantiles.joint_quantiles import JointQuantiles
from privpac.mechanisms.quantiles.several_quantiles import QuantileTree
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import MemoryAccount, OtherUnit
from privpac.refusals.refusal import Refused
from privpac.release.lines.quantiles import (
    PublicTerms,
    ReleasedQuantiles,
    interior_point,
    private_median,
    private_quantiles,
    quantiles_mechanism,
)
from tests.grid import over

FUNCTIONS = {
    "median": private_median,
    "point": interior_point,
    "quantiles": lambda x, **asked: private_quantiles(x, [0.25, 0.75], **asked),
}


def visits(patients, each):
    return np.repeat(40, patients * each), np.repeat(np.arange(patients), each)


@over("name", FUNCTIONS)
@over("k", [1, 2, 3])
def test_units_pay_for_all_their_records(name, k):
    x, patient = visits(400, 2)
    ledger = pp.Ledger(Budget(1))
    found = FUNCTIONS[name](x, low=0, high=100, epsilon=1, unit=patient, max_records=k, budget=pp.Budget(1))
    assert np.all(np.abs(np.array(found) - 40) <= (5 if k > 1 and name == "quantiles" else 0))
    with pytest.raises(Refused, match="no name"):
        FUNCTIONS[name](x, low=0, high=100, epsilon=1, unit=patient, max_records=k, budget=ledger)
    assert ledger.spent == Budget(0)


@pytest.mark.slow
@over("name", FUNCTIONS)
def test_an_account_protects_one_unit(name):
    pd = pytest.importorskip("pandas")
    x, patient = visits(300, 2)
    account = MemoryAccount(Budget(3))
    asked = {"low": 0, "high": 100, "epsilon": 1, "budget": account}
    FUNCTIONS[name](x, **asked, unit=pd.Series(patient, name="patient"), max_records=2)
    assert account.spent == Budget(1)
    assert account.unit == "patient"
    with pytest.raises(OtherUnit):
        FUNCTIONS[name](x, **asked)
    assert account.spent == Budget(1)


@over("name", FUNCTIONS)
def test_unit_and_max_records_belong_together(name):
    x, patient = visits(10, 1)
    for half in ({"unit": patient}, {"max_records": 2}):
        with pytest.raises(Refused, match="belong together"):
            FUNCTIONS[name](x, low=0, high=100, epsilon=1, **half)
    with pytest.raises(Refused, match="as many units as records"):
        FUNCTIONS[name](x, low=0, high=100, epsilon=1, unit=patient[:-1], max_records=2)


def test_one_patient_with_many_visits_counts_as_one():
    """A thousand visits of one patient do not move a median of three hundred."""
    x = np.concatenate([np.full(300, 40), np.full(1000, 90)])
    patient = np.concatenate([np.arange(300), np.full(1000, 300)])
    assert pp.private_median(x, low=0, high=100, epsilon=1, unit=patient, max_records=1) == 40
    assert pp.private_median(x, low=0, high=100, epsilon=1) == 90


def test_records_without_a_unit_are_refused_or_dropped():
    x, patient = [40] * 300 + [90], [*range(300), None]
    with pytest.raises(Refused, match=r"have no unit.*on_invalid='clamp', which drops them"):
        pp.private_median(x, low=0, high=100, epsilon=1, unit=patient, max_records=1)
    assert pp.private_median(x, low=0, high=100, epsilon=1, unit=patient, max_records=1, on_invalid="clamp") == 40


@pytest.mark.parametrize(
    ("size", "m", "by", "kind"),
    [
        (100, 19, PublicTerms(Budget(1), 1000), JointQuantiles),
        (100, 20, PublicTerms(Budget(1), 1000), ReleasedQuantiles),
        (100, 19, PublicTerms(Budget(1), 10**6), ReleasedQuantiles),
        (100, 3, PublicTerms(Budget(1), 1000, slots=2000), ReleasedQuantiles),
        (2**1000, 3, PublicTerms(Budget(1), 1000), QuantileTree),
    ],
)
def test_the_method_follows_public_numbers(size, m, by, kind):
    taus = tuple(Fraction(i, m + 1) for i in range(1, m + 1))
    assert type(quantiles_mechanism(Line(0, size - 1), taus, "auto", by)) is kind
