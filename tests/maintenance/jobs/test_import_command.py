"""`dayline import`: with and without a running server."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.maintenance.documents import write_document
from tests.support.processes.command import COMMAND, environment, run
from tests.support.server import RunningServer
from tests.support.storage.disks import ServerOnDisk
from tests.support.storage.opened import make_database
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import PATIENCE_S, eventually


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "export.json"
    write_document(path, "window", events=300)
    return path


def import_reports(*arguments: str, database: Path) -> list[dict[str, Any]]:
    done = run("import", *arguments, "--json", "--database", str(database), home=database.parent)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = msgspec.json.decode(done.stdout)
    return found


def test_a_file_is_imported_where_no_server_runs_and_again_changes_nothing(tmp_path: Path, file: Path) -> None:
    database = tmp_path / "days.db"

    first, second = import_reports(str(file), database=database), import_reports(str(file), database=database)

    assert first == [{"file": str(file), "buckets": 1, "imported": 300, "skipped": 0, "invalid": 0}]
    assert [(report["imported"], report["skipped"]) for report in second] == [(0, 300)]


def test_a_dry_run_changes_nothing(tmp_path: Path, file: Path) -> None:
    database = tmp_path / "days.db"
    make_database(database)
    before = database.read_bytes()

    [survey] = import_reports(str(file), "--dry-run", database=database)

    assert [(bucket["id"], bucket["is_new"], bucket["new"]) for bucket in survey["buckets"]] == [("window", True, 300)]
    assert database.read_bytes() == before
    assert [report["imported"] for report in import_reports(str(file), database=database)] == [300]


def test_a_dry_run_does_not_create_a_database(tmp_path: Path, file: Path) -> None:
    done = run("import", str(file), "--dry-run", "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert done.returncode == 66
    assert not (tmp_path / "days.db").exists()


def test_files_go_to_the_server_that_runs(server: RunningServer, tmp_path: Path, file: Path) -> None:
    other = tmp_path / "other.json"
    write_document(other, "web", events=10)

    import_reports(str(file), str(other), database=server.database)

    assert server.get("/api/0/buckets/window/events/count").json == 300
    assert server.get("/api/0/buckets/web/events/count").json == 10
    assert [job["state"] for job in server.get("/api/1/jobs").json["jobs"]] == ["done", "done"]


def test_import_prints_its_plan_and_its_result(tmp_path: Path, file: Path) -> None:
    database = ("--database", str(tmp_path / "days.db"))
    make_database(tmp_path / "days.db")

    would = run("import", str(file), "--dry-run", *database, home=tmp_path)
    did = run("import", str(file), *database, home=tmp_path)

    assert "new bucket" in would.stdout
    assert "Nothing was changed" in would.stderr
    assert "300 events imported into 1 bucket, 0 known" in did.stdout


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"buckets": ')
    database = ("--database", str(tmp_path / "days.db"))

    refused = run("import", str(broken), *database, home=tmp_path)
    missing = run("import", str(tmp_path / "missing.json"), *database, home=tmp_path)

    assert (refused.returncode, "broken.json" in refused.stderr) == (65, True)
    assert (missing.returncode, "no such file" in missing.stderr) == (66, True)
    assert "Traceback" not in refused.stderr + missing.stderr


def test_one_bad_file_does_not_keep_the_others_out(server: RunningServer, tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    write_document(folder / "a.json", "window", events=5)
    (folder / "b.json").write_text('{"buckets": ')
    write_document(folder / "c.json", "web", events=7)
    database = ("--database", str(server.database))

    done = run("import", str(folder), str(file), "--json", *database, home=tmp_path)
    again = run("import", str(folder), str(file), *database, home=tmp_path)

    assert (done.returncode, "1 of 4 files could not be imported" in done.stderr) == (65, True)
    reports = msgspec.json.decode(done.stdout)
    assert [(Path(each["file"]).name, each.get("imported")) for each in reports] == [
        ("a.json", 5), ("b.json", None), ("c.json", 7), ("export.json", 295),
    ]  # fmt: skip
    assert reports[1]["error"]["message"]
    assert [line.split()[1:3] for line in again.stdout.splitlines() if line.startswith("total")] == [["0", "312"]]


def test_a_folder_without_documents_is_reported(tmp_path: Path) -> None:
    done = run("import", str(tmp_path), "--database", str(tmp_path / "days.db"), home=tmp_path)

    assert (done.returncode, "there are no .json files" in done.stderr) == (66, True)


EVENTS = 6_000  # six slices
SLOW_S = 0.3  # a flush: an import is under way for longer than it takes to interrupt it


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.json"
    write_document(path, "window", events=EVENTS)
    return path


@pytest.fixture
def slow_server(tmp_path: Path) -> Iterator[ServerOnDisk]:
    """A server whose disk is slow until the import was interrupted."""
    with ServerOnDisk(tmp_path) as server:
        server.disk.slow(SLOW_S)
        yield server


def under_way(server: RunningServer, file: Path) -> subprocess.Popen[str]:
    """An import that has stored some of its events."""
    command = [*COMMAND, "import", str(file), "--database", str(server.database)]
    process = subprocess.Popen(
        command, env=environment(server.database.parent), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    eventually(lambda: any(job["progress"]["done"] for job in server.get("/api/1/jobs").json["jobs"]))
    return process


def test_an_import_that_is_interrupted_continues_with_the_same_command(slow_server: ServerOnDisk, large: Path) -> None:
    server = slow_server
    process = under_way(server, large)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    server.disk.quick()
    kept = server.get("/api/0/buckets/window/events/count").json

    [report] = import_reports(str(large), database=server.database)

    assert (process.returncode, "run the same command again to continue" in errors) == (130, True)
    assert 0 < kept < EVENTS
    assert (report["imported"], report["skipped"]) == (EVENTS - kept, kept)


def test_an_import_whose_server_is_lost_continues_with_the_same_command(slow_server: ServerOnDisk, large: Path) -> None:
    server = slow_server
    process = under_way(server, large)
    server.kill()
    _, errors = process.communicate(timeout=PATIENCE_S)
    server.disk.quick()
    server.start()
    kept = server.get("/api/0/buckets/window/events/count").json

    [report] = import_reports(str(large), database=server.database)

    assert (process.returncode, "run the same command again to continue" in errors) == (75, True)
    assert 0 < kept < EVENTS
    assert (report["imported"], report["skipped"]) == (EVENTS - kept, kept)


def test_without_a_server_an_import_can_be_interrupted_too(tmp_path: Path, large: Path) -> None:
    database, disk = tmp_path / "days.db", Disk(tmp_path / "disk")
    disk.slow(SLOW_S)
    process = subprocess.Popen(
        [sys.executable, *disk.program, "import", str(large), "--database", str(database)],
        env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().startswith("large.json: ")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)

    [report] = import_reports(str(large), database=database)

    assert (process.returncode, "run the same command again to continue" in errors) == (130, True)
    assert report["imported"] > 0
    assert report["imported"] + report["skipped"] == EVENTS
