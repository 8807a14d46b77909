"""Browsers that are signed in: by a key, or by a one-time code that a command of ours has made."""

import hashlib
import secrets
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from dayline.access.caller import Caller, caller_with
from dayline.access.keyring import Clock, Keyring
from dayline.model.audit import Session
from dayline.model.timestamps import DAY, SECOND, Microseconds, now_us
from dayline.storage.access import AccessStore

CODE_S: Final = 300  # how long a one-time code can be used
_TOKEN_BYTES: Final = 32
_MOST_CODES: Final = 100

OwnerCaller: Final = Caller(kind="session", scope="full")


class _Code(Struct, frozen=True):
    key_id: str | None  # of the key that it was made with, and ends with
    expires: Microseconds


class Sessions:
    """Every session by the digest of its cookie. Sessions of a key end with the key."""

    def __init__(self, store: AccessStore, keyring: Keyring, *, days: int, clock: Clock = now_us) -> None:
        self._store = store
        self._keyring = keyring
        self._lifetime = days * DAY
        self._clock = clock
        self._sessions = {session.digest: session for session in store.sessions()}
        self._codes: dict[bytes, _Code] = {}  # by their digests

    def new_code(self, key_id: str | None = None) -> str:
        """A code that signs a browser in, once and soon, as the one who asks: with a key, or as the owner."""
        now = self._clock()
        self._codes = {digest: code for digest, code in self._codes.items() if code.expires > now}
        if len(self._codes) >= _MOST_CODES:
            self._codes.clear()
        code = secrets.token_urlsafe(_TOKEN_BYTES)
        self._codes[_digest(code)] = _Code(key_id=key_id, expires=now + CODE_S * SECOND)
        return code

    def use_code(self, code: str) -> Caller | None:
        """Who it signs in; None if it is not valid. It is not any longer."""
        found = self._codes.pop(_digest(code), None)
        if found is None or self._clock() >= found.expires:
            return None
        if found.key_id is None:
            return OwnerCaller
        key = self._keyring.active(found.key_id)
        return None if key is None else caller_with(key, kind="session")

    async def begin(self, *, key_id: str | None, address: str, agent: str) -> tuple[str, Session]:
        """Sign a browser in. Returns what its cookie holds, which is kept nowhere."""
        token, now = secrets.token_urlsafe(_TOKEN_BYTES), self._clock()
        session = Session(
            digest=_digest(token),
            key_id=key_id,
            created=now,
            expires=now + self._lifetime,
            address=address,
            agent=agent[:200],
        )
        await self._store.put_session(session)
        await self._end(lambda other: other.expires <= now)
        self._sessions[session.digest] = session
        return token, session

    def find(self, token: str) -> Session | None:
        """The session of a cookie, if it still holds."""
        session = self._sessions.get(_digest(token))
        if session is None or self._clock() >= session.expires:
            return None
        if session.key_id is not None and self._keyring.active(session.key_id) is None:
            return None
        return session

    def caller(self, session: Session) -> Caller:
        """Who has signed in there."""
        if session.key_id is None:
            return OwnerCaller
        return caller_with(self._keyring.find(session.key_id), kind="session")

    async def end(self, session: Session) -> None:
        """Sign out."""
        await self._end(lambda other: other.digest == session.digest)

    async def end_others(self, session: Session | None, *, tenant: str = "") -> int:
        """Sign out every browser of a tenant but this one; how many there were."""
        return await self._end(
            lambda other: self._tenant_of(other) == tenant and (session is None or other.digest != session.digest)
        )

    def learn(self, sessions: Iterable[Session], *, read: Microseconds) -> None:
        """Take over what other servers know, as it was read at a moment: what began here since then stays."""
        later = {digest: session for digest, session in self._sessions.items() if session.created >= read}
        self._sessions = {session.digest: session for session in sessions} | later

    def all(self) -> list[Session]:
        """Those that still hold."""
        return [session for session in self._sessions.values() if self._clock() < session.expires]

    def _tenant_of(self, session: Session) -> str:
        key = None if session.key_id is None else self._keyring.known(session.key_id)
        return "" if key is None else key.tenant

    async def _end(self, is_over: Callable[[Session], bool]) -> int:
        over = [session.digest for session in self._sessions.values() if is_over(session)]
        if over:
            await self._store.end_sessions(over)
            for digest in over:
                self._sessions.pop(digest, None)
        return len(over)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
