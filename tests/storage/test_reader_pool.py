"""Connections of a pool are closed with it, those in use at that moment when their reader is done."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dayline.storage.sqlite.file.connection import ReaderPool


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


def test_a_connection_in_use_when_another_file_is_read_is_closed_by_its_reader(path: Path) -> None:
    pool = ReaderPool(path)
    with pool.connection() as db:
        pool.move(path.with_name("other.db"))
    assert not is_open(db)
