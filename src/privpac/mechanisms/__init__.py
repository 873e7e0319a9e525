"""WHERE NOISE ENTERS: private selections, noise, and what is built of them alone."""

from privpac.mechanisms.flips import permute_and_flip
from privpac.mechanisms.noise import above_threshold, discrete_laplace, geometric
from privpac.mechanisms.selection import exponential, sparse_exponential
from privpac.mechanisms.stability import stability_histogram
from privpac.mechanisms.stable import Public, Stable, discounted_exponential, public_stable_exponential

__all__ = [
    "Public",
    "Stable",
    "above_threshold",
    "discounted_exponential",
    "discrete_laplace",
    "exponential",
    "geometric",
    "permute_and_flip",
    "public_stable_exponential",
    "sparse_exponential",
    "stability_histogram",
]
