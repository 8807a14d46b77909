"""Maps errors to HTTP answers."""

import logging
from enum import IntEnum
from http import HTTPStatus
from typing import Final, TypeAlias

import falcon
import falcon.asgi
import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from dayline.api.http.entry import request_id_of
from dayline.model import errors
from dayline.model.error_body import ErrorBody
from dayline.model.errors import DaylineError
from dayline.query.errors import QueryError

log = logging.getLogger(__name__)


class OwnStatus(IntEnum):
    """A status that is not in HTTPStatus. nginx uses it too; no client receives it."""

    CLIENT_CLOSED_REQUEST = 499

    @property
    def phrase(self) -> str:
        return "Client Closed Request"


Status: TypeAlias = HTTPStatus | OwnStatus

STATUS_OF: Final[dict[type[DaylineError], Status]] = {
    # 304 (without a body), not 409: watchers create their bucket on every start, and existing clients raise on any 4xx.
    errors.BucketExists: HTTPStatus.NOT_MODIFIED,
    errors.Malformed: HTTPStatus.BAD_REQUEST,
    QueryError: HTTPStatus.BAD_REQUEST,
    errors.Unauthorized: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.NotAllowed: HTTPStatus.METHOD_NOT_ALLOWED,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.Gone: HTTPStatus.GONE,
    errors.Stale: HTTPStatus.PRECONDITION_FAILED,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.WrongType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.Invalid: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.TooMany: HTTPStatus.TOO_MANY_REQUESTS,
    errors.ClientGone: OwnStatus.CLIENT_CLOSED_REQUEST,
    errors.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}


def status_of(error: DaylineError) -> Status:
    """The status of the error's class or of its nearest listed base class; 500 if there is none."""
    for kind in type(error).__mro__:
        if kind in STATUS_OF:
            return STATUS_OF[kind]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def headers_of(error: DaylineError) -> dict[str, str]:
    """The headers that belong to the error."""
    if isinstance(error, errors.NotAllowed):
        return {"Allow": ", ".join(error.allowed)}
    if isinstance(error, errors.Unauthorized):
        return {"WWW-Authenticate": 'Bearer realm="dayline"'}
    if isinstance(error, errors.Unavailable | errors.TooMany):
        return {"Retry-After": str(error.retry_after_s)}
    if isinstance(error, errors.Stale) and error.tag is not None:
        return {"ETag": error.tag}
    return {}


def body_of(error: DaylineError, request_id: str) -> bytes:
    """The JSON body of the error."""
    body = ErrorBody(
        message=error.message,
        type=type(error).__name__,
        request_id=request_id,
        hint=error.hint or UNSET,
        field=error.field or UNSET,
        current=(error.current or UNSET) if isinstance(error, errors.Stale) else UNSET,
    )
    if isinstance(error, errors.PatternInvalid) and error.column is not None:
        body = replace(body, column=error.column)
    return msgspec.json.encode(_with_position(body, error) if isinstance(error, QueryError) else body)


def _with_position(body: ErrorBody, error: QueryError) -> ErrorBody:
    body = replace(body, type=error.kind, expected=list(error.expected) or UNSET)
    if error.place is None:
        return body
    return replace(body, line=error.place.line, column=error.place.column, excerpt=error.place.excerpt)


def answer(response: falcon.asgi.Response, error: DaylineError, request_id: str) -> None:
    """Turn a response into the response to an error."""
    status = status_of(error)
    response.status = status
    response.set_header("X-Request-Id", request_id)  # again, for what the framework rejects before our dispatch
    response.set_headers(headers_of(error))
    response.stream = None
    if status is HTTPStatus.NOT_MODIFIED:
        # Bytes after a 304 corrupt keep-alive connections.
        response.data = None
        response.content_type = None
        return
    response.content_type = falcon.MEDIA_JSON
    response.data = body_of(error, request_id)


def register(app: falcon.asgi.App[falcon.asgi.Request, falcon.asgi.Response]) -> None:
    """Register the error handlers. Falcon checks the last one first."""
    app.add_error_handler(Exception, _on_unexpected)
    app.add_error_handler(falcon.HTTPError, _on_framework_error)
    app.add_error_handler(DaylineError, _on_error)


async def _on_error(
    request: falcon.asgi.Request, response: falcon.asgi.Response, error: DaylineError, params: dict[str, object]
) -> None:
    answer(response, error, request_id_of(request))
    _release_frames(error)


def _release_frames(error: DaylineError) -> None:
    """Drop the tracebacks of an answered error.

    A frame that has its own error in a variable is a reference cycle, and keeps the request in memory until the garbage
    collector runs. Causes can be a circle too: an error raised again in the handler of one that it has caused.
    """
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__


async def _on_framework_error(
    request: falcon.asgi.Request, response: falcon.asgi.Response, error: falcon.HTTPError, params: dict[str, object]
) -> None:
    """Errors that the framework raises itself, such as invalid multipart bodies or HTTP methods."""
    reason = error.description or error.title or "invalid request"
    kind = errors.TooLarge if error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else errors.Malformed
    answer(response, kind(reason), request_id_of(request))


async def _on_unexpected(
    request: falcon.asgi.Request, response: falcon.asgi.Response, error: Exception, params: dict[str, object]
) -> None:
    request_id = request_id_of(request)
    log.error("%s %s failed", request.method, request.path, exc_info=error, extra={"request_id": request_id})
    answer(response, DaylineError("internal server error", hint="see the server's log for this request_id"), request_id)
