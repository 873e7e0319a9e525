"""WHERE NOISE ENTERS: private selections, noise, and mechanisms built only from these."""

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
