"""Keys, sessions, the audit log and settings in the database, shared by all its servers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, LiteralString

import msgspec

from dayline.model.access import AccessKey, AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.data import CanonicalJson
from dayline.model.errors import Invalid
from dayline.model.preferences import ComposePair, HistoryFilter, SettingBefore, SettingChange
from dayline.model.time import Microseconds, now_us
from dayline.storage.access import SettingEdit
from dayline.storage.postgres.connection import Connection, Readers
from dayline.storage.postgres.writing.transaction import Turn
from dayline.storage.postgres.writing.writer import Scribe
from dayline.storage.store import SettingNews

_LOCK: Final = 0x61756474  # "audt": who holds it with a tenant's number, adds to the trail of that tenant
_FORGOTTEN_AT_ONCE: Final = 500  # lines of the trail; the next flush forgets more

_FIELDS: Final[Sequence[str]] = AuditTally.__struct_fields__
# A line must not come twice in one statement, so those that come together are counted together first.
_PUT_TALLIES: Final = """
INSERT INTO audit AS kept (tenant, number, slot, who, key_id, address, call, bucket, status, first, last, count)
SELECT %(tenant)s, row_number() OVER (ORDER BY min(place))
        + (SELECT coalesce(max(number), 0) FROM audit WHERE tenant = %(tenant)s),
    slot, who, (array_agg(key_id ORDER BY place))[1], address, call, bucket, status,
    (array_agg(first ORDER BY place))[1], max(last), sum(count)::bigint
FROM unnest(
    %(slot)s::bigint[], %(who)s::text[], %(key_id)s::text[], %(address)s::text[], %(call)s::text[], %(bucket)s::text[],
    %(status)s::integer[], %(first)s::bigint[], %(last)s::bigint[], %(count)s::bigint[]
) WITH ORDINALITY AS new(slot, who, key_id, address, call, bucket, status, first, last, count, place)
GROUP BY slot, who, address, call, bucket, status
ON CONFLICT (tenant, slot, who, address, call, bucket, status)
DO UPDATE SET last = greatest(kept.last, excluded.last), count = kept.count + excluded.count
"""
# Only among those begun first: a line reaches over a day at most, so the oldest ones stand there.
_FORGET: Final = """
DELETE FROM audit WHERE tenant = %(tenant)s AND last < %(before)s
    AND number IN (SELECT number FROM audit WHERE tenant = %(tenant)s ORDER BY number LIMIT %(most)s)
"""
# Another server may have seen a later use.
_PUT_USES: Final = """
UPDATE access_key SET last_used = use.at, last_address = use.address
FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS use(id, at, address)
WHERE access_key.id = use.id AND (last_used IS NULL OR last_used <= use.at)
"""


def note_tallies(db: Connection, tenant: str, tallies: Sequence[AuditTally], *, forget_before: Microseconds) -> None:
    """Add to the trail of a tenant, and forget lines that ended before a time."""
    # One server after the other: else two that count the same lines in another order would wait for each other.
    db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, tenant))
    if tallies:
        columns = {field: [plain(getattr(tally, field)) for tally in tallies] for field in _FIELDS}
        db.execute(_PUT_TALLIES, {"tenant": tenant, **columns})
    db.execute(_FORGET, {"tenant": tenant, "before": forget_before, "most": _FORGOTTEN_AT_ONCE})


def note_uses(db: Connection, uses: Sequence[KeyUse]) -> None:
    """Note when keys were last used, and from where. To be called under the lock of `note_tallies`."""
    latest = {use.key_id: use for use in sorted(uses, key=lambda use: use.when)}
    if latest:
        rows = latest.values()
        columns = [use.key_id for use in rows], [use.when for use in rows], [plain(use.address) for use in rows]
        db.execute(_PUT_USES, columns)


def read_audit(db: Connection, tenant: str, which: AuditFilter) -> list[AuditEntry]:
    """Lines of the audit log of a tenant, the latest first."""
    texts = (which.key_id, which.bucket, which.call, which.address)
    if any(text is not None and "\0" in text for text in texts):
        return []  # no line has one, and PostgreSQL does not take the question
    wanted: list[tuple[LiteralString, object]] = [
        ("last < %(before)s", which.before),
        ("key_id = %(key_id)s", which.key_id),
        ("bucket = %(bucket)s", which.bucket),
        ("(call = %(call)s OR starts_with(call, %(call)s || ' '))", which.call),
        ("address = %(address)s", which.address),
        ("last >= %(since)s", which.since),
        ("first < %(until)s", which.until),
        ("status >= 400", which.is_refused or None),
    ]
    conditions: LiteralString = "".join(f" AND {condition}" for condition, value in wanted if value is not None)
    rows = db.execute(
        # By rank, so that a page never ends between two lines of the same time.
        "SELECT number, slot, who, key_id, address, call, bucket, status, first, last, count FROM ("
        f"SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit WHERE tenant = %(tenant)s{conditions}"
        ") AS ranked WHERE place <= %(limit)s ORDER BY last DESC, number DESC",
        {"tenant": tenant, **msgspec.structs.asdict(which)},
    ).fetchall()
    return [msgspec.convert(dict(zip(("number", *_FIELDS), row, strict=True)), AuditEntry) for row in rows]


def plain(value: Any) -> Any:
    """What PostgreSQL takes: what callers say of themselves may have null characters, and is noted all the same."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


# Settings in the database, those of clients and Dayline's own, with the history of each.
#
# The numbers of a history go up by one, without gaps. So whoever changes settings locks the row of their tenant first.


# Where settings of a kind are; that of their history has a longer name.
_CLIENTS: Final = "setting"
_OWN: Final = "own_setting"


