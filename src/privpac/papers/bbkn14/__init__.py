"""[BBKN14]: how many examples private learning takes, on points and intervals; and private release.

Amos Beimel, Hai Brenner, Shiva Prasad Kasiviswanathan, Kobbi Nissim, *Bounds on the Sample Complexity for Private
Learning and Private Data Release*.
Corrections: docs/errata/BBKN14.md. Proofs: docs/proofs/bbkn14.md. What is where: docs/papers/BBKN14.md.

POINT is the class of functions that are 1 at one point and 0 elsewhere, INTERVAL that of functions that are 1 up to
some point and 0 beyond it. A sample is realizable if some concept of the class has all its labels.
"""

from privpac.papers.bbkn14.boosting import A3, Boosted
from privpac.papers.bbkn14.denoising import DenoisedLearner, NoiseLearner
from privpac.papers.bbkn14.formulas import KCnfLearner
from privpac.papers.bbkn14.improper import A1, A2, A4, A5
from privpac.papers.bbkn14.intervals import IntervalExponential, SwitchingLearner
from privpac.papers.bbkn14.keyed_sets import KeyedOccam, keyed_sets
from privpac.papers.bbkn14.occam import PrivateOccam
from privpac.papers.bbkn14.points import ProperPoints
from privpac.papers.bbkn14.proper import ProperFromLight
from privpac.papers.bbkn14.release import NetMechanism, NetRelease
from privpac.papers.bbkn14.representation import lemma_4_1, plane_sets
from privpac.papers.bbkn14.separation import Generator, HatPointLearner

__all__ = [
    "A1",
    "A2",
    "A3",
    "A4",
    "A5",
    "Boosted",
    "DenoisedLearner",
    "Generator",
    "HatPointLearner",
    "IntervalExponential",
    "KCnfLearner",
    "KeyedOccam",
    "NetMechanism",
    "NetRelease",
    "NoiseLearner",
    "PrivateOccam",
    "ProperFromLight",
    "ProperPoints",
    "SwitchingLearner",
    "keyed_sets",
    "lemma_4_1",
    "plane_sets",
]
