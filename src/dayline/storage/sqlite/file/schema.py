"""The tables of an SQLite database, and the migrations from older files."""

from collections.abc import Mapping, Sequence
from typing import Final

import apsw

from dayline.model.errors import NotADatabase, StoreTooNew
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import FIRST_MIRROR_ID
from dayline.storage.history.undo_log import RENUMBERED

APPLICATION_ID: Final = 0x4461796C  # "Dayl": identifies the file type

# Stored times are relative to 2026: until 2030 they take six bytes per row instead of eight, in the table and its
# index.
ORIGIN: Final[Microseconds] = 1_767_225_600_000_000

# Tables and indexes that a file with schema 6 or older has under other names.
FORMER_NAMES: Final[Mapping[str, str]] = {
    "act": "operation",
    "act_bucket": "operation_bucket",
    "act_event": "operation_event",
    "act_event_id": "operation_event_id",
}
# For rows of such a file.
RENAME_KINDS: Final = """
UPDATE operation SET kind = 'change_host' WHERE kind = 'rehost_bucket';
UPDATE operation SET kind = 'downsample_bucket' WHERE kind = 'thin_bucket';
UPDATE operation SET kind = 'fix_events' WHERE kind = 'mend_events';
"""

# Without the events of mirrors, whose ids are above all others.
NEXT_EVENT_ID: Final = (
    f"SELECT max(coalesce((SELECT max(id) + 1 FROM event WHERE id < {FIRST_MIRROR_ID}), 1), "
    "coalesce((SELECT value FROM meta WHERE key = 'next_event_id'), 1))"
)
# Earlier versions stored no reservation of ids: after a kill, events got ids that a merge had reserved. Of events with
# the same id, the copy of a merge keeps it, which undoing the merge needs; then one in the undo log, then one in the
# trash. The index is the same b-tree with or without UNIQUE, so its row in the schema is changed, which takes no time
# and keeps its root page, by which a repair identifies it.
_UNIQUE_EVENT_IDS: Final = f"""
CREATE TEMP TABLE merge AS
SELECT bucket_key AS source, json_extract(detail, '$.target') AS target,
    json_extract(detail, '$.first') AS first, json_extract(detail, '$.count') AS count,
    iif(state = 'doing', coalesce(json_extract(detail, '$.done'), 0), NULL) AS done
FROM operation WHERE kind = 'merge_buckets' AND state <> 'undone';
INSERT INTO meta(key, value)
SELECT 'next_event_id', reserved FROM (
    SELECT max(
        coalesce((SELECT max(first + count) FROM temp.merge), 1),
        coalesce((SELECT max(next_id) FROM redacted_value), 1)
    ) AS reserved
) WHERE reserved > ({NEXT_EVENT_ID})
ON CONFLICT DO UPDATE SET value = excluded.value;

CREATE TEMP TABLE repeated(id INTEGER PRIMARY KEY, is_reserved INTEGER NOT NULL);
INSERT INTO temp.repeated SELECT id, 0 FROM event GROUP BY id HAVING count(*) > 1;
INSERT OR REPLACE INTO temp.repeated
SELECT event.id, 1 FROM temp.merge CROSS JOIN event
WHERE event.id BETWEEN merge.first + merge.done AND merge.first + merge.count - 1;
CREATE TEMP TABLE copy AS
SELECT id, target AS bucket, start FROM (
    SELECT target, start, first - 1 + row_number() OVER (PARTITION BY first ORDER BY start, event.id) AS id
    FROM temp.merge CROSS JOIN event ON event.bucket = merge.source
    WHERE EXISTS (SELECT 1 FROM temp.repeated WHERE repeated.id BETWEEN first AND first + count - 1)
) WHERE id IN (SELECT id FROM temp.repeated);

CREATE TEMP TABLE renumbered AS
SELECT bucket, start, id, row_number() OVER (ORDER BY bucket, start, id) - 1 + ({NEXT_EVENT_ID}) AS new_id FROM (
    SELECT event.bucket, event.start, event.id, is_reserved, row_number() OVER (
        PARTITION BY event.id ORDER BY
        (event.id, event.bucket, event.start) IN (SELECT id, bucket, start FROM temp.copy) DESC,
        (event.id, event.bucket, event.start) IN (SELECT id, bucket, new_start FROM operation_event) DESC,
        event.bucket IN (SELECT key FROM bucket WHERE deleted IS NOT NULL) DESC, event.start, event.bucket
    ) AS place
    FROM temp.repeated CROSS JOIN event ON event.id = repeated.id
) WHERE place > 1 OR is_reserved;
UPDATE event SET id = new_id FROM temp.renumbered AS old
WHERE event.bucket = old.bucket AND event.start = old.start AND event.id = old.id;
UPDATE redacted_event SET id = new_id FROM temp.renumbered AS old
WHERE redacted_event.bucket = old.bucket AND redacted_event.start = old.start AND redacted_event.id = old.id;
INSERT INTO replaced_event(id, redaction)
SELECT new_id, redaction FROM temp.renumbered AS old JOIN replaced_event ON replaced_event.id = old.id;
UPDATE month SET is_sealed = 0, changes = changes + 1 WHERE is_sealed AND (bucket, month) IN (
    SELECT bucket, (strftime('%Y', began) - 1970) * 12 + strftime('%m', began) - 1
    FROM (SELECT bucket, datetime((start + {ORIGIN}) / 1000000, 'unixepoch') AS began FROM temp.renumbered)
);
INSERT INTO operation(kind, made, state, bucket, bucket_key, events, detail)
SELECT 'fix_events', unixepoch() * 1000000, 'done', bucket.id, bucket.key, count(*),
    json_object('{RENUMBERED}', json_group_object(CAST(new_id AS TEXT), old.id))
FROM temp.renumbered AS old JOIN bucket ON bucket.key = old.bucket GROUP BY bucket.key;
DROP TABLE temp.merge;
DROP TABLE temp.repeated;
DROP TABLE temp.copy;
DROP TABLE temp.renumbered;

PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX event_id ON event(id)' WHERE type = 'index' AND name = 'event_id';
PRAGMA writable_schema = RESET;
"""

