"""Texts and files that are made to take much time, memory or disk space from anyone who opens them."""

import signal
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Final, NoReturn

import apsw
import pytest
import zstandard

_SIZE: Final = 1 << 20
# Seconds of CPU time, whatever else the machine does. Linear work takes a hundredth of it, quadratic work hours.
_LIMIT_S: Final = 30.0

PIECES: Final = (
    '"', "'", "\\", '\\"', "\\'", '"\\', "[", '["', "{", '{"a":', '"},', ".", "a.", "#\n", "/", " ",
)  # fmt: skip
TEXTS: Final = {repr(piece): piece * (_SIZE // len(piece)) for piece in PIECES}

hostile_texts = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


@contextmanager
def linear_time() -> Generator[None]:
    """Fail, by interrupting it, if the block needs more CPU time than any linear work."""
    before = signal.signal(signal.SIGVTALRM, _fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _fail(_number: int, _frame: FrameType | None) -> NoReturn:
    pytest.fail(f"it needed more than {_LIMIT_S:.0f} s of CPU time")


_BUCKETS: Final = (
    "CREATE TABLE buckets(id INTEGER PRIMARY KEY, name TEXT, type TEXT, client TEXT, hostname TEXT, created TEXT)"
)
_EVENTS: Final = (
    "CREATE TABLE events(id INTEGER PRIMARY KEY, bucketrow INTEGER, starttime INTEGER, endtime INTEGER, {})"
)
_HUGE: Final = "hex(zeroblob(499999999))"
_ROWS: Final = """
INSERT INTO buckets(id, name, type, client, hostname, created)
    VALUES(1, 'window', 't', 'c', 'h', '2026-01-01T00:00:00Z');
INSERT INTO events(id, bucketrow, starttime, endtime) VALUES(1, 1, 1767225600000000000, 1767225601000000000);
"""
_PAGE: Final = 4096
_DATA: Final = 256 << 10  # bytes of an event in an archive


def database(path: Path, *, data: str = "data TEXT", before: str = "", after: str = "") -> Path:
    """A database of the Rust server with one event; `data` declares the column of its data."""
    db = apsw.Connection(str(path))
    db.execute(f"{_BUCKETS}; {_EVENTS.format(data)}; {before}; {_ROWS}; {after}")
    db.close()
    return path


def _pretending(path: Path, kind: str, statement: str) -> Path:
    """The schema calls `odd` something else than what its SQL creates."""
    after = f"{statement}; PRAGMA writable_schema=ON; UPDATE sqlite_schema SET type = '{kind}' WHERE name = 'odd'"
    return database(path, after=after)


# What each of them has, as the message names it, and how it is made.
DATABASES: Final[Mapping[str, tuple[str, Callable[[Path], Path]]]] = MappingProxyType(
    {
        "generated column": (
            "generated column 'events.data'",
            lambda path: database(path, data=f"data TEXT GENERATED ALWAYS AS ({_HUGE}) VIRTUAL"),
        ),
        "generated time": (
            "generated column 'events.late'",
            lambda path: database(path, data=f"data TEXT, late INTEGER AS (length({_HUGE})) VIRTUAL"),
        ),
        "view instead of a table": (
            "view 'events'",
            lambda path: database(
                path,
                after=f"ALTER TABLE events RENAME TO old; CREATE VIEW events AS WITH RECURSIVE n(i) AS ("
                f"SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 1 AS bucketrow, i AS starttime, "
                f"i AS endtime, {_HUGE} AS data FROM n",
            ),
        ),
        "another view": ("view 'odd'", lambda path: database(path, after="CREATE VIEW odd AS SELECT 1")),
        "trigger": (
            "trigger 'odd'",
            lambda path: database(path, after=f"CREATE TRIGGER odd AFTER DELETE ON events BEGIN SELECT {_HUGE}; END"),
        ),
        "virtual table": (
            "virtual table 'odd'",
            lambda path: database(path, after="CREATE VIRTUAL TABLE odd USING fts5(x)"),
        ),
        "index of an expression": (
            "index with an expression 'odd'",
            lambda path: database(path, after="CREATE INDEX odd ON events(length(data))"),
        ),
        "index of some rows": (
            "index with an expression 'odd'",
            lambda path: database(path, after="CREATE INDEX odd ON events(endtime) WHERE length(data) > 1"),
        ),
        "check constraint": (
            "check constraint in 'odd'",
            lambda path: database(path, after=f"CREATE TABLE odd(x CHECK/**/({_HUGE} > ''))"),
        ),
        "view that is called a table": (
            "malformed database schema (odd)",
            lambda path: _pretending(path, "table", "CREATE VIEW odd AS SELECT 1"),
        ),
        "table that is called an index": (
            "malformed database schema (odd)",
            lambda path: _pretending(path, "index", "CREATE TABLE odd(x, y AS (1))"),
        ),
    }
)


def endless_rows(path: Path, *, levels: int = 3) -> Path:
    """A database whose pages of events contain each other: a few kilobytes with billions of rows."""
    filler = "x" * 100
    database(
        path,
        after=f"WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) "
        f"INSERT INTO events SELECT i, 1, 1767225600000000000 + i, 1767225600000000000 + i, '{filler}' FROM n",
    )
    db = apsw.Connection(str(path))
    root = int(db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get)
    db.close()
    content = bytearray(path.read_bytes())
    page = (root - 1) * _PAGE
    assert content[page] == 5  # an interior page of a table
    cells = [
        page + int.from_bytes(content[at : at + 2])
        for at in range(page + 12, page + 12 + 2 * int.from_bytes(content[page + 3 : page + 5]), 2)
    ]
    leaf = bytes(content[cells[0] : cells[0] + 4])
    for level in range(levels):
        # A copy of the root whose children are all the same page, at the end of the file.
        for cell in cells:
            content[cell : cell + 4] = leaf
        content[page + 8 : page + 12] = leaf
        if level < levels - 1:
            leaf = (len(content) // _PAGE + 1).to_bytes(4)
            content += content[page : page + _PAGE]
    content[28:32] = (len(content) // _PAGE).to_bytes(4)
    path.write_bytes(content)
    return path


def expanding_archive(path: Path, *, mib: int = 162) -> Path:
    """An archive of a few kilobytes that expands to this size."""
    header = (
        b'{"kind":"header","format":"dayline-archive","version":1,"made":"2026-01-01T00:00:00Z","schema":1,'
        b'"server":"1","events":1,"next_event_id":2}\n'
    )
    bucket = (
        b'{"kind":"bucket","id":"b","type":"t","client":"c","hostname":"h","created":"2026-01-01T00:00:00Z",'
        b'"creator":null,"data":{}}\n'
    )
    event = (
        b'{"kind":"event","bucket":"b","id":%d,"timestamp":"2026-01-01T00:00:00Z","duration":1,"data":{"a":"'
        + b"x" * (_DATA - 2)
        + b'%%"}}\n'
    )
    compressor = zstandard.ZstdCompressor(level=3).compressobj()
    with path.open("wb") as file:
        file.write(compressor.compress(header + bucket))
        for number in range((mib << 20) // _DATA):
            file.write(compressor.compress(event % (number + 1)))
        file.write(compressor.flush())
    return path
