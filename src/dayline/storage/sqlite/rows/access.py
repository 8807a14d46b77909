"""Keys, sessions, the audit trail and our own settings in the SQLite file."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.data import CanonicalJson
from dayline.model.keys import AccessKey
from dayline.model.setting_change import HistoryFilter, SettingChange
from dayline.model.timestamps import Microseconds, now_us
from dayline.storage.access import SettingEdit
from dayline.storage.sqlite.file.connection import ReaderPool
from dayline.storage.sqlite.file.refusals import refuse_tenant
from dayline.storage.sqlite.rows.setting_rows import OWN, change_own_settings, edit_own_setting, history_of
from dayline.storage.sqlite.writing.changes import Changes
from dayline.storage.sqlite.writing.once import OnceWriter
from dayline.storage.sqlite.writing.writer import Writer

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

        await self._writer.change(note, rows=len(uses))

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

        await self._writer.change(note, rows=len(tallies) + len(uses))

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
