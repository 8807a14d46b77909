"""Keys, sessions, the audit log and settings, over either engine.

Keys and sessions belong to the whole database; a key names its tenant. The rest belongs to one tenant. Writes return
after their commit. Reads are synchronous: call them on a thread.
"""

from collections.abc import Mapping, Sequence

from dayline.model.access import AccessKey, Once, Session, SessionUse
from dayline.model.audit import AuditEntry, AuditFilter, AuditTally, KeyUse
from dayline.model.data import CanonicalJson
from dayline.model.settings.history import HistoryFilter, SettingChange
from dayline.model.time import Microseconds, now_us
from dayline.storage.engine.tenant import TenantReaders, TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.writing.settings import SettingEdit, change_own_settings, edit_own_setting


class AccessStore:
    """Keys, sessions, the audit log and internal settings of one tenant."""

    def __init__(self, writer: TenantWriter, readers: TenantReaders) -> None:
        self._writer = writer
        self._readers = readers

    def once(self, once: Once) -> "AccessStore":
        """The same store for one change, which raises AlreadyDone if the idempotency token was used before."""
        return AccessStore(self._writer.once(once), self._readers)

    def all_keys(self) -> list[AccessKey]:
        """All keys of all tenants in order of creation, including revoked and expired ones."""
        with self._readers.transaction() as tx:
            return tx.all_keys()

    async def put_key(self, key: AccessKey) -> None:
        """Store a new key, or the changed fields of an existing one."""
        await self._writer.change(lambda tx: tx.put_key(key))

    async def replace_key(self, old: AccessKey, new: AccessKey) -> None:
        """Store the changes of one key and the key that replaces it, in one transaction."""

        def replace(tx: WriteTransaction) -> None:
            tx.put_key(old)
            tx.put_key(new)

        await self._writer.change(replace)

    def sessions(self) -> list[Session]:
        """All sessions of all tenants, including expired ones."""
        with self._readers.transaction() as tx:
            return tx.sessions()

    async def put_session(self, session: Session) -> None:
        """Store a new session."""
        await self._writer.change(lambda tx: tx.put_session(session))

    async def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        """Record that a sign-in from a new address was expected. A session that has ended stays ended."""
        await self._writer.change(lambda tx: tx.confirm_session(digest, when))

    async def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        """Store when and from where sessions were last used. A session that has ended stays ended."""
        await self._writer.note(lambda tx: tx.note_session_uses(uses), rows=len(uses))

    async def end_sessions(self, digests: Sequence[bytes]) -> None:
        """Delete sessions; unknown ones are ignored."""
        await self._writer.change(lambda tx: tx.end_sessions(digests))

    async def note(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        """Add to the audit log and to the usage of keys; delete audit entries that ended before `forget_before`."""

        def note(tx: WriteTransaction) -> None:
            tx.note_audit(tallies, uses, forget_before=forget_before)

        await self._writer.note(note, rows=len(tallies) + len(uses))

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        """Entries of the audit log, newest first by `last`."""
        with self._readers.transaction() as tx:
            return tx.audit(which)

    def own_setting(self, key: str) -> CanonicalJson | None:
        """An internal setting as JSON text; None if it is not set."""
        with self._readers.transaction() as tx:
            return tx.setting_values("own_setting", [key]).get(key)

    def own_settings(self) -> dict[str, CanonicalJson]:
        """All internal settings, as JSON text by key."""
        with self._readers.transaction() as tx:
            return tx.setting_values("own_setting")

    def own_setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        """Former values of internal settings, newest first."""
        with self._readers.transaction() as tx:
            return tx.setting_history("own_setting", which)

    async def set_own_setting(self, key: str, value: CanonicalJson) -> None:
        """Store an internal setting; its former values stay in the history."""
        await self.change_own_settings({key: value})

    async def edit_own_setting(self, key: str, edit: SettingEdit) -> CanonicalJson:
        """Store what `edit` returns for the current value, in one transaction; if `edit` raises, nothing changes."""
        return await self._writer.change(lambda tx: edit_own_setting(tx, key, edit, now=now_us()))

    async def change_own_settings(self, values: Mapping[str, CanonicalJson | None]) -> None:
        """Store several settings in one transaction; None deletes one. Unchanged values are not logged."""
        await self._writer.change(lambda tx: change_own_settings(tx, values, now=now_us()))
