"""The OpenAPI 3.1 document: read off the route table and the structs, so that there is no second description."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec

from dayline.api.http.call import Call
from dayline.api.http.errors import STATUS_OF
from dayline.api.http.route import PATH_FIELDS, TAGS, Answer, Body, Parameter, Route
from dayline.model.error_body import ErrorBody
from dayline.model.errors import (
    DaylineError,
    Forbidden,
    Invalid,
    Malformed,
    NotFound,
    Stale,
    TooLarge,
    TooMany,
    Unauthorised,
    Unavailable,
    WrongType,
)
from dayline.runtime.threads import in_thread

Json = dict[str, Any]

OPENAPI: Final = "3.1.0"
TITLE: Final = "Dayline"
ABOUT: Final = """\
A local-first server for personal activity data. Watchers send heartbeats, clients read events; every client of the
ActivityWatch ecosystem can use it unchanged.

- Times are RFC 3339, answered in UTC with `Z` and up to six digits after the second. Durations are seconds.
- Bodies are JSON and must be declared as `application/json`.
- An answer to a write means that the change is on disk.
- Every path is served with and without a slash at its end; unknown parameters and unknown fields are ignored.
- Every error is JSON with a `message` that names the thing, and often a `hint` at what mends it.
- A key is sent as `Authorization: Bearer <key>`, where the server asks for one.
- A change with an `Idempotency-Key` is made once: sent again with the same one it is answered with 409.
- Answers of `/api/1` carry `Revision`, a number that grows with every change of what can be read.
- Every answer carries `X-Request-Id`, which finds the request in the server's log.
"""
_FIELD = re.compile(r"\{(\w+)\}")
_SCHEMAS: Final = "#/components/schemas/{name}"
_HEADERS: Final[dict[str, Json]] = {
    "X-Request-Id": {
        "description": "finds the request in the server's log",
        "required": True,
        "schema": {"type": "string"},
    },
    "Revision": {
        "description": "how far the store had come when it was read: a number that grows with every change; "
        "not for keys that are for some buckets only",
        "required": False,
        "schema": {"type": "integer", "minimum": 1},
    },
    "ETag": {
        "description": "stands for this very answer",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "seconds to wait before the request is sent again",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
}
_SECURITY: Final[dict[str, Json]] = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "a key: `dayline keys create` makes one; needed where the server asks for keys",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "dayline_session_5600",
        "description": "a browser that is signed in: `POST /api/1/session`; the name ends with the server's port",
    },
}
_IF_NONE_MATCH: Final = Parameter(
    name="If-None-Match",
    type=str,
    description="the ETag of what the client has; the answer is 304 where it is the same",
)
_IF_MATCH: Final = Parameter(
    name="If-Match",
    type=str,
    description="the ETag of what the client has read; the answer is 412 where it has changed",
)
_FILES: Final[Json] = {
    "type": "object",
    "description": "one file or several, each an export document, under any names",
    "properties": {"buckets.json": {"type": "string", "format": "binary"}},
    "additionalProperties": {"type": "string", "format": "binary"},
    "minProperties": 1,
}


class Description:
    """Serves the document of a table of calls. It is made when it is first asked for: no start waits for it."""

    def __init__(self, calls: Sequence[Route]) -> None:
        self._calls = calls
        self._document: bytes | None = None

    async def get_openapi(self, call: Call) -> None:
        """What API browsers, code generators and tests read."""
        if self._document is None:
            server = call.server
            document = await in_thread(
                openapi,
                self._calls,
                version=server.version,
                base_path=server.base_path,
                needs_keys=server.gate.needs_keys,
            )
            self._document = msgspec.json.encode(document)
        call.answer_json(self._document)


def openapi(calls: Sequence[Route], *, version: str, base_path: str = "", needs_keys: bool = False) -> Json:
    """The document, as what JSON is made of. It asks for keys where the server does."""
    paths: dict[str, Json] = {}
    for route in calls:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, needs_keys=needs_keys)
    kinds = {kind for route in calls for kind in errors_of(route)}
    return {
        "openapi": OPENAPI,
        "info": {
            "title": TITLE,
            "version": version,
            "description": ABOUT,
        },
        "servers": [{"url": base_path or "/", "description": "this server"}],
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": _components(calls),
            "responses": {kind.__name__: _error_answer(kind) for kind in sorted(kinds, key=_place)},
            "headers": _HEADERS,
            **({"securitySchemes": _SECURITY} if needs_keys else {}),
        },
    }


def errors_of(route: Route) -> list[type[DaylineError]]:
    """The errors that a call can have, by status: its own, and those of every call of its kind."""
    kinds: set[type[DaylineError]] = {Malformed, Forbidden, *route.errors}
    if route.scope is not None:
        kinds |= {Unauthorised, TooMany}
    if route.body is not None:
        kinds |= {WrongType, TooLarge, Invalid}
    if route.method != "GET":
        kinds |= {Unavailable}
    if route.is_conditional:
        kinds |= {Stale}
    if route.is_of_file and not any(issubclass(kind, NotFound) for kind in kinds):
        kinds |= {NotFound}
    # One status has one description: the most exact, which says what the others do.
    exact = [kind for kind in kinds if not any(other is not kind and issubclass(other, kind) for other in kinds)]
    return sorted(exact, key=_place)


def _place(kind: type[DaylineError]) -> tuple[int, str]:
    """By status, and then by name, so that the document is the same in every process."""
    return _status(kind).value, kind.__name__


def answers_of(route: Route) -> list[Answer]:
    """What a call answers when all is well."""
    return [answer for answer in (route.answer, route.other_answer) if answer is not None]


def parameters_of(route: Route) -> list[tuple[str, Parameter]]:
    """The parameters of a call, each with the place where it stands: `path`, `query` or `header`."""
    in_path = [("path", PATH_FIELDS[name]) for name in _FIELD.findall(route.path)]
    in_headers = [("header", _IF_NONE_MATCH)] if route.is_tagged else []
    in_headers += [("header", _IF_MATCH)] if route.is_conditional else []
    others = [("header" if parameter.is_header else "query", parameter) for parameter in route.parameters]
    return in_path + others + in_headers


def _operation(route: Route, *, needs_keys: bool) -> Json:
    operation: Json = {
        "operationId": route.name,
        "summary": route.summary,
        "description": route.description,
        "tags": [route.tag],
        "parameters": [_parameter(place, parameter) for place, parameter in parameters_of(route)],
        "responses": {str(answer.status): _answer(answer, _headers_of(route)) for answer in answers_of(route)},
    }
    if needs_keys and route.scope is not None:
        operation["security"] = [{"key": []}, {"session": []}]
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": _content(route.body)}
    if route.is_tagged:
        operation["responses"]["304"] = _unchanged(_headers_of(route))
    for kind in errors_of(route):
        operation["responses"][str(_status(kind).value)] = {"$ref": f"#/components/responses/{kind.__name__}"}
    return operation


def _parameter(place: str, parameter: Parameter) -> Json:
    return {
        "name": parameter.name,
        "in": place,
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": _schema(parameter.type),
    }


def _content(body: Body) -> Json:
    # `examples`, not `example`: RapiDoc fills its forms only from the former.
    examples = {"usual": {"summary": "as a client sends it", "value": body.example}}
    content: Json = {body.media: {"schema": _schema(body.type), "examples": examples}}
    if body.is_document:
        content["multipart/form-data"] = {"schema": _FILES}
    return content


def _headers_of(route: Route) -> list[str]:
    names = ["X-Request-Id"]
    names += ["Revision"] if route.scope is not None and route.path.startswith("/api/1/") else []
    return [*names, "ETag"] if route.is_tagged else names


def _unchanged(headers: Sequence[str]) -> Json:
    return {"description": "the client has it already, as it is", "headers": _header_refs(*headers)}


def _answer(answer: Answer, headers: Sequence[str]) -> Json:
    return {
        "description": answer.description,
        "headers": _header_refs(*headers),
        "content": {
            answer.media: {"schema": _schema(answer.type), **_example(answer)},
            **{media: {"schema": {"type": "string"}} for media in answer.renderings},
        },
    }


def _example(answer: Answer) -> Json:
    return {} if answer.example is None else {"example": answer.example}


def _error_answer(kind: type[DaylineError]) -> Json:
    names = ["X-Request-Id", "Retry-After"] if kind in (Unavailable, TooMany) else ["X-Request-Id"]
    answer: Json = {"description": kind.__doc__, "headers": _header_refs(*names)}
    if _status(kind) is not HTTPStatus.NOT_MODIFIED:
        answer["content"] = {"application/json": {"schema": _schema(ErrorBody)}}
    return answer


def _header_refs(*names: str) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _status(kind: type[DaylineError]) -> HTTPStatus:
    return STATUS_OF[kind]


def _schema(kind: Any) -> Json:
    [schema], _ = msgspec.json.schema_components((kind,), ref_template=_SCHEMAS)
    return schema


def _components(calls: Sequence[Route]) -> dict[str, Json]:
    """The schemas of all structs. A struct goes in or out, never both: what is `required` differs."""
    received = _schemas_of([route.body.type for route in calls if route.body is not None])
    answers = [answer for route in calls for answer in answers_of(route)]
    sent = _schemas_of([ErrorBody, *(kind for answer in answers for kind in (answer.type, *answer.inner))])
    return dict(sorted((received | {name: _as_sent(schema) for name, schema in sent.items()}).items()))


def _schemas_of(kinds: Sequence[Any]) -> dict[str, Json]:
    _, components = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS)
    schemas: dict[str, Json] = msgspec.json.decode(
        msgspec.json.encode(components)
    )  # the default of a field may be a tuple
    return schemas


def _as_sent(schema: Json) -> Json:
    """The schema of what the server sends: a field with a default is always there, only an unset one may be missing."""
    fields: dict[str, Json] = schema["properties"]
    required = [name for name, field in fields.items() if name in schema["required"] or "default" in field]
    properties = {name: {key: field[key] for key in field if key != "default"} for name, field in fields.items()}
    return {**schema, "properties": properties, "required": required}
