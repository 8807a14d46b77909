"""The AccessStore protocol: keys, sessions, the audit log and internal settings.

Keys and sessions belong to the whole database; a key names its tenant. The rest belongs to one tenant. Writes return
after their commit. Reads are synchronous: call them on a thread.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self

from dayline.model.access import AccessKey, AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.data import CanonicalJson
from dayline.model.preferences import HistoryFilter, SettingChange
from dayline.model.time import Microseconds

SettingEdit = Callable[[CanonicalJson | None], CanonicalJson]


class AccessStore(Protocol):
    """Keys, sessions, the audit log and internal settings of one tenant."""

    def once(self, once: Once) -> Self:
        """The same store for one change, which raises AlreadyDone if the idempotency token was used before."""
        ...

    def all_keys(self) -> list[AccessKey]:
        """All keys of all tenants in order of creation, including revoked and expired ones."""
        ...

    async def put_key(self, key: AccessKey) -> None:
        """Store a new key, or the changed fields of an existing one."""
        ...

    async def replace_key(self, old: AccessKey, new: AccessKey) -> None:
        """Store the changes of one key and the key that replaces it, in one transaction."""
        ...

    def sessions(self) -> list[Session]:
        """All sessions of all tenants, including expired ones."""
        ...

    async def put_session(self, session: Session) -> None:
        """Store a new session."""
        ...

    async def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        """Record that a sign-in from a new address was expected. A session that has ended stays ended."""
        ...

    async def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        """Store when and from where sessions were last used. A session that has ended stays ended."""
        ...

    async def end_sessions(self, digests: Sequence[bytes]) -> None:
        """Delete sessions; unknown ones are ignored."""
        ...

    async def note(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        """Add to the audit log and to the usage of keys; delete audit entries that ended before `forget_before`."""
        ...

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        """Entries of the audit log, newest first by `last`."""
        ...

    def own_setting(self, key: str) -> CanonicalJson | None:
        """An internal setting as JSON text; None if it is not set."""
        ...

    def own_settings(self) -> dict[str, CanonicalJson]:
        """All internal settings, as JSON text by key."""
        ...

    def own_setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        """Former values of internal settings, newest first."""
        ...

    async def set_own_setting(self, key: str, value: CanonicalJson) -> None:
        """Store an internal setting; its former values stay in the history."""
        ...

    async def edit_own_setting(self, key: str, edit: SettingEdit) -> CanonicalJson:
        """Store what `edit` returns for the current value, in one transaction; if `edit` raises, nothing changes."""
        ...

    async def change_own_settings(self, values: Mapping[str, CanonicalJson | None]) -> None:
        """Store several settings in one transaction; None deletes one. Unchanged values are not logged."""
        ...
