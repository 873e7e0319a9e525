"""Differentially private PAC learning: readable rules, a proven (ε, δ) guarantee, an exact account of what was spent.

>>> import privpac as pp
>>> ledger = pp.Ledger(pp.Budget(1, 1e-6))
>>> pp.private_median([41] * 600 + [52] * 300, low=0, high=120, epsilon=0.5, budget=ledger)
41
>>> print(ledger.remaining)
ε = 0.5, δ = 1e-06
"""

from importlib import import_module
from typing import Any

import lazy_loader

__version__ = "1.0.0rc1"

# Rooms open when a name is first used, so that importing privpac stays cheap; __init__.pyi says where each name lives.
_lazy, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __getattr__(name: str) -> Any:
    return import_module("privpac.audit") if name == "audit" else _lazy(name)  # a room that is also the function
