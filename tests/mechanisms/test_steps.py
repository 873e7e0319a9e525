"""What mechanisms do does not depend on what time must not tell: the bytes they read and the functions they call."""

import numpy as np
import pytest

from privpac.audit.claims.case import counts_by_value
from privpac.audit.controls.timing import CountingFlips, LoopingLaplace
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.histograms import stability as histogram
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.lines.zoom import Zoom
from privpac.mechanisms.noise.laplace import AboveThreshold, DiscreteLaplace
from privpac.mechanisms.selection.exponential import Exponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import NO_PUBLIC, DiscountedExponential, PublicStableExponential, Stable
from privpac.mechanisms.selection.regret import RegretExponential
from privpac.privacy.budget import Budget
from tests.work import work

ONE, RARE = Budget(1), Budget(1, 1e-6)
PATH = Stable(["0" * k for k in range(1, 17)], list(range(1, 17)), [1] * 16, [0] * 16)
LEAF, NONE = Stable(["a"], [3], [1], [0]), Stable((), (), (), ())
TIED, APART = [5] * 80, [5] + [0] * 79


def steps(mechanism, data, times=60):
    """All amounts of work of some releases on the same data."""
    checked = mechanism.check(data)
    work(lambda coins: mechanism.release(checked, coins))  # what is kept for the next releases is made now
    return {work(lambda coins: mechanism.release(checked, coins))[1:] for _ in range(times)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "samples"),
    [
        (DiscreteLaplace(ONE), [0, 7]),
        (AboveThreshold(ONE, 3), [[0, 0, 9], [9, 0, 0], [0, 0, 0], [9, 9, 9]]),
        (PermuteAndFlip(ONE), [[3, 3, 3], [3, 0, 0], [3, 2, 0]]),
        (Exponential(ONE), [TIED, APART]),
        (StabilityHistogram(RARE), [{}, {"a": 1}, {"a": 1, "b": 2}]),
        (
            Zoom(ONE, 64),
            [
                counts_by_value((0, 0, 0)),
                counts_by_value((0, 0, 63)),
                counts_by_value((0, 7, None)),
                counts_by_value((None,) * 3),
            ],
        ),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_work_of_a_release_is_the_same_on_neighbors_and_others(mechanism, samples):
    assert len(set.union(*(steps(mechanism, sample) for sample in samples))) == 1


@pytest.mark.parametrize("stable", [LEAF, PATH])
def test_stable_candidates_take_no_work_of_their_own(stable):
    """No call depends on whether there are candidates, how many there are, and where."""
    for mechanism, of in (
        (PublicStableExponential(RARE, None, 1), lambda found: ({"nothing": 1}, found, NO_PUBLIC)),
        (DiscountedExponential(RARE, None), lambda found: ({"nothing": 1}, found)),
        (RegretExponential(RARE, None, False), lambda found: (("nothing", 1), found)),
    ):
        some, none = of(stable), of(NONE)
        assert steps(mechanism, some, 20) == steps(mechanism, none, 20)
        assert (
            mechanism.menu(mechanism.check(some))[0].scores.size == mechanism.menu(mechanism.check(none))[0].scores.size
        )


@pytest.mark.parametrize("keys", [0, 1, 2, 511, 512])
def test_up_to_512_keys_take_lists_of_one_length(keys, monkeypatch):
    """A stopwatch told one key from none: ε ≥ 2.5 in 20,000 runs where ε = 1 was claimed."""
    lengths = []
    monkeypatch.setattr(histogram, "plus", lambda values, noise: lengths.append((values.size, noise.size)) or values)
    mechanism = StabilityHistogram(RARE)
    mechanism.release(mechanism.check({str(key): 1 for key in range(keys)}), SYSTEM)
    assert lengths == [(512, 512)]


def test_broken_twins_take_more_work_for_some():
    assert len(steps(LoopingLaplace(ONE), 0)) > 10
    assert len(steps(CountingFlips(ONE), [3, 3, 3])) > 1


def test_any_of_the_tied_is_chosen():
    """Each of 80 is missed by 2,000 draws with a probability below 10⁻⁹ in all."""
    tied = Exponential(ONE).check(TIED)
    assert {Exponential(ONE).release(tied, SYSTEM) for _ in range(2000)} == set(range(80))
    assert {PermuteAndFlip(ONE).release(np.zeros(4, dtype=np.int64), SYSTEM) for _ in range(200)} == set(range(4))
