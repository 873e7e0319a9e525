"""Rules with a name that comes from the records: the view, its exact privacy, broken twins, certificates."""

import numpy as np
import pytest
from scipy.special import betaincinv

from privpac.audit.claims.case import Case, labeled
from privpac.classes.compositions.compose import And, Compose, Not, Or, Xor
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.rules import named_rules as alike_names
from privpac.learners.rules import named_rules as category_rules
from privpac.learners.rules.named_rules import NamedRuleLearner, NamesApart, Variants
from privpac.mechanisms.selection.blockwise_exponential import VariantExponential
from privpac.privacy.budget import Budget

LATE = Thresholds(0, 3, direction="above")
CLASSES = [
    And(LATE.on("a"), Points().on("b")),
    Or(Points().on("b"), Intervals(0, 3).on("a")),
    Xor(LATE.on("a"), Points().on("b")),
    Compose(lambda a, b, c: a and not (b and c), LATE.on("a"), Points().on("b"), LATE.on("a")),
    Not(Points().on("b")),
    Compose([0, 0, 0, 0], LATE.on("a"), Points().on("b")),
]


def sample_of(H, records, counts=None):
    table = {"a": [a for (a, _), _ in records], "b": [b for (_, b), _ in records]}
    labels = np.array([y for _, y in records], dtype=bool)
    return Sample(
        H.domain.points(table), labels, counts, len(records) if counts is None else int(counts.sum()) + 2, table
    )


def variants(H, sample):
    split = NamesApart.of(H)
    return Variants.of(split.rules, split.table, split.names.codes(sample, H.domain), sample)


def rule(H, value, place):
    split = NamesApart.of(H)
    parts = list(split.rules.combination(place))
    return H.hypothesis(*parts[: split.at], split.rule(value), *parts[split.at :])


@pytest.mark.parametrize("H", CLASSES)
@pytest.mark.parametrize("at_once", [10**6, 1])
def test_errors_are_those_of_the_rules(H, at_once, monkeypatch):
    monkeypatch.setattr(category_rules, "ERRORS_AT_ONCE", at_once)
    rng = np.random.default_rng(1)
    for n in (0, 1, 6, 6):
        records = [
            ((int(a), "xyz"[b]), y)
            for a, b, y in zip(rng.integers(0, 4, n), rng.integers(0, 3, n), rng.random(n) < 0.5, strict=True)
        ]
        sample = sample_of(H, records, rng.integers(1, 5, n))
        data, seen = variants(H, sample), set()
        for number, block in enumerate(data):
            for place, errors in enumerate(np.ravel(block).tolist()):
                seen.add(candidate := data.candidate(number, place))
                assert errors == sample.errors(rule(H, *candidate))
        m = NamesApart.of(H).rules.size
        assert seen == {(v, i) for v in {None, *(b for (_, b), _ in records)} for i in range(m)}


def case(mechanism, H, claimed):
    def view(records):
        return variants(H, sample_of(H, [record for record in records if record is not None]))

    universe = [*labeled([(0, "x"), (3, "x"), (3, "y")]), None]
    return Case(mechanism, view, "a threshold and a name", universe, 3, claimed)


@pytest.mark.audit
@pytest.mark.parametrize(
    ("H", "cost"),
    [(H, Budget(1, 0.05)) for H in CLASSES[:3]] + [(CLASSES[0], cost) for cost in (Budget(0.25, 0.6), Budget(3, 1e-6))],
)
def test_no_neighbors_refute_it(H, cost):
    """All samples of three records: one label, one name, void ones, and labels that no rule explains among them."""
    assert not case(VariantExponential(cost), H, cost).exact().refuted


@pytest.mark.slow
def test_the_claim_is_not_far_from_tight():
    assert case(VariantExponential(Budget(1, 0.05)), CLASSES[0], Budget(1, 0.045)).exact().refuted


class Undiscounted(VariantExponential):
    """A broken twin: names from the records compete as if they were public."""

    log_priors = (0.0, 0.0)


