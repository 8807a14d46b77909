"""Emptying the write-ahead log: a disk that refuses is named, and is no defect of ours."""

import resource
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dayline.model.errors import StoreBusy
from dayline.storage.sqlite.file.connection import open_writer
from dayline.storage.sqlite.file.emptying import empty_log


@pytest.fixture
def full_disk() -> Iterator[None]:
    """This process can make no file longer than it is."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_log_is_emptied_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    with closing(open_writer(path)) as db:
        db.execute("CREATE TABLE text(text); INSERT INTO text VALUES('redacted')")

        empty_log(path)

        assert path.with_name("days.db-wal").stat().st_size == 0


def test_a_log_that_cannot_be_emptied_names_the_disk(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "days.db"
    with closing(open_writer(path)) as db:
        db.execute("CREATE TABLE text(text); INSERT INTO text VALUES('redacted')")
        request.getfixturevalue("full_disk")

        with pytest.raises(StoreBusy, match=r"^cannot empty the write-ahead log: "):
            empty_log(path)
