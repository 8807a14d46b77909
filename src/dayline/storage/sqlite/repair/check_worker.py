"""The process that checks a database file as a whole.

    python -m dayline.storage.sqlite.repair.check_worker DATABASE quick|full

It gives way to everything else, and reads one table after the other, so that the write-ahead log can be emptied between
them. What it writes is a list (JSON) of what is wrong, in SQLite's words.
"""

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec

from dayline.storage.sqlite.file.connection import open_reader

_MOST: Final = 20  # findings; one is enough to know
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rootpage"


def main() -> None:
    """Check the file that the arguments name."""
    if sys.platform != "win32":
        os.nice(15)
    path, kind = sys.argv[1:]
    sys.stdout.buffer.write(msgspec.json.encode(check_file(Path(path), is_full=kind == "full")))


def check_file(path: Path, *, is_full: bool) -> list[str]:
    """What is wrong with a file; a full check compares indexes with their tables besides."""
    pragma = "integrity_check" if is_full else "quick_check"
    findings: list[str] = []
    try:
        with closing(open_reader(path)) as db:
            names = ["sqlite_schema", *(str(name) for (name,) in db.execute(_TABLES).fetchall())]
            for name in names:
                findings += _checked(db, pragma, name)
                if len(findings) >= _MOST:
                    break
    except (apsw.CorruptError, apsw.NotADBError) as error:
        findings.append(str(error))
    return findings


def _checked(db: apsw.Connection, pragma: str, table: str) -> list[str]:
    rows = msgspec.convert(db.execute(f"PRAGMA {pragma}('{table}')").fetchall(), list[tuple[str]])
    lines = [line for (text,) in rows for line in text.splitlines() if line != "ok" and not line.startswith("***")]
    return [f"{table}: {line}" for line in lines[:_MOST]]


if __name__ == "__main__":
    main()
