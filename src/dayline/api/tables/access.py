"""The calls about sessions, keys, the audit and the envelope."""

from typing import Annotated

from msgspec import Meta

from dayline.api import audit, envelopes, keys, sessions
from dayline.api.audit import AuditPage
from dayline.api.keys import KeyRotation, KeyView, MadeKey, NewKey
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.api.sessions import OtherSessions, SessionView, SignedInBrowser, SignIn, SignInCode
from dayline.api.tables.parts import DONE
from dayline.model.errors import NotFound, TooMany, Unauthorised
from dayline.model.timestamps import Timestamp

_KEY = "dayline_k3f5a2bq_…"
_NEW_KEY = {"name": "laptop-watcher", "scope": "append", "buckets": ["aw-watcher-*_laptop"]}
_AUDIT = (
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="only lines begun before this one"),
    Parameter(
        name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many lines; 100 where it is left out"
    ),
    Parameter(name="key", type=str, description="only calls with the key of this id"),
    Parameter(name="bucket", type=str, description="only calls about this bucket"),
    Parameter(name="call", type=str, description="only this call, by its name in the OpenAPI document"),
    Parameter(name="address", type=str, description="only calls from this address"),
    Parameter(name="refused", type=bool, description="only what was refused"),
    Parameter(name="since", type=Timestamp, description="only lines that reach this time"),
    Parameter(name="until", type=Timestamp, description="only lines begun before this time"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/session", handler=sessions.get_session, tag="access", scope=None,
        summary="Tell whether this browser is signed in", answer=Answer(type=SessionView, description="who it is"),
    ),
    Route(
        method="POST", path="/api/1/session", handler=sessions.begin_session, tag="access", scope=None,
        summary="Sign this browser in", body=Body(type=SignIn, example={"key": _KEY}),
        answer=Answer(type=SessionView, description="who it is now", status=201), errors=(Unauthorised, TooMany),
    ),
    Route(
        method="DELETE", path="/api/1/session", handler=sessions.end_session, tag="access", scope=None,
        summary="Sign this browser out", answer=DONE,
    ),
    Route(
        method="POST", path="/api/1/session/codes", handler=sessions.create_sign_in_code, tag="access", scope="full",
        is_server_wide=True, is_of_server=True, summary="Make a one-time code that signs a browser in",
        answer=Answer(type=SignInCode, description="the code", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/session/others", handler=sessions.end_other_sessions, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Sign all other browsers out",
        answer=Answer(type=OtherSessions, description="how many there were"),
    ),
    Route(
        method="GET", path="/api/1/sessions", handler=sessions.list_sessions, tag="access", scope="full",
        is_server_wide=True, summary="List the browsers that are signed in",
        answer=Answer(type=list[SignedInBrowser], description="the one used last first"),
    ),
    Route(
        method="DELETE", path="/api/1/sessions", handler=sessions.end_all_sessions, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Sign all browsers out",
        answer=Answer(type=OtherSessions, description="how many there were"),
    ),
    Route(
        method="DELETE", path="/api/1/sessions/{session_id}", handler=sessions.revoke_session, tag="access",
        scope="full", is_server_wide=True, is_destructive=True, summary="Sign a browser out",
        answer=Answer(type=SignedInBrowser, description="the session that has ended"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/sessions/{session_id}/confirm", handler=sessions.confirm_session, tag="access",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Confirm that you signed in from a new address",
        answer=Answer(type=SignedInBrowser, description="the session as it is now"), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/1/keys", handler=keys.list_keys, tag="access", scope="full", is_server_wide=True,
        summary="List the keys", answer=Answer(type=list[KeyView], description="every key, without its text"),
    ),
    Route(
        method="POST", path="/api/1/keys", handler=keys.create_key, tag="access", scope="full", is_server_wide=True,
        is_destructive=True, summary="Make a key", body=Body(type=NewKey, example=_NEW_KEY),
        answer=Answer(type=MadeKey, description="the key, told once", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/keys/{key_id}", handler=keys.revoke_key, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Revoke a key",
        answer=Answer(type=KeyView, description="the key as it is now"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/keys/{key_id}/rotate", handler=keys.rotate_key, tag="access", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace a key by a new one that may do the same",
        body=Body(type=KeyRotation, example={"grace_s": 3600}),
        answer=Answer(type=MadeKey, description="the new key, told once", status=201), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/1/audit", handler=audit.get_audit, tag="access", scope="full", is_server_wide=True,
        summary="Read who has called", parameters=_AUDIT,
        answer=Answer(type=AuditPage, description="lines of the trail"),
    ),
    Route(
        method="POST", path="/api/1/envelope", handler=envelopes.send_enveloped, tag="access", scope=None,
        summary="Make a call that nobody else can read",
        body=Body(type=str, example="eyJhbGciOiJkaXIi…", media="application/jose"),
        answer=Answer(type=str, description="the answer, sealed with the same key", media="application/jose"),
        errors=(Unauthorised, TooMany),
    ),
)  # fmt: skip
