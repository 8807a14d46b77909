"""Files that the user names or sends may be plain; the copies that Dayline makes of them are encrypted."""

import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dayline.maintenance.migration.snapshot import snapshot
from dayline.model.errors import Invalid, Unavailable
from dayline.runtime.encrypted_file import FileKind, kind_of
from dayline.runtime.encryption import authentic, authenticated
from dayline.runtime.read_through import FileContent, connect_to
from dayline.runtime.spool import create_spool, open_input, open_spool
from dayline.runtime.sqlite_file import connect
from tests.support.hostile import endless_rows
from tests.support.storage.encrypting import encrypting

TITLE = "Kassensturz"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A database of another program with a row in its file and one in its log, as a crash leaves them."""
    path = tmp_path / "theirs" / "sqlite.db"
    path.parent.mkdir()
    with closing(apsw.Connection(str(tmp_path / "written.db"))) as db:
        db.pragma("journal_mode", "WAL")
        db.execute("CREATE TABLE t(title)")
        db.executemany("INSERT INTO t VALUES(?)", [(f"{TITLE} {number}",) for number in range(2000)])
        db.pragma("wal_checkpoint(TRUNCATE)")
        db.execute("INSERT INTO t VALUES('in the log')")
        for suffix in ("", "-wal"):
            shutil.copyfile(tmp_path / f"written.db{suffix}", f"{path}{suffix}")
    return path


def titles(path: Path) -> list[object]:
    with closing(connect(path)) as db:
        return [title for (title,) in db.execute("SELECT title FROM t ORDER BY rowid")]


@pytest.mark.parametrize("is_sent", [False, True])
def test_the_snapshot_of_a_plain_database_is_complete_and_encrypted(
    source: Path, tmp_path: Path, is_sent: bool
) -> None:
    expected = titles(source) if not is_sent else [f"{TITLE} {number}" for number in range(2000)]
    with encrypting():
        if is_sent:
            with closing(apsw.Connection(str(source))) as db:
                db.execute("DELETE FROM t WHERE title = 'in the log'")
                db.pragma("wal_checkpoint(TRUNCATE)")
            with create_spool(tmp_path / "0.json") as file:
                file.write(source.read_bytes())
            source = tmp_path / "0.json"
        (tmp_path / "scratch").mkdir()
        copy = snapshot(source, tmp_path / "scratch")
        found = titles(copy)

    assert found == expected
    assert kind_of(copy) is FileKind.ENCRYPTED
    assert all(TITLE.encode() not in file.read_bytes() for file in (tmp_path / "scratch").iterdir())


def test_a_log_without_an_index_is_part_of_the_encrypted_snapshot(source: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    with encrypting():
        copy = snapshot(source, tmp_path / "scratch")
        assert titles(copy)[-1] == "in the log"


def test_a_journal_of_a_crash_is_left_to_the_server_that_wrote_it(source: Path, tmp_path: Path) -> None:
    source.with_name("sqlite.db-journal").write_bytes(b"\1" * 600)
    with encrypting(), pytest.raises(Unavailable, match="was being written") as refused:
        snapshot(source, tmp_path)
    assert "start its server once" in str(refused.value.hint)


def test_a_spooled_file_is_read_like_the_original(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    with encrypting():
        with create_spool(tmp_path / "spool") as file:
            for at in range(0, len(content), 77_777):
                file.write(content[at : at + 77_777])
        with open_spool(tmp_path / "spool") as opened:
            assert opened.read() == content
            opened.seek(300_000)
            assert opened.read(10) == content[300_000:300_010]
        with create_spool(tmp_path / "empty"):
            pass
        with open_spool(tmp_path / "empty") as opened:
            assert opened.read() == b""
    assert content[:1000] not in (tmp_path / "spool").read_bytes()
    assert (tmp_path / "spool").stat().st_mode & 0o777 == 0o600


def test_a_plain_file_that_the_user_names_is_read_as_it_is(source: Path) -> None:
    with encrypting(), open_input(source) as file, closing(connect_to(FileContent(file))) as db:
        assert db.execute("SELECT title FROM t LIMIT 1").get == f"{TITLE} 0"


def test_state_counts_only_with_the_key_and_for_its_purpose() -> None:
    with encrypting():
        line = authenticated(b'{"full": 1}', "time of the last check")
        assert authentic(line, "time of the last check") == b'{"full": 1}'
        assert authentic(line, "revocation") is None
        assert authentic(line.replace(b"1}", b"2}"), "time of the last check") is None
        assert authentic(b'{"full": 1}', "time of the last check") is None
    assert authentic(b'{"full": 1}', "time of the last check") == b'{"full": 1}'
    assert authentic(line, "time of the last check") == b'{"full": 1}'


# The encrypted copy is made row by row, and not page by page: a file of 500 KB took gigabytes of disk space.
@pytest.mark.parametrize("is_sent", [False, True])
def test_a_database_with_endless_rows_does_not_fill_the_disk(tmp_path: Path, is_sent: bool) -> None:
    endless = endless_rows(tmp_path / "endless.db")
    with encrypting():
        if is_sent:
            with create_spool(tmp_path / "0.json") as file:
                file.write(endless.read_bytes())
        (tmp_path / "scratch").mkdir()
        with pytest.raises(Invalid, match="more rows than fit into it"):
            snapshot(tmp_path / "0.json" if is_sent else endless, tmp_path / "scratch")

    assert (tmp_path / "scratch" / "snapshot.db").stat().st_size < 16 << 20


# An encrypted page has less space for rows. If only one of two fits, the copy is twice as large.
def test_the_snapshot_may_be_larger_than_the_source(tmp_path: Path) -> None:
    source = tmp_path / "sqlite.db"
    with closing(apsw.Connection(str(source))) as db:
        db.execute("CREATE TABLE t(title)")
        db.executemany("INSERT INTO t VALUES(?)", [("x" * 2031,) for _ in range(4000)])
    (tmp_path / "scratch").mkdir()
    with encrypting():
        copy = snapshot(source, tmp_path / "scratch")
        assert len(titles(copy)) == 4000

    assert copy.stat().st_size > 1.8 * source.stat().st_size
