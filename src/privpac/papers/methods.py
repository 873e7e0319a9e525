"""Editions as learners: what ``PrivateClassifier(method="PolyPriLearn")`` and ``privpac papers run`` use.

``learners`` stands below this room and loads this file by its name when ``method`` names an edition.

A paper's algorithm gets examples in an order, and its neighbors differ at one place of that order. A sample has no
order, so the examples come in a random one, which depends on no record: given the places of all other records, two
samples that differ in one record differ at one place. The number of examples is public, so a void record counts as
well, as a public example: each record is one example, whatever it is.

proof: docs/proofs/composition.md, Theorem 14

Throughout this file
    N     how many examples the tight theorem asks for; with as many or more, α and β are certified
    n     how many examples there are
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from math import floor
from typing import Any, ClassVar, Self

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.public_records import WithPublic
from privpac.classes.hypothesis import Hypothesis
from privpac.data.domains.anything import Anything
from privpac.data.domains.domain import Domain
from privpac.data.samples.sample import Sample
from privpac.data.values.value_text import value_text
from privpac.learners.algorithm import FINENESS, STANDS_FOR_MISFITS, Learner
from privpac.mechanisms.algorithm import Ask
from privpac.papers.abms20.closure import as_hypothesis
from privpac.papers.edition import Edition, Goal
from privpac.papers.editions import EDITIONS
from privpac.papers.paper_learner import Examples, PaperLearner, WrapperLearner
from privpac.papers.yan25.improper import Partition
from privpac.privacy.accounting.delta import CAP
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.refusals.option_words import PaperConstants
from privpac.refusals.refusal import InOtherWords, Refused
from privpac.requests.conditions import Conditions, Terms

Example = tuple[Any, bool]
BEYOND = "it would ask for more records than can be counted; aim at a larger alpha"
COSTS_ALIKE = "it learns two labels whose errors cost the same"
MOST_TRIED = 8  # steps between the values that may stand for void records
NO_LIST = ""  # stands for them where values have no numbers: a text, and among paths the root
PRINTED = "-printed"  # after the name of an edition: with the paper's numbers instead of the proved ones


@dataclass(frozen=True)
class InRandomOrder(WrapperLearner):
    """A paper's algorithm on the examples of a sample, in random order, at the same cost."""

    inner: PaperLearner

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def theorem(self) -> str:
        return self.inner.theorem

    def check(self, data: Any) -> Examples:
        return self.inner.check(data)

    def run(self, data: Examples, ask: Ask) -> Any:
        place = np.asarray(ask(Partition((1,) * len(data)), None), dtype=np.intp)
        return ask(self.inner, tuple(data[i] for i in place.tolist()))


def examples_of(sample: Sample, domain: Domain, instead: Example) -> Examples:
    """Every record of a sample as an example, equal ones next to each other; ``instead`` of each void record.

    >>> from privpac.data.domains.line import Line
    >>> sample = Sample(np.array([3, 1]), np.array([True, False]), np.array([2, 1]), 4, np.array([3, 1]))
    >>> examples_of(sample, Line(0, 9), (0, False))
    ((3, True), (3, True), (1, False), (0, False))
    """
    points = sample.values.tolist() if isinstance(sample.values, np.ndarray) else domain.named(sample.values)
    counts = [1] * len(points) if sample.counts is None else sample.counts.tolist()
    entries = zip(points, sample.labels.tolist(), counts, strict=True)
    examples = [(x, bool(y)) for x, y, count in entries for _ in range(count)]
    return (*examples, *[instead] * (sample.size - len(examples)))


def one_digit(δ: Fraction) -> Fraction:
    """δ rounded down to one significant digit.

    >>> float(one_digit(Fraction("0.000376"))), one_digit(Fraction(0))
    (0.0003, Fraction(0, 1))
    """
    if not δ:
        return δ
    digit, exponent = f"{Decimal(δ.numerator) / Decimal(δ.denominator):.17e}".split("e")
    rounded = Fraction(digit[0]) * Fraction(10) ** int(exponent)
    return rounded if rounded <= δ else rounded - Fraction(10) ** int(exponent)


@lru_cache(maxsize=64)
def _algorithm(edition: Edition, concept_class: ConceptClass, goal: Goal) -> PaperLearner:
    """The algorithm of an edition; ValueError if it does not learn the class, or costs more than the goal allows."""
    assert edition.make is not None
    with InOtherWords(lambda _: ValueError(BEYOND), OverflowError):
        algorithm = edition.make(concept_class, goal)
        _ = algorithm.N
    if not algorithm.cost <= goal.cost:
        raise ValueError(f"it costs {algorithm.cost}, more than {goal.cost}")
    return algorithm


