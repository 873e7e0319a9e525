"""Short rules with scattered positive points: a keyed function of a whole number.

proof: docs/proofs/bbkn14.md, Lemma 5

Throughout this file
    p       a prime above every number that is read          (a, b)    the key, two numbers below p
    k       remainders below k get the label 1

Under a uniform key each number gets the label 1 with probability k/p, and any two numbers independently.
"""

from __future__ import annotations

from dataclasses import dataclass

from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value, value_name
from privpac.data.values.equal_values import outcomes


@dataclass(frozen=True)
class Keyed(Hypothesis):
    """The remainder of a·x + b modulo ``p`` is below ``k``; False for anything but the integers 0 … p − 1.

    >>> rule = Keyed(a=3, b=1, p=7, k=2)
    >>> print(rule, rule(range(7)).astype(int))
    (3·x + 1) mod 7 < 2 [1 0 1 0 0 0 0]
    >>> rule == Hypothesis.from_json(rule.to_json())
    True
    """

    a: int
    b: int
    p: int
    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.a < self.p and 0 <= self.b < self.p and 0 <= self.k <= self.p):
            raise ValueError("a and b must be integers from 0 to p − 1, and k an integer from 0 to p")

    def __call__(self, column: Column, /) -> Labels:
        def holds(x: Value) -> bool:
            return type(x) is int and 0 <= x < self.p and (self.a * x + self.b) % self.p < self.k

        return outcomes(column, holds)

    def sentence(self, *names: str) -> str:
        x = value_name(names)
        return f"({self.a}·{x} + {self.b}) mod {self.p} < {self.k}"
