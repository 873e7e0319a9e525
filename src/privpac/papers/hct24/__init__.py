"""[HCT24], half-spaces from thresholds, as printed. Its privacy theorem is false: nothing here is private.

Everything that runs asks for ``acknowledge_not_private=True``, and nothing can be charged to a budget. To learn
half-planes privately, use ``PrivateClassifier`` with ``CentralHalfPlanes`` or ``HalfPlanes``. Why, and what is where:
docs/papers/HCT24.md. What is wrong where: docs/errata/HCT24.md.
"""

from privpac.papers.hct24.angles import Angles, Half, Q, lemma_11, q
from privpac.papers.hct24.not_private import NotPrivate, PaperSample, sample
from privpac.papers.hct24.plane import TIES, MakeData, MakeThrData, PaperLine, SimpleH, ThrLearner, theorem_14
from privpac.papers.hct24.space import (
    HighH,
    MakeHighDimData,
    MakeHighDimThrData,
    ReorderSliceCompute,
    theorem_21,
)

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
