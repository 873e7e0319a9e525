"""Records with several codes: "codes include any of J10, I25"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Self

from privpac.classes.concept_class import ConceptClass, Family, Known
from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value
from privpac.classes.matrices import check_matrix_size
from privpac.classes.picture_shapes import MOST_DRAWN, Pills, Shape, titled
from privpac.classes.shell_options import K, MostCodes, Separator
from privpac.data.domains.code_lists import CodeLists, codes_in
from privpac.data.domains.domain import Domain
from privpac.data.values.allowed_types import filled_in_order
from privpac.data.values.equal_values import outcomes
from privpac.data.values.value_text import value_text
from privpac.refusals.refusal import Refused

MOST_CODES = 5  # the largest k: a learner may have to list all sets of k codes that occur together in many records


@dataclass(frozen=True)
class Includes(Hypothesis):
    """The text names at least one of ``codes``.

    >>> rule = Includes(frozenset(["J10", "I25"]), ";")
    >>> print(rule, rule(["E11; J10", "E11", None]))
    codes include any of I25, J10 [ True False False]
    """

    codes: frozenset[str]
    separator: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(codes_in(code, self.separator) != (code,) for code in self.codes):
            raise ValueError("a code must be text without the separator, and without spaces around it")

    @property
    def constant(self) -> bool | None:
        return None if self.codes else False

    def __call__(self, column: Column, /) -> Labels:
        return outcomes(column, lambda text: not self.codes.isdisjoint(codes_in(text, self.separator)))

    def sentence(self, *names: str) -> str:
        texts = sorted(map(value_text, self.codes))
        if not texts:
            return "never"
        return f"{names[0] if len(names) == 1 else 'codes'} include {'any of ' * (len(texts) > 1)}{', '.join(texts)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        texts = sorted(map(value_text, self.codes))[:MOST_DRAWN]
        return (*titled(columns), Pills((*((text, True) for text in texts), ("everything else", False))))


@dataclass(frozen=True)
class HasAny(ConceptClass):
    """A record has any of at most ``k`` codes, for all sets of codes; a cell holds at most ``s`` codes.

    Codes need not be declared. The empty set, "never", is one of the rules. An empty text has no codes, and neither has
    the separator alone. None, NULL, and NaN are missing, as is an empty cell of a CSV file: write the separator there.

    >>> codes = HasAny(2, s=5)
    >>> [str(h) for h in codes.representatives(["J10;I25", ""])]
    ['never', 'codes include I25', 'codes include J10', 'codes include any of I25, J10']
    """

    shell_name: ClassVar[str] = "has-any"
    k: int
    s: int
    separator: str = ";"

    def __post_init__(self) -> None:
        if type(self.k) is not int or not 1 <= self.k <= MOST_CODES:
            raise Refused.must("k", f"be a whole number between 1 and {MOST_CODES}: the most codes in a rule")
        _ = self.domain  # refuses an invalid separator or s

    @classmethod
    def from_shell(cls, k: K, s: MostCodes, separator: Separator = None) -> Self:
        return cls(k, s, ";" if separator is None else separator)  # type: ignore[arg-type]

    def family(self) -> Family:
        members = [(k, type(self)(k, self.s, self.separator)) for k in range(1, MOST_CODES + 1)]
        return Family("codes in a rule", self.k, members)

    @property
    def domain(self) -> CodeLists:
        return CodeLists(self.separator, self.s)

    @property
    def size(self) -> float:
        """Infinite: any codes can be named."""
        return math.inf

    def known(self, kind: str) -> Known | None:
        """All six dimensions if k = 1 or s = 1; otherwise only bounds are known."""
        k, s = (
            (self.s, self.k) if kind.startswith("dual ") else (self.k, self.s)
        )  # in the dual class, codes and records swap
        if min(k, s) > 1:
            return None
        vc = k if s == 1 else s.bit_length()
        value = {"VC": vc, "Littlestone": vc, "threshold": max(k, s)}.get(kind.removeprefix("dual "))
        return None if value is None else Known(value, "docs/proofs/dimensions.md, Any of some codes")

    def hypothesis(self, *codes: str) -> Includes:
        """The rule of these codes, at most k."""
        if len(set(codes)) > self.k:
            raise Refused("codes", f"give at most {self.k} codes: the rules of this class have no more")
        return Includes(filled_in_order(codes), self.separator)

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        codes_seen = sorted({code for codes in self.encode(self.named(points)).tolist() for code in codes})
        sizes = range(min(self.k, len(codes_seen)) + 1)
        check_matrix_size(sum(math.comb(len(codes_seen), i) for i in sizes), len(points))
        return [self.hypothesis(*chosen) for i in sizes for chosen in combinations(codes_seen, i)]
