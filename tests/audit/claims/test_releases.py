"""Claims of releases are almost reached, and the tests of the catalogue audit all of them."""

from privpac.audit.claims.mechanisms import CATALOGUE
from privpac.audit.claims.releases import in_order, release_cases, split_tree_cases, two_paths
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.privacy.budget import Budget


def test_every_claim_of_a_release_is_in_the_catalogue_whose_tests_audit_it():
    def described(cases):
        return {(case.name, case.about, case.n, case.claimed) for case in cases}

    assert len(described(release_cases())) > 30
    assert described(release_cases()) <= described(CATALOGUE)


def test_all_claims_of_split_trees_are_almost_reached():
    for case in split_tree_cases():
        assert 0.98 < case.exact().share <= 1


def test_a_crowd_on_two_paths():
    tree = SplitTree(Budget(1), next(split_tree_cases()).mechanism.tree, 3, 4, 2)
    assert two_paths(tree) == (4,) * 9 + (0,) * 19
    assert in_order(two_paths(tree)).below(tree.tree.numbers([4])).tolist() == [19]
