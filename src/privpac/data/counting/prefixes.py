"""Codes that stay in an engine, which counts their prefixes level by level: nodes arrive only if their parent is kept.

The engine keeps each distinct code with its number of records for as long as a release takes. One query then counts the
nodes of each depth, among the codes that begin with a node that was kept. The engine cuts a text after l characters,
but it does not decide which nodes are equal: nodes are compared and sent back in exact forms.

proof: docs/proofs/engines.md

Throughout this file
    code    the text of a record                   node    its first l characters; its last l, if read from the end
    H       the public height, or the most steps of a record: longer codes are refused, cut, or void, as the rule says
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privpac.data.counting.groups import MISSING
from privpac.data.domains.domain import Domain
from privpac.data.domains.paths import Paths, PathsFromEnd, too_deep
from privpac.data.engines.exact_forms import engine_function, exported_column, imported_values
from privpac.data.engines.queries import answer, cached_table, forget
from privpac.data.engines.views import all_slots, check_columns, engine_view, readable_name
from privpac.data.files.progress import say
from privpac.data.samples.prefix_counts import Look
from privpac.data.samples.sample import Ints
from privpac.data.samples.units import Quota
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

CUTS: dict[type[Domain], str] = {Paths: "left", PathsFromEnd: "right"}  # both count code points
IN_CODE_POINTS = {"clickhouse": "{}UTF8"}  # where the function of this name counts bytes
VALID = {"pyspark": "is_valid_utf8", "clickhouse": "isValidUTF8"}  # engines whose texts may be any bytes
VALIDATING = 4  # the first version of Spark that has the function
DIGITS = 8  # digits that spell a character in SQLite
SURROGATE = re.compile("[\ud800-\udfff]")  # no text of an engine has one


@dataclass(frozen=True, eq=False)
class PrefixesInEngine:
    """Records that stay in an engine, at most k of each unit, with their codes; a record without a code is void."""

    reads_once: ClassVar[bool] = True
    codes: ir.CachedTable  # distinct codes, NULL for void records, and their numbers of records
    domain: Paths
    size: int
    total: int  # how many records have a code
    # Tables of nodes that were sent to the engine, and for each depth the parents and the layer below them.
    _sent_tables: list[ir.Table] = field(default_factory=list, repr=False)
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
        """The records of an Ibis table with a column of codes; None if its engine does not cut codes, or keeps none.

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
        if not isinstance(paths, Paths) or not _cuts(table, name, paths):
            return None
        all_records, chosen = engine_view(table, {"x0": name}, quota, readable=True)
        units = None if quota is None else all_slots(all_records, quota, rule)
        try:
            codes = cached_table(_distinct(chosen, paths, rule))
        except Refused:  # such as a copy of a database that only reads
            return None
        try:
            n, total = _totals(codes, name, paths, rule)
        except BaseException:
            _drop(codes, [])
            raise
        n = n if units is None else units
        say("{} records counted", n)
        return cls(codes, paths, n, total)

    def descend(self, look: Look) -> None:
        """Show ``look`` the nodes of depth 1, then those of depth 2 below the nodes that it keeps, and so on."""
        depth, parents = 0, None
        while depth != self.domain.deepest and (parents is None or len(parents)):
            depth += 1
            known = self._layers.get(depth)
            if known is None or not _same(known[0], parents):
                known = self._layers[depth] = parents, self._layer(depth, parents)
            if not len(known[1].counts):
                return
            parents = known[1].forms.filter(import_module("pyarrow").array(look(known[1])))

    def _layer(self, depth: int, parents: pa.Array | None) -> _EngineLayer:
        """The nodes of this depth below their ``parents``, all of them if that is None."""
        ibis, arrow = import_module("ibis"), import_module("pyarrow")
        known = self.codes.filter(self.codes.code.notnull())
        nodes = {"node": _node(known.code, depth, self.domain), "above": _node(known.code, depth - 1, self.domain)}
        known = known.select("records", **nodes)
        if parents is not None:
            self._sent_tables.append(ibis.memtable(arrow.table({"above": parents})))
            known = known.join(self._sent_tables[-1], "above")
        rows = answer(known.group_by("node").aggregate(records=known.records.sum().cast("int64")))
        return _EngineLayer.of(depth, rows["node"], rows["records"], self)

    def close(self) -> None:
        """Drop the tables that the engine keeps, and those that were sent to it, if it can."""
        _drop(self.codes, self._sent_tables)
        self._sent_tables.clear()
        self._layers.clear()


