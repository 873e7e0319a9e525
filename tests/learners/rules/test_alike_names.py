"""Names are alike if, and only if, they have the same numbers of records in the same cells."""

from collections import Counter, defaultdict

import numpy as np

from privpac.learners.rules.named_rules import FEW, alike_rows, by_copies


def test_names_are_alike_as_by_definition():
    rng = np.random.default_rng(2)
    for entries, count, cells in ((0, 0, 1), (1, 1, 1), (200, 150, 2), (300, 20, 3), (300, 10, FEW + 4)):
        names = np.concatenate([np.arange(count), rng.integers(0, max(count, 1), entries - count)]).astype(np.intp)
        rng.shuffle(names)
        cell, numbers = rng.integers(0, cells, entries), rng.integers(-1, 2, entries)
        held = defaultdict(Counter)
        for name, at, number in zip(names.tolist(), cell.tolist(), numbers.tolist(), strict=True):
            held[name][at] += number  # a cell in which the numbers add up to zero is still one of its cells
        found = alike_rows(cell, names, numbers, count)
        profiles = [tuple(sorted(held[name].items())) for name in range(count)]
        for name in range(count):
            first = profiles.index(profiles[name]) if len(profiles[name]) <= FEW else name
            assert found[name] == first


def test_every_name_is_in_one_column_with_those_that_are_alike():
    alike = alike_rows(np.arange(60) % 7, np.arange(60), np.ones(60, dtype=np.int64), 60)
    blocks = by_copies(alike)
    assert sorted(name for block in blocks for name in block.flat) == list(range(60))
    for block in blocks:
        assert (alike[block] == alike[block[0]]).all() and len(set(alike[block[0]])) == block.shape[1]
