"""Settings, keys and sessions inside a transaction.

Keys and sessions are those of all tenants, since they are looked up before the tenant of a caller is known. The rest
belongs to one tenant.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from dayline.model.access import AccessKey, Once, Session, SessionUse
from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.data import CanonicalJson
from dayline.model.settings.history import HistoryFilter, SettingChange
from dayline.model.time import Microseconds
from dayline.storage.engine.tables import Table, Tables, Where
from dayline.storage.writing.notices import ChangeNotice, SettingNotice

# Settings of clients, and internal ones; also the name of the table.
SettingKind: TypeAlias = Literal["setting", "own_setting"]

_SETTINGS: Final[Mapping[SettingKind, Table]] = {
    "setting": Table("setting", ("key", "json")),
    "own_setting": Table("own_setting", ("key", "json")),
}
_CHANGES: Final[Mapping[SettingKind, Table]] = {
    "setting": Table("setting_history", ("number", "key", "json", "changed")),
    "own_setting": Table("own_setting_history", ("number", "key", "json", "changed")),
}
_KEYS: Final = Table(
    "access_key",
    (
        "id", "name", "scope", "buckets", "created", "expires", "revoked", "salt", "digest", "envelope_key",
        "last_used", "last_address", "tenant",
    ),
    is_shared=True,
)  # fmt: skip
_FORGOTTEN_AT_ONCE: Final = 500  # audit entries; the next flush deletes more
_AUDIT: Final = Table("audit", ("number", "last"))
_SESSIONS: Final = Table("session", Session.__struct_fields__, is_shared=True)


class AccessReads(Tables):
    """The part of a transaction that reads access data and settings."""

    def setting_values(self, kind: SettingKind, keys: Sequence[str] | None = None) -> dict[str, CanonicalJson]:
        """The values of these settings, or of all, by key. Unset keys are left out."""
        rows = self.select(_SETTINGS[kind], {} if keys is None else {"key": keys})
        return {key: json.encode() for key, json in sorted(rows)}

    def setting_history(self, kind: SettingKind, which: HistoryFilter) -> list[SettingChange]:
        """Changes of settings, newest first."""
        where: dict[str, int | str] = {}
        if which.before is not None:
            where["number <"] = which.before
        if which.key is not None:
            where["key"] = which.key
        return [
            SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
            for number, key, json, changed in self.select(_CHANGES[kind], where, order="number DESC", limit=which.limit)
        ]

    def all_keys(self) -> list[AccessKey]:
        """Keys of all tenants in order of creation."""
        return self._keys({})

    def sessions(self) -> list[Session]:
        """Sessions of all tenants in order of creation."""
        rows = self.select(_SESSIONS, {}, order="created, digest")
        return [msgspec.convert(dict(zip(_SESSIONS.fields, row, strict=True)), Session) for row in rows]

    @abstractmethod
    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        """Entries of the audit log, newest first."""

    def _keys(self, where: Where) -> list[AccessKey]:
        rows = self.select(_KEYS, where, order="created, id", lock="wait")
        return [_key_of(dict(zip(self.columns(_KEYS), row, strict=True))) for row in rows]


class AccessWrites(AccessReads):
    """The part of a write transaction that changes access data and settings.

    Changes counted in `unseen` do not raise the revision, so that clients that poll it do not read again because of
    them. `is_access`: keys or sessions changed.
    """

    notices: dict[ChangeNotice, None]
    unseen: int
    is_access: bool

    def lock_settings(self) -> None:
        """Block other changes of settings until the commit; nothing to do in an engine with one writer."""

    def change_settings(
        self, kind: SettingKind, values: Mapping[str, CanonicalJson | None], *, now: Microseconds
    ) -> None:
        """Store or delete values, add each change to the history and notify listeners. Raises Invalid.

        Deleting an unset value is no change. Lock the settings first: the numbers of the history are consecutive.
        """
        newest = self.setting_history(kind, HistoryFilter(limit=1))
        number = newest[0].number if newest else 0
        for key, value in values.items():
            text = None if value is None else value.decode()
            if text is not None:
                self.insert_row(_SETTINGS[kind], {"key": key, "json": text}, replaces=True)
            elif not self.delete(_SETTINGS[kind], {"key": key}):
                continue
            number += 1
            self.insert_row(_CHANGES[kind], {"number": number, "key": key, "json": text, "changed": now})
            self.notices[SettingNotice(key, kind == "own_setting")] = None

    def keep_unlogged(self, values: Mapping[str, CanonicalJson | None]) -> None:
        """Store or delete internal settings that change often or are secret: their history has no former values."""
        self.unseen += 1
        for key, value in values.items():
            if value is None:
                self.delete(_SETTINGS["own_setting"], {"key": key})
            else:
                self.insert_row(_SETTINGS["own_setting"], {"key": key, "json": value.decode()}, replaces=True)

    def put_key(self, key: AccessKey) -> None:
        """Store a key or its changed fields. Raises Invalid.

        Another server may know more: a revoked key stays revoked, and the latest use stays.
        """
        known = self._keys({"id": key.id})
        times = [each.revoked for each in (key, *known) if each.revoked is not None]
        latest = max((key, *known), key=lambda each: (each.last_used or 0, each is key))
        fields = msgspec.structs.asdict(key) | {
            "buckets": msgspec.json.encode(key.buckets).decode(),
            "revoked": min(times, default=None),
            "last_used": latest.last_used,
            "last_address": latest.last_address,
        }
        self.insert_row(_KEYS, fields, replaces=True)
        self.is_access = True

    def put_session(self, session: Session) -> None:
        self.insert_row(_SESSIONS, {name: storable(value) for name, value in msgspec.structs.asdict(session).items()})
        self.is_access = True

    def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        self.update(_SESSIONS, {"confirmed": when}, {"digest": digest, "confirmed": None})
        self.is_access = True

    def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        """Store when sessions were last used, without raising the revision."""
        self.unseen += 1
        # Ordered by key, so that two servers that record the same sessions do not deadlock.
        for use in sorted(uses, key=lambda use: use.digest):
            self._note_use(_SESSIONS, use.digest, use.when, use.address)

    def end_sessions(self, digests: Sequence[bytes]) -> None:
        for digest in digests:
            self.delete(_SESSIONS, {"digest": digest})
        self.is_access = True

    def note_audit(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        """Add to the audit log and to the usage of keys; delete some entries that ended before `forget_before`.

        Does not raise the revision.
        """
        self.unseen += 1
        self.put_tallies(tallies)
        self._forget_tallies(before=forget_before, rows=_FORGOTTEN_AT_ONCE)
        for use in sorted(uses, key=lambda use: use.key_id):
            self._note_use(_KEYS, use.key_id, use.when, use.address)

    @abstractmethod
    def put_tallies(self, tallies: Sequence[AuditTally]) -> None:
        """Add to the audit log; entries of the same call are added up. Locks it until the commit."""

    def _forget_tallies(self, *, before: Microseconds, rows: int) -> None:
        """Delete those of the oldest `rows` entries of the audit log that ended before this time.

        Only of these: an entry covers at most a day, so expired ones are among them, and a scan of the whole log with
        every flush would delay heartbeats.
        """
        expired = [number for number, last in self.select(_AUDIT, {}, order="number", limit=rows) if last < before]
        if expired:
            self.delete(_AUDIT, {"number": expired})

    def _note_use(self, table: Table, key: str | bytes, when: Microseconds, address: str) -> None:
        """Another server may have recorded a later use."""
        used = {"last_used": when, "last_address": storable(address)}
        which: dict[str, str | bytes] = {table.fields[0]: key}
        if not self.update(table, used, {**which, "last_used": None}):
            self.update(table, used, {**which, "last_used <=": when})

    @abstractmethod
    def check_tokens(self, tokens: Sequence[Once]) -> None:
        """Raise AlreadyDone if a change with one of these idempotency tokens was made before."""

    @abstractmethod
    def keep_tokens(self, tokens: Sequence[Once]) -> None:
        """Store the tokens of a change, and delete some expired ones. Raises AlreadyDone."""


def storable(value: Any) -> Any:
    """Text without NUL characters: values sent by callers may contain them, and are recorded anyway."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def _key_of(fields: dict[str, Any]) -> AccessKey:
    return msgspec.convert(fields | {"buckets": msgspec.json.decode(str(fields["buckets"]))}, AccessKey)
