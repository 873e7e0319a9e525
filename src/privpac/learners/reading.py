"""From what a caller has (tables, columns, labels, units) to a sealed sample, and to what a rule reads.

Everything here happens before anything is spent. What becomes of a record depends on that record alone, and of the
records of a unit on those alone.

Throughout this file
    fits     which records fit the declared domain (None: all of them)
    rows     which records of the table count, at most k of a unit

Main declarations
    seal        records and labels as a sealed sample
    read        the values that a rule reads, and which records they belong to
    labelled    the labels that a rule gives to records
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d, validate_data

from privpac.classes.base import Hypothesis
from privpac.data.anything import Anything
from privpac.data.columns import cells, column, objects, parts
from privpac.data.engines import counted, fetched, is_table
from privpac.data.grid import Grid
from privpac.data.listed import declared
from privpac.data.pairs import Pairs
from privpac.data.sample import Sample, codes
from privpac.data.spelling import named, spelled
from privpac.data.tables import Columns, entries, part, pick, records, width
from privpac.data.units import Quota, slots_of
from privpac.data.valid import assembled, columns_of, domains_of, entry, kept, picked, valid
from privpac.exact.entropy import entropy
from privpac.learners.given import finite, given, position
from privpac.learners.labels import positives
from privpac.privacy.ledger import Sealed

if TYPE_CHECKING:
    from privpac.learners.base import PrivateLearner

Mask = NDArray[np.bool_] | None
Gathered = tuple[Any, NDArray[Any], NDArray[np.int64] | None, int]  # columns, labels, counts, n
ROWS = (list, tuple, np.ndarray, Mapping)
ONE_COLUMN = (
    "X has one dimension. Reshape your data: X.reshape(-1, 1) for one column, or say feature=None if X is the column "
    "that the rule reads"
)
INSTEAD = (
    "or say on_invalid='clamp', which moves values to the nearest bound, or 'default', which counts records that do "
    "not fit in n and in no score"
)


def seal(learner: PrivateLearner, X: Any, y: Any, unit: Any, slots: int) -> Sealed:
    """The records as a sealed sample; sets what scikit-learn wants to know of them."""
    if y is None:
        raise ValueError(f"{type(learner).__name__} requires y to be passed, but the target y is None")
    learner._beside = tuple(name for name in (y, unit) if isinstance(name, str))
    if both := [name for name in _asked(learner) if isinstance(name, str) and name in learner._beside]:
        raise ValueError(f"column {both[0]!r} holds the labels or the units, and the rule cannot read it as well")
    key = entropy(learner.random_state).octets(16).hex()  # any key is safe; a fresh one prefers no record
    gather, quota = _counts if is_table(X) else _records, None if unit is None else Quota(unit, slots, key)
    columns, labels, counts, n = gather(learner, X, y, quota)
    if n == 0:
        raise ValueError("there are no records to learn from; a minimum of 1 is required")
    positive, known = positives(learner, labels)
    domain = learner.concept_class.domain
    values, fits = valid(domain, columns, learner.on_invalid)
    if known is not None:
        values = kept(values, known if fits is None else known[fits])
        fits = known if fits is None else fits & known
    if fits is not None:
        positive, counts = positive[fits], counts if counts is None else counts[fits]
    points = _codes(learner, values)
    return Sealed(Sample(points, positive, counts, n, _settled(domain, values, points)), n)


def read(learner: PrivateLearner, X: Any, reset: bool = False) -> tuple[Any, Mask]:
    """The columns of X that the rule reads, and which records fit the domain (None: all)."""
    domain = learner.concept_class.domain
    columns = _assembled(domain, fetched(X, _names(learner, X))) if is_table(X) else _columns(learner, X, reset)
    return valid(domain, columns, learner.on_invalid)


def labelled(rule: Hypothesis, values: Any, fits: Mask) -> NDArray[np.bool_]:
    """What the rule says of each record; False of those that do not fit the domain."""
    if fits is None:
        return rule(values)
    labels = np.zeros(len(fits), dtype=bool)
    labels[fits] = rule(values)
    return labels


def _codes(learner: PrivateLearner, values: Any) -> NDArray[Any]:
    """The codes of ``values``; where some are refused, which column they are of and what else could be done."""
    asked = _asked(learner)
    try:
        return codes(learner.concept_class.domain, values)
    except (TypeError, ValueError) as error:
        if learner.on_invalid != "raise":
            raise
        one = len(asked) == len(domains_of(learner.concept_class.domain)) == 1 and asked[0] is not None
        where = f"column {asked[0]!r}: " if one else ""
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"{where}{error}; {INSTEAD}") from None


def _settled(domain: Any, values: Any, points: NDArray[Any]) -> Any:
    """Values that were accepted, in Python's own types: what reads them later runs no code of theirs."""
    if isinstance(domain, Anything):
        return points
    columns = columns_of(domain, values)
    if all(each.dtype.kind != "O" for each in columns):
        return values
    return assembled(domain, [objects(map(declared, each)) if each.dtype.kind == "O" else each for each in columns])


