"""[GGKM21]: private learning of every class of finite Littlestone dimension.

Ldim is the Littlestone dimension. The SOA hypothesis of a class labels each point so that the concepts with this label
have the larger Ldim. A class is k-irreducible if fixing the SOA's labels at k points never lowers its Ldim.

    Definitions 4.1, 4.3, 4.4; Lemmas 4.1–4.7    trees          is_irreducible, reducing_array, GeneralizedTree, …
    Algorithm 1; Lemmas 5.1–5.5                  reduce_tree    reduce_tree, Levels
    Algorithm 2, Proposition 5.6                 improper       PolyPriLearn
    Theorem 5.7, Claims 5.8, 5.9                 sizes          printed_plan, tight_plan, closure_plan
    Lemmas 6.1, 6.2                              minimax        minimax_set, irreducible_enough
    Algorithm 3, Theorem 6.4                     proper         PolyPriPropLearn
    Corollary 6.5                                agnostic       corollary_6_5, with the learners of ABMS20
    Theorem 6.6, Corollary 6.7, Appendix C       sanitizer      FoolingGame, where records can be listed; corollary_6_7
    Theorem 6.6 from a learner of the queries    fooling_by_learner    FoolingByLearner
    Theorems 6.8, 6.9                            lower_bounds   theorem_6_8, theorem_6_9; planning.release_bounds
    Appendix B                                   appendix_b     negated_points, touching, soa_shatters
    Appendix A                                   not here: infinite classes; E-GGKM21-20

The oracle that they ask is :class:`privpac.dimensions.oracle.ListedOracle`. Algorithms 1 and 2 ask any
:class:`privpac.dimensions.oracle.Oracle`, such as :class:`privpac.dimensions.point_oracle.PointOracle` for points, and
those of :mod:`privpac.dimensions.closure_oracle` for sparse sets and flats.
Corrections: docs/errata/GGKM21.md. Proofs: docs/proofs/ggkm21.md and, for §6, docs/proofs/ggkm21_proper.md. What is
where: docs/papers/GGKM21.md.
"""

from privpac.papers.ggkm21.agnostic import corollary_6_5
from privpac.papers.ggkm21.appendix_b import negated_points
from privpac.papers.ggkm21.fooling_by_learner import FoolingByLearner
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.lower_bounds import theorem_6_8, theorem_6_9
from privpac.papers.ggkm21.minimax import minimax_set
from privpac.papers.ggkm21.proper import PolyPriPropLearn
from privpac.papers.ggkm21.reduce_tree import Levels, most_hypotheses, reduce_tree
from privpac.papers.ggkm21.sanitizer import FoolingGame, error_queries
from privpac.papers.ggkm21.sizes import PolyPriPlan, Shape, closure_plan, printed_plan, printed_size, tight_plan
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
    "FoolingByLearner",
    "FoolingGame",
    "GeneralizedTree",
    "Levels",
    "PolyPriLearn",
    "PolyPriPlan",
    "PolyPriPropLearn",
    "Shape",
    "binary",
    "closure_plan",
    "corollary_6_5",
    "error_queries",
    "is_irreducible",
    "is_reducing_array",
    "minimax_set",
    "most_hypotheses",
    "negated_points",
    "printed_plan",
    "printed_size",
    "reduce_tree",
    "reducing_array",
    "soa_functions",
    "stable_leaf",
    "surviving_leaf",
    "theorem_6_8",
    "theorem_6_9",
    "tight_plan",
]
