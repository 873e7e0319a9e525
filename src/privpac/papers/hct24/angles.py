"""Half-spaces by their angles, in exact arithmetic [HCT24, §3.1, §3.2].

Throughout this file
    X          coordinates −k … k                       γ       arcsin(1/2k²), the angle of [HCT24, Lemma 11]
    H_γ        the angles 0, γ, 2γ, … up to 2π           m       their number; an angle is named by its index
    h_φ        +1 where ⟨n_φ, x⟩ ≥ 0, else −1            n_φ     the unit vector with the spherical angles φ_1 … φ_{d−1}
    q(S, φ)    the number of examples that h_φ labels right      φ_i(x)  the i-th spherical angle of x
    D          4k⁴ − 1: cos γ = √D/2k², so up to a positive factor all numbers here are of the form a + b√D

All numbers are exact, because rounding would move points across boundaries.

The paper leaves two cases open. Here, distances of angles are differences of numbers in [0, 2π], as printed, unless
``around`` says that 2π and 0 are the same; and a point at the origin has no angle and is near to none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from math import asin, degrees

from privpac.papers.hct24.not_private import PaperSample, Point
from privpac.privacy.budget import as_count

CACHED = 1 << 18  # how many decisions about points a cache holds
LARGEST_K = 20  # its 5027 angles take exact numbers of up to 50,000 bits
COMPLETIONS = 10**6  # the most completions that Q tries


def lemma_11(k: int) -> Fraction:
    """1/2k²: two different lines through 0 and points of X² form an angle of at least this sine [HCT24, Lemma 11].

    >>> lemma_11(2)
    Fraction(1, 8)
    """
    return Fraction(1, 2 * as_count(k, "k") ** 2)


@dataclass(frozen=True)
class Surd:
    """whole + part·√root.

    >>> (Surd(-3, 2, 2) * Surd(3, 2, 2)).sign, Surd(-3, 2, 2).sign
    (-1, -1)
    """

    whole: int
    part: int
    root: int

    def __add__(self, other: Surd) -> Surd:
        return Surd(self.whole + other.whole, self.part + other.part, self.root)

    def __mul__(self, other: Surd | int) -> Surd:
        if isinstance(other, int):
            return Surd(self.whole * other, self.part * other, self.root)
        whole = self.whole * other.whole + self.part * other.part * self.root
        return Surd(whole, self.whole * other.part + self.part * other.whole, self.root)

    @property
    def sign(self) -> int:
        """−1, 0 or 1."""
        first, second = _sign(self.whole), _sign(self.part * self.root)
        if first * second >= 0:
            return first or second
        return first * _sign(self.whole**2 - self.part**2 * self.root)

    @property
    def signed_square(self) -> Surd:
        """The square, with the sign of the number itself: a + b·√R has the sign of (signed a²) + (signed b²)·R."""
        return self * self * self.sign


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


@dataclass(frozen=True)
class Angles:
    """Discretize(γ) = {iγ : i = 0, 1, …, ⌊2π/γ⌋} for γ = arcsin(1/2k²); only some of them, if ``only`` is given.

    >>> len(Angles(1)), len(Angles(2)), round(Angles(2).degrees(9), 1)
    (13, 51, 64.6)
    >>> [φ for φ in Angles(1) if Angles(1).near(φ, (1, 1))]  # 45° lies between 30° and 60°
    [1, 2]
    """

    k: int
    around: bool = False
    only: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", as_count(self.k, "k"))
        if self.k > LARGEST_K:
            raise ValueError(f"k must be at most {LARGEST_K}: there are about 4πk² angles, and they are exact")
        if self.only is not None and not 0 < len(self.only) == len({*self.only} & {*range(self.m)}):
            raise ValueError(f"only must be some of the angles 0 to {self.m - 1}, each once")

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.m) if self.only is None else self.only)

    def __len__(self) -> int:
        return self.m if self.only is None else len(self.only)

    @property
    def m(self) -> int:
        """⌊2π/γ⌋ + 1."""
        return len(_powers(self.k)) - 1

    def degrees(self, φ: int) -> float:
        """The angle, for people."""
        return degrees(asin(lemma_11(self.k))) * φ

    def near(self, φ: int, x: Point, i: int = 1) -> bool:
        """|φ_i(x) − φ| < γ."""
        _, v, _ = angle(x, i)
        beyond_π = v < 0  # whether φ_i(x) > π
        across_seam = (φ == 0 and beyond_π) or (φ == self.m - 1 and not beyond_π)
        return _between(self.k, φ, x, i) and (self.around or not across_seam)

    def n(self, φ: int, S: PaperSample, i: int = 1) -> int:
        """|{(x, y) ∈ S : |φ_i(x) − φ| < γ and h_φ(x) = y}|, for a half-plane h_φ of the plane in which φ_i(x) lies.

        >>> from privpac.papers.hct24 import sample
        >>> H = Angles(1)
        >>> [H.n(φ, sample([((1, 1), 1)] * 7 + [((-1, -1), -1)])) for φ in H]
        [0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        """

        def label(x: Point) -> int:
            (cos, sin), (u, v, R) = direction(self.k, φ), angle(x, i)
            return 1 if ((cos * u).signed_square + (sin * v).signed_square * R).sign >= 0 else -1

        return S.matches(lambda x: label(x) if self.near(φ, x, i) else 0)


@cache
def _powers(k: int) -> list[tuple[Surd, Surd]]:
    """Real and imaginary part of (√D + i)^φ, which has the angle φγ, from φ = 0 to the first one beyond 2π."""
    root, one = Surd(0, 1, 4 * k**4 - 1), Surd(1, 0, 4 * k**4 - 1)
    powers = [(one, one * 0), (root, one)]
    while True:
        (last_cos, last_sin), (cos, sin) = powers[-2:]
        last_is_2π = last_sin.sign == 0 < last_cos.sign and len(powers) > 2
        if last_is_2π or last_sin.sign < 0 < sin.sign:
            return powers
        powers.append((cos * root + sin * -1, sin * root + cos))


@cache
def direction(k: int, φ: int) -> tuple[Surd, Surd]:
    """(cos, sin) of φγ, −1 ≤ φ ≤ m, times (2k²)^m.

    >>> [surd.sign for surd in direction(1, 3)]  # 90°
    [0, 1]
    """
    if not -1 <= φ < len(_powers(k)):
        raise ValueError(f"an angle must be given by its number, from 0 to {len(_powers(k)) - 2}")
    cos, sin = _powers(k)[abs(φ)]
    scale = (2 * k * k) ** (len(_powers(k)) - 1 - abs(φ))
    return cos * scale, sin * (-scale if φ < 0 else scale)


def angle(x: Point, i: int) -> tuple[int, int, int]:
    """(u, v, R): the i-th spherical angle of x is that of (u, v√R), in [0, π] unless it is the last.

    >>> angle((1, 2), 1), angle((1, 2, 2), 1)
    ((1, 2, 1), (1, 1, 8))
    """
    if i == len(x) - 1:
        return x[i - 1], x[i], 1
    R = sum(coordinate**2 for coordinate in x[i:])
    return x[i - 1], int(R > 0), R  # √R is the length of the later coordinates


@dataclass(frozen=True)
class Half:
    """h_φ for φ = (φ_1, …, φ_{d−1}): n_1 = cos φ_1, n_2 = sin φ_1·cos φ_2, …, n_d = sin φ_1 ⋯ sin φ_{d−1}.

    >>> h = Half(1, (3,))
    >>> print(h, h((1, 0)), h((1, -1)))
    normal at 90.0° 1 -1
    """

    k: int
    φ: tuple[int, ...]

    def __post_init__(self) -> None:
        Angles(self.k)

    def __call__(self, x: Point) -> int:
        """1 if ⟨n, x⟩ ≥ 0, else −1."""
        if len(x) != len(self.φ) + 1:
            raise ValueError(f"a point must have {len(self.φ) + 1} coordinates")
        return _label(self.k, self.φ, x)

    def __str__(self) -> str:
        return f"normal at {', '.join(f'{Angles(self.k).degrees(φ):.1f}°' for φ in self.φ)}"


@lru_cache(CACHED)
def _between(k: int, φ: int, x: Point, i: int) -> bool:
    """Whether φ_i(x) lies strictly between φ − γ and φ + γ on the circle: both differences have positive sines."""
    (cos_low, sin_low), (cos_high, sin_high), (u, v, R) = direction(k, φ - 1), direction(k, φ + 1), angle(x, i)
    after_low = (cos_low * v).signed_square * R + (sin_low * -u).signed_square
    before_high = (sin_high * u).signed_square + (cos_high * -v).signed_square * R
    return after_low.sign > 0 and before_high.sign > 0


@lru_cache(CACHED)
def _label(k: int, φ: tuple[int, ...], x: Point) -> int:
    """⟨n, x⟩ from the last coordinate to the first: x_i·cos φ_i + sin φ_i·(the sum for the later ones)."""
    unit = (2 * k * k) ** (len(_powers(k)) - 1)
    scale, total = 1, Surd(x[-1], 0, 4 * k**4 - 1)  # total is the sum for the later coordinates, times ``scale``
    for φ_i, coordinate in zip(φ[::-1], x[-2::-1], strict=True):
        cos, sin = direction(k, φ_i)
        scale, total = scale * unit, cos * (coordinate * scale) + sin * total
    return 1 if total.sign >= 0 else -1


def q(k: int, S: PaperSample, φ: tuple[int, ...]) -> int:
    """|{(x, y) ∈ S : h_φ(x) = y}|.

    >>> from privpac.papers.hct24 import sample
    >>> q(1, sample([((1, 0), 1), ((-1, 0), 1)]), (3,))
    2
    """
    return S.matches(Half(k, φ))


def Q(H: Angles, S: PaperSample, prefix: tuple[int, ...], φ: int, d: int) -> int:  # noqa: N802  (the paper's letter)
    """Q_{φ*_1 … φ*_{i−1}}(S, φ_i): q of the best completion of ``prefix`` φ*_1 … φ*_{i−1} and φ_i.

    >>> from privpac.papers.hct24 import sample
    >>> Q(Angles(1), sample([((1, 0, 0), 1), ((-1, 0, 0), 1)]), (), 3, 3)
    2
    """
    later = as_count(d, "d") - 2 - len(prefix)  # the number of angles after φ
    if later < 0 or len(H) ** later > COMPLETIONS:
        raise ValueError(f"d must be at least the length of prefix plus 2, and leave at most {COMPLETIONS} completions")
    return max(q(H.k, S, (*prefix, φ, *suffix)) for suffix in product(H, repeat=later))
