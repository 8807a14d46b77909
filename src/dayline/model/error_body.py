"""The JSON body of every answer that reports an error: one definition for the server and for all that call it."""

from http import HTTPStatus
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from dayline.model.errors import DaylineError, Forbidden, Invalid, NotFound, Unauthorised, Unavailable

_ERROR_OF: Final[dict[int, type[DaylineError]]] = {401: Unauthorised, 403: Forbidden, 404: NotFound, 503: Unavailable}


class ErrorBody(Struct, frozen=True, kw_only=True):
    """What every answer but 2xx and 304 says. An error in a query names the place, which `excerpt` shows.

    Where a change was refused because somebody else has changed the same, `current` is what it is now.
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
    """The error that an answer reports. ActivityWatch servers send the message alone, and proxies an HTML page."""
    try:
        found = msgspec.json.decode(content, type=dict[str, Any])
        given = {name: value for name, value in found.items() if value is not None}
        return msgspec.convert({"type": "", "request_id": ""} | given, ErrorBody)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ErrorBody(message=f"the server answered {status} {_phrase(status)}".rstrip(), type="", request_id="")


def answered_error(status: int, content: bytes) -> DaylineError:
    """The error that an answer reports, as the one that the same call raises within the server."""
    body = read_error_body(status, content)
    excerpt = f"\n{body.excerpt}" if body.excerpt else ""
    return _ERROR_OF.get(status, Invalid)(body.message + excerpt, hint=body.hint or None)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a status that no standard defines
        return ""
