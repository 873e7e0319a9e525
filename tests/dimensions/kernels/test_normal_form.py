"""Packed sub-classes against numpy on unpacked ones."""

import numpy as np
import pytest

pytest.importorskip("numba")

from privpac.dimensions.kernels import normal_form

SIZES = [(1, 3), (5, 4), (63, 6), (64, 9), (65, 7), (200, 20)]


def packed(matrix):
    columns = [sum(1 << int(i) for i in np.flatnonzero(column)) for column in matrix.T]
    return normal_form.pack(columns, len(matrix))


def unpacked(words, n):
    bits = words[:, None, :] >> np.arange(64, dtype=np.uint64)[None, :, None] & np.uint64(1)
    return bits.reshape(-1, words.shape[1])[:n].astype(bool)


def cases():
    rng = np.random.default_rng(1)
    for m, n in SIZES:
        for density in (0.05, 0.5, 0.95):
            matrix = rng.random((m, n)) < rng.random()
            chosen = rng.random(m) < density
            chosen[rng.integers(m)] = True
            yield matrix, chosen


def test_words_hold_the_labels():
    for matrix, _ in cases():
        assert (unpacked(packed(matrix), len(matrix)) == matrix).all()


def test_a_part_keeps_its_labels_in_order():
    for matrix, chosen in cases():
        n = int(chosen.sum())
        part = normal_form.restrict(packed(matrix), packed(chosen[:, None])[:, 0].copy(), n)
        assert (unpacked(part, n) == matrix[chosen]).all()
        assert (part == packed(matrix[chosen])).all()


def test_balance_is_the_smaller_side():
    for matrix, chosen in cases():
        n = int(chosen.sum())
        minority = np.empty(matrix.shape[1], np.int64)
        top = normal_form.balance(packed(matrix), packed(chosen[:, None])[:, 0].copy(), n, minority)
        ones = matrix[chosen].sum(axis=0)
        assert minority.tolist() == np.minimum(ones, n - ones).tolist()
        assert top == minority.max()


def test_normal_form_keeps_one_point_of_a_kind():
    for matrix, _ in cases():
        m = len(matrix)
        doubled = np.hstack([matrix, ~matrix, matrix])
        A = packed(doubled)
        ones = doubled.sum(axis=0)
        minority = np.minimum(ones, m - ones)
        kept, flipped = normal_form.normalize(A, m, minority)
        assert (unpacked(A, m) == doubled ^ doubled[0]).all()
        assert flipped.tolist() == doubled[0].tolist()
        cuts = {column.tobytes() for column in (matrix ^ matrix[0]).T if 2 <= column.sum() <= m - 2}
        assert {(doubled[:, j] ^ doubled[0, j]).tobytes() for j in kept} == cuts
        assert len(kept) == len(cuts)
        assert minority[kept].tolist() == sorted(minority[kept], reverse=True)


@pytest.mark.slow
def test_inside_is_inclusion():
    seen = set()
    for matrix, _ in cases():
        nested = np.hstack([matrix, matrix & matrix[:, :1], matrix | matrix[:, :1]])
        A = packed(nested)
        for part in range(2 * nested.shape[1]):
            for other in range(2 * nested.shape[1]):
                inner, outer = nested[:, part >> 1] == (part & 1), nested[:, other >> 1] == (other & 1)
                expected = not (inner & ~outer).any()
                assert normal_form.inside(A, len(matrix), part, other) == expected
                seen.add(expected)
    assert seen == {True, False}
