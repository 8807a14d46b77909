"""Keys, sessions, the audit log and settings in the database, inside a transaction.

Keys and sessions are those of all tenants, since they are looked up before the tenant of a caller is known. The rest
belongs to one tenant.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, LiteralString

import msgspec

from dayline.model.access import AccessKey, Session, SessionUse
from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.data import CanonicalJson
from dayline.model.errors import Invalid
from dayline.model.settings.history import HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.storage.engine import SettingKind
from dayline.storage.postgres.connection import Connection
from dayline.storage.writing.notices import ChangeNotice, SettingNotice

_LOCK: Final = 0x61756474  # "audt": the advisory lock for adding to the audit log, together with a tenant's number
_FORGOTTEN_AT_ONCE: Final = 500  # audit entries; the next flush deletes more

_FIELDS: Final[Sequence[str]] = AuditTally.__struct_fields__
# An entry must not occur twice in one statement, so equal ones are added up first.
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
# Only among the oldest entries: an entry covers at most a day, so expired ones are there.
_FORGET: Final = """
DELETE FROM audit WHERE tenant = %(tenant)s AND last < %(before)s
    AND number IN (SELECT number FROM audit WHERE tenant = %(tenant)s ORDER BY number LIMIT %(most)s)
"""
# Another server may have recorded a later use.
_PUT_USES: Final = """
UPDATE access_key SET last_used = use.at, last_address = use.address
FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS use(id, at, address)
WHERE access_key.id = use.id AND (last_used IS NULL OR last_used <= use.at)
"""
_KEYS: Final = """
SELECT id, name, scope, buckets, created, expires, revoked, salt, digest, envelope_key, last_used, last_address, tenant
FROM access_key ORDER BY created, place
"""
# Another server may know more: a revoked key stays revoked, and the latest use stays.
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


class AccessReads:
    """The part of a transaction that reads access data and settings."""

    db: Connection
    tenant: str

    def setting_values(self, kind: SettingKind, keys: Sequence[str] | None = None) -> dict[str, CanonicalJson]:
        which: LiteralString = "" if keys is None else " AND key = ANY(%(keys)s)"
        rows = self.db.execute(
            f'SELECT key, json FROM {kind} WHERE tenant = %(tenant)s{which} ORDER BY key COLLATE "C"',
            {"tenant": self.tenant, "keys": [key for key in keys or () if "\0" not in key]},
        ).fetchall()
        return {key: json.encode() for key, json in rows}

    def setting_history(self, kind: SettingKind, which: HistoryFilter) -> list[SettingChange]:
        if which.key is not None and "\0" in which.key:
            return []  # there is no such key, and PostgreSQL rejects the query
        of_key: LiteralString = "" if which.key is None else " AND key = %(key)s"
        before: LiteralString = "" if which.before is None else " AND number < %(before)s"
        rows = self.db.execute(
            f"SELECT number, key, json, changed FROM {kind}_history WHERE tenant = %(tenant)s{of_key}{before} "
            "ORDER BY number DESC LIMIT %(limit)s",
            {"tenant": self.tenant, "key": which.key, "before": which.before, "limit": which.limit},
        ).fetchall()
        return [
            SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
            for number, key, json, changed in rows
        ]

    def all_keys(self) -> list[AccessKey]:
        return [
            msgspec.convert(row | {"buckets": msgspec.json.decode(row["buckets"])}, AccessKey)
            for row in _rows(self.db, _KEYS)
        ]

    def sessions(self) -> list[Session]:
        return [msgspec.convert(row, Session) for row in _rows(self.db, _SESSIONS)]

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        texts = (which.key_id, which.bucket, which.call, which.address)
        if any(text is not None and "\0" in text for text in texts):
            return []  # no entry has one, and PostgreSQL rejects the query
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
        rows = self.db.execute(
            # By rank, so that a page never ends between two entries of the same time.
            "SELECT number, slot, who, key_id, address, call, bucket, status, first, last, count FROM ("
            f"SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit WHERE tenant = %(tenant)s{conditions}"
            ") AS ranked WHERE place <= %(limit)s ORDER BY last DESC, number DESC",
            {"tenant": self.tenant, **msgspec.structs.asdict(which)},
        ).fetchall()
        return [msgspec.convert(dict(zip(("number", *_FIELDS), row, strict=True)), AuditEntry) for row in rows]


class AccessWrites(AccessReads):
    """The part of a write transaction that changes access data and settings. `is_access`: keys or sessions changed."""

    notices: dict[ChangeNotice, None]
    is_access: bool

    def lock_settings(self) -> None:
        self.db.execute("SELECT 1 FROM tenant WHERE id = %s FOR UPDATE", (self.tenant,))

    def change_settings(
        self, kind: SettingKind, values: Mapping[str, CanonicalJson | None], *, now: Microseconds
    ) -> None:
        kept = {key: value.decode() for key, value in values.items() if value is not None}
        for key in kept:
            if "\0" in key:
                raise Invalid("the key of a setting contains a NUL character", field="key")
        known = {"tenant": self.tenant, "now": now}
        removed = self.db.execute(
            f"DELETE FROM {kind} WHERE tenant = %(tenant)s AND key = ANY(%(keys)s) RETURNING key",
            {**known, "keys": [key for key, value in values.items() if value is None and "\0" not in key]},
        ).fetchall()
        gone = {key for (key,) in removed}
        self.db.execute(
            f"INSERT INTO {kind}(tenant, key, json) "
            "SELECT %(tenant)s, * FROM unnest(%(keys)s::text[], %(texts)s::text[]) "
            "ON CONFLICT (tenant, key) DO UPDATE SET json = excluded.json",
            {**known, "keys": list(kept), "texts": list(kept.values())},
        )
        noted = [key for key in values if key in kept or key in gone]
        self.db.execute(
            f"INSERT INTO {kind}_history(tenant, number, key, json, changed) "
            f"SELECT %(tenant)s, place + (SELECT coalesce(max(number), 0) FROM {kind}_history "
            "WHERE tenant = %(tenant)s), key, json, %(now)s "
            "FROM unnest(%(keys)s::text[], %(texts)s::text[]) WITH ORDINALITY AS new(key, json, place)",
            {**known, "keys": noted, "texts": [kept.get(key) for key in noted]},
        )
        for key in noted:
            self.notices[SettingNotice(key, kind == "own_setting")] = None

    def put_key(self, key: AccessKey) -> None:
        if "\0" in key.name:
            raise Invalid("the name of a key contains a NUL character", field="name")
        fields = msgspec.structs.asdict(key) | {"buckets": msgspec.json.encode(key.buckets).decode()}
        self.db.execute(_PUT_KEY, fields)
        self.is_access = True

    def put_session(self, session: Session) -> None:
        fields = msgspec.structs.asdict(session)
        self.db.execute(_PUT_SESSION, {name: _storable(value) for name, value in fields.items()})
        self.is_access = True

    def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        self.db.execute("UPDATE session SET confirmed = coalesce(confirmed, %s) WHERE digest = %s", (when, digest))
        self.is_access = True

    def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        # Ordered by key, so that two servers that record the same sessions do not deadlock.
        for use in sorted(uses, key=lambda use: use.digest):
            fields = {"digest": use.digest, "when": use.when, "address": _storable(use.address)}
            self.db.execute(_USE_SESSION, fields)

    def end_sessions(self, digests: Sequence[bytes]) -> None:
        self.db.execute("DELETE FROM session WHERE digest = ANY(%s)", (list(digests),))
        self.is_access = True

    def note_audit(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        # One server at a time: two that count the same entries in a different order would deadlock.
        self.db.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, self.tenant))
        if tallies:
            columns = {field: [_storable(getattr(tally, field)) for tally in tallies] for field in _FIELDS}
            self.db.execute(_PUT_TALLIES, {"tenant": self.tenant, **columns})
        forgotten = {"tenant": self.tenant, "before": forget_before, "most": _FORGOTTEN_AT_ONCE}
        self.db.execute(_FORGET, forgotten)
        latest = {use.key_id: use for use in sorted(uses, key=lambda use: use.when)}
        if latest:
            rows = latest.values()
            ids, times = [use.key_id for use in rows], [use.when for use in rows]
            self.db.execute(_PUT_USES, (ids, times, [_storable(use.address) for use in rows]))


def _storable(value: Any) -> Any:
    """What PostgreSQL can store: values sent by callers may contain NUL characters, and are recorded anyway."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def _rows(db: Connection, statement: LiteralString) -> list[dict[str, Any]]:
    found = db.execute(statement)
    names = [column.name for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
