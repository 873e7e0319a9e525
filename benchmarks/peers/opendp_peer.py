"""OpenDP's side of the benchmarks, run in OpenDP's own environment.

Everything is calibrated to the given ε for substitution neighbours. Data comes as numpy arrays: the fastest way in.

    version     the version of the peer
    select      milliseconds of make_noisy_max on each array, by permute-and-flip and by the exponential mechanism
    release     microseconds of one integer make_laplace
    quantiles   values of make_private_quantile on an even grid of candidates, in ``runs`` runs for each wanted quantile
    cuts        one such quantile of each row of x
"""

from importlib import metadata

import opendp.prelude as dp
from asked import answer, timed

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


if __name__ == "__main__":
    answer(version, select, release, quantiles, cuts)
