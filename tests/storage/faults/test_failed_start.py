"""A place that cannot be used: the server does not start, names what fixes it, and leaves nothing behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from dayline.config.data_folder import make_own_folder
from dayline.storage.sqlite.derived.file import derived_path
from dayline.storage.sqlite.upgrade import open_current
from tests.support.processes.command import environment
from tests.support.processes.prepared import completed
from tests.support.server import free_port
from tests.support.storage.disks import small_disk
from tests.support.waiting import PATIENCE_S

UNAVAILABLE: Final = 75


def as_another_user() -> list[str]:
    """How to run a program for which rights count: root's, which overrides them, is taken away."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("rights mean nothing to root, and there is no setpriv to change that")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


def serve(database: Path, *before: str, home: Path | None = None, flags: tuple[str, ...] = ()) -> str:
    """Start a server that is expected to refuse; what it says."""
    arguments = ["serve", "--port", str(free_port()), *flags, "--database", str(database)]
    program = [*before, sys.executable, "-m", "dayline"] if before else []
    variables = environment(home or database.parent)
    refused = completed(arguments, variables, program=program, seconds=PATIENCE_S)
    assert refused.returncode == UNAVAILABLE, refused.stderr
    assert "Traceback" not in refused.stderr
    assert "→" in refused.stderr  # what fixes it
    return refused.stderr


def made(folder: Path) -> Path:
    """A database that was used before."""
    folder.mkdir(exist_ok=True)
    open_current(folder / "days.db").close()
    return folder / "days.db"


@pytest.mark.parametrize(("mode", "what"), [(0o400, "write"), (0o000, "read or write")])
def test_a_file_without_its_rights_is_named(tmp_path: Path, mode: int, what: str) -> None:
    database = made(tmp_path / "data")
    database.chmod(mode)

    said = serve(database, *as_another_user(), home=tmp_path)

    assert f"no permission to {what} the database {database}" in said
    assert f"chmod u+rw {database}" in said


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_folder_without_its_rights_is_named_and_left_as_it_is(tmp_path: Path, mode: int) -> None:
    database = made(tmp_path / "data")
    before = sorted(file.name for file in database.parent.iterdir())
    database.parent.chmod(mode)
    try:
        said = serve(database, *as_another_user(), home=tmp_path)
    finally:
        database.parent.chmod(0o700)

    assert f"cannot write to the folder of the database {database}: Permission denied" in said
    assert f"chmod u+rwx {database.parent}" in said
    assert sorted(file.name for file in database.parent.iterdir()) == before


@pytest.mark.root
@pytest.mark.parametrize("is_new", [True, False])
def test_a_disk_that_can_only_be_read_is_named(tmp_path: Path, is_new: bool) -> None:
    with small_disk(tmp_path / "disk", mib=4) as disk:
        database = disk.path / "days.db" if is_new else made(disk.path)
        disk.remount("ro")

        said = serve(database, home=tmp_path)

        assert f"cannot write to the folder of the database {database}: Read-only file system" in said
        assert "mount -o remount,rw" in said


@pytest.mark.root
@pytest.mark.parametrize("is_new", [True, False])
def test_a_full_disk_is_named_and_nothing_half_made_is_left(tmp_path: Path, is_new: bool) -> None:
    with small_disk(tmp_path / "disk", mib=4) as disk:
        database = disk.path / "days.db" if is_new else made(disk.path)
        before = sorted([file.name for file in disk.path.iterdir()] + ["ballast"])
        disk.fill()

        said = serve(database, home=tmp_path)

        assert "the disk is full: 0 bytes of 4.0 MiB free in " in said
        assert "free some disk space" in said
        left = sorted(file.name for file in disk.path.iterdir() if not file.name.endswith((".lock", "-shm", "-wal")))
        assert left == before
        assert not is_new or not list(disk.path.glob("days.db*"))


def test_folders_around_a_named_place_are_not_made(tmp_path: Path) -> None:
    # A disk that is not connected: its folder would be made on another one, and recording would begin again there.
    said = serve(tmp_path / "media" / "stick" / "days.db", home=tmp_path)

    assert f"the folder {tmp_path / 'media'} does not exist" in said
    assert "mount its disk" in said
    assert not (tmp_path / "media").exists()


def test_the_last_folder_of_a_named_place_is_made(tmp_path: Path) -> None:
    run = keys_create("--database", str(tmp_path / "mine" / "days.db"), home=tmp_path)

    assert run.returncode == 0
    assert (tmp_path / "mine" / "days.db").exists()


def test_all_folders_of_the_default_place_are_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()

    run = keys_create(home=home)

    assert run.returncode == 0, run.stderr
    assert list(home.rglob("dayline.db"))


def keys_create(*flags: str, home: Path) -> subprocess.CompletedProcess[str]:
    """A command that creates the database if there is none."""
    command = ["keys", "create", "--name", "phone", "--scope", "read", *flags]
    return completed(command, environment(home), seconds=PATIENCE_S)


@pytest.mark.parametrize("command", ["buckets list", "doctor", "space"])
def test_a_user_without_access_to_the_folder_of_a_database_reads_the_database(tmp_path: Path, command: str) -> None:
    database = made(tmp_path / "data")
    folder = make_own_folder(database)
    derived_path(database).write_bytes(b"what this user cannot read")
    folder.chmod(0)
    program = [*as_another_user(), sys.executable, "-m", "dayline"]
    arguments = [*command.split(), "--database", str(database)]

    done = completed(arguments, environment(tmp_path), program=program, seconds=PATIENCE_S)

    folder.chmod(0o700)
    assert (done.returncode, done.stderr.count("Permission denied")) == (0, 0), done.stderr


def test_a_log_without_its_rights_is_named(tmp_path: Path) -> None:
    database = made(tmp_path / "data")
    (make_own_folder(database) / "dayline.log").touch(mode=0)
    program = [*as_another_user(), sys.executable, "-m", "dayline"]

    done = completed(
        ["logs", "show", "--database", str(database)], environment(tmp_path), program=program, seconds=PATIENCE_S
    )

    assert done.returncode == UNAVAILABLE
    assert "dayline.log: Permission denied" in done.stderr
