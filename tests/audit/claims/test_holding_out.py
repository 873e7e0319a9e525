"""Whole fits that hold out records cost what they claim, and nearly all of it; every wrong way to choose them shows."""

from collections import Counter

import pytest

from privpac.audit.claims.case import Case, labeled
from privpac.audit.claims.fits import AuditedFit, fit_of
from privpac.audit.claims.holding_out import HOLDING_OUT_CLAIMS, HeldOut
from privpac.exact.entropy import SYSTEM
from privpac.learners.finite import FiniteLearner

RULES = FiniteLearner.audited[0].concept_class


class ByContent(HeldOut):
    """A record's value decides whether it is held out, as with any hash of its content."""

    def choices(self, records):
        held = tuple(record for record in records if record[0] == "b")
        yield tuple(record for record in records if record[0] != "b"), held


class SameSizeByContent(HeldOut):
    """The values decide which m records are held out; how many is fixed."""

    def choices(self, records):
        ordered = tuple(sorted(records))
        yield ordered[: -self.m], ordered[-self.m :]


class UntilBothLabels(HeldOut):
    """The coins are tossed again until both labels are among the records learned from, if that is possible."""

    def choices(self, records):
        every = list(super().choices(records))
        both = [choice for choice in every if len({y for _, y in choice[0]}) == 2]
        yield from both or every


class Stratified(HeldOut):
    """Half of the records of each label are held out."""

    def choices(self, records):
        ones, zeros = (tuple(record for record in records if record[1] == y) for y in (1, 0))
        half = len(ones) // 2, len(zeros) // 2
        yield ones[half[0] :] + zeros[half[1] :], ones[: half[0]] + zeros[: half[1]]


@pytest.mark.slow
@pytest.mark.parametrize("case", HOLDING_OUT_CLAIMS, ids=lambda case: f"{case.about}, {case.claimed}")
def test_rule_and_counts_together_cost_what_one_of_them_does(case):
    found = case.exact()
    assert not found.refuted
    assert 0.95 < float(found.ratio) <= 1 + 1e-9


@pytest.mark.audit
@pytest.mark.parametrize(
    ("kind", "n", "ratio"),
    [
        (ByContent, 3, float("inf")),  # How many are held out reveals how many have that content.
        (SameSizeByContent, 3, 2),  # One record moves another to the other part.
        (UntilBothLabels, 3, 1.651),  # A label that is alone is never held out.
        (Stratified, 4, float("inf")),  # How many are held out depends on the labels.
    ],
)
def test_every_wrong_choice_is_refuted(kind, n, ratio):
    wrong = kind(AuditedFit(fit_of(FiniteLearner, RULES, report_error=True), n))
    worst = Case(wrong, tuple, "", labeled("ab"), n, wrong.cost).exact()
    assert worst.refuted
    assert float(worst.ratio) == pytest.approx(ratio, rel=1e-3)


def test_every_record_may_be_held_out_and_every_choice_is_listed():
    made = HeldOut(AuditedFit(fit_of(FiniteLearner, RULES, report_error=True), 3), 2)
    records = tuple(labeled("ab")[:3])
    choices = list(made.choices(records))
    assert Counter(record for _, held in choices for record in held) == dict.fromkeys(records, 2)
    assert all(sorted((*learned, *held)) == sorted(records) for learned, held in choices)


def test_outputs_are_those_of_the_code_that_runs():
    """Counts of 1 held-out record, without much noise: exactly one of them is 1."""
    made = HeldOut(AuditedFit(fit_of(FiniteLearner, RULES, epsilon=200, report_error=True), 2))
    size, _, counts = made.release(made.check((("a", 1), ("a", 1))), SYSTEM)
    assert size == 1
    assert sorted(counts) == [0, 0, 0, 1]
