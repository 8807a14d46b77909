"""What all tests share: Hypothesis profiles, a server of one's own, and a PostgreSQL."""

import faulthandler
import gc
import os
import signal
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

import pytest
from hypothesis import settings

from dayline.runtime.encryption import set_key_source
from tests.support.postgres.cluster import Cluster, cluster
from tests.support.postgres.servers import PostgresServer
from tests.support.profile import temporary_root
from tests.support.server import RunningServer
from tests.support.storage.engines import close_connections

# Derandomised: the same examples in every run of `make test`. `make test-long` draws new ones.
settings.register_profile("test", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("long", max_examples=1000, deadline=None)
settings.load_profile("test")

SLOWEST_FILES: Final = 10
HANGING_S: Final = 900  # no wait of a test is longer than PATIENCE_S


def pytest_addoption(parser: pytest.Parser) -> None:
    """What .ci/run needs to repeat, as root, the tests that were skipped for another user."""
    parser.addoption("--skipped-to", type=Path, metavar="FILE", help="add the skipped tests to a file, one per line")
    parser.addoption("--only-from", type=Path, metavar="FILE", help="run only the tests listed in such a file")


def pytest_configure() -> None:
    """Put temporary folders into memory, let processes be interrupted where a script ignores that for us, and end a
    test that hangs.
    """
    signal.signal(signal.SIGALRM, _fail_hanging)
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(temporary_root(Path(tempfile.gettempdir()))))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests that live until the end."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """A test that hangs fails, and shows where each of its threads is."""
    signal.alarm(HANGING_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)


def _fail_hanging(_number: int, _frame: FrameType | None) -> NoReturn:
    faulthandler.dump_traceback()
    pytest.fail(f"it hung for {HANGING_S} seconds")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests on an encrypted file that are not marked, and on PostgreSQL what it does not do yet; skip what
    needs root for other users.
    """
    items[:] = [item for item in items if not _is_unmarked_encrypted(item)]
    if os.geteuid() != 0:
        for item in items:
            if item.get_closest_marker("root") is not None:
                item.add_marker(pytest.mark.skip(reason="needs root; as root, type: make test-root"))
    only_from: Path | None = config.getoption("--only-from")
    if only_from is not None:
        listed = {line.split("\t")[0] for line in only_from.read_text().splitlines()}
        items[:] = [item for item in items if item.nodeid in listed]
    if os.environ.get("DAYLINE_TEST_ENGINE") == "postgres":
        left_out = [item for item in items if item.get_closest_marker("of_file") is not None]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def _is_unmarked_encrypted(item: pytest.Item) -> bool:
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return parameters.get("engine") == "encrypted" and item.get_closest_marker("encrypted") is None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was measured, what was not run and why, and the ten slowest files: a test that got slow is easiest to
    fix at once.
    """
    for report in terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", []):
        for name, value in report.user_properties:
            terminalreporter.line(f"measured: {name}: {value}")
    reasons = {
        report.nodeid: str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
    }
    for reason in sorted({*reasons.values()}):
        terminalreporter.line(f"not run: {reason}")
    skipped_to: Path | None = terminalreporter.config.getoption("--skipped-to")
    if skipped_to is not None and not hasattr(terminalreporter.config, "workerinput"):  # its report comes here too
        with skipped_to.open("a") as added:
            added.writelines(f"{name}\t{reason}\n" for name, reason in reasons.items())
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            # The time of a subtest is part of its test's.
            if isinstance(report, pytest.TestReport) and not isinstance(report, pytest.SubtestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if seconds:
        terminalreporter.section("slowest files")
    for file, duration in sorted(seconds.items(), key=lambda each: -each[1])[:SLOWEST_FILES]:
        terminalreporter.line(f"{duration:7.1f} s  {file}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL for all tests of a worker that want one."""
    with cluster() as made:
        yield made
        close_connections()


@pytest.fixture
def address(postgres: Cluster) -> Iterator[str]:
    """The address of an empty PostgreSQL database that has our tables."""
    made = postgres.new_database()
    yield made
    postgres.drop_database(made)


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """A real server process with an empty database."""
    with _server_in(tmp_path, request) as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """One server for all tests of a file, which keep to buckets of their own."""
    with _server_in(tmp_path_factory.mktemp("server"), request) as server:
        yield server


@contextmanager
def _server_in(folder: Path, request: pytest.FixtureRequest) -> Generator[RunningServer]:
    """On a file, or where the environment asks for it on PostgreSQL."""
    if os.environ.get("DAYLINE_TEST_ENGINE") == "postgres":
        database: Cluster = request.getfixturevalue("postgres")
        address = database.new_database()
        with PostgresServer(address, folder) as server:
            yield server
        database.drop_database(address)
    else:
        with RunningServer(folder / "days.db") as server:
            yield server


@pytest.fixture(autouse=True)
def _no_key_of_an_earlier_test() -> Iterator[None]:
    """Commands that run in this process leave the key of their database."""
    yield
    set_key_source(None)
