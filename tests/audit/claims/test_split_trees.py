"""Broken split trees are refuted by about as much as theory says; the right one, in their place, is not."""

from dataclasses import replace

import pytest

from privpac.audit.claims.split_trees import in_order, split_tree_cases, two_paths
from privpac.audit.controls.releases import RELEASE_CONTROLS
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.privacy.budget import Budget

CONTROL = {control.about: control for control in RELEASE_CONTROLS}
RATIOS = {
    "a split tree: thresholds that do not grow": 1.38647,  # 3 of the 2.163 that are charged
    "a split tree: no floor": 1.38703,
    "a split tree: priced for records added or removed": 1.9737,  # 2, less what two levels leave of infinitely many
    "a split tree: priced for one level": 1.5,  # two levels and a cell, for one and a cell
}


@pytest.mark.parametrize("about", RATIOS)
def test_a_broken_tree_is_refuted_and_the_right_one_is_not(about):
    control = CONTROL[about]
    found = control.exact()
    assert found.refuted
    assert float(found.ratio) == pytest.approx(RATIOS[about], rel=1e-3)
    broken = control.mechanism
    right = SplitTree(broken.cost, broken.tree, broken.theta, broken.step, broken.floor)
    assert not replace(control, mechanism=right).exact().refuted


def test_all_claims_are_almost_reached():
    for case in split_tree_cases():
        assert 0.98 < case.exact().share <= 1


def test_a_crowd_on_two_paths():
    tree = SplitTree(Budget(1), next(split_tree_cases()).mechanism.tree, 3, 4, 2)
    assert two_paths(tree) == (4,) * 9 + (0,) * 19
    assert in_order(two_paths(tree)).below(tree.tree.numbers([4])).tolist() == [19]
