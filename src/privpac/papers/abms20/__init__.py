"""[ABMS20]: closure properties of private classification and online prediction.

Noga Alon, Amos Beimel, Shay Moran, Uri Stemmer, *Closure Properties for Private Classification and Online Prediction*.
Corrections: docs/errata/ABMS20.md. Proofs: docs/proofs/abms20.md.

The paper, number by number
    Alg. 1        privpac.mechanisms.selection.exponential.Exponential; over patterns, relabeling.PatternDraw
    Thm 2.1       online.compositions: theorem_2_1, ComposedByBoosting; and ComposedByHalving, far better
    Lemma 3.12    EmpiricalLearner, privacy.amplification.redrawn
    Thm 3.14      generalization.theorem_3_14, generalization.expectation_bound, tail_bound
    §4            dimensions.closure
    Alg. 2        relabel, with the patterns of patterns.Patterns
    Alg. 3        RelabelAndLearn                Lemma 5.3     relabeling_price
    Claim 5.4     sizes.claim_5_4, sizes.bad_pattern
    Alg. 4        PrivateAgnostic                Thm 6.1       sizes.theorem_6_1, agnostic.PrivateAgnostic.N
    Alg. 5        ClosureLearn                   Thm 7.1       sizes.theorem_7_1, closure.ClosureLearn.sizes
    Eq. 17        completion.CompletionErrors      Lemma 7.2     SmallEpsilon
    Remark 7.4    ClosureLearn of different classes, SmallEpsilon
"""

from privpac.papers.abms20.agnostic import PrivateAgnostic
from privpac.papers.abms20.closure import ClosureLearn
from privpac.papers.abms20.library import ColumnLearner, Library
from privpac.papers.abms20.relabeling import RelabelAndLearn, relabel, relabeling_price
from privpac.papers.abms20.small_epsilon import SmallEpsilon
from privpac.papers.abms20.subsampling import EmpiricalLearner

__all__ = [
    "ClosureLearn",
    "ColumnLearner",
    "EmpiricalLearner",
    "Library",
    "PrivateAgnostic",
    "RelabelAndLearn",
    "SmallEpsilon",
    "relabel",
    "relabeling_price",
]
