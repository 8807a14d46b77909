"""Keys, sessions, the audit log and settings in the file, inside a transaction."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from dayline.model.access import AccessKey, Session, SessionUse
from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.data import CanonicalJson
from dayline.model.settings.history import HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.storage.engine import SettingKind
from dayline.storage.sqlite.file.errors import refuse_tenant
from dayline.storage.sqlite.rows.buckets import FileRows
from dayline.storage.writing.notices import ChangeNotice, SettingNotice

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
# By rank, so that a page never ends between two entries of the same time.
_AUDIT: Final = f"""
SELECT number, {", ".join(_TALLY_FIELDS)} FROM (
    SELECT *, rank() OVER (ORDER BY last DESC) AS place FROM audit
    WHERE last < :before AND last >= :since AND (:key IS NULL OR key_id = :key)
    AND (:bucket IS NULL OR bucket = :bucket) AND (:address IS NULL OR address = :address)
    AND status >= :least AND first < :until
    AND (:call IS NULL OR call = :call OR substr(call, 1, length(:call) + 1) = :call || ' ')
) WHERE place <= :limit ORDER BY last DESC, number DESC
"""
_REFUSED: Final = 400  # statuses from here on are refusals
_FORGOTTEN_AT_ONCE: Final = 500  # audit entries; the next flush deletes more


class AccessReads(FileRows):
    """The part of a transaction that reads access data and settings."""

    def setting_values(self, kind: SettingKind, keys: Sequence[str] | None = None) -> dict[str, CanonicalJson]:
        which = "" if keys is None else "WHERE key IN (SELECT value FROM json_each(?))"
        given = () if keys is None else (msgspec.json.encode(keys).decode(),)
        rows = self.db.execute(f"SELECT key, json FROM {kind} {which} ORDER BY key", given).fetchall()
        return {key: json.encode() for key, json in msgspec.convert(rows, list[tuple[str, str]])}

    def setting_history(self, kind: SettingKind, which: HistoryFilter) -> list[SettingChange]:
        rows = self.db.execute(
            f"SELECT number, key, json, changed FROM {kind}_history "
            "WHERE number < :before AND (:key IS NULL OR key = :key) ORDER BY number DESC LIMIT :limit",
            {"before": 2**62 if which.before is None else which.before, "key": which.key, "limit": which.limit},
        ).fetchall()
        return [
            SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
            for number, key, json, changed in msgspec.convert(rows, list[tuple[int, str, str | None, int]])
        ]

    def all_keys(self) -> list[AccessKey]:
        rows = self.db.execute(f"SELECT {', '.join(_KEY_FIELDS)} FROM access_key ORDER BY created, rowid").fetchall()
        return [_key_of(dict(zip(_KEY_FIELDS, row, strict=True))) for row in rows]

    def sessions(self) -> list[Session]:
        rows = self.db.execute(f"SELECT {', '.join(_SESSION_FIELDS)} FROM session ORDER BY created").fetchall()
        return [msgspec.convert(dict(zip(_SESSION_FIELDS, row, strict=True)), Session) for row in rows]

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
        rows = self.db.execute(_AUDIT, bounds).fetchall()
        return [msgspec.convert(dict(zip(("number", *_TALLY_FIELDS), row, strict=True)), AuditEntry) for row in rows]


class AccessWrites(AccessReads):
    """The part of a write transaction that changes access data and settings.

    Changes counted in `unseen` do not raise the revision, so that clients that poll it do not read again because of
    them.
    """

    notices: dict[ChangeNotice, None]
    unseen: int

    def lock_settings(self) -> None:
        """Nothing to lock: there is one writer."""

    def change_settings(
        self, kind: SettingKind, values: Mapping[str, CanonicalJson | None], *, now: Microseconds
    ) -> None:
        for key, value in values.items():
            if value is None:
                self.db.execute(f"DELETE FROM {kind} WHERE key = ?", (key,))
                if not self.db.changes():
                    continue
            else:
                statement = f"INSERT INTO {kind}(key, json) VALUES(?, ?) ON CONFLICT DO UPDATE SET json = excluded.json"
                self.db.execute(statement, (key, value.decode()))
            text = None if value is None else value.decode()
            self.db.execute(f"INSERT INTO {kind}_history(key, json, changed) VALUES(?, ?, ?)", (key, text, now))
            self.notices[SettingNotice(key, kind == "own_setting")] = None

    def put_key(self, key: AccessKey) -> None:
        refuse_tenant(key.tenant)
        fields = msgspec.structs.asdict(key) | {"buckets": msgspec.json.encode(key.buckets).decode()}
        self.db.execute(_PUT_KEY, fields)

    def put_session(self, session: Session) -> None:
        self.db.execute(_PUT_SESSION, msgspec.structs.asdict(session))

    def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        self.db.execute("UPDATE session SET confirmed = coalesce(confirmed, ?) WHERE digest = ?", (when, digest))

    def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        self.unseen += 1
        self.db.executemany(
            "UPDATE session SET last_used = ?, last_address = ? WHERE digest = ?",
            [(use.when, use.address, use.digest) for use in uses],
        )

    def end_sessions(self, digests: Sequence[bytes]) -> None:
        self.db.executemany("DELETE FROM session WHERE digest = ?", [(digest,) for digest in digests])

    def note_audit(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        self.unseen += 1
        self.db.executemany(_PUT_TALLY, [msgspec.structs.asdict(tally) for tally in tallies])
        self.db.executemany(
            "UPDATE access_key SET last_used = ?, last_address = ? WHERE id = ?",
            [(use.when, use.address, use.key_id) for use in uses],
        )
        # Only among the oldest entries: an entry covers at most a day, so expired ones are there, and scanning the
        # whole log with every flush would delay heartbeats.
        self.db.execute(
            "DELETE FROM audit WHERE last < ? AND number IN (SELECT number FROM audit ORDER BY number LIMIT ?)",
            (forget_before, _FORGOTTEN_AT_ONCE),
        )


def _key_of(fields: dict[str, Any]) -> AccessKey:
    return msgspec.convert(fields | {"buckets": msgspec.json.decode(str(fields["buckets"]))}, AccessKey)
