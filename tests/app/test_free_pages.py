"""What costs nothing tells nothing: on neighboring tables, all free pages and answers are equal, byte for byte.

Neighbors have the same number of records and differ in one of them, in every column: other values, a new name, missing
and odd ones. The crawl asks for all classes and kinds of releases, about all columns, rightly and wrongly.
"""

import json
import re
from itertools import pairwise

import pyarrow as pa
import pytest
from pyarrow import parquet

from privpac.app.pages.priced_page import UNDECLARED
from privpac.app.server.routes import ACTIONS, PAGES
from privpac.app.session import NamedTable
from privpac.classes.schemas.schema import Unit
from privpac.classes.shell_options import in_shell

NAMES = ("age", "ward", "late", "patient")
SCHEMA = """
[label]
column = "late"
classes = ["no", "yes"]
[columns.age]
kind = "integer"
low = 0
high = 120
[columns.ward]
kind = "category"
values = ["A", "B"]
"""
UNIT = '[unit]\ncolumn = "patient"\nmax_records = 2\n'
RECORDS = [(f"{i % 90}", "AB"[i % 2], ("no", "yes")[i % 90 >= 35], f"p{i % 3}") for i in range(300)]
OTHERS = {
    "another": b"41,B,yes,p1",
    "a new name everywhere": b"119,C,maybe,p9",
    "a new name in quotes": b'"119","C,D","may""be","p 9"',
    "missing": b",,,",
    "odd": b"1e400,\x00\xe2\x80\xae<b>,NaN,'; DROP TABLE",
    "too many cells": b"1,2,3,4,5,6",
    "too few": b"41",
    "an open quote": b'41,"A,yes,p1',
    "not UTF-8": b"41,\xff\xfe,yes,p1",
    "long": b"9" * 5000 + b"," + b"x" * 90_000 + b",yes," + b"y" * 5000,
    "longer than a line may be": b"x" * 2_000_001,
}
TYPED = {"another": (41, "B", True, 1), "new": (-(2**62), "C", False, 9), "missing": (None, None, None, None)}


def text_table(last: bytes) -> bytes:
    lines = [",".join(NAMES).encode(), *(",".join(each).encode() for each in RECORDS), last]
    return b"\n".join(lines) + b"\n"


def parquet_table(path, last) -> None:
    rows = [(int(age), ward, late == "yes", int(who[1:])) for age, ward, late, who in RECORDS]
    parquet.write_table(
        pa.table({name: list(column) for name, column in zip(NAMES, zip(*rows, last, strict=True), strict=True)}), path
    )


BASE = {"source": "t1", "account": "clinic", "epsilon": "1", "schema": ""}
LEARN = BASE | {"class": "thresholds", "low": "0", "high": "120", "x": "age", "y": "late", "classes": "no,yes"}
SUMMARIZE = BASE | {
    "x": "age",
    "low": "0",
    "high": "120",
    "step": "1",
    "by": "ward",
    "groups": "A, B",
    "quartiles": "yes",
}
PAPERS = LEARN | {"algorithm": "occam", "low": "1", "direction": "above", "alpha": "0.3", "beta": "0.1"}
FEW = [
    ("/learn", LEARN | {"unit": "patient", "max_records": "1"}),
    ("/learn", BASE | {"schema": "s.toml", "class": "thresholds", "x": "age"}),
    ("/release", BASE | {"what": "counts", "by": "patient, ward"}),
    ("/release", BASE | {"what": "table", "schema": "s.toml"}),
    ("/summarize", SUMMARIZE),
    ("/summarize", BASE | {"schema": "s.toml", "x": "age", "by": "ward"}),
    ("/papers", PAPERS),
    ("/suggest", BASE | {"columns": "age, ward", "y": "late", "epsilon": "40"}),
]


def many():
    """What a curious person can ask for nothing, rightly and wrongly."""
    for name in in_shell():
        yield "/learn", BASE | {"class": name, "x": "ward", "y": "late", "classes": "no, yes"}
    for x, y in (*pairwise(NAMES), ("nothing", "late"), ("age", "nothing")):
        yield "/learn", LEARN | {"x": x, "y": y}
    for unit in NAMES:
        yield "/learn", LEARN | {"unit": unit, "max_records": "1"}
        yield "/release", BASE | {"what": "counts", "by": "nothing", "unit": unit, "max_records": "2"}
    for wrong in ({"epsilon": "99"}, {"epsilon": "x"}, {"delta": "0.4"}, {"source": "t9"}, {"classes": "a"}):
        yield "/learn", LEARN | wrong
    for x in ("age", "ward", "nothing"):
        yield "/release", BASE | {"what": "counts", "by": x}
        yield "/release", BASE | {"what": "distribution", "x": x, "low": "0", "high": "120"}
        yield "/release", BASE | {"what": "crosstab", "part": f"{x} points A,B\npatient points p1,p2"}
        yield "/summarize", SUMMARIZE | {"x": x}
        yield "/summarize", SUMMARIZE | {"by": x, "groups": "1, 2", "quartiles": ""}
        yield "/papers", PAPERS | {"x": x}
    yield from (("/summarize", SUMMARIZE | wrong) for wrong in ({"x": ""}, {"step": "x"}, {"by": ""}, {"source": "t9"}))
    yield from (("/papers", PAPERS | wrong) for wrong in ({"y": ""}, {"algorithm": "polypri"}, {"class": "points"}))
    yield "/learn", BASE | {"schema": "s.toml", "class": "trees"}
    yield "/plan", {"class": "trees", "schema": "s.toml"}
    yield from ((place, {"of": "0" * 64}) for place in PAGES)


