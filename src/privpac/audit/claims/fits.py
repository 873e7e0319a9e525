"""Audits of learners as they run: their own code, their own views, and every release, over all neighbors.

A learner is an adaptive sequence of releases. We audit each release by itself, given the answers before it: on two
neighbors, the law of the mechanism on the learner's view must stay within the cost charged for it. One law is small
enough to audit among many records, and the audit is sharp: some neighbors use up the whole charge.

A whole learner is also a mechanism, whose output is the tuple of all releases; ``law_of`` keeps its law finite.

If the error is reported, the last record, or the last unit, is held out. Its content does not influence which one this
is, so neighbors differ in just one of the two parts; privpac.audit.claims.holding_out audits the choice itself.

Throughout this file
    records    a sample: a tuple of n labeled records (x, y), (None, y) if x does not fit, or None for one without a
               declared label; where the learner promises something per unit, a tuple of units, each of which is a
               tuple of labeled records
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx

from privpac.audit.claims.case import AsIs, Case, Records, with_answers
from privpac.audit.exact_divergence import BITS, once
from privpac.classes.concept_class import ConceptClass
from privpac.data.samples.sample import NEGATIVE, POSITIVE, Sample, Void
from privpac.data.samples.units import Quota, slots_of
from privpac.data.values.columns import objects
from privpac.exact.entropy import Entropy
from privpac.learners.algorithm import Learner
from privpac.learners.fit import Fit
from privpac.mechanisms.algorithm import Ask, PendingRequest, law_of, next_request
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.budget import NOTHING as NOTHING_SPENT
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.requests.conditions import Conditions

NO_ANSWER = object()
KEY = "any"  # The hash that chooses among a unit's records has a key, and the claim holds for every key.


@dataclass(frozen=True)
class UnseenRecords:
    """n records that nobody can look at: no view is evaluated. An algorithm runs on them if it gets all answers."""

    size: int

    def see(self, view: Callable[[Sample], Any]) -> Callable[[Sample], Any]:
        return view


class SampleParts(NamedTuple):
    """The two parts of a sample, of any sizes: the records for training, and those that are held out."""

    training: Sample
    holdout: Sample | None = None

    @property
    def size(self) -> int:
        return self.training.size


def fit_of(kind: type[Learner], concept_class: ConceptClass, **conditions: Any) -> Fit:
    """Everything a fit by this algorithm releases; the other arguments are parameters of ``PrivateClassifier``.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.learners.lines.thresholds import ThresholdLearner
    >>> fit_of(ThresholdLearner, Thresholds(0, 9), epsilon=2, delta=1e-6).cost
    Budget(2, 1e-06)
    """
    return Fit.of(kind, concept_class, Conditions.of(**conditions))


@dataclass(frozen=True)
class AuditedFit(AsIs):
    """A fit as a mechanism, on samples of n records or of n units; its output is the tuple of everything it released.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.learners.finite import FiniteLearner
    >>> fit = AuditedFit(fit_of(FiniteLearner, ExplicitClass([[0, 1], [1, 1]]), epsilon=2), 2)
    >>> law = fit.law(fit.sample(((0, 1), (1, 1))))
    >>> {outcome: round(float(law[outcome]), 3) for outcome in sorted(law)}
    {(0,): 0.184, (1,): 0.816}
    """

    fit: Fit
    n: int
    reach: int = 8  # noise is listed up to this far; at least n, so that no two counts are merged

    @property
    def name(self) -> str:
        return self.fit.name

    @property
    def learner(self) -> Learner:
        return self.fit.learner

    @property
    def cost(self) -> Budget:
        return self.fit.cost

    def sample(self, records: Records) -> Sample | SampleParts:
        """The records as the learner reads them; the last one is held out if the error is reported."""
        return self.parts(records[:-1], records[-1:]) if self.fit.error_cost.epsilon else self.read(records)

    def parts(self, training: Records, holdout: Records) -> SampleParts:
        """The two parts as samples. A held-out unit is represented by its first record; any of its records would do."""
        records = [unit[0] for unit in holdout] if self.learner.terms.units else list(holdout)
        return SampleParts(self.read(training), self._sample(records, len(holdout)))

    def read(self, records: Records) -> Sample:
        """The records as the learner reads them, none held out."""
        if not self.learner.terms.units:
            return self._sample(records, len(records))
        # A unit is named after its records, so it keeps its name when another unit is substituted.
        names = [f"{unit}, number {records[:i].count(unit)}" for i, unit in enumerate(records)]
        rows = [(name, record) for name, unit in zip(names, records, strict=True) for record in unit]
        quota = Quota(np.array([name for name, _ in rows]), self.fit.k, KEY)
        content = [objects(x for _, (x, _) in rows), objects(y for _, (_, y) in rows)]
        numbers, n = slots_of(quota, content, "raise")
        return self._sample([rows[i][1] for i in numbers], n)

    def _sample(self, records: Sequence[Any], n: int) -> Sample:
        fitting = [record for record in records if record is not None and record[0] is not None]
        unfit, K = [y for x, y in filter(None, records) if x is None], self.learner.terms.labels
        kinds = [POSITIVE if y else NEGATIVE for y in unfit] if K == 2 else unfit
        values, labels = [x for x, _ in fitting], np.array([y for _, y in fitting], dtype=bool if K == 2 else np.intp)
        void = Void(np.array(kinds, dtype=np.intp), np.ones(len(unfit), dtype=np.int64))
        return Sample(self.learner.concept_class.domain.points(values), labels, None, n, values, void=void, K=K)

    def law(self, sample: Sample | SampleParts) -> dict[Any, arb]:
        return law_of(lambda ask: self.releases(sample, ask), self.reach)

    def release(self, sample: Sample | SampleParts, coins: Entropy) -> tuple[Any, ...]:
        return self.releases(sample, lambda mechanism, data: mechanism.release(mechanism.check(data), coins))

    def releases(self, sample: Sample | SampleParts, ask: Ask) -> tuple[Any, ...]:
        """All answers of ``ask`` in one run of the fit."""
        ask, answers = with_answers(ask)
        training, holdout = sample if isinstance(sample, SampleParts) else SampleParts(sample)
        held_out = None if holdout is None else Opened(holdout, holdout.size)
        self.fit.run(Opened(training, training.size), ask, held_out)
        return tuple(answers)


@dataclass(frozen=True)
class Stage(AsIs):
    """The release of a fit that follows ``answers``, as a mechanism.

    Its outcome is all that becomes public: the entry in the ledger, the answer, and, after the last answer, the rule.
    Rules are compared as text, because equal values that are written differently, such as 1 and True, are equal answers
    but different releases.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.learners.finite import FiniteLearner
    >>> rules = ExplicitClass([[0, 1], [1, 1]])
    >>> fit = AuditedFit(fit_of(FiniteLearner, rules, epsilon=2, report_error=True), 2)
    >>> for answers in ((), (0,)):
    ...     print(Stage(fit, answers).request(fit.sample(((0, 1), (1, 0)))).mechanism)
    PermuteAndFlip(cost=Budget(2, 0))
    DisjointCounts(cost=Budget(2, 0), size=1)
    """

    audited_fit: AuditedFit
    answers: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        return self.audited_fit.name

    def request(self, sample: Sample | SampleParts) -> PendingRequest | None:
        """The mechanism, and what it sees of the sample; None if everything is released."""
        return next_request(lambda ask: self.audited_fit.releases(sample, ask), self.answers)

    def claimed(self, sample: Sample | SampleParts) -> Budget:
        """The charge for this release, but at most what is left of the fit's claim.

        If records are held out, each of the two parts may spend the whole claim. The releases come in this order: the
        count of positive records that decides the weights, if there is one; the releases of learning; and the error
        estimate, which is the only one by ``DisjointCounts``. The first and the last are about held-out records.
        """
        whole, fit = self.audited_fit.cost, self.audited_fit.fit
        left, spent_on_holdout = whole, fit.count_cost if fit.error_cost.epsilon else NOTHING_SPENT
        for i in range(len(self.answers) + 1):
            request = Stage(self.audited_fit, self.answers[:i]).request(sample)
            if request is None:
                raise ValueError(
                    "the learner asks for fewer releases than there are answers; leave out the last answers"
                )
            if isinstance(request.mechanism, DisjointCounts):
                left = whole - spent_on_holdout  # Learning was about other records.
            elif i == 1 and spent_on_holdout.epsilon:
                left = whole  # Learning starts here, and the count before it was about other records.
            charged = request.mechanism.cost
            claimed = Budget(min(charged.epsilon, left.epsilon), min(charged.delta, left.delta))
            left -= claimed
        return claimed

    def law(self, sample: Sample | SampleParts) -> dict[Any, arb]:
        """The probability of everything that may become public. Noise is listed beyond all counts; none is merged."""
        request = self.request(sample)
        if request is None:
            return {None: arb(1)}
        law: defaultdict[Any, arb] = defaultdict(lambda: arb(0))
        entry = f"{request.mechanism.name}, {request.mechanism.cost!r}"
        with ctx.workprec(BITS):
            for outcome, p, _ in request.law(reach=2 * sample.size + 2):
                law[entry, outcome, self._rule((outcome, sample.size))] += p
        return dict(law)

    def release(self, sample: Sample | SampleParts, coins: Entropy) -> Any:
        """What one draw makes public."""
        request = self.request(sample)
        if request is None:
            return None
        outcome = request.mechanism.release(request.mechanism.check(request.data), coins)
        return outcome, self._rule((outcome, sample.size))

    @cached_property
    def _rule(self) -> Callable[[tuple[Any, int]], str | None]:
        """(answer, n) → the rule that follows from it, as text; None if the rule needs more or fewer answers."""

        def rule_text(answer_and_size: tuple[Any, int]) -> str | None:
            outcome, n = answer_and_size
            answers = iter((*self.answers, outcome))
            try:
                rule = self.audited_fit.fit.run(UnseenRecords(n), lambda *_: next(answers)).rule
            except StopIteration:
                return None
            return None if next(answers, NO_ANSWER) is not NO_ANSWER else repr(rule)

        return once(rule_text)


def stages(
    fit: Fit | AuditedFit,
    about: str,
    universe: Sequence[Any],
    n: int,
    *,
    after: Iterable[tuple[Any, ...]] = ((),),
    crowd: Records = (),
) -> Iterator[Case]:
    """The claims that each release of a learner costs no more than it is charged.

    There is one claim for each sequence of answers in ``after``, about the release that follows it. By basic
    composition, the claims for all sequences together imply the learner's own claim. A sample consists of ``crowd`` and
    of n more records from ``universe``.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.learners.finite import FiniteLearner
    >>> rules = ExplicitClass([[0, 1], [1, 1]])
    >>> for case in stages(fit_of(FiniteLearner, rules), "2 rules", [(0, 0), (0, 1), (1, 1)], 2):
    ...     print(case.about, case.exact(), sep=": ")
    2 rules: NOT_REFUTED: ...
    """
    audited_fit = fit if isinstance(fit, AuditedFit) else AuditedFit(fit, n + len(crowd))
    beside = f", {len(crowd)} more records" if crowd else ""
    for answers in after:
        stage, earlier = Stage(audited_fit, answers), f", after {', '.join(map(str, answers))}" if answers else ""
        claimed = stage.claimed(audited_fit.sample((*crowd, *(universe[0],) * n)))
        yield Case(stage, audited_fit.sample, f"{about}{beside}{earlier}", universe, n, claimed, crowd=crowd)
