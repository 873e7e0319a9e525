"""Releases of code trees: answers, gaps over all queries, certificates, tables, synthetic codes, files, bad input."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

import privpac as pp
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Constant
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import next_request
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie
from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Opened, Sealed
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.code_trees.forest import Forest, within_parents
from privpac.release.code_trees.sanitizer import CodeTreeSanitizer
from privpac.release.private_release import PrivateRelease
from privpac.release.release import Release
from privpac.requests.conditions import Terms
from tests.release.samples import assert_is_the_gap

PARENTS = {"J10": "J", "J11": "J", "J": "ICD", "K": "ICD", "K20": "K", "J101": "J10"}
FOLDERS = ["/usr/lib", "/usr", "/", "/var/log/x", "/usr/lib/x"]
TREES = {
    "prefixes": (pp.StartsWith(height=4), ["aab", "aa", "b", "", "abba", "ba"]),
    "prefixes of paths": (pp.StartsWith("/", height=3), FOLDERS),
    "suffixes": (pp.EndsWith(height=4), ["baa", "aa", "b", "", "abba", "ab"]),
    "root paths": (pp.RootPaths("/", height=4), FOLDERS),
    "any root paths": (pp.RootPaths(None), ["aab", "aa", "b", "", "abba", "ba"]),
    "subtrees": (pp.Taxonomy(PARENTS, kind="subtree"), ["J10", "J101", "K", "ICD", "J11", "K20"]),
    "names above": (pp.Taxonomy(PARENTS), ["J10", "J101", "K", "ICD", "J11", "K20"]),
    "declared prefixes": (pp.StartsWith().among(("a", "aa", "ab", "ba")), ["aab", "aa", "b", "", "abba", "ba"]),
    "declared suffixes": (pp.EndsWith().among(("a", "aa", "ba", "ab")), ["baa", "aa", "b", "", "abba", "ab"]),
    "declared root paths": (pp.RootPaths("/").among(("/usr/lib", "/var")), FOLDERS),
}
COST = Budget(4, "0.01")


def sample_of(tree, values, counts=None):
    counts = None if counts is None else np.array(counts)
    n = len(values) if counts is None else int(counts.sum())
    return Sample(tree.encode(values), np.ones(len(values), dtype=bool), counts, n, objects(values))


def released(tree, sample, cost=COST, **terms):
    sanitizer = CodeTreeSanitizer.for_class(tree, Terms(cost, **terms))
    return sanitizer.run(Sealed(sample, sample.size), Ledger(cost).spend)


def queries_of(tree, values):
    """Rules with every pattern on these values, and on all prefixes of them."""
    nodes = list(dict.fromkeys(tree.encode(values).tolist()))
    domain = tree.domain
    if isinstance(domain, pp.Taxonomy) or hasattr(domain, "names"):
        return [tree.hypothesis(name) for name in domain.names]
    if hasattr(tree, "concepts"):
        return list(tree.concepts)
    every = {v[:l] for v in nodes for l in range(len(v) + 1)}
    other = ("zz",) if isinstance(nodes[0], tuple) else "z"
    return [tree.hypothesis(v) for v in [*sorted(every), other]]


def largest_gap(answers, tree, sample, more=()):
    values = list(sample.values)
    counts = np.ones(len(values), dtype=np.int64) if sample.counts is None else sample.counts
    asked_for = queries_of(tree, [*values, *more])
    return max(abs(answers.count(query) - int(counts[query(values)].sum())) for query in asked_for)


@pytest.mark.parametrize("name", TREES)
def test_the_gap_is_that_of_all_queries(name):
    """Of answers to the same records, and of answers to quite different ones."""
    tree, values = TREES[name]
    rng = np.random.default_rng(3)
    for _ in range(6):
        one, other = (sample_of(tree, values, rng.integers(1, 60, len(values))) for _ in range(2))
        answers = released(tree, one)
        shown = [tree.domain.decode(v) for v in answers.nodes] if not hasattr(tree.domain, "names") else []
        for sample in (one, other, sample_of(tree, values[:2])):
            assert answers.gap(sample) == largest_gap(answers, tree, sample, shown)


@pytest.mark.parametrize("name", TREES)
def test_one_record_moves_the_gap_by_at_most_one(name):
    tree, values = TREES[name]
    rng = np.random.default_rng(4)
    records = rng.choice(len(values), 60).tolist()
    answers = released(tree, sample_of(tree, [values[i] for i in records]))
    before = answers.gap(sample_of(tree, [values[i] for i in records]))
    moved = {
        answers.gap(sample_of(tree, [values[i] for i in (*records[:j], k, *records[j + 1 :])])) - before
        for j, k in product(range(0, 60, 7), range(len(values)))
    }
    assert moved <= {-1, 0, 1} and len(moved) > 1


@pytest.mark.parametrize("name", TREES)
def test_files_tables_and_synthetic_codes(name):
    tree, values = TREES[name]
    X = objects(values * 200)
    release = PrivateRelease(tree, epsilon=4, delta="1e-6").fit(X).release_
    again = Release.from_json(release.to_json())
    assert again == release
    some = queries_of(tree, values)
    assert again.answers(some) == release.answers(some)
    table = release.counts()
    (title, shown), (records, numbers) = table.items()
    assert records == "records" and len(shown) == len(numbers) and all(0 <= c <= release.n for c in numbers)
    drawn = release.synthetic(500, rng=1)
    ((_, codes),) = drawn.items()
    again = sample_of(tree, codes)
    assert again.size == 500
    off = max(abs(int(q(codes).sum()) / 500 - float(q(values).sum()) / len(values)) for q in some)
    assert off < 0.2 or title == "value"


def test_prefixes_are_shown_as_an_indented_tree():
    release = PrivateRelease(pp.StartsWith(height=2), epsilon=50, delta="1e-6").fit(objects(["ab"] * 600 + ["c"] * 400))
    table = release.counts()
    assert table["prefix"] == ["", "  a", "    ab", "  c"]
    assert table["records"][0] == 1000
    assert np.abs(np.array(table["records"]) - [1000, 600, 600, 400]).max() < 20


def test_the_mechanisms_are_the_proved_ones():
    terms, pure = Terms(COST), Budget(COST.epsilon)
    expected = {
        "prefixes": PrunedTrie(COST, 4),
        "prefixes of paths": PrunedTrie(COST, 3),
        "suffixes": PrunedTrie(COST, 4),
        "root paths": PrunedTrie(COST, 1),
        "any root paths": PrunedTrie(COST, 1),
        "subtrees": DiscreteLaplaces(pure, 6),
        "names above": DiscreteLaplaces(pure, 2),
        "declared prefixes": DiscreteLaplaces(pure, 4),
        "declared suffixes": DiscreteLaplaces(pure, 4),
        "declared root paths": DiscreteLaplaces(pure, 2),
    }
    deep = pp.StartsWith().among(tuple("a" * k for k in range(1, 41)))
    assert CodeTreeSanitizer.for_class(deep, terms).mechanism == GaussianCounts(COST, 80)
    assert CodeTreeSanitizer.for_class(deep, Terms(pure)).mechanism == DiscreteLaplaces(pure, 80)
    for name, (tree, _) in TREES.items():
        assert CodeTreeSanitizer.for_class(tree, terms).mechanism == expected[name], name
    void = Terms(COST, on_invalid="default")
    assert CodeTreeSanitizer.for_class(pp.StartsWith("/", height=3), void).mechanism == PrunedTrie(COST, 3, ())


@pytest.mark.parametrize("name", [name for name in TREES if name.startswith(("sub", "names", "declared"))])
def test_a_substitution_changes_what_noise_is_made_for(name):
    """At most as many counts as the mechanism is told, by 1 each."""
    tree, values = TREES[name]
    sanitizer = CodeTreeSanitizer.for_class(tree, Terms(COST, on_invalid="default"))
    most = 0
    for a, b in product(values, repeat=2):
        seen = [
            next_request(
                lambda ask, x=x: sanitizer.run(Opened(sample_of(tree, [*values, x]), len(values) + 1), ask)
            ).data
            for x in (a, b)
        ]
        change = seen[0] - seen[1]
        assert np.abs(change).max() <= 1
        most = max(most, int(np.abs(change).sum()))
    assert most <= sanitizer.mechanism.sensitivity < most + 3


@pytest.mark.parametrize("name", ["subtrees", "names above", "declared prefixes"])
def test_declared_trees_need_no_delta(name):
    tree, values = TREES[name]
    fit = PrivateRelease(tree, epsilon=4).fit(objects(values * 200))
    assert fit.privacy_ == Budget(4)
    truth = {query: float(query(values).mean()) for query in queries_of(tree, values)}
    assert all(abs(fit.answer(query) - share) < 0.1 for query, share in truth.items())


def test_void_records_count_in_n_only():
    codes = objects(["ab"] * 3000 + [None] * 1000 + ["a" * 9] * 1000)
    fit = PrivateRelease(pp.StartsWith(height=3), epsilon=4, delta="1e-6", on_invalid="default").fit(codes)
    assert fit.answer(Constant(True)) == pytest.approx(0.6, abs=0.02)
    assert fit.answer(HasPrefix("ab", None)) == pytest.approx(0.6, abs=0.02)
    clamped = PrivateRelease(pp.StartsWith(height=3), epsilon=4, delta="1e-6", on_invalid="clamp").fit(codes)
    assert clamped.answer(HasPrefix("aaa", None)) == pytest.approx(0.2, abs=0.02)


def test_columns_and_units():
    table = {"icd": ["J10"] * 400 + ["K20"] * 200, "patient": [i // 2 for i in range(600)]}
    codes = pp.StartsWith(height=3).on("icd")
    fit = PrivateRelease(codes, epsilon=8, delta="1e-6", max_records=2).fit(table, unit="patient")
    assert fit.answer(codes.hypothesis("J1")) == pytest.approx(2 / 3, abs=0.2)
    assert list(fit.counts()) == ["icd", "records"] and list(fit.synthetic(3)) == ["icd"]
    assert Release.from_json(fit.to_json()) == fit.release_
    with pytest.raises(ValueError, match="on the column icd"):
        fit.answer(HasPrefix("J", None))
    assert isinstance(codes.hypothesis("J1"), ColumnRule)


RUNS = 300


@pytest.mark.audit
@pytest.mark.parametrize("name", ["prefixes", "subtrees", "any root paths"])
def test_the_certificate_misses_with_probability_at_most_beta(name):
    """Fails by chance with probability 1e-7. Without its margin it would miss about half of the time."""
    tree, values = TREES[name]
    X = [values[i] for i in np.random.default_rng(9).choice(len(values), 400)]
    sample, missed, near = sample_of(tree, X), 0, 0
    algorithm = PrivateRelease(tree, epsilon=4, delta="1e-5", beta="0.1", certify="0.25").algorithm(400)
    for _ in range(RUNS):
        answers, bound = algorithm.run(Sealed(sample, 400), Ledger(algorithm.cost).spend)
        missed += answers.gap(sample) > bound
        near += answers.gap(sample) > bound - 3
    assert missed <= binom.isf(1e-7, RUNS, 0.1)
    assert near > binom.isf(1e-7, RUNS, 0.1)  # so a certificate that is 3 records too low would be caught


@pytest.mark.parametrize("name", TREES)
def test_the_gap_with_void_records(name):
    """All samples of two records, some of them void, against answers about others."""
    tree, values = TREES[name]
    answers = released(tree, sample_of(tree, values[:2]), Budget("0.5", "0.3"), on_invalid="default")
    shown = [tree.domain.decode(v) for v in answers.nodes] if not hasattr(tree.domain, "names") else []
    assert_is_the_gap(answers, tree.domain, [*values[:4], None], queries_of(tree, [*values, *shown]), 2)


@pytest.mark.parametrize("name", ["root paths", "declared root paths", "names above"])
def test_answers_about_paths_do_not_exceed_n(name):
    """Noise on each of several nodes adds up; a certificate is at most n, which bounds only errors of such answers."""
    tree, values = TREES[name]
    nodes = (
        tree.domain.names
        if name == "names above"
        else tuple(sorted({v[:l] for v in tree.encode(values).tolist() for l in range(4)}))
    )
    declared = tuple(sorted(tree.encode(tree.values).tolist())) if name.startswith("declared") else None
    shown = CodeCounts(3, tree.domain, "root_path", nodes, (3,) * len(nodes), declared)
    for sample in (sample_of(tree, [values[0]] * 3), sample_of(tree, values[1:4])):
        assert shown.gap(sample) == largest_gap(shown, tree, sample) <= 3
    assert max(map(shown.count, queries_of(tree, values))) == 3 and shown.answers_per_entry is None
    few = CodeCounts(3, tree.domain, "root_path", nodes, (1,) + (0,) * (len(nodes) - 1), declared)
    assert few.answers_per_entry == (None if declared else 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["declared root paths", "names above"])
def test_a_certificate_for_three_records_holds(name):
    """Noise much larger than n. Fails by chance with probability 1e-7; without the cap it misses half of the time."""
    tree, values = TREES[name]
    sample, missed = sample_of(tree, [values[2]] * 3), 0
    algorithm = PrivateRelease(tree, epsilon="0.25", certify="0.5").algorithm(3)
    for _ in range(RUNS):
        answers, bound = algorithm.run(Sealed(sample, 3), Ledger(algorithm.cost).spend)
        missed += largest_gap(answers, tree, sample) > bound
    assert missed <= binom.isf(1e-7, RUNS, 0.05)


def fitted(y, parents, n):
    """The constraints, and the nearest numbers that satisfy them, by a solver."""

    def room_of(p):
        return {"type": "ineq", "fun": lambda v: (n if p < 0 else v[p]) - v[parents == p].sum()}

    room = [room_of(p) for p in set(parents.tolist())]
    return room, minimize(lambda v: ((v - y) ** 2).sum(), 0.0 * y, bounds=[(0, None)] * len(y), constraints=room).x


class TestWithinParents:
    @pytest.mark.slow
    def test_it_is_the_least_squares_fit(self):
        """Of random forests, against a solver; both are rounded down or off by less than a record."""
        rng = np.random.default_rng(8)
        for _ in range(15):
            parents = np.array([int(rng.integers(-1, max(i, 0))) if i else -1 for i in range(7)])
            depth = np.zeros(7, dtype=np.int64)
            for i in range(7):
                depth[i] = depth[parents[i]] + 1 if parents[i] >= 0 else 0
            y, n = rng.integers(-9, 300, 7), 400
            x = within_parents(y, Forest(parents, depth), n)
            room, best = fitted(y.clip(0), parents, n)
            assert all(each["fun"](x) >= 0 for each in room) and (x >= 0).all()
            assert np.abs(x - best).max() < 6

    def test_a_chain_is_averaged(self):
        """Nodes with the same records: each of them measures all the others."""
        chain = Forest(np.arange(5) - 1, np.arange(5))
        root, *others = within_parents(np.array([100, 50, 60, 55, 65]), chain, 100).tolist()
        assert root == 100 and len(set(others)) == 1 and 57 <= others[0] <= 58

    def test_what_agrees_is_kept(self):
        trees = Forest(np.array([-1, 0, 1, 0, -1]), np.array([0, 1, 2, 1, 0]))
        numbers = np.array([50, 30, 30, 20, 7])
        assert within_parents(numbers, trees, 60).tolist() == numbers.tolist()
        assert within_parents(numbers, trees, 2**61).tolist() == numbers.tolist()
        assert within_parents(np.array([], dtype=np.int64), Forest(*np.zeros((2, 0), np.int64)), 9).tolist() == []


@pytest.mark.parametrize(
    ("tree", "given", "words"),
    [
        (pp.StartsWith(height=3), {"delta": 0}, "can be counted only with delta=1e-06"),
        (pp.RootPaths(), {"delta": 0}, "can be counted only with delta=1e-06"),
        (pp.StartsWith(), {}, "declare how many steps a code has"),
        (pp.EndsWith(height=2000), {}, "at most 1024, for example height=7"),
        (pp.StartsWith(height=1), {}, "deeper than height=1"),
    ],
)
def test_what_is_refused_before_anything_is_spent(tree, given, words):
    ledger = Ledger(Budget(1, "1e-6"))
    with pytest.raises(ValueError, match=words):
        PrivateRelease(tree, epsilon=1, **{"delta": "1e-6", "budget": ledger, **given}).fit(objects(["J10", "K"]))
    assert not ledger.entries


def test_queries_outside_the_class_are_refused():
    fit = PrivateRelease(pp.StartsWith(height=3), epsilon=1, delta="1e-6").fit(objects(["J10"] * 300))
    others = HasSuffix("J", None), OnPath("J", None), HasPrefix(("J",), "/"), Constant(False)
    for query in (HasPrefix("J101", None), *others):
        with pytest.raises(ValueError, match="this release answers queries about the nodes of its tree"):
            fit.answer(query)
    names = PrivateRelease(pp.Taxonomy(PARENTS), epsilon=1, delta="1e-6").fit(objects(["J10"] * 300))
    with pytest.raises(ValueError, match="nodes of its tree"):
        names.answer(pp.Taxonomy(PARENTS, kind="subtree").hypothesis("J"))
    few = PrivateRelease(pp.StartsWith().among(("a",)), epsilon=1, delta="1e-6").fit(objects(["a"] * 300))
    with pytest.raises(ValueError, match="declared values"):
        few.answer(HasPrefix("b", None))


@pytest.mark.parametrize("codes", [[""], ["", "x"], ["\U0001f600é", "\ud800"] * 300, ["a" * 1024] * 2, ["é"] * 500])
def test_strange_codes(codes):
    fit = PrivateRelease(pp.StartsWith(height=1024), epsilon=1, delta="1e-6").fit(objects(codes))
    assert fit.answer(Constant(True)) == 1
    assert Release.from_json(fit.to_json()) == fit.release_
    paths = PrivateRelease(pp.RootPaths(None), epsilon=1, delta="1e-6").fit(objects([*codes, "b" * 1000]))
    assert 0 <= paths.answer(OnPath("b" * 2000, None)) <= 1


def test_a_file_must_fit_together():
    with pytest.raises(ValueError, match="every node once"):
        CodeCounts(3, pp.StartsWith(height=2).domain, "subtree", ("", ""), (3, 3))
    with pytest.raises(ValueError, match="subtrees or root paths"):
        CodeCounts(3, pp.StartsWith(height=2).domain, "leaves", ("",), (3,)).count(Constant(True))
    assert SYSTEM.private
