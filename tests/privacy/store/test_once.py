"""Keys: one charge and one release, whoever runs again; never fresh coins under an old charge."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product

import pytest

from privpac.mechanisms import discrete_laplace
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store import charging
from privpac.privacy.store import tables as store_tables
from privpac.privacy.store.accounts import BudgetStore, StoreError
from privpac.privacy.store.once import LONGEST, AlreadyCharged, Claim, ClaimingAccount, Once

NEVER = [False] * 1000
ASKED = (("n", "1000"), ("epsilon", "1"))


def entry(epsilon=1):
    return Entry("exponential", Budget(epsilon), "selection, Theorem 1")


@pytest.fixture
def account(url):
    return BudgetStore(url, timeout=1).account("clinic", Budget(3))


# --- claims ----------------------------------------------------------------------------------------------------------


def test_a_key_is_claimed_once_together_with_its_charge(account):
    claim = Claim("May 3", ASKED)
    assert account.claim_on("May 3") is None
    account.charge_once(entry(), claim)
    assert account.claim_on("May 3") == claim
    for run in (claim, Claim("May 3", ASKED)):  # the same run, and another one
        with pytest.raises(AlreadyCharged, match="nothing was charged now"):
            account.charge_once(entry(), run)
    assert account.spent == Budget(1)
    account.charge_once(entry(), Claim("May 4", ASKED))
    assert account.spent == Budget(2)


def test_a_refused_charge_claims_nothing(account):
    with pytest.raises(BudgetExceeded):
        account.charge_once(entry(4), Claim("May 3", ASKED))
    assert account.claim_on("May 3") is None
    account.charge_once(entry(), Claim("May 3", ASKED))


def test_accounts_do_not_share_keys(account):
    other = account.store.account("archive", Budget(1))
    account.charge_once(entry(), Claim("May 3", ASKED))
    other.charge_once(entry(), Claim("May 3", ASKED))
    account.keep("May 3", "ours")
    assert (account.result("May 3"), other.result("May 3")) == ("ours", None)


def test_racing_claims_admit_one(account):
    def claimed(_):
        try:
            account.charge_once(entry(Fraction(1, 100)), Claim("May 3", ASKED))
        except AlreadyCharged:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(claimed, range(16))) == 1
    assert len(account.history()) == 1


def test_only_one_release_is_kept(account):
    account.charge_once(entry(), Claim("May 3", ASKED))
    account.keep("May 3", "the first")
    with pytest.raises(StoreError):
        account.keep("May 3", "another")
    assert account.result("May 3") == "the first"


def test_a_release_without_a_charge_is_not_kept_on_postgresql(postgres):
    """SQLite does not enforce foreign keys; no code keeps what it did not charge."""
    account = BudgetStore(postgres()).account("clinic", Budget(1))
    with pytest.raises(StoreError, match="violates foreign key"):
        account.keep("May 3", "unpaid")


def test_a_store_that_is_older_than_keys_learns_them(account):
    with account.store.transaction(writes=True) as connection:
        store_tables.TABLES.drop_all(connection, tables=[store_tables.KEY, store_tables.RESULT])
    assert account.claim_on("May 3") is None
    assert account.result("May 3") is None
    account.charge_once(entry(), Claim("May 3", ASKED))
    account.keep("May 3", "kept")
    assert account.result("May 3") == "kept"


# --- the answer of a commit is lost ----------------------------------------------------------------------------------


@pytest.fixture
def lost(monkeypatch):
    """Makes the next commits lose their answers: those in ``reach`` arrive, the others do not."""

    def lose(*reach):
        todo, begin = list(reach), BudgetStore.transaction

        class Losing:
            def __init__(self, inner, writes):
                self.inner, self.writes = inner, writes

            def __enter__(self):
                return self.inner.__enter__()

            def __exit__(self, *raised):
                if raised[0] is not None or not self.writes or not todo:
                    return self.inner.__exit__(*raised)
                gone = StoreError("the budget store cannot be used: server closed the connection unexpectedly")
                if todo.pop(0):
                    self.inner.__exit__(None, None, None)
                else:
                    self.inner.__exit__(type(gone), gone, None)
                raise gone

        monkeypatch.setattr(
            BudgetStore, "transaction", lambda self, writes=False: Losing(begin(self, writes=writes), writes)
        )

    return lose


def test_a_charge_that_arrived_is_told(account, lost):
    lost(True)
    with pytest.raises(StoreError, match="ε = 1 was charged all the same, and nothing was released for it"):
        account.charge(entry())
    assert account.spent == Budget(1)


def test_a_charge_that_was_lost_is_told(account, lost):
    lost(False)
    with pytest.raises(StoreError, match="; nothing was charged"):
        account.charge(entry())
    assert account.spent == Budget(0)


def test_a_charge_that_cannot_be_looked_up_is_told(account, lost):
    lost(True, *NEVER)
    with pytest.raises(StoreError, match="perhaps ε = 1 was charged: see privpac budget history clinic"):
        account.charge(entry())
    assert account.spent == Budget(1)


def test_a_claim_that_arrived_counts(account, lost):
    """This very run made it and has tossed no coin yet."""
    claim = Claim("May 3", ASKED)
    lost(True)
    account.charge_once(entry(), claim)
    assert account.claim_on("May 3") == claim
    assert account.spent == Budget(1)


@pytest.mark.slow
def test_a_claim_that_was_lost_or_is_unknown_does_not_count(account, lost):
    lost(False)
    with pytest.raises(StoreError, match="; nothing was charged"):
        account.charge_once(entry(), Claim("May 3", ASKED))
    lost(True, *NEVER)
    with pytest.raises(StoreError, match="perhaps"):
        account.charge_once(entry(), Claim("May 3", ASKED))
    assert account.spent == Budget(1)


# --- keys ------------------------------------------------------------------------------------------------------------


def test_a_free_key_has_no_release_and_a_kept_one_is_found(account):
    once, claim = account.once("May 3"), Claim("May 3", ASKED)
    assert once.released(claim) is None
    account.charge_once(entry(), claim)
    account.keep("May 3", "kept")
    assert once.released(Claim("May 3", ASKED)) == "kept"


def test_another_question_is_refused_and_told_apart(account):
    account.charge_once(entry(), Claim("May 3", ASKED))
    account.keep("May 3", "kept")
    for other, name in (((("n", "999"), *ASKED[1:]), "n"), ((*ASKED, ("delta", "0")), "delta"), (ASKED[:1], "epsilon")):
        with pytest.raises(AlreadyCharged, match=f"another question, with another {name}; give each question a key"):
            account.once("May 3").released(Claim("May 3", other))


def test_an_unfinished_run_is_waited_for_then_refused(account):
    once = account.once("May 3")
    account.charge_once(entry(), Claim("May 3", ASKED))
    with pytest.raises(AlreadyCharged, match=r"kept no release.*choose another key, which is charged anew"):
        once.released(Claim("May 3", ASKED))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(once.released, Claim("May 3", ASKED))
        account.keep("May 3", "late")
        assert waiting.result() == "late"


@pytest.mark.parametrize("key", ["", "  ", "two\nlines", "x" * (LONGEST + 1)])
def test_a_key_is_printable(account, key):
    with pytest.raises(ValueError, match="a key must be printable"):
        account.once(key)


def test_a_key_is_text(account):
    with pytest.raises(TypeError, match="a key must be text"):
        account.once(3)


def test_a_key_pays_for_whole_fits_only(account):
    with pytest.raises(TypeError, match="pays for a whole fit or release only"):
        discrete_laplace(7, epsilon=1, budget=account.once("May 3"))
    assert account.spent == Budget(0)


def test_a_key_can_be_sent(account):
    assert pickle.loads(pickle.dumps(account.once("May 3"))) == Once(account, "May 3")


def test_no_entry_passes_under_a_key_that_could_not_be_claimed(account):
    """Even if somebody catches the refusal and asks again."""
    account.charge_once(entry(), Claim("May 3", ASKED))
    claiming = ClaimingAccount(Once(account, "May 3"), Claim("May 3", ASKED), "learner", Budget(1))
    for _ in range(2):
        with pytest.raises(AlreadyCharged):
            claiming.charge(entry())
    assert claiming.spent == Budget(0)
    assert account.spent == Budget(1)


def test_the_whole_cost_is_charged_with_the_first_entry(account):
    paying = ClaimingAccount(account.once("May 3"), Claim("May 3", ASKED), "tree", Budget(2))
    assert account.spent == Budget(0)
    paying.charge(entry())
    assert (account.spent, paying.spent) == (Budget(2), Budget(1))
    paying.charge(entry())
    with pytest.raises(BudgetExceeded):
        paying.charge(entry(Fraction(1, 10**9)))
    assert [each.mechanism for each in account.history()] == ["tree, once: May 3"]


# --- why a key is not given back -------------------------------------------------------------------------------------


def views(truth, tries, redraws):
    """What an observer sees of a release of one bit that is kept only if it is 1, and how often it sees that.

    The bit is ``truth`` with probability 3/4, which is private at ε = log 3. A twin that ``redraws`` tosses fresh coins
    under the old charge until it keeps a bit, ``tries`` times at most; the observer sees how often it was run.
    """
    seen = {}
    for bits in product((0, 1), repeat=tries if redraws else 1):
        chance = Fraction(1)
        for bit in bits:
            chance *= Fraction(3, 4) if bit == truth else Fraction(1, 4)
        runs = bits.index(1) + 1 if 1 in bits else len(bits)
        view = (runs, 1 in bits)
        seen[view] = seen.get(view, 0) + chance
    return seen


def worst_ratio(redraws, tries=4):
    """e^ε of what the observer sees."""
    one, other = views(0, tries, redraws), views(1, tries, redraws)
    return max(max(one[view] / other[view], other[view] / one[view]) for view in one)


def test_a_key_that_is_refused_costs_what_was_charged():
    assert worst_ratio(redraws=False) == 3


def test_fresh_coins_under_an_old_charge_cost_as_much_as_all_of_them():
    assert worst_ratio(redraws=True) == 3**4  # 4 runs cost 4 ε, and one of them was charged


class Redrawing(Once):
    """Broken: forgets claims without a release, so that the run goes on to toss coins."""

    def released(self, claim):
        return self.account.result(self.key)


def test_the_store_refuses_the_twin_that_redraws(account):
    """Even a run that does not look finds the key taken when it charges, before its first coin."""
    account.charge_once(entry(), Claim("May 3", ASKED))
    twin = Redrawing(account, "May 3")
    assert twin.released(Claim("May 3", ASKED)) is None
    with pytest.raises(AlreadyCharged):
        ClaimingAccount(twin, Claim("May 3", ASKED), "tree", Budget(1)).charge(entry())


def test_the_primary_key_alone_admits_one_claim(account, monkeypatch):
    """The claim of another run does not count as ours, even if we meet it only when we write our own."""
    account.charge_once(entry(), Claim("May 3", ASKED))
    monkeypatch.setattr(charging, "_check_free", lambda *_: None)
    with pytest.raises(StoreError, match=r"(?is)unique.*nothing was charged"):
        account.charge_once(entry(), Claim("May 3", ASKED))
    assert account.spent == Budget(1)
