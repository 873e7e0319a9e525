"""Distributions of a line whose entries may be missing: counts, gaps against a definition, queries, files, refusals."""

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.case import Case
from privpac.audit.claims.releases import opened_table
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.values.missing_entries import IsMissing
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused, RefusedType
from privpac.release.lines.answers import LineCounts
from privpac.release.lines.sanitizer import LineSanitizer
from privpac.release.release import Release
from privpac.requests.conditions import Terms
from tests.grid import over

AGES = pp.Thresholds(0, 120).on("age", missing=True, na=["?"])
LACKING = ColumnRule(IsMissing(("?",)), "age")


def table(n=3000, gaps=0.2, high=120):
    rng = np.random.default_rng(n)
    ages = rng.integers(0, high, n).astype(object)
    ages[rng.random(n) < gaps] = None
    ages[: n // 100] = "?"
    return {"age": ages.tolist()}


def fitted(concept_class, records, **options):
    return pp.PrivateRelease(concept_class, epsilon=1, certify=Fraction(1, 2), **options).fit(records).release_


@pytest.mark.slow
@over(["length", "n"], product([120, 3000, 2**64 - 1], [40, 2000]))
def test_what_is_missing_and_what_is_there(length, n):
    """On short and long lines, of one column and of intervals, in rounds and in a tree."""
    records = table(n)
    lacking, there = (
        sum(each in (None, "?") for each in records["age"]),
        np.sort([a for a in records["age"] if a not in (None, "?")]),
    )
    for kind in (pp.Thresholds, pp.Intervals):
        found = fitted(kind(0, length).on("age", missing=True, na=["?"]), records, beta=1e-6)
        low, high = found.interval(LACKING)
        assert low * n <= lacking <= high * n
        assert abs(found.answers_.missing - lacking) <= found.guarantee.measured
        E = found.guarantee.measured
        cut = Threshold(60)
        assert abs(found.answers_.count(ColumnRule(cut, "age")) - (there >= 60).sum()) <= E
        assert abs(found.answers_.count(Constant(True)) - len(there)) <= E
        assert Release.from_json(found.to_json()) == found


def test_a_gap_is_that_of_the_definition():
    """Every query of a short line, and the query for missing entries, on all samples of three records."""
    entries = [0, 1, 2, None]
    domain = pp.Thresholds(0, 2).on("age", missing=True).domain
    answers = LineCounts(3, domain, (0, 1, 2), (0, 1, 1, 2), misfits=False)
    for records in product(entries, repeat=3):
        errors = [answers.missing - records.count(None)]
        for t in range(4):
            below = sum(each is not None and each < t for each in records)
            whole = 3 - records.count(None)
            errors += [answers.below_number(t) - below, 2 - answers.below_number(t) - (whole - below)]
        sample = opened_table(domain, [(each,) for each in records]).records
        assert answers.gap(sample) == max(map(abs, errors)), records


@pytest.mark.slow
def test_neighbors_that_lack_an_entry_cost_no_more():
    """All neighbors of two records, on a line of two values: at most ε, and nearly all of it."""
    gaps = pp.Thresholds(0, 1).on("age", missing=True)
    sanitizer, rows = LineSanitizer(gaps, Terms(Budget(1))), ((0,), (1,), (None,))
    found = Case(sanitizer, partial(opened_table, gaps.domain), "", rows, 2, Budget(1)).exact()
    assert not found.refuted
    assert float(found.ratio) > 0.95


def test_synthetic_values_have_blanks_and_the_remark_says_how_many():
    records = table(3000)
    found = fitted(AGES, records)
    blanks = sum(each is None for each in found.synthetic(1000)["age"])
    assert 150 < blanks < 260
    assert "entries are missing; quantiles are those of the others" in found.answers_.remark
    assert 45 <= found.quantile(0.5) <= 75
    assert 50 < found.mean() < 70


def test_records_that_do_not_fit_cannot_be_told_from_missing_ones():
    records = table(3000)
    records["age"][100:1100] = [999] * 1000
    found = fitted(AGES, records, on_invalid="default")
    assert found.answers_.missing is None
    assert found.misfits() == ""
    assert all(each is not None for each in found.synthetic(100)["age"])
    with pytest.raises(Refused, match="answers other queries"):
        found.interval(LACKING)
    with pytest.raises(Refused, match="age"):
        fitted(AGES, records)  # refused before anything is spent


@over("records", [[None] * 5, [None], ["?", None], [3], [3, None]])
def test_few_records_and_none_that_are_there(records):
    found = fitted(AGES, {"age": records})
    assert 0 <= found.answers_.missing <= len(records)
    assert 0 <= found.quantile(0.5) <= 120
    low, high = found.mean_interval()
    assert 0 <= low <= high <= 120


def test_no_labels_and_no_undeclared_gaps():
    records = table(200)
    with pytest.raises(Refused, match="marginals"):
        pp.PrivateRelease(AGES, epsilon=1).fit(records, [0, 1] * 100)
    with pytest.raises(RefusedType, match="age"):
        pp.PrivateRelease(pp.Thresholds(0, 120).on("age"), epsilon=1).fit(records)
