"""Certificates of sets: never below what they bound, exactly or in simulations, and tight where they can be."""

from itertools import product
from math import comb, exp, factorial, prod

import numpy as np
import pytest
from scipy.special import bdtrc

from privpac.learners.values.sets import hidden_chance, missed_values, shared_noise, wrong_alone, wrong_values
from privpac.mechanisms.histograms.stability import SignedHistogram
from privpac.privacy.budget import Budget
from tests.grid import over

α, β, δ = 0.1, 0.05, 1e-6


def below(m, x):
    """Pr[Z < m]."""
    ρ = exp(-x)
    return 1 - ρ**m / (1 + ρ) if m > 0 else ρ ** (1 - m) / (1 + ρ)


def hides(j, least, x):
    """The probability that a value with j positive records and no others is hidden."""
    return below(least - j, x) if j else 1.0


@over("n", [1, 2, 20, 200])
@over("γ", [0.0, 0.01, 0.3, 0.999])
@over(("least", "x"), [(1, 0.05), (2, 3.0), (28, 0.5), (150, 0.1)])
def test_hidden_is_its_definition(n, γ, least, x):
    exactly = sum(comb(n, j) * γ**j * (1 - γ) ** (n - j) * hides(j, least, x) for j in range(n + 1))
    found = float(hidden_chance(n, np.array([γ]), least, x)[0])
    assert (1 - 1e-12) * exactly <= found <= min(1.0, (1 + 1e-6) * exactly + 1e-200)


def counts_of(n, parts):
    return [each for each in product(range(n + 1), repeat=parts) if sum(each) <= n]


def multinomial(n, counts, masses):
    """The probability of these counts; what is left of the mass is elsewhere."""
    rest = n - sum(counts)
    ways = factorial(n) // prod(map(factorial, (*counts, rest)))
    return ways * prod(m**c for m, c in zip(masses, counts, strict=True)) * max(0.0, 1 - sum(masses)) ** rest


@over("n", [1, 3, 6])
@over("masses", [(0.2, 0.2, 0.2), (0.5, 0.3, 0.2), (0.9, 0.05, 0.01)])
def test_functions_that_fall_with_counts_compete(n, masses):
    """Lemma 1, for functions that do not increase; for one that does it is false."""
    rng = np.random.default_rng(n)
    falling = -np.sort(-rng.random((3, n + 1)), axis=1)

    def both(functions):
        law = [(c, multinomial(n, c, masses)) for c in counts_of(n, 3)]
        joint = sum(p * prod(f[j] for f, j in zip(functions, c, strict=True)) for c, p in law)
        return joint, prod(sum(p * f[c[i]] for c, p in law) for i, f in enumerate(functions))

    joint, apart = both(falling)
    assert joint <= apart * (1 + 1e-12)
    joint, apart = both([falling[0], falling[1][::-1], np.ones(n + 1)])
    assert joint > apart


@pytest.mark.audit
@over("masses", [(0.3, 0.3), (0.21, 0.5), (0.6, 0.3), (0.41, 0.41), (0.2, 0.79)])
@over(("least", "x"), [(1, 0.5), (2, 3.0), (3, 1.0)])
@over("n", [3, 8, 20])
def test_the_realizable_bound_holds_exactly(masses, least, x, n):
    """For two values, over all counts and all that may be hidden."""
    for alpha in (0.2, 0.4, 0.6):
        failed = 0.0
        for counts in counts_of(n, 2):
            chances = [hides(j, least, x) for j in counts]
            for lost in product((False, True), repeat=2):
                if sum(m for m, out in zip(masses, lost, strict=True) if out) > alpha:
                    p = prod(c if out else 1 - c for c, out in zip(chances, lost, strict=True))
                    failed += p * multinomial(n, counts, masses)
        assert missed_values(2, n, alpha, least, x) >= failed * (1 - 1e-9)


@over("s", [1.0, 1.1, 1.5])
@over(("least", "x"), [(1, 0.5), (28, 0.5), (300, 0.45)])
def test_shared_noise_is_at_least_its_definition(s, least, x):
    ρ = exp(-x)
    exactly = sum((1 - ρ) / (1 + ρ) * ρ ** abs(z) * s**z / max(1, least - z) for z in range(-300, 1500))
    assert exactly * (1 - 1e-9) <= shared_noise(np.array([s]), least, ρ)[0] <= exactly * 1.1


def excess(masses, advantages, k, n, ε, fits):
    """By how much simulated fits err more than the best set; the mechanism's law in numpy."""
    rng, ρ = np.random.default_rng(), exp(-ε / 2)
    counts = rng.multinomial(n, np.append(masses, max(0.0, 1 - masses.sum())), size=fits)[:, :-1]
    ones = rng.binomial(counts, (1 + advantages / masses) / 2)
    noise = rng.geometric(1 - ρ, size=ones.shape) - rng.geometric(1 - ρ, size=ones.shape)
    noisy = np.where(ones > 0, 2 * ones - counts + noise, -(2**30))
    last = np.sort(noisy, axis=1)[:, -k][:, None] if k < masses.size else -(2**30)
    shown = (noisy >= SignedHistogram(Budget(ε, δ)).least) & (noisy >= last)
    return np.sort(np.maximum(advantages, 0))[::-1][:k].sum() - (shown * advantages).sum(axis=1)


