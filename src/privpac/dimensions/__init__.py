"""Dimensions of concept classes, which measure how hard they are to learn, each with a witness.

The VC, Littlestone, and threshold dimensions and irreducibility are computed exactly, or bounded when time runs out. A
witness proves one of the two bounds to anyone who can evaluate concepts on points.

Many classes given by a rule have dimensions in closed form. Classes of VC dimension at most 1 are trees, whose
dimensions are computed directly. For all other classes there is a search, in compiled code where that pays.

Parts, each importing only from those below it:
    oracle          questions about sub-classes that the algorithms of papers ask
    closure_oracle  the answers for sets of few values and for flats, in closed form
    point_oracle    the answers for points, in closed form
    irreducible     k-irreducibility and the SOA hypothesis
    littlestone     the Littlestone dimension
    threshold       the threshold dimension
    vc              the VC dimension
    tree_orders     classes of VC dimension at most 1
    witnesses       points and concepts that prove a bound
    kernels         compiled searches
    closure         bounds for unions and compositions
    time_limit      time limits and progress reports
    bitset          sets of small numbers as integers
    dimension       a dimension: bounds, a witness, and a reason
"""

from privpac.dimensions.dimension import Dimension
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
