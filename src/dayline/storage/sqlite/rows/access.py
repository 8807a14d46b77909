"""Keys, sessions, the audit log and settings in the SQLite file, with the history of each setting."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import apsw
import msgspec

from dayline.model.access import AccessKey, AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.data import CanonicalJson
from dayline.model.preferences import ComposePair, HistoryFilter, SettingBefore, SettingChange
from dayline.model.time import Microseconds, now_us
from dayline.storage.access import SettingEdit
from dayline.storage.sqlite.file.connection import ReaderPool, refuse_tenant
from dayline.storage.sqlite.writing.transaction import Changes
from dayline.storage.sqlite.writing.writer import OnceWriter, Writer
from dayline.storage.store import SettingNews

CLIENTS: Final = "setting"  # the table; that of its history has a longer name
OWN: Final = "own_setting"


def set_setting(changes: Changes, key: str, value: CanonicalJson, *, now: Microseconds) -> None:
    """Store a setting; its earlier values stay in the history."""
    _set(changes, CLIENTS, key, value.decode(), now)


def delete_setting(changes: Changes, key: str, *, now: Microseconds) -> None:
    """Remove a setting, whether or not it was set."""
    _delete(changes, CLIENTS, key, now)


def change_own_settings(changes: Changes, values: Mapping[str, CanonicalJson | None], *, now: Microseconds) -> None:
    """Store or remove settings of Dayline's own. What stays as it is is no change."""
    for key, value in values.items():
        if value is None:
            _delete(changes, OWN, key, now)
        elif changes.db.execute("SELECT json FROM own_setting WHERE key = ?", (key,)).get != value.decode():
            _set(changes, OWN, key, value.decode(), now)


def edit_own_setting(changes: Changes, key: str, edit: SettingEdit, *, now: Microseconds) -> CanonicalJson:
    """Store what becomes of a setting of Dayline's own."""
    text = changes.db.execute("SELECT json FROM own_setting WHERE key = ?", (key,)).get
    edited = edit(text.encode() if isinstance(text, str) else None)
    change_own_settings(changes, {key: edited}, now=now)
    return edited


def change_pair(changes: Changes, key: str, own_key: str, compose: ComposePair, *, now: Microseconds) -> int:
    """Change a client's setting and what Dayline keeps beside it; the number of the client's last change then."""
    db = changes.db
    last = history_of(db, CLIENTS, HistoryFilter(key=key, limit=1))
    newest = db.execute(f"SELECT max(number) FROM {CLIENTS}_history").get
    before = SettingBefore(
        number=last[0].number if last else 0,
        # Without AUTOINCREMENT the next row gets the highest number and one more.
        next=newest + 1 if isinstance(newest, int) else 1,
        changed=last[0].changed if last else None,
        value=_value(db, CLIENTS, key),
        own=_value(db, OWN, own_key),
    )
    pair = compose(before)
    if pair.value is None and before.value is None:
        return before.number  # there is nothing to remove
    if pair.value is None:
        _delete(changes, CLIENTS, key, now)
    else:
        _set(changes, CLIENTS, key, pair.value.decode(), now)
    _set(changes, OWN, own_key, pair.own.decode(), now)
    return before.next


def history_of(db: apsw.Connection, table: str, which: HistoryFilter) -> list[SettingChange]:
    """Changes of settings, the latest first."""
    rows = db.execute(
        f"SELECT number, key, json, changed FROM {table}_history "
        "WHERE number < :before AND (:key IS NULL OR key = :key) ORDER BY number DESC LIMIT :limit",
        {"before": 2**62 if which.before is None else which.before, "key": which.key, "limit": which.limit},
    ).fetchall()
    return [
        SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
        for number, key, json, changed in msgspec.convert(rows, list[tuple[int, str, str | None, int]])
    ]


def _set(changes: Changes, table: str, key: str, text: str, now: Microseconds) -> None:
    changes.db.execute(
        f"INSERT INTO {table}(key, json) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET json = excluded.json", (key, text)
    )
    _note(changes, table, key, text, now)