def populations(k, regime):
    """Masses and advantages: thin values, noisy ones, and rivals without an advantage."""
    for j in {1, k}:
        thin = np.full(k, 1.0001 * α / j)
        yield thin, thin
        if regime == "agnostic":
            yield np.full(k, 0.98 / k), thin.clip(max=0.98 / k)
            yield np.full(2 * k, 0.49 / k), np.concatenate([thin.clip(max=0.49 / k), np.zeros(k)])
    if regime == "agnostic":
        yield np.array([0.5, *[0.0049] * 100]), np.array([1.0001 * α, *[0.0] * 100])
        yield np.full(15 * k, 1 / (15 * k)), np.array([*[1.0001 * α / k] * k, *[0.0] * (14 * k)]).clip(max=1 / (15 * k))


def certified(k, ε, regime):
    least, bound = SignedHistogram(Budget(ε, δ)).least, missed_values if regime == "realizable" else wrong_values
    return next(n for n in range(100, 10**5, 20) if bound(k, n, α, least, ε / 2) <= β)


def rejected(failed, fits):
    """Whether as many failures would have a probability below 1e-8 if the rate were β."""
    return failed > 0 and bdtrc(failed - 1, fits, β) < 1e-8


@pytest.mark.audit
@over("k", [1, 3, 5])
@over("ε", [1, 3])
@pytest.mark.parametrize("regime", ["realizable", "agnostic"])
def test_no_certificate_is_violated_in_simulations(k, ε, regime):
    n = certified(k, ε, regime)
    for masses, advantages in populations(k, regime):
        failed = (excess(masses, advantages, k, n, ε, 2000) > α).sum()
        assert not rejected(failed, 2000)


@pytest.mark.slow
def test_four_fifths_of_the_certified_records_are_too_few_in_simulations():
    """So the simulation can fail: the realizable certificate is tight."""
    for k in (1, 3, 5):
        n, thin = certified(k, 1, "realizable"), np.full(k, 1.0001 * α / k)
        assert rejected((excess(thin, thin, k, n * 4 // 5, 1, 2000) > α).sum(), 2000)


@over("i", [0, 1, 5])
@over(("n", "alpha"), [(10, 0.3), (2700, 0.1), (10**6, 0.01)])
def test_what_the_wrong_set_errs_on_alone_is_bounded_for_every_best_set(i, n, alpha):
    """f_i of Theorem 4, beside its definition on a grid of p."""
    λ, p = np.linspace(0, 0.6, 12)[1:], np.linspace(1e-9, 1 - alpha, 4001)[:, None]
    exactly = (i * np.log(p) + n * λ * p + (n - i) * np.log1p(-(p + alpha) * -np.expm1(-λ))).max(axis=0)
    found = wrong_alone(n, alpha, 1, np.array([i]), λ)[0]
    assert np.all(exactly <= found + 1e-9 * n)
    assert np.all(found <= exactly + 0.05)


@pytest.mark.slow
@over("k", [0, 1, 2, 7])
@over("bound", [missed_values, wrong_values])
def test_bounds_are_probabilities_that_fall_with_records_and_errors(k, bound):
    for n in (0, 1, 2, 27, 28, 29, 2**30):
        found = [bound(k, n, alpha, 28, 0.5) for alpha in (0.0, 1e-4, 0.1, 0.5, 0.9999)]
        assert all(0 <= p <= 1 for p in found)
        assert found == sorted(found, reverse=True)
    some = [bound(k, n, 0.1, 28, 0.5) for n in (200, 1000, 5000, 25_000, 10**6, 2**30)]
    assert some == sorted(some, reverse=True) and some[-1] < 1e-9


@pytest.mark.parametrize("x", [5e-5, 1e-3, 50.0, 5e5])
@pytest.mark.parametrize("bound", [missed_values, wrong_values])
def test_extreme_rates_are_certified(bound, x):
    least = SignedHistogram(Budget(2 * x, 1e-6)).least
    assert bound(2, 2**30, 0.1, least, x) < 1e-9 < bound(2, 40, 0.1, least, x)


def test_records_of_rivals_are_shared():
    """What the certificate gains over one that counts a rival once for each record."""
    assert wrong_values(3, 1892, 0.1, 28, 0.5) <= 0.05 < wrong_values(3, 1891, 0.1, 28, 0.5)
    assert missed_values(5, 1358, 0.1, 28, 0.5) <= 0.05 < missed_values(5, 1357, 0.1, 28, 0.5)
