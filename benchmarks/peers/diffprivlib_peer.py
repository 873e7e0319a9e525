"""diffprivlib's side of the benchmarks, run in its own environment.

Everything is calibrated to the given ε for substitution neighbours.

    version     the version of the peer
    select      milliseconds of Exponential on each array, with the list that it demands made beforehand
    release     microseconds of Geometric (integer noise) and Laplace (float noise)
    quantiles   values of tools.quantile, in ``runs`` runs for each wanted quantile; null for a run that raised
"""

import warnings
from functools import partial
from importlib import metadata

import numpy as np
from asked import answer, timed
from diffprivlib import BudgetAccountant, mechanisms, tools


def version():
    return metadata.version("diffprivlib")


def select(repeats, **scores):
    def run(utility):
        mechanisms.Exponential(epsilon=1.0, sensitivity=1.0, utility=utility).randomise()

    utilities = {shape: array.tolist() for shape, array in scores.items()}
    return {shape: {"exponential": 1e3 * timed(partial(run, utilities[shape]), repeats)} for shape in utilities}


def release(repeats):
    def geometric():
        mechanisms.Geometric(epsilon=1.0, sensitivity=1).randomise(1000)

    def laplace():
        mechanisms.Laplace(epsilon=1.0, sensitivity=1).randomise(1000)

    return {"Geometric": 1e6 * timed(geometric, repeats), "Laplace": 1e6 * timed(laplace, repeats)}


def quantiles(low, high, taus, epsilon, runs, **samples):
    bounds = float(low), float(high)

    def run(values):
        try:
            found = tools.quantile(values, taus, epsilon=epsilon, bounds=bounds, accountant=BudgetAccountant())
            return np.ravel(found).tolist()
        except (ValueError, RuntimeError):
            return [None] * len(taus)

    found = {name: [run(data.astype(float)) for _ in range(runs)] for name, data in samples.items()}
    return {name: list(zip(*values, strict=True)) for name, values in found.items()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of divisions by zero, before it raises
    answer(version, select, release, quantiles)
