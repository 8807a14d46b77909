"""The cookie of a browser that is signed in."""

from datetime import UTC, datetime
from typing import Final

import falcon.asgi

from dayline.access.peers import Seen
from dayline.model.audit import Session
from dayline.model.timestamps import SECOND

_PREFIX: Final = "dayline_session_"
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


def session_token(request: falcon.asgi.Request, port: int) -> str | None:
    """What the cookie of this server holds. Browsers tell cookies of one host apart by name, not by port."""
    values = request.get_cookie_values(f"{_PREFIX}{port}")
    return values[0] if values and len(values) == 1 else None


def keep_session(
    response: falcon.asgi.Response, token: str, session: Session, *, seen: Seen, port: int, base_path: str
) -> None:
    """Give the browser its cookie: no script can read it, and no page of another site makes the browser send it."""
    response.set_cookie(
        f"{_PREFIX}{port}",
        token,
        max_age=(session.expires - session.created) // SECOND,
        path=f"{base_path}/",
        secure=seen.scheme == "https",
        http_only=True,
        same_site="Strict",
    )


def drop_session(response: falcon.asgi.Response, *, seen: Seen, port: int, base_path: str) -> None:
    """Take the cookie back."""
    response.set_cookie(
        f"{_PREFIX}{port}",
        "",
        expires=_LONG_AGO,  # the framework leaves out a max_age of 0, and the browser would keep the cookie
        path=f"{base_path}/",
        secure=seen.scheme == "https",
        http_only=True,
        same_site="Strict",
    )
