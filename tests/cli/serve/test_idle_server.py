"""A server that no one calls: little is loaded, nothing is written, no time is spent."""

import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

import dayline
from tests.support.calls.settled import until_settled
from tests.support.processes.command import Service
from tests.support.server import RunningServer
from tests.support.waiting import eventually

WATCHED_S: Final = 2.0
WAKE_UPS_PER_S: Final = 10  # of all threads: a clock that ticks once a second, and what looks at files now and then
LEFT_FOR_LATER: Final = {
    "numpy",
    "re2",
    "zstandard",
    "ada_url",
    "joserfc",
    "cryptography",
    "keyring",
    "rich",
    "psycopg",
    "hypothesis",
    "html",
    "dayline.demo.history",
    "dayline.insight.timesheet.render",
    "dayline.maintenance.migration.copying",
    "dayline.maintenance.sync.service",
    "dayline.maintenance.migration.sources",
}  # decision 22, and what only child processes and commands need


# What our modules in the recording process import of others. What these load in turn depends on their versions.
LIBRARIES: Final = (
    "apsw", "asyncio", "base64", "bisect", "click", "concurrent.futures", "copy", "csv", "ctypes", "decimal",
    "email.utils", "errno", "falcon.asgi", "gc", "glob", "hashlib", "heapq", "hmac", "http.client", "httptools",
    "importlib.resources", "inspect", "ipaddress", "json", "logging.handlers", "mmap", "msgspec", "platform",
    "platformdirs", "queue", "resource", "runpy", "secrets", "selectors", "shlex", "shutil", "signal", "sqlite3", "ssl",
    "stat", "string", "stringprep", "struct", "subprocess", "tempfile", "tomllib", "traceback", "unicodedata", "uuid",
    "uvicorn", "uvloop", "warnings", "weakref", "zoneinfo",
)  # fmt: skip


@cache
def listed_modules() -> set[str]:
    """Our modules that the recording process may load."""
    return set(Path(__file__).with_name("recording_modules.txt").read_text().split())


@cache
def loaded_by_libraries() -> set[str]:
    """The packages that are loaded with LIBRARIES, and the one that Falcon looks for and does not find."""
    program = f"import {', '.join(LIBRARIES)}"
    lines = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", program], capture_output=True, text=True, check=True
    ).stderr.splitlines()
    return {imported_name(line).partition(".")[0] for line in lines if line.startswith("import time:")} | {"msgpack"}


def imported_name(line: str) -> str:
    """The module of a line that Python writes for an import."""
    return line.rpartition("|")[2].strip()


def event(second: int) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T10:00:{second:02}Z", "duration": 0, "data": {"app": "editor"}}


@pytest.fixture(scope="module", params=["plain", "encrypted"])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """The modules that a server has loaded after the usual calls."""
    tmp_path = tmp_path_factory.mktemp("imported")
    command = (sys.executable, "-X", "importtime", "-m", "dayline")
    arguments = ["--port", "0", "--database", str(tmp_path / "days.db")]
    if request.param == "encrypted":
        arguments += ["--encrypt", "--encryption-key-file", str(tmp_path / "key")]
    with ServiceThatLogsImports(*arguments, home=tmp_path, command=command) as service:
        service.use()
        service.end()
        yield service.imported


class ServiceThatLogsImports(Service):
    """Python writes a line for every import between the lines of the log."""

    @property
    def messages(self) -> list[str]:
        return self.lines

    @property
    def imported(self) -> set[str]:
        return {imported_name(line) for line in self.lines if line.startswith("import time:")}

    def use(self) -> None:
        """What watchers and pages ask for most."""
        server = RunningServer(Path(), port=self.port)
        assert server.create("window").status == 200
        assert server.post("/api/0/buckets/window/heartbeat?pulsetime=5", event(0)).status == 200
        for path in ("info", "buckets/", "buckets/window/events", "settings", "export"):
            assert server.get(f"/api/0/{path}").status == 200
        query = {"query": ['RETURN = flood(query_bucket("window"));'], "timeperiods": ["2026-01-01/2026-01-02"]}
        assert len(server.post("/api/0/query/", query).json[0]) == 1
        for path in ("query", "query/check", "query/explain"):
            assert server.post(f"/api/1/{path}", query).status == 200
        assert server.get("/api/1/query/functions").status == 200


