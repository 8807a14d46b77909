"""Another user of a folder cannot choose, with a symbolic link, which file a server writes to or empties."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayline.cli.options.encryption import key_file_warnings
from dayline.cli.options.settings import Flags, change_setting, resolve
from dayline.client.watch.process import WatchFolder
from dayline.model.errors import StoreUnusable
from dayline.runtime.files import make_folders
from dayline.runtime.logs import LogRecords, set_up
from dayline.storage.sqlite.file.lock import FileLock


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text("precious\n")
    return path


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers, root.level
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers, root.level = before


def test_the_lock_does_not_empty_the_target_of_a_link(tmp_path: Path, victim: Path) -> None:
    # Before, the lock file was opened through the link, and truncated.
    (tmp_path / "days.db.lock").symlink_to(victim)

    with pytest.raises(StoreUnusable, match=r"days\.db\.lock is a symbolic link") as refused:
        FileLock(tmp_path / "days.db")

    assert refused.value.hint == "delete it"
    assert victim.read_text() == "precious\n"


def test_the_folder_of_the_watcher_is_not_locked_through_a_link(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "process").symlink_to(victim)

    with pytest.raises(StoreUnusable):
        WatchFolder(tmp_path / "watch")

    assert victim.read_text() == "precious\n"


@pytest.mark.usefixtures("own_logging")
def test_the_log_is_not_appended_through_a_link(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "days.log").symlink_to(victim)
    records = LogRecords()

    set_up(level="info", file=tmp_path / "days.log", records=records)
    logging.getLogger("dayline").info("a line")

    assert victim.read_text() == "precious\n"
    messages = [record.message for record in records.newest_first()]
    assert any("is a symbolic link" in message for message in messages)
    assert "a line" in messages


@pytest.mark.usefixtures("own_logging", "open_umask")
def test_the_log_and_the_lock_are_for_the_user_only(tmp_path: Path) -> None:
    set_up(level="info", file=tmp_path / "days.log", records=LogRecords())
    logging.getLogger("dayline").info("a line")
    FileLock(tmp_path / "days.db").close()

    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("days.log", "days.db.lock")] == [0o600, 0o600]


@pytest.mark.usefixtures("open_umask")
def test_the_folder_of_the_settings_is_for_the_user_only(tmp_path: Path) -> None:
    # Before, it was created with mode 0777 if the umask was 000.
    change_setting(tmp_path / "config" / "dayline" / "config.toml", "server.port", 5700)
    make_folders(tmp_path / "a" / "b")

    folders = ("config", "config/dayline", "a", "a/b")
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in folders] == [0o700] * 4


def test_a_key_file_that_others_can_read_or_that_is_next_to_the_database_is_reported(tmp_path: Path) -> None:
    key = tmp_path / "data" / "key"
    key.parent.mkdir()
    key.write_text("00")

    def warnings(mode: int, database: Path) -> list[str]:
        key.chmod(mode)
        return key_file_warnings(resolve(Flags(server={"database": str(database), "encryption_key_file": key})))

    elsewhere = tmp_path / "elsewhere" / "days.db"
    assert warnings(0o600, elsewhere) == []
    assert [text.split(":")[0] for text in warnings(0o640, elsewhere)] == [f"Other users can read the key file {key}"]
    (beside,) = warnings(0o600, key.parent / "days.db")
    assert "is next to the database" in beside
