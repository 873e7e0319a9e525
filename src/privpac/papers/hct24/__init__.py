"""[HCT24], half-spaces from thresholds, as printed. Its privacy theorem is false: nothing here is private.

Everything that runs asks for ``acknowledge_not_private=True``, and nothing can be charged to a budget. To learn
half-planes privately, use ``PrivateClassifier`` with ``CentralHalfPlanes`` or ``HalfPlanes``. Why:
docs/papers/HCT24.md. What is wrong where: docs/errata/HCT24.md.

    Discretize, §3.1                 Angles                 holds, except at the seam: E-HCT24-8
    Lemma 11                         lemma_11               holds
    Algorithm 1, MakeData            MakeData               2ε, not ε: E-HCT24-1; half the labels: E-HCT24-2
    Lemma 12                                                false: E-HCT24-1, E-HCT24-4
    Algorithm 2, MakeThrData         MakeThrData            not private: E-HCT24-3; not adjacent: E-HCT24-9
    Lemma 13                                                false: E-HCT24-4
    Algorithm 3, A_SimpleH           SimpleH                neither private nor accurate: E-HCT24-3, E-HCT24-10
    Theorem 14                       theorem_14             false
    Corollaries 15 and 22            half_space_sizes       do not follow
    Footnote 3                       half_space_sizes       holds
    Q, Lemma 16                      Q                      holds
    Lemma 17, Corollaries 18, 19                            false: E-HCT24-5
    Algorithm 4, MakeHighDimData     MakeHighDimData        E-HCT24-7
    Algorithm 5, MakeHighDimThrData  MakeHighDimThrData     not private: E-HCT24-6
    Algorithm 6, A_HighH             HighH                  not private: E-HCT24-6
    Algorithm 7, Lemma 20            ReorderSliceCompute    quoted; does not apply to Algorithm 6: E-HCT24-7
    Theorem 21                       theorem_21             false
    Lemma 9, TreeLog                 ThrLearner             quoted, as "any learner of thresholds"; another one is used
"""

from privpac.papers.hct24.angles import Angles, Half, Q, lemma_11, q
from privpac.papers.hct24.not_private import NotPrivate, PaperSample, sample
from privpac.papers.hct24.plane import TIES, MakeData, MakeThrData, SimpleH, theorem_14
from privpac.papers.hct24.space import (
    HighH,
    MakeHighDimData,
    MakeHighDimThrData,
    ReorderSliceCompute,
    theorem_21,
)
from privpac.papers.hct24.thresholds import PaperLine, ThrLearner

__all__ = [
    "TIES",
    "Angles",
    "Half",
    "HighH",
    "MakeData",
    "MakeHighDimData",
    "MakeHighDimThrData",
    "MakeThrData",
    "NotPrivate",
    "PaperLine",
    "PaperSample",
    "Q",
    "ReorderSliceCompute",
    "SimpleH",
    "ThrLearner",
    "lemma_11",
    "q",
    "sample",
    "theorem_14",
    "theorem_21",
]