def test_what_only_some_need_is_not_loaded(imported: set[str]) -> None:
    assert {"dayline", "uvicorn", "falcon", "apsw"} <= imported  # or else nothing was seen at all
    assert imported & LEFT_FOR_LATER == set()


def test_the_recording_process_loads_no_more_modules_than_before(imported: set[str]) -> None:
    """What it needs anyway is added to the list or to LIBRARIES; import what it does not need where it is used."""
    ours = {name for name in imported if name.partition(".")[0] == "dayline"}
    others = {name.partition(".")[0] for name in imported} - {"dayline"}

    assert ours - listed_modules() == set()
    assert others - loaded_by_libraries() == set()


def test_every_listed_module_exists() -> None:
    sources = Path(dayline.__file__).parent
    existing = {
        ".".join(("dayline", *path.relative_to(sources).with_suffix("").parts)) for path in sources.rglob("*.py")
    }
    existing = {name.removesuffix(".__init__") for name in existing}

    assert listed_modules() - existing == set()


def test_the_client_library_for_own_calls_is_the_standard_one(imported: set[str]) -> None:
    assert imported & {"requests", "httpx", "aiohttp", "urllib3"} == set()


def written_by(pid: int) -> int:
    """Bytes that a process has caused to be written to disk."""
    fields = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(fields["write_bytes"])


def wake_ups(pid: int) -> int:
    """How often the threads of a process went to sleep again after they had done something."""
    statuses = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    lines = [line for status in statuses for line in status.splitlines() if line.startswith("voluntary_ctxt_switches")]
    return sum(int(line.split()[1]) for line in lines)


def is_all_in_the_file(database: Path) -> bool:
    """Whether the events can be read from the file alone, without its log."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    db = apsw.Connection(f"{database.as_uri()}?immutable=1", flags=flags)
    try:
        return bool(db.execute("SELECT count(*) FROM event").get == 20)
    except apsw.Error:  # the file changed under the eyes of a reader that relies on it not to change
        return False
    finally:
        db.close()


SHARED_MEMORY_BYTES = 32 << 10  # the whole of it, where 300 reads were answered


@pytest.fixture(scope="module")
def resting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that has recorded something a while ago."""
    server = RunningServer(tmp_path_factory.mktemp("resting") / "days.db")
    server.constants = {"dayline.storage.sqlite.file.checkpoint:QUIET_S": 0.5}
    with server:
        server.create("window")
        server.post("/api/0/buckets/window/events", [event(second) for second in range(20)])
        # Some time after the last write, what is still in the log is moved into the file.
        eventually(lambda: is_all_in_the_file(server.database))
        until_settled(server)
        yield server


@pytest.mark.skipif(sys.platform != "linux", reason="reads the figures of Linux")
def test_a_server_without_requests_does_nothing(resting: RunningServer) -> None:
    written, woken, begun = written_by(resting.pid), wake_ups(resting.pid), time.monotonic()
    time.sleep(WATCHED_S)

    assert written_by(resting.pid) == written
    assert wake_ups(resting.pid) - woken <= WAKE_UPS_PER_S * (time.monotonic() - begun)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the figures of Linux")
def test_reading_writes_nothing_to_the_disk(resting: RunningServer) -> None:
    written = written_by(resting.pid)

    for _ in range(50):
        for path in ("info", "buckets/", "buckets/window/events", "settings", "export", "log"):
            assert resting.get(f"/api/0/{path}").status == 200

    # A reader notes which state it sees in memory that SQLite maps from the file `-shm`. The system may have put that
    # memory aside just before, and then counts it as written once more: not for each read.
    assert written_by(resting.pid) - written <= SHARED_MEMORY_BYTES
