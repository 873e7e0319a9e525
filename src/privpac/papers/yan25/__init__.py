"""[Yan25]: private learning of every class of VC dimension 1.

Corrections: docs/errata/Yan25.md. Proofs: docs/proofs/yan25.md. What is where: docs/papers/Yan25.md.
"""

from privpac.papers.yan25.improper import OPTPrivateLearner
from privpac.papers.yan25.medians import MEDIANS
from privpac.papers.yan25.proper import ProperLearner
from privpac.papers.yan25.sizes import (
    improper_size,
    log_star,
    median_size,
    proper_size,
    sample_size,
    slack,
    subset_size,
    votes_needed,
)
from privpac.papers.yan25.trees import make_sub_tree, make_tree, path_end, tree_of

__all__ = [
    "MEDIANS",
    "OPTPrivateLearner",
    "ProperLearner",
    "improper_size",
    "log_star",
    "make_sub_tree",
    "make_tree",
    "median_size",
    "path_end",
    "proper_size",
    "sample_size",
    "slack",
    "subset_size",
    "tree_of",
    "votes_needed",
]
