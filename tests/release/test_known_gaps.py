"""What sanitizers promise before any record is read: proved, never exceeded on hard records, None where unknown."""

from fractions import Fraction

from flint import arb, ctx

from privpac.classes import Points, SparseSets
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.laplace import laplace_tail
from privpac.privacy.budget import Budget
from privpac.release.histograms import CategorySanitizer, PointSanitizer
from privpac.release.sanitizer import Sanitizer
from privpac.requests.conditions import Terms

SOME = Terms(Budget(1, "1e-6"))


def test_points_that_nobody_declared():
    assert PointSanitizer(Points(), SOME).known_gap(1000) == 54
    assert PointSanitizer(SparseSets(3), SOME).known_gap(1000) == 3 * 54
    assert PointSanitizer(Points(), SOME).known_gap(10) == 10  # no answer can be off by more


def test_the_largest_of_many_noises():
    """The smallest q for which the union bound holds."""
    for counts, β, ε in ((1, Fraction(1, 20), 1), (100, Fraction(1, 20), 1), (10**6, Fraction(1, 100), 3)):
        q = DisjointCounts(Budget(ε), 10).largest_noise(counts, β)
        with ctx.workprec(128):
            missed = [2 * counts * laplace_tail(Fraction(ε, 2), k + 1) for k in (q - 1, q)]
        assert missed[1] <= arb(β.numerator) / β.denominator
        assert q == 0 or missed[0] > arb(β.numerator) / β.denominator
    assert DisjointCounts(Budget(1), 10).largest_noise(1, Fraction(999, 1000)) == 0


def test_declared_values_have_as_many_noises_as_combinations():
    jobs = Points().on("job", values=tuple(range(100)))
    known = CategorySanitizer(jobs, SOME).known_gap(10**6)
    assert known == DisjointCounts(Budget(1), 1).largest_noise(100, SOME.beta)
    assert known > CategorySanitizer(Points().on("job", values=("a", "b")), SOME).known_gap(10**6)


def test_nothing_is_promised_without_a_proof():
    assert Sanitizer.known_gap(PointSanitizer(Points(), SOME), 100) is None
