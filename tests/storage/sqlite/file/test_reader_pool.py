"""Connections of a pool are closed with it, those in use at that moment when their reader is done."""

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from threading import Event

import apsw
import pytest

from dayline.model.errors import StoreUnusable
from dayline.storage.sqlite.file.connection import ReaderPool
from tests.support.waiting import PATIENCE_S


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "days.db"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("CREATE TABLE t(x)")
    return path


def is_open(db: apsw.Connection) -> bool:
    try:
        db.pragma("user_version")
    except apsw.ConnectionClosedError:
        return False
    return True


def test_a_connection_is_used_again(path: Path) -> None:
    pool = ReaderPool(path)
    with pool.connection() as first:
        pass
    with pool.connection() as second:
        pass
    assert first is second
    pool.close()
    assert not is_open(first)


def test_a_connection_in_use_when_the_pool_is_closed_is_closed_by_its_reader(path: Path) -> None:
    pool = ReaderPool(path)
    with pool.connection() as db:
        pool.close()
        assert is_open(db)
    assert not is_open(db)


def test_closing_waits_for_readers_that_are_not_done(path: Path) -> None:
    pool = ReaderPool(path)
    is_reading, may_end, has_read = Event(), Event(), Event()

    def read() -> None:
        with pool.connection():
            is_reading.set()
            may_end.wait()
            has_read.set()

    with ThreadPoolExecutor() as threads:
        threads.submit(read)
        is_reading.wait()
        closing_pool = threads.submit(pool.close, PATIENCE_S)
        assert not wait([closing_pool], timeout=0.05).done
        may_end.set()
        closing_pool.result()
        assert has_read.is_set()


def test_closing_waits_so_long_and_no_longer(path: Path) -> None:
    pool = ReaderPool(path)
    with pool.connection() as db:
        pool.close(0.01)
        assert is_open(db)


def test_a_reader_that_comes_after_the_end_is_refused_and_leaves_no_log(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("journal_mode", "wal")
    pool = ReaderPool(path)
    pool.close()
    with pytest.raises(StoreUnusable, match="stopping"), pool.connection():
        pass
    assert [each.name for each in path.parent.iterdir()] == [path.name]
