"""Risks of regions: what is counted, what the counts say, what follows without a charge, and what is refused."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import privpac as pp
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.regions import Bands, Leaves
from privpac.learners.errors.error_estimate import read_counts
from privpac.learners.errors.region_counts import Kinds, RegionCounts, most_regions
from privpac.learners.errors.risks import UNFIT, Risks, _in_digits
from privpac.privacy.certificate import Utility
from privpac.privacy.rounding import ceil_to, floor_to
from privpac.refusals.refusal import Refused, Setting
from tests.grid import over

F = Fraction
USUAL = F(1, 20)
YES, NO = Constant(True), Constant(False)
TREE = Split(Threshold(48), Split(Threshold(66), YES, NO), Split(Threshold(20), NO, YES))  # the last leaf is below 20
CARD = Scorecard((Threshold(10), Threshold(30), Threshold(60), Threshold(80)), (2, 1, 3, 4), 3)
RATE = F(1, 2)


def cells(*noisy, rule=TREE, n=None, rate=RATE, **more):
    return RegionCounts(rule, noisy, sum(noisy) if n is None else n, rate, USUAL, **more)


FULL = cells(900, 300, 200, 1800, 100, 1700, 400, 100)
SPARSE = cells(900, 300, 200, 9800, 100, 9700, 1, 0)  # hardly a record is below 20


def visits(n=4000, seed=1):
    rng = np.random.default_rng(seed)
    age, prior = rng.integers(18, 96, n), rng.poisson(0.8, n)
    risk = 0.05 + 0.55 * (prior >= 2) * (age >= 48) + 0.15 * (age >= 66)
    return {"age": age, "prior": prior}, np.where(rng.random(n) < risk, "yes", "no")


def fitted(concept_class=None, ε=4, **given):
    X, y = visits()
    columns = pp.Thresholds(18, 95, direction="above").on("age"), pp.Thresholds(0, 12, direction="above").on("prior")
    concept_class = concept_class or pp.Trees
    return pp.PrivateClassifier(
        concept_class(*columns), epsilon=ε, classes=("no", "yes"), report_error=True, random_state=3, **given
    ).fit(X, y)


def test_kinds_follow_the_labels_of_the_regions():
    kinds = Kinds.of((1, 0, 0, 1), void=True)
    assert kinds.true_positive == (0, 6) and kinds.false_positive == (1, 7)
    assert kinds.false_negative == (2, 4, 8) and kinds.true_negative == (3, 5, 9) and kinds.having(2) == (10,)


def test_public_numbers_decide_how_many_regions_are_counted():
    assert most_regions(F(1), 0, void=False) == 2 == most_regions(F(1, 1000), 10**5, void=True)
    assert most_regions(F(10**6), 10**9, void=True) == 32
    counts = [most_regions(F(1), n, void=True) for n in range(0, 3000, 100)]
    assert counts == sorted(counts)


def test_the_counts_must_be_those_of_the_regions():
    for wrong in ((1, 2, 3), (1, 2, 3, 4, 5, 6), (*range(8), 9, 9)):
        with pytest.raises(ValueError, match="a count for each label in each region"):
            cells(*wrong)
    for odd in ({"n": -1}, {"rate": F(0)}):
        with pytest.raises(ValueError, match="must not be negative"):
            cells(*range(8), **odd)


def test_the_error_adds_up_the_counts_of_all_regions():
    found = read_counts(FULL)
    assert found.error == pytest.approx((300 + 200 + 100 + 100) / 5500)
    assert found.sensitivity == pytest.approx(1300 / 1600) and found.specificity == pytest.approx(3500 / 3900)
    sides = read_counts(cells(1300, 400, 300, 3500, rule=Threshold(48)))
    assert sides.high - sides.low < found.high - found.low < 1.25 * (sides.high - sides.low)


@pytest.mark.slow
def test_risks_stand_in_their_intervals_and_add_up():
    regions = Risks(FULL, ("age",)).regions
    assert [region.sentence for region in regions] == ["age ≥ 66", "48 ≤ age < 66", "20 ≤ age < 48", "age < 20"]
    assert [region.label for region in regions] == [1, 0, 0, 1]
    assert sum(region.share for region in regions) == pytest.approx(1)
    for region, true in zip(regions, (0.75, 0.1, 0.0556, 0.8), strict=True):
        assert 0 < region.low < true < region.high < 1 and abs(region.risk - true) < 0.02
        assert region.low <= region.risk <= region.high


@pytest.mark.slow
def test_a_leaf_that_decides_hardly_a_record_is_pruned_and_the_interval_knows_it():
    pruning = SPARSE.pruning
    assert str(pruning.rule.named("age")) == "age ≥ 66" and pruning.labels == (1, 0, 0, 0)
    assert pruning.groups == ((0,), (1,), (2, 3)) and 0 < pruning.mass < 0.01
    found, low_high = read_counts(SPARSE), SPARSE.interval(Kinds.of((1, 0, 0, 1), void=False).errors, USUAL)
    assert found.low < low_high[0] and low_high[1] < found.high
    assert [region.sentence for region in Risks(SPARSE, ("age",)).regions][-1] == "age < 48"
    assert found.pruned(TREE) == pruning.rule and read_counts(FULL).pruned(TREE) is TREE


def test_a_certificate_of_a_pruned_rule_is_weaker_by_what_pruning_may_change():
    proved = Utility(F(1, 10), USUAL, "agnostic", "tree draw, Theorem 2")
    weaker = read_counts(SPARSE).certified(proved)
    assert 0 <= float(weaker.alpha - proved.alpha) - SPARSE.pruning.mass < 1e-5 and weaker.beta == USUAL * F(21, 20)
    assert read_counts(FULL).certified(proved) is proved and read_counts(SPARSE).certified(None) is None


def test_few_records_prune_nothing():
    """The bounds are then as wide as the interval of the error."""
    assert cells(90, 30, 20, 980, 10, 970, 0, 0).pruning.mass == 0


def test_leaves_with_one_label_stay_apart():
    tree = Split(Threshold(48), Split(Threshold(66), NO, NO), Split(Threshold(20), YES, NO))
    kept = cells(900, 9000, 20, 9800, 9000, 700, 1, 0, rule=tree)
    assert kept.pruning.groups == ((0,), (1,), (2, 3))
    assert kept.pruning.labels == (0, 0, 1, 1)


@pytest.mark.slow
def test_neighboring_bands_with_few_records_are_one():
    bands = cells(2, 1, 300, 20, 200, 150, 4, 3, 30, 900, 1, 2, rule=CARD, cuts=(9, 7, 3, 2, 1))
    assert isinstance(bands.partition, Bands)
    assert bands.pruning.groups == ((0, 1), (2,), (3, 4, 5))
    assert [each.sentence for each in Risks(bands).regions] == [
        "at least 7 points",
        "3 to 6 points",
        "at most 2 points",
    ]


def test_probabilities_are_never_0_or_1():
    for noisy in ((5000, -9, 0, 4000, 7, 6, -3, 0), (0,) * 8, (-5,) * 8):
        risks = Risks(cells(*noisy, n=9000))
        assert all(0 < region.risk < 1 and region.low <= region.risk <= region.high for region in risks.regions)
        assert set(risks.by_record(np.arange(100)).tolist()) == {region.risk for region in risks.regions}


@pytest.mark.slow
def test_a_fit_has_risks_and_probabilities_and_grades():
    clf = fitted()
    X, y = visits(seed=2)
    assert isinstance(clf.error_.cells.partition, Leaves)
    proba, grades = clf.predict_proba(X), clf.decision_function(X)
    assert proba.shape == (4000, 2) and np.allclose(proba.sum(axis=1), 1) and 0 < proba.min() < proba.max() < 1
    assert ((grades > 0) == (clf.predict(X) == "yes")).all()
    assert set(proba[:, 1].tolist()) <= {region.risk for region in clf.risks_}
    assert hasattr(clf, "predict_proba") and clf.privacy_ == pp.Budget(4)
    for region in clf.risks_:
        inside = np.isclose(proba[:, 1], region.risk)
        assert region.share < 0.05 or abs((y[inside] == "yes").mean() - region.risk) < 0.15


@pytest.mark.slow
def test_points_of_a_scorecard_grade_records():
    clf = fitted(pp.Scorecards)
    X, y = visits(seed=2)
    points = clf.decision_function(X)
    assert len(set(points.tolist())) > 4 and ((points > 0) == (clf.predict(X) == "yes")).all()
    assert points[0] == clf.hypothesis_.total(X)[0] - clf.hypothesis_.enough + 0.5
    auc = clf._risks.auc
    assert 0.6 < auc.low < auc.value < auc.high < 1
    assert points[y == "yes"].mean() > points[y == "no"].mean()


@pytest.mark.slow
def test_models_keep_risks_and_files_without_them_are_read():
    clf = fitted()
    X, _ = visits()
    model = pp.model_of(clf, "back")
    again = pp.Model.from_json(model.to_json())
    assert again == model and again.risks == clf.risks_ and (again.predict_proba(X) == clf.predict_proba(X)).all()
    assert str(again.operating_point(sensitivity=0.2)) == str(clf.operating_point(sensitivity=0.2))
    point = again.operating_point(sensitivity=0.2)
    other = pp.Model.from_json(again.at(point).to_json())
    assert ((other.predict(X) == "yes") == point.rule(X)).all() and other.error is other.certificate.utility is None
    plain = json.loads(model.to_json())
    for name in ("cells", "weights", "false_positives", "false_negatives"):
        del plain["error"][name]
    older = pp.Model.from_json(json.dumps(plain))
    assert older.risks == [] and older.error.error == model.error.error and older.error.cost == model.error.error
    with pytest.raises(Refused, match="no risk was measured"):
        older.predict_proba(X)
    with pytest.raises(ValueError, match="learn again"):
        older.error.weighed(1, 9)


def test_without_measured_risks_there_are_none():
    clf = fitted(ε=1)
    clf.set_params(report_error=False).fit(*visits())
    assert clf.risks_ == [] and not hasattr(clf, "predict_proba")
    with pytest.raises(AttributeError, match="report_error=True"):
        clf.predict_proba({"age": [1]})
    with pytest.raises(Refused, match="report_error=True"):
        clf.operating_point(sensitivity=0.8)
    assert set(clf.decision_function(visits()[0]).tolist()) <= {-1.0, 1.0}


@pytest.mark.slow
def test_operating_points_flag_the_highest_risks():
    risks = Risks(FULL, ("age",))
    wide, narrow = risks.operating_point(sensitivity=0.9), risks.operating_point(flagged_at_most=0.15)
    assert str(narrow.rule) == "age < 20" and str(wide.rule) == "age ≥ 48 or age < 20"
    assert wide.sensitivity.value == pytest.approx(1500 / 1600, abs=0.01) and narrow.flagged.value <= 0.15
    for point in (wide, narrow):
        for share in (point.sensitivity, point.specificity, point.flagged):
            assert share.low < share.value < share.high
    assert "with 95 % confidence" in str(wide)
    assert str(wide).startswith("age ≥ 48 or age < 20: flags about 67 % (")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "say one of sensitivity=0.8 or flagged_at_most=0.15"),
        ({"sensitivity": 0.8, "flagged_at_most": 0.1}, "say one of"),
        ({"sensitivity": 0}, "share between 0 and 1"),
        ({"sensitivity": True}, "share between 0 and 1"),
        ({"flagged_at_most": "a tenth"}, "share between 0 and 1"),
        ({"sensitivity": 0.99}, "reaches a sensitivity of about 94 %"),
        ({"flagged_at_most": 0.01}, "holds about 9 % of all records already"),
    ],
)
def test_what_cannot_be_reached_is_refused_with_what_can(asked, said):
    with pytest.raises(Refused, match=said):
        Risks(FULL).operating_point(**asked)


@pytest.mark.slow
def test_a_refusal_names_a_share_that_is_accepted():
    rng, named = np.random.default_rng(5), []
    for _ in range(12):
        counts = [int(each) for each in rng.integers(0, 10 ** rng.integers(1, 6), 8) * (rng.random(8) < rng.random())]
        risks = Risks(cells(*counts, n=sum(counts) + 1))
        for asked in ({"sensitivity": 1 - 1e-9}, {"flagged_at_most": 1e-9}):
            try:
                risks.operating_point(**asked)
            except Refused as refusal:
                shares = {part.name: part.values[0] for part in refusal.args[1:] if isinstance(part, Setting)}
                assert shares or " 0 % of" in str(refusal) or " 0 %; flag" in str(refusal) or "100 %" in str(refusal)
                point = risks.operating_point(**shares) if shares else None
                assert "sensitivity" not in shares or point.sensitivity.value >= shares["sensitivity"]
                assert "flagged_at_most" not in shares or point.flagged.value <= shares["flagged_at_most"]
                named += shares
    assert named.count("sensitivity") > 5 and named.count("flagged_at_most") > 5


def test_shares_are_named_with_enough_digits():
    reached = [_in_digits(share, floor_to) for share in (0.8466, 0.00004, 0.0, 1.0)]
    assert reached == [0.846, 0.00004, None, None]
    assert [_in_digits(share, ceil_to) for share in (0.1791, 0.99996, 1.0)] == [0.18, 0.99996, None]
    with pytest.raises(Refused, match=r"about 94 %; say sensitivity=0\.93\d or less; or flag every record"):
        Risks(FULL).operating_point(sensitivity=0.99)
    with pytest.raises(Refused, match=r"about 9 % of all records already; say flagged_at_most=0\.09\d? or more"):
        Risks(FULL).operating_point(flagged_at_most=0.01)


def test_a_constant_rule_has_one_region_and_no_operating_point():
    risks = Risks(cells(3, 1, 200, 800, rule=NO, n=1000), ("age",))
    (region,) = risks.regions
    assert region.sentence == "every record" and region.share == pytest.approx(1) and region.label == 0
    assert risks.auc is None and set(risks.by_record([1, 2]).tolist()) == {region.risk}
    with pytest.raises(Refused, match="same label"):
        risks.operating_point(sensitivity=0.8)


@over("n", [1, 2, 4, 5, 10])
def test_few_records_have_no_risks_or_wide_ones(n):
    clf = pp.PrivateClassifier(pp.Thresholds(0, 9, direction="above"), report_error=True, feature="x", random_state=7)
    clf.fit({"x": [5] * n}, [1] * n)
    if n < 5:
        assert clf.risks_ == []
        with pytest.raises(Refused, match="too few records to hold any out"):
            clf.predict_proba({"x": [3]})
    else:
        assert all(region.low < 0.1 and region.high > 0.9 for region in clf.risks_)
        assert ((clf.predict_proba({"x": [3]}) > 0) & (clf.predict_proba({"x": [3]}) < 1)).all()


def test_no_record_is_refused_as_before():
    with pytest.raises(ValueError, match="there are no records"):
        pp.PrivateClassifier(pp.Thresholds(0, 9, direction="above"), report_error=True, feature=None).fit(
            np.zeros(0), np.zeros(0)
        )


def test_one_label_that_occurs_has_one_column():
    clf = pp.PrivateClassifier(pp.Thresholds(0, 9, direction="above"), classes=None, report_error=True, feature=None)
    clf.fit([5] * 100, ["only"] * 100)
    assert clf.predict_proba([3]).tolist() == [[1.0]]


@pytest.mark.slow
def test_records_that_do_not_fit_have_a_risk_of_their_own():
    X, y = visits()
    X = {"age": [None if i % 4 == 0 else int(age) for i, age in enumerate(X["age"])], "prior": X["prior"]}
    clf = fitted(on_invalid="default").fit(X, y)
    unfit = clf.risks_[-1]
    assert unfit.sentence == UNFIT and unfit.share == pytest.approx(0.25, abs=0.05) and unfit.label == 0
    assert clf.predict_proba({"age": [None], "prior": [3]})[0, 1] == unfit.risk
    assert clf.decision_function({"age": [None], "prior": [3]})[0] < 0
    nothing = fitted(on_invalid="default").fit({"age": [None] * 500, "prior": [0] * 500}, ["?"] * 500)
    assert all(region.low <= region.risk <= region.high for region in nothing.risks_)
    assert 0 < nothing.predict_proba({"age": [30], "prior": [3]})[0, 1] < 1


def test_weights_give_costs_with_intervals():
    found = read_counts(FULL, (), (1, 10))
    assert found.cost == pytest.approx((400 + 10 * 300) / 5500, rel=0.01)
    assert found.cost_low < found.cost < found.cost_high and found.better
    never, always = found.constant_costs
    assert never == pytest.approx(16000 / 5500) and always == pytest.approx(3900 / 5500)
    told = found.sentence("home", "back")
    assert told.startswith("costs about 61.8 per 100 new records (between ")
    assert told.endswith("always answering home would cost about 290.9, always answering back about 70.9; an error on "
                         "home costs 1, on back 10")  # fmt: skip
    assert read_counts(FULL).weighed(1, 10) == found and read_counts(FULL).cost == read_counts(FULL).error
    with pytest.raises(ValueError, match="weights are positive"):
        replace(found, weights=(0, 1))


def test_a_rule_may_err_less_and_cost_more_than_a_constant():
    rare = cells(20, 10, 180, 1790, rule=Threshold(3))
    assert read_counts(rare).error < read_counts(rare).constant
    dear = read_counts(rare, (), (1, 50))
    assert not dear.better and dear.worse
    told = dear.sentence()
    assert told.startswith(
        "This rule is clearly worse than always answering yes, which would cost about 90.0 per 100 new"
    )
    assert told.endswith("an error on no costs 1, on yes 50.")


@over("label", [False, True])
def test_a_constant_costs_what_its_errors_cost(label):
    noisy = (4, 2, 200, 1800) if not label else (200, 1800, 4, 2)
    found = read_counts(cells(*noisy, rule=Constant(label), n=2000), (), (1, 9))
    assert found.cost == pytest.approx(found.error * (1 if label else 9)) and not found.better
    assert f"This rule always answers {'yes' if label else 'no'}. It costs about" in found.sentence()


@pytest.mark.audit
def test_whole_fits_that_prune_are_covered():
    """60 fits at ε = 1; cuts beyond all records make empty leaves. Of 60, 9 may miss: 5 % and four deviations more."""
    rng, trees = np.random.default_rng(11), pp.Trees(pp.Thresholds(0, 39).on("age"), pp.Thresholds(0, 60).on("stays"))
    ages = np.arange(40)
    pruned = missed = 0
    for _ in range(30):
        X = {"age": rng.integers(0, 40, 20_000), "stays": rng.integers(0, 2, 20_000)}
        y = rng.random(20_000) < 0.35 + 0.3 * (X["age"] >= 20)
        clf = pp.PrivateClassifier(trees, classes=(False, True), report_error=True).fit(X, y)
        both = {"age": np.concatenate([ages, ages]), "stays": np.repeat([0, 1], 40)}
        risk = 0.35 + 0.3 * (both["age"] >= 20)
        error, cells = np.where(clf.predict(both), 1 - risk, risk).mean(), clf.error_.cells
        right = clf.error_.low <= error <= clf.error_.high
        if cells.pruning.mass:
            pruned += 1
            places = cells.partition.places(both)
            for group, region in zip(clf._risks._groups, clf.risks_, strict=True):
                inside = risk[np.isin(places, group)]
                right &= not len(inside) or region.low <= inside.mean() <= region.high
        missed += not right
    assert pruned >= 5 and missed <= 9


@pytest.mark.audit
def test_intervals_hold_together_after_pruning_and_after_a_choice():
    """150 draws; if each covers with probability .95, fewer than 123 do with probability below 10⁻⁶ (binomial)."""
    rng = np.random.default_rng(7)
    mass, risk = np.array([0.3, 0.45, 0.249, 0.001]), np.array([0.7, 0.2, 0.05, 0.5])
    both = np.stack([mass * risk, mass * (1 - risk)], axis=1).ravel()
    hits = {"error": 0, "cost": 0, "risks": 0, "point": 0}
    pruned = 0
    for _ in range(150):
        noise = rng.geometric(1 - np.exp(-0.5), (2, 8))
        drawn = cells(*map(int, rng.multinomial(8000, both) + noise[0] - noise[1]), n=8000)
        found, labels = read_counts(drawn, (), (1, 10)), np.array(drawn.pruning.labels)
        pruned += drawn.pruning.mass > 0
        hits["error"] += found.low <= mass @ np.where(labels, 1 - risk, risk) <= found.high
        hits["cost"] += found.cost_low <= mass @ np.where(labels, 1 - risk, 10 * risk) <= found.cost_high
        risks = Risks(drawn)
        true = [mass[list(group)] @ risk[list(group)] / mass[list(group)].sum() for group in risks._groups]
        hits["risks"] += all(each.low <= p <= each.high for each, p in zip(risks.regions, true, strict=True))
        point = risks.operating_point(sensitivity=0.8)
        says = point.rule(np.array([70, 50, 30, 10]))
        sensitivity, specificity = mass * risk @ says / (mass @ risk), mass * (1 - risk) @ ~says / (mass @ (1 - risk))
        shares = ((point.sensitivity, sensitivity), (point.specificity, specificity), (point.flagged, mass @ says))
        hits["point"] += all(share.low <= p <= share.high for share, p in shares)
    assert min(hits.values()) >= 123 and pruned > 100
