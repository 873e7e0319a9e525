"""One statement at every point of a grid, as one test.

Main declarations
    over    like ``pytest.mark.parametrize``, without a test of its own for every point; a failure names its point
"""

from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any

Test = Callable[..., None]


def over(names: str | Sequence[str], points: Iterable[Any]) -> Callable[[Test], Test]:
    """Run the test at each of the points; the other arguments stay what they are, fixtures among them.

    For what a test may leave behind, such as files, every point needs a folder of its own, and so its own test.
    """
    tuples = [(point,) if isinstance(names, str) else tuple(point) for point in points]
    keys = [names] if isinstance(names, str) else list(names)
    assert tuples, "a statement about no point at all"

    def folded(test: Test) -> Test:
        def everywhere(**others: Any) -> None:
            for values in tuples:
                point = dict(zip(keys, values, strict=True))
                try:
                    test(**point, **others)
                except BaseException as error:
                    error.add_note("at " + ", ".join(f"{name} = {value!r}" for name, value in point.items()))
                    raise

        given = signature(test)
        everywhere.__name__, everywhere.__doc__, everywhere.__module__ = test.__name__, test.__doc__, test.__module__
        everywhere.__dict__.update(test.__dict__)
        left = [each for name, each in given.parameters.items() if name not in keys]
        assert len(left) + len(keys) == len(given.parameters), f"{test.__name__} does not take {names}"
        everywhere.__signature__ = given.replace(parameters=left)  # type: ignore[attr-defined]  pytest reads it
        return everywhere

    return folded
