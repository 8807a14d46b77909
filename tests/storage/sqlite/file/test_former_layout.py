"""The folder of a database, and the move of files from where earlier versions kept them."""

import os
import shutil
import signal
import stat
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from dayline.access.revocations import RevocationJournal
from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import Conflict, StoreUnusable
from dayline.storage.sqlite.backup.restore import replace_database
from dayline.storage.sqlite.file.former_layout import open_folder
from dayline.storage.sqlite.file.lock import FileLock
from dayline.storage.sqlite.redaction.search import plan_file
from dayline.storage.sqlite.transfer.copying import copied_file
from tests.support.maintenance.backups import filled, packed
from tests.support.server import RunningServer

NAMES: Final = ["days.db", "my days [2] ü.db", "[n]ights.db"]
DAY_S: Final = 86_400


def age(path: Path, seconds: float) -> None:
    when = time.time() - seconds
    os.utime(path, (when, when))


def put(path: Path, content: str, *, age_s: float = 0.0) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    age(path, age_s)
    return path


def former_layout(database: Path) -> dict[str, str]:
    """Files as an earlier version left them; returns the content of each that is kept, by its name in the folder."""
    name, folder = database.name, database.parent
    kept = {
        f"{name}-derived": "derived",
        f"{name}-derived-wal": "derived-wal",
        f"{name}-derived-shm": "derived-shm",
        f"{name}-derived-damaged": "derived-damaged",
        f"{name}-redaction-00ff": "redaction-00ff",
        f"{name}-redaction-00ff-wal": "redaction-00ff-wal",
        f"{name}-redaction-11ee": "redaction-11ee",
        f"{name}-checked": "checked",
        f"{name}.revocations": "revocations",
        f"{database.stem}.log": "dayline.log",
        f"{database.stem}.log.1": "dayline.log.1",
        f"{database.stem}.log.3": "dayline.log.3",
    }
    for former, now in kept.items():
        put(folder / former, f"content of {now}")
    for removed in (f"{name}-derived.lock", f"{name}.token", f"{name}-scratch-1/staged.db"):
        put(folder / removed, "removed")
    put(folder / f".{name}-archive-1" / "copy.db", "removed")
    age(folder / f".{name}-archive-1", 2 * DAY_S)
    put(folder / "open.html", "removed", age_s=2 * DAY_S)
    return {now: f"content of {now}" for now in kept.values()}


def stays(database: Path) -> dict[str, str]:
    """Files next to the database that no move touches, with their content."""
    name, stem = database.name, database.stem
    names = [
        name, f"{name}-wal", f"{name}.lock", f"{name}-recovery", f"{name}-damaged", f"{name}.damaged-20260101T000000Z",
        f"{name}.before-restore-20260101T000000Z", f"{stem}-backups/a.db.zst", f"{stem}-watch/queue.db", "device_id",
        "tls/ca.pem", f"{stem}.log-of-my-own.txt", "other.db-derived", "other.db.token", "other.db-scratch-1/staged.db",
    ]  # fmt: skip
    for each in names:
        put(database.parent / each, f"content of {each}")
    return {each: f"content of {each}" for each in names}


def files_in(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_an_earlier_version_is_moved_and_all_others_stay(tmp_path: Path, name: str) -> None:
    database = tmp_path / name
    moved, left = former_layout(database), stays(database)

    open_folder(database)

    folder = data_file(database, DataFile.FOLDER)
    assert files_in(folder) == moved
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert files_in(tmp_path) == left | {f"{folder.name}/{each}": content for each, content in moved.items()}


def killed_while_moving(database: Path, *, before: int) -> int:
    """Move in another process, which is killed before this change of a file or a folder; returns its exit status."""
    process = os.fork()
    if process == 0:
        left = iter(range(before))

        def kill_when_due(event: str, arguments: tuple[object, ...]) -> None:
            changes = event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "shutil.rmtree")
            if (changes or (event == "open" and arguments[1] not in ("r", "rb", None))) and next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill_when_due)
        try:
            open_folder(database)
            os._exit(os.EX_OK)
        finally:
            os._exit(os.EX_SOFTWARE)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_killed_at_any_step_the_next_start_moves_the_rest(tmp_path: Path) -> None:
    status, step = -signal.SIGKILL, 0
    while status == -signal.SIGKILL:
        database = tmp_path / str(step) / "days.db"
        database.parent.mkdir()
        moved, left = former_layout(database), stays(database)
        status = killed_while_moving(database, before=step)

        open_folder(database)

        assert files_in(database.parent) == left | {f"days.db.d/{each}": text for each, text in moved.items()}, step
        shutil.rmtree(database.parent)
        step += 1

    assert status == os.EX_OK
    assert step > 15  # one for each file