def set_setting(turn: Turn, key: str, value: CanonicalJson, *, now: Microseconds) -> None:
    """Store a setting; its earlier values stay in the history. Raises Invalid."""
    _lock(turn)
    _change(turn, _CLIENTS, {key: value}, now)


def delete_setting(turn: Turn, key: str, *, now: Microseconds) -> None:
    """Remove a setting, whether or not it was set."""
    _lock(turn)
    _change(turn, _CLIENTS, {key: None}, now)


def change_own_settings(turn: Turn, values: Mapping[str, CanonicalJson | None], *, now: Microseconds) -> None:
    """Store or remove settings of Dayline's own. What stays as it is is no change. Raises Invalid."""
    _lock(turn)
    before = _values(turn.db, turn.tenant, _OWN, values)
    _change(turn, _OWN, {key: value for key, value in values.items() if before.get(key) != value}, now)


def edit_own_setting(turn: Turn, key: str, edit: SettingEdit, *, now: Microseconds) -> CanonicalJson:
    """Store what becomes of a setting of Dayline's own. Raises Invalid, and what `edit` raises."""
    _lock(turn)
    before = _values(turn.db, turn.tenant, _OWN, [key]).get(key)
    edited = edit(before)
    if edited != before:
        _change(turn, _OWN, {key: edited}, now)
    return edited


def change_pair(turn: Turn, key: str, own_key: str, compose: ComposePair, *, now: Microseconds) -> int:
    """Change a client's setting and what Dayline keeps beside it; the number of the client's last change then."""
    _lock(turn)
    last = history_of(turn.db, HistoryFilter(key=key, limit=1), tenant=turn.tenant)
    newest = history_of(turn.db, HistoryFilter(limit=1), tenant=turn.tenant)
    before = SettingBefore(
        number=last[0].number if last else 0,
        next=newest[0].number + 1 if newest else 1,
        changed=last[0].changed if last else None,
        value=_values(turn.db, turn.tenant, _CLIENTS, [key]).get(key),
        own=_values(turn.db, turn.tenant, _OWN, [own_key]).get(own_key),
    )
    pair = compose(before)
    if pair.value is None and before.value is None:
        return before.number  # there is nothing to remove
    _change(turn, _CLIENTS, {key: pair.value}, now)
    _change(turn, _OWN, {own_key: pair.own}, now)
    return before.next


def history_of(db: Connection, which: HistoryFilter, *, tenant: str, is_own: bool = False) -> list[SettingChange]:
    """Changes of the settings of a tenant's clients, or of Dayline's own, the latest first."""
    if which.key is not None and "\0" in which.key:
        return []  # there is no such key, and PostgreSQL does not take the question
    table: LiteralString = _OWN if is_own else _CLIENTS
    of_key: LiteralString = "" if which.key is None else " AND key = %(key)s"
    before: LiteralString = "" if which.before is None else " AND number < %(before)s"
    rows = db.execute(
        f"SELECT number, key, json, changed FROM {table}_history WHERE tenant = %(tenant)s{of_key}{before} "
        "ORDER BY number DESC LIMIT %(limit)s",
        {"tenant": tenant, "key": which.key, "before": which.before, "limit": which.limit},
    ).fetchall()
    return [
        SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
        for number, key, json, changed in rows
    ]


def _lock(turn: Turn) -> None:
    turn.db.execute("SELECT 1 FROM tenant WHERE id = %s FOR UPDATE", (turn.tenant,))


def _values(
    db: Connection, tenant: str, table: LiteralString, keys: Mapping[str, object] | list[str]
) -> dict[str, bytes]:
    rows = db.execute(
        f"SELECT key, json FROM {table} WHERE tenant = %(tenant)s AND key = ANY(%(keys)s)",
        {"tenant": tenant, "keys": [key for key in keys if "\0" not in key]},
    ).fetchall()
    return {key: json.encode() for key, json in rows}


def _change(turn: Turn, table: LiteralString, values: Mapping[str, CanonicalJson | None], now: Microseconds) -> None:
    """Store values, or remove them, and note each. What is removed and was not there is not noted."""
    kept = {key: value.decode() for key, value in values.items() if value is not None}
    for key in kept:
        if "\0" in key:
            raise Invalid("a setting's key may not contain a null character", field="key")
    known = {"tenant": turn.tenant, "now": now}
    removed = turn.db.execute(
        f"DELETE FROM {table} WHERE tenant = %(tenant)s AND key = ANY(%(keys)s) RETURNING key",
        {**known, "keys": [key for key, value in values.items() if value is None and "\0" not in key]},
    ).fetchall()
    gone = {key for (key,) in removed}
    turn.db.execute(
        f"INSERT INTO {table}(tenant, key, json) "
        "SELECT %(tenant)s, * FROM unnest(%(keys)s::text[], %(texts)s::text[]) "
        "ON CONFLICT (tenant, key) DO UPDATE SET json = excluded.json",
        {**known, "keys": list(kept), "texts": list(kept.values())},
    )
    noted = [key for key in values if key in kept or key in gone]
    turn.db.execute(
        f"INSERT INTO {table}_history(tenant, number, key, json, changed) "
        f"SELECT %(tenant)s, place + (SELECT coalesce(max(number), 0) FROM {table}_history "
        "WHERE tenant = %(tenant)s), key, json, %(now)s "
        "FROM unnest(%(keys)s::text[], %(texts)s::text[]) WITH ORDINALITY AS new(key, json, place)",
        {**known, "keys": noted, "texts": [kept.get(key) for key in noted]},
    )
    for key in noted:
        turn.told[SettingNews(key, table is _OWN)] = None


# Keys, sessions, the audit trail and our own settings in the database, of all its servers.
#
# Keys and sessions are of all tenants: what is asked for before anybody knows who is calling. All else is of one.


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
