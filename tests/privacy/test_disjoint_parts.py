"""Parts of a sample pay side by side, and only if they are parts of the same sample."""

import os
from copy import copy, deepcopy

import pytest

import privpac as pp
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.disjoint_parts import Payments, largest_cost, sample_parts
from privpac.privacy.ledger import BudgetExceeded, Sealed


def spent(*asked, ledger=None):
    """What a ledger has spent after releases about (part, ε)."""
    ledger = pp.Ledger(pp.Budget(100)) if ledger is None else ledger
    for part, ε in asked:
        ledger.spend(DiscreteLaplace(pp.Budget(ε)), Sealed([1, 2], 2, part).see(sum))
    return ledger.spent


def test_the_largest_part_is_what_is_spent():
    A, B = sample_parts("A", "B")
    assert spent((A, 1), (B, 1)) == pp.Budget(1)
    assert spent((A, "0.3"), (B, "0.5"), (A, "0.3")) == pp.Budget("0.6")
    assert spent((A, 1), (None, 1), (B, 1)) == pp.Budget(2)  # a release about all records adds to both
    assert spent((A, 2), *[(B, 1)] * 4) == pp.Budget(4)  # what one part has paid covers the other only once


def test_parts_of_different_samples_add_up():
    (A, _), (_, D) = sample_parts("A", "B"), sample_parts("C", "D")
    assert spent((A, 1), (D, 1)) == pp.Budget(2)


def test_another_ledger_has_another_account():
    A, B = sample_parts("A", "B")
    first, second = pp.Ledger(pp.Budget(1)), pp.Ledger(pp.Budget(1))
    assert spent((A, 1), ledger=first) == spent((B, 1), ledger=second) == pp.Budget(1)


def test_branches_share_what_is_paid():
    A, B = sample_parts("A", "B")
    ledger = pp.Ledger(pp.Budget(1))
    spent((A, 1), ledger=ledger.branch())
    spent((B, 1), ledger=ledger.branch())
    assert ledger.spent == pp.Budget(1)


def test_a_fork_pays_for_what_it_asks(tmp_path):
    """A durable account is charged by several processes, and what one of them has paid covers only its own releases."""
    A, B = sample_parts("A", "B")
    account = pp.BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", pp.Budget(10))
    ledger = pp.Ledger(account)
    spent((A, 1), ledger=ledger)
    child = os.fork()
    if not child:
        try:
            spent((B, 1), (A, 1), ledger=ledger)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    spent((B, 1), ledger=ledger)
    assert account.spent == pp.Budget(2)  # both parts have answered at ε = 2


def test_what_a_parent_has_paid_covers_nothing_that_a_fork_asks(tmp_path):
    """One part answers in the parent, the other in the child and then in the parent: twice in all."""
    A, B = sample_parts("A", "B")
    account = pp.BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", pp.Budget(10))
    ledger = pp.Ledger(account)
    spent((A, 1), ledger=ledger)
    child = os.fork()
    if not child:
        try:
            spent((B, 1), ledger=ledger)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert account.spent == pp.Budget(2)
    spent((B, 1), ledger=ledger)
    assert account.spent == pp.Budget(2)  # B has answered at ε = 2


def test_a_copy_of_a_part_is_the_same_part():
    A, _ = sample_parts("A", "B")
    assert spent((A, 1), (copy(A), 1)) == spent((A, 1), (deepcopy(A), 1)) == pp.Budget(2)


def test_a_refused_charge_is_not_paid():
    A, B = sample_parts("A", "B")
    ledger = pp.Ledger(pp.Budget(1))
    with pytest.raises(BudgetExceeded):
        spent((A, 2), ledger=ledger)
    assert spent((B, 1), ledger=ledger) == pp.Budget(1)


def test_views_stay_in_their_part():
    A, _ = sample_parts("A", "B")
    assert Sealed([1], 1, A).see(sum).see(abs).part is A


def test_the_entry_says_what_the_other_part_has_paid():
    A, B = sample_parts("records learned from", "held-out records")
    ledger = pp.Ledger(pp.Budget(1))
    spent((A, 1), (B, 1), ledger=ledger)
    assert [str(entry) for entry in ledger.entries] == [
        "discrete Laplace: ε = 1 [noise, Theorem 1]",
        "discrete Laplace (held-out records, ε = 1): ε = 0 [noise, Theorem 1; holding out, Theorem 1]",
    ]


def test_ε_and_δ_are_compared_one_by_one():
    assert largest_cost(pp.Budget(1, 1e-6), pp.Budget(2)) == pp.Budget(2, 1e-6)
    payments, (A, B) = Payments(), sample_parts("A", "B")
    with payments.due(A, pp.Budget(1, 1e-6)) as due:
        assert due == pp.Budget(1, 1e-6)
    with payments.due(B, pp.Budget(2)) as due:
        assert due == pp.Budget(1)