def test_what_an_earlier_version_wrote_since_replaces_what_was_moved(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    put(tmp_path / "days.db.d" / "derived", "older")
    put(tmp_path / "days.db.d" / "derived-wal", "a log of the older one")
    put(tmp_path / "days.db-derived", "newer")
    put(tmp_path / "days.db-checked", "newer")
    put(tmp_path / "days.db.d" / "checked", "older")

    open_folder(database)

    assert files_in(tmp_path) == {"days.db.d/derived": "newer", "days.db.d/checked": "newer"}


def test_a_file_that_a_builder_of_a_killed_server_writes_is_moved_at_a_later_start(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    put(tmp_path / "days.db-derived", "being built")
    with closing(FileLock(tmp_path / "days.db-derived")):
        open_folder(database)
        assert (tmp_path / "days.db-derived").read_text() == "being built"
        assert not (tmp_path / "days.db.d" / "derived").exists()

    open_folder(database)

    assert files_in(tmp_path) == {"days.db.d/derived": "being built"}


def test_archives_and_pages_of_the_last_day_may_be_in_use(tmp_path: Path) -> None:
    put(tmp_path / ".days.db-archive-1" / "copy.db", "in use")
    put(tmp_path / "open.html", "in use")

    open_folder(tmp_path / "days.db")

    assert files_in(tmp_path) == {".days.db-archive-1/copy.db": "in use", "open.html": "in use"}


def test_a_folder_that_others_can_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "days.db.d").mkdir(mode=0o755)
    (tmp_path / "days.db.d").chmod(0o755)

    open_folder(tmp_path / "days.db")

    assert stat.S_IMODE((tmp_path / "days.db.d").stat().st_mode) == 0o700


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "days.db.d").symlink_to(tmp_path / "elsewhere")
    put(tmp_path / "days.db-checked", "stays")

    with pytest.raises(StoreUnusable, match=r"days\.db\.d is a symbolic link"):
        open_folder(tmp_path / "days.db")

    assert files_in(tmp_path) == {"days.db-checked": "stays"}


def test_links_at_former_names_are_deleted_not_followed(tmp_path: Path) -> None:
    theirs = put(tmp_path / "theirs" / "photos", "theirs").parent
    (tmp_path / "days.db-scratch-1").symlink_to(theirs)
    (tmp_path / "days.db.token").symlink_to(theirs / "photos")

    open_folder(tmp_path / "days.db")

    assert files_in(tmp_path) == {"theirs/photos": "theirs"}


def test_a_plan_of_a_redaction_is_found_by_its_former_name_and_after_a_rename(tmp_path: Path) -> None:
    now = plan_file(tmp_path / "days.db", "redaction-00ff")

    assert now == tmp_path / "days.db.d" / "redaction-00ff"
    assert plan_file(tmp_path / "days.db", "days.db-redaction-00ff") == now
    assert plan_file(tmp_path / "days.db", "old name-redaction-00ff") == now


