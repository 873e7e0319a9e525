"""The pages of papers' algorithms: a list, how many records each asks for, and a run if the table has that many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from privpac.app.forms import FormField, FormValues
from privpac.app.pages.class_form import chosen_class, class_editor, class_fields
from privpac.app.pages.learn import ERROR_HINT, ERROR_LABEL, LearnTask, label_fields, learn_task, release_rule
from privpac.app.pages.plan import ALPHA_HINT, ERRORS
from privpac.app.pages.priced_page import (
    MISFITS,
    PagePreview,
    PricedForm,
    PricedPage,
    chosen_table,
    record_count,
    unit_fields,
)
from privpac.app.pages.released import JSON_FILE
from privpac.app.session import Session
from privpac.app.spending.prices import Fact, cost_facts
from privpac.app.spending.spend_once import NewRelease
from privpac.classes.concept_class import ConceptClass
from privpac.papers.edition import Edition
from privpac.papers.editions import BY_KEY, EDITIONS
from privpac.papers.methods import METHODS, PRINTED, method_named
from privpac.planning.paper_rows import printed_row, tight_row
from privpac.planning.planner import plan
from privpac.planning.plans import HIDDEN_CONSTANTS
from privpac.planning.rows import Row, human
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import certainty
from privpac.privacy.store.once import Once
from privpac.refusals.refusal import Refused
from privpac.report.numbers import grouped, percent
from privpac.requests.conditions import Conditions

# A small class of each name, to see which of them an algorithm learns. The first one that it learns is chosen.
SMALL: dict[str, FormValues] = {
    "thresholds": {"low": "1", "high": "4"},
    "points": {"size": "4"},
    "intervals": {"low": "1", "high": "4"},
    "and": {"part": "a thresholds 0 1\nb points A,B"},
    "or": {"part": "a thresholds 0 1\nb points A,B"},
    "taxonomy": {},
    "explicit": {},
}
RUN = {each.key: each.name for each in EDITIONS if each.runs}
FIRST = "opt-private"
BETA = "0.05"  # if nobody types another one
BETA_HINT = f"The acceptable probability of a larger error. Empty: {BETA}."
LABELS_HINT = "The negative one first: no, yes."
UNNAMED = "To run it, name the column that the rule reads, and the column to predict."
UNITS = "This server protects each {unit} as a whole, and the algorithms protect single records, so it is not run here."
UNPROVED = "No number of records is proved to be enough for it, so it is not run here."
TOO_FEW = "It asks for more records than the {n} that it would learn from here, so it is not run."
NOISY = (
    "Few tables have a rule that makes no error. On others, the run is private, but nothing is proved about its rule."
)


@dataclass(frozen=True)
class PaperTask:
    """An algorithm with its class and its goal; ``learn`` runs it, unless ``obstacle`` says why not."""

    edition: Edition
    concept_class: ConceptClass
    conditions: Conditions
    n: int
    unit: str | None
    learn: LearnTask | None = None
    obstacle: str = ""


def papers_form(session: Session, values: FormValues) -> PricedForm:
    """The form of an algorithm: which one, on which table, for which class, with which goal, at which price."""
    edition, values = _edition(values), _complete(values)
    names = {name: name for name in SMALL if _learns(edition, name)}
    fields = [_simpler(each, names) for each in class_fields(session, values) if each.name != "schema"]
    question = [
        FormField("Algorithm", "algorithm", edition.key, f"{edition.place}: {edition.learns}.", RUN, reloads=True),
        *sorted(fields, key=lambda each: each.rare),
    ]
    details = [
        *(_simpler(each, names) for each in label_fields(values)),
        *unit_fields(session, None, values),
        FormField("Error α", "alpha", values.get("alpha", "0.1"), ALPHA_HINT, steps=ERRORS),
        FormField("How often it may be larger, β", "beta", values.get("beta", ""), BETA_HINT, rare=True),
    ]
    measured = FormField(ERROR_LABEL, "report_error", values.get("report_error", ""), ERROR_HINT, flag=True)
    return PricedForm.of(session, values, question, details, measured, with_bounds=True)


def papers_task(session: Session, values: FormValues) -> PaperTask:
    """What the fields ask for; Refused if something is wrong, before a record is read."""
    edition, values = _edition(values), _complete(values)
    typed = {name: values.get(name, "").strip() for name in ("alpha", "beta", "epsilon", "delta")}
    asked: dict[str, Any] = {"alpha": typed["alpha"], "beta": typed["beta"] or BETA, "regime": edition.regime}
    conditions = Conditions.of(**asked, epsilon=typed["epsilon"], delta=typed["delta"] or None, on_invalid=MISFITS)
    concept_class, unit = chosen_class(session, values).concept_class, session.unit()
    method_named(edition.name, concept_class, conditions)
    table = chosen_table(session, values, "this fit")
    n = record_count(table, unit)
    conditions = replace(conditions, delta=conditions.terms(n).cost.delta)  # the δ of this table, not of larger ones
    task = PaperTask(edition, concept_class, conditions, n, unit.column if unit else None)
    if unit is not None:
        return replace(task, obstacle=UNITS.format(unit=unit.column))
    unnamed = "x" in values and not values["x"].strip()  # without the field, the class names its columns
    if unnamed or not values["y"].strip():
        return replace(task, obstacle=UNNAMED)
    learn = learn_task(session, values, method=edition.name, **asked)
    preview = learn.request.preview(task.n)
    short = TOO_FEW.format(n=grouped(preview.learned))
    return replace(task, learn=learn, obstacle="" if preview.utility else short)


def _edition(values: FormValues) -> Edition:
    """The algorithm that the form names; ``FIRST`` until one is chosen."""
    key = values.get("algorithm", FIRST)
    return BY_KEY[key if key in RUN else FIRST]


def _complete(values: FormValues) -> FormValues:
    """The values, with a class that the algorithm learns, and without a schema: schemas are for other learners."""
    edition = _edition(values)
    direction = "above" if _learns(edition, "thresholds", "above") else "below"
    values = {"low": "1", "direction": direction} | values | {"schema": ""}
    names = [name for name in SMALL if _learns(edition, name)]
    return values | {"class": values["class"] if values.get("class") in names else names[0]}


def _simpler(each: FormField, names: Mapping[str, str]) -> FormField:
    """A field without what does not concern these algorithms; ``names`` are the classes that one of them learns."""
    if each.name == "classes":
        return replace(each, hint=LABELS_HINT)
    if each.name == "class":
        return replace(each, options=names)
    return replace(each, rare=each.rare and each.name != "direction")


@cache
def _learns(edition: Edition, name: str, *directions: str) -> bool:
    """Whether an algorithm learns a small class of this name; thresholds in one of the ``directions``, or in any."""
    tried = [{"direction": each} for each in directions or ("above", "below")] if name == "thresholds" else [{}]
    for more in tried:
        with suppress(Refused):
            small = chosen_class(Session(0), SMALL[name] | more | {"class": name}).concept_class
            method_named(edition.name, small, Conditions.of(regime=edition.regime, on_invalid=MISFITS))
            return True
    return False


def _preview(session: Session, values: FormValues, task: PaperTask) -> PagePreview:
    edition, H, conditions = task.edition, task.concept_class, task.conditions
    tight, printed = tight_row(edition, H, conditions), printed_row(edition, H, conditions)
    goal = {name: getattr(conditions, name) for name in ("alpha", "beta", "epsilon", "delta", "regime")}
    best = plan(H, **goal).best
    chosen = None if best is None or best.paper else best
    named = [("as printed", printed), ("as proved here", tight), ("which Learn would run", chosen)]
    assert tight is not None  # the algorithm learns the class
    cost = _cost(task)
    return PagePreview(
        cost,
        [*cost_facts(session, values, cost, task.n, task.unit is not None), _asked_for(tight, task)],
        ["algorithm", "records", "privacy", "why"],
        [_row(name, row) for name, row in named if row is not None],
        None,
        numbers=[1],
        editor=class_editor(session, values),
        caption="How many records it asks for",
        obstacle=(UNPROVED if tight.n is None and task.learn else task.obstacle),
        note=" ".join(_notes(task, printed)),
    )


def _notes(task: PaperTask, printed: Row | None) -> Iterator[str]:
    """What the numbers take for granted."""
    if printed is not None and printed.kind.hidden:
        yield HIDDEN_CONSTANTS
    if task.edition.regime == "realizable":
        yield NOISY
    if task.learn is not None and not task.obstacle:
        utility = task.learn.request.preview(task.n).utility
        # The last assumption is about this class: how its best rule labels the value that stands for misfits.
        yield from (f"Also assumed: {each}." for each in (utility.assumptions[-1:] if utility else ()))


def _cost(task: PaperTask) -> Budget:
    """What a run costs, or would cost."""
    if task.learn is not None:
        return task.learn.request.preview(task.n).cost
    return METHODS[task.edition.name](task.concept_class, task.conditions.terms(task.n)).cost


def _asked_for(tight: Row, task: PaperTask) -> Fact:
    α, sure = percent(task.conditions.alpha), f"with {certainty(task.conditions.beta, percent=True)} certainty"
    goal = f"for an error of at most {α}, {sure}, if some rule of the class makes no error"
    if task.edition.regime == "agnostic":
        goal = f"for at most {α} more errors than the best rule of the class makes, {sure}"
    return "Records it asks for", "unknown" if tight.n is None else human(tight.n), goal


def _row(name: str, row: Row) -> list[str]:
    source = row.source.removeprefix("[").removesuffix("]")
    return [f"{row.learner.removesuffix(PRINTED)}, {name}", human(row.n), row.privacy, f"{row.kind}: {source}"]


def _release(task: PaperTask, account: Once, source: str) -> NewRelease:
    if task.learn is None or task.obstacle:
        raise Refused("spend", task.obstacle or UNNAMED)
    return release_rule(task.learn, account, source)


PAPERS = PricedPage(
    "papers",
    form=papers_form,
    task=papers_task,
    preview=_preview,
    release=_release,
    files={"model.json": JSON_FILE},
    template="papers.html",
    shown={"editions": EDITIONS},
)
