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
    from privpac.classes.algebra import Parities as Parities
    from privpac.classes.base import Hypothesis as Hypothesis
    from privpac.classes.boxes import Conjunctions as Conjunctions
    from privpac.classes.boxes import Rectangles as Rectangles
    from privpac.classes.central_half_planes import CentralHalfPlanes as CentralHalfPlanes
    from privpac.classes.compose import And as And
    from privpac.classes.compose import Compose as Compose
    from privpac.classes.compose import Majority as Majority
    from privpac.classes.compose import Not as Not
    from privpac.classes.compose import Or as Or
    from privpac.classes.compose import Xor as Xor
    from privpac.classes.explicit import ExplicitClass as ExplicitClass
    from privpac.classes.explicit import dual as dual
    from privpac.classes.line import Intervals as Intervals
    from privpac.classes.line import Thresholds as Thresholds
    from privpac.classes.paths import RootPaths as RootPaths
    from privpac.classes.paths import StartsWith as StartsWith
    from privpac.classes.plane import HalfPlanes as HalfPlanes
    from privpac.classes.plane import HalfSpaces as HalfSpaces
    from privpac.classes.points import Points as Points
    from privpac.classes.points import SparseSets as SparseSets
    from privpac.classes.spider import Spider as Spider
    from privpac.classes.subspaces import AffineSubspaces as AffineSubspaces
    from privpac.classes.taxonomy import Taxonomy as Taxonomy
    from privpac.classes.tree import TwoSided as TwoSided
    from privpac.classes.union import Union as Union
    from privpac.dimensions.base import Dimension as Dimension
    from privpac.dimensions.irreducible import irreducibility as irreducibility
    from privpac.dimensions.irreducible import soa as soa
    from privpac.dimensions.littlestone import littlestone_dimension as littlestone_dimension
    from privpac.dimensions.threshold import threshold_dimension as threshold_dimension
    from privpac.dimensions.vc import vc_dimension as vc_dimension
    from privpac.dimensions.witnesses import verify as verify
    from privpac.learners.classifier import PrivateClassifier as PrivateClassifier
    from privpac.learners.model import Model as Model
    from privpac.learners.model import model_of as model_of
    from privpac.mechanisms.median import interior_point as interior_point
    from privpac.mechanisms.median import interior_size as interior_size
    from privpac.mechanisms.median import median_rank_error as median_rank_error
    from privpac.mechanisms.median import private_median as private_median
    from privpac.mechanisms.quantile_tree import private_quantiles as private_quantiles
    from privpac.planning.planner import plan as plan
    from privpac.privacy.budget import Budget as Budget
    from privpac.privacy.certificate import Certificate as Certificate
    from privpac.privacy.certificate import Utility as Utility
    from privpac.privacy.ledger import BudgetExceeded as BudgetExceeded
    from privpac.privacy.ledger import Ledger as Ledger
    from privpac.privacy.store import BudgetStore as BudgetStore
    from privpac.report.html import write_report as write_report


__version__ = "0.1.0.dev0"

# where each public name lives; rooms open when a name is first used, so that importing privpac stays cheap
_HOMES = {
    "AffineSubspaces": "classes.subspaces",
    "And": "classes.compose",
    "Budget": "privacy.budget",
    "BudgetExceeded": "privacy.ledger",
    "BudgetStore": "privacy.store",
    "CentralHalfPlanes": "classes.central_half_planes",
    "Certificate": "privacy.certificate",
    "Compose": "classes.compose",
    "Conjunctions": "classes.boxes",
    "Dimension": "dimensions.base",
    "ExplicitClass": "classes.explicit",
    "HalfPlanes": "classes.plane",
    "HalfSpaces": "classes.plane",
    "Hypothesis": "classes.base",
    "Intervals": "classes.line",
    "Ledger": "privacy.ledger",
    "Majority": "classes.compose",
    "Model": "learners.model",
    "Not": "classes.compose",
    "Or": "classes.compose",
    "Parities": "classes.algebra",
    "Points": "classes.points",
    "PrivateClassifier": "learners.classifier",
    "Rectangles": "classes.boxes",
    "RootPaths": "classes.paths",
    "SparseSets": "classes.points",
    "Spider": "classes.spider",
    "StartsWith": "classes.paths",
    "Taxonomy": "classes.taxonomy",
    "Thresholds": "classes.line",
    "TwoSided": "classes.tree",
    "Union": "classes.union",
    "Utility": "privacy.certificate",
    "Xor": "classes.compose",
    "dual": "classes.explicit",
    "interior_point": "mechanisms.median",
    "interior_size": "mechanisms.median",
    "irreducibility": "dimensions.irreducible",
    "littlestone_dimension": "dimensions.littlestone",
    "median_rank_error": "mechanisms.median",
    "model_of": "learners.model",
    "plan": "planning.planner",
    "private_median": "mechanisms.median",
    "private_quantiles": "mechanisms.quantile_tree",
    "soa": "dimensions.irreducible",
    "threshold_dimension": "dimensions.threshold",
    "vc_dimension": "dimensions.vc",
    "verify": "dimensions.witnesses",
    "write_report": "report.html",
}
_ROOMS = (
    "audit",
    "classes",
    "data",
    "dimensions",
    "exact",
    "learners",
    "mechanisms",
    "online",
    "planning",
    "privacy",
    "report",
)

__all__ = [
    "AffineSubspaces",
    "And",
    "Budget",
    "BudgetExceeded",
    "BudgetStore",
    "CentralHalfPlanes",
    "Certificate",
    "Compose",
    "Conjunctions",
    "Dimension",
    "ExplicitClass",
    "HalfPlanes",
    "HalfSpaces",
    "Hypothesis",
    "Intervals",
    "Ledger",
    "Majority",
    "Model",
    "Not",
    "Or",
    "Parities",
    "Points",
    "PrivateClassifier",
    "Rectangles",
    "RootPaths",
    "SparseSets",
    "Spider",
    "StartsWith",
    "Taxonomy",
    "Thresholds",
    "TwoSided",
    "Union",
    "Utility",
    "Xor",
    "__version__",
    "audit",
    "classes",
    "data",
    "dimensions",
    "dual",
    "exact",
    "interior_point",
    "interior_size",
    "irreducibility",
    "learners",
    "littlestone_dimension",
    "mechanisms",
    "median_rank_error",
    "model_of",
    "online",
    "plan",
    "privacy",
    "private_median",
    "private_quantiles",
    "report",
    "soa",
    "threshold_dimension",
    "vc_dimension",
    "verify",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"privpac.{name}")
    if name in _HOMES:
        return getattr(import_module(f"privpac.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'privpac' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
