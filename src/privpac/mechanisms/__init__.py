"""WHERE NOISE ENTERS: private selections, noise, and mechanisms built only from these."""

from privpac.mechanisms.gaussian import discrete_gaussian
from privpac.mechanisms.histogram import stability_histogram
from privpac.mechanisms.noise import above_threshold, discrete_laplace, geometric
from privpac.mechanisms.permute_and_flip import permute_and_flip
from privpac.mechanisms.public_stable import Public, Stable, discounted_exponential, public_stable_exponential
from privpac.mechanisms.regret import regret_exponential
from privpac.mechanisms.selection import exponential, sparse_exponential

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
