"""Checks a whole database file, one table after the other, so that the write-ahead log can be reset between them."""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.storage.sqlite.file.connection import open_reader

_MAX_DEFECTS: Final = 20  # defects; one is enough to know
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rootpage"


def check_file(path: Path, *, is_full: bool) -> list[str]:
    """The defects of a file, in SQLite's words; a full check also compares indexes with their tables."""
    pragma = "integrity_check" if is_full else "quick_check"
    findings: list[str] = []
    try:
        with closing(open_reader(path)) as db:
            names = ["sqlite_schema", *(str(name) for (name,) in db.execute(_TABLES).fetchall())]
            for name in names:
                findings += _checked(db, pragma, name)
                if len(findings) >= _MAX_DEFECTS:
                    break
    except (apsw.CorruptError, apsw.NotADBError) as error:
        findings.append(str(error))
    return findings


def _checked(db: apsw.Connection, pragma: str, table: str) -> list[str]:
    rows = msgspec.convert(db.execute(f"PRAGMA {pragma}('{table}')").fetchall(), list[tuple[str]])
    lines = [line for (text,) in rows for line in text.splitlines() if line != "ok" and not line.startswith("***")]
    return [f"{table}: {line}" for line in lines[:_MAX_DEFECTS]]
