"""What is not private says so, cannot be charged, and cannot be reached from what people use."""

import ast
import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import laplace

import privpac
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import law_of
from privpac.papers import hct24
from privpac.papers.hct24 import Angles, HighH, MakeData, NotPrivate, SimpleH, sample
from privpac.papers.hct24.not_private import Geom, ceiled_laplace, copies, proper_fraction
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Mechanism, Sealed
from tests.statistics import assert_matches

pytestmark = pytest.mark.papers

ALGORITHMS = [each for each in vars(hct24).values() if isinstance(each, type) and issubclass(each, NotPrivate)]
ROOM = "privpac.papers.hct24"


def test_all_seven_are_there():
    names = {each.__name__ for each in ALGORITHMS} - {"NotPrivate"}
    plane, space = {"MakeData", "MakeThrData", "SimpleH"}, {"MakeHighDimData", "MakeHighDimThrData", "HighH"}
    assert names == plane | space | {"ReorderSliceCompute"}


@pytest.mark.parametrize("said", [False, None, 1, "yes"])
def test_nothing_runs_without_the_acknowledgment(said):
    with pytest.raises(ValueError, match=r"not private.*one example.*CentralHalfPlanes.*HalfPlanes"):
        MakeData(1, Angles(1), acknowledge_not_private=said)


def test_the_acknowledgment_has_no_default():
    with pytest.raises(TypeError, match="acknowledge_not_private"):
        SimpleH(1, 0.1, 0.1, Angles(1))
    with pytest.raises(TypeError, match="positional"):
        MakeData(1, Angles(1), None, True)


class Careless(MakeData):
    def __post_init__(self) -> None:
        pass


def test_what_skips_the_constructor_does_not_run():
    acknowledged = MakeData(1, Angles(1), most=3, acknowledge_not_private=True)
    careless = Careless(1, Angles(1), most=3, acknowledge_not_private=False)
    forged = copy.copy(acknowledged)
    object.__setattr__(forged, "acknowledge_not_private", False)
    for each in (careless, forged, pickle.loads(pickle.dumps(forged))):
        with pytest.raises(ValueError, match="not private"):
            each.release([])
        with pytest.raises(ValueError, match="not private"):
            each.law([])
    with pytest.raises(ValueError, match="not private"):
        replace(acknowledged, acknowledge_not_private=False)
    assert pickle.loads(pickle.dumps(acknowledged)) == acknowledged


def test_nothing_can_be_spent():
    ledger = Ledger(Budget(100))
    learner = HighH(1, 0.1, 0.1, Angles(1), 3, acknowledge_not_private=True)
    with pytest.raises(TypeError, match="no ledger accepts it"):
        ledger.spend(learner, Sealed([]))
    assert ledger.spent == Budget(0)
    for each in ALGORITHMS:
        assert not issubclass(each, Mechanism)
        assert not {"cost", "theorem", "learn", "fit"} & set(dir(each))


def modules() -> dict[str, ast.Module]:
    """Every module of the package as a syntax tree; a package goes by its own name."""
    source = Path(privpac.__file__).parent
    names = {path: path.relative_to(source.parent).with_suffix("").parts for path in sorted(source.rglob("*.py"))}
    parsed = {path: ast.parse(path.read_text("utf-8")) for path in names}
    return {".".join(n[:-1] if n[-1] == "__init__" else n): parsed[path] for path, n in names.items()}


def imports(trees: dict[str, ast.Module], module: str) -> set[str]:
    """The modules that one imports anywhere in its text, and the packages that hold them."""
    found = set()
    for node in ast.walk(trees[module]):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # for imports by name
    found |= {name.rsplit(".", i)[0] for name in found for i in range(1, min(name.count("."), 5) + 1)}
    return found & set(trees)


def reached(trees: dict[str, ast.Module], start: set[str]) -> set[str]:
    """All modules that these lead to."""
    seen, waiting = set(), list(start)
    while waiting:
        if (module := waiting.pop()) not in seen:
            seen.add(module)
            waiting += imports(trees, module)
    return seen


