"""Copies a database of another program, which is plain, to an encrypted file, without a plain file in between."""

from contextlib import closing
from pathlib import Path

from dayline.config.data_folder import beside
from dayline.model.errors import Unavailable
from dayline.runtime.encrypted_file import DatabaseKey
from dayline.runtime.read_through import Content, FileContent, connect_to
from dayline.runtime.spool import open_input
from dayline.runtime.sqlite_file import vacuum_foreign
from dayline.storage.sqlite.repair.pages import Pages


def copy_with_log(database: Path, copy: Path, key: DatabaseKey) -> None:
    """Copy a database with what is committed in its write-ahead log. The caller detects changes during the copy.

    Raises Unavailable if a transaction would have to be rolled back first, and apsw.Error.
    """
    journal = beside(database, "-journal")
    if journal.exists() and journal.stat().st_size:
        raise Unavailable(
            f"{database} was being written when its server ended", hint="start its server once, then try again"
        )
    with Pages(database, is_ours=False) as pages:
        _copy(_PagesContent(pages), copy, key)


def copy_spooled(spooled: Path, copy: Path, key: DatabaseKey) -> None:
    """Copy a database that was sent to us. Raises apsw.Error."""
    with open_input(spooled) as file:
        _copy(FileContent(file), copy, key)


class _PagesContent:
    """A database with its log applied."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.size = pages.count * pages.size

    def read_at(self, offset: int, count: int) -> bytes:
        number, at = divmod(offset, self._pages.size)
        return self._pages[number + 1][at : at + count]  # SQLite reads one page at a time


def _copy(content: Content, copy: Path, key: DatabaseKey) -> None:
    with closing(connect_to(content)) as source:
        vacuum_foreign(source, copy, key)
