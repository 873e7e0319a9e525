"""Learning half-planes through a point: arcs by definition, exact audits, large samples, certificates, bad input."""

from math import atan2, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.audit.claims.case import Case, labeled
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.data.samples.sample import Sample
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.half_spaces import central_half_planes
from privpac.learners.half_spaces.central_half_planes import ArcLearner, Circle, candidate_direction, circle_bits
from privpac.mechanisms.half_spaces.arcs import ArcExponential
from privpac.mechanisms.selection.exponential import Exponential
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.learners.whole import whole

GRIDS = [CentralHalfPlanes(-1, 1), CentralHalfPlanes(0, 3, (1, 2)), CentralHalfPlanes(-4, 0, (-4, 0))]
WIDE = [CentralHalfPlanes(-(2**15), 2**15), CentralHalfPlanes(2**70, 2**70 + 9, (2**70, 2**70 + 3))]
RNG = np.random.default_rng(20)


def sample_of(points, labels, counts=None):
    """Two more records than these are void."""
    points = np.array(points, dtype=np.int64).reshape(-1, 2)
    weights = None if counts is None else np.array(counts, dtype=np.int64)
    return Sample(points, np.array(labels, dtype=bool), weights, 2 + (len(labels) if counts is None else sum(counts)))


def seen(records):
    """A sample from labeled records."""
    return sample_of([x for x, _ in records], [y for _, y in records])


def errors_of(cls, candidate, side, sample):
    """By the definition: on the left, or on the right, of a direction; the center apart."""
    u, v = candidate_direction(circle_bits(cls.reach), candidate)
    wrong = 0
    counts = [1] * len(sample.labels) if sample.counts is None else sample.counts.tolist()
    for (x, y), label, count in zip(sample.points.tolist(), sample.labels.tolist(), counts, strict=True):
        cross = u * (y - cls.center[1]) - v * (x - cls.center[0])
        if (x, y) != cls.center:
            assert cross != 0
            wrong += count * ((cross > 0) != (label ^ bool(side)))
    return wrong


def check_arcs(cls, sample):
    found = Circle(cls, sample).arcs()
    every = 2 << circle_bits(cls.reach)
    groups = np.arange(2 * len(found.e))
    errors, lengths = found.errors(groups).tolist(), found.lengths(groups).tolist()
    assert sum(lengths) == 2 * every
    assert min(lengths) >= 0
    for group, (wrong, length) in enumerate(zip(errors, lengths, strict=True)):
        side, arc = divmod(group, len(found.e))
        for candidate in {int(found.ends[arc]), int(found.ends[arc + 1]) - 1} if length else ():
            assert errors_of(cls, candidate, side, sample) == wrong


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_arcs_are_those_of_the_definition(data):
    cls = data.draw(st.sampled_from([*GRIDS, *WIDE]))
    coordinate = st.integers(cls.low, cls.high)
    near = st.tuples(*(st.integers(max(c - 1, cls.low), min(c + 1, cls.high)) for c in cls.center))
    points = data.draw(st.lists(st.one_of(st.tuples(coordinate, coordinate), near), max_size=8))
    labels = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    counts = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=len(points), max_size=len(points))))
    sample = sample_of([], labels, counts)
    dtype = object if cls.high > 2**62 else np.int64
    check_arcs(cls, Sample(np.array(points, dtype=dtype).reshape(-1, 2), sample.labels, sample.counts, sample.size))


@pytest.mark.parametrize("labels", [[0] * 4, [1] * 4, [1, 0, 0, 1]])
def test_collinear_points_duplicates_and_the_center(labels):
    check_arcs(GRIDS[0], sample_of([(1, 1), (-1, -1), (1, 1), (0, 0)], labels))
    check_arcs(GRIDS[0], sample_of([(0, 0)] * 4, labels))


