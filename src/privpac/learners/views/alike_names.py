"""Names that have the same records: whatever a rule says about one of them, it errs on it as on the others.

Of a million names, most have few records. They are compared once for all names that are alike.

Throughout this file
    name      a number from 0 on
    entry     a name, the cell in which some of its records lie, and their number: negative minus positive ones

Main declarations
    alike_rows    for each name, the first one that is alike
    by_copies     the names in arrays whose columns are alike
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.data.sample import Ints

FEW = 8  # cells of a name that is compared with others; names with more are taken to be alone


def alike_rows(cells: NDArray[np.intp], names: NDArray[np.intp], numbers: Ints, count: int) -> NDArray[np.intp]:
    """For each of ``count`` names, the smallest that has the same numbers in the same cells.

    >>> alike_rows(np.array([5, 5, 6, 5]), np.array([0, 1, 1, 2]), np.array([1, 1, -1, 1]), 3).tolist()
    [0, 1, 0]
    """
    order = np.lexsort((cells, names))
    cells, names, numbers = cells[order], names[order], numbers[order]
    first = np.flatnonzero(np.append(True, (names[1:] != names[:-1]) | (cells[1:] != cells[:-1])))[: len(names)]
    cells, names, numbers = cells[first], names[first], np.add.reduceat(numbers, first) if len(first) else numbers
    held = np.bincount(names, minlength=count)
    starts, alike = np.cumsum(held) - held, np.arange(count)
    for entries in range(1, FEW + 1):
        same = np.flatnonzero(held == entries)
        at = starts[same][:, None] + np.arange(entries)
        profiles = np.concatenate([cells[at], numbers[at]], axis=1)
        _, leader, which = np.unique(profiles, axis=0, return_index=True, return_inverse=True)
        alike[same] = same[leader][which.reshape(-1)]
    return alike


def by_copies(alike: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """All names, in arrays: a column holds names that are alike, and no two columns with as many names are split up.

    >>> [each.tolist() for each in by_copies(np.array([0, 1, 0, 3, 3]))]
    [[[1]], [[0, 3], [2, 4]]]
    """
    order = np.argsort(alike, kind="stable")
    copies = np.bincount(alike, minlength=len(alike))
    size = copies[alike[order]]  # of the set of each name
    return [order[size == each].reshape(-1, each).T for each in np.unique(copies[copies > 0]).tolist()]
