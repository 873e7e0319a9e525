"""PolyPriLearn on points of any domain: the law of the listed class, exact privacy, and success at its certified n."""

import pickle
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import binom

import privpac as pp
from privpac.classes.values.points import OneOf, Points
from privpac.dimensions.oracle import ListedOracle
from privpac.dimensions.point_oracle import PointOracle, PointSet
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.proper import PolyPriPropLearn
from privpac.papers.ggkm21.reduce_tree import Levels, reduction
from privpac.papers.ggkm21.sizes import PolyPriPlan, Shape, closure_plan
from privpac.papers.ggkm21.trees import branching
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.grid import over
from tests.papers.ggkm21.audits import audited
from tests.sentinels import SECRET

pytestmark = pytest.mark.papers

COST, ROUGH, β = Budget(1, 1e-6), Budget(1, "0.02"), 0.05
EXACT = closure_plan(Shape(1, 1, 2**64, 2**64), Fraction(1, 4), β, COST).levels  # as points are planned
WIDE = Levels(1, Fraction(1, 4), Fraction(3, 4), Fraction(0), 1, 1)  # trees grow, and subsets vote for two points
THIRDS = Levels.tight(1, Fraction(1, 3), 2)
TWELVE = Points(12)
WORDS = ("EV", "ÜA", "B6")


def plan(m, n0, levels):
    return PolyPriPlan(m, n0, levels, levels.k(1) + 1)


def on_labels(law, points):
    """The law of the labels on all points: never has no name among the listed ones."""
    labels = {}
    for rule, p in law.items():
        key = tuple(rule(points).tolist())
        labels[key] = labels.get(key, 0) + p
    return labels


def different(oracle, levels):
    """The samples of three records of three values on which the law is not that of the listed class; most outcomes."""
    found, most = [], 0
    listed, closed = (PolyPriLearn(TWELVE, ROUGH, plan=plan(1, 3, levels), oracle=each) for each in (None, oracle))
    for S in product(product(range(3), (False, True)), repeat=3):
        one, other = (on_labels(learner.law(S), range(12)) for learner in (listed, closed))
        if one.keys() != other.keys() or not all(one[labels].overlaps(other[labels]) for labels in one):
            found.append(S)
        most = max(most, len(one))
    return found, most


@over("levels", [EXACT, WIDE, THIRDS, Levels.printed(1, Fraction(1, 5), 1)])
def test_the_law_is_that_of_the_listed_class(levels):
    """The listed domain has nine more values; infinitely many more fit no sample better."""
    assert different(PointOracle(TWELVE), levels) == ([], 3 if levels == WIDE else 2)


class Unseen(PointOracle):
    """Broken: points of values that no record has do not exist."""

    def low_errors(self, part, shares):
        seen = PointSet(frozenset(part.values.tolist()))
        return {share: state & seen for share, state in super().low_errors(part, shares).items()}


class Swapped(PointOracle):
    """Broken: a point errs on the ones of its value."""

    def low_errors(self, part, shares):
        return super().low_errors(part._replace(excess=-part.excess), shares)


class Pairs(PointOracle):
    """Broken: no point reduces two."""

    def reducing_set(self, state, k):
        return None


@pytest.mark.parametrize(("kind", "levels"), [(Unseen, THIRDS), (Swapped, EXACT), (Pairs, WIDE)])
def test_a_broken_oracle_has_another_law(kind, levels):
    assert different(kind(TWELVE), levels)[0]


class Twice(PolyPriLearn):
    """Broken: every hypothesis of a subset counts twice."""

    def votes_of(self, T_j):
        return [h for h in super().votes_of(T_j) for _ in range(2)]


class EachThatFits(PolyPriLearn):
    """Broken: a subset without ones votes for each of a few values that fit it, instead of for never."""

    def votes_of(self, T_j):
        return [OneOf(frozenset([v])) for v in (*WORDS, "7") if v not in T_j.values] if not T_j.ones else ()


class FirstOfAll(PolyPriLearn):
    """Broken: a subset that no point fits votes for the first value of the whole sample."""

    def run(self, data, ask):
        object.__setattr__(self, "first", OneOf(frozenset([data[0][0]])))
        return super().run(data, ask)

    def votes_of(self, T_j):
        return super().votes_of(T_j) or [self.first]