@over("S", [1, 2, 3, 7, 8, 30])
def test_candidates_lie_on_no_line_of_the_grid_and_at_least_eight_between_two(S):
    cls = CentralHalfPlanes(-S, S)
    points = [(x, y) for x in range(-S, S + 1) for y in range(-S, S + 1)]
    ends = np.unique(Circle(cls, sample_of(points, [1] * len(points))).arcs().ends)
    Q = 1 << circle_bits(S)
    assert np.diff(ends[1:]).min() >= Q // (2 * S * S) >= 8  # the first line is at the beginning, or after it
    assert ends[0] == 0
    assert len(ends) - 1 in (cls.size // 2, cls.size // 2 + 1)


@pytest.mark.parametrize("cls", GRIDS)
def test_a_candidate_and_its_rule_label_the_grid_alike(cls):
    points = np.array([(x, y) for x in range(cls.low, cls.high + 1) for y in range(cls.low, cls.high + 1)])
    sample = sample_of(points, [1] * len(points))
    for candidate in range(0, 2 << circle_bits(cls.reach), 7):
        u, v = candidate_direction(circle_bits(cls.reach), candidate)
        for side, d in enumerate([(u, v), (-u, -v)]):
            wrong = len(points) - int(cls.left_of(d)(points).sum())
            assert wrong == errors_of(cls, candidate, side, sample)


# ---- large samples: only sectors with few errors are looked at


def large(n, cls, noise, counts=False):
    points = RNG.integers(cls.low, cls.high, (n, 2), endpoint=True)
    points[: n // 50] = cls.center
    points[n // 50 : n // 10] = [cls.high, cls.low]
    labels = (7 * (points[:, 0] - cls.center[0]) > 3 * (points[:, 1] - cls.center[1])) ^ (RNG.random(n) < noise)
    return Sample(points, labels, RNG.integers(0, 3, n) if counts else None, 3 * n)


@pytest.mark.parametrize("noise", [0, 0.1, 0.5])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize(
    "cls", [CentralHalfPlanes(-(2**15), 2**15 - 1), CentralHalfPlanes(-100, 900, (5, -7)), CentralHalfPlanes(0, 2**40)]
)
def test_what_is_left_out_of_large_samples_has_too_many_errors(cls, counts, noise, monkeypatch):
    monkeypatch.setattr(central_half_planes, "RECORDS_AT_ONCE", 1 << 9)
    n = 1500 if cls.high >= 2**40 else 40_000
    circle = Circle(cls, large(n, cls, noise, counts))
    full = circle.arcs()
    for reach in (0, 3, 100):
        some = circle.arcs(reach)
        most = some.least + 2 * reach
        assert some.total == full.total
        assert some.least <= full.errors(full.within(full.total)).min()
        groups, all_groups = some.within(most), full.within(most)
        assert (some.errors(groups) == full.errors(all_groups)).all()
        assert (some.lengths(groups) == full.lengths(all_groups)).all()
        assert (some.ends[groups % len(some.e)] == full.ends[all_groups % len(full.e)]).all()
    if noise < 0.5 and not counts:
        assert len(circle.arcs(3).e) < len(full.e)


def test_a_large_sample_draws_from_the_arcs_of_the_definition(monkeypatch):
    monkeypatch.setattr(central_half_planes, "RECORDS_AT_ONCE", 1 << 9)
    cls = CentralHalfPlanes(-100, 100)
    circle = Circle(cls, large(3000, cls, 0.2))
    for ε in ("0.001", 1, 50):
        weights, outcome = ArcExponential(Budget(ε), 2 << circle_bits(100)).menu(circle)
        for group in {0, len(weights.scores) - 1}:
            candidate, side = outcome(group, 0)
            assert -weights.scores[group] == errors_of(cls, candidate, side, circle.sample)
        full = weights.complete()
        assert (full.scores[: len(weights.scores)] == weights.scores).all()
        assert (full.counts[: len(weights.scores)] == weights.counts).all()
        assert full.counts.sum() == 2 * (2 << circle_bits(100))
        left_out = slice(len(weights.scores), None)
        ratio = (
            full.counts[left_out] * np.exp(float(weights.rate) * (full.scores[left_out] - weights.scores.max()))
        ).sum()
        assert ratio <= 2.0**-64
        candidate, side = outcome(len(full.scores) - 1, 0)
        assert -full.scores[-1] == errors_of(cls, candidate, side, circle.sample) or full.counts[-1] == 0


# ---- privacy


@pytest.mark.audit
@pytest.mark.parametrize("n", [1, 2])
def test_no_pair_of_neighbors_refutes_the_learner(n):
    universe = [*labeled([(0, 0), (1, 0), (-1, 0), (1, -1)][: 6 - n]), None]
    case = whole(PrivateClassifier(GRIDS[0], epsilon=1, method="ArcLearner"), "half-planes through 0", universe, n)
    assert not case.exact().refuted


@pytest.mark.slow
def test_a_smaller_claim_is_refuted():
    case = whole(
        PrivateClassifier(GRIDS[0], epsilon=1, method="ArcLearner"),
        "half-planes through 0",
        labeled([(1, 0), (0, 1)]),
        2,
    )
    assert not case.exact().refuted
    assert (
        whole(
            PrivateClassifier(GRIDS[0], epsilon=1, method="ArcLearner"),
            "",
            labeled([(1, 0), (0, 1)]),
            2,
            Budget("0.6"),
        )
        .exact()
        .refuted
    )


def twin(view, mechanism=None):
    """A mechanism on a broken view of records around 0."""
    universe = labeled([(0, 0), (1, 0), (0, 1), (-1, 0)])
    chosen = mechanism or ArcExponential(Budget(1), 2 << circle_bits(1))
    return Case(chosen, view, "half-planes through 0", universe, 2, Budget(1)).exact()


@pytest.mark.slow
def test_releasing_the_number_of_an_arc_is_refuted():
    class Numbered(ArcExponential):
        def menu(self, data):
            weights, _ = super().menu(data)
            return weights, lambda group, _: group

    assert not twin(lambda records: Circle(GRIDS[0], seen(records))).refuted
    assert twin(lambda records: Circle(GRIDS[0], seen(records)), Numbered(Budget(1), 2 << circle_bits(1))).refuted


@pytest.mark.slow
def test_labels_that_count_twice_are_refuted():
    def doubled(records):
        points, labels = [x for x, _ in records], [y for _, y in records]
        return Circle(GRIDS[0], sample_of(points, labels, [2] * len(records)))

    assert twin(doubled).refuted


@pytest.mark.slow
def test_angles_relative_to_other_records_are_refuted():
    """Records turned by the angle of the first one: the places of all depend on one."""

    def relative(records):
        (a, b), _ = records[0]
        turned = [((x * a + y * b, y * a - x * b), label) for (x, y), label in records]
        return Circle(GRIDS[0], seen(turned))

    assert twin(relative).refuted


def test_scores_of_the_arcs_present_alone_are_refuted():
    """One candidate for each arc: which candidates exist then depends on the records."""

    class Unweighted(ArcExponential):
        def menu(self, data):
            weights, outcome = super().menu(data)
            full = weights.complete()
            ones = (full.counts > 0).astype(np.int64)
            return type(full)(full.scores, full.rate, ones), lambda group, _: outcome(group, 0)

    assert twin(lambda records: Circle(GRIDS[0], seen(records)), Unweighted(Budget(1), 2 << circle_bits(1))).refuted


# ---- utility


def uniform(n, side, rng, angle):
    X = rng.integers(-side // 2, side // 2, (n, 2))
    return X, X[:, 1] * np.cos(angle) - X[:, 0] * np.sin(angle) > 0


def test_the_error_on_even_data():
    rng = np.random.default_rng()
    H = CentralHalfPlanes(-(2**12), 2**12 - 1)
    errors = []
    for angle in rng.uniform(-pi, pi, 60):
        rule = PrivateClassifier(H, epsilon=1, method="ArcLearner").fit(*uniform(2000, 2**13, rng, angle)).hypothesis_
        gap = abs((atan2(-rule.normal[0], rule.normal[1]) - angle + pi) % (2 * pi) - pi)
        errors.append(gap / pi)
    assert np.mean(errors) < 0.002  # about 0.001 ± 0.00015


@pytest.mark.slow
@pytest.mark.parametrize(("regime", "noise"), [("realizable", 0), ("agnostic", 0.1)])
def test_certificates_hold(regime, noise):
    """The error beyond α in at most 5 % of 200 fits; 30 or more have probability below 1e-7 if 5 % is true."""
    H = CentralHalfPlanes(-4, 4)
    clf = PrivateClassifier(H, epsilon=1, alpha=0.1, beta=0.05, regime=regime, method="ArcLearner")
    n = clf.certified_n()
    assert clf.certified_alpha(n) <= 0.1
    rng = np.random.default_rng()
    atoms = np.array([(4, 3), (3, 2), (-4, -3), (0, 4), (-1, 0)])
    target = H.left_of((1000, 701))(atoms)
    shares = [0.12, 0.11, 0.12, 0.35, 0.3]
    bad = 0
    for _ in range(200):
        picked = rng.choice(5, size=n, p=shares)
        y = target[picked] ^ (rng.random(n) < noise)
        rule = clf.fit(atoms[picked], y).hypothesis_
        bad += (1 - 2 * noise) * np.dot(shares, rule(atoms) != target) > 0.1
    assert bad < 30
    assert clf.guarantee_.utility.theorem == "plane learner, Theorem 2"


def test_certified_sizes_grow_slowly_with_the_grid():
    sizes = [
        PrivateClassifier(CentralHalfPlanes(-S, S), epsilon=1, regime="realizable", method="ArcLearner").certified_n()
        for S in (1, 2**9, 2**15, 2**40)
    ]
    assert sizes == sorted(sizes)
    assert sizes[2] < 800
    assert PrivateClassifier(CentralHalfPlanes(7, 7, (7, 7)), method="ArcLearner").certified_n() is not None


# ---- whatever is given


@over("X", [[(0, 0)] * 3, [(1, 1)] * 3, [(4, -4), (-4, 4), (0, 0)], [(4, 4)], [(-4, 4)]])
@over("label", [0, 1])
def test_any_sample_is_learned(X, label):
    clf = PrivateClassifier(CentralHalfPlanes(-4, 4), epsilon=1, method="ArcLearner").fit(X, [label] * len(X))
    assert str(clf.privacy_) == "ε = 1"
    assert clf.hypothesis_([(0, 0)])[0]
    assert clf.guarantee_.utility is None or clf.guarantee_.utility.alpha < 1


def test_void_records_count_in_n_and_in_no_score():
    X = [[1, 2], [99, 0], [3, -1]] * 200
    clf = PrivateClassifier(CentralHalfPlanes(-4, 4), epsilon=5, on_invalid="default", method="ArcLearner").fit(
        X, [1, 0, 0] * 200
    )
    assert clf.predict([[1, 2], [3, -1]]).tolist() == [1, 0]


def test_points_off_the_grid_and_wrong_widths_are_refused():
    clf = PrivateClassifier(CentralHalfPlanes(-4, 4), epsilon=1, method="ArcLearner")
    with pytest.raises(ValueError, match=r"off the grid|outside|domain"):
        clf.fit([[5, 0]], [1])
    with pytest.raises(ValueError, match="2 columns"):
        clf.fit([[1, 0, 0]], [1])
    assert not ArcLearner.supports(Exponential)
