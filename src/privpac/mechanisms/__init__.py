"""Mechanisms: where noise enters. Private selections, noise, and algorithms built only from these.

A mechanism has public parameters, a cost, and the name of a theorem that proves it. It checks its data before anything
is spent, and releases by exact coins. Most of them can also compute their exact law, which the audit compares with the
promise.

Most mechanisms are one selection among candidates that are never listed. The folders are named after the candidates,
and their words are those of the classes that learners learn.

Parts, each importing only from those below it:
    decision_trees    trees and scorecards over public tests, and two cuts at once
    half_spaces       half-planes, directions, and a noisy perceptron
    quantiles         interior points, medians, and quantiles
    lines             cuts, intervals, stretches, and cells of a line
    values            single values and sets of codes
    histograms        counts of keys that nobody can list
    algorithm         adaptive sequences of releases, and their exact law
    selection         one private draw among candidates
    noise             integer noise
"""

from privpac.mechanisms.histograms.stability import stability_histogram
from privpac.mechanisms.noise.gaussian import discrete_gaussian
from privpac.mechanisms.noise.laplace import above_threshold, discrete_laplace, geometric
from privpac.mechanisms.selection.exponential import exponential, sparse_exponential
from privpac.mechanisms.selection.permute_and_flip import permute_and_flip
from privpac.mechanisms.selection.public_stable import Public, Stable, discounted_exponential, public_stable_exponential
from privpac.mechanisms.selection.regret import regret_exponential

__all__ = [
    "Public",
    "Stable",
    "above_threshold",
    "discounted_exponential",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential",
    "geometric",
    "permute_and_flip",
    "public_stable_exponential",
    "regret_exponential",
    "sparse_exponential",
    "stability_histogram",
]
