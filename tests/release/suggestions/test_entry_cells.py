"""Keys of entries: every entry has one, by itself; listed cells are what they say, and odd entries stop nothing."""

import random
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan

import ibis
import numpy as np
import pytest

from privpac.classes.schemas.columns import Column
from privpac.release.suggestions.entry_cells import (
    BEYOND,
    BLANKS,
    MISSING,
    cells,
    entry_value,
    fits_line,
    form_of,
    key_of,
)
from tests.grid import over

FORMS = ("text", "comma", "value", "integer", "number", "date", "datetime", "truth", "label", "true label")
ODD = (
    *(
        "",
        " ",
        "1e999",
        "9" * 400,
        "0x3",
        "1_0",
        "३",
        "\0",
        "\ud800",
        "a" * 3000,
        "2026-02-30",
        "-0",
        "+3",
        " 3 ",
        "NaN",
    ),
    *(None, nan, inf, -inf, 2**70, -(2**70), Decimal("sNaN"), Decimal("1e9999"), 1e-300, True, b"x", (1, 2), object()),
    *(date(1, 1, 1), datetime(9999, 1, 1), date(2026, 1, 31), [], {}, 3 + 4j),
)


@pytest.mark.parametrize("form", FORMS)
def test_every_entry_has_a_key_and_it_is_listed_or_a_plain_name(form):
    listed = set(cells(form))
    assert len(listed) == len(cells(form)) and {MISSING, BEYOND} <= listed
    for entry in ODD:
        key = key_of(form, entry)
        assert key in listed or (form in ("text", "comma", "value", "label") and isinstance(key, str | int)), entry


@over(
    ("text", "key"),
    [
        *(("37", ("integer", 1, 5)), ("-1", ("integer", -1, 0)), ("0", ("integer", 0)), ("36.0", ("integer", 1, 5))),
        *(("0.75", ("number", 1, -1)), ("-.5", ("number", -1, -1)), ("1e3", ("integer", 1, 9)), ("EV", "EV")),
        *(("2026-01-31", ("date", 2026)), ("2026-01-31 08:30", ("datetime", 2026)), ("1850-01-01", BEYOND)),
        *(
            ("2026-02-30", "2026-02-30"),
            ("1e4000", BEYOND),
            (" 37", ("integer", 1, 5)),
            ("NA", ("missing", 0)),
            (" EV", " EV"),
        ),
        *(("31/01/2026", ("written", "d", "/", "", 2025)), ("1.31.2026", ("written", "m", ".", "", 2025))),
        *(("03-04-1999 8:30", ("written", "?", "-", " %H:%M", 1995)), ("31/02/2026", "31/02/2026")),
        *(("2026/1/31 08:30:05", ("written", "Y", "/", " %H:%M:%S", 2025)), ("31/01.2026", "31/01.2026")),
        *(
            ("01/01/1850", "01/01/1850"),
            ("31/01/26", "31/01/26"),
            ("٣١/٠١/٢٠٢٦", "٣١/٠١/٢٠٢٦"),
            ("1/1/2026 25:00", "1/1/2026 25:00"),
        ),
    ],
)
def test_texts_are_read_one_by_one(text, key):
    assert key_of("text", text) == key


def test_powers_of_two_are_cells():
    rng = random.Random(3)
    for e in range(64):
        inside = rng.randrange(2**e, 2 ** (e + 1))
        assert key_of("integer", inside) == key_of("text", str(inside)) == ("integer", 1, e)
        assert key_of("number", -inside / 2**40)[:2] == ("number", -1)
    assert key_of("integer", 2**64) == BEYOND


def test_labels_are_the_same_in_any_spelling():
    assert [key_of("label", each) for each in ("1", "1.0", 1, 1.0, "yes", 0.5)] == [1, 1, 1, 1, "yes", BEYOND]


@over(
    ("kind", "form", "label"),
    [
        *(("int8", "integer", "label"), ("float64", "number", "label"), ("decimal(9, 2)", "number", "label")),
        *(("string", "text", "label"), ("boolean", "truth", "true label"), ("date", "date", None)),
        *(("timestamp", "datetime", None), ("timestamp('UTC')", None, None), ("array<int64>", None, None)),
    ],
)
def test_types_of_engines_are_forms(kind, form, label):
    assert (form_of(ibis.dtype(kind)), form_of(ibis.dtype(kind), label=True)) == (form, label)


def test_texts_for_missing_values_have_cells():
    assert {key_of("text", each) for each in BLANKS} == {("missing", i) for i in range(len(BLANKS))}


COLUMNS = (
    Column("c", "integer", low=-5, high=120),
    Column("c", "float64", low=Decimal("-0.5"), high=99),
    Column("c", "date", low=date(2020, 1, 1), high=date(2026, 12, 31)),
    Column("c", "datetime", low=datetime(2020, 1, 1), high=datetime(2026, 12, 31, 23, 59, 59)),
)
TEXTS = (
    *("37", "-5", "-6", "120.0", "120.5", "0.5", "-0.5", "99", "1e2", "1e1", "x", "2026-02-30", "2020-01-01", "NaN"),
    *("2019-12-31", "2026-12-31", "2026-12-31 23:59:59", "2027-01-01 00:00:00", "2021-05-05T08:30", " 37", "+3", "inf"),
)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.kind)
def test_a_value_fits_as_its_domain_says(column):
    domain = column.concept_class.domain
    _, fits = domain.fit(domain.spell(np.array(TEXTS, dtype=object)), clamp=False)
    assert [fits_line(column, entry_value("text", each)) for each in TEXTS] == fits.tolist()
    for entry in (*ODD, 10**400, datetime(2021, 5, 5, tzinfo=UTC)):  # no entry stops the others
        assert fits_line(column, entry_value("text", entry)) in (False, True)
        assert key_of("value", entry) is not None
