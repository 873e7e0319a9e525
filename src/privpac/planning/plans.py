"""A plan: what each learner of a class needs or reaches, as a table with the question, the answer, and notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from math import inf
from typing import Any, ClassVar, TypeVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.planning.bounds import BOUNDS, Bound, Goal
from privpac.planning.learner_rows import certified_rows
from privpac.planning.plan_pictures import draw_plan, plan_view
from privpac.planning.rows import Row, Section, Sought, human
from privpac.privacy.accounting.delta import LARGE
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import certainty, text_rounded_up
from privpac.refusals.refusal import Sentence, Setting, Sketch
from privpac.report.pictures.shapes import Picture
from privpac.requests.weights import EVEN

HIDDEN_CONSTANTS = "A number with constants set to 1 shows only an order of magnitude; it guarantees nothing."
TOO_LARGE = (
    *(" is refused when δ·n exceeds 0.1; ask for a smaller ", Setting("delta")),
    *(", or say ", Setting.to("allow_large_delta", True), "."),
)
FEW_COLUMNS = 3  # the declarations of more columns do not fit on a line
RECORDS = (" to see how many records it takes.",)
USES_BEST = " uses the best row."


@dataclass(frozen=True)
class Plan:
    """What each learner of a class needs or reaches, next to published bounds.

    >>> import privpac as pp
    >>> print(pp.plan(pp.ExplicitClass([[0, 0, 1], [0, 1, 1]])).best.learner)
    FiniteLearner
    """

    concept_class: ConceptClass
    goal: Goal
    regime: str
    n: int | None
    sought: Sought
    has_alpha: bool = False  # whether the caller chose the error of the goal; otherwise it is the default
    rows: tuple[Row, ...] = ()
    default: str | None = None  # the learner that is used if no method is named, at the ε of the best row
    labels: int = 2
    subject: ClassVar[str] = "learner"  # what a row is about, and the heading of its column
    about: ClassVar[str] = "Records to learn"  # the title of the picture, before the class
    doing: ClassVar[str] = "Learning"  # the subject of a note
    bounds: ClassVar[tuple[Bound, ...]] = BOUNDS  # the published bounds in the picture

    def certified_at(self, concept_class: ConceptClass, goal: Goal) -> tuple[Row, ...]:
        """The certified rows of the same question about another class, or with another goal."""
        return certified_rows(concept_class, goal, self.regime, labels=self.labels)

    @property
    def best(self) -> Row | None:
        """The certified row with the fewest records, the smallest error, or the smallest ε; None if none is certified.

        Certificates against the whole class rank before those on a public grid. Learners whose rules are unreadable
        come after the others, and algorithms of papers last: they run only if they are named. ``default`` may name
        another learner, for example one with better rules and no certificate.
        """
        certified = [row for row in self.rows if row.kind.certified]
        return min(certified, key=lambda row: (row.paper, not row.automatic, self.rank(row)), default=None)

    def rank(self, row: Row) -> tuple[bool, float]:
        """The key that sorts the rows of a section: certificates against the whole class first, then by number."""
        value = self.sought.of(row)
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
        return draw_plan(self)

    def cells(self) -> list[dict[str, str]]:
        """The cells of the printed table, one dictionary per row."""
        return [
            {
                self.subject: row.learner,
                self.heading: self.sought.text(self.weighed(row)),
                **self._proper_cell(row),
                "privacy": row.privacy,
                "δ·n": "–" if row.delta_n is None else f"{row.delta_n:.3g}",
                "kind": str(row.kind),
                "source": row.source,
            }
            for row in self.rows
        ]

    @property
    def heading(self) -> str:
        """The heading of the column of what the plan looks for: with weights of errors, of a cost."""
        return self._measure if self.sought is Sought.ERROR else self.sought.value

    def weighed(self, row: Row) -> Row:
        """The row; with weights of errors, α is what a record costs on average, not a share of the largest weight."""
        return row if row.alpha is None else replace(row, alpha=row.alpha * self._largest_weight)

    def _proper_cell(self, row: Row) -> dict[str, str]:
        return {"proper": {True: "yes", False: "no", None: "–"}[row.proper]}

    @property
    def title(self) -> str:
        """The class in words, on one line."""
        kind, columns = type(self.concept_class).__name__, self.concept_class.domain.column_names
        if len(columns) > FEW_COLUMNS:
            family = self.concept_class.family()
            size = f", {family.unit} {family.size}" if family else ""
            return f"{kind} over {len(columns)} columns{size}: {', '.join(map(str, columns))}"
        try:
            return str(self.concept_class)
        except ValueError:  # Python writes integers of at most 4300 digits
            return f"{kind}, ln|H| = {self.concept_class.log_size:.6g}"

    @property
    def question(self) -> str:
        """The question that the plan answers, on two lines: the class; the numbers, privacy, and labels."""
        δ = self.goal.of(self.n or 1).delta
        if self.sought is Sought.EPSILON:
            return self.asked(f"the smallest ε, δ = {δ:.6g}" if δ else "the smallest ε")
        if self.n is None and self.goal.tied:
            return self.asked(f"{Budget(self.goal.epsilon)}, δ = min({self.goal.delta:.6g}, 1/(100·n))")
        return self.asked(str(Budget(self.goal.epsilon, δ)))

    @property
    def answer(self) -> str:
        """The best row in one sentence.

        >>> import privpac as pp
        >>> print(pp.plan(pp.Thresholds(0, 120), n=6000, alpha=0.1).answer)
        6,000 records are enough at ε = ... to learn a rule whose error is at most 0.1 above that of the best rule of \
