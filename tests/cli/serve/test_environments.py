"""Unusual environments, a test for each row of the table in docs/design/failures.md: the server starts and records,
or says in a sentence why it cannot.

Each server is started the long way, as a user starts it.
"""

import os
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from tests.cli.serve.confined import can_confine, confined
from tests.support.processes.command import COMMAND, environment
from tests.support.project.files import ROOT
from tests.support.server import ProgramServer, RunningServer, free_port
from tests.support.waiting import PATIENCE_S

BUCKET: Final = "aw-watcher-window_büro"
EVENT: Final = {"timestamp": "2026-01-01T10:00:00Z", "duration": 0.0, "data": {"title": "Größe — 日本語"}}
DAY: Final = "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z"

needs_filters = pytest.mark.skipif(not can_confine(), reason="system calls cannot be filtered here")


def use(server: RunningServer) -> None:
    """Record, read, query, export, import and load the page."""
    bucket = quote(BUCKET)
    server.create(bucket, hostname="büro")
    server.post(f"/api/0/buckets/{bucket}/heartbeat?pulsetime=5", EVENT)
    stored = {"id": 1, **EVENT}
    assert server.get(f"/api/0/buckets/{bucket}/events").json == [stored]
    program = {"timeperiods": [DAY], "query": [f'RETURN = query_bucket("{BUCKET}");']}
    assert server.post("/api/0/query/", program).json == [[stored]]
    exported = server.get("/api/0/export").json
    assert [each["data"] for each in exported["buckets"][BUCKET]["events"]] == [EVENT["data"]]
    assert server.post("/api/0/import", exported).json["skipped"] == 1
    assert b"<title>Dayline</title>" in server.get("/").body


def serve(
    home: Path,
    *flags: str,
    variables: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    before: Sequence[str] = (),
) -> None:
    """Start a server, use it and stop it. `before` are the words before the command."""
    unset = [word for name in without for word in ("-u", name)]
    program = ["env", *unset, *before, *COMMAND]
    with ProgramServer(home, *flags, program=program, variables=environment(home, **(variables or {}))) as server:
        use(server)
        assert server.stop() == 0


def refused(home: Path, *flags: str, before: Sequence[str] = (), **variables: str) -> str:
    """What a server says that cannot start."""
    command = [*before, *COMMAND, "serve", "--port", str(free_port()), *flags]
    done = subprocess.run(
        command, env=environment(home, **variables), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 75, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def data_folder(home: Path) -> Path:
    return home / ".local" / "share" / "dayline"


def test_folders_with_spaces_and_letters_of_any_script(tmp_path: Path) -> None:
    home = tmp_path / "Eigene Dateien, 日本語, 'é'"
    home.mkdir()

    serve(home)

    assert (data_folder(home) / "dayline.db").is_file()


@pytest.mark.parametrize("mask", ["077", "000"])
def test_any_umask_leaves_files_to_their_owner(tmp_path: Path, mask: str) -> None:
    serve(tmp_path, before=["sh", "-c", f'umask {mask}; exec "$@"', "sh"])

    made = [path for path in data_folder(tmp_path).rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (data_folder(tmp_path), *made) if path.is_dir()} == {0o700}


@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"LANG": "xx_XX.unknown"}, {}])
def test_any_language_or_none(tmp_path: Path, variables: dict[str, str]) -> None:
    # Without these Python would choose UTF-8 itself.
    serve(tmp_path, variables={**variables, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "CET-1CEST", "wrong"])
def test_any_time_zone(tmp_path: Path, zone: str) -> None:
    serve(tmp_path, variables={"TZ": zone})


def test_no_time_zone(tmp_path: Path) -> None:
    serve(tmp_path, without=["TZ"])


@needs_filters
def test_no_ipv6(tmp_path: Path) -> None:
    serve(tmp_path, before=confined("no-ipv6"))


def test_no_space_in_the_temporary_folder(tmp_path: Path) -> None:
    # Whatever would be created there, in any of the server's processes, fails.
    (tmp_path / "sitecustomize.py").write_text("import tempfile\ntempfile.tempdir = '/nonexistent'\n")
    path = os.pathsep.join([str(tmp_path), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]).rstrip(os.pathsep)

    serve(tmp_path, variables={"PYTHONPATH": path, "SQLITE_TMPDIR": "/nonexistent"})


@pytest.mark.root
def test_no_home_and_no_account(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    os.chown(folder, 54321, 54321)
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o111)
    before = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]

    serve(tmp_path, "--database", str(folder / "days.db"), without=["HOME"], before=before)


def test_a_home_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, HOME="/proc/none")

    assert said.startswith("dayline: cannot create the data folder /proc/none/.local/share/dayline: ")
    assert "→ set HOME to a folder of yours, or choose another file with --database" in said


def test_a_home_that_cannot_be_used_does_not_matter_for_another_file(tmp_path: Path) -> None:
    serve(tmp_path, "--database", str(tmp_path / "days.db"), variables={"HOME": "/proc/none"})


@needs_filters
def test_a_disk_without_locks_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, before=confined("no-locks"))

    lock = data_folder(tmp_path) / "dayline.db.lock"
    assert said.startswith(f"dayline: cannot lock {lock}: No locks available\n")
    assert "→ some network drives do not support locks: use a folder on a local disk" in said


# The rows of the table, and what tests them: here, or in another file.
ROWS: Final = {
    "Folders with spaces or letters of any script": "test_folders_with_spaces_and_letters_of_any_script",
    "Any umask": "test_any_umask_leaves_files_to_their_owner",
    "`LANG` and `LC_ALL`: `C`, unknown, or not set": "test_any_language_or_none",
    "`TZ`: any zone or rule, wrong, or not set": "test_any_time_zone",
    "No IPv6": "test_no_ipv6",
    "Another program listens on the server's port at ::1, or at another address of its host": (
        "tests/cli/serve/network/test_port_in_use.py"
    ),
    "No space in the temporary folder": "test_no_space_in_the_temporary_folder",
    "`HOME` is not set": "test_no_home_and_no_account",
    "`HOME` cannot be written": "test_a_home_that_cannot_be_used_is_named",
    "Standard streams are closed": "tests/cli/serve/test_unwritable_output.py",
    "The clock jumps": "tests/storage/faults/test_clock.py",
    "A network drive without locks": "test_a_disk_without_locks_is_named",
}


def test_the_table_has_a_row_for_each_of_them() -> None:
    page = (ROOT / "docs" / "design" / "failures.md").read_text()
    section = page.partition("## Unusual environments\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")]

    assert rows[1:] == list(ROWS)  # after the heading
    assert all(name in globals() or (ROOT / name).is_file() for name in ROWS.values())
