"""Signed-in browsers: by a key, or by a one-time code of one of our commands.

A session needs its cookie and its secret. Browsers send a cookie to every port of a host, so servers of other users can
receive it; the secret is in the page's own storage, which browsers separate by port. A session that began on this
computer also belongs to the local user who began it.
"""

import contextlib
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from dayline.access.keyring import Clock, Keyring
from dayline.access.local_users import ROOT
from dayline.access.revocations import Revocation, RevocationJournal
from dayline.model.access import SESSION_ID_DIGITS, Caller, Session, SessionUse, caller_with
from dayline.model.errors import AlreadyDone, DaylineError, SessionNotFound
from dayline.model.time import DAY, SECOND, Microseconds, now_us
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.access import AccessStore

CODE_S: Final = 300  # lifetime of a one-time code
TICKET_S: Final = 60  # lifetime of a ticket
_TOKEN_BYTES: Final = 32
_HALF_BYTES: Final = 16  # of the digest of a session
_MAX_CODES: Final = 100
_USE_INTERVAL: Final[Microseconds] = 60 * SECOND  # max delay of the stored last use

_TICKET = re.compile(r"([0-9a-f]{12})\.([0-9]{1,17})\.([0-9a-f]{64})")  # session id, expiry, HMAC

OwnerCaller: Final = Caller(kind="session", scope="full")


def _unknown_user() -> int | None:
    return None


class BrowserProof(Struct, frozen=True, kw_only=True):
    """What a browser sends to use its session: the cookie, and the secret or, for one GET of `path`, a ticket.

    `uid` returns the local user at the other end of the connection; None for other computers.
    """

    cookie: str
    secret: str | None = None
    ticket: str | None = None
    path: str = ""
    uid: Callable[[], int | None] = _unknown_user


class SignedIn(Struct, frozen=True, kw_only=True):
    """A new session, with what the browser has to keep. Neither is stored."""

    session: Session
    cookie: str
    secret: str


class _Code(Struct, frozen=True):
    key_id: str | None  # of the key that created it; the code is invalid without it
    expires: Microseconds


