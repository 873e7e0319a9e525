"""Every pair of neighbors over a small universe, for learners whose subsets vote: each pair of vote counts once."""

from itertools import product

from privpac.audit.exact_divergence import Worst, worst
from privpac.audit.neighbors import neighbor_pairs
from privpac.mechanisms.algorithm import law_of
from privpac.papers.yan25.improper import Partition


def in_order(partition):
    """The deal that puts the first records into the first part, and so on: the law of the learner is a mixture."""
    return tuple(part for part, size in enumerate(partition.sizes) for _ in range(size))


def dealt(learner, examples):
    """The law of what is chosen given that deal: ⊥ is told apart from the public hypothesis that stands for it."""

    def chosen(ask):
        answers = []

        def deal_or_ask(mechanism, seen):
            if isinstance(mechanism, Partition):
                return in_order(mechanism)
            answers.append(ask(mechanism, seen))
            return answers[-1]

        learner.run(examples, deal_or_ask)
        return tuple(answers)

    return law_of(chosen)


def votes(learner, examples):
    """What the choice sees. Samples with the same votes have the same law."""
    seen = []

    def ask(mechanism, data):
        if isinstance(mechanism, Partition):
            return in_order(mechanism)
        seen.append(frozenset(data.items()))
        return None

    learner.run(examples, ask)
    return seen[0]


def audited(learner, points, n) -> Worst:
    """The worst of all neighbors among the ordered samples of n records; pairs with equal votes are looked at once."""
    universe = list(product(points, (False, True)))
    seen = {S: votes(learner, S) for S in product(universe, repeat=n)}
    first = {}
    for S, v in seen.items():
        first.setdefault(v, S)
    pairs = {(first[seen[S]], first[seen[T]]) for S, T in neighbor_pairs(universe, n, ordered=True)}
    return worst(lambda S: dealt(learner, S), {pair for pair in pairs if pair[0] != pair[1]}, learner.cost)
