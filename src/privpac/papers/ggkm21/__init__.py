"""[GGKM21]: private learning of every class of finite Littlestone dimension.

    Definitions 4.1, 4.3, 4.4; Lemmas 4.1–4.7    trees    is_irreducible, reducing_array, GeneralizedTree, …

Corrections: docs/errata/GGKM21.md. Proofs: docs/proofs/ggkm21.md. What is where: docs/papers/GGKM21.md.
"""

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
    "binary",
    "is_irreducible",
    "is_reducing_array",
    "reducing_array",
    "soa_functions",
    "stable_leaf",
    "surviving_leaf",
]
