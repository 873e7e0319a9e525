"""[ABMS20]: closure properties of private classification and online prediction.

Noga Alon, Amos Beimel, Shay Moran, Uri Stemmer, *Closure Properties for Private Classification and Online Prediction*.
Corrections: docs/errata/ABMS20.md. Proofs: docs/proofs/abms20.md.

The paper, number by number
    Alg. 1        privpac.mechanisms.selection.Exponential; over patterns, relabel.PatternDraw
    Lemma 3.12    EmpiricalLearner, privacy.amplification.redrawn
    Alg. 2        relabel, with the patterns of patterns.Restricted
    Alg. 3        RelabelAndLearn                Lemma 5.3     relabeling_price
    Remark 7.4    SmallEpsilon
"""

from privpac.papers.abms20.library import Library
from privpac.papers.abms20.relabel import RelabelAndLearn, relabel, relabeling_price
from privpac.papers.abms20.small_epsilon import SmallEpsilon
from privpac.papers.abms20.subsampling import EmpiricalLearner

__all__ = [
    "EmpiricalLearner",
    "Library",
    "RelabelAndLearn",
    "SmallEpsilon",
    "relabel",
    "relabeling_price",
]
