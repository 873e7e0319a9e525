"""More than two labels: one rule for each, label against the rest, from one budget.

Each rule pays an equal share of ε and δ, so all of them together cost what one rule would (composition, Theorem 1). The
rules are learned one by one. A record may satisfy several of them, or none.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import deepcopy
from typing import TypeVar

from privpac.learners.rule_request import RuleRequest
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused, Setting
from privpac.requests.labels import Against

Front = TypeVar("Front", bound=RuleRequest)
SHARED = (
    "the labels share δ, and its default depends on the number of records; name the total: ",
    *(Setting.to("delta", "1e-6"), ", or ", Setting.to("delta", 0), " for a learner that spends none"),
)


def one_per_label(clf: Front, labels: Sequence[Hashable]) -> tuple[Front, ...]:
    """Classifiers with the parameters of ``clf``, one for each of three labels or more; each has a share of ε and δ.

    >>> from privpac.classes.lines.intervals import Intervals
    >>> from privpac.learners.classifier import PrivateClassifier
    >>> rules = one_per_label(PrivateClassifier(Intervals(0, 99), epsilon=3, delta=0), ["child", "adult", "senior"])
    >>> [(str(rule.epsilon), rule.classes.names) for rule in rules][0], str(total_cost(rules))
    (('1', ('not child', 'child')), 'ε = 3')
    """
    if len(labels) < 3 or len(set(map(str, labels))) < len(labels):
        raise Refused("classes", "one rule for each label takes three different labels or more")
    total, learner = clf.conditions(), clf.learner()
    # A scorecard of one record spends no δ, but without one there is no learner, because scorecards of more records do.
    if total.delta is None and (learner.cost.delta or not learner.for_class(learner.concept_class, learner.terms)):
        raise Refused("delta", *SHARED)
    shares = Budget(total.epsilon, total.delta or 0).split(len(labels))
    classifiers = []
    for label, share in zip(labels, shares, strict=True):
        rest = tuple(name for name in labels if name != label)
        parameters = {"epsilon": share.epsilon, "delta": share.delta, "classes": Against(label, rest)}
        classifiers.append(deepcopy(clf).asking(**parameters))
    return tuple(classifiers)


def total_cost(rules: Sequence[RuleRequest]) -> Budget:
    """What all rules cost together; a pure learner does not spend its share of δ."""
    costs = [Budget(rule.epsilon, (rule.delta or 0) if not rule.learner().pure else 0) for rule in rules]
    return sum(costs[1:], costs[0])
