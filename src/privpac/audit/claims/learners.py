"""The claims of every learner about each release, as cases small enough to try all neighbors and all outcomes.

Each algorithm declares where it is audited: ``Learner.audited``. Universes have both labels at each point and a void
record, so samples include those that no rule fits, those with one label, those with one point, and those with void
records only. In each universe, the audit refutes a release that costs a tenth more than it is charged. If three records
are too few for that, a crowd stands beside them. Copies of one record make all rules but its own unlikely, so one more
record changes the odds by e^ε. Pairs that contradict each other make all rules err, so the cap leaves δ to new
candidates and nothing to others. The sizes of crowds and the caps were found by trial: with them, the audit is sharp.

Throughout this file
    C    the cap of public-stable selection. It may depend on a noisy answer; ``_capped_at`` is the answer for a given C
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, cycle, product
from typing import Any

from privpac.audit.claims.case import Case, Records, labeled
from privpac.audit.claims.fits import AuditedFit, Stage, fit_of, stages
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.choice import LEARNERS
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.finite import FiniteLearner
from privpac.learners.fit import Fit
from privpac.learners.lines.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.subspaces.flats import FlatLearner, HeavyFlatLearner
from privpac.learners.tree_orders.learners import OrderLearner, PathLearner, SpiderLearner
from privpac.learners.values.points import PointLearner
from privpac.refusals.option_words import Regime, ThresholdDirection, words_of
from privpac.requests.weights import ErrorWeights

SHARP: dict[str, Any] = {"epsilon": 2, "delta": 1e-6, "regime": "realizable"}
BETA = 0.9  # β decides caps, and if caps are small, a few records matter.


def of_learner(kind: type[Learner]) -> Iterator[Case]:
    """The claims in the universes that an algorithm declares."""
    for universe in kind.audited:
        yield from _in_all_regimes(kind, universe) if universe.path is None else _on_a_path(kind, universe)


def _in_all_regimes(
    kind: type[Learner], universe: Universe, *, after: Iterable[tuple[Any, ...]] = ((),), **settings: Any
) -> Iterator[Case]:
    """The learner in its regimes; the crowd consists of records at the first point."""
    records = _records(universe)
    crowd = records[universe.crowd_label]
    # What a pure learner releases does not depend on the regime, so each row of numbers is used in one of them.
    regimes = words_of(Regime)
    rows = zip(cycle(regimes), universe.trials, strict=False) if kind.pure else product(regimes, universe.trials)
    for regime, (ε, δ, n, size) in rows:
        conditions = {"epsilon": ε, "delta": δ, "beta": BETA, "regime": regime, "labels": universe.labels}
        conditions |= {**universe.settings, **settings}
        fit = fit_of(kind, universe.concept_class, **conditions)
        yield from stages(fit, f"{universe.about}, {regime}", records, n, after=after, crowd=(crowd,) * size)


def _records(universe: Universe) -> list[Any]:
    return [*product(universe.points, range(universe.labels)), None]


def _cap(fit: Fit, record: object, *answers: int) -> int:
    """C after these answers."""
    audited_fit = AuditedFit(fit, 1)
    request = Stage(audited_fit, answers).request(audited_fit.sample((record,)))
    cap: int = request.mechanism.cap  # type: ignore[union-attr]
    return cap


def _capped_at(C: int, fit: Fit, record: object) -> tuple[int]:
    """The noisy answer after which the cap is C: the cap grows with the answer, one for one."""
    return (C - _cap(fit, record, 0),)


def _pairs(x: object, times: int) -> Records:
    """Pairs of records that contradict each other: every rule errs on half of them."""
    return ((x, 0), (x, 1)) * times


def _on_a_path(kind: type[Learner], universe: Universe) -> Iterator[Case]:
    """The learner by regret if labels may be noisy, else under a cap; with crowds on and off a path of candidates."""
    assert universe.path is not None
    (on, off), records = universe.path, _records(universe)

    def fit_at(ε: float, δ: float, regime: Regime = "agnostic") -> Fit:
        return fit_of(kind, universe.concept_class, epsilon=ε, delta=δ, beta=BETA, regime=regime, **universe.settings)

    about = f"{universe.about}, agnostic"
    for ε, δ in ((1, 1e-6), (0.2, 0.3), (6, 0.3)):
        yield from stages(fit_at(ε, δ), about, records, 2)
    about, realizable = f"{universe.about}, realizable", fit_at(1, 1e-6, "realizable")
    yield from stages(realizable, about, records, 1, crowd=((on, 1),) * (_cap(realizable, records[0]) - 6))
    yield from stages(realizable, about, records, 1, crowd=_pairs(off, 53))


def _chains() -> Iterator[Case]:
    """Forty candidates that one record supports at once, which are about to be trusted, and one candidate beside them.

    Here neighbors use up ε.
    """
    path, rows = "/".join("b" * 40), [[int(i <= j) for i in range(40)] + [0] for j in range(-1, 40)]
    listed, center = ExplicitClass([*rows, [0] * 40 + [1]], points=range(41)), 2**40
    for kind, concept_class, on, beside, times in (
        (PathLearner, RootPaths("/", height=40), path, "a", 38),
        (PathLearner, TwoSided(0, 2 * center, center), center + 5, center - 7, 35),
        (SpiderLearner, Spider(40), ("b", 7), ("a", 7), 35),
        (OrderLearner, listed, 39, 40, 38),
    ):
        fit, records = fit_of(kind, concept_class, epsilon=1, delta=1e-6), [*labeled((on, beside)), None]
        crowd = ((on, 1),) * times + ((beside, 1),) * 25
        yield from stages(fit, "40 candidates at once, agnostic", records, 1, crowd=crowd)


def _cuts() -> Iterator[Case]:
    """Cuts by public-stable selection, where earlier answers, finer cuts, and levels matter."""
    cut = partial(fit_of, ThresholdLearner, beta=BETA)
    directions: tuple[tuple[ThresholdDirection, int], ...] = ("above", -490), ("either", -510)
    for direction, C in directions:
        H, lines = Thresholds(0, 15, direction=direction), [*labeled((3, 12)), None]
        for ε in (0.2, 1, 6):
            fit = cut(H, epsilon=ε, delta=0.3)
            yield from stages(fit, f"16 values, {direction}, agnostic", lines, 2, crowd=_pairs(3, 7))
        fit = cut(H, epsilon=1, delta=1e-6)
        after = (_capped_at(20, fit, lines[0]),)
        yield from stages(fit, f"16 values, {direction}, agnostic", lines, 1, after=after, crowd=(lines[0],) * 14)
        # With the eighth record of sixteen values, nodes on five levels propose finer cuts.
        fit = cut(Thresholds(0, 255, direction=direction), epsilon=0.05, delta=1e-3)
        crowd = [*labeled((0, 15)), None]
        after = (_capped_at(C, fit, crowd[0]),)
        yield from stages(fit, f"256 values, {direction}, agnostic", crowd, 1, after=after, crowd=(crowd[0],) * 7)
        # The middle of the line is a candidate already; those of eleven nodes below it are new.
        fit = cut(Thresholds(0, 2**12 - 1, direction=direction), epsilon=1, delta=1e-6, regime="realizable")
        end = [(2**12 - 1, 0), (2**12 - 1, 1), None]
        yield from stages(fit, f"2^12 values, {direction}, realizable", end, 1, crowd=_pairs(0, 52))
    # Errors, not support, decide about the nodes around the middle.
    fit = fit_of(ThresholdLearner, Thresholds(0, 255, direction="either"), beta=0.05, **SHARP)
    decided = ((0, 1),) * 40 + ((63, 0),) * 2 + ((64, 0), (254, 0))
    yield from stages(fit, "256 values, either, realizable", [(127, 1), (128, 0)], 1, crowd=decided)


def _one_more(trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
    """These trials with at least two records each, because the last record is held out."""
    return tuple(trial._replace(n=max(trial.n, 2)) for trial in trials)


def _errors_and_units() -> Iterator[Case]:
    """Learners that report their error, and learners that protect units of several records."""
    (rules,), (points,) = FiniteLearner.audited, PointLearner.audited
    universe = replace(rules, about="3 rules, error reported", points="ab", trials=_one_more(rules.trials))
    yield from _in_all_regimes(FiniteLearner, universe, after=((), (0,), (2,)), report_error=True)
    universe = replace(points, about="error reported", points="ab", trials=_one_more(points.trials[:3]))
    yield from _in_all_regimes(PointLearner, universe, after=((), ("a",), (None,)), report_error=True)
    a, b, not_a = ("a", 1), ("b", 1), ("a", 0)
    units = [(a,), (b,), (not_a,), (a, a), (a, b), (b, not_a), (a, b, b), (a, a, a), (not_a, not_a, not_a)]
    for most in (2, 3):  # the most records of a unit that count
        fit = fit_of(PointLearner, points.concept_class, epsilon=2, delta=1e-6, max_records=most)
        yield from stages(fit, f"units of up to 3 records, {most} count", units, 1, crowd=((a, a, a),) * 9)
    fit = fit_of(FiniteLearner, rules.concept_class, epsilon=2, max_records=2, report_error=True)
    yield from stages(fit, "units of up to 3 records, 2 count", units, 2, after=((), (0,)), crowd=((a, a),) * 3)


def _trees_over_private_cuts() -> Iterator[Case]:
    """The quartiles after the zoom, and the draw of a tree after private cuts, on the cells that they make."""
    (column,) = PrivateCutTrees.audited
    records, counts = _records(column), (6, 1, 8, 2, 2)
    spread = tuple(((x,), 1) for x, count in enumerate(counts) for _ in range(count))
    conditions: list[dict[str, Any]] = [{"regime": regime} for regime in words_of(Regime)]
    conditions += [{"weights": ErrorWeights(by_label)} for by_label in ((1, 3), (5, 2))]
    for condition, (ε, n) in product(conditions, ((30, 30), (6, 150))):
        fit, about = fit_of(PrivateCutTrees, column.concept_class, epsilon=ε, **condition), str(*condition.values())
        assert isinstance(fit.learner, PrivateCutTrees)
        if ε == 30:
            yield from stages(fit, f"quartiles, {about}", records, 1, after=(((0, 6),),), crowd=spread)
        quantiles = (3,) * (2 ** fit.learner.cuts.levels(n + 1) - 1)
        crowd = (records[1], records[2]) * (n // 2)
        yield from stages(fit, f"private cuts, {about}", records, 1, after=(((0, 32), quantiles),), crowd=crowd)


def _flats() -> Iterator[Case]:
    """Two flats that each have many votes; and the choice among flats after heavy points were released."""
    (alone, *_), on, off = FlatLearner.audited, ((0, 0), 1), ((1, 1), 1)
    for regime in words_of(Regime):
        fit = fit_of(FlatLearner, alone.concept_class, epsilon=1, delta=1e-6, alpha=0.9, regime=regime)
        crowd = (on,) * 38 + (off,) * 25
        yield from stages(fit, f"2 flats with votes, {regime}", _records(alone), 1, crowd=crowd)
    (bits,) = HeavyFlatLearner.audited
    for regime, (ε, n, beside) in product(words_of(Regime), ((2, 1, 14), (6, 2, 3))):
        fit = fit_of(HeavyFlatLearner, bits.concept_class, epsilon=ε, delta=0.1, regime=regime)
        shown, records = (((0, 0), 9), ((1, 1), 7)), _records(bits)
        yield from stages(fit, f"2 heavy points, {regime}", records, n, after=((shown,),), crowd=(records[1],) * beside)


def _weighted() -> Iterator[Case]:
    """Errors with weights, declared or decided by a count. Pure learners use up ε whatever the weights are."""
    (rules,), (*_, trees) = FiniteLearner.audited, DecisionTreeLearner.audited
    learners: list[tuple[type[Learner], Universe]] = [(FiniteLearner, rules), (DecisionTreeLearner, trees)]
    learners += [(PureThresholdLearner, cuts) for cuts in PureThresholdLearner.audited]
    for by_label, (ε, n, pairs), (kind, universe) in product(((1, 3), (5, 2)), ((1, 1, 40), (6, 2, 8)), learners):
        fit = fit_of(kind, universe.concept_class, epsilon=ε, delta=0, weights=ErrorWeights(by_label))
        about, records = f"{universe.about}, errors cost {by_label[0]} and {by_label[1]}", _records(universe)
        crowd = (records[1], records[2]) * pairs  # one rule labels all of them right, its opposite all wrong
        yield from stages(fit, about, records, n, crowd=crowd)
    (_, column, *_), three = DecisionTreeLearner.audited, {"labels": 3, "weights": ErrorWeights((1, 2, 3))}
    fit = fit_of(DecisionTreeLearner, column.concept_class, epsilon=3, **three)
    crowd = (((0,), 2), ((1,), 0)) * 20
    yield from stages(fit, f"{column.about}, errors cost 1, 2, and 3", _records(column), 1, crowd=crowd)
    for report_error in (False, True):
        fit = fit_of(FiniteLearner, rules.concept_class, epsilon=20, balanced=True, report_error=report_error)
        after = (), (1,)
        yield from stages(fit, "balanced by a count", _records(rules), 2, after=after, crowd=(_records(rules)[1],) * 5)


LEARNER_CLAIMS = (
    *chain.from_iterable(map(of_learner, LEARNERS)),
    *_chains(),
    *_cuts(),
    *_trees_over_private_cuts(),
    *_flats(),
    *_errors_and_units(),
    *_weighted(),
)
