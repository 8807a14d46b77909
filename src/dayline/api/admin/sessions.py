"""`/api/1/sessions`: the browsers that are signed in, and sign-ins from new addresses."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.access.gate import Gate
from dayline.api.http.browser import browser_proof
from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Route
from dayline.model.access import KeyId, Scope, Session, SessionId
from dayline.model.errors import Forbidden, NotFound
from dayline.model.health import Problem
from dayline.model.time import Timestamp, format_timestamp, optional_timestamp
from dayline.runtime.threads import in_thread

# Substrings of user agents, in the order to check: most user agents name several browsers and systems.
_BROWSERS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
)  # fmt: skip
_SYSTEMS: Final = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


class SignedInBrowser(Struct, frozen=True, kw_only=True):
    """A browser that is signed in. Without a key id it is signed in as the owner.

    `address` is where it signed in. `is_new_address` is true if there was no earlier sign-in from that address, until
    you confirm the sign-in.
    """

    id: SessionId
    device: Annotated[
        str, Meta(description="browser and system, parsed from the user agent", examples=["Firefox on Linux"])
    ]
    user_agent: str
    key_id: KeyId | None
    key_name: str | None
    scope: Scope
    address: str
    is_new_address: bool
    started: Timestamp
    last_used: Timestamp | None
    last_address: str | None
    expires: Timestamp
    is_current: Annotated[bool, Meta(description="true for the browser that sent this request")]


class OtherSessions(Struct, frozen=True, kw_only=True):
    """The number of browsers that were signed out."""

    ended: int


async def list_sessions(call: Call) -> None:
    """Browsers that are currently signed in. A tenant's key lists only those of that tenant."""
    sessions, current = call.server.gate.sessions, current_session(call)
    sessions.note_stored(await in_thread(call.access.sessions))
    listed = sorted(sessions.all(tenant=call.caller.tenant), key=lambda one: one.last_used or one.created, reverse=True)
    call.answer_value([_browser(call, session, current) for session in listed])


async def end_all_sessions(call: Call) -> None:
    """Signs out every browser, including the one that sends the request. A tenant's key affects only that tenant."""
    ended = await call.server.gate.sessions.end_all(call.access, tenant=call.caller.tenant)
    call.answer_value(OtherSessions(ended=ended))


async def revoke_session(call: Call) -> None:
    """The browser is signed out at once. The key that it signed in with stays valid."""
    sessions, current = call.server.gate.sessions, current_session(call)
    session = sessions.find_by_id(call.params["session_id"], tenant=call.caller.tenant)
    await sessions.end(call.access, session)
    call.answer_value(_browser(call, session, current))


async def confirm_session(call: Call) -> None:
    """Removes the sign-in from the health report. Later sign-ins from the same address are not reported either.

    A browser whose own sign-in is not confirmed yet cannot do this: use another browser, a key or the command line.
    """
    sessions = call.server.gate.sessions
    if any(own.digest == call.caller.session for own in sessions.unconfirmed(tenant=call.caller.tenant)):
        raise Forbidden(
            "this browser signed in from a new address and is not confirmed yet, so it cannot confirm a sign-in",
            hint=f"use another browser, or run: dayline keys sessions confirm {call.params['session_id']}",
        )
    session = sessions.find_by_id(call.params["session_id"], tenant=call.caller.tenant)
    call.answer_value(_browser(call, await sessions.confirm(call.access, session), current_session(call)))


def sign_in_problems(gate: Gate, *, tenant: str) -> list[Problem]:
    """A health problem for each unconfirmed sign-in from a new address."""
    return [
        Problem(
            kind="sign-in",
            message=f"sign-in from a new address: {session_text(gate, session)}",
            hint=f"if it was you: dayline keys sessions confirm {session.id}; if not: {_ending(session)}",
            since=format_timestamp(session.created),
        )
        for session in gate.sessions.unconfirmed(tenant=tenant)
    ]


def device_of(agent: str) -> str:
    """Browser and system, such as `Firefox on Linux`."""
    browser = next((name for part, name in _BROWSERS if part in agent), "")
    system = next((name for part, name in _SYSTEMS if part in agent), "")
    return " on ".join(part for part in (browser, system) if part) or "unknown"


def current_session(call: Call) -> Session | None:
    """The session of the browser that sent the request, if it is signed in."""
    proof = browser_proof(call.request, call.server.port)
    return None if proof is None else call.server.gate.sessions.find(proof)


def session_text(gate: Gate, session: Session) -> str:
    """Address, device and key of a session, as the log and health show it."""
    key = None if session.key_id is None else gate.keyring.known(session.key_id)
    by = "as the owner" if key is None else f"with the key {key.name!r} ({key.id})"
    return f"{session.address}, {device_of(session.agent)}, {by}"


def _ending(session: Session) -> str:
    """The command that locks an intruder out. If they used a key, it must be revoked, or they sign in again."""
    return (
        f"dayline keys sessions revoke {session.id}"
        if session.key_id is None
        else f"dayline keys revoke {session.key_id}"
    )


def _browser(call: Call, session: Session, current: Session | None) -> SignedInBrowser:
    key = None if session.key_id is None else call.server.gate.keyring.known(session.key_id)
    return SignedInBrowser(
        id=session.id,
        device=device_of(session.agent),
        user_agent=session.agent,
        key_id=session.key_id,
        key_name=None if key is None else key.name,
        scope="full" if key is None else key.scope,
        address=session.address,
        is_new_address=session.confirmed is None,
        started=format_timestamp(session.created),
        last_used=optional_timestamp(session.last_used),
        last_address=session.last_address,
        expires=format_timestamp(session.expires),
        is_current=current is not None and current.digest == session.digest,
    )


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/sessions", handler=list_sessions, tag="sessions", scope="full",
        audience="all buckets", summary="List the browsers that are signed in",
        answer=Answer(type=list[SignedInBrowser], description="the sessions, the most recently used first"),
    ),
    Route(
        method="DELETE", path="/api/1/sessions", handler=end_all_sessions, tag="sessions", scope="full",
        audience="all buckets", is_destructive=True, summary="Sign all browsers out",
        answer=Answer(type=OtherSessions, description="the number of browsers signed out"),
    ),
    Route(
        method="DELETE", path="/api/1/sessions/{session_id}", handler=revoke_session, tag="sessions",
        scope="full", audience="all buckets", is_destructive=True, summary="Sign a browser out",
        answer=Answer(type=SignedInBrowser, description="the ended session"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/sessions/{session_id}/confirm", handler=confirm_session, tag="sessions",
        scope="full", audience="all buckets", is_destructive=True,
        summary="Confirm that you signed in from a new address",
        answer=Answer(type=SignedInBrowser, description="the session"), errors=(NotFound,),
    ),
)  # fmt: skip
