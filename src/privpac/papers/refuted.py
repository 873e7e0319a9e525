"""The editions of [HCT24], whose privacy theorems are false. They are listed, but commands neither run nor audit them.

This file imports none of them: nothing that people use may lead to an algorithm that is not private.
"""

from __future__ import annotations

from privpac.papers.edition import Edition

DATA = "labels of angles count, with too little noise: E-HCT24-1"
AGAIN = "it reads the examples once more, without noise: E-HCT24-3"
HIGH = "it reads the examples once more, in every dimension: E-HCT24-6"

EDITIONS = (
    Edition("HCT24", "Alg. 1", "make-data", "MakeData", "copies of angles", false=DATA),
    Edition("HCT24", "Alg. 2", "make-thr-data", "MakeThrData", "thresholds from angles", false=AGAIN),
    Edition(
        "HCT24",
        "Alg. 3",
        "simple-h",
        "SimpleH",
        "half-planes through the origin",
        printed="log*|X|·ln²(log*|X|/(βδ))/(αε)",
        false=AGAIN,
    ),
    Edition("HCT24", "Alg. 4", "make-high-dim-data", "MakeHighDimData", "copies of directions", false=DATA),
    Edition("HCT24", "Alg. 5", "make-high-dim-thr-data", "MakeHighDimThrData", "thresholds from these", false=HIGH),
    Edition(
        "HCT24",
        "Alg. 6",
        "high-h",
        "HighH",
        "half-spaces through the origin",
        printed="d·log*|X|·ln²(d·log*|X|/(βδ))/(αε)",
        false=HIGH,
    ),
    Edition(
        "HCT24",
        "Alg. 7",
        "reorder-slice-compute",
        "ReorderSliceCompute",
        "slices of a sample",
        false="what Alg. 6 does with it is not covered by its theorem: E-HCT24-7",
    ),
)