SHOWN = ("privpac.app.pages.theory.broken_paper",)  # the page of the explorer on which one watches it fail


def test_what_people_use_does_not_reach_it():
    trees = {name: tree for name, tree in modules().items() if name not in SHOWN}
    assert ROOM in trees
    rooms = ("privpac.learners", "privpac.cli", "privpac.planning", "privpac.report", "privpac.audit")
    start = {"privpac", *(name for name in trees if name.startswith(rooms))}
    assert len(start) > 60
    assert not [name for name in reached(trees, start) if name.startswith(ROOM)]


def test_a_way_to_it_is_seen():
    trees = {
        "privpac.a": ast.parse("def f():\n    from privpac.b import g"),
        "privpac.b": ast.parse("from privpac.papers import hct24"),
        ROOM: ast.parse(""),
    }
    assert ROOM in reached(trees, {"privpac.a"})


def test_noise_is_laplace_rounded_up():
    """The law of ⌈Lap(1/ε)⌉ against the distribution function of Laplace noise."""
    law = law_of(lambda ask: ceiled_laplace(Fraction(1, 2), ask, most=30))
    for z in range(-20, 20):
        exact = laplace.cdf(z, scale=2) - laplace.cdf(z - 1, scale=2)
        assert float(law[z]) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("n", "most"), [(0, 3), (2, 3), (7, 3)])
def test_a_cut_off_changes_no_probability(n, most):
    law = law_of(lambda ask: copies(n, Fraction(1), ask, most))
    noise = law_of(lambda ask: ceiled_laplace(Fraction(1), ask, most=60))
    for c, p in law.items():
        listed = sum(float(q) for z, q in noise.items() if min(max(n + z, 1), most) == c)
        assert float(p) == pytest.approx(listed, abs=1e-12)


def test_the_geometric_draw():
    law = {g: float(p) for g, p in Geom(Fraction(1, 2), most=12).law(None).items()}
    assert sum(law.values()) == pytest.approx(1)
    wrong = {g: float(p) for g, p in Geom(Fraction(2, 3), most=12).law(None).items()}
    assert_matches(lambda: Geom(Fraction(1, 2), most=12).release(None, SYSTEM), law, must_reject=wrong)
    with pytest.raises(ValueError, match="set most"):
        Geom(Fraction(1)).law(None)


def test_samples():
    S = sample([((1, 0), 1), ((0, 1), -1), ((1, 0), 1)])
    assert (S.size, S.matches(lambda x: 1)) == (3, 2)
    assert S.without(sample([((1, 0), 1)])).size == 2
    assert sample(S) is S
    assert sample([]).size == 0


@pytest.mark.parametrize("examples", [[((1, 0), 2)], [((1,), 1)], [((1, 0), 1), ((1, 0, 0), 1)]])
def test_bad_examples_are_refused(examples):
    with pytest.raises(ValueError, match="must"):
        sample(examples)


@pytest.mark.parametrize(
    "examples", [[((1.5, 0), 1)], [((float("nan"), 0), 1)], [((1, 0), "1")], [(1, 0)], [5], 5, None]
)
def test_points_are_integers(examples):
    with pytest.raises(TypeError, match="examples must be pairs"):
        sample(examples)


def test_points_lie_in_the_grid():
    S = sample([((1, 2), 1)])
    assert sample(S, 2, 2) is S
    with pytest.raises(ValueError, match="coordinates must lie between -1 and 1"):
        sample(S, 1)
    with pytest.raises(ValueError, match="points must have 3 coordinates"):
        sample(S, 2, 3)


@pytest.mark.parametrize("value", [0, 1, -1, 2])
def test_shares(value):
    with pytest.raises(ValueError, match="beta must lie strictly between 0 and 1"):
        proper_fraction(value, "beta")
