"""How many records it takes to learn a class: certified numbers next to published ones.

Throughout this file
    n      number of records            α, β, ε, δ    error, failure probability, privacy

A *certified* number is computed for this class and these parameters, with all constants, by the theorem its row names.
A *published* number comes from a paper. Hidden constants are set to 1, and then the number guarantees nothing.

Main declarations
    plan    the rows for a class: the n for an error or, given n, the error
    Plan    the rows, printed as a table; ``best``, ``to_frame()``, ``draw()``
    Row     one learner or one published bound
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any

from privpac.classes.base import ConceptClass
from privpac.data.refusal import RefusedType, Sentence, Setting
from privpac.exact.smallest import smallest_upto
from privpac.learners.algorithm import Learner, is_usual
from privpac.learners.choice import ranked
from privpac.learners.conditions import Conditions
from privpac.planning.bounds import BOUNDS, PURE_DP, VAGUE, Bound, Goal
from privpac.planning.kinds import CERTIFIED, NOTHING, Kind, Section
from privpac.privacy.budget import Budget, Number, as_count
from privpac.privacy.delta import CAP, LARGE
from privpac.report.numbers import grouped

if TYPE_CHECKING:
    from privpac.report import Picture

ORDERS = "A number with constants set to 1 shows only an order of magnitude; it guarantees nothing."
TOO_LARGE = (
    *("Learning is refused when δ·n exceeds 0.1; ask for a smaller ", Setting("delta")),
    *(", or say ", Setting.to("allow_large_delta", True), "."),
)
BOUND_FINENESS = 1000  # published bounds are solved for multiples of 1/BOUND_FINENESS


@dataclass(frozen=True)
class Row:
    """A learner, or a published bound: ``n`` records for an error of ``alpha``. A bound has no ``title``.

    ``kind`` says how far to trust the number. ``proper`` is None if the bound covers proper and improper learners.
    ``remark`` lists further assumptions of a certificate, or problems of a bound.
    """

    learner: str
    n: int | None
    alpha: float | None
    proper: bool | None
    privacy: str
    kind: Kind
    source: str
    remark: str = ""
    automatic: bool = True
    title: str = ""  # the learner's name in models and reports
    delta: float | None = None  # the δ that is spent; None if the row does not say

    @property
    def delta_n(self) -> float | None:
        """δ·n: how many of the n records δ allows to be revealed outright, on average; None without n."""
        return None if self.delta is None or self.n is None else float(Fraction(self.delta) * self.n)

    def plain(self) -> dict[str, Any]:
        """The fields for tables and JSON, with the kind in words."""
        return asdict(self) | {"kind": str(self.kind)}


@dataclass(frozen=True)
class Plan:
    """How many records each learner of a class needs, next to published bounds.

    >>> from privpac.classes.explicit import ExplicitClass
    >>> print(plan(ExplicitClass([[0, 0, 1], [0, 1, 1]])).best.learner)
    FiniteLearner
    """

    concept_class: ConceptClass
    goal: Goal
    regime: str
    n: int | None
    rows: tuple[Row, ...]

    @property
    def best(self) -> Row | None:
        """The certified row with the fewest records or, given n, the smallest error; None if no row is certified.

        Certificates against the whole class rank before those on a public grid, and learners whose rules are unreadable
        rank last, as in ``PrivateClassifier``.
        """
        certified = [row for row in self.rows if row.kind.certified]
        return min(certified, key=lambda row: (not row.automatic, self._rank(row)), default=None)

    def _rank(self, row: Row) -> tuple[bool, float]:
        value = row.n if self.n is None else row.alpha
        return bool(row.kind.within), inf if value is None else value

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame."""
        try:
            pandas: Any = import_module("pandas")
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install pandas; .rows holds the same data") from None
        return pandas.DataFrame([row.plain() for row in self.rows])

    def draw(self) -> Picture:
        """Certified n against α, ε and the size of the domain, as SVG."""
        from privpac.planning.curves import draw_plan  # noqa: PLC0415  (which draws plans)

        return draw_plan(self)

    def cells(self) -> list[dict[str, str]]:
        """The cells of the printed table, one dictionary per row."""
        what = "n" if self.n is None else "error"
        return [
            {
                "learner": row.learner,
                what: human(row.n) if self.n is None else "–" if row.alpha is None else f"{row.alpha:.4g}",
                "proper": {True: "yes", False: "no", None: "–"}[row.proper],
                "privacy": row.privacy,
                "δ·n": "–" if row.delta_n is None else f"{row.delta_n:.3g}",
                "kind": str(row.kind),
                "source": row.source,
            }
            for row in self.rows
        ]

    @property
    def title(self) -> str:
        """The class in words."""
        try:
            return str(self.concept_class)
        except ValueError:  # Python writes integers of at most 4300 digits
            return f"{type(self.concept_class).__name__}, ln|H| = {self.concept_class.log_size:.6g}"

    @property
    def question(self) -> str:
        """The question the plan answers."""
        labels = "labels may be noisy" if self.regime == "agnostic" else "some rule of the class makes no error"
        asked = f"error ≤ {self.goal.alpha:g}" if self.n is None else f"n = {human(self.n)}"
        return f"{self.title}\n{asked}, with probability ≥ {1 - self.goal.beta:g}; {self._privacy}; {labels}"

    @property
    def _privacy(self) -> str:
        if self.n is None and self.goal.tied:
            return f"{Budget(self.goal.epsilon)}, δ = min({self.goal.delta:.6g}, 1/(100·n))"
        return str(Budget(self.goal.epsilon, self.goal.of(self.n or 1).delta))

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """Caveats about some of the numbers."""
        orders = [Sentence((ORDERS,))] if any(row.kind.hidden for row in self.rows) else []
        told = [row for row in self.rows if row.remark]
        learned = [row.delta_n for row in self.rows if row.title and row.delta_n is not None]
        large = [Sentence(TOO_LARGE)] if max(learned, default=0) > LARGE else []
        return (
            *orders,
            *large,
            *(Sentence((f"{row.learner if row.kind.certified else row.source}: {row.remark}.",)) for row in told),
        )

    def __str__(self) -> str:
        cells = self.cells()
        lines = [list(row) for row in cells[:1]] + [list(row.values()) for row in cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [f"{'>' if i == 1 else '<'}{width}" for i, width in enumerate(widths)]  # numbers are second
        table = ["  ".join(map(format, line, aligned)).rstrip() for line in lines]
        return "\n".join([self.question, "", *table, *([""] if self.notes else []), *map(str, self.notes)])


def plan(
    concept_class: ConceptClass,
    *,
    alpha: Number = 0.1,
    beta: Number = 0.05,
    epsilon: Number = 1.0,
    delta: Number | None = None,
    regime: str = "agnostic",
    n: int | None = None,
) -> Plan:
    """The number of records each learner of a class needs, with certificates, next to the published bounds.

    Given ``n``, it shows the error each learner is certified for with n records instead. Without ``delta``, each row
    uses the default δ for its number of records, min(10⁻⁶, 1/(100·n)).

    >>> from privpac.classes.explicit import ExplicitClass
    >>> rules = ExplicitClass([[0, 0, 1], [0, 1, 1]])
    >>> plan(rules, alpha=0.1, epsilon=1).best.n, plan(rules, n=2000).best.alpha < 0.1
    (..., True)
    """
    if not isinstance(concept_class, ConceptClass):
        raise RefusedType("concept_class", "plan() needs a concept class, for example Thresholds(low, high)")
    asked = Conditions.of(epsilon=epsilon, delta=delta, alpha=alpha, beta=beta, regime=regime)
    n = None if n is None else as_count(n, "n")
    α, β, ε = float(asked.alpha), float(asked.beta), float(asked.epsilon)
    goal = Goal(α, β, ε, float(CAP if asked.delta is None else asked.delta), tied=asked.delta is None)
    published = [row for each in BOUNDS if each.holds and (row := _published(each, concept_class, goal, regime, n))]
    made = Plan(concept_class, goal, regime, n, ())
    rows = sorted([*certified(concept_class, goal, regime, n), *published], key=made._rank)
    return replace(made, rows=tuple(row for section in Section for row in rows if row.kind.section is section))


@lru_cache(maxsize=1024)
def certified(concept_class: ConceptClass, goal: Goal, regime: str, n: int | None = None) -> tuple[Row, ...]:
    """One row per learner of the class: what it is certified for.

    >>> from privpac.classes.explicit import ExplicitClass
    >>> print(certified(ExplicitClass([[0, 1], [1, 1]]), Goal(0.1, 0.05, 1.0, 1e-6), "agnostic")[0].kind)
    certified
    """
    conditions = Conditions.of(
        epsilon=goal.epsilon, delta=None if goal.tied else goal.delta, alpha=goal.alpha, beta=goal.beta, regime=regime
    )
    rows = []
    for kind, needed in ranked(concept_class, conditions):
        records = needed if n is None else n
        learner = kind.for_class(concept_class, conditions.terms(records or 1))
        assert learner is not None  # it is ranked among those that learn the class
        α = goal.alpha if n is None else learner.certified_alpha(n)
        found = None not in (α, records)
        privacy, δ = _spent(learner, goal, records)
        rows.append(
            Row(
                learner=learner.name,
                n=records,
                alpha=None if α is None else float(α),
                proper=learner.proper,
                privacy=privacy,
                kind=replace(CERTIFIED, within=learner.within) if found else NOTHING,
                source=learner.theorem,
                remark="; ".join(each for each in learner.assumptions if not is_usual(each)) if found else "",
                automatic=learner.automatic,
                title=learner.title,
                delta=δ,
            )
        )
    return tuple(rows)


def _spent(learner: Learner, goal: Goal, n: int | None) -> tuple[str, float | None]:
    """The privacy cost with n records, in words, and its δ; None if δ depends on n and n is unknown."""
    if n is None and goal.tied and not learner.pure:
        return f"{Budget(goal.epsilon)}, δ ≤ {goal.delta:.6g}", None
    return str(learner.cost), float(learner.cost.delta)


def _published(bound: Bound, H: ConceptClass, goal: Goal, regime: str, n: int | None) -> Row | None:
    """The bound as a row; None where it does not apply."""
    if bound.kind == "upper" and regime == "realizable" and bound.regime == "agnostic":
        return None  # it holds, but is never the better bound
    goal = goal if n is None else goal.of(n)
    least = bound.n(H, goal)
    if least is None:
        return None
    goal = goal.of(least)
    α: float | None = goal.alpha
    if n is not None:
        step = smallest_upto(
            BOUND_FINENESS - 1, lambda k: (bound.n(H, replace(goal, alpha=k / BOUND_FINENESS)) or inf) <= n
        )
        α = None if step in (None, 1) else step / BOUND_FINENESS  # 1: the bound ignores α, or is out of reach
    spent = {PURE_DP: (str(Budget(goal.epsilon)), 0.0), VAGUE: (VAGUE, None)}
    privacy, δ = spent.get(bound.privacy, (str(Budget(goal.epsilon, goal.delta)), goal.delta))
    kind = Kind(Section.LOWER, bound.constants)
    if bound.kind == "upper":
        kind = Kind(Section.PUBLISHED, bound.constants, bound.regime if bound.regime != regime else None)
    numbers = bound.name, least if n is None else n, α, bound.proper, privacy
    return Row(*numbers, kind, bound.source, bound.remark, delta=δ)


def human(n: int | None) -> str:
    """A number of records, formatted for people.

    >>> human(617), human(12345), human(320_000_000), human(None)
    ('617', '12 345', '3.2·10⁸', '–')
    """
    if n is None:
        return "–"
    if n < 10**7:
        return grouped(n)
    mantissa, _, exponent = f"{Decimal(n):.1e}".partition("e+")
    return f"{mantissa}·10{str(int(exponent)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
