"""Write the models of this folder: ``python tests/models/write.py``. Files that are there already stay as they are.

Each file holds a model as some version of privpac wrote it, tables, and what that version answered about them. They are
kept so that later versions read them: never write one anew; add a case, and run this, when there is a new learner or
domain. Fits are private, so each run learns other rules; a run that learns "never" or "always" is repeated.

Throughout this file
    X         records that fit the declared domain        beyond    records of which some do not

Main declarations
    CASES     name → class, parameters of the classifier, table and labels to learn from, tables to predict
    Case      one of them
    plain     a table in JSON types: the test reads it again
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import privpac as pp

HERE = Path(__file__).parent
TRIES = 20
n = 600
INTEGERS = [(i * 37) % 100 for i in range(n)]
PLACES = [((i * 7) % 10, (i * 3 + i // 10) % 10) for i in range(n)]
DAY, MINUTE = date(2026, 1, 1), datetime(2026, 1, 1)
TREE = {"J10": "J", "J11": "J", "J": "ICD", "K": "ICD", "K20": "K"}
CODES = [("J10", "J11", "J", "ICD", "K", "K20")[i % 6] for i in range(n)]


@dataclass(frozen=True)
class Case:
    """A fit, and tables for which its predictions are written down."""

    concept_class: Any
    values: Any  # one list: the column called ``feature``; otherwise a table
    says: Callable[[Any], bool]  # of a record, the label it has
    X: Any
    beyond: Any
    given: dict[str, Any] = field(default_factory=dict)
    label: str | None = None
    unit: Any = None

    def fit(self) -> Any:
        """The classifier, fitted."""
        clf = pp.PrivateClassifier(self.concept_class, **({"epsilon": 20} | self.given))
        no, yes = (self.given.get("classes", (0, 1)) or (0, 1))[:2]
        labels = [yes if self.says(record) else no for record in _records(self.values)]
        return clf.fit(self.values, labels, self.unit)


def _records(table: Any) -> list[Any]:
    """The rows of a table; the values of its only column."""
    if not isinstance(table, dict):
        return [row[0] if isinstance(row, list) and len(row) == 1 else row for row in table]
    columns = list(table.values())
    return list(columns[0]) if len(columns) == 1 else list(zip(*columns, strict=True))


def _lines() -> Iterator[tuple[str, Case]]:
    late: dict[str, Any] = {"feature": "delay", "classes": ("no", "yes")}
    delays, probe = {"delay": INTEGERS}, {"delay": [0, 36, 37, 38, 52, 99]}
    misfits = {"delay": [36, -5, 1000, None, 37.5, 60]}
    above = pp.Thresholds(0, 99, direction="above")
    for rule in ("raise", "clamp", "default"):
        told = late | {"on_invalid": rule, "method": "ThresholdLearner"}
        yield f"threshold_integers_{rule}", Case(above, delays, lambda v: v >= 37, probe, misfits, told, "late")
    told = {"feature": 0, "method": "PureThresholdLearner", "delta": 0, "classes": (False, True)}
    rows, few = [[v] for v in INTEGERS], [[0], [36], [37], [99]]
    below = pp.Thresholds(0, 99, direction="below")
    yield "threshold_position_truth", Case(below, rows, lambda v: v < 37, few, [[5], [200], [None]], told)
    either = pp.Thresholds(-1.0, 1.0, direction="either")
    floats, near = [v / 50 - 1 for v in INTEGERS], [-1.0, -0.5, 0.25, 0.75, 1.0]
    told = {"feature": None, "on_invalid": "clamp"}
    yield (
        "threshold_floats_bare",
        Case(either, floats, lambda v: v < 0.5, near, [0.1, 2.0, float("inf"), None, -3], told, "small"),
    )
    money = pp.Thresholds(Decimal("0.00"), Decimal("9.99"), direction="above")
    prices = {"price": [Decimal(v) / 10 for v in INTEGERS]}
    bare = {"price": [Decimal("0.05"), Decimal("4.99"), Decimal("5.00"), 7]}
    odd = {"price": [Decimal("5.001"), Decimal("10.00"), None, "x"]}
    told = {"feature": "price", "regime": "realizable", "classes": ("cheap", "dear")}
    yield "threshold_decimals", Case(money, prices, lambda v: v >= 5, bare, odd, told, "is")
    days = {"day": [DAY + timedelta(days=3 * v) for v in INTEGERS]}
    some = {"day": [DAY, date(2026, 5, 30), date(2026, 6, 2), date(2026, 12, 31)]}
    other = {"day": [date(2025, 12, 31), date(2026, 7, 1), None, datetime(2026, 7, 1, 12)]}
    spring = pp.Thresholds(DAY, date(2026, 12, 31), direction="above")
    told = {"feature": "day", "on_invalid": "default"}
    yield "threshold_dates", Case(spring, days, lambda v: v >= date(2026, 6, 1), some, other, told, "summer")
    yield (
        "threshold_dates_whole_line",
        Case(
            pp.Thresholds(kind="date", direction="above"),
            days,
            lambda v: v >= date(2026, 6, 1),
            some,
            other,
            told,
            "summer",
        ),
    )
    times = {"at": [MINUTE + timedelta(hours=12 * v) for v in INTEGERS]}
    hours = {"at": [MINUTE, datetime(2026, 1, 20, 11, 59), datetime(2026, 2, 1, 0, 0, 0, 1)]}
    missed = {"at": [datetime(2027, 1, 1), None, datetime(2026, 1, 3)]}
    told = {"feature": "at", "on_invalid": "clamp"}
    early = pp.Thresholds(MINUTE, datetime(2026, 12, 31, 23, 59), direction="above")
    yield "threshold_datetimes", Case(early, times, lambda v: v >= datetime(2026, 1, 21), hours, missed, told)
    words = {"code": [f"{'ABCDEFGHIJ'[v // 10]}{v % 10}0" for v in INTEGERS]}
    letters = {"code": ["A00", "E49", "E50", "F", "J99"]}
    wrong = {"code": ["", "Z99", None, "a", "E50é"]}
    told = {"feature": "code", "on_invalid": "default"}
    yield (
        "threshold_strings",
        Case(pp.Thresholds("A00", "J99", direction="above"), words, lambda v: v >= "E50", letters, wrong, told),
    )
    between = late | {"method": "IntervalLearner"}
    yield "interval_integers", Case(pp.Intervals(0, 99), delays, lambda v: 30 <= v <= 60, probe, misfits, between)
    told = {"feature": None, "on_invalid": "default"}
    yield (
        "interval_floats",
        Case(pp.Intervals(-1.0, 1.0), floats, lambda v: -0.5 <= v <= 0.3, near, [0.0, 7.0, None], told),
    )
    tenths, near = {"size": [v / 10 for v in INTEGERS]}, {"size": [0.0, 0.1 + 0.2, 3.6, 3.7, 3.75, 9.9]}
    strange = {"size": [-1e-300, 3.6999999999999997, 1e308, None]}
    told = {"feature": "size", "on_invalid": "clamp"}
    sized = pp.Thresholds(0, 150, step=0.1, direction="either")
    yield "threshold_steps", Case(sized, tenths, lambda v: v >= 3.7, near, strange, told, "big")
    yield (
        "interval_steps",
        Case(pp.Intervals(0, 15, step=0.1), tenths, lambda v: 3 <= v < 6, near, strange, told, "big"),
    )
    summer = pp.Thresholds(DAY, date(2026, 12, 31), zone="Europe/Berlin", direction="above")
    evenings = [datetime(2026, 6, 26, 22, 30, tzinfo=UTC) + timedelta(days=i) for i in range(9)]
    instants = {"at": [*evenings, datetime(2026, 5, 1)]}
    yield (
        "threshold_zone",
        Case(summer, {"at": days["day"]}, lambda v: v >= date(2026, 7, 1), instants, instants, {"feature": "at"}),
    )
    told = {"feature": "day", "method": "IntervalLearner"}
    yield (
        "interval_dates",
        Case(pp.Intervals(DAY, date(2026, 12, 31)), days, lambda v: v.month in (4, 5, 6), some, other, told, "spring"),
    )
    told = {"feature": ["delay"], "method": "IntervalLearner"}
    yield "interval_grid", Case(pp.Rectangles(0, 99, dim=1), delays, lambda v: 30 <= v <= 60, probe, misfits, told)
    given = {"feature": "delay", "report_error": True, "random_state": 5, "classes": None}
    yield "threshold_seeded_error_reported", Case(above, delays, lambda v: v >= 37, probe, misfits, given, "late")
    wide = pp.Thresholds(-(2**63), 2**64, direction="above")
    large = {"delay": [2**60 + v for v in INTEGERS]}
    told = {"feature": "delay", "classes": (-1, 1), "budget": pp.Budget(20, 1e-3), "on_invalid": "default"}
    yield "threshold_wide_integers", Case(
        wide, large, lambda v: v >= 2**60 + 37, {"delay": [2**60 - 10**9, 2**60 + 10**9]},
        {"delay": [-(2**63) - 1, 2**64 + 1, 2**64]}, told,
    )  # fmt: skip
    yield "threshold_never", Case(above, delays, lambda v: False, probe, misfits, late | {"on_invalid": "default"})
    given = {"feature": "delay", "on_invalid": "default", "classes": None}
    yield "threshold_only_label", Case(above, delays, lambda v: False, probe, misfits, given, "late")
    people = [f"person {i // 3}" for i in range(n)]
    told = late | {"max_records": 2, "report_error": True}
    yield "threshold_units", Case(above, delays, lambda v: v >= 37, probe, misfits, told, "late", people)
    told = late | {"report_error": True}
    yield "threshold_error_on_new_records", Case(above, delays, lambda v: v >= 37, probe, misfits, told, "late")
    told = late | {"max_records": 3, "report_error": True, "on_invalid": "default", "epsilon": 60}
    yield "threshold_no_better", Case(above, delays, lambda v: v < 37, probe, misfits, told, "late", people)
    told = late | {"budget": pp.Ledger(pp.Budget(40, 1e-3), who="ann"), "report_error": True}
    yield "threshold_ledger", Case(above, delays, lambda v: v >= 37, probe, misfits, told, "late")


def _names() -> Iterator[tuple[str, Case]]:
    carriers = {"carrier": [("EV", "UA", "B6", "DL")[i % 4] for i in range(n)]}
    probe, misfits = {"carrier": ["EV", "UA", "XX", "ev"]}, {"carrier": ["EV", None, 7]}
    told: dict[str, Any] = {"feature": "carrier", "method": "PointLearner"}
    yield "point_text", Case(pp.Points(), carriers, lambda v: v == "EV", probe, misfits, told, "late")
    told = {"feature": None, "on_invalid": "default"}
    mixed = [(7, 8, 9.5, "7")[i % 4] for i in range(n)]
    yield "point_numbers", Case(pp.Points(), mixed, lambda v: v == 7, [7, 7.0, "7", 9.5, True], [7, None], told)
    days = [DAY + timedelta(days=i % 5) for i in range(n)]
    yield "point_dates", Case(pp.Points(), days, lambda v: v == DAY, [DAY, date(2026, 1, 2)], [DAY, None], told)
    pairs: Any = {"route": [(("EV", 1), ("UA", 2))[i % 2] for i in range(n)]}
    yield "point_tuples", Case(
        pp.Points(), pairs, lambda v: v == ("EV", 1), {"route": [("EV", 1), ("EV", 2)]}, {"route": [("EV", 1), None]},
        {"feature": "route", "on_invalid": "clamp", "max_records": 1}, None, [f"unit {i}" for i in range(n)],
    )  # fmt: skip
    told = {"feature": 0, "method": "ProperPointLearner", "on_invalid": "default"}
    rows = [[v % 10] for v in INTEGERS]
    yield "proper_point", Case(pp.Points(10), rows, lambda v: v == 3, [[3], [4]], [[3], [11], [None]], told)
    told = {"feature": "carrier", "method": "BucketLearner"}
    yield "bucket", Case(pp.Points(), carriers, lambda v: v == "EV", probe, misfits, told)
    told = {"feature": "carrier", "on_invalid": "default"}
    yield "sparse_sets", Case(pp.SparseSets(3), carriers, lambda v: v in ("EV", "UA"), probe, misfits, told, "late")
    ages = {"age": [("child", "adult", "senior")[i % 3] for i in range(n)]}
    given = {"age": ["child", "adult", "senior"]}
    other = {"age": ["adult", "baby", None]}
    grown = pp.ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
    for rule in ("raise", "clamp", "default"):
        told = {"feature": "age", "on_invalid": rule, "method": "FiniteLearner"}
        yield f"listing_{rule}", Case(grown, ages, lambda v: v != "child", given, other, told, "pays")
    order = pp.ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], points=["child", "adult", "senior"])
    told = {"feature": "age", "method": "OrderLearner", "epsilon": 30}
    yield "order", Case(order, ages, lambda v: v != "senior", given, other, told)


def _trees() -> Iterator[tuple[str, Case]]:
    paths = {"path": [("/usr/lib", "/usr", "/var", "/usr/lib/x", "/", "/var/log")[i % 6] for i in range(n)]}
    probe = {"path": ["/", "/usr/", "/usr/lib", "/usr/lib/x", "/var", "usr"]}
    misfits = {"path": ["/usr", "/a/b/c/d/e", None, 5]}
    told: dict[str, Any] = {"feature": "path", "on_invalid": "default"}
    yield (
        "root_paths",
        Case(
            pp.RootPaths("/", height=4), paths, lambda v: v in ("/", "/usr", "/usr/lib"), probe, misfits, told, "kept"
        ),
    )
    told = {"feature": "path", "on_invalid": "clamp"}
    yield (
        "root_paths_clamped",
        Case(pp.RootPaths("/", height=2), paths, lambda v: v in ("/", "/usr", "/usr/lib"), probe, misfits, told),
    )
    told = {"feature": None}
    letters = [("", "a", "ab", "abc", "b", "ba")[i % 6] for i in range(n)]
    yield (
        "root_paths_letters",
        Case(pp.RootPaths(None), letters, "ab".startswith, ["", "a", "ab", "b"], ["a", None, 3], told),
    )
    sick = {"code": [("J10.1", "J10.8", "J11", "K20", "J", "J10")[i % 6] for i in range(n)]}
    codes, wrong = {"code": ["J10", "J10.9", "J11", "j10"]}, {"code": ["J10", "J10.12345678", None]}
    told = {"feature": "code"}
    yield "starts_with", Case(pp.StartsWith(height=7), sick, lambda v: v.startswith("J10"), codes, wrong, told, "flu")
    told = {"feature": "path", "on_invalid": "default"}
    yield "starts_with_separator", Case(pp.StartsWith("/"), paths, lambda v: v.startswith("/usr"), probe, misfits, told)
    tails = {"tailnum": [("N203JB", "N618JB", "N14228", "JBX", "", "B")[i % 6] for i in range(n)]}
    probe, misfits = {"tailnum": ["JB", "xJB", "J", "jb"]}, {"tailnum": ["0203JB", "too long JB", None, "e\u0301"]}
    told = {"feature": "tailnum", "on_invalid": "clamp"}
    yield "ends_with", Case(pp.EndsWith(height=6), tails, lambda v: v.endswith("JB"), probe, misfits, told, "jet_blue")
    named, few, other = {"code": CODES}, {"code": ["J10", "J", "ICD", "K"]}, {"code": ["J", "X", None]}
    for method, kind in (("PathLearner", "root_path"), ("NameLearner", "root_path"), ("SubtreeLearner", "subtree")):
        told = {"feature": "code", "method": method, "on_invalid": "default", "epsilon": 30}
        inside = {"root_path": ("J10", "J", "ICD"), "subtree": ("J10", "J11", "J")}[kind]
        yield (
            f"taxonomy_{method}",
            Case(pp.Taxonomy(TREE, kind=kind), named, lambda v, inside=inside: v in inside, few, other, told),
        )
    for method in ("PathLearner", "FiniteLearner"):
        told = {"feature": "x", "on_invalid": "clamp", "method": method}
        yield f"two_sided_{method}", Case(
            pp.TwoSided(0, 99, center=40), {"x": INTEGERS}, lambda v: 40 <= v <= 70, {"x": [0, 40, 50, 99]},
            {"x": [50, 100, -1, None]}, told,
        )  # fmt: skip
    made = {"maker": [("Boeing", "Airbus")[i % 2] for i in range(n)], "year": [(i * 7) % 64 for i in range(n)]}
    new = {"maker": ["Boeing", "Boeing", "Airbus", "Cessna"], "year": [20, 50, 50, 50]}
    bad = {"maker": ["Boeing", "Boeing", None], "year": [64, None, 5]}
    for rule in ("raise", "default"):
        told = {"feature": ["maker", "year"], "method": "SpiderLearner", "on_invalid": rule, "epsilon": 40}
        yield (
            f"spider_{rule}",
            Case(pp.Spider(bits=6), made, lambda v: v[0] == "Boeing" and v[1] >= 32, new, bad, told, "kept"),
        )


def _planes() -> Iterator[tuple[str, Case]]:
    grid = {"width": [x for x, _ in PLACES], "height": [y for _, y in PLACES]}
    probe, misfits = {"width": [0, 9, 4], "height": [9, 0, 4]}, {"width": [3, 10, None], "height": [3, 3, 3]}
    told: dict[str, Any] = {"feature": ["width", "height"]}
    for rule in ("raise", "clamp", "default"):
        yield (
            f"half_planes_{rule}",
            Case(pp.HalfPlanes(10), grid, lambda p: p[0] > p[1], probe, misfits, told | {"on_invalid": rule}, "wide"),
        )
    net = told | {"method": "NetLearner", "delta": 0}
    yield "half_planes_net", Case(pp.HalfPlanes(10), grid, lambda p: p[0] > p[1], probe, misfits, net, "wide")
    every = told | {"method": "HalfPlaneLearner"}
    yield "half_planes_every", Case(pp.HalfPlanes(10), grid, lambda p: p[0] > p[1], probe, misfits, every, "wide")
    centered = pp.CentralHalfPlanes(0, 9, center=(4, 4))
    for method in ("ArcLearner", "FiniteLearner"):
        yield (
            f"central_half_planes_{method}",
            Case(centered, grid, lambda p: p[0] + p[1] >= 8, probe, misfits, told | {"method": method}, "large"),
        )
    rows = [list(p) for p in PLACES]
    told = {"feature": [0, 1], "on_invalid": "default"}
    for method in ("RectangleLearner", "FiniteLearner"):
        yield f"rectangles_{method}", Case(
            pp.Rectangles(0, 9, dim=2), rows, lambda p: 2 <= p[0] <= 8 and p[1] <= 6, [[0, 0], [5, 5], [9, 9]],
            [[5, 5], [5, 10], [None, 3]], told | {"method": method},
        )  # fmt: skip
    cube = [[i % 3, (i // 3) % 3, (i // 9) % 3] for i in range(n)]
    for method in ("NetLearner", "FiniteLearner"):
        yield f"half_spaces_{method}", Case(
            pp.HalfSpaces(3, 3), cube, lambda p: sum(p) >= 3, [[0, 0, 0], [2, 2, 2], [2, 0, 1]],
            [[0, 0, 3], [1, 1, 1]], {"feature": [0, 1, 2], "on_invalid": "clamp", "method": method},
        )  # fmt: skip
    yield "half_spaces_PerceptronLearner", Case(
        pp.HalfSpaces(3, 3, margin=0.2), cube, lambda p: sum(p) >= 3, [[0, 0, 0], [2, 2, 2], [2, 0, 1]],
        [[0, 0, 3], [1, 1, 1]], {"feature": [0, 1, 2], "on_invalid": "clamp", "method": "PerceptronLearner"},
    )  # fmt: skip
    bits = [[i % 2, (i // 2) % 2, (i // 4) % 2] for i in range(n)]
    few, other = [[0, 0, 0], [1, 0, 1], [1, 1, 1]], [[1, 0, 0], [2, 0, 0]]
    told = {"feature": None}
    yield "conjunctions", Case(pp.Conjunctions(3), bits, lambda p: p[0] and not p[2], few, other, told)
    yield "parities", Case(pp.Parities(3), bits, lambda p: (p[0] + p[2]) % 2, few, other, told)
    flats = pp.AffineSubspaces(p=3, n=2, dim=1)
    plane = [[i % 3, (i // 3) % 3] for i in range(n)]
    for method in ("FlatLearner", "HeavyFlatLearner"):
        agree, given = pp.AffineSubspaces(p=2, n=3, dim=1), {"method": method, "regime": "realizable", "delta": 1e-6}
        yield f"flats_{method}", Case(agree, bits, lambda p: p[0] == p[1] and not p[2], few, other, told | given)
    yield "affine_subspaces", Case(flats, plane, lambda p: p[0] == p[1], plane[:9], [[1, 1], [3, 0]], told)


def _tables() -> Iterator[tuple[str, Case]]:
    table = {
        "delay": [i % 10 for i in range(n)], "carrier": [("EV", "UA", "B6")[(i // 10) % 3] for i in range(n)],
        "hour": [(i // 30) % 5 for i in range(n)],
    }  # fmt: skip
    probe = {"hour": [0, 4, 4], "carrier": ["EV", "EV", "UA"], "delay": [9, 9, 2]}
    misfits = {"hour": [0, 5, None], "carrier": ["EV", None, "EV"], "delay": [9, 9, 70]}
    delay, hour, carrier = (
        pp.Thresholds(0, 9, direction="above").on("delay"),
        pp.Thresholds(0, 4, direction="above").on("hour"),
        pp.Points().on("carrier"),
    )
    both: dict[str, Any] = {"classes": ("no", "yes")}
    for rule in ("raise", "clamp", "default"):
        yield f"and_{rule}", Case(
            pp.And(delay, hour), table, lambda r: r[0] >= 5 and r[2] >= 2, probe, misfits, both | {"on_invalid": rule},
            "late",
        )  # fmt: skip
    yield "or", Case(pp.Or(delay, hour), table, lambda r: r[0] >= 5 or r[2] >= 3, probe, misfits, {"delta": 0}, "late")
    yield "xor", Case(pp.Xor(delay, hour), table, lambda r: (r[0] >= 5) != (r[2] >= 3), probe, misfits, {})
    three = pp.Majority(delay, hour, pp.Intervals(0, 9).on("delay"))
    yield "majority", Case(three, table, lambda r: r[0] >= 5, probe, misfits, {"on_invalid": "clamp"})
    yield "not", Case(pp.Not(delay), table, lambda r: r[0] < 5, probe, misfits, {"on_invalid": "default"})
    ring = pp.Compose(lambda d, h: d and not h, delay, hour)
    yield "compose", Case(ring, table, lambda r: r[0] >= 5 and r[2] < 3, probe, misfits, {}, "early")
    yield "and_named", Case(
        pp.And(delay, carrier), table, lambda r: r[0] >= 5 and r[1] == "EV", probe, misfits,
        {"on_invalid": "default", "report_error": True}, "late",
    )  # fmt: skip
    names = pp.Equalities("carrier", "delay", "hour", at_most=2)
    yield "equalities", Case(
        names, table, lambda r: r[1] == "EV" and r[2] == 4, probe, misfits, {"on_invalid": "default"}, "late",
    )  # fmt: skip
    cells = {"icd": [("J10;E11", "E11", "I25", "", "K20; J10")[i % 5] for i in range(n)]}
    yield "has_any", Case(
        pp.HasAny(2, 2), cells, lambda v: "J10" in v or "I25" in v, {"icd": ["J10", "E11;I25", "", "J1"]},
        {"icd": ["J10", None, "a;b;J10", "I25"]}, {"feature": "icd", "on_invalid": "default"}, "ill",
    )  # fmt: skip
    told = {"max_records": 3, "epsilon": 60}
    yield "or_named_units", Case(
        pp.Or(hour, carrier), table, lambda r: r[2] >= 3 or r[1] == "EV", probe, misfits, told, "late",
        [i // 3 for i in range(n)],
    )  # fmt: skip
    stumps = pp.Union(pp.Thresholds(0, 9, direction="either").on(0), pp.Thresholds(0, 9, direction="above").on(1))
    rows = [list(p) for p in PLACES]
    for method in ("StumpLearner", "FiniteLearner"):
        yield f"stumps_{method}", Case(
            stumps, rows, lambda p: p[0] < 4, [[3, 9], [4, 0]], [[3, 9], [10, 0], [None, 1]],
            {"on_invalid": "clamp", "method": method},
        )  # fmt: skip
    wide = pp.Trees(pp.Thresholds(0, 2**64 - 1, direction="above").on("a"), pp.Points().on("b", values=("x", "y", "z")))
    yield "trees_private_cuts", Case(
        wide, {"a": [2**40 + v for v in INTEGERS], "b": ["xyz"[i % 3] for i in range(n)]},
        lambda p: p[0] >= 2**40 + 37 and p[1] == "y", {"a": [2**40, 2**40 + 99, 2**40 + 99], "b": ["y", "y", "z"]},
        {"a": [None, -1, 2**65, 2**40 + 99], "b": ["y", "y", "y", "w"]}, {"on_invalid": "default"}, "both",
    )  # fmt: skip


CASES = dict([*_lines(), *_names(), *_trees(), *_planes(), *_tables()])


def plain(value: Any) -> Any:
    """A table, or a value in it, in JSON types."""
    if isinstance(value, (date, datetime)):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, (Decimal, float)):
        return {type(value).__name__: str(value)}
    if isinstance(value, tuple):
        return {"tuple": [plain(each) for each in value]}
    if isinstance(value, dict):
        return {"table": {name: plain(column) for name, column in value.items()}}
    return [plain(each) for each in value] if isinstance(value, list) else value


def answers(model: Any, X: Any) -> dict[str, Any]:
    """What a model says of a table; None for predictions that it refuses."""
    try:
        predictions = plain(model.predict(X).tolist())
    except (ValueError, TypeError):
        predictions = None
    return {"table": plain(X), "predictions": predictions, "misfits": _misfits(model, X)}


def _misfits(model: Any, X: Any) -> int | None:
    try:
        return int(model.misfits(X))
    except (ValueError, TypeError):
        return None


def main() -> None:
    """Write every model that has no file yet."""
    for name, case in CASES.items():
        place = HERE / f"{name}.json"
        if place.exists():
            continue
        for _ in range(TRIES):
            model = pp.model_of(case.fit(), case.label)
            if model.rule not in ("always", "never") or not any(map(case.says, _records(case.values))):
                break
        kept = {"text": str(model), "answers": [answers(model, X) for X in (case.X, case.beyond)]}
        place.write_text(json.dumps(kept | {"model": json.loads(model.to_json())}, ensure_ascii=False) + "\n", "utf-8")
        print(f"{name:32} {model.learner[:40]:40} {model}")


if __name__ == "__main__":
    main()
