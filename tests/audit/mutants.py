"""Mutants: one line of the library is changed so that it costs more than it claims. An audit by name must refute each.

Main declarations
    Mutant     what is audited, the function, its line, and the line instead
    planted    the library with that line, for a while
    MUTANTS    all of them
"""

import inspect
import sys
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from textwrap import dedent
from typing import NamedTuple


class Mutant(NamedTuple):
    """``privpac audit audited`` must refute the library in which ``line`` of ``function`` is ``instead``."""

    audited: str
    function: str  # module:class.name, within privpac
    line: str
    instead: str

    def __str__(self):
        return f"{self.audited}: {self.function}, {self.instead}"


def owner(function):
    """The class or the module that a function belongs to, and its name there."""
    module, _, path = function.partition(":")
    *classes, name = path.split(".")
    holder = import_module(f"privpac.{module}")
    for each in classes:
        holder = getattr(holder, each)
    return holder, name


def source(function):
    """Its text."""
    holder, name = owner(function)
    found = vars(holder)[name]
    return inspect.getsource(_bare(found))


@contextmanager
def planted(mutant):
    """The library with the mutant in it."""
    holder, name = owner(mutant.function)
    found, text = vars(holder)[name], source(mutant.function)
    assert text.count(mutant.line) == 1, f"{mutant}: the line is not there, or not once"
    changed = dedent(text.replace(mutant.line, mutant.instead))
    while changed.startswith("@"):
        changed = changed.partition("\n")[2]
    module, names = import_module(getattr(holder, "__module__", holder.__name__)), {}
    exec("from __future__ import annotations\n" + changed, vars(module), names)
    new = names[name]
    if isinstance(found, cached_property):
        new = cached_property(new)
        new.__set_name__(holder, name)
    elif isinstance(found, property | staticmethod | classmethod):
        new = type(found)(new)
    places = [holder] if inspect.isclass(holder) else _importers(name, found)
    for place in places:
        setattr(place, name, new)
    _forget()
    try:
        yield
    finally:
        for place in places:
            setattr(place, name, found)
        _forget()


def _forget():
    """What modules have computed once and keep."""
    for module in [module for key, module in list(sys.modules.items()) if key.startswith("privpac.mechanisms.")]:
        for each in list(vars(module).values()):
            getattr(each, "cache_clear", bool)()


def _importers(name, found):
    """The modules that know a function by its name."""
    ours = [module for key, module in list(sys.modules.items()) if key.startswith("privpac.")]
    return [module for module in ours if vars(module).get(name) is found]


def _bare(found):
    for inner in ("fget", "func", "__func__"):
        found = getattr(found, inner, found)
    return found


STABLE = "mechanisms.selection.public_stable:PublicStableExponential.menu"
LEVELLED = "mechanisms.selection.public_stable:Leveled.log_discounts"
REGRET = "mechanisms.selection.regret:RegretExponential.menu"
DISCOUNTS = "mechanisms.selection.regret:Discounts.of"
THRESHOLDS = "learners.lines.thresholds:ThresholdLearner.run"
CUTS = "mechanisms.lines.cuts:CutSelection._list"
PATHS = "learners.tree_orders.learners:PathLearner.run"
DYADIC = "mechanisms.quantiles.one_quantile:QuantileDyadic.menu"
QUANTILE = "mechanisms.quantiles.one_quantile:QuantileExponential.menu"
SEPARATE = "mechanisms.quantiles.several_quantiles:SeparateQuantiles.parts"
RATES = "mechanisms.quantiles.several_quantiles:QuantileTree.rates"
CUT_MENU = "mechanisms.quantiles.several_quantiles:cut_menu"
NOISY = "mechanisms.histograms.stability:NoisyIntegers"
SIGNED = "mechanisms.histograms.signed:SignedHistogram.check"
TREES = "mechanisms.decision_trees.draw:TreeExponential"
CODES = "mechanisms.values.code_sets:AnyCodeExponential"
BEARERS = "mechanisms.values.code_bearers:Bearers"
ZOOM = "mechanisms.lines.zoom:Zoom"
PRIVATE_CUTS = "learners.grids.private_cuts:PrivateCuts"