@dataclass(frozen=True)
class PaperMethod(Learner):
    """A paper's algorithm as a learner; a subclass for each edition that learns a class, and for its printed numbers.

    >>> from privpac import Points, PrivateClassifier
    >>> clf = PrivateClassifier(Points(40), alpha=0.25, delta=1e-6, regime="realizable", method="PolyPriLearn")
    >>> clf.certified_n(), clf.learner().theorem
    (285, 'ggkm21, Theorem 2')
    >>> texts = PrivateClassifier(Points(), alpha=0.25, delta=1e-6, regime="realizable", method="PolyPriLearn")
    >>> texts.certified_n()
    285
    """

    edition: ClassVar[Edition]
    constants: ClassVar[PaperConstants] = "tight"
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (ConceptClass,)
    automatic: ClassVar[bool] = False
    aims: ClassVar[bool] = True

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        learner = cls(concept_class, terms)
        return learner if learner.obstacle is None else None

    @property
    def obstacle(self) -> str | None:
        """Why the algorithm cannot learn on these terms; None if it can."""
        terms = self.terms
        if isinstance(self.concept_class, WithPublic):
            return "it uses no public records; leave out public"
        if terms.labels > 2 or not terms.weights.even:
            return COSTS_ALIKE
        if terms.units:  # how many records a unit has is private, and so is the length
            return "its examples must be all records: protect records, not units"
        try:
            _ = self.algorithm
        except (TypeError, ValueError) as error:
            return str(error)
        if terms.on_invalid != "raise" and not self.domain.numbered:
            try:
                self.domain.encode([NO_LIST])
            except (TypeError, ValueError):
                return "no public value can stand for records that do not fit: leave those out, or list the values"
        return None

    @cached_property
    def instead(self) -> Example:
        """The public example that a void record counts as: of a few values, the one on whose label most rules agree."""
        if self.terms.on_invalid == "raise":
            return None, False
        values: list[Any] = [NO_LIST]
        if self.domain.numbered:
            last = int(self.domain.size) - 1
            numbers = sorted({last * i // MOST_TRIED for i in range(MOST_TRIED + 1)})
            values = [self.domain.decode(number) for number in numbers]
        patterns = self.concept_class.patterns(values)
        ones, half = patterns.sum(axis=0), len(patterns) / 2
        chosen = int(np.argmax(np.abs(ones - half)))
        return values[chosen], bool(ones[chosen] > half)

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        if self.terms.on_invalid == "raise":
            return ()
        value, label = self.instead
        which = "positive" if label else "negative"
        return (f"the best rule is {which} at {value_text(value)}, {STANDS_FOR_MISFITS}",)

    @property
    def goal(self) -> Goal:
        """What the algorithm aims at: α rounded down to what a certificate can say, δ to one digit, to reuse plans."""
        terms = self.terms
        α = Fraction(floor(terms.alpha * FINENESS), FINENESS) or terms.alpha
        δ = Fraction(0) if self.pure else one_digit(terms.cost.delta)
        return Goal(Budget(terms.cost.epsilon, δ), α, terms.beta, self.constants)

    @cached_property
    def algorithm(self) -> PaperLearner:
        return _algorithm(self.edition, self.concept_class, self.goal)

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        return self.algorithm.cost

    @property
    def domain(self) -> Domain:
        """How records are read: as the class says; as the algorithm says, if the class takes values of any kind."""
        own = self.concept_class.domain
        return self.algorithm.domain if isinstance(own, Anything) else own

    @property
    def proper(self) -> bool:  # type: ignore[override]
        """Whether all rules are rules of the class, as far as the algorithm knows."""
        return self.algorithm.stays_in(self.concept_class)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        examples = partial(examples_of, domain=self.domain, instead=self.instead)
        return as_hypothesis(ask(InRandomOrder(self.algorithm), records.see(examples)))

    def failure(self, n: int, alpha: float) -> float:
        """β for N or more examples and the error that was asked for; nothing is proved about any other error."""
        goal, covered = self.goal, self.edition.regime == "agnostic" or self.terms.regime == "realizable"
        if self.constants == "printed" or not covered or alpha < float(goal.alpha):
            return 1.0
        # A smaller δ takes more examples, so most numbers of them are excluded by the plan for the largest default δ.
        largest = goal._replace(cost=Budget(goal.cost.epsilon, max(goal.cost.delta, CAP)))
        for each in (goal,) if self.pure else (largest, goal):
            N = _algorithm(self.edition, self.concept_class, each).N
            if N is None or n < N:
                return 1.0
        return float(self.terms.beta)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, self.concept_class, self.terms)


def _method(edition: Edition, constants: PaperConstants) -> type[PaperMethod]:
    named = f"{edition.name}{PRINTED if constants == 'printed' else ''}"
    facts = {
        "edition": edition,
        "constants": constants,
        "title": f"{edition.name} of [{edition.place}]",
        "theorem": edition.theorem,
        "pure": edition.pure,
        "__doc__": f"{edition.place}, as a learner.",
    }
    return type(named, (PaperMethod,), facts)


METHODS = {
    kind.__name__: kind
    for edition in EDITIONS
    if edition.runs
    for kind in (_method(edition, "tight"), _method(edition, "printed"))
}


def _again(name: str, concept_class: ConceptClass, terms: Terms) -> PaperMethod:
    return METHODS[name](concept_class, terms)


def method_named(name: str, concept_class: ConceptClass, conditions: Conditions) -> type[Learner] | None:
    """The edition of this name as a learner; None if there is none, Refused if it does not learn the class.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> method_named("OPTPrivateLearner", Thresholds(0, 9), Conditions())
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: OPTPrivateLearner cannot learn this: the class must be explicit with ...
    """
    if (kind := METHODS.get(name)) is None:
        return None
    obstacle = COSTS_ALIKE if conditions.balanced else kind(concept_class, conditions.terms(1)).obstacle
    if obstacle is not None:
        raise Refused("method", f"{name} cannot learn this: {obstacle}")
    return kind
