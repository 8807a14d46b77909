"""A verified backup is made before an older database is upgraded, and before one is replaced by a restore."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

from dayline.cli.main import commands
from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.before import BackupBefore
from dayline.maintenance.backups.folder import Backup
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current
from tests.support.maintenance.backups import Clock, events_in, filled, made, scheduler_of
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S


@pytest.fixture
def old_database(tmp_path: Path) -> Path:
    """A database of the schema before this one."""
    path = tmp_path / "days.db"
    with closing(open_current(path, MIGRATIONS[:-1])) as db:
        db.execute("INSERT INTO setting(key, json) VALUES('kept', '1')")
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    filled(tmp_path / "days.db", "editor", "mail")
    return tmp_path / "days.db"


@pytest.fixture
def backup(database: Path) -> Backup:
    """A backup of two events; the database has a third one since."""
    backup = made(scheduler_of(database, Clock()))
    filled(database, "game")
    return backup


def restore(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["backup", "restore", "--database", str(database), "--yes", *arguments])


def limited(*arguments: str, home: Path, blocks: int) -> subprocess.CompletedProcess[str]:
    """Run a command that can write no file of more than this many half KiB: a disk without space."""
    line = f'ulimit -f {blocks}; exec "$@"'
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "dayline", *arguments],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_server_that_upgrades_an_older_database_backs_it_up_first(old_database: Path) -> None:
    with RunningServer(old_database) as server:
        (backup,) = server.get("/api/1/backups").json["backups"]
        assert server.get("/api/0/settings/kept").json == 1

    assert backup["state"] == "verified"
    assert backup["schema"] == len(MIGRATIONS) - 1


def test_a_command_without_a_server_backs_up_first_too_and_reports_it(old_database: Path, tmp_path: Path) -> None:
    said = limited("trash", "empty", "--yes", "--database", str(old_database), home=tmp_path, blocks=1 << 20)

    (backup,) = scheduler_of(old_database, Clock()).folder.all()
    assert said.returncode == 0
    assert backup.name in said.stderr


def test_an_upgrade_that_can_not_be_backed_up_is_rejected_with_the_reason_and_the_fix(
    old_database: Path, tmp_path: Path
) -> None:
    before = old_database.read_bytes()

    said = limited("trash", "empty", "--yes", "--database", str(old_database), home=tmp_path, blocks=80)

    assert said.returncode == 75
    assert "the backup before the upgrade failed" in said.stderr
    assert "free disk space" in said.stderr
    assert "Traceback" not in said.stderr
    assert old_database.read_bytes() == before


def test_the_settings_can_do_without_that_backup(old_database: Path) -> None:
    BackupBefore(BackupSettings(upgrade_without_backup=True), clock=Clock()).upgrade(old_database)

    assert scheduler_of(old_database, Clock()).folder.all() == []


def test_a_start_that_fails_again_and_again_makes_one_backup(database: Path) -> None:
    before = BackupBefore(BackupSettings(), clock=Clock())

    assert before.ensure(database) == before.ensure(database)
    assert len(scheduler_of(database, Clock()).folder.all()) == 1


def test_a_backup_of_something_older_does_not_count(database: Path) -> None:
    before = BackupBefore(BackupSettings(), clock=Clock())
    first = before.ensure(database)
    filled(database, "game")

    assert before.ensure(database) != first


def test_with_an_unusable_folder_the_backup_is_next_to_the_database(database: Path, tmp_path: Path) -> None:
    (tmp_path / "unplugged").write_text("no folder")
    settings = BackupSettings(folder=str(tmp_path / "unplugged" / "backups"))

    path = BackupBefore(settings, clock=Clock()).ensure(database)

    assert path.parent == tmp_path
    restore(tmp_path / "again.db", str(path))
    assert events_in(tmp_path / "again.db") == events_in(database)


def test_a_restore_makes_a_backup_of_what_it_replaces(database: Path, backup: Backup) -> None:
    result = restore(database, backup.name)

    (newest, oldest) = scheduler_of(database, Clock()).folder.all()
    assert oldest == backup
    assert newest.manifest is not None
    assert newest.manifest.contents.events == 3
    assert newest.name in result.stderr


def test_restoring_the_replaced_database_restores_everything(database: Path, backup: Backup) -> None:
    old = events_in(database)
    restore(database, backup.name)
    newest = scheduler_of(database, Clock()).folder.all()[0]

    restore(database, newest.name)

    assert events_in(database) == old


def test_an_unreadable_database_is_replaced_without_a_backup_and_the_output_reports_it(
    database: Path, backup: Backup
) -> None:
    database.write_bytes(b"no database at all" * 1000)

    result = restore(database, backup.name)

    assert "cannot be read, so there is no backup of it" in result.stderr
    assert len(events_in(database)) == 2
    assert scheduler_of(database, Clock()).folder.all() == [backup]


def test_a_database_that_a_newer_program_has_upgraded_is_replaced_as_well(database: Path, backup: Backup) -> None:
    # The way back to an older program leads through this.
    with closing(apsw.Connection(str(database))) as db:
        db.pragma("user_version", 99)

    result = restore(database, backup.name)

    assert "was written by a newer Dayline" in result.stderr
    assert len(events_in(database)) == 2


def test_a_restore_without_disk_space_changes_nothing(database: Path, backup: Backup, tmp_path: Path) -> None:
    # It ended in a traceback.
    old, blocks = events_in(database), database.stat().st_size // 512 - 8

    said = limited("backup", "restore", backup.name, "--yes", "--database", str(database), home=tmp_path, blocks=blocks)

    assert said.returncode == 75
    assert "nothing was changed" in said.stderr
    assert events_in(database) == old


def test_a_restore_can_do_without_that_backup(database: Path, backup: Backup) -> None:
    restore(database, backup.name, "--without-backup")

    assert len(events_in(database)) == 2
    assert scheduler_of(database, Clock()).folder.all() == [backup]
