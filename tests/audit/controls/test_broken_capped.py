"""Each of them asks for something else than the learner, and only where its docstring says so."""

from flint import arb

from privpac.audit.claims.fits import Learned, Stage, fit_of
from privpac.audit.controls import broken_capped as capped
from privpac.audit.controls.broken_learners import twin
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths
from privpac.classes.tree_orders.spider import Spider
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.learners.tree_orders.learners import PathLearner, SpiderLearner

CUTS, PATHS = Thresholds(0, 15, direction="either"), RootPaths("/", height=2)
ON_CUTS, ON_PATHS = ((3, 0), (3, 1), (12, 1), None), (("a", 1), ("a", 0), ("a/b", 1), None)


def requests(made, records, answers=(0,)):
    """What is asked for first, and after the noise."""
    learned = Learned(made, len(records))
    return [Stage(learned, given).request(learned.sample(records)) for given in ((), answers)]


def test_only_the_noise_is_shown_twice_the_errors():
    broken = twin(capped.Doubled, ThresholdLearner)
    (noise, selection), (right, same) = (requests(fit_of(kind, CUTS), ON_CUTS) for kind in (broken, ThresholdLearner))
    assert (noise.data, right.data) == (2, 1)
    assert noise.mechanism == right.mechanism
    assert selection.mechanism == same.mechanism


def test_only_the_selection_costs_all():
    noise, selection = requests(fit_of(twin(capped.PaidTwice, ThresholdLearner), CUTS), ON_CUTS)
    assert noise.mechanism.cost.epsilon < selection.mechanism.cost.epsilon == 1


def test_levels_are_counted_by_halves():
    right, finer, one = (
        requests(fit_of(kind, CUTS), ON_CUTS)[1].mechanism.levels
        for kind in (ThresholdLearner, capped.FinerUncounted, capped.OneDirection)
    )
    assert (right, finer, one) == (2 * (4 + 15), 2 * 4, 4 + 15)


def test_the_selection_sees_every_record_twice():
    noise, selection = requests(fit_of(capped.TwiceSelected, CUTS), ON_CUTS)
    assert (noise.data, selection.data.records) == (1, 6)


def test_a_group_is_told_as_it_was_written():
    for kind, groups in ((SpiderLearner, {"1"}), (capped.GroupAsWritten, {"True"})):
        learned = Learned(fit_of(kind, Spider(bits=1), regime="realizable"), 2)
        selection = Stage(learned).request(learned.sample((((True, 1), 1), ((1, 1), 1))))
        law = selection.mechanism.law(selection.data)
        assert {repr(v[0]) for v in law if v} == groups
        assert sum(law.values(), arb(0)).overlaps(arb(1))


def test_the_fallback_errs_more_often():
    right, twice, void = (
        requests(fit_of(kind, PATHS, regime="realizable"), ON_PATHS, ())[0].data[0]
        for kind in (PathLearner, capped.FallbackTwice, capped.VoidErrors)
    )
    assert [list(errors.values()) for errors in (right, twice, void)] == [[2], [4], [4]]
