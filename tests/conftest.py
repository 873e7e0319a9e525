"""How long a test may take, what `make quick` leaves out, and a real PostgreSQL server for the session.

A test that takes more than a tenth of a second carries a marker in its file, and above half a second it must: above a
second, which a busy machine may need for that, it fails.
``audit``, ``papers`` and ``engines`` name the target of the Makefile that runs it; ``slow`` tests stay in `make test`,
and only `make quick` leaves them out, with a few folders, the server, and most cases of a test that has many.
"""

import os
import time
import uuid
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
SOURCES = TESTS.parent / "src" / "privpac"
DOCTESTS = {SOURCES / "papers": "papers", SOURCES / "dimensions" / "kernels": "audit"}  # no file of src has markers
MARKERS = ("audit", "papers", "engines", "slow")
LIMIT = 1.0  # seconds: half of it on a quiet machine, where a busy one may take twice as long
TOO_LONG = pytest.StashKey[bool]()
EXAMPLES = 10  # of Hypothesis in a quick run
CASES = 2  # of a test with parameters in a quick run
# browsers, queries, and what is not in `make test`: a quick run does not even read these
NOT_QUICK = [
    *(TESTS / "app" / each for each in ("test_browser.py", "test_plain_browser.py")),
    *(TESTS / each for each in ("audit", "data/counting", "data/engines", "errata", "papers")),
]

os.environ["COLUMNS"] = "100"  # as wide as sentences are printed, whatever the terminal
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn skips some of its checks


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help=f"fewer folders, {CASES} cases, {EXAMPLES} examples")
    parser.addoption("--slow-fails", action="store_true", help=f"a test without a marker fails above {LIMIT} s")


def pytest_configure(config: pytest.Config) -> None:
    """How long an example takes says more about the machine than about the code."""
    fewer = {"max_examples": EXAMPLES} if config.option.quick else {}
    settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow], **fewer)
    settings.load_profile("unhurried")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.option.quick and collection_path in NOT_QUICK else None


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for marker in {name for folder, name in DOCTESTS.items() if item.path.is_relative_to(folder)}:
                item.add_marker(marker)
        elif config.option.quick:
            fewer_examples(getattr(item, "obj", None))
    yield  # pytest takes out what ``-m`` leaves out
    if config.option.quick:
        kept = set(fewer_cases(items))
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


def fewer_cases(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """A few cases of each test, spread over its parameters, and none whose name or fixtures tell of a server."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any("postgres" in name for name in (item.name, *getattr(item, "fixturenames", ()))):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        yield from (cases[i * len(cases) // CASES] for i in range(CASES))


def fewer_examples(test: object) -> None:
    """The profile of a quick run holds for tests with settings of their own too, which would override it."""
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None and asked.max_examples > EXAMPLES:
        test._hypothesis_internal_use_settings = settings(asked, max_examples=EXAMPLES)  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Measure a test; with ``--slow-fails``, one without a marker that takes too long twice fails."""
    begun = time.process_time()
    result = yield
    seconds = time.process_time() - begun
    if item.stash.get(TOO_LONG, False) and seconds > LIMIT:
        pytest.fail(f"took {seconds:.2f} s of a processor: make it quicker or mark it (see Tests in CONTRIBUTING.md)")
    item.stash[TOO_LONG] = seconds > LIMIT
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """With ``--slow-fails``, run a test that took too long once more: the first may have filled caches for all others.

    What counts is the time that this process spends on a processor, so that a busy machine changes little. Fixtures,
    other processes, and waiting do not count. Doctests cannot be marked and are not judged.
    """
    marked = isinstance(item, pytest.DoctestItem) or any(map(item.get_closest_marker, MARKERS))
    if marked or not item.config.option.slow_fails:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if item.stash.get(TOO_LONG, False):
        item._initrequest()  # fresh fixtures
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


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
