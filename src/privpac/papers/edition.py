"""The contract of an edition: the facts that lists, commands, plans, and audits need about an algorithm of a paper.

An edition whose algorithm learns a class from labeled examples has ``make``, which sets it up for a class and a goal.
The others are steps of algorithms, or need parameters that a class and a goal do not determine; they run in Python.

A plan lists an algorithm only if its number is found ``at_once``: without a list of the class's concepts that somebody
would have to make, or to search, first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from privpac.classes.concept_class import ConceptClass
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.budget import Budget
from privpac.refusals.option_words import PaperConstants, Regime


class Goal(NamedTuple):
    """What an algorithm may cost, which error it aims at, how often it may miss it, and whose constants it uses."""

    cost: Budget
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "tight"

    @property
    def pure(self) -> Budget:
        """The cost without its δ, for algorithms that spend none."""
        return Budget(self.cost.epsilon)


class Trial(NamedTuple):
    """A case small enough to audit exactly: the algorithm, the records that a sample may have, and how many it has."""

    algorithm: Any
    records: Sequence[Any]
    n: int


def always(_: ConceptClass) -> bool:
    """For every class."""
    return True


def never(_: ConceptClass) -> bool:
    """For no class."""
    return False


Make = Callable[[ConceptClass, Goal], PaperLearner]  # ValueError if the algorithm does not learn the class


@dataclass(frozen=True)
class Edition:
    """One algorithm of a paper.

    >>> edition = Edition("Yan25", "Alg. 1", "make-tree", "make_tree", "nothing: it lists the tree of a class")
    >>> edition.place, edition.runs
    ('Yan25, Alg. 1', False)
    """

    paper: str
    number: str
    key: str  # the name in commands
    name: str  # the name in privpac.papers
    learns: str
    printed: str = ""  # the number of examples as the paper has it, hidden constants set to 1
    tight: str = ""  # the number of examples that is proved here
    theorem: str = ""  # the theorem that proves it
    make: Make | None = None
    trial: Callable[[], Trial] | None = None
    regime: Regime = "realizable"  # the labels for which the number is proved
    pure: bool = False  # whether it spends no δ
    false: str = ""  # what refutes the paper's privacy claim; empty if nothing does
    at_once: Callable[[ConceptClass], bool] = always  # whether its number is found in a moment, as plans ask

    @property
    def place(self) -> str:
        """Where it is in its paper."""
        return f"{self.paper}, {self.number}"

    @property
    def runs(self) -> bool:
        """Whether it learns a class from a table, without further parameters."""
        return self.make is not None


def labeled(points: Sequence[Any]) -> list[tuple[Any, bool]]:
    """Every point with every label.

    >>> labeled("a")
    [('a', False), ('a', True)]
    """
    return [(x, y) for x in points for y in (False, True)]
