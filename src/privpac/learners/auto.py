"""One classifier for every class: it takes the learner that needs the fewest records.

Main declarations
    PrivateClassifier    a scikit-learn classifier for any class that some learner learns
    LEARNERS             all learners; where two are certified alike, the earlier one is taken
    ranked               the learners of a class, with the number of records each is certified for
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.learners.base import PrivateLearner, Spend
from privpac.learners.boxes import RectangleLearner
from privpac.learners.buckets import BucketLearner
from privpac.learners.category_rules import NamedRuleLearner
from privpac.learners.central_half_planes import ArcLearner
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces import NetLearner
from privpac.learners.intervals import IntervalLearner
from privpac.learners.points import PointLearner, ProperPointLearner
from privpac.learners.rules import RuleLearner
from privpac.learners.stumps import StumpLearner
from privpac.learners.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.trees import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner
from privpac.privacy.budget import Budget, Number, as_rational

LEARNERS: tuple[type[PrivateLearner], ...] = (
    ThresholdLearner,
    PureThresholdLearner,
    IntervalLearner,
    PointLearner,
    ProperPointLearner,
    BucketLearner,
    PathLearner,
    NameLearner,
    SpiderLearner,
    SubtreeLearner,
    ArcLearner,
    NetLearner,
    RectangleLearner,
    StumpLearner,
    RuleLearner,
    NamedRuleLearner,
    FiniteLearner,
    OrderLearner,
)


def ranked(learner: PrivateLearner) -> list[tuple[PrivateLearner, int | None]]:
    """The learners for the class and regime of ``learner``, with its parameters, the fewest certified records first.

    Learners without a certificate come after them, and those that are no first choice (whose rules nobody can read)
    last of all; without δ there are only those that need none.
    """
    parameters = {name: getattr(learner, name) for name in PrivateLearner._get_param_names()}
    spending = as_rational(learner.delta, "delta") > 0
    fit = (each for each in LEARNERS if each.pure or spending)
    able = [each for each in fit if each.applies(learner.concept_class, learner.regime)]
    found = [(each, each._needed(each.alpha, each.beta)) for each in (cls(**parameters) for cls in able)]
    return sorted(found, key=lambda pair: (not pair[0].automatic, pair[1] if pair[1] is not None else 2**63))


class PrivateClassifier(PrivateLearner):
    """Learn a rule of any class privately, by the learner that is certified with the fewest records.

    ``method`` names a learner (its class name, such as "FiniteLearner") or is "auto". The other parameters are those of
    every learner; see :class:`privpac.learners.base.PrivateLearner`. The choice depends on them alone, not on the data.

    >>> from privpac.classes.explicit import ExplicitClass
    >>> rules = ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
    >>> ages, labels = ["child"] * 400 + ["adult"] * 300 + ["senior"] * 300, [0] * 400 + [1] * 600
    >>> clf = PrivateClassifier(rules, epsilon=1, feature=None).fit(ages, labels)
    >>> print(clf.hypothesis_, clf.privacy_, clf.predict(["child", "senior"]), sep="; ")
    x is one of adult, senior; ε = 1; [0 1]
    """

    def __init__(
        self,
        concept_class: ConceptClass | None = None,
        *,
        epsilon: Number = 1.0,
        delta: Number = 1e-6,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        method: str = "auto",
        regime: str = "agnostic",
        feature: Any = 0,
        classes: Sequence[Any] | None = (0, 1),
        on_invalid: str = "raise",
        max_records: int | None = None,
        report_error: bool = False,
        budget: Any = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            concept_class,
            epsilon=epsilon,
            delta=delta,
            alpha=alpha,
            beta=beta,
            regime=regime,
            feature=feature,
            classes=classes,
            on_invalid=on_invalid,
            max_records=max_records,
            report_error=report_error,
            budget=budget,
            random_state=random_state,
        )
        self.method = method

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        """Whether some learner does."""
        return any(each.applies(concept_class, regime) for each in LEARNERS)

    def learner(self) -> PrivateLearner:
        """The learner that ``method`` names, or the one certified with the fewest records.

        >>> from privpac.classes.explicit import ExplicitClass
        >>> PrivateClassifier(ExplicitClass([[0, 1], [1, 1]])).learner().title
        'permute-and-flip over all concepts'
        """
        self._check()
        found = [each for each, _ in ranked(self)]
        named = {type(each).__name__: each for each in found}
        if self.method != "auto" and self.method not in named:
            raise ValueError(f"method must be auto or, for this class, one of {', '.join(named)}")
        return found[0] if self.method == "auto" else named[self.method]

    def fit(self, X: Any, y: Any, unit: Any = None) -> Self:
        """Choose a learner, then learn: see :meth:`privpac.learners.base.PrivateLearner.fit`."""
        self.learner_, self._asked = self.learner(), self._parameters()
        return super().fit(X, y, unit)

    def _cost(self) -> Budget:
        return self._chosen._cost()

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        return self._chosen._learn(cost, n, spend)

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        return self._chosen._failure(cost, n, alpha)

    def _assumptions(self, *meant: str) -> tuple[str, ...]:
        return self._chosen._assumptions(*meant)

    @property
    def _chosen(self) -> PrivateLearner:
        """The learner of the last fit, unless parameters were set since."""
        last: PrivateLearner | None = getattr(self, "learner_", None)
        same = last is not None and self._asked == self._parameters()
        return last if last is not None and same else self.learner()

    def _parameters(self) -> tuple[Any, ...]:
        """All parameters; classes and accounts are told apart as objects."""
        return tuple(
            (name, id(value) if name in ("concept_class", "budget") else repr(value))
            for name, value in sorted(self.get_params().items())
        )

    @property
    def theorem(self) -> str:  # type: ignore[override]
        """The chosen learner's."""
        return self._chosen.theorem
