"""Every answer carries a number that finds it in the log."""

import secrets
from itertools import count

import falcon.asgi

# Random per start, then counted: as unique as a UUID at a fraction of its cost.
_PREFIX = secrets.token_hex(4)
_numbers = count(1)


def new_request_id() -> str:
    return f"{_PREFIX}-{next(_numbers):x}"


def request_id_of(request: falcon.asgi.Request) -> str:
    """The id that the guard gave to the request; a new one for a request that never came that far."""
    found = request.context.get("request_id")
    return found if isinstance(found, str) else new_request_id()
