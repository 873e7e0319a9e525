"""Everything that one release runs, as one algorithm: answers, then their measured certificate; and its preview.

proof: docs/proofs/measured_certificate.md
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Self

from flint import arb, ctx

from privpac.classes.concept_class import ConceptClass
from privpac.data.samples.sample import Sample
from privpac.mechanisms.algorithm import Algorithm, Ask, law_of
from privpac.mechanisms.noise.measured_gap import GaussianGap, MeasuredGap
from privpac.privacy.accounting.group_privacy import PerUnit, per_unit
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism, Opened, Records
from privpac.refusals.refusal import Refused
from privpac.release.choice import LabelQuestion, sanitizer
from privpac.release.sanitizer import Answers, Sanitizer
from privpac.requests.conditions import Conditions

LEAST_PART = Fraction(1, 10**11)  # the least ε per record, of answers and of a certificate; it limits their noise


@dataclass(frozen=True)
class MeasuredAnswers(Algorithm):
    """Answers, then their gap with Gaussian noise of this variance; the sanitizer's cost pays for both."""

    sanitizer: Sanitizer  # its noise is large enough for its cost to cover the gap as well
    variance: Fraction
    theorem: ClassVar[str] = "measured certificate, Theorem 3"

    @property
    def name(self) -> str:
        return f"{self.sanitizer.title}, with a measured certificate"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of both together."""
        return self.sanitizer.cost

    @property
    def certificate(self) -> GaussianGap:
        """How the gap is measured."""
        return GaussianGap(self.cost, self.sanitizer.terms.beta, self.variance)

    def run(self, sample: Sample, ask: Ask) -> tuple[Answers, int]:
        answers = self.sanitizer.run(Opened(sample, sample.size), ask)
        return answers, ask(self.certificate, answers.gap(sample))

    def law(self, sample: Sample) -> dict[tuple[Answers, int], arb]:
        answer_law = law_of(partial(self.sanitizer.run, Opened(sample, sample.size)))
        with ctx.workprec(128):
            bound_laws = {answers: self.certificate.law(answers.gap(sample)) for answers in answer_law}
            return {(answers, E): p * q for answers, p in answer_law.items() for E, q in bound_laws[answers].items()}


@dataclass(frozen=True)
class ReleaseAlgorithm(Algorithm):
    """Answers, then the measured gap of these very answers; ``k`` is how many records of each unit count.

    The gap costs ``certifying``. If the noise of both is Gaussian, it costs nothing more, and its noise has this
    ``variance``.
    """

    sanitizer: Sanitizer
    certifying: Budget  # per record; zero if nothing is measured, or if the sanitizer's cost pays for both
    k: int = 1
    share: Fraction = Fraction(0)  # about which share of the whole cost pays for the certificate
    variance: Fraction | None = None
    theorem: ClassVar[str] = "composition, Theorem 1"

    @classmethod
    def of(
        cls,
        concept_class: ConceptClass,
        conditions: Conditions,
        method: str,
        certify: Fraction,
        n: int,
        *,
        labels: LabelQuestion | None = None,
    ) -> Self:
        """A release of n records; a share ``certify`` of ε pays for the certificate, unless the bounds are certain."""
        terms = conditions.terms(n)
        at_full_cost = sanitizer(concept_class, terms, method, labels)
        if at_full_cost.certain or not certify:
            return cls(at_full_cost, Budget(0), conditions.k)
        ε, δ = terms.cost.epsilon, terms.cost.delta
        if min(certify, 1 - certify) * ε < LEAST_PART:
            raise Refused.must("certify", "leave at least 1e-11 of epsilon to the answers and to their bound")
        if (shared_noise := at_full_cost.with_certificate(certify)) is not None:
            noisier, variance = shared_noise
            return cls(noisier, Budget(0), conditions.k, certify, variance)
        answering = replace(terms, cost=Budget((1 - certify) * ε, δ))
        return cls(
            sanitizer(concept_class, answering, at_full_cost.name, labels), Budget(certify * ε), conditions.k, certify
        )

    @property
    def name(self) -> str:
        return self.sanitizer.name

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of answers and certificate together: per unit, or per record if k = 1."""
        return per_unit(self.sanitizer.cost, self.k) + per_unit(self.certifying, self.k)

    def least_gap(self, n: int) -> Fraction | None:
        """A lower bound on the error of every release that costs as much as answers and certificate together."""
        total = self.sanitizer.cost + self.certifying
        return replace(self.sanitizer, terms=replace(self.sanitizer.terms, cost=total)).least_gap(n)

    def run(self, records: Records, ask: Ask) -> tuple[Answers, int | None]:
        """The answers, and a bound on the error of all of them; None if it was not measured."""

        def per_unit_ask(mechanism: Mechanism, view: object) -> Any:
            return ask(PerUnit(mechanism, self.k) if self.k > 1 else mechanism, view)

        if self.variance is not None:
            both = MeasuredAnswers(self.sanitizer, self.variance)
            answers, bound = per_unit_ask(both, records.see(lambda sample: sample))
            return answers, min(bound, answers.farthest)
        answers = self.sanitizer.run(records, per_unit_ask)
        if not self.certifying.epsilon:
            return answers, None
        bound = per_unit_ask(MeasuredGap(self.certifying, self.sanitizer.terms.beta), records.see(answers.gap))
        return answers, min(bound, answers.farthest)


@dataclass(frozen=True)
class ReleasePreview:
    """A release of ``n`` records that has not happened; everything here is public.

    >>> import privpac as pp
    >>> ahead = pp.PrivateRelease(pp.Thresholds(0, 120), epsilon=1).preview(5000)
    >>> print(ahead.sanitizer, ahead.cost, ahead.measuring, sep="; ")
    LineSanitizer; ε = 1; 1/10
    """

    n: int
    sanitizer: str  # the name that ``method`` takes
    title: str  # what it does
    cost: Budget  # per record, or per unit
    measuring: Fraction  # about which share of the cost measures the error; zero where bounds are certain
    certain: bool  # whether bounds hold with certainty
    protected: int  # how many records or units are protected
    known: int | None = None  # every answer is off by at most this many records; None if that is measured

    @classmethod
    def of(cls, algorithm: ReleaseAlgorithm, conditions: Conditions, n: int) -> ReleasePreview:
        """The preview of a release of n records."""
        chosen, cost = algorithm.sanitizer, conditions.price_ahead(n, algorithm.cost)
        known, protected = chosen.known_gap(n), n // conditions.k
        return cls(n, chosen.name, chosen.method_text(n), cost, algorithm.share, chosen.certain, protected, known)
