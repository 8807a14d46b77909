"""Small files that take gigabytes from anyone who opens them carelessly: they are refused, and no process grows."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from dayline.storage.operations.children import ChildFailed, ChildFunction
from dayline.storage.transfer import staging
from tests.maintenance.jobs.test_import_uploads import upload
from tests.support.hostile import DATABASES, database, endless_rows, expanding_archive
from tests.support.maintenance.documents import example, packed
from tests.support.maintenance.migrating import installed, run
from tests.support.server import RunningServer

MAX_MIB: Final = 300
HEAD: Final = {"type": "t", "client": "c", "hostname": "h"}
# Written when the server ends: its own peak, and that of the largest of the processes that it started.
REPORT_PEAKS: Final = """
import atexit, resource
def _report():
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    open({!r}, "w").write(repr(peaks))
atexit.register(_report)
"""


class MeasuredServer(RunningServer):
    """A server that reports the peak memory of its processes when it has ended."""

    def __init__(self, database: Path) -> None:
        super().__init__(database)
        self._report = database.with_name("peaks")
        self.change = REPORT_PEAKS.format(str(self._report))

    def peaks_mib(self) -> list[int]:
        """Stop the server, and return its peak and that of its children."""
        assert self.stop() == 0
        return [kib >> 10 for kib in msgspec.json.decode(self._report.read_bytes(), type=list[int])]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredServer]:
    """One server for all attacks. At the end, none of its processes has needed much memory."""
    with MeasuredServer(tmp_path_factory.mktemp("server") / "days.db") as server:
        yield server
        own, children = server.peaks_mib()
        assert own < MAX_MIB
        assert children < MAX_MIB


def refused(server: RunningServer, file: bytes, reason: str, *, is_dry: bool) -> None:
    server.create("beating")
    answer = upload(server, file, dry_run=is_dry)

    assert (answer.status, reason in answer.message) == (422, True), answer.body
    assert str(server.database.parent) not in answer.message
    beat: dict[str, object] = {"timestamp": "2026-01-01T00:00:00Z", "data": {}}
    assert server.post("/api/0/buckets/beating/heartbeat?pulsetime=1", beat).status == 200
    assert list(server.get("/api/0/buckets/").json) == ["beating"]


# The server itself looked into an uploaded database: 12 KB with a generated column took it 5.8 GB of memory.
@pytest.mark.parametrize("is_dry", [True, False], ids=["preview", "import"])
@pytest.mark.parametrize("name", DATABASES)
def test_a_database_that_runs_something_is_refused_by_name(
    measured: MeasuredServer, name: str, is_dry: bool, tmp_path: Path
) -> None:
    reason, make = DATABASES[name]
    file = make(tmp_path / "hostile.db").read_bytes()
    assert len(file) <= 32 << 10

    refused(measured, file, reason, is_dry=is_dry)


# SQLite does not notice if pages contain each other: a file of 500 KB had billions of rows.
@pytest.mark.parametrize(
    ("is_dry", "reason"), [(True, "more rows than fit into it"), (False, "MiB of memory")], ids=["preview", "import"]
)
def test_a_database_with_endless_rows_is_refused(
    measured: MeasuredServer, is_dry: bool, reason: str, tmp_path: Path
) -> None:
    refused(measured, endless_rows(tmp_path / "endless.db").read_bytes(), reason, is_dry=is_dry)


def test_a_database_with_a_value_longer_than_any_event_is_refused(measured: MeasuredServer, tmp_path: Path) -> None:
    large = database(tmp_path / "large.db", after="UPDATE events SET data = zeroblob(20 << 20)").read_bytes()

    refused(measured, large, "has a value of more than 16 MiB", is_dry=True)


# An archive was unpacked whatever it expanded to: 14 KB to 162 MB.
@pytest.mark.parametrize("is_dry", [True, False], ids=["preview", "import"])
def test_an_archive_that_expands_too_much_is_refused(measured: MeasuredServer, is_dry: bool, tmp_path: Path) -> None:
    file = expanding_archive(tmp_path / "small.zst").read_bytes()
    assert len(file) < 32 << 10

    refused(measured, file, "expands to more than 64.0 MiB (limit: 1,000 times its size", is_dry=is_dry)


def test_an_archive_without_an_end_of_its_first_line_is_refused(measured: MeasuredServer, tmp_path: Path) -> None:
    endless_line = packed(tmp_path / "line.zst", b'{"kind":"header","format":"', b"x" * (80 << 20)).read_bytes()

    refused(measured, endless_line, "more than 64.0 MiB", is_dry=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"other":[' + b"{}," * (3 << 20) + b"{}]}", "has more than 4 MiB"),
        (b'{"buckets":{"b":{"data":{"a":[' + b"{}," * (3 << 20) + b"{}]}}}}", "buckets.b.data has more than 4 MiB"),
        (b'{"other":' + b"[" * 3_000_000 + b"]" * 3_000_000 + b"}", "has more than 4 MiB"),
        (b'{"other":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}", "nested deeper"),
        (b'{"other":' + b"9" * 3_000_000 + b"}", ""),
    ],
    ids=["objects", "objects of a bucket", "deep", "less deep", "number"],
)
def test_a_document_that_decodes_to_gigabytes_is_refused(measured: MeasuredServer, text: bytes, reason: str) -> None:
    refused(measured, text, reason, is_dry=True)


# The server itself holds the buckets of an import in memory, and their number had no limit.
def test_a_document_with_too_many_buckets_is_refused(measured: MeasuredServer) -> None:
    many = {str(number): HEAD for number in range(staging.MAX_BUCKETS + 1)}
    large = {str(number): {**HEAD, "data": {"a": "x" * (3 << 20)}} for number in range(6)}

    refused(measured, msgspec.json.encode({"buckets": many}), "more than 10,000 buckets", is_dry=True)
    refused(measured, msgspec.json.encode({"buckets": large}), "more than 16 MiB", is_dry=True)


def test_a_hostile_database_of_activitywatch_is_shown_with_its_problem(tmp_path: Path) -> None:
    _, make = DATABASES["generated time"]
    place = installed(tmp_path)
    place.unlink()
    make(place)

    with MeasuredServer(tmp_path / "days.db") as server:
        [found] = server.get("/api/1/welcome").json["found"]
        own, children = server.peaks_mib()

    assert "generated column 'events.late'" in found["problem"]
    assert max(own, children) < MAX_MIB


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["import", "dry run"])
@pytest.mark.parametrize("name", ["generated column", "view instead of a table", "trigger"])
def test_the_command_refuses_the_same_databases(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    reason, make = DATABASES[name]

    done = run("import", make(tmp_path / "hostile.db"), *options, home=tmp_path)

    assert (done.returncode, reason in done.stderr) == (65, True), done.stderr
    assert not (tmp_path / "days.db").exists()


def test_the_command_refuses_endless_rows(tmp_path: Path) -> None:
    done = run("import", endless_rows(tmp_path / "endless.db"), home=tmp_path)

    assert (done.returncode, "more rows than fit into it" in done.stderr) == (65, True), done.stderr


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["restore", "dry run"])
def test_the_command_refuses_an_archive_that_expands_too_much(options: tuple[str, ...], tmp_path: Path) -> None:
    done = run("import", expanding_archive(tmp_path / "small.zst"), *options, home=tmp_path)

    assert (done.returncode, "expands to more than 64.0 MiB" in done.stderr) == (65, True), done.stderr
    assert not (tmp_path / "days.db").exists()


# The header says how many events there are, and nothing depends on it: it may lie.
def test_an_archive_with_a_false_header_takes_no_more_memory(measured: MeasuredServer, tmp_path: Path) -> None:
    header, *rest = example()
    lying = msgspec.json.encode({**msgspec.json.decode(header), "events": 1 << 60}) + b"\n"

    answer = upload(measured, packed(tmp_path / "lying.zst", lying, *rest).read_bytes(), dry_run=True)

    assert (answer.status, "checksum" in answer.message) == (422, True), answer.body


def test_a_process_that_takes_too_much_processor_time_is_ended_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parents[3]), *sys.path])

    with pytest.raises(ChildFailed, match="more processor time than it may"):
        ChildFunction("tests.maintenance.jobs.busy:never_end", type(None)).wait()


def test_a_limit_of_memory_is_lifted_afterwards() -> None:
    program = (
        "import resource, dayline.runtime.untrusted as untrusted, dayline.model.errors as errors\n"
        "before = resource.getrlimit(resource.RLIMIT_DATA)\n"
        "try:\n"
        "    with untrusted.limited_memory(200): bytearray(300 << 20)\n"
        "except errors.Invalid as error: print(error.message)\n"
        "assert resource.getrlimit(resource.RLIMIT_DATA) == before\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "reading the file takes more than 200 MiB of memory\n"
