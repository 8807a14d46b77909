"""A browser that is signed in: its cookie, and the proof that a request came from its page."""

from datetime import UTC, datetime
from typing import Final

import falcon.asgi

from dayline.access.gate import PROOF_HEADER, SAFE_METHODS
from dayline.access.peers import RequestOrigin
from dayline.access.sessions import BrowserProof
from dayline.api.http.call import PEER_USER
from dayline.model.access import Session
from dayline.model.time import SECOND

TICKET: Final = "ticket"  # a parameter of any GET request
_PREFIX: Final = "dayline_session_"
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


def browser_proof(request: falcon.asgi.Request, port: int, *, path: str = "") -> BrowserProof | None:
    """What a signed-in browser sends; None without this server's cookie. A ticket counts for this path only.

    The port is in the name of the cookie: browsers share cookies between ports.
    """
    values = request.get_cookie_values(f"{_PREFIX}{port}")
    if not values or len(values) != 1:
        return None
    user = request.scope["state"].get(PEER_USER)
    return BrowserProof(
        cookie=values[0],
        secret=request.get_header(PROOF_HEADER),
        ticket=request.get_param(TICKET) if request.method in SAFE_METHODS else None,
        path=path,
        **({} if user is None else {"uid": user}),
    )


def keep_session(
    response: falcon.asgi.Response, token: str, session: Session, *, origin: RequestOrigin, port: int, base_path: str
) -> None:
    """Set the session cookie. Scripts cannot read it, and other sites cannot make the browser send it."""
    response.set_cookie(
        f"{_PREFIX}{port}",
        token,
        max_age=(session.expires - session.created) // SECOND,
        path=f"{base_path}/",
        secure=origin.scheme == "https",
        http_only=True,
        same_site="Strict",
    )


def drop_session(response: falcon.asgi.Response, *, origin: RequestOrigin, port: int, base_path: str) -> None:
    """Delete the session cookie."""
    response.set_cookie(
        f"{_PREFIX}{port}",
        "",
        expires=_LONG_AGO,  # Falcon leaves out a max_age of 0, and the browser would keep the cookie
        path=f"{base_path}/",
        secure=origin.scheme == "https",
        http_only=True,
        same_site="Strict",
    )
