"""Limits for reading files that another person or program made: of the process, of SQLite, and of a database's schema.

A database is more than its rows: views, triggers, generated columns and virtual tables run when it is read, and a few
bytes of them take as much memory and time as they like.
"""

import os
import re
import sys
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import apsw

from dayline.model.errors import Invalid

INSPECTION_MEMORY_MIB: Final = 192
INSPECTION_PROCESSOR_S: Final = 60
# Enough to sort millions of events. What is read one by one needs a fraction of it.
IMPORT_MEMORY_MIB: Final = 1024
_IMPORT_PROCESSOR_S: Final = 300
_PROCESSOR_S_PER_MIB: Final = 2  # on a slow computer; usually it is a fiftieth
OUT_OF_MEMORY: Final = (MemoryError, apsw.NoMemError)

MORE_ROWS_THAN_FIT: Final = "the database is damaged: it has more rows than fit into it"
RECOVER_HINT: Final = "recover what is readable first: sqlite3 FILE .recover | sqlite3 NEW"
MAX_VALUE_BYTES: Final = 16 << 20  # of a row of a database; no watcher records more

_BLANK: Final = r"(?:\s|/\*.*?\*/|--[^\n]*\n)+"
_PLAIN: Final = re.compile(
    rf"CREATE{_BLANK}(?:(?P<table>TABLE)|(?:UNIQUE{_BLANK})?(?P<index>INDEX))\b", re.IGNORECASE | re.DOTALL
)
_OTHER: Final = re.compile(rf"CREATE{_BLANK}(?P<kind>VIEW|TRIGGER|VIRTUAL)\b", re.IGNORECASE | re.DOTALL)
_GENERATED: Final = (2, 3)  # in the column `hidden` of table_xinfo: virtual and stored
_EXPRESSION: Final = -2  # in the column `cid` of index_xinfo
_CHECK: Final = re.compile(rf"\bCHECK(?:{_BLANK})?\(", re.IGNORECASE | re.DOTALL)


def limit_memory(mib: int) -> None:
    """Limit the memory of this process, if the system supports it. Beyond it, Python raises MemoryError."""
    if sys.platform == "win32":
        return
    import resource  # imported here: not available on Windows

    kind = _memory_kind()
    _, most = resource.getrlimit(kind)
    limit = mib << 20
    with suppress(ValueError):  # macOS has the call, and rejects some limits
        resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def _memory_kind() -> int:
    import resource  # imported here: not available on Windows

    # Only Linux counts the memory in use; elsewhere the whole address space is limited.
    return resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS


def limit_processor(seconds: int) -> None:
    """Limit the processor time of this process, if the system supports it. Beyond it, SIGXCPU ends it."""
    if sys.platform == "win32":
        return
    import resource  # imported here: not available on Windows

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError):
        resource.setrlimit(
            resource.RLIMIT_CPU, (seconds if most == resource.RLIM_INFINITY else min(seconds, most), most)
        )


@contextmanager
def limited_memory(mib: int = IMPORT_MEMORY_MIB) -> Generator[None]:
    """Limit the memory of this process for a while. Raises Invalid if that is not enough."""
    if sys.platform == "win32":
        yield
        return
    import resource  # imported here: not available on Windows

    kind = _memory_kind()
    before = resource.getrlimit(kind)
    limit_memory(mib)
    try:
        yield
    except OUT_OF_MEMORY as error:
        raise Invalid(f"reading the file takes more than {mib:,} MiB of memory") from error
    finally:
        resource.setrlimit(kind, before)


def limit_inspection() -> None:
    """The limits of a process that only looks into a file."""
    limit_memory(INSPECTION_MEMORY_MIB)
    limit_processor(INSPECTION_PROCESSOR_S)


def limit_import(*, size: int) -> None:
    """The limits of a process that reads files of this many bytes."""
    limit_memory(IMPORT_MEMORY_MIB)
    limit_processor(_IMPORT_PROCESSOR_S + _PROCESSOR_S_PER_MIB * (size >> 20))


def give_way(niceness: int) -> None:
    """Lower the priority of this process: recording has priority."""
    with suppress(OSError, AttributeError):  # not available on Windows
        os.nice(niceness)


def harden(db: apsw.Connection, *, max_value_bytes: int = MAX_VALUE_BYTES, max_attached: int = 0) -> None:
    """Let nothing in a database run, attach or write to its schema, and no value be longer than that."""
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    for setting in (
        apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER,
        apsw.SQLITE_DBCONFIG_ENABLE_VIEW,
        apsw.SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
    ):
        db.config(setting, 0)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, max_value_bytes)
    db.limit(apsw.SQLITE_LIMIT_ATTACHED, max_attached)


def check_schema(db: apsw.Connection, *, known: Collection[str] = ()) -> None:
    """Raise Invalid if the database has anything but tables and indexes of plain columns, and name it.

    `known` is the SQL of other indexes that are ours. Reads the schema only. The stored SQL decides, as in SQLite: the
    type next to it may say something else.
    """
    try:
        entries = db.execute("SELECT type, name, sql, rootpage FROM sqlite_schema").fetchall()
        for kind, name, sql, page in entries:
            what = _unusual(str(kind), sql, page)
            if what is not None:
                raise _rejected(what, str(name))
        accepted = {name for _, name, sql, _ in entries if sql in known}
        for table in (str(name) for kind, name, _, _ in entries if kind == "table"):
            for what, name in _computed(db, table):
                if name not in accepted:
                    raise _rejected(what, name)
    except UnicodeDecodeError as error:
        raise Invalid("the schema of the database is not valid UTF-8") from error
    except apsw.TooBigError as error:
        raise Invalid("the schema of the database is too large") from error


def _unusual(kind: str, sql: object, page: object) -> str | None:
    """What an entry of the schema is, if it is not an ordinary table or index."""
    if sql is None:
        return None if kind == "index" else "entry"  # SQLite creates the index of a primary key without SQL
    text = str(sql).lstrip()
    other = _OTHER.match(text)
    if other is not None:
        return "virtual table" if other["kind"].upper() == "VIRTUAL" else other["kind"].lower()
    if _CHECK.search(text) is not None:
        return "check constraint in"
    plain = _PLAIN.match(text)
    is_as_it_says = plain is not None and kind == ("index" if plain["table"] is None else "table")
    return None if is_as_it_says and page else "entry"


def _computed(db: apsw.Connection, table: str) -> Iterator[tuple[str, str]]:
    """The generated columns of a table, and its indexes of expressions or of some rows."""
    for _, column, _, _, _, _, hidden in db.execute("SELECT * FROM pragma_table_xinfo(?)", (table,)).fetchall():
        if hidden in _GENERATED:
            yield "generated column", f"{table}.{column}"
    for _, index, _, _, partial in db.execute("SELECT * FROM pragma_index_list(?)", (table,)).fetchall():
        columns = db.execute("SELECT cid FROM pragma_index_xinfo(?)", (index,)).fetchall()
        if partial or (_EXPRESSION,) in columns:
            yield "index with an expression", str(index)


def _rejected(what: str, name: str) -> Invalid:
    return Invalid(
        f"the database has the {what} {name[:100]!r}, and may have only tables and indexes of plain columns",
        hint="remove it from a copy of the database, and use that",
    )
