"""The JSON body of every error response, shared by server and clients."""

from http import HTTPStatus
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dayline.model.errors import DaylineError, Forbidden, Invalid, NotFound, Unauthorized, Unavailable

_ERROR_OF: Final[dict[int, type[DaylineError]]] = {401: Unauthorized, 403: Forbidden, 404: NotFound, 503: Unavailable}


class ErrorBody(Struct, frozen=True, kw_only=True):
    """The body of every response except 2xx and 304. A query error has a position, which `excerpt` shows.

    If a change was refused because the resource was changed since it was read, `current` is its current state.
    """

    message: str
    type: str
    request_id: str
    hint: str | UnsetType = UNSET
    field: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    expected: list[str] | UnsetType = UNSET
    excerpt: str | UnsetType = UNSET
    current: dict[str, Any] | UnsetType = UNSET


def read_error_body(status: int, content: bytes) -> ErrorBody:
    """The error of a response. ActivityWatch servers only send a message, and proxies an HTML page."""
    try:
        fields = msgspec.json.decode(content, type=dict[str, Any])
        given = {name: value for name, value in fields.items() if value is not None}
        return msgspec.convert({"type": "", "request_id": ""} | given, ErrorBody)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ErrorBody(message=f"the server answered {status} {_phrase(status)}".rstrip(), type="", request_id="")


def answered_error(status: int, content: bytes) -> DaylineError:
    """The error of a response, as the exception that the same call raises within the server."""
    body = read_error_body(status, content)
    excerpt = f"\n{body.excerpt}" if body.excerpt else ""
    return _ERROR_OF.get(status, Invalid)(body.message + excerpt, hint=body.hint or None)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a status that no standard defines
        return ""