def test_revocations_stay_pending_although_an_earlier_version_has_run_since(tmp_path: Path) -> None:
    # Its file replaced ours: the keys were valid again.
    put(tmp_path / "days.db.d" / "revocations", '{"when":1,"key":"k3f5a2bq"}\n' + "\0" * 100)
    put(tmp_path / "days.db.revocations", '{"when":2,"key":"zzzzaaaa"}\n' + "\0" * 100)

    open_folder(tmp_path / "days.db")

    assert pending(tmp_path / "days.db") == ["k3f5a2bq", "zzzzaaaa"]


def test_revocations_stay_pending_although_an_earlier_version_has_reserved_space_since(tmp_path: Path) -> None:
    put(tmp_path / "days.db.d" / "revocations", '{"when":1,"key":"k3f5a2bq"}\n' + "\0" * 100)
    put(tmp_path / "days.db.revocations", "\0" * 100)

    open_folder(tmp_path / "days.db")

    assert pending(tmp_path / "days.db") == ["k3f5a2bq"]


@pytest.mark.parametrize("name", ["days.db.revocations", "days.db.d/revocations"])
def test_a_database_with_pending_revocations_is_not_copied(tmp_path: Path, name: str) -> None:
    # The keys were valid in the copy.
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        server.create("window")
    put(tmp_path / name, '{"when":1,"key":"k3f5a2bq"}\n' + "\0" * 100)

    with pytest.raises(Conflict, match="revoked keys or sessions that are not stored yet"), copied_file(database):
        pass


def pending(database: Path) -> list[str]:
    """The keys that a server revokes when it starts."""
    journal = RevocationJournal(data_file(database, DataFile.REVOCATIONS))
    journal.open()
    return [entry.key for entry in journal.recovered]


# With servers.


def test_a_start_moves_the_files_and_uses_them(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    with RunningServer(database) as server:
        server.create("window")
    make_former(database)
    checked = (tmp_path / "days.db-checked").read_bytes()

    with RunningServer(database) as server:
        assert list(server.get("/api/0/buckets/").json) == ["window"]
        assert (tmp_path / "days.db.d" / "checked").read_bytes() == checked
        names = {path.name for path in tmp_path.iterdir()}

    assert names == {"days.db", "days.db-wal", "days.db-shm", "days.db.lock", "days.db.d", "device_id"}
    assert (tmp_path / "days.db.d" / "dayline.log").read_text().startswith("a line of the log\n")


def make_former(database: Path) -> None:
    """As an earlier version left a small database."""
    put(database.with_suffix(".log"), "a line of the log\n")
    put(database.with_name(f"{database.name}-checked"), f'{{"full":{time.time_ns() // 1000}}}')
    put(database.with_name(f"{database.name}.revocations"), "\0" * 100)
    shutil.rmtree(data_file(database, DataFile.FOLDER))


def test_pending_revocations_of_an_earlier_version_are_in_effect(tmp_path: Path) -> None:
    put(tmp_path / "days.db.revocations", '{"when":1,"key":"k3f5a2bq"}\n')

    open_folder(tmp_path / "days.db")

    assert pending(tmp_path / "days.db") == ["k3f5a2bq"]


def test_a_backup_restored_among_files_of_an_earlier_version_replaces_the_data_alone(tmp_path: Path) -> None:
    database = tmp_path / "days.db"
    filled(tmp_path / "then.db", "editor")
    packed(tmp_path / "then.db", tmp_path / "then.db.zst", work=tmp_path)
    with RunningServer(database) as server:
        server.create("now")
    make_former(database)
    put(tmp_path / "days.db.revocations", '{"when":1,"key":"k3f5a2bq"}\n')
    put(tmp_path / "days.db-derived", "of the replaced database")

    replace_database(database, tmp_path / "then.db.zst", now=0)

    with RunningServer(database) as server:
        assert list(server.get("/api/0/buckets/").json) == ["window"]
        assert server.get("/api/0/buckets/window/events/count").json == 1
    assert "1 revocation of an earlier run" in (tmp_path / "days.db.d" / "dayline.log").read_text()
    assert not (tmp_path / "days.db-derived").exists()
