"""Checks made on every request first: its host, its origin and its id."""

import os
from typing import Final

import falcon.asgi

from dayline.access.origins import HostRules, OriginRules, Standing, is_foreign_load
from dayline.model.errors import Forbidden, Malformed

_BYTES = 8


def new_request_id() -> str:
    """A random id: a counted one would tell a client how many others call."""
    return os.urandom(_BYTES).hex()


def request_id_of(request: falcon.asgi.Request) -> str:
    """The id that the guard gave to the request; a new one for a request that never came that far."""
    found = request.context.get("request_id")
    return found if isinstance(found, str) else new_request_id()


# What is checked of every request before anybody asks what it wants: whom it calls, and which page has sent it.


PREFLIGHT_METHODS: Final = ("GET", "POST", "DELETE")
# For every answer: it is what it says it is, nobody keeps it, and no page shows it in a frame. Pages and files say
# otherwise where they can.
ANSWER_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
}


def begin_answer(request: falcon.asgi.Request, response: falcon.asgi.Response) -> None:
    """Give the request its number, and the answer what every answer has."""
    request_id = request.context["request_id"] = new_request_id()
    response.set_header("X-Request-Id", request_id)
    response.set_headers(ANSWER_HEADERS)


def check_host(host: bytes | None, rules: HostRules, *, local_address: str | None = None) -> None:
    """Raise Malformed unless the Host header names us: a page of the web can point a name of its own at loopback."""
    if not rules.allows(host, local_address):
        named = host.decode("latin-1")[:60] if host else "nothing"
        raise Malformed(
            f"the Host header names {named!r}, which is not this server",
            hint="call it as localhost or 127.0.0.1, or add the name to access.hosts",
        )


def check_origin(
    request: falcon.asgi.Request, response: falcon.asgi.Response, rules: OriginRules, *, own: str | None = None
) -> Standing:
    """What the page that calls may do, and the header that lets it read the answer. Raises Forbidden."""
    response.append_header("Vary", "Origin")
    origin = request.get_header("Origin")
    if origin is None:
        site, mode, destination = (request.get_header(f"Sec-Fetch-{name}") for name in ("Site", "Mode", "Dest"))
        if is_foreign_load(site, mode, destination):
            raise Forbidden("pages of other sites may not load this", hint="open it by itself")
        return Standing.TRUSTED
    standing = rules.standing(origin, own=own)
    if standing is Standing.FOREIGN:
        raise Forbidden(
            f"pages of {origin[:80]!r} may not call this server",
            hint="add the origin to access.origins if it is a page of yours",
        )
    response.set_header("Access-Control-Allow-Origin", origin)
    return standing


def answer_options(request: falcon.asgi.Request, response: falcon.asgi.Response) -> None:
    """Answer OPTIONS; to a browser that asks whether a page may send a call, which of them. Raises Forbidden."""
    response.data = b""
    wanted = request.get_header("Access-Control-Request-Method")
    if request.get_header("Origin") is None or wanted is None:
        return
    if wanted not in PREFLIGHT_METHODS:
        raise Forbidden(f"{wanted[:20]} is not open to other pages")
    response.set_header("Access-Control-Allow-Methods", ", ".join(PREFLIGHT_METHODS))
    headers = request.get_header("Access-Control-Request-Headers")
    if headers is not None:
        response.set_header("Access-Control-Allow-Headers", headers)
