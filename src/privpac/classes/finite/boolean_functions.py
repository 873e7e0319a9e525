"""Gates: boolean functions of a few bits, with which classes are composed.

Throughout this file
    k      the number of bits G reads     table  the 2^k values of G; entry i is G on the binary digits of i
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from privpac.classes.matrices import check_matrix_size

WIDEST = 16  # the most bits that a gate may read: its table is written out

NAMED: dict[str, Callable[..., bool]] = {
    "and": lambda *bits: all(bits),
    "or": lambda *bits: any(bits),
    "xor": lambda *bits: sum(bits) % 2 == 1,
    "majority": lambda *bits: 2 * sum(bits) > len(bits),  # more than half: a tie is not a majority
    "not": lambda bit: not bit,
}


@dataclass(frozen=True)
class Gate:
    """A boolean function of ``arity`` bits."""

    name: str
    table: tuple[bool, ...]

    @property
    def arity(self) -> int:
        return len(self.table).bit_length() - 1

    def __call__(self, *bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The function on arrays of bits, entry by entry; shapes broadcast."""
        if len(bits) != self.arity:
            raise ValueError(f"{self.name} reads {self.arity} bits but got {len(bits)}")
        index = np.zeros((), dtype=np.uint16)  # wide enough for WIDEST bits
        for bit in bits:
            index = 2 * index + bit
        return np.asarray(np.array(self.table, dtype=bool)[index])

    def on_rows(self, *matrices: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The function on one row of each matrix, for every choice of rows; the last matrix's row changes fastest."""
        points = matrices[0].shape[1]
        check_matrix_size(math.prod(map(len, matrices)), points)
        axes = np.ix_(*(range(len(matrix)) for matrix in matrices))
        return self(*(matrix[rows] for matrix, rows in zip(matrices, axes, strict=True))).reshape(-1, points)


GateLike = Gate | str | Callable[..., bool] | Sequence[bool]  # a gate, its name, a function, or its values


def gate(G: GateLike, arity: int) -> Gate:
    """``G`` as a gate of ``arity`` bits: a name, a function of booleans, or its 2^arity values.

    >>> gate(lambda a, b: a and not b, 2).table
    (False, False, True, False)
    """
    if not 1 <= arity <= WIDEST:
        raise ValueError(f"a composition needs 1 to {WIDEST} classes, not {arity}")
    if isinstance(G, Gate):
        name, table = G.name, G.table
    elif isinstance(G, str):
        if G not in NAMED:
            raise ValueError(f"no gate is called {G!r}; choose one of {', '.join(NAMED)} or pass a function")
        name, table = G, _values(NAMED[G], arity)
    elif callable(G):
        name, table = getattr(G, "__name__", "G").replace("<lambda>", "G"), _values(G, arity)
    else:
        name, table = "G", tuple(map(_bit, G))
    if len(table) != 2**arity:
        need = f"{arity} classes need {2**arity}: one for each choice of bits"
        raise ValueError(f"{name} has {len(table)} values, but {need}")
    return Gate(name, table)


@cache
def name_of(table: tuple[bool, ...]) -> str | None:
    """The usual name of the function with these values, if it has one."""
    arity = len(table).bit_length() - 1
    gates = NAMED if arity == 1 else {name: G for name, G in NAMED.items() if name != "not"}
    return next((name for name, G in gates.items() if _values(G, arity) == table), None)


def _values(G: Callable[..., bool], arity: int) -> tuple[bool, ...]:
    """The truth table of a function."""
    try:
        return tuple(_bit(G(*bits)) for bits in product((False, True), repeat=arity))
    except TypeError as error:
        contract = f"take {arity} booleans, one for each class, and return one"
        raise ValueError(f"the function must {contract}: {error}") from None


def _bit(value: object) -> bool:
    if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
        raise ValueError("the values of a boolean function must be True or False")
    return bool(value)
