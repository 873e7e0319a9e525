"""Checked, then charged, then drawn; and what was spent is the sum of what ran."""

import copy
import os
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier

import pytest

from privpac.exact.entropy import SYSTEM, Seeded
from privpac.privacy import ledger as module
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import BudgetExceeded, Ledger, Mechanism, MemoryAccount, Sealed, spend
from tests.sentinels import SECRET, Refusing, Untouchable

QUARTER = Budget("0.25")


@dataclass(frozen=True)
class Toss(Mechanism):
    """Tells in which order things happen."""

    diary: list
    cost: Budget = QUARTER
    name = "toss"
    theorem = "tossing, Theorem 1"

    def check(self, data):
        self.diary.append("check")
        if data is None:
            raise ValueError("bad data")
        return data

    def release(self, data, coins):
        self.diary.append("release")
        return data, coins.bits(1)


class Recording(MemoryAccount):
    def __init__(self, total, diary):
        super().__init__(total)
        self.diary = diary

    def charge(self, entry):
        super().charge(entry)
        self.diary.append("charge")


def test_the_order_is_check_charge_release():
    diary = []
    Ledger(Recording(Budget(1), diary)).spend(Toss(diary), Sealed([1]))
    assert diary == ["check", "charge", "release"]


def test_bad_data_is_refused_before_anything_is_charged():
    diary, account = [], MemoryAccount(Budget(1))
    ledger = Ledger(account, Untouchable())
    with pytest.raises(ValueError, match="bad data"):
        ledger.spend(Toss(diary), Sealed(None, size=0))
    assert diary == ["check"] and account.spent == ledger.spent == Budget(0) and ledger.entries == ()


def test_a_refused_charge_tosses_no_coin_and_leaves_no_entry():
    diary, account = [], Refusing()
    ledger = Ledger(account, Untouchable())
    with pytest.raises(BudgetExceeded):
        ledger.spend(Toss(diary), Sealed([1]))
    assert diary == ["check"] and len(account.asked) == 1 and ledger.entries == ()


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_an_account_that_breaks_tosses_no_coin(failure):
    class Broken(Refusing):
        def charge(self, entry):
            raise failure

    with pytest.raises(type(failure)):
        Ledger(Broken(), Untouchable()).spend(Toss([]), Sealed([1]))


def test_a_release_that_fails_stays_paid():
    ledger = Ledger(Budget(1), Untouchable())
    with pytest.raises(AssertionError, match="a coin was tossed"):
        ledger.spend(Toss([]), Sealed([1]))
    assert ledger.spent == Budget("0.25") and ledger.remaining == Budget("0.75")


def test_the_sum_of_what_ran_is_exact_and_the_last_bit_counts():
    ledger = Ledger(Budget(1))
    for _ in range(4):
        ledger.spend(Toss([]), Sealed([1]))
    assert ledger.spent == Budget(1) and ledger.remaining == Budget(0) and len(ledger.entries) == 4
    with pytest.raises(BudgetExceeded, match=r"toss costs ε = 1e-30 but ε = 0 remains of ε = 1"):
        ledger.spend(Toss([], Budget("1e-30")), Sealed([1]))
    assert ledger.spent == Budget(1)


def test_delta_is_a_budget_of_its_own():
    ledger = Ledger(Budget(10, 1e-6))
    with pytest.raises(BudgetExceeded):
        ledger.spend(Toss([], Budget(1, 2e-6)), Sealed([1]))
    ledger.spend(Toss([], Budget(1, 1e-6)), Sealed([1]))
    ledger.spend(Toss([], Budget(1)), Sealed([1]))
    with pytest.raises(BudgetExceeded):
        ledger.spend(Toss([], Budget(1, 1e-30)), Sealed([1]))


def test_ledgers_share_an_account():
    account = MemoryAccount(Budget("0.5"))
    one, two = Ledger(account), Ledger(account)
    one.spend(Toss([]), Sealed([1]))
    two.spend(Toss([]), Sealed([1]))
    assert one.remaining == two.remaining == Budget(0) and one.spent == two.spent == Budget("0.25")
    with pytest.raises(BudgetExceeded):
        one.spend(Toss([]), Sealed([1]))


def test_a_branch_lists_what_ran_through_it_alone():
    ledger = Ledger(Budget(1), Seeded(1), who="ann")
    first, second = ledger.branch(), ledger.branch()
    for each in (first, ledger, second, first.branch()):
        each.spend(Toss([]), Sealed([1]))
    assert [each.spent for each in (first, second, ledger)] == [Budget("0.5"), Budget("0.25"), Budget(1)]
    assert [(entry.who, entry.private) for entry in second.entries] == [("ann", False)]
    assert first.remaining == second.remaining == ledger.remaining == Budget(0)
    with pytest.raises(BudgetExceeded):
        second.spend(Toss([]), Sealed([1]))
    assert len(second.entries) == 1 and len(ledger.entries) == 4


class Vetoed(Ledger):
    """Lets nothing be spent."""

    def spend(self, mechanism, sample, view=None):
        raise BudgetExceeded("not today")


def test_a_branch_asks_what_a_subclass_asks():
    with pytest.raises(BudgetExceeded, match="not today"):
        Vetoed(Budget(1)).branch().spend(Toss([]), Sealed([1]))


def overspend(account, threads=8):
    """How often an account with room for one charge admits one when many ask at once."""
    start = Barrier(threads)

    def ask(_):
        start.wait()
        try:
            account.charge(Entry("race", Budget(1), "none"))
        except BudgetExceeded:
            return 0
        return 1

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(ask, range(threads)))


