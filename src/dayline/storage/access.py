"""What every backend promises about access: keys, sessions, the audit trail and Dayline's own settings.

Keys and sessions are one for a whole database, whoever's data it holds: a key says whose they are. The rest is of one
person each. Writes answer after their commit; reads are synchronous, and made for threads.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self

from dayline.model.access import AccessKey, AuditEntry, AuditFilter, AuditTally, KeyUse, Once, Session, SessionUse
from dayline.model.data import CanonicalJson
from dayline.model.preferences import HistoryFilter, SettingChange
from dayline.model.time import Microseconds

SettingEdit = Callable[[CanonicalJson | None], CanonicalJson]


class AccessStore(Protocol):
    """Everything that decides who may call, and what is kept of those who did."""

    def once(self, once: Once) -> Self:
        """The same store for one change, which is refused with AlreadyDone where the token was used before."""
        ...

    def all_keys(self) -> list[AccessKey]:
        """Every key of everybody, those revoked and expired too, in order of creation."""
        ...

    async def put_key(self, key: AccessKey) -> None:
        """Store a key, or what has changed about it."""
        ...

    async def replace_key(self, old: AccessKey, new: AccessKey) -> None:
        """Store what has changed about one key, and another that takes its place, together."""
        ...

    def sessions(self) -> list[Session]:
        """Every session of everybody, those expired too."""
        ...

    async def put_session(self, session: Session) -> None:
        """Store a new session."""
        ...

    async def confirm_session(self, digest: bytes, when: Microseconds) -> None:
        """Store that a sign-in from a new address was expected. A session that has ended stays ended."""
        ...

    async def note_session_uses(self, uses: Sequence[SessionUse]) -> None:
        """Store when sessions were last used, and from where. A session that has ended stays ended."""
        ...

    async def end_sessions(self, digests: Sequence[bytes]) -> None:
        """Remove sessions, whether or not they are there."""
        ...

    async def note(self, tallies: Sequence[AuditTally], uses: Sequence[KeyUse], *, forget_before: Microseconds) -> None:
        """Add to the audit trail and to what is known of the keys' use; forget lines that ended before a time."""
        ...

    def audit(self, which: AuditFilter) -> list[AuditEntry]:
        """Lines of the audit log, the latest first: by `last`, not by when they were begun."""
        ...

    def own_setting(self, key: str) -> CanonicalJson | None:
        """A setting of Dayline's own as JSON text; None where it is not set."""
        ...

    def own_settings(self) -> dict[str, CanonicalJson]:
        """Every setting of Dayline's own, as JSON text by key."""
        ...

    def own_setting_history(self, which: HistoryFilter) -> list[SettingChange]:
        """What settings of Dayline's own were changed to, the latest first."""
        ...

    async def set_own_setting(self, key: str, value: CanonicalJson) -> None:
        """Store a setting of Dayline's own; its earlier values stay in the history."""
        ...

    async def edit_own_setting(self, key: str, edit: SettingEdit) -> CanonicalJson:
        """Store what `edit` makes of a setting, with nothing in between; an error of it changes nothing."""
        ...

    async def change_own_settings(self, values: Mapping[str, CanonicalJson | None]) -> None:
        """Store several together, or remove them: None. What stays as it is is no change."""
        ...