the class, with probability ≥ 0.95.
        """
        best = self.best
        if best is None:
            return f"No {self.subject} has a certificate for these numbers."
        error, sure = text_rounded_up(self._largest_weight * Fraction(str(best.alpha))), certainty(self.goal.beta)
        counted = {None: "records", 1: "units"}.get(self.goal.max_records, "places")
        enough = f"{human(best.n)} {counted} are enough at {best.privacy}"
        return f"{enough} to {self._reach(error, best.kind.within)}, with probability ≥ {sure}."

    def _reach(self, error: str, within: str) -> str:
        """What the best row reaches: the end of the sentence "… records are enough to …"."""
        if self.regime != "agnostic":
            return f"learn a rule with an error of at most {error}"
        among = f" {within}" if within else ""
        return f"learn a rule whose {self._measure} is at most {error} above that of the best rule of the class{among}"

    @property
    def _largest_weight(self) -> int:
        """What the goal's α is a share of: the largest weight of errors. If some rule makes no error, none matter."""
        return self.goal.weights.most if self.regime == "agnostic" else 1

    @property
    def _measure(self) -> str:
        """What the plan bounds: an error or, with weights of errors, an average cost."""
        return "error" if self.regime != "agnostic" or self.goal.weights.even else "average cost"

    def asked(self, privacy: str) -> str:
        """The question, with these words about ε and δ."""
        best = "that of the best rule + " if self.regime == "agnostic" else ""
        records = [] if self.n is None else [f"n = {human(self.n)}"]
        bound = f"{best}{self.goal.alpha * self._largest_weight:g}"
        error = [] if self.sought is Sought.ERROR else [f"{self._measure} ≤ {bound}"]
        numbers = f"{', '.join(records + error)}, with probability ≥ {certainty(self.goal.beta)}"
        return f"{self.title}\n{numbers}; {privacy}; {self._labels_in_words}"

    @property
    def _labels_in_words(self) -> str:
        labels = "labels may be noisy" if self.regime == "agnostic" else "some rule of the class makes no error"
        if self.goal.weights.even:
            return labels
        costs = self.goal.weights.by_label
        if len(costs) > 2:
            return f"{labels}; an error costs {', '.join(map(str, costs[:-1]))}, or {costs[-1]}, by its label"
        return f"{labels}; an error costs {costs[0]} on a negative record, {costs[1]} on a positive one"

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """Caveats about some of the numbers."""
        constants = [Sentence((HIDDEN_CONSTANTS,))] if any(row.kind.hidden for row in self.rows) else []
        with_remarks = [row for row in self.rows if row.remark]
        exposures = [row.delta_n for row in self.rows if row.title and row.delta_n is not None]
        refused = [Sentence((self.doing, *TOO_LARGE))] if max(exposures, default=0) > LARGE else []
        remarks = [f"{row.learner if row.kind.certified else row.source}: {row.remark}." for row in with_remarks]
        return (
            *self.with_units,
            *self.whether_enough,
            *self.of_trees,
            *self.with_weights,
            *self.whose_rules,
            *self.by_default,
            *self.of_papers,
            *constants,
            *refused,
            *(Sentence((remark,)) for remark in remarks),
        )

    @property
    def with_units(self) -> list[Sentence]:
        """What n counts, and why nothing is certified, if records of a unit are protected together."""
        k = self.goal.max_records
        if k is None:
            return []
        if k == 1:
            return [Sentence(("n counts units, of which one record each counts.",))]
        why = f"Nothing is certified for {k} records of each unit, because they are not independent"
        one = "; let one record of each count, max_records = 1, or measure the error when you learn: "
        return [Sentence((why, one, Setting.to("report_error", True), "."))]

    @property
    def of_trees(self) -> list[Sentence]:
        """How to ask for a certificate, if scorecards have none and trees over the same columns do."""
        asked = self.concept_class
        if self.best is not None or not isinstance(asked, Auto | Scorecards):
            return []
        goal = self.goal
        rows = certified_rows(Trees(*asked.parts), goal, self.regime, self.n, self.sought, self.labels)
        if not any(row.kind.certified for row in rows):
            return []
        trees = "Trees of depth 2 have a certificate; say ", Setting.to("concept_class", Sketch("Trees(…)", "trees"))
        few = (", or ", Setting("n"), " for how many records you have") if self._few_are_certified else ()
        return [Sentence((*trees, *few, "."))]

    @property
    def _few_are_certified(self) -> bool:
        """Whether fewer records than those that were looked for have a certificate, since trees learn from them."""
        return self.n is None and isinstance(self.concept_class, Auto)

    @property
    def with_weights(self) -> list[Sentence]:
        """How many records the weights cost, compared with equal ones."""
        best, weights = self.best, self.goal.weights
        if weights.even or best is None or not best.n or self.sought is not Sought.RECORDS:
            return []
        if self.regime != "agnostic":
            return [Sentence(("If some rule makes no error, weights change nothing.",))]
        even = replace(self, rows=self.certified_at(self.concept_class, replace(self.goal, weights=EVEN))).best
        if even is None or not even.n:
            return []
        times = f"{best.n / even.n:.2g} times as many"
        scale = f"With equal weights, {human(even.n)} records certify an error within {self.goal.alpha:g} of the best."
        ratio = " : ".join(map(str, weights.by_label))
        return [Sentence((f"Weights {ratio} take {times} records. {scale}",))]

    @property
    def whose_rules(self) -> list[Sentence]:
        """A note if another learner has a better number than the default one: why that is, and how to choose it."""
        best = self.best
        certified = [row for row in self.rows if row.kind.certified and not row.paper]
        rivals = [row for row in certified if best and self.rank(row) < self.rank(best)]
        if best is None or not rivals or best.learner != self.default:
            return []
        first = f"Learning chooses {best.learner}: its rules are usually better, although its number here is larger. "
        return [Sentence((first, "For another learner, say ", Setting.to("method", rivals[0].learner), "."))]

    @property
    def whether_enough(self) -> list[Sentence]:
        """A note on whether n records certify the error at ε, if all three were chosen; or that no ε is enough."""
        best, error = self.best, f"An {self._measure} of at most {self.goal.alpha * self._largest_weight:g}"
        error += " above that of the best rule" if self.regime == "agnostic" else ""
        if (self.goal.max_records or 1) > 1 and best is None:
            return []
        if self.sought is Sought.EPSILON and best is None:
            return [Sentence((f"{error} is not certified for any ε up to 100; leave out ", Setting("n"), *RECORDS))]
        if self.sought is not Sought.ERROR or not self.has_alpha:
            return []
        small = [row for row in self.rows if row.kind.certified and (row.alpha or inf) <= self.goal.alpha]
        if small:
            row = best if best in small else small[0]
            where = f" {row.kind.within}" * bool(row.kind.within)
            setting = (" with ", Setting.to("method", row.learner)) if row != best else ()
            return [Sentence((f"{error} is certified{where}: these records and this ε suffice", *setting, "."))]
        other = " to see the ε it takes, or ", Setting("n"), *RECORDS
        return [Sentence((f"{error} is not certified; leave out ", Setting("epsilon"), *other))]

    @property
    def by_default(self) -> list[Sentence]:
        """A note on how to choose the best row, if another learner is the default."""
        best = self.best
        if best is None or best.learner == self.default:
            return []
        default_rows = [row for row in self.rows if row.learner == self.default and row.kind.certified]
        proved = any((row.epsilon or inf) <= (best.epsilon or inf) for row in default_rows)
        unproved = "" if proved else ", without a certificate here"
        setting = Setting.to("method", best.learner)
        if self.default is None:
            return [Sentence(("No learner of the library learns this class on these terms; ", setting, USES_BEST))]
        return [Sentence((f"By default, {self.default} learns this class{unproved}; ", setting, USES_BEST))]

    @property
    def of_papers(self) -> list[Sentence]:
        """A note on how to run an algorithm of a paper, if the plan has one."""
        papers = [row for row in self.rows if row.paper]
        if not papers:
            return []
        first, *others, last = [row.learner for row in papers] if len(papers) > 1 else ["", papers[0].learner]
        what = f"{last} is an algorithm of a paper and runs"
        if first:
            what = f"{', '.join([first, *others])} and {last} are algorithms of papers and run"
        example = Setting.to("method", papers[0].learner)
        if self.sought is not Sought.ERROR:
            return [Sentence((f"{what} only if named, as in ", example, "."))]
        aim = "; it is certified only for the error that you ask for, here ", Setting.to("alpha", papers[0].alpha)
        return [Sentence((f"{what} only if named, as in ", example, *aim, "."))]

    def _repr_html_(self) -> str:
        """In a notebook: the question, a picture of the numbers, the table, and the notes."""
        return plan_view(self)

    def __str__(self) -> str:
        cells = self.cells()
        lines = [list(row) for row in cells[:1]] + [list(row.values()) for row in cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [f"{'>' if i == 1 else '<'}{width}" for i, width in enumerate(widths)]  # numbers are second
        table = ["  ".join(map(format, line, aligned)).rstrip() for line in lines]
        return "\n".join([self.question, "", *table, *([""] if self.notes else []), *map(str, self.notes)])


Planned = TypeVar("Planned", bound=Plan)


def in_sections(plan: Planned, rows: Iterable[Row]) -> Planned:
    """The plan with these rows, sorted by section and, in a section, by rank."""
    ordered = sorted(rows, key=plan.rank)
    return replace(plan, rows=tuple(row for section in Section for row in ordered if row.kind.section is section))
