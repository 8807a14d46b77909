"""Keys, sessions, the audit trail and our own settings in the database, of all its servers.

Keys and sessions are of all tenants: what is asked for before anybody knows who is calling. All else is of one.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, LiteralString

import msgspec

from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.data import CanonicalJson
from dayline.model.errors import Invalid
from dayline.model.keys import AccessKey
from dayline.model.setting_change import HistoryFilter, SettingChange
from dayline.model.timestamps import Microseconds, now_us
from dayline.storage.access import SettingEdit
from dayline.storage.postgres.connections.connection import Connection, Readers
from dayline.storage.postgres.rows.audit_rows import note_tallies, note_uses, plain, read_audit
from dayline.storage.postgres.rows.setting_rows import change_own_settings, edit_own_setting, history_of
from dayline.storage.postgres.writing.scribe import Scribe
from dayline.storage.postgres.writing.turn import Turn

_KEYS: Final = """
SELECT id, name, scope, buckets, created, expires, revoked, salt, digest, envelope_key, last_used, last_address, tenant
FROM access_key ORDER BY created, place
"""
# Another server may know more by now: what was revoked stays revoked, and the latest use is the latest.
_PUT_KEY: Final = """
INSERT INTO access_key AS kept
    (id, name, scope, buckets, created, expires, revoked, salt, digest, envelope_key, last_used, last_address, tenant)
VALUES (
    %(id)s, %(name)s, %(scope)s, %(buckets)s, %(created)s, %(expires)s, %(revoked)s, %(salt)s, %(digest)s,
    %(envelope_key)s, %(last_used)s, %(last_address)s, %(tenant)s
)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, scope = excluded.scope, buckets = excluded.buckets, created = excluded.created,
    expires = excluded.expires, revoked = least(kept.revoked, excluded.revoked), salt = excluded.salt,
    digest = excluded.digest, envelope_key = excluded.envelope_key,
    last_used = greatest(kept.last_used, excluded.last_used),
    last_address = CASE WHEN kept.last_used > excluded.last_used OR excluded.last_used IS NULL
        THEN kept.last_address ELSE excluded.last_address END
"""
_SESSIONS: Final = """
SELECT digest, key_id, created, expires, address, agent, confirmed, last_used, last_address
FROM session ORDER BY created, digest
"""
_PUT_SESSION: Final = """
INSERT INTO session(digest, key_id, created, expires, address, agent, confirmed, last_used, last_address)
VALUES (
    %(digest)s, %(key_id)s, %(created)s, %(expires)s, %(address)s, %(agent)s, %(confirmed)s, %(last_used)s,
    %(last_address)s
)
"""
_USE_SESSION: Final = """
UPDATE session SET last_used = %(when)s, last_address = %(address)s
WHERE digest = %(digest)s AND (last_used IS NULL OR last_used < %(when)s)
"""


class PostgresAccess:
    """The AccessStore of one tenant."""

    def __init__(self, scribe: Scribe, readers: Readers) -> None:
        self._scribe = scribe
        self._readers = readers
        self._tenant = scribe.tenant

    def once(self, once: Once) -> "PostgresAccess":
        return PostgresAccess(self._scribe.once(once), self._readers)

    def all_keys(self) -> list[AccessKey]:
        with self._readers.transaction(self._tenant) as db:
            return [
                msgspec.convert(row | {"buckets": msgspec.json.decode(row["buckets"])}, AccessKey)
                for row in _rows(db, _KEYS)
            ]

    async def put_key(self, key: AccessKey) -> None:
        await self._scribe.change(lambda turn: _put_key(turn, key))

    async def replace_key(self, old: AccessKey, new: AccessKey) -> None:
        def replace(turn: Turn) -> None:
            _put_key(turn, old)
            _put_key(turn, new)

        await self._scribe.change(replace)

    def sessions(self) -> list[Session]:
        with self._readers.transaction(self._tenant) as db:
            return [msgspec.convert(row, Session) for row in _rows(db, _SESSIONS)]

    async def put_session(self, session: Session) -> None:
        def put(turn: Turn) -> None:
            fields = msgspec.structs.asdict(session)
            turn.db.execute(_PUT_SESSION, {name: plain(value) for name, value in fields.items()})
            turn.is_access = True

        await self._scribe.change(put)

    async def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        def confirm(turn: Turn) -> None:
            turn.db.execute("UPDATE session SET confirmed = coalesce(confirmed, %s) WHERE digest = %s", (when, digest))
            turn.is_access = True

        await self._scribe.change(confirm)

    async def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        def note(turn: Turn) -> None:
            # In the order of their keys: two servers that note the same sessions must not wait for each other.
            for use in sorted(uses, key=lambda use: use.digest):
                fields = {"digest": use.digest, "when": use.when, "address": plain(use.address)}
                turn.db.execute(_USE_SESSION, fields)

        await self._scribe.change(note)

    async def end_sessions(self, digests: Sequence[bytes]) -> None:
        def end(turn: Turn) -> None:
            turn.db.execute("DELETE FROM session WHERE digest = ANY(%s)", (list(digests),))
            turn.is_access = True

        await self._scribe.change(end)

    async def note(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        def note(turn: Turn) -> None:
            note_tallies(turn.db, self._tenant, tallies, forget_before=forget_before)
            note_uses(turn.db, uses)

        await self._scribe.change(note)

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        with self._readers.transaction(self._tenant) as db:
            return read_audit(db, self._tenant, which)

    def own_setting(self, key: str) -> CanonicalJson | None:
        return self.own_settings().get(key)  # there are few

    def own_settings(self) -> dict[str, CanonicalJson]:
        with self._readers.transaction(self._tenant) as db:
            rows = db.execute(
                'SELECT key, json FROM own_setting WHERE tenant = %s ORDER BY key COLLATE "C"', (self._tenant,)
            ).fetchall()
        return {key: json.encode() for key, json in rows}

    def own_setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        with self._readers.transaction(self._tenant) as db:
            return history_of(db, which, tenant=self._tenant, is_own=True)

    async def set_own_setting(self, key: str, value: CanonicalJson) -> None:
        await self.change_own_settings({key: value})

    async def edit_own_setting(self, key: str, edit: SettingEdit) -> CanonicalJson:
        return await self._scribe.change(lambda turn: edit_own_setting(turn, key, edit, now=now_us()))

    async def change_own_settings(self, values: Mapping[str, CanonicalJson | None]) -> None:
        await self._scribe.change(lambda turn: change_own_settings(turn, values, now=now_us()))


def _put_key(turn: Turn, key: AccessKey) -> None:
    if "\0" in key.name:
        raise Invalid("the name of a key may not contain a null character", field="name")
    fields = msgspec.structs.asdict(key) | {"buckets": msgspec.json.encode(key.buckets).decode()}
    turn.db.execute(_PUT_KEY, fields)
    turn.is_access = True


def _rows(db: Connection, statement: LiteralString) -> list[dict[str, Any]]:
    found = db.execute(statement)
    names = [column.name for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
