"""Measured errors, costs, and risks of rules with several labels: kinds, coverage, and privacy over all neighbors."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.fits import AuditedFit, fit_of
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.rules import Answer, LabelSplit
from privpac.classes.lines.rules import Threshold
from privpac.classes.regions import Answers, Leaves
from privpac.data.samples.sample import Sample, Void
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.errors.error_intervals import MOST_EXACT, NoiseSum
from privpac.learners.errors.label_errors import LabelErrors, read_label_counts
from privpac.learners.errors.region_counts import Kinds, LabelCounts, folded_cells, region_cells
from privpac.learners.errors.risks import UNFIT, Risks, risks_of
from privpac.refusals.refusal import Refused
from tests.grid import over

F, USUAL, RATE = Fraction, Fraction(1, 20), Fraction(1, 2)
TREE = LabelSplit(
    Threshold(30), LabelSplit(Threshold(60), Answer(2), Answer(1)), LabelSplit(Threshold(10), Answer(2), Answer(0))
)


def counts(*noisy, rule=TREE, n=None, K=3, **more):
    return LabelCounts(rule, tuple(noisy), sum(noisy) if n is None else n, RATE, USUAL, K=K, **more)


FULL = counts(700, 100, 50, 60, 800, 90, 500, 70, 30, 20, 40, 900)  # by leaf, the last label first


@over("K", (3, 5))
@over("folded", (False, True))
@over("void", (False, True))
def test_every_record_is_of_one_kind(K, folded, void):
    answers = tuple(range(K))
    kinds = Kinds.folded(K, void) if folded else Kinds.of(answers, void, K)
    table = np.arange(K * K).reshape(K, K)  # answers, by labels
    unfit = 100 + np.arange(K + 1)
    cells = (*table[:, ::-1].ravel().tolist(), *unfit[:K][::-1].tolist(), int(unfit[K]))[: None if void else K * K]
    found = folded_cells(cells, answers, K) if folded else cells
    assert len(found) == len(kinds.labels) and sum(found) == sum(cells)
    right = int(np.trace(table)) + 100 * void  # misfits get the first label
    assert sum(found[kind] for kind in kinds.right) == right
    declared = int(table.sum()) + void * int(unfit[:K].sum())
    assert sum(found[kind] for kind in kinds.errors) == declared - right
    for k in range(K):
        more, less = kinds.against_constant(k)
        of_k = int(table[:, k].sum()) + void * (100 + k)
        gain = sum(found[kind] for kind in more) - sum(found[kind] for kind in less)
        assert gain == right - of_k  # rule right minus constant right


def test_labels_in_regions_are_counted_by_definition():
    rng = np.random.default_rng(0)
    labels, places, numbers = rng.integers(4, size=30), rng.integers(5, size=30), rng.integers(9, size=30)
    void = Void(np.array([1, 3]), np.array([5, 2]))
    size = int(numbers.sum()) + 9
    found = Sample(places, labels, numbers, size, places, void=void, K=4).cells(lambda values: values, 5, 4)
    for g, k in product(range(5), range(4)):
        assert found[4 * g + 3 - k] == numbers[(labels == k) & (places == g)].sum()
    assert found[20:] == (2, 0, 5, 0, 2) and sum(found) == size


def drawn(rng, chances, m):
    """Noisy counts of m records, with the noise of ε = 1."""
    noise = rng.geometric(1 - np.exp(-0.5), (2, len(chances)))
    return tuple((rng.multinomial(m, chances) + noise[0] - noise[1]).tolist())


SEVERAL = LabelSplit(Threshold(30), TREE.yes, LabelSplit(Threshold(10), Answer(0), Answer(3)))
BOTH = LabelSplit(Threshold(30), LabelSplit(Threshold(60), Answer(2), Answer(3)), Answer(2))
COUNTED = {"leaves": (SEVERAL, 4, Leaves), "answers": (BOTH, 2, Answers), "folded": (SEVERAL, 2, Answers)}


@pytest.mark.audit
def test_intervals_cover_and_constants_are_told_apart():
    """Of 72 samples, 5 % and four standard deviations may miss, of 12 with risks too; so may constants be better."""
    rng, m, K, weights = np.random.default_rng(5), 400, 4, (1, 3, 3, 10)
    missed, better = np.zeros(3), 0
    for (rule, regions, kind), void in product(COUNTED.values(), (False, True)):
        size = K * regions + (K + 1) * void
        chances = rng.dirichlet(np.ones(size))
        some = counts(*[0] * size, rule=rule, n=m, K=K, void=void)
        assert isinstance(some.partition, kind) and some.folded == (some.partition.number > regions)
        kinds = some.measured_kinds
        declared, nothing_else = chances[list(kinds.declared)].sum(), np.eye(size)[kinds.at(2, 2)[0]]
        error = chances[list(kinds.errors)].sum() / declared
        cost = sum(weights[kinds.labels[i]] * chances[i] for i in kinds.errors) / declared
        likely = [chances[K * g : K * (g + 1)][::-1] for g in range(regions + void)]
        for i in range(12):
            cells = replace(some, noisy=drawn(rng, chances, m))
            found = read_label_counts(cells, (), weights)
            missed[0] += not found.low <= error <= found.high
            missed[1] += not found.cost_low <= cost <= found.cost_high
            if i < 3 and not some.folded:
                risks = [list(region.risks.values()) for region in Risks(cells).regions]
                both = [zip(each, p / p.sum(), strict=True) for each, p in zip(risks, likely, strict=True)]
                missed[2] += not all(each.low <= p <= each.high for pairs in both for each, p in pairs)
            better += read_label_counts(replace(some, noisy=drawn(rng, nothing_else, m)), (), weights).better
    assert max(*missed[:2], better) <= 11 and missed[2] <= 3


def test_a_cost_adds_up_what_errors_on_each_label_cost():
    found = read_label_counts(FULL, (), (1, 2, 10))
    wrong = (50 + 90 + 30, 100 + 70 + 40, 60 + 20)
    assert found.cost == pytest.approx((wrong[0] + 2 * wrong[1] + 10 * wrong[2]) / 3360, rel=0.01)
    assert 0 < found.cost_low < found.cost < found.cost_high < 1 and found.better and not found.worse
    shares = np.array([1070, 1010, 1280]) / 3360
    assert found.constant_costs == pytest.approx([2 * shares[1] + 10 * shares[2], shares[0] + 10 * shares[2],
                                                  shares[0] + 2 * shares[1]])  # fmt: skip
    told = found.sentence("red", "green", "blue")
    assert told.startswith("costs about 41.4 per 100 new records (between ")
    assert told.endswith(
        "always answering red would cost about 441.1, always answering green about 412.8, always answering blue about "
        "92.0; an error on red costs 1, on green 2, on blue 10"
    )
    even = read_label_counts(FULL)
    assert even.cost == even.error and even.costs == () and "cost" not in str(even)


def test_a_rule_may_err_less_and_cost_more_than_a_constant():
    rare = counts(0, 0, 0, 5, 400, 20, 2, 9, 30, 60, 30, 1900)
    even, dear = read_label_counts(rare), read_label_counts(rare, (), (1, 1, 100))
    assert even.better and dear.worse and not dear.better
    told = dear.sentence("red", "green", "blue")
    assert told.startswith("This rule is clearly worse than always answering blue, which would cost about ")
    assert told.endswith("an error on red costs 1, on green 1, on blue 100.")


def test_a_constant_rule_is_told_once():
    found = read_label_counts(counts(100, 300, 600, rule=Answer(0)))
    assert str(found.named("red", "green", "blue")).startswith("This rule always answers red. It errs on about 40.0 %")
    (region,) = Risks(found.cells, (), ("red", "green", "blue")).regions
    assert region.sentence == "every record" and region.risks["green"].value == pytest.approx(0.3, abs=0.01)


@pytest.mark.slow
def test_each_region_has_the_risk_of_each_label():
    regions = Risks(FULL, ("age",), ("red", "green", "blue")).regions
    assert [region.sentence for region in regions] == ["age ≥ 60", "30 ≤ age < 60", "10 ≤ age < 30", "age < 10"]
    assert [region.label for region in regions] == [2, 1, 2, 0]
    assert sum(region.share for region in regions) == pytest.approx(1)
    for region, true in zip(regions, (700 / 850, 800 / 950, 500 / 600, 900 / 960), strict=True):
        assert region.low < true < region.high and abs(region.risk - true) < 0.02
        assert region.risks[("red", "green", "blue")[region.label]].numbers == (region.risk, region.low, region.high)
        assert sum(each.value for each in region.risks.values()) == pytest.approx(1)
    chances = Risks(FULL).by_record(np.array([70, 5]))
    assert chances.shape == (2, 3) and (chances > 0).all() and chances[1].argmax() == 0


def test_a_leaf_that_decides_hardly_a_record_is_pruned():
    sparse = counts(700, 900, 950, 960, 9800, 990, 0, 1, 0, 920, 940, 9900)
    found = read_label_counts(sparse)
    assert sparse.pruning.groups == ((0,), (1,), (2, 3)) and sparse.pruning.labels == (2, 1, 0, 0)
    assert found.pruned(TREE) == LabelSplit(Threshold(30), TREE.yes, Answer(0))
    low, high = sparse.interval(sparse.measured_kinds.errors, USUAL)
    assert found.low < low and high < found.high
    assert [each.sentence for each in Risks(sparse, ("age",)).regions] == ["age ≥ 60", "30 ≤ age < 60", "age < 30"]
    assert read_label_counts(FULL).pruned(TREE) is TREE


def test_records_that_do_not_fit_have_risks_of_their_own():
    risks = Risks(counts(*FULL.noisy, 10, 20, 170, 5, void=True), (), "abc")
    assert risks.unfit.sentence == UNFIT and risks.unfit.label == 0
    assert risks.unfit.risks["a"].value == pytest.approx(0.85, abs=0.02)


def test_folded_counts_have_no_risks_and_no_cut_offs():
    folded = read_label_counts(counts(700, 800, 900, 80, 210, 170))
    assert folded.cells.folded and folded.confusions == () and risks_of(folded) is None
    with pytest.raises(Refused, match="for two labels"):
        Risks(FULL).operating_point(sensitivity=0.8)
    assert Risks(FULL).auc is None


def test_the_counts_must_be_those_of_the_regions():
    for wrong in (5, 6 + 1, 3 * 5, 8):
        with pytest.raises(ValueError, match="a count for each label"):
            counts(*range(wrong))


@over("terms", (8, MOST_EXACT))
@over("rate", (F(1, 2), F(1, 200)))
def test_tails_of_many_noises_are_bounded(terms, rate):
    t = np.array([-3, 0, 1, 5, 20, 60]) * max(1, int(1 / rate / 4))
    exact = NoiseSum(rate, terms)
    bound = exact._bound(t.astype(float))
    assert (bound >= exact.tail(t)).all()
    usual = exact.tail(t) > 1e-4
    assert (bound[usual] <= 20 * exact.tail(t)[usual]).all()
    assert np.isfinite(NoiseSum(rate, 4096).tail(t)).all()


def test_what_contradicts_itself_is_refused():
    right = {
        "error": 0.1, "low": 0.05, "high": 0.2, "confidence": F(19, 20), "shares": (0.2, 0.3, 0.5),
        "right": (1.0, 1.0, 0.8), "seen": (True,) * 3, "confusions": (), "constant": 0.5, "better": True, "held": 100,
    }  # fmt: skip
    assert LabelErrors(**right).labels == ("label 0", "label 1", "label 2")
    for wrong in ({"error": 0.3}, {"shares": (0.2, 0.8)}, {"right": (1.0, 2.0, 0.5)}, {"worse": True}, {"held": -1},
                  {"confusions": ((1.0,),)}, {"weights": (1, 2)}, {"costs": (0.1, 0.0, 0.2)},
                  {"weights": (1, 2, 3), "costs": (0.1, 0.2, 0.3)}):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            LabelErrors(**right | wrong)


UNIVERSE = [*product(((0,), (1,)), range(3)), (None, 0), (None, 2), None]


@over("folded", (False, True))
@over("void", (False, True))
def test_one_record_changes_two_counts_by_one(folded, void):
    """So the noise of disjoint counts is enough, for every tree and every pair of records."""
    universe = UNIVERSE if void else UNIVERSE[:6]
    fit = fit_of(DecisionTreeLearner, pp.Trees(pp.Thresholds(0, 1).on(0), depth=1), labels=3)
    learned = AuditedFit(fit, 2)
    for i, j in product(range(3), repeat=2):
        regions = Leaves(LabelSplit(ColumnRule(Threshold(1), 0), Answer(i), Answer(j)))

        def counted(sample, regions=regions):
            cells = region_cells(sample, regions, void=void, labels=3)
            return np.array(folded_cells(cells, regions.labels, 3) if folded else cells)

        found = [counted(learned.read((UNIVERSE[0], each))) for each in universe]
        assert all(each.sum() == 2 for each in found)
        assert max(np.abs(one - other).sum() for one, other in product(found, repeat=2)) <= 2


def test_a_rate_is_unknown_while_noise_may_have_made_its_count():
    found = read_label_counts(counts(100, 90, 1, 5, 3, 1, n=200))
    assert found.seen == (False, True, True)
    assert "an unknown share of label 0" in found.rates
