"""Differentially private PAC learning: readable rules, a proven (ε, δ) guarantee, an exact account of what was spent.

>>> import privpac as pp
>>> ledger = pp.Ledger(pp.Budget(1, 1e-6))
>>> pp.private_median([41] * 600 + [52] * 300, low=0, high=120, epsilon=0.5, budget=ledger)
41
>>> print(ledger.remaining)
ε = 0.5, δ = 1e-06
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers see of the names below
    from privpac.audit.sampling import audit as audit
    from privpac.mechanisms.interior import interior_point as interior_point
    from privpac.mechanisms.interior import interior_size as interior_size
    from privpac.mechanisms.interior import median_rank_error as median_rank_error
    from privpac.mechanisms.interior import private_median as private_median
    from privpac.mechanisms.quantiles import private_quantiles as private_quantiles
    from privpac.privacy.budget import Budget as Budget
    from privpac.privacy.certificate import Certificate as Certificate
    from privpac.privacy.certificate import Utility as Utility
    from privpac.privacy.ledger import BudgetExceeded as BudgetExceeded
    from privpac.privacy.ledger import Ledger as Ledger
    from privpac.privacy.store import BudgetStore as BudgetStore

__version__ = "0.1.0.dev0"

# where each public name lives; rooms open when a name is first used, so that importing privpac stays cheap
_HOMES = {
    "Budget": "privacy.budget",
    "BudgetExceeded": "privacy.ledger",
    "BudgetStore": "privacy.store",
    "Certificate": "privacy.certificate",
    "Ledger": "privacy.ledger",
    "Utility": "privacy.certificate",
    "interior_point": "mechanisms.interior",
    "interior_size": "mechanisms.interior",
    "median_rank_error": "mechanisms.interior",
    "private_median": "mechanisms.interior",
    "private_quantiles": "mechanisms.quantiles",
}
_ROOMS = ("audit", "data", "exact", "mechanisms", "privacy")

__all__ = [
    "Budget",
    "BudgetExceeded",
    "BudgetStore",
    "Certificate",
    "Ledger",
    "Utility",
    "__version__",
    "audit",
    "data",
    "exact",
    "interior_point",
    "interior_size",
    "mechanisms",
    "median_rank_error",
    "privacy",
    "private_median",
    "private_quantiles",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"privpac.{name}")
    if name in _HOMES:
        return getattr(import_module(f"privpac.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'privpac' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
