"""[ABMS20, §6]: from a private learner for realizable samples to a private learner for arbitrary samples.

Throughout this file
    S      labeled examples, D the first half of them and T the second
    A      the base learner, ``inner``: for realizable samples, with error α' and failure probability β'
    N'     the number of examples that A needs
    H      the concept class
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, inf, log
from typing import Any, ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.data.domains.domain import Domain
from privpac.mechanisms.algorithm import Ask
from privpac.papers.abms20.patterns import pattern_count
from privpac.papers.abms20.relabeling import (
    check_base,
    check_drawn,
    check_relabeling,
    common_domain,
    relabel,
    relabeling_price,
)
from privpac.papers.abms20.sizes import Step, theorem_6_1
from privpac.papers.abms20.subsampling import SAMPLING_RATIO, EmpiricalLearner
from privpac.papers.bbkn14.occam import store_goal_as_fractions
from privpac.papers.paper_learner import Examples, PaperLearner, RelayLearner
from privpac.privacy.budget import Budget, Number
from privpac.refusals.option_words import PaperConstants
from privpac.refusals.refusal import InOtherWords

ErrorGoal = tuple[Fraction, Fraction]  # an error, and the probability with which it may be larger


def examples_per_base_example(redraw: bool) -> int:
    """How many examples S must have for each example that A gets: D is half of S, and A gets D or a ninth of it.

    >>> examples_per_base_example(redraw=True), examples_per_base_example(redraw=False)
    (18, 2)
    """
    return 2 * SAMPLING_RATIO if redraw else 2


def goals(learner: PaperLearner) -> ErrorGoal:
    """The error and the failure probability that a base learner promises."""
    refusal = "the base learner must have alpha and beta, the error that it promises and how often"
    with InOtherWords(lambda _: TypeError(refusal), AttributeError):
        return Fraction(learner.alpha), Fraction(learner.beta)  # type: ignore[attr-defined]


def is_covered(A: PaperLearner, H: ConceptClass, *, redraw: bool = True) -> bool:
    """Whether Theorems 5 and 7 of docs/proofs/abms20.md cover A: a learner of H with a proved N.

    A learner that is not proper needs ``redraw``.

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.papers.bbkn14 import PrivateOccam
    >>> H = ExplicitClass([[0, 0], [0, 1]])
    >>> [is_covered(PrivateOccam(H, Budget(1), 0.1, 0.1, constants), H) for constants in ("printed", "tight")]
    [False, True]
    """
    has_n = A.N is not None and A.learns(H) and _is_proved(A)
    return has_n and (redraw or A.stays_in(H))


def _is_proved(A: PaperLearner) -> bool:
    """Whether N is proved: A's own constants are tight, and so are those of every learner inside A."""
    inner = getattr(A, "inner", None)
    return getattr(A, "constants", "tight") == "tight" and (not isinstance(inner, PaperLearner) or _is_proved(inner))


def relabeling_size(
    A: PaperLearner, H: ConceptClass, goal: ErrorGoal, step: Step, *, others: float, redraw: bool
) -> int | None:
    """How many examples relabeling takes so that a step with A reaches the goal; None if nothing is proved.

    ``others`` is the number of choices for the concepts of later steps.
    """
    (α, β), (α_A, β_A) = goal, goals(A)
    if not is_covered(A, H, redraw=redraw):
        return None
    if A.stays_in(H):
        return step.least(float(α - α_A), float(β - β_A))
    sizes = [step.least_for(float(α), float(β), (float(α_A), float(β_A)))]
    if inf not in {A.outputs, others}:
        finite = replace(step, size=A.outputs * others, growth_bound=lambda n: inf)
        sizes.append(finite.least(float(α - α_A), float(β - β_A)))
    return min((n for n in sizes if n is not None), default=None)


def vc_bound(H: ConceptClass) -> float:
    """The VC dimension of H if it is known; otherwise log₂|H|, which is an upper bound.

    >>> from privpac.classes.lines.intervals import Intervals
    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.compositions.compose import And
    >>> cuts = Thresholds(0, 6, direction="above")
    >>> vc_bound(Intervals(0, 9)), vc_bound(And(cuts.on(0), cuts.on(1)))
    (2, 6.0)
    """
    known = H.known("VC")
    return known.value if known else H.log_size / log(2)


