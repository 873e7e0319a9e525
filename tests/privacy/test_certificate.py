"""A certificate says what is promised, and that a seed voids it."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Utility

UTILITY = Utility(Fraction(1, 10), Fraction(1, 20), "realizable", "trees, Theorem 2")


def test_both_halves_read_as_sentences():
    text = str(Certificate(Budget(1, 1e-6), ("selection, Theorem 2",), UTILITY))
    privacy, utility = text.splitlines()
    assert privacy == (
        "privacy: ε = 1, δ = 1e-06 for every pair of samples of equal size that differ in one record "
        "[selection, Theorem 2]"
    )
    assert utility == "utility: error ≤ 0.1 with probability ≥ 0.95 [trees, Theorem 2]"


def test_assumptions_are_part_of_the_utility():
    assumed = Utility(1, Fraction(1, 4), "rank", "medians, Theorem 1", ("independent records", "n ≥ 10"))
    assert str(assumed) == (
        "rank error ≤ 1 with probability ≥ 0.75 [medians, Theorem 1; assuming independent records, n ≥ 10]"
    )


def test_without_a_proof_no_utility_is_claimed():
    assert str(Certificate(Budget(1))).endswith("utility: no guarantee claimed")


def test_without_a_release_nothing_is_cited():
    assert "[nothing was released]" in str(Certificate(Budget(0)))


def test_every_theorem_is_cited():
    assert "[a, Theorem 1; b, Theorem 2]" in str(Certificate(Budget(1), ("a, Theorem 1", "b, Theorem 2")))


def test_a_seeded_release_is_said_not_to_be_private():
    text = str(Certificate(Budget(1), ("noise, Theorem 1",), private=False))
    assert text.startswith("privacy: NOT PRIVATE, because a seed decided its coins")
    assert "NOT PRIVATE" not in str(Certificate(Budget(1), ("noise, Theorem 1",)))


def test_certificates_are_values():
    assert Certificate(Budget(1), (), UTILITY) == Certificate(Budget("1"), (), UTILITY)
    with pytest.raises(FrozenInstanceError):
        Certificate(Budget(1)).private = True
    with pytest.raises(FrozenInstanceError):
        UTILITY.beta = Fraction(0)
