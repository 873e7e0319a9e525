"""Differentially private PAC learning: readable rules, a proven (ε, δ) guarantee, an exact account of what was spent.

>>> import privpac as pp
>>> ledger = pp.Ledger(pp.Budget(1, 1e-6))
>>> pp.private_median([41] * 600 + [52] * 300, low=0, high=120, epsilon=0.5, budget=ledger)
41
>>> print(ledger.remaining)
ε = 0.5, δ = 1e-06
"""

from importlib import import_module
from pkgutil import get_data
from typing import Any

__version__ = "1.0.0rc1"

# Where each public name lives, as __init__.pyi tells type checkers: lines "from home import name as name". Rooms open
# when a name is first used, so that importing privpac stays cheap.
_LINES = get_data(__name__, "__init__.pyi").decode().splitlines()
_HOMES = {words[3]: words[1] for words in map(str.split, _LINES) if words[:1] == ["from"]}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  (these are strings)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'privpac' has no attribute {name!r}")
    if _HOMES[name] == __name__:
        return import_module(f"privpac.{name}")
    home = import_module(_HOMES[name])
    return globals().get(name, getattr(home, name))  # audit: its room, which is here now, is also the function


def __dir__() -> list[str]:
    return sorted(__all__)
