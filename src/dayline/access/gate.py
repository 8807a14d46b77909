"""Identifies the caller: by key, session, the token of our own commands, or none of them."""

import hashlib
import secrets
from collections.abc import Callable
from time import monotonic
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from dayline.access.caller import LOCAL, NOBODY, OPEN, Caller
from dayline.access.keyring import Keyring
from dayline.access.local_users import is_local_token, new_local_token, proof_of
from dayline.access.origins import Standing
from dayline.access.sessions import Sessions
from dayline.model.access import key_id_of
from dayline.model.errors import Forbidden, TooMany, Unauthorised

_MINUTE_S: Final = 60.0
_MOST_ADDRESSES: Final = 10_000


class FailedAttempts:
    """Counts failures by address and minute. Right keys are never held up: others may share their address."""

    def __init__(self, max_per_minute: int, *, clock: Callable[[], float] = monotonic) -> None:
        self._max = max_per_minute
        self._clock = clock
        self._minute = 0
        self._failures: dict[str, int] = {}

    def note(self, address: str) -> bool:
        """Count a failure; whether this address has had too many."""
        minute = int(self._clock() / _MINUTE_S)
        if minute != self._minute or len(self._failures) >= _MOST_ADDRESSES:
            self._minute = minute
            self._failures.clear()
        failures = self._failures[address] = self._failures.get(address, 0) + 1
        return failures > self._max


# Decides who is calling: by key, by session, by the token of our own commands, or by nothing at all.


CONFIRMATION: Final = "X-Dayline"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# The scheme word as it is written everywhere; the existing server wants exactly this one too.
_BEARER: Final = "Bearer "
_ORIGIN_CHARACTERS: Final = 200  # it is kept with the audit log and with buckets, and an extension's has 54


class Credentials(Struct, frozen=True, kw_only=True):
    """What a request shows of who sends it. `address` is that of the client, as far as proxies can be believed."""

    method: str
    address: str
    authorization: str | None = None
    cookie: str | None = None  # of our session
    confirmation: str | None = None  # the header that no form or picture of another page can send
    standing: Standing = Standing.TRUSTED
    origin: str = ""
    user_refusal: str | None = None  # why the user of this machine who calls is not served without a key


class Gate:
    """What all requests pass. `needs_keys` says whether those without a key may do anything.

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
        self.local_token = new_local_token()  # for our own commands: see the file beside the database
        self._local_digest = _digest(self.local_token)
        self._store_id = store_id
        self._attempts = attempts

    def caller(self, shown: Credentials) -> Caller:
        """Who this is. Raises Unauthorised, Forbidden or TooMany."""
        caller = self._caller(shown)
        if caller.kind in ("key", "session"):
            self.check_plain_allowed()
        return _restricted(caller, shown) if shown.standing is Standing.APPEND_ONLY else caller

    def check_plain_allowed(self) -> None:
        """Raise Forbidden if keys are accepted in envelopes only."""
        if self.needs_envelope:
            raise Forbidden(
                "this server takes calls in an envelope only",
                hint="use POST /api/1/envelope (docs/reference/envelope.md); dayline.client does it with envelope=True",
            )

    def fast_caller(self, authorization: bytes | None) -> Caller | None:
        """The same for the hot lane; None where it is not clear at once, and the ordinary lane has to see to it."""
        if authorization is None:
            return None if self.needs_keys else OPEN
        if self.needs_envelope or not authorization.isascii():
            return None
        text = authorization.decode("ascii")
        return self.keyring.caller(text.removeprefix(_BEARER)) if text.startswith(_BEARER) else None

    def proof(self, nonce: str) -> str:
        """Proves to a command that holds the local token which store this server serves."""
        return proof_of(self.local_token, store=self._store_id, nonce=nonce)

    def refuse(self, address: str, reason: str) -> Unauthorised | TooMany:
        """What somebody gets who shows the wrong thing: 401, and from some number a minute on 429."""
        if self._attempts.note(address):
            return TooMany("too many wrong keys from this address", hint="wait a minute, and use a valid one")
        return Unauthorised(
            reason, hint="dayline keys list shows the keys of this server; dayline keys create makes one"
        )

    def _caller(self, shown: Credentials) -> Caller:
        if shown.authorization is not None:
            return self._by_key(shown, shown.authorization)
        if shown.cookie is not None:
            session = self.sessions.find(shown.cookie)
            if session is not None:
                if shown.method not in SAFE_METHODS:
                    check_confirmed(shown.confirmation)
                self.sessions.note_use(session, shown.address)
                return self.sessions.caller(session)
        return self._without_key(shown)

    def _without_key(self, shown: Credentials) -> Caller:
        if self.needs_keys:
            return NOBODY
        if shown.user_refusal is not None:
            raise Forbidden(
                f"{shown.user_refusal} without a key",
                hint='send a key, or serve every user of the machine: other_users = "allow" under [access]',
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
            # Also on a server without keys: the command that sends it means the server of another database, or of an
            # earlier run. As an open caller it would change the wrong one.
            raise self.refuse(shown.address, "this local token is not of this server")
        if not self.needs_keys and not self._is_of_somebody(text):
            # An open server takes everybody, also a client that still has the key of another server.
            return self._without_key(shown)
        raise self.refuse(shown.address, "the key is not valid here: unknown, expired or revoked")

    def _is_of_somebody(self, text: str) -> bool:
        """Whether it was a key to the data of a tenant by name: what they record must not become another's."""
        key = self.keyring.known(key_id_of(text) or "")
        return key is not None and bool(key.tenant)


def check_confirmed(confirmation: str | None) -> None:
    """Raise Forbidden unless a browser that is signed in shows that a page of ours has sent the call."""
    if confirmation != "1":
        raise Forbidden(
            f"a call by a browser that is signed in needs the header {CONFIRMATION}", hint=f"{CONFIRMATION}: 1"
        )


def _restricted(caller: Caller, shown: Credentials) -> Caller:
    """An extension may record and nothing else, whatever it shows."""
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
