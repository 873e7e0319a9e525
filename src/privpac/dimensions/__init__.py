"""Dimensions of concept classes, which measure how hard they are to learn, each with a witness."""

from privpac.dimensions.base import Dimension
from privpac.dimensions.irreducible import irreducibility, is_irreducible, reducing_array, soa
from privpac.dimensions.littlestone import Littlestone, littlestone_dimension
from privpac.dimensions.threshold import threshold_dimension
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_order
from privpac.dimensions.vc import vc_dimension
from privpac.dimensions.witnesses import MistakeTree, ReducingSet, ShatteredSet, ThresholdSequence, verify

__all__ = [
    "Dimension",
    "Littlestone",
    "MistakeTree",
    "ReducingSet",
    "ShatteredSet",
    "ThresholdSequence",
    "TreeOrder",
    "irreducibility",
    "is_irreducible",
    "littlestone_dimension",
    "reducing_array",
    "soa",
    "threshold_dimension",
    "tree_order",
    "vc_dimension",
    "verify",
]
