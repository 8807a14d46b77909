"""Identifies the caller by key, session, or the token of our own commands."""

import hashlib
import secrets
from collections.abc import Callable
from time import monotonic
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from dayline.access.keyring import Keyring
from dayline.access.local_users import is_local_token, new_local_token, proof_of
from dayline.access.origins import Standing
from dayline.access.sessions import BrowserProof, Sessions
from dayline.model.access import ANONYMOUS, LOCAL, OPEN, Caller, key_id_of
from dayline.model.errors import Forbidden, TooMany, Unauthorized

_MINUTE_S: Final = 60.0
_MAX_ADDRESSES: Final = 10_000


class FailedAttempts:
    """Counts failures per address and minute. Valid keys are never delayed, because others may share their address."""

    def __init__(self, max_per_minute: int, *, clock: Callable[[], float] = monotonic) -> None:
        self._max = max_per_minute
        self._clock = clock
        self._minute = 0
        self._failures: dict[str, int] = {}

    def note(self, address: str) -> bool:
        """Count a failure. Returns whether this address has exceeded the limit."""
        minute = int(self._clock() / _MINUTE_S)
        if minute != self._minute or len(self._failures) >= _MAX_ADDRESSES:
            self._minute = minute
            self._failures.clear()
        failures = self._failures[address] = self._failures.get(address, 0) + 1
        return failures > self._max


PROOF_HEADER: Final = "X-Dayline"  # with the secret of the session
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Exactly this spelling, as the existing server requires it too.
_BEARER: Final = "Bearer "
_ORIGIN_CHARACTERS: Final = 200  # stored in the audit log and with buckets; an extension's origin has 54


class Credentials(Struct, frozen=True, kw_only=True):
    """The credentials of a request. `address` is the client's address, resolved through trusted proxies."""

    address: str
    authorization: str | None = None
    browser: BrowserProof | None = None  # None without a session cookie
    standing: Standing = Standing.TRUSTED
    origin: str = ""
    user_refusal: str | None = None  # why the local user who calls needs a key


class Gate:
    """Authenticates all requests. `needs_keys` is whether callers need a key.

    `store_id` identifies the store that this server serves, for `proof`.
    """

    def __init__(
        self,
        keyring: Keyring,
        sessions: Sessions,
        attempts: FailedAttempts,
        *,
        needs_keys: bool,
        needs_envelope: bool = False,
        store_id: str = "",
    ) -> None:
        self.keyring = keyring
        self.sessions = sessions
        self.needs_keys = needs_keys
        self.needs_envelope = needs_envelope
        self.local_token = new_local_token()  # for our own commands, written to a file that they can read
        self._local_digest = _digest(self.local_token)
        self._store_id = store_id
        self._attempts = attempts

    def caller(self, shown: Credentials) -> Caller:
        """The caller. Raises Unauthorized, Forbidden or TooMany."""
        caller = self._caller(shown)
        if caller.kind in ("key", "session"):
            self.check_plain_allowed()
        return _restrict(caller, shown) if shown.standing is Standing.APPEND_ONLY else caller

    def check_plain_allowed(self) -> None:
        """Raise Forbidden if keys are accepted only in envelopes."""
        if self.needs_envelope:
            raise Forbidden(
                "this server accepts only calls in an envelope",
                hint="use POST /api/1/envelope (docs/reference/envelope.md), or dayline.client with envelope=True",
            )

    def fast_caller(self, authorization: bytes | None) -> Caller | None:
        """The caller of a request on the fast path; None if the full check is needed."""
        if authorization is None:
            return None if self.needs_keys else OPEN
        if self.needs_envelope or not authorization.isascii():
            return None
        text = authorization.decode("ascii")
        return self.keyring.caller(text.removeprefix(_BEARER)) if text.startswith(_BEARER) else None

    def proof(self, nonce: str, *, address: str) -> str:
        """Proves to a command that holds the local token which store this server serves, at which address."""
        return proof_of(self.local_token, store=self._store_id, nonce=nonce, address=address)

    def refuse(self, address: str, reason: str) -> Unauthorized | TooMany:
        """The error for invalid credentials: 401, or 429 after too many in a minute."""
        if self._attempts.note(address):
            return TooMany("too many invalid keys from this address", hint="wait a minute, and use a valid key")
        return Unauthorized(reason, hint="dayline keys list shows the keys; dayline keys create creates one")

    def _caller(self, shown: Credentials) -> Caller:
        if shown.authorization is not None:
            return self._by_key(shown, shown.authorization)
        if shown.browser is not None:
            session = self.sessions.find(shown.browser)
            if session is not None:
                self.sessions.note_use(session, shown.address)
                return self.sessions.caller(session)
            if self.needs_keys:
                raise Unauthorized(
                    "the session of this browser has ended, or the request does not prove that it came from its page",
                    hint=f"sign in again, and send the `secret` of the sign-in in the header {PROOF_HEADER}",
                )
        return self._without_key(shown)

    def _without_key(self, shown: Credentials) -> Caller:
        if self.needs_keys:
            return ANONYMOUS
        if shown.user_refusal is not None:
            raise Forbidden(
                f"{shown.user_refusal} without a key",
                hint='send a key, or allow all local users with other_users = "allow" under [access]',
            )
        return OPEN

    def _by_key(self, shown: Credentials, authorization: str) -> Caller:
        text = authorization.removeprefix(_BEARER) if authorization.startswith(_BEARER) else ""
        caller = self.keyring.caller(text)
        if caller is not None:
            return caller
        if text.isascii() and secrets.compare_digest(_digest(text), self._local_digest):
            return LOCAL
        if is_local_token(text):
            # Also on a server without keys: the command means the server of another database, or an earlier run. As an
            # open caller it would change the wrong data.
            raise self.refuse(shown.address, "this local token belongs to another server or an earlier run")
        if not self.needs_keys and not self._is_of_tenant(text):
            # A server without keys accepts every caller, including clients with the key of another server.
            return self._without_key(shown)
        raise self.refuse(shown.address, f"invalid key: it is {self.keyring.why_invalid(text)}")

    def _is_of_tenant(self, text: str) -> bool:
        """Whether it was the key of a named tenant, whose events must not go to another tenant."""
        key = self.keyring.known(key_id_of(text) or "")
        return key is not None and bool(key.tenant)


def _restrict(caller: Caller, shown: Credentials) -> Caller:
    """An extension may only record, whatever key it sends."""
    if caller.scope is None:
        return caller
    return replace(
        caller,
        kind="extension" if caller.kind == "open" else caller.kind,
        scope="append" if caller.may("append") else None,
        origin=shown.origin[:_ORIGIN_CHARACTERS],
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