def _delete(changes: Changes, table: str, key: str, now: Microseconds) -> None:
    changes.db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
    if changes.db.changes():
        _note(changes, table, key, None, now)


def _note(changes: Changes, table: str, key: str, json: str | None, now: Microseconds) -> None:
    changes.db.execute(f"INSERT INTO {table}_history(key, json, changed) VALUES(?, ?, ?)", (key, json, now))
    changes.told[SettingNews(key, table == OWN)] = None


def _value(db: apsw.Connection, table: str, key: str) -> CanonicalJson | None:
    text = db.execute(f"SELECT json FROM {table} WHERE key = ?", (key,)).get
    return text.encode() if isinstance(text, str) else None


# Keys, sessions, the audit trail and our own settings in the SQLite file.


_KEY_FIELDS: Final = (
    "id", "name", "scope", "buckets", "created", "expires", "revoked", "salt", "digest", "envelope_key",
    "last_used", "last_address",
)  # fmt: skip
_SESSION_FIELDS: Final = (
    "digest", "key_id", "created", "expires", "address", "agent", "confirmed", "last_used", "last_address",
)  # fmt: skip
_TALLY_FIELDS: Final = ("slot", "who", "key_id", "address", "call", "bucket", "status", "first", "last", "count")
_PUT_KEY: Final = f"INSERT OR REPLACE INTO access_key({', '.join(_KEY_FIELDS)}) VALUES(:{', :'.join(_KEY_FIELDS)})"
_PUT_SESSION: Final = f"INSERT INTO session({', '.join(_SESSION_FIELDS)}) VALUES(:{', :'.join(_SESSION_FIELDS)})"
_PUT_TALLY: Final = f"""
INSERT INTO audit({", ".join(_TALLY_FIELDS)}) VALUES(:{", :".join(_TALLY_FIELDS)})
ON CONFLICT(slot, who, address, call, bucket, status) 
DO UPDATE SET last = max(last, excluded.last), count = count + excluded.count
"""
# By rank, so that a page never ends between two lines of the same time.
_AUDIT: Final = f"""
SELECT number, {", ".join(_TALLY_FIELDS)} FROM (
    SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit
    WHERE last < :before AND last >= :since AND (:key IS NULL OR key_id = :key)
    AND (:bucket IS NULL OR bucket = :bucket) AND (:address IS NULL OR address = :address)
    AND status >= :least AND first < :until
    AND (:call IS NULL OR call = :call OR substr(call, 1, length(:call) + 1) = :call || ' ')
) WHERE place <= :limit ORDER BY last DESC, number DESC
"""
_REFUSED: Final = 400  # statuses from here on
_FORGOTTEN_AT_ONCE: Final = 500  # lines of the trail; the next flush forgets more