@dataclass(frozen=True)
class PrivateAgnostic(RelayLearner):
    """[ABMS20, Alg. 4]: relabel D and T by a concept of H that errs little on D, then run A on a ninth of D.

    With ``redraw=False``, A gets all of D. Then a ninth of the examples is enough, but the privacy cost is higher, and
    A must keep its promise on every sample, as exponential mechanisms do [ABMS20, Def. 3.11].

    Privacy   ``relabeling_price`` of A on a ninth of D, for all inputs: abms20, Theorem 2
    Utility   with "tight" constants: N examples give an error of at most α above the best of H with probability at
    least 1 − β, if A learns H with error α' < α and failure β' < β (``is_covered``): abms20, Theorem 5. An improper A
    must return one of finitely many hypotheses, or aim at a much smaller α': Theorem 10. For any other A, N is None.
    "Printed" constants guarantee nothing

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.papers.bbkn14 import IntervalExponential
    >>> cuts, A = Thresholds(1, 2**16, direction="below"), IntervalExponential(2**16, Budget(1), 0.05, 0.01)
    >>> learner = PrivateAgnostic(A, cuts, 0.1, 0.05)
    >>> print(learner.cost, learner.N)
    ε = 4 1190
    >>> learner = PrivateAgnostic(A, cuts, 0.1, 0.05, "tight")
    >>> print(learner.cost, learner.N)
    ε = 2.13907 26052
    """

    inner: PaperLearner
    H: ConceptClass
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "printed"
    relabel_epsilon: Number = 1
    redraw: bool = True
    name: ClassVar[str] = "PrivateAgnostic"
    theorem: ClassVar[str] = "abms20, Theorem 2"

    def __post_init__(self) -> None:
        check_base(self.inner, self.H)
        object.__setattr__(self, "relabel_epsilon", check_relabeling(self.constants, self.relabel_epsilon))
        store_goal_as_fractions(self)
        _ = self.N  # A goal that cannot be reached fails here, before anything is spent.

    @cached_property
    def empirical(self) -> PaperLearner:
        """Step 3: A on a ninth of its examples; A itself without ``redraw``."""
        return EmpiricalLearner(self.inner, self.constants) if self.redraw else self.inner

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]
        return relabeling_price(self.empirical.cost, self.relabel_epsilon, self.constants, counts_errors=True)

    @cached_property
    def N(self) -> int | None:  # noqa: N802  (the paper's letter)
        """[ABMS20, Thm 6.1] as printed, or by abms20, Theorem 5; None if that theorem does not cover A."""
        base_n = self.inner.N  # N'
        if self.constants == "printed":
            bound = vc_bound(self.H)
            return None if base_n is None else ceil(theorem_6_1(base_n, bound, float(self.alpha), float(self.beta)))
        α_A, β_A = goals(self.inner)
        if not (α_A < self.alpha and β_A < self.beta):
            raise ValueError("the base learner must aim at less than alpha and beta: relabeling takes its share too")
        count = partial(pattern_count, self.H)
        step = Step(count, self.H.size, count, float(self.relabel_epsilon), self.cost)
        least = relabeling_size(self.inner, self.H, (self.alpha, self.beta), step, others=1, redraw=self.redraw)
        return None if least is None else max(least, examples_per_base_example(self.redraw) * (base_n or 0))

    @cached_property
    def domain(self) -> Domain:
        return common_domain(self.inner, self.H)

    def learns(self, H: ConceptClass) -> bool:
        return H == self.H

    def check_size(self, n: int) -> None:
        """ValueError if n examples leave none for A, or are too many to draw a pattern on."""
        if n < (ratio := examples_per_base_example(self.redraw)):
            raise ValueError(f"give at least {ratio} examples: fewer leave none for the base learner")
        check_drawn(self.H, n)

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples; ValueError if they are too few or too many, or are refused by A."""
        self.check_size(len(data))
        examples = super().check(data)
        self.inner.check(examples[: len(data) // examples_per_base_example(self.redraw)])
        return examples

    def run(self, S: Examples, ask: Ask) -> Any:
        D, T = S[: len(S) // 2], S[len(S) // 2 :]
        D_h, _ = relabel(self.H, Fraction(self.relabel_epsilon), D, T, ask)
        return ask(self.empirical, D_h)
