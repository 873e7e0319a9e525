"""CAN IT BE REFUTED: exact and sampled audits of privacy claims, and broken mechanisms that they must catch.

An audit compares what a mechanism does on two neighbors with what it claims: exactly, from its laws on a small
universe, or by the outputs and the times of many runs. This room lists the library's own claims, none of which an audit
may refute, and controls, which are broken on purpose, so an audit must refute each of them.

The package itself is callable: ``privpac.audit(...)`` is ``privpac.audit.sampling.audit(...)``, no matter which of its
modules were imported before.

>>> import privpac.audit
>>> from privpac.privacy.budget import Budget
>>> privpac.audit(max, ((0, 0), (0, 1)), claimed=Budget(1), runs=1000).refuted
True

Parts, each importing only from those below it:
    controls            mechanisms, learners, and releases that are broken on purpose
    claims              what the library promises, on universes small enough to try all neighbors
    exact_divergence    the worst pair of neighbors, from exact laws
    sampling            a lower bound on ε from the outputs of many runs
    timing              events of an output together with the time of its run
    observing           the outputs of runs, and what their numbers prove
    neighbors           pairs of samples that differ in one record
"""

import sys
from inspect import signature
from types import ModuleType

from privpac.audit.exact_divergence import Worst, divergence, loss, worst, worst_divergence
from privpac.audit.neighbors import around, hostile, neighbor_pairs
from privpac.audit.sampling import Verdict, audit

__all__ = [
    "Verdict",
    "Worst",
    "around",
    "audit",
    "divergence",
    "hostile",
    "loss",
    "neighbor_pairs",
    "worst",
    "worst_divergence",
]


class _Room(ModuleType):
    __call__ = staticmethod(audit)
    __signature__ = signature(audit)


sys.modules[__name__].__class__ = _Room