# The only index of some rows.
PARTIAL_INDEX: Final = "CREATE UNIQUE INDEX bucket_id ON bucket(id) WHERE deleted IS NULL"

MIGRATIONS: Final[Sequence[str]] = (
    f"""
    CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

    -- AUTOINCREMENT: a key names a bucket for ever, so that derived data of a deleted one never fits a new one.
    CREATE TABLE bucket(
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        type TEXT NOT NULL,
        client TEXT NOT NULL,
        hostname TEXT NOT NULL,
        created INTEGER NOT NULL,   -- microseconds since 1970
        data TEXT NOT NULL,
        deleted INTEGER             -- when; its events are purged in slices
    ) STRICT;
    {PARTIAL_INDEX};

    -- The dictionary: each distinct data object of a bucket once.
    CREATE TABLE value(
        key INTEGER PRIMARY KEY,
        bucket INTEGER NOT NULL,
        hash INTEGER NOT NULL,
        json TEXT NOT NULL
    ) STRICT;
    CREATE INDEX value_hash ON value(hash);

    CREATE TABLE event(
        bucket INTEGER NOT NULL,
        start INTEGER NOT NULL,     -- microseconds since ORIGIN
        id INTEGER NOT NULL,
        duration INTEGER NOT NULL,  -- microseconds
        value INTEGER NOT NULL,
        PRIMARY KEY(bucket, start, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX event_id ON event(id);

    -- Per bucket and calendar month (UTC, January 1970 = 0), by the start of the events. `longest` and `reach` are
    -- upper bounds, rounded up, so that a heartbeat which extends an event seldom has to write here.
    CREATE TABLE month(
        bucket INTEGER NOT NULL,
        month INTEGER NOT NULL,
        events INTEGER NOT NULL,
        longest INTEGER NOT NULL,   -- no event lasts longer: how far before a range one that touches it can begin
        reach INTEGER NOT NULL,     -- no event ends later; microseconds since ORIGIN
        is_sealed INTEGER NOT NULL, -- whether derived data were made of it: the next write here unseals it ...
        changes INTEGER NOT NULL,   -- ... and counts up
        PRIMARY KEY(bucket, month)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE setting(key TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE setting_history(
        number INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        json TEXT,                      -- NULL: deleted
        changed INTEGER NOT NULL        -- microseconds since 1970
    ) STRICT;
    CREATE INDEX setting_history_key ON setting_history(key, number);
    """,
    # A random number that identifies this history of changes. Derived data of another history is invalid even if the
    # change counts agree. Anything that recreates a file from an older state must change this number.
    """
    INSERT INTO meta(key, value) VALUES('epoch', random());
    """,
    # Access: keys, sessions and the audit log. Times are microseconds since 1970.
    """
    ALTER TABLE bucket ADD COLUMN creator TEXT; -- the origin of the browser extension that made it

    CREATE TABLE access_key(
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        scope TEXT NOT NULL,
        buckets TEXT NOT NULL,      -- a JSON array of names; empty: all
        created INTEGER NOT NULL,
        expires INTEGER,
        revoked INTEGER,
        salt BLOB NOT NULL,
        digest BLOB NOT NULL,
        envelope_key BLOB,
        last_used INTEGER,
        last_address TEXT
    ) STRICT;

    CREATE TABLE session(
        digest BLOB PRIMARY KEY,
        key_id TEXT,                -- NULL: the owner's
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        address TEXT NOT NULL,
        agent TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Tokens of changes that must not be made twice.
    CREATE TABLE once(token TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX once_until ON once(until);

    CREATE TABLE audit(
        number INTEGER PRIMARY KEY,
        slot INTEGER NOT NULL,
        who TEXT NOT NULL,
        key_id TEXT NOT NULL,
        address TEXT NOT NULL,
        call TEXT NOT NULL,
        bucket TEXT NOT NULL,
        status INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        count INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX audit_slot ON audit(slot, who, address, call, bucket, status);

    CREATE TABLE own_setting(key TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT, WITHOUT ROWID;
    """,
    # Redactions: events changed by privacy rules, and what is needed to undo that.
    """
    -- Counts the changes of the texts of its values: whatever was made of another count does not fit.
    ALTER TABLE bucket ADD COLUMN dictionary INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE redaction(
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        made INTEGER NOT NULL,              -- microseconds since 1970
        state TEXT NOT NULL,
        has_rest INTEGER NOT NULL,          -- whether something is still to be cleared away after it became final
        rules TEXT NOT NULL,
        buckets TEXT NOT NULL,
        plan TEXT NOT NULL,                 -- the name of the file that says what to change
        changed_values INTEGER NOT NULL,
        changed_events INTEGER NOT NULL,
        dropped_events INTEGER NOT NULL
    ) STRICT;

    -- With a rowid, and rows only ever appended: such pages are never rearranged, which would leave copies of texts.
    CREATE TABLE redacted_value(
        number INTEGER PRIMARY KEY,
        redaction INTEGER NOT NULL,
        value INTEGER NOT NULL,
        bucket INTEGER NOT NULL,
        hash INTEGER NOT NULL,
        json TEXT,                          -- the original of a changed text; NULL: events were moved from it or to it
        next_id INTEGER NOT NULL            -- events from this id on came after the change
    ) STRICT;
    CREATE UNIQUE INDEX redacted_value_place ON redacted_value(redaction, value);

    CREATE TABLE redacted_event(
        redaction INTEGER NOT NULL,
        bucket INTEGER NOT NULL,
        start INTEGER NOT NULL,
        id INTEGER NOT NULL,
        duration INTEGER NOT NULL,
        value INTEGER NOT NULL,
        target INTEGER,                     -- the value it has now; NULL: the event was removed
        PRIMARY KEY(redaction, bucket, start, id)
    ) STRICT, WITHOUT ROWID;

    -- Events that clients gave other data since that redaction: to undo it concerns them no more.
    CREATE TABLE replaced_event(id INTEGER PRIMARY KEY, redaction INTEGER NOT NULL) STRICT;
    """,
    # The trash: operations that can be undone, and what is needed for that.
    """
    CREATE TABLE act(
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        made INTEGER NOT NULL,              -- microseconds since 1970
        state TEXT NOT NULL,
        bucket TEXT NOT NULL,               -- the bucket's id, as it was when the act was made
        bucket_key INTEGER,                 -- and what rows call it; NULL where the act is about no one bucket
        events INTEGER NOT NULL,            -- how many events it changed
        detail TEXT NOT NULL                -- JSON: whatever else its kind needs
    ) STRICT;
    CREATE INDEX act_bucket ON act(bucket_key);

    -- Events as they were before an act (NULL: there was none) and after it (NULL: there is none any more).
    CREATE TABLE act_event(
        act INTEGER NOT NULL,
        id INTEGER NOT NULL,
        bucket INTEGER NOT NULL,
        start INTEGER,                      -- microseconds since ORIGIN, as in `event`
        duration INTEGER,
        value INTEGER,
        new_start INTEGER,
        new_duration INTEGER,
        new_value INTEGER,
        PRIMARY KEY(act, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX act_event_id ON act_event(id);

    -- Ids under which a bucket is found in addition to its own: a watcher that uses the old one keeps working.
    CREATE TABLE alias(id TEXT PRIMARY KEY, bucket INTEGER NOT NULL, made INTEGER NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE own_setting_history(
        number INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        json TEXT,                          -- NULL: deleted
        changed INTEGER NOT NULL            -- microseconds since 1970
    ) STRICT;
    CREATE INDEX own_setting_history_key ON own_setting_history(key, number);
    """,
    # Sessions: when and where they were last used, and whether a sign-in from a new address was expected.
    """
    ALTER TABLE session ADD COLUMN confirmed INTEGER;   -- NULL: from a new address, and not confirmed yet
    ALTER TABLE session ADD COLUMN last_used INTEGER;
    ALTER TABLE session ADD COLUMN last_address TEXT;
    UPDATE session SET confirmed = created;
    """,
    # Renames undo entries. Tables and indexes keep their root pages, by which a repair identifies them. SQLite has no
    # statement that renames an index without building it again, so its row in the schema is changed.
    f"""
    ALTER TABLE act RENAME TO operation;
    ALTER TABLE act_event RENAME TO operation_event;
    ALTER TABLE operation_event RENAME COLUMN act TO operation;
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET name = 'operation_bucket', sql = 'CREATE INDEX operation_bucket ON operation(bucket_key)'
    WHERE type = 'index' AND name = 'act_bucket';
    UPDATE sqlite_schema SET name = 'operation_event_id', sql = 'CREATE INDEX operation_event_id ON operation_event(id)'
    WHERE type = 'index' AND name = 'act_event_id';
    PRAGMA writable_schema = RESET;
    {RENAME_KINDS}
    UPDATE meta SET key = 'downsampled:' || substr(key, length('thinned:') + 1) WHERE key GLOB 'thinned:*';

    -- The position of a merge, which an earlier version stored relative to ORIGIN: the start of the last event that was
    -- copied, or restored.
    UPDATE operation SET detail = json_set(detail, '$.start', event.start + {ORIGIN}) FROM event
    WHERE operation.kind = 'merge_buckets' AND operation.state IN ('doing', 'undoing')
    AND event.id = json_extract(operation.detail, '$.id') AND event.bucket = operation.bucket_key;
    """,
    _UNIQUE_EVENT_IDS,
    # Redactions change texts in place: a value that one has changed has its own key instead of a hash. Before, events
    # were also moved to other values, and `next_id` and `replaced_event` said which ones came later. Redactions that
    # can be undone are converted, the newest first: `convert` runs for each.
    """
    UPDATE value SET hash = key WHERE hash = 0 AND bucket > 0;

    CREATE TEMP TABLE redacting(key INTEGER PRIMARY KEY);
    CREATE TEMP TABLE split(value INTEGER PRIMARY KEY, fresh INTEGER);
    CREATE TEMP TABLE moved(value INTEGER PRIMARY KEY, target INTEGER, hash INTEGER, json TEXT);
    -- What a value had when the redaction was made; `is_moved`: its events were moved to other values, or dropped.
    CREATE TEMP VIEW kept AS
    SELECT kept.redaction, kept.value, kept.next_id, kept.json IS NULL AS is_moved, redaction.made, redaction.state
    FROM redacted_value AS kept JOIN redaction ON redaction.key = kept.redaction
    WHERE kept.json IS NOT NULL OR kept.hash <> 0;
    -- Events with such a value that were given it later, now or in the undo log.
    CREATE TEMP VIEW later AS
    SELECT kept.redaction, event.value, event.id, NULL AS operation
    FROM event CROSS JOIN kept ON kept.value = event.value
    WHERE iif(kept.is_moved, kept.state <> 'applying', event.id >= kept.next_id OR EXISTS (
        SELECT 1 FROM replaced_event AS other WHERE other.id = event.id AND other.redaction >= kept.redaction
    ))
    UNION ALL
    SELECT kept.redaction, kept.value, logged.id, logged.operation
    FROM operation_event AS logged JOIN operation ON operation.key = logged.operation
    CROSS JOIN kept ON kept.value IN (logged.value, logged.new_value) AND kept.made < operation.made
    WHERE kept.is_moved OR logged.id >= kept.next_id OR EXISTS (
        SELECT 1 FROM replaced_event AS other WHERE other.id = logged.id AND other.redaction >= kept.redaction
    );

    CREATE TEMP TRIGGER convert AFTER INSERT ON redacting BEGIN
        -- Later events get a value of their own, with what newer redactions have changed.
        DELETE FROM split;
        INSERT INTO split(value, fresh)
        SELECT value, (SELECT max(key) FROM value) + row_number() OVER (ORDER BY value)
        FROM (SELECT DISTINCT value FROM later WHERE redaction = NEW.key);
        INSERT INTO value(key, bucket, hash, json)
        SELECT split.fresh, old.bucket, iif(old.hash = old.key, split.fresh, old.hash), old.json
        FROM split JOIN value AS old ON old.key = split.value ORDER BY split.fresh;
        INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
        SELECT old.redaction, split.fresh, old.bucket, iif(old.hash = old.value, split.fresh, old.hash), old.json, 0
        FROM redacted_value AS old JOIN split ON split.value = old.value
        WHERE old.redaction > NEW.key AND old.json IS NOT NULL;
        UPDATE event SET value = split.fresh FROM later JOIN split ON split.value = later.value
        WHERE later.redaction = NEW.key AND later.operation IS NULL
        AND event.id = later.id AND event.value = split.value;
        UPDATE operation_event SET value = split.fresh FROM later JOIN split ON split.value = later.value
        WHERE later.redaction = NEW.key AND operation_event.operation = later.operation
        AND operation_event.id = later.id AND operation_event.value = split.value;
        UPDATE operation_event SET new_value = split.fresh FROM later JOIN split ON split.value = later.value
        WHERE later.redaction = NEW.key AND operation_event.operation = later.operation
        AND operation_event.id = later.id AND operation_event.new_value = split.value;
        UPDATE value SET hash = key WHERE key IN (SELECT value FROM kept WHERE redaction = NEW.key AND NOT is_moved);

        -- A value whose events were moved gets the text of the value that they were moved to, and its newer changes.
        DELETE FROM moved;
        INSERT INTO moved(value, target, hash, json)
        SELECT kept.value, events.target, value.hash, value.json
        FROM kept JOIN value ON value.key = kept.value LEFT JOIN (
            SELECT value, max(target) AS target FROM redacted_event WHERE redaction = NEW.key GROUP BY value
        ) AS events ON events.value = kept.value
        WHERE kept.redaction = NEW.key AND kept.is_moved;
        UPDATE moved SET hash = first.hash, json = first.json FROM (
            SELECT value, hash, json, min(redaction) FROM redacted_value
            WHERE redaction > NEW.key AND json IS NOT NULL GROUP BY value
        ) AS first WHERE first.value = moved.value;
        DELETE FROM redacted_value WHERE redaction > NEW.key AND value IN (SELECT value FROM moved);
        INSERT INTO redacted_value(redaction, value, bucket, hash, json, next_id)
        SELECT newer.redaction, moved.value, newer.bucket, moved.value, newer.json, 0
        FROM redacted_value AS newer JOIN moved ON moved.target = newer.value
        WHERE newer.redaction > NEW.key AND newer.json IS NOT NULL;
        UPDATE value SET hash = key, json = '{}' WHERE key IN (SELECT value FROM moved);
        UPDATE redacted_value SET hash = moved.hash, json = moved.json FROM moved
        WHERE redacted_value.redaction = NEW.key AND redacted_value.value = moved.value;
        UPDATE value SET json = target.json FROM moved JOIN value AS target ON target.key = moved.target
        WHERE value.key = moved.value;

        -- Moved events get their values back.
        UPDATE event SET value = moved.value FROM redacted_event AS moved
        WHERE moved.redaction = NEW.key AND event.id = moved.id AND event.bucket = moved.bucket
        AND event.value = moved.target;
        UPDATE operation_event SET
            value = iif(operation_event.value = moved.target, moved.value, operation_event.value),
            new_value = iif(operation_event.new_value = moved.target, moved.value, operation_event.new_value)
        FROM redacted_event AS moved JOIN operation
        WHERE moved.redaction = NEW.key AND operation_event.id = moved.id AND moved.target IS NOT NULL
        AND operation.key = operation_event.operation
        AND operation.made > (SELECT made FROM redaction WHERE key = NEW.key);
        DELETE FROM redacted_event WHERE redaction = NEW.key AND target IS NOT NULL;
        DELETE FROM redacted_value WHERE redaction = NEW.key AND json IS NULL;
    END;
    INSERT INTO redacting(key) SELECT key FROM redaction
    WHERE state IN ('applying', 'applied', 'undoing') OR has_rest ORDER BY key DESC;
    UPDATE bucket SET dictionary = dictionary + 1 WHERE key IN (SELECT bucket FROM redacted_value);
    UPDATE month SET is_sealed = 0, changes = changes + 1
    WHERE is_sealed AND bucket IN (SELECT bucket FROM redacted_value);

    DROP TRIGGER convert;
    DROP VIEW later;
    DROP VIEW kept;
    DROP TABLE redacting;
    DROP TABLE split;
    DROP TABLE moved;
    ALTER TABLE redacted_value DROP COLUMN next_id;
    ALTER TABLE redacted_event DROP COLUMN target;
    DELETE FROM replaced_event; -- it stays, without a use: dropping it would move the root pages of other tables
    """,
)
UNIQUE_EVENT_IDS: Final = 8  # the schema from which on an index prevents that two events have the same id


def version_of(db: apsw.Connection, *, newest: int = len(MIGRATIONS)) -> int:
    """The schema version of an open file, 0 for a new one. Raises if it is not ours, or newer than this program."""
    application, version = int(db.pragma("application_id")), int(db.pragma("user_version"))
    if application not in (0, APPLICATION_ID) or (application == 0 and _has_tables(db)):
        raise NotADatabase(
            f"{db.filename} is a database of another program",
            hint="choose another file with --database; exports of other programs can be imported",
        )
    if version > newest:
        raise StoreTooNew(
            f"{db.filename} was written by a newer Dayline (schema {version}, supported: {newest})",
            hint="install that version or a later one; the file was not changed",
        )
    return version


def migrate(db: apsw.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Apply the missing steps, each in its own transaction."""
    for number in range(int(db.pragma("user_version")), len(migrations)):
        db.execute("BEGIN IMMEDIATE")
        try:
            db.execute(migrations[number])
            db.execute(f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={number + 1}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # SQLite rolls back itself when the disk is full
                db.execute("ROLLBACK")
            raise


def _has_tables(db: apsw.Connection) -> bool:
    return bool(db.execute("SELECT count(*) FROM sqlite_schema").get)
