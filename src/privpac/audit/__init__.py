"""CAN IT BE REFUTED: exact and sampled audits of privacy claims, and broken mechanisms that they must catch.

The package itself is callable: ``privpac.audit(...)`` is ``privpac.audit.sampling.audit(...)``, no matter which of its
modules were imported before.

>>> import privpac.audit
>>> from privpac.privacy.budget import Budget
>>> privpac.audit(max, ((0, 0), (0, 1)), claimed=Budget(1), runs=1000).refuted
True
"""

import sys
from inspect import signature
from types import ModuleType

from privpac.audit.exact import Worst, divergence, loss, worst, worst_divergence
from privpac.audit.neighbors import around, hostile, neighbours
from privpac.audit.sampling import Verdict, audit

__all__ = [
    "Verdict",
    "Worst",
    "around",
    "audit",
    "divergence",
    "hostile",
    "loss",
    "neighbours",
    "worst",
    "worst_divergence",
]


class _Room(ModuleType):
    __call__ = staticmethod(audit)
    __signature__ = signature(audit)


sys.modules[__name__].__class__ = _Room
