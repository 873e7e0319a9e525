"""Mutants that the audit of a mechanism refutes; those that show only in a learner are in ``learner_mutants``."""

from math import inf

from tests.audit.mutants import mutants_of

STABLE = "mechanisms.selection.public_stable:PublicStableExponential.menu"
LEVELLED = "mechanisms.selection.public_stable:Leveled.log_discounts"
DISCOUNTED = "mechanisms.selection.public_stable:DiscountedExponential.menu"
SPARSE = "mechanisms.selection.exponential:SparseExponential"
FLIPS = "mechanisms.selection.permute_and_flip:PermuteAndFlip.law"
REGRET = "mechanisms.selection.regret:RegretExponential.menu"
DISCOUNTS = "mechanisms.selection.regret:Discounts.of"
DYADIC = "mechanisms.quantiles.one_quantile:QuantileDyadic.menu"
QUANTILE = "mechanisms.quantiles.one_quantile:QuantileExponential.menu"
SEPARATE = "mechanisms.quantiles.several_quantiles:SeparateQuantiles.parts"
RATES = "mechanisms.quantiles.several_quantiles:QuantileTree.rates"
JOINT = "mechanisms.quantiles.joint_quantiles"
CUT_MENU = "mechanisms.quantiles.several_quantiles:cut_menu"
NOISY = "mechanisms.histograms.stability:NoisyIntegers"
LAPLACE_TAIL = "mechanisms.noise.laplace:laplace_rarely_reached"
SIGNED = "mechanisms.histograms.stability:SignedHistogram.check"
TRIE = "mechanisms.histograms.pruned_trie:PrunedTrie"
ZOOM = "mechanisms.lines.zoom:Zoom"
PAIR_WEIGHTS = "mechanisms.decision_trees.pairs:pair_weights"
BOOSTED = "mechanisms.decision_trees.boosting:BoostedVotes.gains"

# Faults of public-stable selection itself, which also show in mechanisms and learners that select by it.
LATE = (STABLE, "correct <= bound", "correct <= bound + 1")
EARLY_SUPPORT = (STABLE, "stable.support - 1, C", "stable.support, C")
STEEP = (STABLE, "rate, C = self.cost.epsilon / 2,", "rate, C = self.cost.epsilon,")
NO_FLOOR = (STABLE, "np.maximum(0, C - fallback_errors)", "C - fallback_errors")
NO_LEVELS = (LEVELLED, "odds * self.levels", "odds")
TWICE_DELTA = (LEVELLED, "(fallbacks * self.cost.delta)", "(2 * fallbacks * self.cost.delta)")
UNDISCOUNTED = (STABLE, "np.where(by_support, -λ, 0.0)", "0 * λ")
ERRORS_TWICE = (STABLE, "C - stable.errors", "C - 2 * stable.errors")
GAIN_UNDISCOUNTED = (DISCOUNTED, "-stable.errors - 1", "-stable.errors")
ONE_NEAR = (DISCOUNTS, "least(NEAR_SHARE) if", "least(2 * NEAR_SHARE) if")
# Faults of signed histograms and of zoom.
QUICK_NOISE = (f"{NOISY}.rate", "self.cost.epsilon / 2", "self.cost.epsilon")
EARLY_WEIGHTS = (f"{NOISY}.least", "1 + laplace", "laplace")
POSITIVE_ONLY = (SIGNED, "data.ones > 0", "data.ones > data.zeros")
STEEP_ZOOM = (f"{ZOOM}.rate", "self.cost.epsilon / 2", "self.cost.epsilon")
HELD_ONLY = (f"{ZOOM}.empty_nodes", "return", "return 0 if level.inside.any() else")

FIRST_IN_LIST = """with ctx.workprec(PRECISION):
            law, left = {}, arb(1)
            for i, gap in enumerate(gaps):
                law[i], left = left * x[gap].exp(), left * -x[gap].expm1()
        return law"""
RECORDS_ENDS = """ends = node << level.k, min(node + 2 << level.k, self.size)
            inside_it = [value for value in data.values.tolist() if ends[0] <= value < ends[1]]
            return (min(inside_it), max(inside_it) + 1) if inside_it else ends"""
RANGE_OF_RECORDS = (
    f"{ZOOM}._menu", "return node << level.k, min(node + 2 << level.k, self.size)", RECORDS_ENDS, inf
)  # fmt: skip
GAIN = "2 * self.inside(data, g, allowed).astype(np.int64) - int(g.sum())"
ADDING_UP_TO_N = f"""weight = ones * w[self.rounds + total] + zeros * w[self.rounds - total]
        return ({GAIN}) * data.size * FULL // max(int(weight.sum()), 1)"""
MERGED_BY_SPLITS = (
    "learners.grids.private_cuts:PrivateCuts._cells",
    "cuts = {low, stop, *(low + q + i for q in answers for i in (0, 1))}",
    """values = records.see(lambda sample: np.sort(self.read(sample)[number]))
        split = {int(np.searchsorted(values, low + q + i)): low + q + i for q in answers for i in (0, 1)}
        cuts = {low, stop, *split.values()}""",
    inf,
)