def told(browser, asked, table: str, content: bytes | None):
    """The answers to all questions, to forms that spend without a token, and to an upload."""
    for place, each in asked:
        yield browser.get(place, each)
    for place in ACTIONS:
        yield browser.post(place, LEARN | {"form_token": browser.session.form_token})
    if content is not None:
        yield (reply := browser.upload(content, table))
        yield browser.get("/learn", LEARN | {"source": json.loads(reply.text)["source"]})


def plain(reply) -> tuple[int, dict[str, str], str]:
    headers = {name: text for name, text in reply.headers.items() if name != "date"}
    return reply.status, headers, re.sub("[0-9a-f]{64}", "SECRET", reply.text)


def crawled(started, folder, table: str, asked=FEW, schema: str = SCHEMA, **given) -> list:
    (folder / "s.toml").write_text(schema)
    named = {"data": {"t1": NamedTable(str(folder / table))}, "schemas": {"s.toml": folder / "s.toml"}}
    browser = started(**named | given).enter()
    content = (folder / table).read_bytes() if table.endswith("csv") else None
    return [plain(reply) for reply in told(browser, asked, table, content)]


def the_same(first, second, what: str = "") -> None:
    assert len(first) == len(second)
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        assert a == b, (what, i)


def written(folder, record: bytes) -> None:
    (folder / "visits.csv").write_bytes(text_table(record))


@pytest.mark.audit
def test_all_that_can_be_asked_is_the_same_on_neighboring_tables(started, folder):
    found = []
    for record in (b"40,A,yes,p1", OTHERS["a new name everywhere"]):
        written(folder, record)
        found.append(crawled(started, folder, "visits.csv", [*FEW, *many()]))
    assert sum("A release costs" in text for _, _, text in found[0]) > 20  # the crawl reaches previews
    the_same(*found)


@pytest.mark.audit
def test_odd_records_look_like_any_other(started, folder):
    written(folder, b"40,A,yes,p1")
    base = crawled(started, folder, "visits.csv")
    for name, record in OTHERS.items():
        written(folder, record)
        the_same(base, crawled(started, folder, "visits.csv"), name)


@pytest.mark.slow
def test_neighboring_typed_tables_look_the_same(started, folder):
    found = []
    for record in [(40, "A", True, 1), *TYPED.values()]:
        parquet_table(folder / "visits.parquet", record)
        found.append(crawled(started, folder, "visits.parquet"))
    for other in found[1:]:
        the_same(found[0], other)


@pytest.mark.audit
@pytest.mark.parametrize("given", [{"unit": Unit("patient", 2)}, {}], ids=["option", "schema"])
def test_neighboring_units_look_the_same(started, folder, given):
    """All records of one unit are replaced, by more or fewer ones: only the number of units is public."""
    schema, found = SCHEMA + ("" if given else UNIT), []
    for records in ([b"40,A,yes,p9"], [b"119,C,maybe,p9"] * 7, [b",,,p9"]):
        written(folder, b"\n".join(records))
        found.append(crawled(started, folder, "visits.csv", schema=schema, **given))
    for other in found[1:]:
        the_same(found[0], other)
    assert any("<dt>Units</dt><dd>4<" in text for _, _, text in found[0])


def test_a_form_cannot_name_the_unit(browser):
    asked = {"source": "t1", "x": "dep_delay", "y": "late", "unit": "carrier", "max_records": "1"}
    reply = browser.get("/learn", asked)
    assert reply.status == 400 and UNDECLARED[1:] in reply.text


def test_schemas_that_protect_different_units_are_not_served_together(started, folder):
    """A page without a schema, or with the other one, would tell the number of records, which the unit hides."""
    column = '[columns.age]\nkind = "integer"\nlow = 0\nhigh = 99\n'
    (folder / "a.toml").write_text(UNIT + column)
    (folder / "b.toml").write_text(column)
    browser = started(schemas={name: folder / name for name in ("a.toml", "b.toml")}).enter()
    for page in ("/learn", "/release"):
        assert "b.toml declares another unit" in browser.get(page).text
