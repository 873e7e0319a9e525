"""[GGKM21]: private learning of every class of finite Littlestone dimension.

    Definitions 4.1, 4.3, 4.4; Lemmas 4.1–4.7    trees          is_irreducible, reducing_array, GeneralizedTree, …
    Algorithm 1; Lemmas 5.1–5.5                  reduce_tree    reduce_tree, Levels
    Algorithm 2, Proposition 5.6                 improper       PolyPriLearn
    Theorem 5.7, Claims 5.8, 5.9                 sizes          printed_plan, tight_plan

The oracle that they ask is :class:`privpac.dimensions.oracle.ListedOracle`.
Corrections: docs/errata/GGKM21.md. Proofs: docs/proofs/ggkm21.md. What is where: docs/papers/GGKM21.md.
"""

from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.reduce_tree import Levels, most_hypotheses, reduce_tree
from privpac.papers.ggkm21.sizes import Plan, Shape, printed_plan, printed_size, tight_plan
from privpac.papers.ggkm21.trees import (
    Branching,
    GeneralizedTree,
    binary,
    is_irreducible,
    is_reducing_array,
    reducing_array,
    soa_functions,
    stable_leaf,
    surviving_leaf,
)

__all__ = [
    "Branching",
    "GeneralizedTree",
    "Levels",
    "Plan",
    "PolyPriLearn",
    "Shape",
    "binary",
    "is_irreducible",
    "is_reducing_array",
    "most_hypotheses",
    "printed_plan",
    "printed_size",
    "reduce_tree",
    "reducing_array",
    "soa_functions",
    "stable_leaf",
    "surviving_leaf",
    "tight_plan",
]