TABLE = {
    "dyadic quantile": (
        (DYADIC, "max(bits(size), 1)", "1"),
        (DYADIC, "np.maximum(table.below, table.above), table", "2 * np.maximum(table.below, table.above), table"),
        (DYADIC, "table.lengths, -log", "np.minimum(table.lengths, 1), -log"),
        (DYADIC, "[entry.weight for", "[2 * entry.weight for"),
        (DYADIC, "min(self.window, len(data))", "min(self.window, len(np.unique(data)))"),
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
        (QUANTILE, "rate, lengths)", "rate, np.minimum(lengths, 1))"),
        (QUANTILE, "table.above - (n - at_least)", "2 * table.above - n"),
        (SEPARATE, "self.cost.split(len(self.taus))", "self.cost.split(1) * len(self.taus)"),
        (DYADIC, "np.maximum(table.below, table.above), table", "2 * np.maximum(table.below, table.above), table"),
        STEEP,
    ),
    "quantile tree": (
        (RATES, "level[-2:]", "level[-1:]"),
        (RATES, "share / (2 * Δ)", "share / Δ"),
        (RATES, "max(Fraction(1), sum(level[-2:], Fraction(0)))", "sum(level[-2:], Fraction(0))"),
        (RATES, "max(v.tau, 1 - v.tau)", "min(v.tau, 1 - v.tau)"),
        (RATES, "self.cost.split([self.growth**d for d in depths])", "[self.cost for d in depths]"),
        (CUT_MENU, "-abs(rank", "-2 * abs(rank"),
        (CUT_MENU, "b - a for", "min(b - a, 1) for"),
        (CUT_MENU, "rate / τ.denominator", "rate / (τ.denominator - 1)"),
        (CUT_MENU, "rank * τ.denominator", "2 * rank * τ.denominator"),
    ),
    "joint quantiles": (
        (f"{JOINT}:JointQuantiles.rate", "(self.cost.epsilon - ROUNDING) / 4", "(self.cost.epsilon - ROUNDING) / 2"),
        (f"{JOINT}:JointQuantiles._by_run", ".raised(gain)", ".raised(3 * gain)"),
        (f"{JOINT}:JointQuantiles._gaps", "F.raised(-np.abs(stop", "F.raised(-2 * np.abs(stop"),
        (f"{JOINT}:_ways", "(sizes + small_gaps", "(np.minimum(sizes, 1) + small_gaps"),
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
        # The discount counts steps of e^(1/2), and the draw takes steps of 1.5.
        (STABLE, "np.where(by_support, -λ, 0.0)", "np.where(by_support, -0.81093 * λ, 0.0)"),
        (LEVELLED, "odds * self.levels", "odds * max(self.levels - 1, 1)"),  # The root's level is not counted.
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
        (f"{NOISY}.least", "1 + laplace", "laplace"),
        (f"{NOISY}.least", "self.cost.delta", "2 * self.cost.delta"),
        (LAPLACE_TAIL, "(1 + (-ball(x)).exp()).log()", "2 * (1 + (-ball(x)).exp()).log()"),
        (LAPLACE_TAIL, "/ -ball(x)", "/ (-2 * ball(x))"),
        (f"{NOISY}.large_counts_law", "key, count, self", "key, 2 * count, self"),
        (SIGNED, "data.ones > 0", "data.ones > data.zeros"),
        (SIGNED, "(data.ones - data.zeros)", "(2 * data.ones - data.zeros)"),
        (SIGNED, "(data.ones - data.zeros)", "(data.ones - 2 * data.zeros)"),
        (SIGNED, "data.ones > 0", "data.ones == data.ones.max()"),
    ),
    "permute-and-flip": (
        (FLIPS, "return {i: chance[gap] for i, gap in enumerate(gaps)}", FIRST_IN_LIST, inf),
    ),
    "sparse exponential": (
        (f"{SPARSE}.log_nothing", "self.k * (1 - δ)", "(1 - δ)"),
        (f"{SPARSE}.menu", "np.concatenate([[0], support])", "np.concatenate([[0], 2 * support])"),
    ),
    "discounted exponential": (GAIN_UNDISCOUNTED,),
    "above threshold": (
        (
            "mechanisms.noise.laplace:AboveThreshold.law",
            "values, ε = self.check(data).tolist(), self.cost.epsilon",
            "values, ε = self.check(data).tolist(), 2 * self.cost.epsilon",
        ),
    ),
    "truncated histogram": (
        ("mechanisms.histograms.truncated:TruncatedHistogram.law", "keys = self.most,", "keys = self.most - 1,"),
    ),
    "pruned trie": (
        (
            f"{TRIE}.law",
            "return {frozenset[tuple[PathNode, int]](): 1 - at_least(self.least - counts[v])} | law",
            "return {shown: (1 - at_least(self.least - counts[v])) * q for shown, q in law_below} | law",
        ),
        (f"{TRIE}.least", "1 + rarely_reached", "rarely_reached"),
        (f"{TRIE}.variance", "2 * self.height", "self.height"),
    ),
    "zoom": (
        HELD_ONLY,
        STEEP_ZOOM,
        RANGE_OF_RECORDS,
    ),
    "exponential over votes": (
        (
            "mechanisms.decision_trees.boosting:margin_weights",
            "[FULL] * (t + 1) + falling",
            "[FULL**2 // each for each in falling[::-1]] + [FULL] + falling",
        ),
        (BOOSTED, f"return {GAIN}", ADDING_UP_TO_N),
        (PAIR_WEIGHTS, "first + second - 2 * both", "first + second"),  # a record that passes both tests counts twice
        (PAIR_WEIGHTS, "first - second + both", "first - second"),
    ),
    "private cuts and a rule": (
        MERGED_BY_SPLITS,
        (
            "learners.grids.private_cuts:PrivateCuts.costs",
            "self.cost.split(len(self.lines))[0].split(SHARES)",
            "(self.cost, self.cost)",
        ),
    ),
}  # fmt: skip
MECHANISM_MUTANTS = mutants_of(TABLE)