def _asked(learner: PrivateLearner) -> list[Any]:
    """The columns that a learner was told to read, names and positions."""
    domain, feature = learner.concept_class.domain, learner.feature
    if isinstance(domain, Columns):
        return list(domain.names)
    wanted = len(domains_of(domain))
    if wanted > 1 and isinstance(feature, str | int) and feature != 0:
        raise ValueError(f"the rule reads {wanted} columns; name them in order: feature=[…]")
    return [position(each) for each in (feature if isinstance(feature, list | tuple) else [feature])]


def _records(learner: PrivateLearner, X: Any, y: Any, quota: Quota | None) -> Gathered:
    """Records in memory: at most ``slots`` of a unit."""
    domain = learner.concept_class.domain
    columns, labels = _columns(learner, X, reset=True), _beside(learner, X, y, "y")
    n = len(labels)
    if n != records(columns):
        raise ValueError(f"X and y differ in length ({records(columns)} and {n}); every record needs a label")
    if quota is not None:
        content, unit = columns_of(domain, columns), _beside(learner, X, quota.unit, "unit")
        rows, n = slots_of(quota._replace(unit=unit), [*content, labels], learner.on_invalid)
        columns, labels = assembled(domain, [each[rows] for each in content]), labels[rows]
    return columns, labels, None, n


def _counts(learner: PrivateLearner, X: Any, y: Any, quota: Quota | None) -> Gathered:
    """Records in an engine, counted there."""
    if not isinstance(y, str) or not (quota is None or isinstance(quota.unit, str)):
        raise TypeError("with a table of a file or a database, y and unit are names of its columns")
    names, features = _names(learner, X), _features(learner, X)
    learner.feature_names_in_, learner.n_features_in_ = np.array(features, dtype=object), len(features)
    columns, labels, counts, n = counted(X, names, y, quota, learner.on_invalid)
    labels = labels if learner.classes is None else named(learner.classes, labels)
    return _assembled(learner.concept_class.domain, columns), labels, counts, n


def _assembled(domain: Any, columns: Sequence[NDArray[Any]]) -> Any:
    """Columns of an engine; where they are text, what it spells."""
    return assembled(domain, [spelled(*each) for each in zip(domains_of(domain), columns, strict=True)])


def _names(learner: PrivateLearner, X: Any) -> list[str]:
    """The columns of an engine's table that the rule reads."""
    features = _features(learner, X)
    asked, wanted = _asked(learner), len(domains_of(learner.concept_class.domain))
    if asked == [None] or (wanted > 1 and len(asked) == 1):
        asked = list(features)
    if len(asked) != wanted or any(isinstance(name, int) and not 0 <= name < len(features) for name in asked):
        raise ValueError(f"the rule reads {wanted} column{'s' * (wanted > 1)}; name them in order: feature=…")
    return [features[name] if isinstance(name, int) else name for name in asked]


def _features(learner: PrivateLearner, X: Any) -> list[str]:
    """The columns of an engine's table beside label and unit."""
    return [name for name in X.columns if name not in getattr(learner, "_beside", ())]


