"""Codes that stay in an engine, which counts their prefixes level by level.

While a release runs, the engine keeps a table of the distinct codes with their numbers of records. One query for each
depth then counts the nodes below those that the release chooses. No other node leaves the engine.

The engine cuts a text after l characters, but it does not decide which nodes are equal, because engines may ignore case
or trailing spaces. It groups and returns nodes in an exact form: bytes, or digits that spell them.

proof: docs/proofs/engines.md, Theorem 6

Throughout this file
    code    the text of a record
    node    the first l characters of a code, or the last l if codes are read from the end; l is its depth
    form    a node in the exact form in which the engine compares and returns it
    H       the largest public length of a code: longer ones are refused, cut, or void, as the rule says
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privpac.data.counting.groups import MISSING
from privpac.data.domains.domain import Domain
from privpac.data.domains.paths import Paths, PathsFromEnd, too_deep
from privpac.data.engines.exact_forms import engine_function, exported_column, imported_values
from privpac.data.engines.queries import answer, cached_table, forget
from privpac.data.engines.views import all_slots, check_columns, engine_view, readable_name, units_of
from privpac.data.files.progress import say
from privpac.data.samples.prefix_counts import Choose
from privpac.data.samples.sample import Ints
from privpac.data.samples.units import Quota
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

CUT_FUNCTIONS: dict[type[Domain], str] = {Paths: "left", PathsFromEnd: "right"}  # in SQL; both count code points
CODE_POINT_NAMES = {"clickhouse": "{}UTF8"}  # where left and right count bytes: names of functions for code points
VALIDITY_FUNCTIONS = {"pyspark": "is_valid_utf8", "clickhouse": "isValidUTF8"}  # engines whose texts may be any bytes
FIRST_VALIDATING_SPARK = 4  # the first version of Spark that has is_valid_utf8
DIGITS = 8  # hexadecimal digits that spell a character in SQLite
SURROGATE = re.compile("[\ud800-\udfff]")  # no text of an engine has one


@dataclass(frozen=True, eq=False)
class PrefixesInEngine:
    """The codes of records that stay in an engine, at most k records of each unit. A record without a code is void."""

    reads_once: ClassVar[bool] = True
    codes: ir.CachedTable  # the columns "code", NULL for void records, and "records", how many have this code
    domain: Paths
    size: int  # n
    total: int  # how many records have a code
    # The tables of nodes that were sent to the engine, to be dropped at the end.
    _sent_tables: list[ir.Table] = field(default_factory=list, repr=False)
    # For each depth, the last layer and the forms of its parents, because a release may descend below them twice.
    _layers: dict[int, tuple[pa.Array | None, _EngineLayer]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        table: ir.Table,
        names: Sequence[str],
        domain: Domain,
        quota: Quota | None = None,
        rule: InvalidRule = "raise",
    ) -> Self | None:
        """The records of an Ibis table with a column of codes; None if its engine cannot cut codes, or keep a table.

        >>> import ibis, pyarrow
        >>> codes = ibis.memtable(pyarrow.table({"icd": ["J10", "J11", "K20"]}))
        >>> prefixes = PrefixesInEngine.of(codes, ["icd"], Paths(None))
        >>> prefixes.descend(lambda layer: print(layer.counts) or layer.counts > 1)
        [2 1]
        [2]
        [1 1]
        >>> prefixes.close()
        """
        check_columns(table, names, "columns")
        (name,), (paths,) = names, domain.columns
        if not isinstance(paths, Paths) or not _can_cut(table, name, paths):
            return None
        all_records, chosen = engine_view(table, {"x0": name}, quota, readable=True)
        n_of_units = 0 if quota is None else all_slots(answer(units_of(all_records)), quota, rule)
        try:
            codes = cached_table(_distinct_codes(chosen, paths, rule))
        except Refused:  # for example, in a replica of a database, to which nobody may write
            return None
        try:
            records, total = _totals(codes, name, paths, rule)
        except BaseException:
            forget(codes.get_backend(), [codes], [])
            raise
        n = records if quota is None else n_of_units
        say("{} records counted", n)
        return cls(codes, paths, n, total)

    def descend(self, choose: Choose) -> None:
        depth, parents = 0, None  # None: the parent of depth 1 is the root
        while depth != self.domain.deepest and (parents is None or len(parents)):
            depth += 1
            layer = self._layer(depth, parents)
            if not len(layer.counts):
                return
            parents = layer.forms.filter(import_module("pyarrow").array(choose(layer)))

    def _layer(self, depth: int, parents: pa.Array | None) -> _EngineLayer:
        """The nodes of this depth below the ``parents``, as they were counted last time if the parents are the same."""
        if depth in self._layers:
            last_parents, layer = self._layers[depth]
            if last_parents is parents:
                return layer
            if last_parents is not None and parents is not None and last_parents.equals(parents):
                return layer
        layer = self._count(depth, parents)
        self._layers[depth] = parents, layer
        return layer

    def _count(self, depth: int, parents: pa.Array | None) -> _EngineLayer:
        """Let the engine count the nodes of this depth below the ``parents``; below the root, if that is None."""
        ibis, arrow = import_module("ibis"), import_module("pyarrow")
        codes = self.codes.filter(self.codes.code.notnull())
        nodes = {"node": _node(codes.code, depth, self.domain), "parent": _node(codes.code, depth - 1, self.domain)}
        codes = codes.select("records", **nodes)
        if parents is not None:
            self._sent_tables.append(ibis.memtable(arrow.table({"parent": parents})))
            codes = codes.join(self._sent_tables[-1], "parent")
        rows = answer(codes.group_by("node").aggregate(records=codes.records.sum().cast("int64")))
        return _EngineLayer.of(depth, rows["node"], rows["records"], self)

    def close(self) -> None:
        """Drop the tables that the engine keeps, and those that were sent to it, if it can."""
        forget(self.codes.get_backend(), [self.codes], self._sent_tables)
        self._sent_tables.clear()
        self._layers.clear()


@dataclass(frozen=True, eq=False)
class _EngineLayer:
    """The nodes of one depth in the order of their texts, with their numbers of records and their forms."""

    depth: int
    counts: Ints
    nodes: pa.Array
    forms: pa.Array

    @classmethod
    def of(cls, depth: int, forms: pa.ChunkedArray, records: pa.ChunkedArray, owner: PrefixesInEngine) -> _EngineLayer:
        """The layer of the nodes with these ``forms``, without shorter nodes, which are codes that end above it."""
        compute, forms = import_module("pyarrow.compute"), forms.combine_chunks()
        nodes = _nodes_of(forms, owner.codes.get_backend().name, owner.domain)
        order = compute.sort_indices(nodes)  # by code points, because the order of the rows may depend on records
        has_depth = compute.equal(compute.utf8_length(nodes), depth)
        order = order.filter(has_depth.take(order))
        return cls(depth, records.combine_chunks().take(order).to_numpy(), nodes.take(order), forms.take(order))

    def nodes_at(self, which: Ints) -> list[str]:
        return list(self.nodes.take(import_module("pyarrow").array(which)).to_pylist())

    def places(self, nodes: Sequence[str]) -> Ints:
        arrow = import_module("pyarrow")
        texts = arrow.array([None if SURROGATE.search(node) else node for node in nodes], arrow.large_string())
        places = import_module("pyarrow.compute").index_in(texts, self.nodes)
        return np.asarray(places.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _distinct_codes(chosen: ir.Table, domain: Paths, rule: InvalidRule) -> ir.Table:
    """The query for the distinct codes, NULL for void records, and how many records have each."""
    ibis, engine = import_module("ibis"), chosen.get_backend()
    text = chosen[readable_name("x0")].cast("string")  # NULL where a code is missing
    if engine.name in VALIDITY_FUNCTIONS:
        is_valid = engine_function(VALIDITY_FUNCTIONS[engine.name], (text.type(),), "boolean")
        text = is_valid(text).ifelse(text, ibis.null())
    codes = chosen.group_by("x0").aggregate(code=text.min(), records=chosen.count())  # the texts of a group are equal
    if engine.name == "sqlite":  # whose own functions end a text at the first NUL
        name = f"privpac_{CUT_FUNCTIONS[type(domain)]}"
        engine.con.create_function(name, 1, _digit_speller(domain.order), deterministic=True)
        codes = codes.mutate(code=engine_function(name, ("string",), "string")(codes.x0))
    if rule == "default":
        codes = codes.mutate(code=_too_deep(codes.code, domain).ifelse(ibis.null(), codes.code))
    return codes.select("code", "records")


def _totals(codes: ir.Table, name: str, domain: Paths, rule: InvalidRule) -> tuple[int, int]:
    """How many records there are, and how many have a code. Under the rule "raise", all must have a code that fits."""
    is_deep = _too_deep(codes.code, domain) if rule == "raise" else import_module("ibis").literal(False)
    conditions = {"all": None, "with_code": codes.code.notnull(), "deep": is_deep}
    query = codes.aggregate(**{key: codes.records.sum(where=condition) for key, condition in conditions.items()})
    totals = {key: int(records or 0) for key, records in answer(query).to_pylist()[0].items()}
    if rule == "raise" and totals["with_code"] < totals["all"]:
        raise Refused("columns", f"some records have no value in column {name!r}", *MISSING)
    if totals["deep"]:
        clamp, default = (Setting.to("on_invalid", word) for word in ("clamp", "default"))
        deep_codes = f"column {name!r}: {too_deep(domain.height)}; or set "
        void = ", which counts them in n and nothing else"
        raise Refused("columns", deep_codes, clamp, ", which cuts longer ones, or ", default, void)
    return totals["all"], totals["with_code"]


def _node(code: ir.StringValue, depth: int, domain: Paths) -> ir.Value:
    """The form of the node of this depth that a code has."""
    engine = code.get_backend().name
    if engine == "sqlite":
        return code.substr(0, DIGITS * depth)
    name = CODE_POINT_NAMES.get(engine, "{}").format(CUT_FUNCTIONS[type(domain)])
    cut = engine_function(name, (code.type(), "int64"), "string")
    return exported_column(cut(code, depth), "", engine).comparable


def _too_deep(code: ir.StringValue, domain: Paths) -> ir.Value:
    """Whether a code has more than H characters."""
    return (_node(code, domain.deepest, domain) != _node(code, domain.deepest + 1, domain)).fill_null(False)


def _digit_speller(order: slice) -> Callable[[str | None], str | None]:
    """A function for SQLite that takes the bytes of a text to its characters, both in hexadecimal; None if not UTF-8.

    Every character takes DIGITS digits, so SQLite can cut a text after any character. ``order`` reverses the characters
    of codes that are read from the end.
    """

    def digits(text_bytes: str | None) -> str | None:
        try:
            return None if text_bytes is None else bytes.fromhex(text_bytes).decode()[order].encode("utf-32-be").hex()
        except UnicodeDecodeError:
            return None

    return digits


def _nodes_of(forms: pa.Array, engine: str, domain: Paths) -> pa.Array:
    """The nodes with these forms, as texts; those of codes that are read from the end are reversed."""
    arrow = import_module("pyarrow")
    if engine == "sqlite":
        texts = [bytes.fromhex(form).decode("utf-32-be") for form in forms.to_pylist()]
        return arrow.array(texts, arrow.large_string())
    if engine in ("duckdb", "postgres"):
        nodes = forms.cast(arrow.large_binary()).cast(arrow.large_string())
    else:
        nodes = arrow.array(
            imported_values(forms, import_module("ibis").dtype("string"), engine).tolist(), arrow.large_string()
        )
    return import_module("pyarrow.compute").utf8_reverse(nodes) if domain.order.step else nodes


def _can_cut(table: ir.Table, name: str, domain: Paths) -> bool:
    """Whether the engine cuts the texts of this column into the same characters as ``domain`` does."""
    if type(domain) not in CUT_FUNCTIONS or domain.separator is not None or not table[name].type().is_string():
        return False
    engine = table.get_backend()
    if engine.name == "postgres":  # in encodings other than UTF-8, a character may be several code points
        return bool(engine.con.info.parameter_status("server_encoding") == "UTF8")
    if engine.name == "pyspark":
        return int(engine.version.partition(".")[0]) >= FIRST_VALIDATING_SPARK
    # Not MariaDB: the character set of a table that it keeps may lack some of the characters.
    return engine.name in ("duckdb", "sqlite", "clickhouse")
