"""Which tests are slow, by their place or name, and a real PostgreSQL server for the session."""

import os
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
SLOW = (
    *("tests/audit", "src/privpac/audit", "tests/cli/commands/test_audit.py"),
    *("tests/papers", "src/privpac/papers", "tests/errata"),
    *("tests/house/test_pages.py", "tests/house/test_new_class.py"),
    *(
        f"tests/dimensions/test_{name}.py"
        for name in ("compiler", "littlestone_kernel", "memo", "normal_form", "vc_kernel")
    ),
    "src/privpac/dimensions/kernels/littlestone.py",
    *(f"src/privpac/learners/{name}.py" for name in ("private_cut_rules", "private_cut_trees", "scorecards")),
    *("tests/privacy/store/test_store.py", "tests/privacy/test_units_of_accounts.py"),  # races and crashes
    "tests/data/counting/test_engines.py",  # queries of real databases
    "tests/app",  # a running server, and a browser
)
SLOW_WORDS = (
    *("neighbours", "neighbors", "refute"),  # audits over universes, beside what they audit
    *("certificates_hold", "certificate_fails", "however_rarely", "even_data", "in_simulation"),  # thousands of fits
    *("[compiled", "changes_over", "Learner]"),  # the machinery that all learners share is checked once
    *("follow_the_law", "follow_their", "odd_rates", "_is_exact["),  # thousands of draws
    *("random_classes", "random_trees", "every_game", "every_small_class", "hostile_bytes"),  # thousands of cases
    *("forced_pairs", "wide_lines", "seen_enough", "by_a_test_of_its_room", "as_defined", "of_the_definition"),
)

# a fifth of a second or more each, or half a second with all their parameters
SLOW_TESTS = frozenset((ROOT / "tests" / "slow_tests.txt").read_text("utf-8").split())
EXAMPLES = 10  # of Hypothesis in a quick run

os.environ["COLUMNS"] = "100"  # as wide as sentences are printed, whatever the terminal
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn skips some of its checks


@cache
def is_slow(path: Path) -> bool:
    return any(path.is_relative_to(ROOT / place) for place in SLOW)


def is_quick(config: pytest.Config) -> bool:
    return "not slow" in config.option.markexpr


def pytest_configure(config: pytest.Config) -> None:
    """How long an example takes says more about the machine than about the code."""
    fewer = {"max_examples": EXAMPLES} if is_quick(config) else {}
    settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow], **fewer)
    settings.load_profile("unhurried")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A quick run does not even read what it leaves out."""
    return True if is_quick(config) and is_slow(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        named = item.nodeid.partition("[")[0] in SLOW_TESTS
        if named or is_slow(item.path) or any(word in item.name for word in SLOW_WORDS):
            item.add_marker("slow")
        elif is_quick(config):
            fewer_examples(getattr(item, "obj", None))


def fewer_examples(test: object) -> None:
    """The profile of a quick run holds for tests with settings of their own too, which would override it."""
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None and asked.max_examples > EXAMPLES:
        test._hypothesis_internal_use_settings = settings(asked, max_examples=EXAMPLES)  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """A function that makes an empty schema and returns a URL whose tables live there."""
    if find_spec("pgserver") is None:
        pytest.skip("NOT TESTED on PostgreSQL: pgserver has no wheels for this version of Python")
    # not pytest's own folder: each start of pytest closes that to other users, and so to a server that root starts
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        import pgserver  # noqa: PLC0415 (it asks for that directory when it is imported, and warns if there is none)

        server = pgserver.get_server(f"{folder}/postgres", cleanup_mode="delete")

        def fresh() -> str:
            name = f"test_{uuid.uuid4().hex}"
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {name}")
            return f"{server.get_uri()}&options=-csearch_path%3D{name}"

        yield fresh
        server.cleanup()
