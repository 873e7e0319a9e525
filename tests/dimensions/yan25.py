"""The example class of [Yan25, §1.3.2] as data: 8 concepts on 7 points, and the tree of its Figure 1."""

POINTS = ("x1", "x2", "x3", "x4", "x5", "x6", "x7")

POSITIVE = {
    "h1": {"x1"},
    "h2": {"x2"},
    "h3": {"x3"},
    "h4": {"x1", "x4"},
    "h5": {"x1", "x5"},
    "h6": {"x1", "x5", "x6"},
    "h7": {"x1", "x5", "x7"},
    "h8": set(),
}
MATRIX = [[x in positive for x in POINTS] for positive in POSITIVE.values()]

# The node above each point; None is the root ∅. The layers are those that the text lists.
ABOVE = {"x1": None, "x2": None, "x3": None, "x4": "x1", "x5": "x1", "x6": "x5", "x7": "x5"}
LAYERS = [{"x1", "x2", "x3"}, {"x4", "x5"}, {"x6", "x7"}]
