"""[ABMS20]: closure properties of private classification and online prediction.

Noga Alon, Amos Beimel, Shay Moran, Uri Stemmer, *Closure Properties for Private Classification and Online Prediction*.
Corrections: docs/errata/ABMS20.md.

The paper, number by number
    Lemma 3.12    EmpiricalLearner, privacy.amplification.redrawn
"""

from privpac.papers.abms20.subsampling import EmpiricalLearner

__all__ = ["EmpiricalLearner"]
