"""The class on which relabeling costs nearly its price."""

from itertools import product

from privpac.classes.explicit import ExplicitClass

FIRST, SECOND = "first", "second"


def crowded(bits):
    """All patterns on some points. FIRST has two labels beside the first pattern and only False beside the others;
    for SECOND it is the other way round."""
    rows = [
        (*g, a, b)
        for g in product((0, 1), repeat=bits)
        for a, b in product((0, 1), repeat=2)
        if (b == 0 if not any(g) else a == 0)
    ]
    return ExplicitClass(rows, points=[*range(bits), FIRST, SECOND])
