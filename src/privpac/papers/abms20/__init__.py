"""[ABMS20]: closure properties of private classification and online prediction.

Noga Alon, Amos Beimel, Shay Moran, Uri Stemmer, *Closure Properties for Private Classification and Online Prediction*.
Corrections: docs/errata/ABMS20.md. Proofs: docs/proofs/abms20.md. What is where: docs/papers/ABMS20.md.
"""

from privpac.papers.abms20.agnostic import PrivateAgnostic
from privpac.papers.abms20.closure import ClosureLearn
from privpac.papers.abms20.library import ColumnLearner, Library
from privpac.papers.abms20.relabeling import RelabelAndLearn, relabel, relabeling_price
from privpac.papers.abms20.subsampling import EmpiricalLearner, SmallEpsilon

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