class SqliteAccess:
    """The AccessStore of one file."""

    def __init__(self, writer: Writer | OnceWriter, readers: ReaderPool) -> None:
        self._writer = writer
        self._readers = readers

    def once(self, once: Once) -> "SqliteAccess":
        return SqliteAccess(OnceWriter(self._writer, once), self._readers)

    def all_keys(self) -> list[AccessKey]:
        with self._readers.connection() as db:
            rows = db.execute(f"SELECT {', '.join(_KEY_FIELDS)} FROM access_key ORDER BY created, rowid").fetchall()
        return [_key_of(dict(zip(_KEY_FIELDS, row, strict=True))) for row in rows]

    async def put_key(self, key: AccessKey) -> None:
        await self._writer.change(lambda changes: _put_key(changes, key))

    async def replace_key(self, old: AccessKey, new: AccessKey) -> None:
        def replace(changes: Changes) -> None:
            _put_key(changes, old)
            _put_key(changes, new)

        await self._writer.change(replace)

    def sessions(self) -> list[Session]:
        with self._readers.connection() as db:
            rows = db.execute(f"SELECT {', '.join(_SESSION_FIELDS)} FROM session ORDER BY created").fetchall()
        return [msgspec.convert(dict(zip(_SESSION_FIELDS, row, strict=True)), Session) for row in rows]

    async def put_session(self, session: Session) -> None:
        await self._writer.change(lambda changes: _run(changes, _PUT_SESSION, msgspec.structs.asdict(session)))

    async def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        statement = "UPDATE session SET confirmed = coalesce(confirmed, ?) WHERE digest = ?"
        await self._writer.change(lambda changes: _run(changes, statement, (when, digest)))

    async def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        def note(changes: Changes) -> None:
            changes.unseen += 1  # as for the audit trail
            changes.db.executemany(
                "UPDATE session SET last_used = ?, last_address = ? WHERE digest = ?",
                [(use.when, use.address, use.digest) for use in uses],
            )

        await self._writer.change(note, rows=len(uses), is_portable=True)

    async def end_sessions(self, digests: Sequence[bytes]) -> None:
        def end(changes: Changes) -> None:
            changes.db.executemany("DELETE FROM session WHERE digest = ?", [(digest,) for digest in digests])

        await self._writer.change(end)

    async def note(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        def note(changes: Changes) -> None:
            changes.unseen += 1  # or else whoever reads again at every change would be a reason to read again
            db = changes.db
            db.executemany(_PUT_TALLY, [msgspec.structs.asdict(tally) for tally in tallies])
            db.executemany(
                "UPDATE access_key SET last_used = ?, last_address = ? WHERE id = ?",
                [(use.when, use.address, use.key_id) for use in uses],
            )
            # Only among those begun first: a line reaches over a day at most, so the oldest ones stand there, and a
            # search of the whole trail with every note would hold up heartbeats.
            db.execute(
                "DELETE FROM audit WHERE last < ? AND number IN (SELECT number FROM audit ORDER BY number LIMIT ?)",
                (forget_before, _FORGOTTEN_AT_ONCE),
            )

        await self._writer.change(note, rows=len(tallies) + len(uses), is_portable=True)

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        bounds: dict[str, Any] = {
            "before": 2**62 if which.before is None else which.before,
            "since": 0 if which.since is None else which.since,
            "until": 2**62 if which.until is None else which.until,
            "call": which.call,
            "address": which.address,
            "key": which.key_id,
            "bucket": which.bucket,
            "least": _REFUSED if which.is_refused else 0,
            "limit": which.limit,
        }
        with self._readers.connection() as db:
            rows = db.execute(_AUDIT, bounds).fetchall()
        return [msgspec.convert(dict(zip(("number", *_TALLY_FIELDS), row, strict=True)), AuditEntry) for row in rows]

    def own_setting(self, key: str) -> CanonicalJson | None:
        with self._readers.connection() as db:
            text = db.execute("SELECT json FROM own_setting WHERE key = ?", (key,)).get
        return text.encode() if isinstance(text, str) else None

    def own_settings(self) -> dict[str, CanonicalJson]:
        with self._readers.connection() as db:
            rows = db.execute("SELECT key, json FROM own_setting ORDER BY key").fetchall()
        return {key: json.encode() for key, json in msgspec.convert(rows, list[tuple[str, str]])}

    def own_setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        with self._readers.connection() as db:
            return history_of(db, OWN, which)

    async def set_own_setting(self, key: str, value: CanonicalJson) -> None:
        await self.change_own_settings({key: value})

    async def edit_own_setting(self, key: str, edit: SettingEdit) -> CanonicalJson:
        return await self._writer.change(lambda changes: edit_own_setting(changes, key, edit, now=now_us()))

    async def change_own_settings(self, values: Mapping[str, CanonicalJson | None]) -> None:
        await self._writer.change(lambda changes: change_own_settings(changes, values, now=now_us()))


def _put_key(changes: Changes, key: AccessKey) -> None:
    refuse_tenant(key.tenant)
    fields = msgspec.structs.asdict(key) | {"buckets": msgspec.json.encode(key.buckets).decode()}
    _run(changes, _PUT_KEY, fields)


def _run(changes: Changes, statement: str, values: Any) -> None:
    changes.db.execute(statement, values)


def _key_of(fields: dict[str, Any]) -> AccessKey:
    return msgspec.convert(fields | {"buckets": msgspec.json.decode(str(fields["buckets"]))}, AccessKey)
