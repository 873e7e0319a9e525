"""Mutants that the audit of a learner refutes, even if the changed line is in a mechanism: a tree draw, cuts, codes."""

from math import inf

from privpac.audit.claims.case import labeled
from privpac.audit.claims.fits import fit_of, stages
from privpac.audit.claims.learners import LEARNER_CLAIMS
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.learners.choice import LEARNERS
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces.nets import NetLearner
from privpac.learners.subspaces.flats import FlatLearner
from privpac.learners.tree_orders.learners import SpiderLearner
from tests.audit.mechanism_mutants import (
    DISCOUNTS,
    EARLY_SUPPORT,
    EARLY_WEIGHTS,
    ERRORS_TWICE,
    GAIN_UNDISCOUNTED,
    HELD_ONLY,
    NO_FLOOR,
    NO_LEVELS,
    ONE_NEAR,
    POSITIVE_ONLY,
    QUICK_NOISE,
    RATES,
    REGRET,
    STEEP,
    STEEP_ZOOM,
    TWICE_DELTA,
    UNDISCOUNTED,
    ZOOM,
)
from tests.audit.mutants import Mutant, mutants_of

THRESHOLDS = "learners.lines.thresholds:ThresholdLearner.run"
PURE_CUTS = "learners.lines.thresholds:PureThresholdLearner"
CUTS = "mechanisms.lines.cuts:CutSelection._menu"
PATHS = "learners.tree_orders.learners:PathLearner.run"
TREE_DRAW = "mechanisms.decision_trees.tree_exponential"
TREES = f"{TREE_DRAW}:TreeExponential"
CODES = "mechanisms.values.code_sets:AnyCodeExponential"
BEARERS = "mechanisms.values.code_bearers:Bearers"
PRIVATE_CUTS = "learners.grids.private_cuts:PrivateCuts"
VALUE_COUNTS = "mechanisms.lines.zoom:ValueCounts"
VOTES = "mechanisms.selection.votes:VoteExponential"
PLANES = "mechanisms.half_spaces.half_planes:HalfPlaneExponential"
TWICE = "replace(sample, counts=np.full(len(sample.labels), 2))"
VOID = "(sample.size - len(sample.labels))"
SHIFTED = "replace(sample, points=sample.points - sample.points.min(axis=0, initial=2**20))"
RANKS = "np.stack([np.unique(column, return_inverse=True)[1] for column in sample.points.T], axis=1)"
RARER = "replace(sample, counts=np.maximum(np.where(sample.labels, sample.negatives, sample.positives), 1))"

BALANCED_LABELS = ("learners.finite:FiniteLearner.run", "table_errors(T, sample)", f"table_errors(T, {RARER})")
LINE_FROM_RECORDS = (
    "mechanisms.lines.intervals:IntervalExponential.menu",
    "CutRuns.of(data, self.size)",
    "CutRuns.of(data, int(data.points.max(initial=0)) + 1)",
    inf,
)
ONLY_DIVIDING = """for b in range(self.tests.number):
            if not all(len(side.w) for side in records.split_by(self.tests, b)):
                counts[b + 1] = 0
        return"""
IMPUTED = "last if absent.all() else int(tests.cells(codes[~absent]).mean())"  # the mean of the entries that are there
STOPS_IF_PURE = """if np.abs(records.net).max() == records.net_bound:
            counts[1:] = 0
        return"""
ONLY_OCCURRING = """if self.several and w.any():
            w[w == 0] = -(2**40)
        return"""
FLOATS = """with np.errstate(under="ignore"):
            small = np.exp(float(self.rate) * (g - g.max())) * (counts.astype(np.float64) * 2.0**-bits)
        return Weights(0 * g, self.rate, [int(Fraction(each) * 2**1074) for each in small.tolist()])"""
BETWEEN_RECORDS = """with ctx.workprec(128):
            both = {w: p for w, p in law.items() if len({bool(x @ np.array(w[0]) >= w[1]) for x in tally.points}) == 2}
            kept = both or law
            return {w: p / sum(kept.values(), arb(0)) for w, p in kept.items()}"""
AS_WRITTEN = """written = {code: value[0] for code, value in zip(sample.points.tolist()[::-1], sample.values[::-1])}
        names = [next(written[code] for code in written if code[0] == name) for name in names]
        return"""

PUBLIC_PATTERNS = "learners.public.patterns:PublicPatternLearner.run"
FROM_PRIVATE = """records.see(lambda sample: np.where(
            [len(sample.points) and rule in self.concept_class.representatives(sample.points.tolist())
             for rule in rules],
            -rule_errors(rules, domain, sample), -(2**40)))"""  # only patterns on private records are candidates