@dataclass(frozen=True, eq=False)
class _EngineLayer:
    """Nodes in order: as texts, and in the forms in which the engine knows them."""

    depth: int
    counts: Ints
    nodes: pa.Array
    forms: pa.Array

    @classmethod
    def of(cls, depth: int, forms: pa.ChunkedArray, records: pa.ChunkedArray, owner: PrefixesInEngine) -> _EngineLayer:
        """The layer of nodes that arrive in these ``forms``, along with codes that end above it."""
        compute, forms = import_module("pyarrow.compute"), forms.combine_chunks()
        nodes = _texts(forms, owner.codes.get_backend().name, owner.domain)
        order = compute.sort_indices(nodes)  # by code points, so that the order of arrival does not show
        order = order.filter(compute.equal(compute.utf8_length(nodes), depth).take(order))
        return cls(depth, records.combine_chunks().take(order).to_numpy(), nodes.take(order), forms.take(order))

    def named(self, which: Ints) -> list[str]:
        return list(self.nodes.take(import_module("pyarrow").array(which)).to_pylist())

    def places(self, nodes: Sequence[str]) -> Ints:
        arrow = import_module("pyarrow")
        texts = arrow.array([None if SURROGATE.search(each) else each for each in nodes], arrow.large_string())
        places = import_module("pyarrow.compute").index_in(texts, self.nodes)
        return np.asarray(places.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _distinct(chosen: ir.Table, domain: Paths, rule: InvalidRule) -> ir.Table:
    """The query for distinct codes and their records, NULL for records that are void."""
    ibis, engine = import_module("ibis"), chosen.get_backend()
    text = chosen[readable_name("x0")].cast("string")  # NULL where a code is missing
    if engine.name in VALID:
        text = engine_function(VALID[engine.name], (text.type(),), "boolean")(text).ifelse(text, ibis.null())
    codes = chosen.group_by("x0").aggregate(code=text.min(), records=chosen.count())  # the texts of a group are equal
    if engine.name == "sqlite":  # to its own functions, a text ends at the first NUL
        name = f"privpac_{CUTS[type(domain)]}"
        engine.con.create_function(name, 1, _in_digits(domain.order), deterministic=True)
        codes = codes.mutate(code=engine_function(name, ("string",), "string")(codes.x0))
    if rule == "default":
        codes = codes.mutate(code=_too_deep(codes.code, domain).ifelse(ibis.null(), codes.code))
    return codes.select("code", "records")


def _totals(codes: ir.Table, name: str, domain: Paths, rule: InvalidRule) -> tuple[int, int]:
    """How many records there are, and how many have a code; under the rule "raise", all must have one that fits."""
    deep = _too_deep(codes.code, domain) if rule == "raise" else import_module("ibis").literal(False)
    conditions = {"n": None, "total": codes.code.notnull(), "deep": deep}
    query = codes.aggregate(**{each: codes.records.sum(where=which) for each, which in conditions.items()})
    totals = {each: int(records or 0) for each, records in answer(query).to_pylist()[0].items()}
    if rule == "raise" and totals["total"] < totals["n"]:
        raise Refused("columns", f"some records have no value in column {name!r}", *MISSING)
    if totals["deep"]:
        clamp, default = (Setting.to("on_invalid", word) for word in ("clamp", "default"))
        deep_codes = f"column {name!r}: {too_deep(domain.height)}; or set "
        void = ", which counts them in n and nothing else"
        raise Refused("columns", deep_codes, clamp, ", which cuts longer ones, or ", default, void)
    return totals["n"], totals["total"]


def _node(code: ir.StringValue, depth: int, domain: Paths) -> ir.Value:
    """The exact form of the first characters of a code, or of its last ones."""
    engine = code.get_backend().name
    if engine == "sqlite":
        return code.substr(0, DIGITS * depth)
    name = IN_CODE_POINTS.get(engine, "{}").format(CUTS[type(domain)])
    cut = engine_function(name, (code.type(), "int64"), "string")
    return exported_column(cut(code, depth), "", engine).comparable


def _too_deep(code: ir.StringValue, domain: Paths) -> ir.Value:
    """Whether a code has more than H characters."""
    return (_node(code, domain.deepest, domain) != _node(code, domain.deepest + 1, domain)).fill_null(False)


def _in_digits(order: slice) -> Callable[[str | None], str | None]:
    """A function of SQLite: characters as digits, all of the same length; None if bytes are not UTF-8."""

    def digits(octets: str | None) -> str | None:
        try:
            return None if octets is None else bytes.fromhex(octets).decode()[order].encode("utf-32-be").hex()
        except UnicodeDecodeError:
            return None

    return digits


def _texts(forms: pa.Array, engine: str, domain: Paths) -> pa.Array:
    """The nodes that have these forms."""
    arrow = import_module("pyarrow")
    if engine == "sqlite":
        texts = [bytes.fromhex(each).decode("utf-32-be") for each in forms.to_pylist()]
        return arrow.array(texts, arrow.large_string())
    if engine in ("duckdb", "postgres"):
        nodes = forms.cast(arrow.large_binary()).cast(arrow.large_string())
    else:
        nodes = arrow.array(
            imported_values(forms, import_module("ibis").dtype("string"), engine).tolist(), arrow.large_string()
        )
    return import_module("pyarrow.compute").utf8_reverse(nodes) if domain.order.step else nodes


def _cuts(table: ir.Table, name: str, domain: Paths) -> bool:
    """Whether the engine cuts the texts of this column as ``domain`` does."""
    if type(domain) not in CUTS or domain.separator is not None or not table[name].type().is_string():
        return False
    engine = table.get_backend()
    if engine.name == "postgres":  # in other encodings, a character may be several code points
        return bool(engine.con.info.parameter_status("server_encoding") == "UTF8")
    if engine.name == "pyspark":
        return int(engine.version.partition(".")[0]) >= VALIDATING
    return engine.name in ("duckdb", "sqlite", "clickhouse")  # a table that MariaDB keeps need not hold all characters


def _same(some: pa.Array | None, others: pa.Array | None) -> bool:
    """Whether parents are the same; None stands for the root."""
    return some is others if some is None or others is None else bool(some.equals(others))


def _drop(codes: ir.CachedTable, sent: list[ir.Table]) -> None:
    with suppress(Exception):  # an error now would lose a release that is already paid for
        codes.release()
        forget(codes.get_backend(), sent)