@pytest.mark.parametrize(
    ("kind", "levels", "ratio"),
    [
        (PolyPriLearn, EXACT, 1.0),
        (PolyPriLearn, WIDE, 1.0),
        (Twice, EXACT, 1.63),
        (EachThatFits, EXACT, 2.885),
        (FirstOfAll, EXACT, 1.961),
    ],
)
def test_private_on_all_ordered_samples(kind, levels, ratio):
    found = audited(kind(Points(), ROUGH, plan=plan(2, 2, levels)), WORDS, 4)
    assert float(found.ratio) == pytest.approx(ratio, abs=0.01)
    assert found.refuted is (kind is not PolyPriLearn)


@over("values", [(0, 1), (0, 1, 2), WORDS])
def test_private_on_a_domain_that_could_be_listed(values):
    """All values of the domain occur, and more of them than are declared."""
    H = Points(min(len(values), 2))
    found = audited(PolyPriLearn(H, ROUGH, plan=plan(2, 2, EXACT), oracle=PointOracle(H)), values, 4)
    assert not found.refuted and float(found.ratio) == pytest.approx(1, abs=0.01)


def test_a_plan_counts_votes_for_values_beyond_the_declared_number():
    """ℓ = 1 for a domain of one value: a subset with two more would vote for two, which the audit refutes."""
    made = {"plan": plan(2, 2, WIDE)._replace(votes=1), "oracle": PointOracle(Points(1))}
    with pytest.raises(ValueError, match="give votes=2"):
        PolyPriLearn(Points(1), ROUGH, **made)

    class Fewer(PolyPriLearn):
        selection = property(lambda self: SparseExponential(self.cost, 1))

    made["plan"] = plan(2, 2, WIDE)
    assert audited(Fewer(Points(1), ROUGH, **made), WORDS, 4).refuted


class AllButOne:
    """x ≠ v for every v: an oracle of one's own, as in the guide."""

    def __init__(self, size):
        self.concept_class, self.points = pp.Not(Points(size)), PointOracle(Points(size))
        self.dimension, self.everything = 1, self.points.everything
        self.ldim, self.low_errors = self.points.ldim, self.points.low_errors

    def restrict(self, state, x, y):
        return self.points.restrict(state, x, not y)

    def soa(self, state):
        return self.concept_class.hypothesis(self.points.soa(state))

    def reducing_set(self, state, k):
        found = self.points.reducing_set(state, k)
        return found and replace(found, labels=tuple(not y for y in found.labels))

    def part(self, examples):
        return self.points.part([(x, not y) for x, y in examples])


def test_so_does_a_plan_for_an_oracle_of_ones_own():
    """Its domain declares one value too, and takes any. With numbers, it would refuse them."""
    F = AllButOne(1)
    with pytest.raises(ValueError, match="give votes=2"):
        PolyPriLearn(F.concept_class, ROUGH, plan=plan(2, 2, WIDE)._replace(votes=1), oracle=F)
    kept = PolyPriLearn(F.concept_class, ROUGH, plan=plan(2, 2, WIDE), oracle=F)
    assert not audited(kept, WORDS, 4).refuted
    for size in (1, 2, 3, 2**64):
        tight = PolyPriLearn(AllButOne(size).concept_class, ROUGH, 0.4, constants="tight", oracle=AllButOne(size))
        assert tight.numbers.votes == tight.numbers.levels.k(1) + 1

    class Fewer(PolyPriLearn):
        selection = property(lambda self: SparseExponential(self.cost, 1))

    assert audited(Fewer(F.concept_class, ROUGH, plan=plan(2, 2, WIDE), oracle=F), WORDS, 4).refuted


def numbers(rng, n):
    """Of 2^64 numbers, where no two are alike but by chance."""
    return rng.integers(0, 2**64, n, dtype=np.uint64).tolist()


def texts(rng, n):
    """Of unboundedly many texts; half of them from the long tail of a popular few."""
    return [f"ж{v}" if v % 2 else f"name {int(rng.zipf(1.3))}" for v in rng.integers(0, 2**63, n).tolist()]


def population(target, mass, others):
    """Draws n records in which a share ``mass`` has the value ``target``, and only these are labeled 1."""

    def drawn(rng, n):
        ones = rng.random(n) < mass
        values = [target if one else v for one, v in zip(ones.tolist(), others(rng, n), strict=True)]
        return values, [v == target for v in values]

    return drawn


def one_more(value, share, others):
    """Others of which a share has one value."""
    return lambda rng, n: [
        value if heavy else v for heavy, v in zip(rng.random(n) < share, others(rng, n), strict=True)
    ]


def failures(learner, drawn, mass, runs, n=None, seed=5):
    """In how many runs the error exceeds α. The rule is never, or names a value: a wrong one has no mass of ones."""
    rng, failed = np.random.default_rng(seed), 0
    for _ in range(runs):
        values, labels = drawn(rng, n or learner.N)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rule = learner.learn(values, labels)
        fresh, truth = drawn(rng, 2000)
        wrong = (rule(fresh) != np.array(truth)).mean()
        failed += wrong > float(learner.alpha) if rule.values else mass > learner.alpha
    return failed