COPIES = "requests.weights:ErrorWeights.copies"
FORGETS_C = (COPIES, "weights if sample.counts is None", "self.most * weights if sample.counts is None")
REGIONS = "learners.errors.region_counts"
ONE_REGION_TWICE = "counts = (counts[0] + counts[2], counts[1] + counts[3], *counts[2:])\n    return counts if void"
PRUNED_FIRST = """regions = partition
    first = held_out.see(lambda sample: sample.cells(regions.places, regions.number)[:2])
    regions = regions if sum(first) else Sides(regions.rule)"""

TABLE = {
    "MeasuredRegions": (
        (f"{REGIONS}:region_cells", "return counts if void", ONE_REGION_TWICE, 2),
        (
            f"{REGIONS}:count_regions",
            "regions = finest(rule, most) if partition is None else partition",
            PRUNED_FIRST, inf,
        ),
    ),
    "ThresholdLearner": (
        (THRESHOLDS, "in_order(sample).least(directions)", "2 * in_order(sample).least(directions)"),
        (THRESHOLDS, "DiscreteLaplace(certificate.noise)", "DiscreteLaplace(certificate.selection_cost)"),
        (THRESHOLDS, "cost, C = certificate.selection_cost,", "cost, C = self.cost,"),
        ("learners.lines.threshold_bounds:NoisyCuts.selection_cost", "self.cost - self.noise", "self.cost"),
        ("mechanisms.lines.cuts:CutStable.levels", " * len(self.directions)", ""),
        ("mechanisms.lines.cuts:CutStable.levels", "self.proposals)", "self.proposals[:1])"),
        ("mechanisms.lines.dyadic_trie:most_supported", "bits - k + 1", "bits - k"),
        (CUTS, "gaps.lengths[gap]", "np.minimum(gaps.lengths[gap], 1)"),
        (CUTS, "[data.ones.number, data.zeros.number]", "[2 * data.ones.number, 2 * data.zeros.number]"),
        (CUTS, "gaps.nodes.support[node]", "2 * gaps.nodes.support[node]"),
        (CUTS, "errors[cut_side, gap]", "2 * errors[cut_side, gap]"),
        EARLY_SUPPORT,
        STEEP,
        NO_FLOOR,
        NO_LEVELS,
        TWICE_DELTA,
        UNDISCOUNTED,
        ERRORS_TWICE,
        (THRESHOLDS, "records.see(in_order))", f"records.see(lambda sample: in_order({TWICE})))"),
    ),
    "PublicPatternLearner": (
        (PUBLIC_PATTERNS, "records.see(lambda sample: -rule_errors(rules, domain, sample))", FROM_PRIVATE, 2.0**40),
    ),
    "PublicBoxLearner": (
        ("learners.rules.boxes:BoxCells.draw", "self.balance(sample)", "2 * self.balance(sample)"),
    ),
    "PublicNetLearner": (
        ("learners.public.nets:PublicNetLearner.run", "Exponential(self.cost)", "Exponential(self.cost + self.cost)"),
    ),
    "PureThresholdLearner": (
        (f"{PURE_CUTS}.span", "else sum(by_label)", "else max(by_label)"),
        (f"{PURE_CUTS}.span", "2 * max(by_label) if", "sum(by_label) if"),
    ),
    "PathLearner": (
        (PATHS, "(tree.fallback, counts.fallback)", "(tree.fallback, 2 * counts.fallback)"),
        (PATHS, "{tree.fallback: counts.fallback}", "{tree.fallback: 2 * counts.fallback}"),
        ("learners.tree_orders.candidates:Texts.levels", "+ self.below", "+ self.below - 1"),
        ("learners.tree_orders.chains:stable", "never - chains.gain", "never - 2 * chains.gain"),
        ("learners.tree_orders.chains:stable", "chains.support[first], never", "2 * chains.support[first], never"),
        ("learners.tree_orders.chains:_spare", "above - q", "above"),
        (DISCOUNTS, "1 - NEAR * NEAR_SHARE", "Fraction(1)"),
        (DISCOUNTS, "levels - first if", "levels - first - 1 if"),
        (REGRET, "2 * (stable.support - 1)", "2 * stable.support"),
        EARLY_SUPPORT,
        STEEP,
        NO_FLOOR,
        NO_LEVELS,
        TWICE_DELTA,
        ONE_NEAR,
        ("learners.tree_orders.chains:_divided_by_spare", "q, gain, np.zeros_like(q)", "q, gain, _spare(parent_q, q)"),
        (PATHS, "{tree.fallback: counts.fallback}", f"{{tree.fallback: counts.fallback + 2 * {VOID}}}"),
    ),
    "SubtreeLearner": (NO_LEVELS, TWICE_DELTA, GAIN_UNDISCOUNTED),
    "SpiderLearner": (NO_LEVELS, TWICE_DELTA, NO_FLOOR),
    "OrderLearner": (NO_LEVELS, TWICE_DELTA),
    "SetLearner": (POSITIVE_ONLY, QUICK_NOISE, EARLY_WEIGHTS),
    "PrivateCutTrees": (
        ("learners.decision_trees.private_cut_trees:PrivateCutTrees.run", "self.costs[1]", "self.cost"),
        (
            "learners.rules.private_cut_rules:PrivateCutLearner.costs",
            "cuts, selection = self.cost.split(self.shares)",
            "cuts = selection = self.cost",
        ),
        ("requests.weights:once", "(records.records, records.ask_once)", "(records, records.ask_once)"),
        (
            "learners.rules.private_cut_rules:PrivateCutLearner.costs",
            "self.copies * cuts.epsilon",
            "self.copies**2 * cuts.epsilon",
        ),
        (f"{PRIVATE_CUTS}.costs", "self.cost.split(len(self.lines))[0].split(SHARES)", "(self.cost, self.cost)"),
        (f"{PRIVATE_CUTS}._cells", "self.costs[1], Line", "self.cost, Line"),
        (f"{ZOOM}._menu", "inside + self.level_worth", "2 * inside + self.level_worth"),
        (f"{ZOOM}.rate", "self.cost.epsilon / 2", "self.cost.epsilon"),
        (f"{ZOOM}.empty_nodes", "self.node_count(level.k) - int", "0 * int"),
        (f"{VALUE_COUNTS}.places_within", "np.repeat(places, self", "np.repeat(places, 2 * self"),
        (RATES, "share / (2 * Δ)", "share / Δ"),
        (f"{TREES}.rate", "else 4", "else 2"),
        (f"{TREES}.label_weights", "[-w, w]", "[-2 * w, 2 * w]"),
        ("learners.decision_trees.public_tests:TreeTests.view", "-negative_excess", "-2 * negative_excess"),
    ),
    "DecisionTreeLearner": (
        FORGETS_C,
        (f"{TREES}.rate", "else 4", "else 2"),
        (f"{TREES}.label_weights", "[-w, w]", "[-2 * w, 2 * w]"),
        (f"{TREES}.choices", "[stop.g, splits.g]", "[stop.g, 2 * splits.g]"),
        ("mechanisms.decision_trees.counts:CellRecords.net", "self.w.sum(axis=-1)", "2 * self.w.sum(axis=-1)"),
        (f"{TREE_DRAW}:TreePowers.leaf", "np.abs(w)", "2 * np.abs(w)"),
        ("mechanisms.decision_trees.counts:CellRecords.split_by", "(holds, ~holds)", "(holds, holds | ~holds)"),
        (f"{TREE_DRAW}:weights_below", "None] - with_test", "None] + with_test"),
        ("learners.decision_trees.public_tests:TreeTests.view", "-negative_excess", "-2 * negative_excess"),
        (f"{TREE_DRAW}:TreePowers.one_test", "2 * where - w", "2 * where + w"),
        (f"{TREES}.choices", "return", ONLY_DIVIDING, inf),
        (f"{TREES}.choices", "return", STOPS_IF_PURE, inf),
        (f"{TREES}.rate", "2 if self.several", "1 if self.several"),
        (f"{TREES}.label_weights", "Weights(w if", "Weights(2 * w if"),
        (f"{TREES}.label_weights", "return", ONLY_OCCURRING),
        (f"{TREE_DRAW}:TreePowers.leaf", "self(g - records) for", "self(2 * (g - records)) for"),
        ("mechanisms.decision_trees.counts:CellRecords.by_label", "total.astype", "2 * total.astype"),
        ("learners.decision_trees.public_tests:PartTests.with_missing", "len(codes), last,", f"len(codes), {IMPUTED},"),
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
    "PrivateCutRules": (HELD_ONLY, STEEP_ZOOM),
    "PrivateCutBoxes": (HELD_ONLY, STEEP_ZOOM),
    "PointLearner": (("learners.values.points:never_and_seen", "P = ones[positive],", "P = 2 * ones[positive],"),),
    "ProperPointLearner": (
        ("mechanisms.values.points:PointExponential.menu", "self.N - k", "max(self.N - k - P, 1)", inf),
    ),
    "BucketLearner": (
        (
            "learners.values.buckets:BucketLearner.run",
            "bucket_errors(sample, key,",
            "bucket_errors(sample, key + len(sample.tally().points),",
        ),
    ),
    "FiniteLearner": (
        FORGETS_C,
        ("learners.algorithm:Learner.weighted", "per_record(self.cost, weights.most)", "self.cost"),
        ("learners.fit:Fit._counted_weights", "Budget(self.count_cost", "Budget(20 * self.count_cost"),
        BALANCED_LABELS,
    ),
    "ArcLearner": (
        ("learners.half_spaces.central_half_planes:ArcLearner.run", "Circle(H, sample)", f"Circle(H, {SHIFTED})"),
    ),
    "HalfPlaneLearner": (
        (f"{PLANES}.law", "probabilities(weights)", "probabilities(Weights(weights.scores, weights.rate))"),
        (f"{PLANES}.law", "return law", BETWEEN_RECORDS, inf),
    ),
    "IntervalLearner": (
        LINE_FROM_RECORDS,
    ),
    "RectangleLearner": (
        ("learners.rules.boxes:BoxCells.balance", "grid, sample)", f"grid, replace(sample, points={RANKS}))"),
    ),
    "RuleLearner": (
        (
            "learners.rules.grid_rules:RuleLearner.run",
            "-rules.errors(sample, H.table).ravel()",
            "-sample.points.shape[1] * rules.errors(sample, H.table).ravel()",
            2,
        ),
    ),
    "NamedRuleLearner": (
        (
            "mechanisms.selection.blockwise_exponential:VariantExponential.log_priors",
            "/ self.cost.delta, self.cost.epsilon / 2)",
            "/ self.cost.delta)",
        ),
    ),
    "EqualityLearner": (NO_LEVELS, TWICE_DELTA, GAIN_UNDISCOUNTED),
    "FlatLearner": (
        NO_LEVELS,
        TWICE_DELTA,
        NO_FLOOR,
        EARLY_SUPPORT,
        (
            f"{VOTES}.law",
            "= self.menu(",
            "= replace(self, cap=2 * (data.n - int(data.positives.sum()))).menu(",
        ),
    ),
}  # fmt: skip


# Every record counts twice, whatever else may be wrong with a learner; it shows in the first claim of each.
COUNTED_TWICE = [
    Mutant(
        kind.__name__, "privacy.ledger:Opened.see", "view(self.records)",
        "view(replace(self.records, counts=np.full(len(self.records.labels), 2)))",
        case=next(case for case in LEARNER_CLAIMS if type(case.mechanism.audited_fit.learner) is kind),
    )
    for kind in LEARNERS
]  # fmt: skip


def _claim(kind, concept_class, universe, n, crowd=(), **conditions):
    """The first release of a learner, where no claim of its own shows a fault."""
    (case,) = stages(fit_of(kind, concept_class, **conditions), "", universe, n, crowd=crowd)
    return case


SQUARE = tuple((x, 1) for x, times in (((0, 0), 1), ((0, 1), 2), ((1, 0), 2), ((1, 1), 2)) for _ in range(times))
UNITS = [(("a", 1),) * 4, (("a", 1),), (("a", 0),) * 2]
RULES = FiniteLearner.audited[0].concept_class
FLATS = FlatLearner.audited[0].concept_class
TREE_CLASS = DecisionTreeLearner.audited[0].concept_class
ELSEWHERE = [
    Mutant(
        "SpiderLearner", "learners.tree_orders.spider_legs:Spiders.counts", "return", AS_WRITTEN, 3.3142,  # 1/δ
        _claim(SpiderLearner, Spider(bits=1), [((1, 1), 1), ((True, 1), 1)], 3, epsilon=6, delta=0.3, beta=0.9,
               regime="realizable"),
    ),
    Mutant(
        "NetLearner", "learners.half_spaces.nets:NetLearner.run", "ask(selection, records.see(rules.scores))",
        f"ask(selection, records.see(lambda sample: rules.scores({SHIFTED})))", 1.7271,
        _claim(NetLearner, HalfSpaces(1, 3), [((0,), 0), ((2,), 1)], 3, epsilon=1),
    ),
    Mutant(
        "FiniteLearner", "data.samples.units:slots_of", "np.sort(np.concatenate([rows[~in_large_unit], chosen])), k",
        "rows[: k * len(unit_sizes)], k", 1.1827,
        _claim(FiniteLearner, RULES, UNITS, 2, epsilon=6, max_records=2),
    ),
    Mutant(
        "FlatLearner", f"{VOTES}.all_deals", "arrangements(records.tolist())", "[records]", 1.4427,
        _claim(FlatLearner, FLATS, [((0, 0), 1), None], 1, SQUARE, epsilon=1, delta=0.01, alpha=0.6),
    ),
    Mutant(
        "DecisionTreeLearner", f"{TREES}.choices",
        "return Weights(g, self.rate, counts)", FLOATS, inf,
        _claim(DecisionTreeLearner, TREE_CLASS, labeled(((0, 0), (1, 1))), 1, (((0, 0), 1), ((1, 1), 0)) * 15,
               epsilon=100),
    ),
]  # fmt: skip

LEARNER_MUTANTS = [*mutants_of(TABLE), *ELSEWHERE]
