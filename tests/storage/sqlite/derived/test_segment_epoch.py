"""Every database has a number that names its history, so that derived data of another one never fit."""

from pathlib import Path

import pytest

from dayline.storage.sqlite.derived.file import WrongStamp, epoch_of
from dayline.storage.sqlite.file.schema import MIGRATIONS
from dayline.storage.sqlite.upgrade import open_current


def epoch(path: Path) -> int:
    db = open_current(path)
    try:
        return epoch_of(db)
    finally:
        db.close()


def test_a_database_keeps_its_epoch(tmp_path: Path) -> None:
    path = tmp_path / "days.db"

    assert epoch(path) == epoch(path)


def test_two_databases_have_different_epochs(tmp_path: Path) -> None:
    assert epoch(tmp_path / "days.db") != epoch(tmp_path / "nights.db")


def test_a_database_of_the_first_schema_gets_an_epoch(tmp_path: Path) -> None:
    path = tmp_path / "days.db"
    first = open_current(path, MIGRATIONS[:1])
    with pytest.raises(WrongStamp):
        epoch_of(first)
    first.close()

    assert isinstance(epoch(path), int)
