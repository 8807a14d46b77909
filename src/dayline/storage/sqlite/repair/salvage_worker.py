"""Reads a damaged file and writes its rows to another file, in the order of copying.

It takes some seconds of CPU time per year of data: call it in a child process. The staged file gets its name once it is
complete; staging the same file again gives the same rows in the same order.
"""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import SettingsInvalid
from dayline.runtime.files import replace_file
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.columns.hashes import hash_of
from dayline.storage.sqlite.file.schema import RENAME_KINDS
from dayline.storage.sqlite.repair.bootstrap import UNKNOWN, whole_row
from dayline.storage.sqlite.repair.pages import Pages
from dayline.storage.sqlite.repair.salvage import Salvage, Tree, known_trees

# Tables that are copied last, in this order, each after those it refers to.
REST: Final = (
    "audit", "redaction", "redacted_value", "redacted_event", "operation", "operation_event", "bucket",
)  # fmt: skip
_OWN: Final = ("event", "event_id", "value", "month", "bucket_id")
_TABLES: Final = """
CREATE TABLE event(bucket INTEGER, start INTEGER, id INTEGER, duration INTEGER, value INTEGER,
    PRIMARY KEY(bucket, start, id)) WITHOUT ROWID;
-- What the index by id has: an event that is in it and nowhere else is lost, and was there.
CREATE TABLE event_id(id INTEGER, bucket INTEGER, start INTEGER, PRIMARY KEY(id, bucket, start)) WITHOUT ROWID;
CREATE TABLE value(key INTEGER PRIMARY KEY, bucket INTEGER, hash INTEGER, json TEXT);
CREATE TABLE month(bucket INTEGER, month INTEGER, events INTEGER, longest INTEGER, reach INTEGER, is_sealed INTEGER,
    changes INTEGER, PRIMARY KEY(bucket, month)) WITHOUT ROWID;
CREATE TABLE torn(bucket INTEGER, start INTEGER, id INTEGER, duration INTEGER, value INTEGER);
CREATE TABLE bucket_id(id TEXT, key INTEGER PRIMARY KEY);
CREATE TABLE found(json TEXT);
"""
# Two rows with the same id: the index decides.
_STALE = """
DELETE FROM event WHERE (bucket, start, id) IN (
    SELECT bucket, start, id FROM event WHERE id IN (SELECT id FROM event GROUP BY id HAVING count(*) > 1)
) AND (id, bucket, start) NOT IN (SELECT id, bucket, start FROM event_id)
AND id IN (SELECT id FROM event_id)
"""
# What is left of a torn page may be anything: it counts only if the index and the dictionary know it.
_TORN = """
INSERT OR IGNORE INTO event SELECT torn.* FROM torn
WHERE (torn.id, torn.bucket, torn.start) IN (SELECT id, bucket, start FROM event_id)
AND EXISTS (SELECT 1 FROM value WHERE value.key = torn.value AND value.bucket = torn.bucket)
"""
# The same for other tables as far as possible: a value belongs to one bucket.
_FOREIGN = """
DELETE FROM event WHERE EXISTS (SELECT 1 FROM value WHERE value.key = event.value AND value.bucket <> event.bucket)
"""
_NAMELESS = """
INSERT OR IGNORE INTO bucket(key, id, type, client, hostname, created, data, dictionary)
SELECT key, id, :unknown, :unknown, :unknown, 0, '{}', 0 FROM bucket_id
WHERE key NOT IN (SELECT key FROM bucket)
UNION ALL
SELECT DISTINCT event.bucket, 'recovered-' || event.bucket, :unknown, :unknown, :unknown, 0, '{}', 0 FROM event
WHERE event.bucket NOT IN (SELECT key FROM bucket) AND event.bucket NOT IN (SELECT key FROM bucket_id)
"""
_TEXTLESS = "SELECT DISTINCT value, bucket FROM event WHERE value NOT IN (SELECT key FROM value)"


class SalvageReport(Struct, frozen=True, kw_only=True):
    """What was recovered from a damaged file, and what was lost. Pages and rows are counted by table or index."""

    lost_pages: dict[str, int]
    lost_rows: dict[str, int]


def stage(database: Path, target: Path) -> None:
    """Write all readable rows of a file to a new one."""
    part = data_file(target, DataFile.PART)
    part.unlink(missing_ok=True)
    with Pages(database) as pages, closing(connect(part)) as db:
        for pragma in ("journal_mode", "synchronous"):
            db.pragma(pragma, "OFF")  # an interrupted run starts again
        db.execute("BEGIN")
        _make_tables(db)
        salvage = Salvage(pages)
        for tree, rows in salvage.rows({*_OWN, *REST}):
            table = "torn" if tree.name == "event" and salvage.is_torn else tree.name
            names = "id, key" if table == "bucket_id" else ", ".join(tree.names)
            places = ", ".join("?" * len(tree.names))
            statement = f"INSERT OR IGNORE INTO {table}({names}) VALUES({places})"
            db.executemany(statement, [whole_row(tree, row) for row in rows])
        _settle(db, salvage)
        db.execute("COMMIT")
    replace_file(part, target)


def is_current(staged: Path) -> bool:
    """Whether a staged file is ours and has the tables that are copied: an earlier version named some differently."""
    try:
        with closing(connect(staged, READ_ONLY)) as db:
            return {*REST} <= {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    except (apsw.Error, SettingsInvalid):
        return False


def read_report(db: apsw.Connection, schema: str = "main") -> SalvageReport:
    """The report in a staged file."""
    return msgspec.json.decode(str(db.execute(f"SELECT json FROM {schema}.found").get), type=SalvageReport)


def lost_text(value: int) -> str:
    """A placeholder for lost data. The number keeps different values apart."""
    return f'{{"lost":{value}}}'


def _make_tables(db: apsw.Connection) -> None:
    db.execute(_TABLES)
    trees: dict[str, Tree] = {tree.name: tree for tree in known_trees().values()}
    for name in REST:
        db.execute(f"CREATE TABLE {name}({', '.join(trees[name].names)})")


def _settle(db: apsw.Connection, salvage: Salvage) -> None:
    db.execute("CREATE INDEX event_by_id ON event(id)")
    before = int(db.execute("SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM torn)").get or 0)
    for statement in (RENAME_KINDS, _TORN, _STALE, _FOREIGN):
        db.execute(statement)
    dropped = before - int(db.execute("SELECT count(*) FROM event").get or 0)
    if dropped:
        salvage.lost_rows["event"] = salvage.lost_rows.get("event", 0) + dropped
    db.execute(_NAMELESS, {"unknown": UNKNOWN})
    textless = msgspec.convert(db.execute(_TEXTLESS).fetchall(), list[tuple[int, int]])
    for value, bucket in textless:
        text = lost_text(value)
        row = (value, bucket, hash_of(text.encode()), text)
        db.execute("INSERT OR IGNORE INTO value(key, bucket, hash, json) VALUES(?, ?, ?, ?)", row)
    report = SalvageReport(lost_pages=salvage.lost_pages, lost_rows=salvage.lost_rows)
    db.execute("INSERT INTO found(json) VALUES(?)", (msgspec.json.encode(report).decode(),))
