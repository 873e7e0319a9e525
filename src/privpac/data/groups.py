"""Groups of records that an engine has counted.

Main declarations
    Incomplete      the groups without some value: their labels and counts
    Counted         the groups: their values, labels, and counts
    told_labels     the distinct entries of a column of labels, and which of them each group has
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Incomplete(NamedTuple):
    """Entry i stands for ``counts[i]`` records that lack a value; ``alike[i]`` is −1 if they lack a label."""

    alike: NDArray[np.integer[Any]]
    counts: NDArray[np.int64]
    units: NDArray[np.intp] | None = None


class Counted(NamedTuple):
    """Entry i stands for ``counts[i]`` records with these values and this label; n also counts void records.

    ``told`` are the labels that occur, and ``alike[i]`` is the number of the one that entry i has. Without a column of
    labels, all labels are True.

    >>> Counted([], np.array(["no", "yes"]), np.array([1, 0, 1]), np.array([5, 2, 3]), 10).labels.tolist()
    ['yes', 'no', 'yes']
    """

    columns: list[NDArray[Any]]
    told: NDArray[Any]
    alike: NDArray[np.integer[Any]]
    counts: NDArray[np.int64]
    n: int
    units: NDArray[np.intp] | None = None  # whose records they are, if units are told apart
    incomplete: Incomplete | None = None  # the records without some value, if there are any

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each entry."""
        return np.asarray(self.told[self.alike])


def told_labels(column: Any) -> tuple[Any, NDArray[np.integer[Any]]]:
    """The distinct entries of an Arrow column, and the number of each entry's; −1 if it is missing.

    >>> import pyarrow
    >>> told, alike = told_labels(pyarrow.chunked_array([["no", "yes"], ["yes", None]]))
    >>> told.to_pylist(), alike.tolist()
    (['no', 'yes'], [0, 1, 1, -1])
    """
    arrow = import_module("pyarrow")
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    told = arrow.chunked_array([chunks[0].dictionary] if chunks else [], column.type)
    return told, np.concatenate(
        [np.empty(0, dtype=np.int32), *(each.indices.fill_null(-1).to_numpy() for each in chunks)]
    )