# of public-stable selection itself, and of all that select by it
LATE = (STABLE, "correct <= bound", "correct <= bound + 1")
EARLY_SUPPORT = (STABLE, "stable.support - 1, C", "stable.support, C")
STEEP = (STABLE, "rate, C = self.cost.epsilon / 2,", "rate, C = self.cost.epsilon,")
NO_FLOOR = (STABLE, "np.maximum(0, C - fallback_errors)", "C - fallback_errors")
NO_LEVELS = (LEVELLED, "odds * self.levels", "odds")
TWICE_DELTA = (LEVELLED, "(fallbacks * self.cost.delta)", "(2 * fallbacks * self.cost.delta)")
UNDISCOUNTED = (STABLE, "np.where(by_support, -λ, 0.0)", "0 * λ")
ERRORS_TWICE = (STABLE, "C - stable.errors", "C - 2 * stable.errors")

PLANTED = {
    "ThresholdLearner": (
        (THRESHOLDS, "in_order(sample).least(directions)", "2 * in_order(sample).least(directions)"),
        (THRESHOLDS, "DiscreteLaplace(certified.noise)", "DiscreteLaplace(certified.rest)"),
        (THRESHOLDS, "cost, C = certified.rest,", "cost, C = self.cost,"),
        ("learners.lines.threshold_bounds:NoisyCuts.rest", "self.cost - self.noise", "self.cost"),
        ("mechanisms.lines.cuts:CutStable.levels", " * len(self.directions)", ""),
        ("mechanisms.lines.cuts:CutStable.levels", "self.proposals)", "self.proposals[:1])"),
        ("mechanisms.lines.trie:supported", "bits - k + 1", "bits - k"),
        (CUTS, "splits.lengths[gap])", "np.minimum(splits.lengths[gap], 1))"),
        (CUTS, "[data.ones.size, data.zeros.size]", "[2 * data.ones.size, 2 * data.zeros.size]"),
        (CUTS, "splits.nodes.support[node]", "2 * splits.nodes.support[node]"),
        (CUTS, "Public(range(len(gap)), wrong", "Public(range(len(gap)), 2 * wrong"),
        EARLY_SUPPORT,
        STEEP,
        NO_FLOOR,
        NO_LEVELS,
        TWICE_DELTA,
        UNDISCOUNTED,
        ERRORS_TWICE,
    ),
    "PathLearner": (
        (PATHS, "(tree.fallback, counts.fallback)", "(tree.fallback, 2 * counts.fallback)"),
        (PATHS, "{tree.fallback: counts.fallback}", "{tree.fallback: 2 * counts.fallback}"),
        ("learners.tree_orders.views:Texts.levels", "+ self.below", "+ self.below - 1"),
        ("learners.tree_orders.counts:stable", "never - chains.gain", "never - 2 * chains.gain"),
        ("learners.tree_orders.counts:stable", "chains.support[first], never", "2 * chains.support[first], never"),
        ("learners.tree_orders.counts:_besides", "above - q", "above"),
        (DISCOUNTS, "1 - NEAR * NEAR_SHARE", "Fraction(1)"),
        (DISCOUNTS, "levels - first if", "levels - first - 1 if"),
        (REGRET, "2 * (stable.support - 1)", "2 * stable.support"),
        EARLY_SUPPORT,
        STEEP,
        NO_FLOOR,
        NO_LEVELS,
        TWICE_DELTA,
    ),
    "dyadic quantile": (
        (DYADIC, "max(bits(size), 1)", "1"),
        (DYADIC, "np.maximum(table.below, table.above), table", "2 * np.maximum(table.below, table.above), table"),
        (DYADIC, "table.lengths, -log", "np.minimum(table.lengths, 1), -log"),
        (DYADIC, "[entry.weight for", "[2 * entry.weight for"),
        (DYADIC, "min(self.kept, len(data))", "min(self.kept, len(np.unique(data)))"),
        (LEVELLED, "(fallbacks * self.cost.delta)", "(4 * fallbacks * self.cost.delta)"),  # 2 would be harmless
        LATE,
        EARLY_SUPPORT,
        STEEP,
        UNDISCOUNTED,
    ),
    "separate quantiles": (
        (SEPARATE, "self.cost.split(len(self.taus))", "[self.cost] * len(self.taus)"),
        (QUANTILE, "self.cost.epsilon / 2", "self.cost.epsilon"),
        (QUANTILE, "-np.maximum(", "-2 * np.maximum("),
        (QUANTILE, "rate, table.lengths", "rate, np.minimum(table.lengths, 1)"),
        (QUANTILE, "table.above - (n - at_least)", "2 * table.above - n"),
        (SEPARATE, "self.cost.split(len(self.taus))", "self.cost.split(1) * len(self.taus)"),
        (DYADIC, "np.maximum(table.below, table.above), table", "2 * np.maximum(table.below, table.above), table"),
        STEEP,
    ),
    "quantile tree": (
        (RATES, "sorted(changes)[-2:]", "sorted(changes)[-1:]"),
        (RATES, "share / (2 * Δ)", "share / Δ"),
        (RATES, "max(Fraction(1), sum(sorted(changes)[-2:], Fraction(0)))", "sum(sorted(changes)[-2:], Fraction(0))"),
        (RATES, "max(v.tau, 1 - v.tau)", "min(v.tau, 1 - v.tau)"),
        (RATES, "self.cost.split([self.growth**d for d in depths])", "[self.cost for d in depths]"),
        (CUT_MENU, "-abs(rank", "-2 * abs(rank"),
        (CUT_MENU, "b - a for", "min(b - a, 1) for"),
        (CUT_MENU, "rate / τ.denominator", "rate / (τ.denominator - 1)"),
        (CUT_MENU, "rank * τ.denominator", "2 * rank * τ.denominator"),
    ),
    "public stable exponential": (
        LATE,
        EARLY_SUPPORT,
        STEEP,
        NO_FLOOR,
        NO_LEVELS,
        TWICE_DELTA,
        UNDISCOUNTED,
        ERRORS_TWICE,
        (STABLE, "C - public.errors", "2 * (C - public.errors)"),
        (STABLE, "np.maximum(0, C - fallback_errors)", "np.maximum(0, 2 * (C - fallback_errors))"),
        (LEVELLED, "(l + 1) * (l + 2)", "l + 1"),
        (STABLE, "supported - correct <= bound", "supported < 0"),
    ),
    "regret exponential": (
        (REGRET, "2 * (stable.support - 1)", "2 * stable.support"),
        (REGRET, "self.cost.epsilon / 4", "self.cost.epsilon / 2"),
        (REGRET, "np.where(limited, prior, 0.0)", "0.0 * prior"),
        (REGRET, "np.concatenate([-R[:1]", "np.concatenate([-2 * R[:1]"),
        (REGRET, "score, -R[1:])]", "score, -2 * R[1:])]"),
        (DISCOUNTS, "1 - NEAR * NEAR_SHARE", "Fraction(1)"),
        (DISCOUNTS, "levels - first if", "1 if"),
        (DISCOUNTS, "(place + 1) * (place + 2)", "place + 1"),
        (DISCOUNTS, "least(NEAR_SHARE) if", "least(2 * NEAR_SHARE) if"),
        (DISCOUNTS, "(1 - cost.delta) / cost.delta", "(1 - cost.delta) / (2 * cost.delta)"),
    ),
    "signed histogram": (
        (f"{NOISY}.rate", "self.cost.epsilon / 2", "self.cost.epsilon"),
        (f"{NOISY}.least", "1 + max(0,", "max(0,"),
        (f"{NOISY}.least", "ball(self.cost.delta)", "ball(2 * self.cost.delta)"),
        (f"{NOISY}.least", "(1 + (-x).exp()).log()", "2 * (1 + (-x).exp()).log()"),
        (f"{NOISY}.least", "/ -x", "/ (-2 * x)"),
        (f"{NOISY}.shown_law", "+ i - count)", "+ i - 2 * count)"),
        (SIGNED, "data.ones > 0", "data.ones > data.zeros"),
        (SIGNED, "(data.ones - data.zeros)", "(2 * data.ones - data.zeros)"),
        (SIGNED, "(data.ones - data.zeros)", "(data.ones - 2 * data.zeros)"),
        (SIGNED, "data.ones > 0", "data.ones == data.ones.max()"),
    ),
    "PrivateCutTrees": (
        ("learners.decision_trees.private_cut_trees:PrivateCutTrees.run", "self.costs[1]", "self.cost"),
        (
            "learners.rules.private_cut_rules:PrivateCutLearner.costs",
            "self.cost.split(self.shares)",
            "self.cost, self.cost",
        ),
        (f"{PRIVATE_CUTS}.costs", "self.cost.split(len(self.lines))[0].split(SHARES)", "(self.cost, self.cost)"),
        (f"{PRIVATE_CUTS}._cells", "self.costs[1], Line", "self.cost, Line"),
        (f"{ZOOM}._list", "inside + self.worth", "2 * inside + self.worth"),
        (f"{ZOOM}.rate", "self.cost.epsilon / 2", "self.cost.epsilon"),
        (f"{ZOOM}.without", "self.many(level.k) - int", "0 * int"),
        ("mechanisms.lines.zoom:Held.within", "np.repeat(places, self.counts)", "np.repeat(places, 2 * self.counts)"),
        (RATES, "share / (2 * Δ)", "share / Δ"),
        (f"{TREES}.rate", "/ 4", "/ 2"),
        (f"{TREES}.labels", "[-w, w]", "[-2 * w, 2 * w]"),
        ("learners.decision_trees.public_tests:TreeTests.view", "-negative(sample)", "-2 * negative(sample)"),
    ),
    "DecisionTreeLearner": (
        (f"{TREES}.rate", "/ 4", "/ 2"),
        (f"{TREES}.labels", "[-w, w]", "[-2 * w, 2 * w]"),
        (f"{TREES}.choices", "np.concatenate([stop.g, splits.g])", "np.concatenate([stop.g, 2 * splits.g])"),
        ("mechanisms.decision_trees.counts:InCells.net", "int(self.w.sum())", "2 * int(self.w.sum())"),
        ("mechanisms.decision_trees.sums:Powers.leaf", "np.abs(w)", "2 * np.abs(w)"),
        ("mechanisms.decision_trees.counts:InCells.divided", "(holds, ~holds)", "(holds, holds | ~holds)"),
        ("mechanisms.decision_trees.draw:below", "records.net - with_test", "records.net + with_test"),
        ("learners.decision_trees.public_tests:TreeTests.view", "-negative(sample)", "-2 * negative(sample)"),
        ("mechanisms.decision_trees.draw:_one_test", "alone[..., None] - with_test", "alone[..., None] + with_test"),
    ),
    "AnyCodeLearner": (
        (f"{CODES}.log_a", "/ ball(self.cost.epsilon / 2).exp()", ""),
        (f"{CODES}.log_a", "odds.log1p() / self.s", "odds.log1p()"),
        (f"{CODES}.log_a", "ball(self.cost.delta /", "ball(2 * self.cost.delta /"),
        (f"{CODES}.law", "self.log_a * len(A)", "self.log_a * max(len(A) - 1, 0)"),
        (f"{CODES}.law", "self.log_a * len(A)", "self.log_a * min(len(A), 1)"),
        (f"{CODES}.law", "self.cost.epsilon / 2", "self.cost.epsilon"),
        (f"{BEARERS}.errors", "np.unique(np.concatenate", "np.asarray(np.concatenate"),
        (f"{BEARERS}.errors", "self.P + int(", "self.P + 2 * int("),
        (f"{BEARERS}.errors", "(self.zeros - self.ones)", "(2 * self.zeros - self.ones)"),
        ("learners.values.code_lists:AnyCodeLearner.run", "H.k, H.s", "H.k, 1"),
    ),
}  # fmt: skip
MUTANTS = [Mutant(audited, *each) for audited, some in PLANTED.items() for each in some]