HOSTILE = {
    f"{mass:g} of {name}": (population(target, mass, others), mass)
    for mass in (0.0, 0.2375, 0.2625, 0.3, 0.5, 1.0)
    for name, target, others in (
        ("numbers", 2**64 - 1, numbers),
        ("texts", "ж", texts),
        ("one text and others", "ж", one_more("Ж", 0.97, texts)),
        ("2", 0, lambda rng, n: [1] * n),
        ("3", 0, lambda rng, n: rng.integers(1, 3, n).tolist()),
        ("40", 7, lambda rng, n: rng.integers(8, 40, n).tolist()),
    )
}


@over("name", HOSTILE)
def test_right_at_its_certified_n(name):
    """Of 40 runs 10 fail with a probability of 3e-5 if each fails with a probability of β = .05."""
    size = {"numbers": 2**64, "2": 2, "3": 3, "40": 40}.get(name.split(" of ")[1])
    learner = PolyPriLearn(Points(size), COST, 0.25, β, "tight")
    assert failures(learner, *HOSTILE[name], 40) < 10


def test_too_few_records_are_seen():
    learner = PolyPriLearn(Points(), COST, 0.25, β, "tight")
    few = PolyPriLearn(Points(), COST, 0.25, β, plan=learner.numbers._replace(m=30))
    assert failures(few, *HOSTILE["0.2625 of texts"], 40) > 20