class Unlocked(MemoryAccount):
    """Broken: asks and charges without a lock."""

    def charge(self, entry):
        self.spent = module.spent_after(entry, self.total, self.spent)


def test_threads_do_not_overspend(monkeypatch):
    def slowly(*arguments, spent_after=module.spent_after):
        after = spent_after(*arguments)
        time.sleep(0.02)
        return after

    monkeypatch.setattr(module, "spent_after", slowly)
    assert overspend(MemoryAccount(Budget(1))) == 1
    assert any(overspend(Unlocked(Budget(1))) > 1 for _ in range(5)), "the race is too tame to show anything"


def test_threads_lose_no_entry():
    ledger = Ledger(Budget(100))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ledger.spend(Toss([]), Sealed([1])), range(200)))
    assert len(ledger.entries) == 200 and ledger.spent == Budget(50) == Budget(100) - ledger.remaining


@pytest.mark.parametrize("make", [MemoryAccount, Ledger])
def test_a_copy_spends_from_the_same_account(make):
    """Tools that copy their parameters, as searches over parameters do, must not multiply a budget."""
    original = make(Budget(1))
    for other in (copy.copy(original), copy.deepcopy(original), copy.deepcopy({"budget": original})["budget"]):
        assert other is original


@pytest.mark.parametrize("make", [MemoryAccount, Ledger])
def test_what_another_process_gets_refuses_every_charge(make):
    """It must not keep the process from starting, which would hide the reason."""
    there = pickle.loads(pickle.dumps(make(Budget(1))))
    for use in (
        lambda: there.total,
        lambda: there.spent,
        lambda: there.charge(Entry("toss", Budget(0), "none")),
        lambda: Ledger(there).remaining,
        lambda: Ledger(there).spend(Toss([], Budget(0)), Sealed([1])),
        lambda: pickle.loads(pickle.dumps(there)).spent,
    ):
        with pytest.raises(RuntimeError, match="use a BudgetStore account"):
            use()


def test_the_certificate_is_the_sum_with_each_theorem_once():
    ledger = Ledger(Budget(2, 1e-5))
    for cost in (Budget("0.5"), Budget("0.25", 1e-6)):
        ledger.spend(Toss([], cost), Sealed([1]))
    certificate = ledger.certificate()
    assert certificate.privacy == Budget("0.75", 1e-6)
    assert certificate.theorems == ("tossing, Theorem 1",)
    assert certificate.private and certificate.utility is None


def test_one_seeded_release_voids_the_certificate():
    assert Ledger(Budget(1)).certificate().private
    ledger = Ledger(Budget(1), rng=7)
    ledger.spend(Toss([]), Sealed([1]))
    assert not ledger.certificate().private
    assert "NOT PRIVATE" in str(ledger.certificate()) and "NOT PRIVATE (seeded)" in str(ledger)
    assert not ledger.entries[0].private


def test_seeded_coins_repeat_and_system_coins_do_not():
    def tosses(rng):
        ledger = Ledger(Budget(100), rng)
        return [ledger.spend(Toss([]), Sealed([1]))[1] for _ in range(64)]

    assert tosses(3) == tosses(3) != tosses(4)
    assert tosses(None) != tosses(None)


def test_entries_tell_what_ran():
    ledger = Ledger(Budget(1), who="ann")
    ledger.spend(Toss([]), Sealed([SECRET]))
    (entry,) = ledger.entries
    assert (entry.mechanism, entry.cost, entry.theorem, entry.who) == (
        "toss",
        Budget("0.25"),
        "tossing, Theorem 1",
        "ann",
    )
    assert entry.time.tzinfo is not None
    assert str(ledger) == "toss: ε = 0.25 [tossing, Theorem 1]"
    assert str(Ledger(Budget(1))) == "nothing was released"
    assert str(SECRET) not in repr(entry)


def test_a_sealed_sample_shows_its_size_and_nothing_else():
    sealed = Sealed([SECRET] * 3)
    assert repr(sealed) == str(sealed) == "Sealed(3 records)" and sealed.size == 3
    assert not hasattr(sealed, "__dict__")
    assert Sealed(iter([SECRET]), size=10).size == 10
    for peek in (iter, len, list, lambda s: s[0]):
        with pytest.raises(TypeError):
            peek(sealed)


def test_a_view_is_taken_of_the_opened_records():
    released, _ = Ledger(Budget(1)).spend(Toss([]), Sealed([1, 2, 3]).see(sum))
    assert released == 6


def test_one_release_charges_what_it_is_given():
    ledger, account = Ledger(Budget(1)), MemoryAccount(Budget(1))
    for budget in (ledger, account, Budget(1), None):
        assert spend(Toss([]), 5, budget, None)[0] == 5
    assert ledger.spent == account.spent == Budget("0.25")
    with pytest.raises(BudgetExceeded):
        spend(Toss([]), 5, Budget("0.1"), Untouchable())


def test_a_ledger_brings_its_own_coins():
    ledger = Ledger(Budget(1), Untouchable())
    for rng in (7, SYSTEM, Seeded(1)):
        with pytest.raises(ValueError, match="has its own source of coins"):
            spend(Toss([]), 5, ledger, rng)
    assert ledger.spent == Budget(0)


@pytest.mark.parametrize("account", [1, 1.0, "1", None, (1, 0)])
def test_what_cannot_be_charged_is_refused(account):
    with pytest.raises(TypeError, match=r"Budget\(1\)"):
        Ledger(account)


def test_a_forked_process_cannot_spend_it_again():
    ledger = Ledger(Budget(1))
    child = os.fork()
    if not child:
        try:
            ledger.spend(Toss([]), Sealed([1]))
        except RuntimeError:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
