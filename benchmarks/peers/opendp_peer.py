"""OpenDP's side of the benchmarks, run in OpenDP's own environment.

Everything is calibrated to the given ε for substitution neighbours. Data comes as numpy arrays: the fastest way in.

    version     the version of the peer
    select      milliseconds of make_noisy_max on each array, by permute-and-flip and by the exponential mechanism
    release     microseconds of one integer make_laplace
    quantiles   values of make_private_quantile on an even grid of candidates, in ``runs`` runs for each wanted quantile
    cuts        one such quantile of each row of x
    keys        the threshold of make_laplace_threshold over keys that nobody listed, what it shows, and seconds
    means       ``runs`` means of each x within the bounds, of n records if ``sized``, else noisy sums by noisy counts
    cdfs        sup errors of a consistent b-ary tree over 2^16 even bins, and of k quantiles
"""

from importlib import metadata
from time import perf_counter

import numpy as np
import opendp.prelude as dp
from asked import answer, timed
from steps import binned, by_reading, even_taus, from_bins, from_quantiles

dp.enable_features("contrib")
GRID = 2**16
VARIANTS = {
    "permute-and-flip": (dp.max_divergence(), 1.0),
    "exponential": (dp.zero_concentrated_divergence(), 1 / 8),  # an exponential mechanism at ε is ε²/8-zCDP
}


def version():
    return metadata.version("opendp")


def select(repeats, **scores):
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    answers = {shape: {} for shape in scores}
    for name, (measure, cost) in VARIANTS.items():
        mechanism = dp.m.make_noisy_max(*space, measure, scale=2.0)
        assert mechanism.map(1) <= cost
        for shape, array in scores.items():
            answers[shape][name] = 1e3 * timed(lambda run=mechanism, array=array: run(array), repeats)
    return answers


def release(repeats):
    mechanism = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=1.0)
    assert mechanism.map(1) <= 1
    return {"make_laplace": 1e6 * timed(lambda: mechanism(1000), repeats)}


def quantiles(low, high, taus, epsilon, runs, **samples):
    steps = min(GRID, high - low + 1)
    candidates = [low + i * (high - low) // (steps - 1) for i in range(steps)]
    answers = {}
    for name, data in samples.items():
        space = dp.vector_domain(dp.atom_domain(T="i64"), size=len(data)), dp.symmetric_distance()

        def mechanism(tau, space=space):
            # at scale s a substitution, which removes one record and adds one, costs 2/s; the taus share ε
            scale = 2 * len(taus) / epsilon
            made = dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, tau, scale)
            assert made.map(2) * len(taus) <= epsilon * (1 + 1e-9)
            return made

        answers[name] = [[run(data) for _ in range(runs)] for run in map(mechanism, taus)]
    return answers


def cuts(low, high, taus, epsilon, x):
    return [quantiles(low, high, [tau], epsilon, 1, x=row)["x"][0][0] for tau, row in zip(taus, x, strict=True)]


def keys(epsilon, delta, runs, x):
    """A substitution removes one record and adds one."""
    space = dp.vector_domain(dp.atom_domain(T="i64"), size=len(x)), dp.symmetric_distance()

    def made(threshold):
        return space >> dp.t.then_count_by() >> dp.m.then_laplace_threshold(scale=2 / epsilon, threshold=threshold)

    least = dp.binary_search(lambda threshold: made(threshold).map(2)[1] <= delta, bounds=(2, 10**6))
    assert made(least).map(2)[0] <= epsilon * (1 + 1e-9)
    mechanism, start = made(least), perf_counter()
    shown = [mechanism(x) for _ in range(runs)]
    return {"threshold": least, "shown": [len(each) for each in shown], "seconds": (perf_counter() - start) / runs}


def cdfs(low, high, epsilon, counts, runs, **samples):
    found = {}
    for name, ordered in samples.items():
        found[name] = {"tree": [_tree(ordered, low, high, epsilon) for _ in range(runs)]}
        for k in counts:
            values = quantiles(low, high, even_taus(k), epsilon, runs, x=ordered)["x"]
            each = zip(*values, strict=True)
            found[name] |= by_reading(k, [from_quantiles(ordered, low, high, even_taus(k), one) for one in each])
    return found


def means(low, high, epsilon, runs, sized, **samples):
    return {name: [_mean(x, low, high, epsilon, sized) for _ in range(runs)] for name, x in samples.items()}


def _mean(x, low, high, epsilon, sized):
    """The sum of a public number of records; or of any number, and this number, at half of ε each."""
    domain = dp.vector_domain(dp.atom_domain(bounds=(low, high), T="i64"), *([len(x)] if sized else []))
    summed = (domain, dp.symmetric_distance()) >> dp.t.then_sum()
    noisy = summed >> dp.m.then_laplace(scale=summed.map(2) / (epsilon if sized else epsilon / 2))
    if sized:
        assert noisy.map(2) <= epsilon * (1 + 1e-9)
        return noisy(x) / len(x)
    counted = (dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()) >> dp.t.then_count()
    number = counted >> dp.m.then_laplace(scale=counted.map(2) / (epsilon / 2))
    assert noisy.map(2) + number.map(2) <= epsilon * (1 + 1e-9)
    return noisy(x) / number(x)


def _tree(ordered, low, high, epsilon):
    counts, lasts = binned(ordered, low, high, GRID)
    branching = dp.t.choose_branching_factor(GRID)
    space = dp.vector_domain(dp.atom_domain(T="i64"), size=GRID), dp.l1_distance(T="i64")
    tree = space >> dp.t.then_b_ary_tree(leaf_count=GRID, branching_factor=branching)
    noisy = tree >> dp.m.then_laplace(scale=tree.map(2) / epsilon)  # a substitution moves two bins by one
    assert noisy.map(2) <= epsilon * (1 + 1e-9)
    consistent = noisy >> dp.t.make_consistent_b_ary_tree(branching, TIA="i64")
    return from_bins(ordered, low, lasts, np.asarray(consistent(counts)))


if __name__ == "__main__":
    answer(version, select, release, quantiles, cuts, keys, means, cdfs)
