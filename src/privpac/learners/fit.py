"""Everything that one fit releases, as one algorithm; and what it would cost and promise, before it reads a record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple, Self

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.learners.algorithm import Learner
from privpac.learners.alternatives import OTHERWISE, wider_setting
from privpac.learners.errors.error_estimate import ErrorEstimate, read_counts
from privpac.learners.errors.label_errors import LabelErrors, read_label_counts
from privpac.learners.errors.region_counts import LabelCounts, count_regions
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.accounting.group_privacy import PerUnit, per_unit
from privpac.privacy.budget import NOTHING, Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.disjoint_parts import largest_cost
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import Conditions
from privpac.requests.weights import EVEN, Copies, ErrorWeights


class Fitted(NamedTuple):
    """What a fit releases: the rule, its error (None if no records are held out), and the weights of errors."""

    rule: Hypothesis
    error: ErrorEstimate | LabelErrors | None
    weights: ErrorWeights


@dataclass(frozen=True)
class Fit(Algorithm):
    """A rule and, if records are held out, an estimate of its error; up to ``k`` records of a unit are learned from.

    ``error_cost`` pays for the estimate; zero if no records are held out. ``count_cost`` pays for a noisy count of
    positive records, which decides the weights of errors; zero if the weights are known.
    """

    learner: Learner
    error_cost: Budget
    k: int = 1
    count_cost: Budget = NOTHING
    weights: ErrorWeights = EVEN
    theorem: ClassVar[str] = "composition, Theorem 1"

    @classmethod
    def of(cls, kind: type[Learner], concept_class: ConceptClass, conditions: Conditions, n: int = 1) -> Self:
        """A fit of n records by an algorithm of this kind; ValueError if it does not learn the class."""
        learner = kind.for_class(concept_class, conditions.terms(n))
        if learner is None:
            reason = f"{kind.__name__} does not learn this class; {OTHERWISE}"
            raise Refused("kind", reason)
        learner = learner.for_records(conditions.sizes(n).learned)
        return cls(learner, conditions.error_cost, conditions.k, conditions.count_cost, conditions.weights)

    @property
    def name(self) -> str:
        return self.learner.name

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of the whole fit, per record or per unit.

        Each record, or unit, is either learned from or held out, so it pays for the rule or for the estimate.
        """
        k, learning = self.k * self.learner.copies, self.learner.cost
        if k > 1:
            learning = per_unit(learning, k)
        if self.error_cost.epsilon:
            return largest_cost(learning, self.error_cost + self.count_cost)
        return learning + self.count_cost

    def run(self, records: Records, ask: Ask, held_out: Records | None = None) -> Fitted:
        """Learn from ``records``, and measure the error on ``held_out``, which has one record of each unit."""
        learner, weights = self.learner, self.weights
        if self.count_cost.epsilon:
            weights = self._counted_weights(records, ask, held_out)
            learner = learner.weighted(weights)
        terms = learner.terms

        def per_unit_ask(copies: int) -> Ask:
            """Ask at the price for a whole unit: each of its k records counts up to ``copies`` times."""
            k = self.k * copies
            return lambda mechanism, seen: ask(PerUnit(mechanism, k) if k > 1 else mechanism, seen)

        counted = records if terms.weights.even else Copies(records, terms.weights, per_unit_ask(1))
        rule = learner.run(counted, per_unit_ask(learner.copies))
        if held_out is None:
            return Fitted(rule, None, weights)
        void, more_rules = terms.on_invalid != "raise", wider_setting(learner.concept_class)
        counts = count_regions(rule, self.error_cost, terms.beta, held_out, ask, void=void, labels=terms.labels)
        if self.count_cost.epsilon:  # a count of the same records decided the weights, and so the rule
            counts = counts.chosen_of(ErrorWeights.number(held_out.size, self.learner.heaviest(records.size)))
        error: ErrorEstimate | LabelErrors
        if isinstance(counts, LabelCounts):
            error = read_label_counts(counts, more_rules, () if weights.even else weights.by_label)
        else:
            error = read_counts(counts, more_rules, (weights.by_label[0], weights.by_label[-1]))
        return Fitted(error.pruned(rule), error, weights)

    def _counted_weights(self, records: Records, ask: Ask, held_out: Records | None) -> ErrorWeights:
        """Weights from a noisy count of positive records: held-out ones, if there are any."""
        counted, k = (records, self.k) if held_out is None else (held_out, 1)
        count = DiscreteLaplace(Budget(self.count_cost.epsilon / k), 1, 0, counted.size)
        mechanism = PerUnit(count, k) if k > 1 else count
        positives = ask(mechanism, counted.see(lambda sample: sample.positives))
        return ErrorWeights.counted(positives, counted.size, self.learner.heaviest(records.size))


@dataclass(frozen=True)
class Preview:
    """A fit of ``n`` records that has not happened; everything here is public.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.learners.classifier import PrivateClassifier
    >>> ahead = PrivateClassifier(Thresholds(0, 120), epsilon=1, report_error=True).preview(5000)
    >>> print(ahead.learner, ahead.cost, ahead.learned, ahead.held, sep="; ")
    PureThresholdLearner; ε = 1; 4000; 1000
    """

    n: int
    learner: str  # the name that ``method`` takes
    title: str  # what it does
    cost: Budget  # per record, or per unit
    learned: int  # how many records the rule is learned from
    held: int  # how many other records measure its error
    protected: int  # how many records or units are protected
    utility: Utility | None = None

    @classmethod
    def of(cls, fit: Fit, conditions: Conditions, n: int) -> Preview:
        """The preview of a fit. Its cost is what the account must hold: with units, a little more δ than is spent."""
        learner, sizes = fit.learner, conditions.sizes(n)
        cost = conditions.price_ahead(n, fit.cost)
        utility = learner.utility(sizes.learned) if fit.k == 1 and not conditions.balanced else None
        return cls(n, learner.name, learner.described, cost, sizes.learned, sizes.held, n // conditions.k, utility)

    @property
    def delta_n(self) -> Fraction:
        """How many of the records or units δ allows to be revealed outright, on average."""
        return self.cost.delta * self.protected