class Sessions:
    """All sessions by the digest of their cookie and secret. Sessions of a key end with the key."""

    def __init__(
        self,
        store: AccessStore,
        keyring: Keyring,
        *,
        days: int,
        clock: Clock = now_us,
        background: BackgroundWorkers | None = None,
        journal: RevocationJournal | None = None,
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._lifetime = days * DAY
        self._clock = clock
        self._sessions = {session.digest: session for session in store.sessions()}
        self._codes: dict[bytes, _Code] = {}  # by digest
        self._used_tickets: dict[str, Microseconds] = {}  # with their expiry
        self._unwritten: dict[bytes, SessionUse] = {}
        workers = background or BackgroundWorkers()
        self._journal = journal or RevocationJournal()
        for entry in self._journal.recovered:
            self._recover(entry)
        self._task = workers.task("last use of sessions", self._write_uses, interval_s=None, initial_delay_s=None)

    def new_code(self, key_id: str | None = None) -> str:
        """A one-time code that signs a browser in with the rights of the caller: a key, or the owner."""
        now = self._clock()
        self._codes = {digest: code for digest, code in self._codes.items() if code.expires > now}
        if len(self._codes) >= _MAX_CODES:
            self._codes.clear()
        code = secrets.token_urlsafe(_TOKEN_BYTES)
        self._codes[_digest(code)] = _Code(key_id=key_id, expires=now + CODE_S * SECOND)
        return code

    def use_code(self, code: str) -> Caller | None:
        """Redeem a code. Returns the caller it signs in; None if it is invalid."""
        entry = self._codes.pop(_digest(code), None)
        if entry is None or self._clock() >= entry.expires:
            return None
        if entry.key_id is None:
            return OwnerCaller
        key = self._keyring.active(entry.key_id)
        return None if key is None else caller_with(key, kind="session")

    async def begin(
        self, *, key_id: str | None, address: str, agent: str, uid: int | None = None, is_new_address: bool = False
    ) -> SignedIn:
        """Sign a browser in. With `uid`, only this local user and root can use the session.

        A sign-in from a new address is listed by `unconfirmed` until it is confirmed or the session ends.
        """
        cookie, secret, now = _new_cookie(uid), secrets.token_urlsafe(_TOKEN_BYTES), self._clock()
        session = Session(
            digest=_session_digest(cookie, secret),
            key_id=key_id,
            created=now,
            expires=now + self._lifetime,
            address=address,
            agent=agent[:200],
            confirmed=None if is_new_address else now,
            last_used=now,
            last_address=address,
        )
        await self._store.put_session(session)
        expired = [other.digest for other in self._sessions.values() if other.expires <= now]
        if expired:
            await self._store.end_sessions(expired)
            for digest in expired:
                self._sessions.pop(digest, None)
        self._sessions[session.digest] = session
        return SignedIn(session=session, cookie=cookie, secret=secret)

    def find(self, proof: BrowserProof) -> Session | None:
        """The session that a browser may use. A ticket is used up."""
        if proof.secret is not None:
            session = self._sessions.get(_session_digest(proof.cookie, proof.secret))
        else:
            session = self._with_ticket(proof)
        if session is None or not self._holds(session):
            return None
        # Read only now, because the digest, or its first half, proves who wrote it.
        uid = _uid_in(proof.cookie)
        return session if uid is None or proof.uid() in (uid, ROOT) else None

    def is_valid(self, digest: bytes) -> bool:
        """Whether the session has not ended."""
        session = self._sessions.get(digest)
        return session is not None and self._holds(session)

    def new_ticket(self, digest: bytes, *, cookie: str, path: str) -> str:
        """Replaces the secret in one GET of this path, within a minute, for links that cannot send headers.

        It is computed from the session, so that every server of the database accepts it; each accepts it once.
        """
        expires = self._clock() + TICKET_S * SECOND
        return f"{digest.hex()[:SESSION_ID_DIGITS]}.{expires}.{_ticket_mac(digest, cookie, path, expires)}"

    def note_use(self, session: Session, address: str) -> None:
        """Record that a session was used now. It is stored about once a minute."""
        now, before = self._clock(), session.last_used
        self._sessions[session.digest] = replace(session, last_used=now, last_address=address)
        is_due = before is None or now // _USE_INTERVAL != before // _USE_INTERVAL
        if is_due or session.last_address != address:
            self._unwritten[session.digest] = SessionUse(digest=session.digest, when=now, address=address)
            self._task.start()  # only now: a command with a single call needs no task
            self._task.wake()

    def caller(self, session: Session) -> Caller:
        """The caller that signed in."""
        if session.key_id is None:
            return replace(OwnerCaller, session=session.digest)
        return caller_with(self._keyring.find(session.key_id), kind="session", session=session.digest)

    def find_by_id(self, session_id: str, *, tenant: str = "") -> Session:
        """The session of a tenant with this id. Raises SessionNotFound."""
        for session in self.all(tenant=tenant):
            if session.id == session_id:
                return session
        raise SessionNotFound(session_id)

    def unconfirmed(self, *, tenant: str = "") -> list[Session]:
        """Sign-ins of a tenant from a new address that are not confirmed yet."""
        return [session for session in self.all(tenant=tenant) if session.confirmed is None]

    async def confirm(self, store: AccessStore, session: Session) -> Session:
        """Confirm a sign-in from a new address."""
        now = self._clock()
        await store.confirm_session(session.digest, now)
        confirmed = replace(self._sessions.get(session.digest, session), confirmed=session.confirmed or now)
        if session.digest in self._sessions:  # it may have ended while we waited
            self._sessions[session.digest] = confirmed
        return confirmed

    async def end(self, store: AccessStore, session: Session) -> None:
        """End a session."""
        await self._end(store, [session.digest])

    async def end_all(self, store: AccessStore, *, tenant: str = "", but: Session | None = None) -> int:
        """End all sessions of a tenant, except `but`. Returns how many were ended."""
        spared = None if but is None else but.digest
        digests = [session.digest for session in self.all(tenant=tenant) if session.digest != spared]
        await self._end(store, digests)
        return len(digests)

    def learn(self, sessions: Iterable[Session], *, read: Microseconds) -> None:
        """Merge the sessions of other servers, as they were read at `read`. Sessions that began later here stay."""
        later = {digest: session for digest, session in self._sessions.items() if session.created >= read}
        self._sessions = {
            session.digest: self._with_latest_use(session)
            for session in sessions
            if not self._journal.is_unstored(session=session.digest)
        } | later

    def note_stored(self, sessions: Iterable[Session]) -> None:
        """Merge the stored last use of sessions: another server may have recorded a later one."""
        for session in sessions:
            known = self._sessions.get(session.digest)
            if known is not None and (known.last_used or 0) < (session.last_used or 0):
                self._sessions[session.digest] = replace(
                    known, last_used=session.last_used, last_address=session.last_address
                )

    def all(self, *, tenant: str | None = None) -> list[Session]:
        """All valid sessions, of one tenant or of all."""
        return [
            session
            for session in self._sessions.values()
            if self._holds(session) and (tenant is None or self._tenant_of(session) == tenant)
        ]

    async def close(self) -> None:
        """Store the last use of sessions. Raises nothing."""
        await self._task.close()
        with contextlib.suppress(DaylineError):  # at most a minute of the last use is lost
            await self._write_uses()

    def _holds(self, session: Session) -> bool:
        has_key = session.key_id is None or self._keyring.active(session.key_id) is not None
        return has_key and self._clock() < session.expires

    def _with_ticket(self, proof: BrowserProof) -> Session | None:
        match, now = _TICKET.fullmatch(proof.ticket or ""), self._clock()
        if match is None or now >= int(match[2]) or match[0] in self._used_tickets:
            return None
        session = next((session for session in self._sessions.values() if session.id == match[1]), None)
        if session is None or not _is_cookie_of(session, proof.cookie):
            return None
        expected = _ticket_mac(session.digest, proof.cookie, proof.path, int(match[2]))
        if not secrets.compare_digest(match[3], expected):
            return None
        self._used_tickets = {ticket: expires for ticket, expires in self._used_tickets.items() if expires > now}
        self._used_tickets[match[0]] = int(match[2])
        return session

    def _with_latest_use(self, session: Session) -> Session:
        """A session as it was read, with a later use that this server has not stored yet."""
        known = self._sessions.get(session.digest)
        if known is None or (known.last_used or 0) <= (session.last_used or 0):
            return session
        return replace(session, last_used=known.last_used, last_address=known.last_address)

    async def _write_uses(self) -> None:
        uses, self._unwritten = self._unwritten, {}
        if not uses:
            return
        try:
            await self._store.note_session_uses(list(uses.values()))
        except BaseException:
            self._unwritten = uses | self._unwritten
            raise

    def _tenant_of(self, session: Session) -> str:
        key = None if session.key_id is None else self._keyring.known(session.key_id)
        return "" if key is None else key.tenant

    async def _end(self, store: AccessStore, digests: list[bytes]) -> None:
        """End sessions, then store that. Raises Unavailable if they are ended but cannot be stored yet."""
        ended = {digest: self._sessions.pop(digest) for digest in digests if digest in self._sessions}
        now = self._clock()
        try:
            await self._journal.store(
                [Revocation(session=digest.hex(), when=now) for digest in digests],
                lambda: store.end_sessions(digests),
                retry=lambda: self._store.end_sessions(digests),
            )
        except AlreadyDone:  # the idempotency key was used by an earlier request: sessions that began since stay
            self._sessions |= ended
            raise

    def _recover(self, entry: Revocation) -> None:
        """End a session again that an earlier run ended but could not store."""
        digest = bytes.fromhex(entry.session)
        if self._sessions.pop(digest, None) is not None:
            self._journal.retry(entry, lambda: self._store.end_sessions([digest]))


def _new_cookie(uid: int | None) -> str:
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    return token if uid is None else f"{token}.{uid}"


def _uid_in(cookie: str) -> int | None:
    """The local user to whom a session belongs, from its cookie."""
    uid = cookie.partition(".")[2]
    return int(uid) if uid else None


def _session_digest(cookie: str, secret: str) -> bytes:
    """What a session is found by. The time that takes says nothing about the secret.

    The first half proves the cookie, and the second half the secret. A ticket proves that its maker knows the second
    half. A copy of the database contains both halves, but not the cookie, which a ticket needs too.
    """
    return _half(cookie) + _half(f"{cookie}\0{secret}")


def _is_cookie_of(session: Session, cookie: str) -> bool:
    return hmac.compare_digest(session.digest[:_HALF_BYTES], _half(cookie))


def _half(text: str) -> bytes:
    return _digest(text)[:_HALF_BYTES]


def _ticket_mac(digest: bytes, cookie: str, path: str, expires: Microseconds) -> str:
    return hmac.digest(digest, f"dayline ticket v1\0{cookie}\0{path}\0{expires}".encode(), "sha256").hex()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
