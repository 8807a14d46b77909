"""Read from every request first: its id, its host and its origin."""

import os
from typing import Final

import falcon.asgi

from dayline.access.origins import HostRules, OriginRules, Standing, is_foreign_load
from dayline.model.errors import Forbidden, Malformed

_DIGITS: Final = 16  # of a request id
_IDS_AT_ONCE: Final = 256

PREFLIGHT_METHODS: Final = ("GET", "POST", "DELETE")
# Defaults for every response: no sniffing, no caching, no framing. Pages and files override some of them.
ANSWER_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "frame-ancestors 'none'",
}

_next_ids: list[str] = []


def new_request_id() -> str:
    """A random id: a counter would show clients how many requests others send."""
    while True:
        try:
            return _next_ids.pop()
        except IndexError:  # one system call for many ids: heartbeats need thousands a second
            digits = os.urandom(_DIGITS // 2 * _IDS_AT_ONCE).hex()
            _next_ids.extend(digits[at : at + _DIGITS] for at in range(0, len(digits), _DIGITS))


def request_id_of(request: falcon.asgi.Request) -> str:
    """The id given to the request by `begin_answer`, or a new one if it was rejected before that."""
    request_id = request.context.get("request_id")
    return request_id if isinstance(request_id, str) else new_request_id()


def begin_answer(request: falcon.asgi.Request, response: falcon.asgi.Response) -> None:
    """Give the request an id, and set the headers of every response."""
    request_id = request.context["request_id"] = new_request_id()
    response.set_header("X-Request-Id", request_id)
    response.set_headers(ANSWER_HEADERS)


def check_host(host: bytes | None, rules: HostRules, *, local_address: str | None = None) -> None:
    """Raise Malformed unless the Host header names this server, which prevents DNS rebinding."""
    if not rules.allows(host, local_address):
        named = host.decode("latin-1")[:60] if host else ""
        raise Malformed(
            f"the Host header {named!r} does not name this server",
            hint="use localhost or 127.0.0.1, or add the name to the setting access.hosts",
        )


def check_origin(
    request: falcon.asgi.Request, response: falcon.asgi.Response, rules: OriginRules, *, own: str | None = None
) -> Standing:
    """What the calling page may do. Also sets the CORS header. Raises Forbidden."""
    response.append_header("Vary", "Origin")
    origin = request.get_header("Origin")
    if origin is None:
        site, mode, destination = (request.get_header(f"Sec-Fetch-{name}") for name in ("Site", "Mode", "Dest"))
        if is_foreign_load(site, mode, destination):
            raise Forbidden("pages of other sites may not load this", hint="open the address directly")
        return Standing.TRUSTED
    standing = rules.standing(origin, own=own)
    if standing is Standing.FOREIGN:
        raise Forbidden(
            f"pages of {origin[:80]!r} may not call this server",
            hint="if the page is yours, add its origin to the setting access.origins",
        )
    response.set_header("Access-Control-Allow-Origin", origin)
    return standing


def answer_options(request: falcon.asgi.Request, response: falcon.asgi.Response) -> None:
    """Answer OPTIONS, including CORS preflight requests. Raises Forbidden."""
    response.data = b""
    wanted = request.get_header("Access-Control-Request-Method")
    if request.get_header("Origin") is None or wanted is None:
        return
    if wanted not in PREFLIGHT_METHODS:
        raise Forbidden(f"pages of other origins may not use {wanted[:20]}")
    response.set_header("Access-Control-Allow-Methods", ", ".join(PREFLIGHT_METHODS))
    headers = request.get_header("Access-Control-Request-Headers")
    if headers is not None:
        response.set_header("Access-Control-Allow-Headers", headers)
