"""Every answer carries an id by which it is found in the log."""

import os

import falcon.asgi

_BYTES = 8


def new_request_id() -> str:
    """A random id: a counted one would tell a client how many others call."""
    return os.urandom(_BYTES).hex()


def request_id_of(request: falcon.asgi.Request) -> str:
    """The id that the guard gave to the request; a new one for a request that never came that far."""
    found = request.context.get("request_id")
    return found if isinstance(found, str) else new_request_id()