class Doubled(VariantExponential):
    """A broken twin: the discount forgets that a record can also improve its own variant's errors."""

    @property
    def log_priors(self):
        return 0.0, super().log_priors[1] + 2 * float(self.cost.epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("twin", [Undiscounted, Doubled])
def test_broken_twins_are_refuted(twin):
    cost = Budget(1, 0.05)
    assert case(twin(cost), CLASSES[0], cost).exact().refuted


def flights(rng, n):
    carriers = np.array(["EV", "UA", "B6", "DL", "AA"])
    return {"delay": rng.integers(-60, 1301, n), "carrier": carriers[rng.integers(0, 5, n)]}


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_delay_and_a_carrier_are_found(noise):
    rng = np.random.default_rng(2)
    table = flights(rng, 6000)
    for H, true in [
        (
            And(Thresholds(-60, 1300, direction="above").on("delay"), Points().on("carrier")),
            (table["delay"] >= 300) & (table["carrier"] == "EV"),
        ),
        (
            Or(Points().on("carrier"), Thresholds(-60, 1300, direction="above").on("delay")),
            (table["delay"] >= 900) | (table["carrier"] == "EV"),
        ),
    ]:
        learner = PrivateClassifier(H, epsilon=2, method="NamedRuleLearner").fit(
            table, (true ^ (rng.random(6000) < noise)).astype(int)
        )
        assert np.mean(learner.predict(table) != true) < 0.03
        assert "carrier = EV" in str(learner.hypothesis_)
        assert learner.privacy_ == Budget(2, 1e-6)


def test_what_is_released_does_not_tell_equal_values_apart():
    H = And(Thresholds(0, 9, direction="above").on("a"), Points().on("b"))
    learner = PrivateClassifier(H, epsilon=5, method="NamedRuleLearner")
    for one in (1, 1.0, True):
        h = learner.fit({"a": [5] * 900, "b": [one, "other", "third"] * 300}, [1, 0, 0] * 300).hypothesis_
        assert str(h).endswith("b = 1")


@pytest.mark.slow
def test_certificates_hold():
    rng, α, β, runs = np.random.default_rng(3), 0.2, 0.2, 60
    H = And(Thresholds(0, 49, direction="above").on("a"), Points().on("b"))
    learner = PrivateClassifier(H, epsilon=1, delta=1e-6, alpha=α, beta=β, method="NamedRuleLearner")
    n, noise = learner.certified_n(), 0.1
    table = {"a": np.array([24, 25, 49, 0]), "b": np.array(["x", "x", "y", "x"])}
    mass, true = np.array([α + 0.01, 0.35, α + 0.01, 0.23]), np.array([0, 1, 0, 0], dtype=bool)
    failures = 0
    for _ in range(runs):
        i = rng.choice(4, n, p=mass / mass.sum())
        drawn = {name: values[i] for name, values in table.items()}
        h = learner.fit(drawn, (true[i] ^ (rng.random(n) < noise)).astype(int)).hypothesis_
        failures += (1 - 2 * noise) * mass[h(table) != true].sum() / mass.sum() > α
    assert failures == 0 or betaincinv(failures, runs - failures + 1, 1e-7) <= β


def test_certified_figures():
    H = And(Thresholds(-60, 1300, direction="above").on("delay"), Points().on("carrier"))
    agnostic, realizable = (
        PrivateClassifier(H, epsilon=1, regime=regime, method="NamedRuleLearner").certified_n()
        for regime in ("agnostic", "realizable")
    )
    assert realizable < agnostic < 10_000
    assert (
        "grid"
        in PrivateClassifier(
            And(Thresholds(0, 10**9, direction="above").on("a"), Points().on("b")), method="NamedRuleLearner"
        )
        .learner()
        .assumptions[-1]
    )


def test_one_class_void_records_and_very_few():
    learner = PrivateClassifier(
        And(Thresholds(0, 9, direction="above").on("a"), Points().on("b")),
        epsilon=3,
        on_invalid="default",
        method="NamedRuleLearner",
    )
    row = {"a": [5], "b": ["x"]}
    for label in (0, 1):
        assert learner.fit({"a": [5] * 900, "b": ["x"] * 900}, [label] * 900).predict(row) == [label]
    assert learner.fit({"a": [5, 5] * 900, "b": ["x", None] * 900}, [1, 0] * 900).predict(row) == [1]
    assert learner.fit(row, [1]).guarantee_.utility is None


def test_which_classes_it_learns():
    line, points = Thresholds(0, 9, direction="above"), Points()
    assert NamedRuleLearner.supports(And(line.on("a"), points.on("b")))
    assert not NamedRuleLearner.supports(And(points.on("a"), points.on("b")))
    assert not NamedRuleLearner.supports(And(line.on("a"), line.on("b")))
    assert not NamedRuleLearner.supports(points)


@pytest.mark.slow
@pytest.mark.parametrize("H", CLASSES[:3])
def test_names_that_are_alike_are_compared_once(H):
    """A million names with a record each had as many rows of errors. Each is still a candidate, and only once."""
    records = [((i % 4, f"n{i // 2 % 30}" if i < 30 else f"m{i}"), i % 3 == 0) for i in range(90)]
    sample = sample_of(H, records, np.arange(90) % 2 + 1)
    data, seen = variants(H, sample), []
    for number, block in enumerate(data):
        for place, errors in enumerate(np.ravel(block).tolist()):
            seen.append(candidate := data.candidate(number, place))
            assert errors == sample.errors(rule(H, *candidate))
    assert len(seen) == len(set(seen)) == NamesApart.of(H).rules.size * (1 + len(data.values))
    assert len(data.values) == 75 and sum(each.shape[1] for each in data.blocks) < 50


@pytest.mark.parametrize("H", CLASSES[:3])
def test_the_menu_of_alike_names_is_that_of_all_rows(H, monkeypatch):
    """The same numbers of candidates for each number of errors, and the same candidates, each by one member."""
    records = [((i % 4, f"m{i}"), i % 3 == 0) for i in range(24)]

    def menu():
        data = variants(H, sample_of(H, records))
        weights, outcome = VariantExponential(Budget(1, 1e-6)).menu(data)
        groups = [sorted(map(str, (outcome(g, i) for i in range(count)))) for g, count in enumerate(weights.counts)]
        return weights.scores.tolist(), groups

    together = menu()
    monkeypatch.setattr(alike_names, "FEW", 0)  # so that no name is alike another
    assert menu() == together
