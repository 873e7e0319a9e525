"""[BBKN14]: how many examples private learning takes, on points and intervals; and private release.

Amos Beimel, Hai Brenner, Shiva Prasad Kasiviswanathan, Kobbi Nissim, *Bounds on the Sample Complexity for Private
Learning and Private Data Release*. Corrections: docs/errata/BBKN14.md. Proofs: docs/proofs/bbkn14.md.

POINT is the class of functions that are 1 at one point and 0 elsewhere, INTERVAL that of functions that are 1 up to
some point and 0 beyond it. A sample is realizable if some concept of the class has all its labels.

The paper, number by number
    Def. 3.1      representation.represents      Def. 3.5      representation.is_minimal
    Thm 3.2       PrivateOccam                   Lemma 3.4     ProperPoints
    Thm 3.6       intervals.proper_needs         Lemma 3.9     points.lemma_3_9; both in planning.bounds
    Lemma 3.10    representation.lemma_3_10      Lemma 4.1     lemma_4_1
    §4.1          plane_sets                     Claim 4.3     A2, which runs A1
    Thm 4.2       PrivateOccam on lemma_4_1; KeyedOccam on keyed_sets where points cannot be listed
    Lemma 4.4     A3                             Claim 4.5     Boosted with base A2
    §4.2.1        A4, A5                         Thm 4.8       Boosted
    Def. 4.10     proper.weight                  Thm 4.11      ProperFromLight
    Def. 5.1      intervals.interval             Lemma 5.2     intervals.proper_needs, planning.bounds
    Def. 5.3      intervals.switching_points     Thm 5.4       SwitchingLearner
    Def. 5.6      NoiseLearner                   Thm 5.8       denoising.reconstruct, DenoisedLearner
    Thm 6.1       HatPointLearner, separation.fast_needs, with a Generator: a demonstration
    Obs. 2.7      KCnfLearner
    §1.2          without_privacy.vc_needs       Remark 6.2    without_privacy.rare_needs, remark_6_2
    Thm 7.1       NetMechanism, NetRelease       Thm 7.2       release.necessary_records, planning.bounds
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