@over("α", ["0.25", "0.1", "0.01"])
@over("cost", [COST, Budget(3, "1e-9"), Budget("0.2", "1e-4")])
def test_a_plan_keeps_its_promise(α, cost):
    """Each inequality of Theorem 2, part 2, from scratch, and by the law of what is chosen in the worst case."""
    learner = PolyPriLearn(Points(), cost, α, β, "tight")
    m, n0, levels, votes = learner.numbers
    assert (levels.alpha(1), levels.alpha(2), levels.back, levels.k(1), votes) == (1, 0, 0, 0, 1)
    γ, r, δ = (1 - float(α)) ** n0, exp(float(cost.epsilon) / 2), float(cost.delta)
    nothing = votes * r * (1 - δ) / δ
    fails = {b: binom.sf(b, m, γ) + (nothing + b * r**b) / r ** (m - b) for b in range(m // 2)}
    b = min(fails, key=fails.get)
    assert fails[b] <= β
    law = learner.selection.law({"target": m - b, "never": b})
    assert float(1 - law["target"]) <= β / 2
    assert closure_plan(Shape(1, 1, 2**64, 2**64), Fraction(α), β, cost) == learner.numbers


def test_only_tight_constants_without_a_plan_leave_the_list():
    """One point alone needs no records; a plan may be made for the list, and so may the oracle of the caller."""
    tight = PolyPriLearn(Points(40), COST, 0.25, β, "tight")
    listed = [
        PolyPriLearn(Points(1), COST, 0.25, β, "tight"),
        PolyPriLearn(Points(40), COST, 0.25, β, "printed"),
        PolyPriLearn(Points(40), COST, 0.25, β, "tight", plan=tight.numbers),
        PolyPriLearn(Points(40), COST, 0.25, β, "tight", oracle=ListedOracle(Points(40))),
        PolyPriPropLearn(Points(40), COST, 0.25, β, "tight").whole,
    ]
    assert [isinstance(learner.F, ListedOracle) for learner in (tight, *listed)] == [False, *[True] * 5]
    assert [learner.N for learner in listed] == [1, 5210688, 285, 125511, 125511]


@over("size", [2, 3])
def test_no_more_outputs_than_it_says(size):
    """On all samples of three records of the domain: its points, and never."""
    learner = PolyPriLearn(Points(size), ROUGH, 0.25, β, "tight")
    found = {rule for S in product(product(range(size), (False, True)), repeat=3) for rule in learner.law(S)}
    assert len(found) == size + 1 <= learner.outputs == (3 if size == 2 else 5)


def test_the_size_of_the_domain_does_not_matter():
    sizes = {PolyPriLearn(Points(size), COST, 0.1, β, "tight").N for size in (2, 40, 2**13, 2**64, 2**999, None)}
    assert len(sizes) == 1


REFUSED = {
    "missing": (["a", None], [0, 1]),
    "nan": ([1.0, float("nan")], [0, 1]),
    "labels": (["a", "b"], [0, 2]),
    "missing label": (["a", "b"], [0, None]),
    "set": (["a", {SECRET}], [0, 1]),
    "list of lists": ([["a"], [["b", {SECRET}]]], [0, 1]),
    "object": (["a", object()], [0, 1]),
    "huge": ([7, 10**5000], [0, 1]),
    "lengths": (["a"], [0, 1]),
}


@over("name", REFUSED)
def test_records_that_cannot_be_read_are_refused_and_nothing_is_spent(name):
    ledger = Ledger(COST)
    with pytest.raises((ValueError, TypeError), match=" ") as refused:
        PolyPriLearn(Points(), COST, 0.25, β, "tight").learn(*REFUSED[name], budget=ledger)
    assert str(SECRET) not in str(refused.value) and "0000" not in str(refused.value)
    assert ledger.spent == Budget(0)


@over("n", [0, 1, 2, 3])
def test_few_records_are_learned_from(n):
    learner = PolyPriLearn(Points(2**64), COST, 0.25, β, "tight")
    with pytest.warns(UserWarning, match=f"N = 285 examples, but there are {n}:"):
        assert str(learner.learn([2**70, "😀", (1, "é")][:n], [1, 0, 1][:n])) == "never"


def test_equal_values_are_one_and_are_released_in_one_form():
    """The rule does not tell which of several equal values a record held."""
    learner = PolyPriLearn(Points(), COST, 0.25, β, "tight")
    for values in ([1.0, True, 1, np.int64(1), Fraction(2, 2)], [1], [np.float32(1)]):
        rule = learner.learn(values * (400 // len(values)), [1] * 400)
        assert [(type(v), v) for v in rule.values] == [(int, 1)]


def test_no_records_remain():
    learner = PolyPriLearn(Points(), ROUGH, plan=plan(2, 2, WIDE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.learn(["a", "b", "a", "b"] * 2, [1, 1, 1, 1] * 2)
    assert learner._votes == {} and branching.cache_info().currsize == 0


def test_a_list_forgets_what_subsets_voted_for():
    learner = PolyPriLearn(TWELVE, ROUGH, plan=plan(2, 2, WIDE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.learn([3, 5, 3, 5] * 2, [1, 1, 1, 1] * 2)
    F = learner.F
    assert (F._soa, F._reducing) == ({}, {}) and b"x is one of" not in pickle.dumps(F)
    assert F.ldim(F.everything) == 1 and str(F.soa(F.restrict(F.everything, 3, True))) == "x = 3"


@over("oracle", [ListedOracle(Points(4)), PointOracle(Points(4))])
def test_an_oracle_of_another_class_is_refused(oracle):
    """Of one point there is one rule to vote for, of four there are more: (ε, δ) would not hold."""
    for H in (Points(1), pp.SparseSets(2, 4)):
        for options in ({"constants": "tight"}, {"plan": PolyPriPlan(2, 2, WIDE, 9)}):
            with pytest.raises(ValueError, match="another class; give its concept_class"):
                PolyPriLearn(H, ROUGH, 0.25, oracle=oracle, **options)
    assert PolyPriLearn(oracle.concept_class, ROUGH, 0.25, constants="tight", oracle=oracle).N


class Reducing(PointOracle):
    """Broken: more points reduce a state than were asked for."""

    def reducing_set(self, state, k):
        return super().reducing_set(state, 10**6)


def test_a_subset_that_votes_for_too_much_votes_for_nothing():
    """A record may change all votes of its subset, and ℓ bounds them, whatever an oracle says."""
    twin = PolyPriLearn(Points(), ROUGH, plan=plan(1, 9, WIDE), oracle=Reducing(Points()))
    part = twin.F.part([("a", False), ("b", True), ("c", True), ("d", True)])
    assert len(reduction(twin.F, twin.F.low_errors(part, WIDE.error_shares), WIDE).hypotheses) == 3 > twin.numbers.votes
    assert twin.votes_of(part) == frozenset()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (partial(PolyPriLearn, Points(), COST, 0.1, β, "printed"), "too many for a class that is not listed"),
        (partial(PolyPriLearn, Points(), COST, plan=plan(9, 9, Levels.tight(1, Fraction(1, 7), 9000))), "9000 points"),
        (partial(PolyPriLearn, Points(), COST, plan=plan(9, 9, WIDE)._replace(votes=1)), "give votes=2"),
        (partial(PolyPriPropLearn, Points(2**64), COST, constants="tight"), "too large to list"),
    ],
    ids=["printed", "large plan", "few votes", "proper"],
)
def test_what_is_not_here_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