def _columns(learner: PrivateLearner, X: Any, reset: bool) -> Any:
    """What the rule reads of X: a column, or a table of the columns that count."""
    domain, asked = learner.concept_class.domain, _asked(learner)
    table = _table(learner, given(X, "X"), reset)
    if table is None or isinstance(domain, Columns):
        return X if table is None else table
    if isinstance(domain, Grid | Pairs):
        wanted = domain.dim if isinstance(domain, Grid) else 2
        if isinstance(learner.feature, list | tuple):
            table = _chosen(learner, table, asked)
        if width(table) not in (None, wanted):
            raise ValueError(f"the rule reads {wanted} columns; name them in order: feature=[…]")
        return table
    if learner.feature is None or isinstance(learner.feature, list | tuple):
        raise ValueError("the rule reads one column; name it: feature=name, or its position")
    feature = asked[0]
    if isinstance(table, list) and learner.on_invalid != "raise":
        return [entry(row, feature) if isinstance(row, ROWS) else row for row in table]
    return _part(learner, table, feature)


def _part(learner: PrivateLearner, table: Any, name: Any) -> NDArray[Any]:
    """One column; whatever its entries are, unless they are to be refused."""
    return pick(table, name) if learner.on_invalid == "raise" else picked(table, name)


def _chosen(learner: PrivateLearner, table: Any, names: Any) -> Any:
    """Some columns of a table, in this order."""
    return dict(enumerate(_part(learner, table, name) for name in names))


def _table(learner: PrivateLearner, X: Any, reset: bool) -> Any:
    """X as a table, checked as scikit-learn asks; None if X is a column. Lists of rows are read row by row."""
    beside = getattr(learner, "_beside", ())
    if hasattr(X, "columns"):
        if len(set(names := [name for name, _ in parts(X)])) < len(names):
            raise ValueError("two columns of the table have one name; give each a name of its own")
        labels = [name for name in beside if name in nw.from_native(X).columns]
        features = nw.from_native(X).drop(labels).to_native() if labels else X
        if not reset and not hasattr(learner, "n_features_in_"):  # it was fitted to columns, not to a table
            return features
        return validate_data(learner, features, reset=reset, skip_check_array=True)
    X = np.asarray(X) if _bare(X) else X
    if isinstance(X, Mapping) and not hasattr(X, "ndim"):  # some sparse matrices are mappings, and refused below
        for name in ("feature_names_in_", "n_features_in_") if reset else ():
            learner.__dict__.pop(name, None)  # of another fit
        return {name: each for name, each in X.items() if name not in beside}
    strict = learner.on_invalid == "raise"
    if isinstance(X, list):
        rows = any(isinstance(row, ROWS) for row in (X[:1] if strict else X)) and learner.feature is not None
        if not rows or not strict or isinstance(X[0], Mapping):
            return X if rows else None
        X = entries(X)
    if getattr(X, "ndim", 1) == 1:
        if isinstance(X, np.ndarray) and learner.feature is not None and X.dtype.kind in "biufc":
            raise ValueError(ONE_COLUMN)
        return None
    array = validate_data(learner, X, reset=reset, dtype=None, ensure_all_finite=False)
    return finite(array) if strict else array


def _bare(values: Any) -> bool:
    """Whether all that can be done with ``values`` is to make an array of them."""
    return hasattr(values, "__array__") and not hasattr(values, "ndim") and not isinstance(values, Iterable)


def _beside(learner: PrivateLearner, X: Any, values: Any, name: str) -> NDArray[Any]:
    """A column beside those that the rule reads: itself, or the name of a column of the table."""
    if isinstance(values, str):
        return _part(learner, X, values)
    if hasattr(given(values, name), "columns"):  # of its entries scikit-learn would make floats, of its shape a warning
        column_or_1d(np.empty((records(values), width(values) or 0)), warn=True)
        values = part(values, 0)
    elif isinstance(values, np.ndarray) or _bare(values):
        values = column_or_1d(values, warn=True)
    return column(values, name) if learner.on_invalid == "raise" else cells(values, name)
