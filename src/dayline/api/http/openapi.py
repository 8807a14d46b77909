"""The OpenAPI 3.1 document, generated from the route table and the structs."""

import inspect
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec

from dayline.access.gate import PROOF_HEADER
from dayline.api.examples import example_of, recorded_examples
from dayline.api.field_descriptions import DESCRIPTIONS
from dayline.api.http.call import Call
from dayline.api.http.errors import STATUS_OF, Status
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
    Unauthorized,
    Unavailable,
    WrongType,
)
from dayline.runtime.threads import in_thread

Json = dict[str, Any]

OPENAPI: Final = "3.1.0"
TITLE: Final = "Dayline"
ABOUT: Final = """\
A local-first server for personal activity data. Watchers send heartbeats, clients read events. It works with every
ActivityWatch client, unchanged.

- Times are RFC 3339; answers are in UTC with `Z` and up to six decimal places. Durations are in seconds.
- Bodies are JSON, with the Content-Type `application/json`.
- A 2xx response to a write means that the change is on disk.
- Every path works with and without a trailing slash. Unknown parameters and fields are ignored.
- Every error is JSON with a `message` and often a `hint` with the fix.
- Send a key as `Authorization: Bearer <key>` if the server requires one.
- Send an `Idempotency-Key` to make a change at most once: a repeated request with the same key is answered with 409.
- Responses of `/api/1` have a `Revision`, a number that grows with every change of the readable data.
- Every response has an `X-Request-Id`, which identifies the request in the server's log.
"""
_FIELD = re.compile(r"\{(\w+)\}")
_SCHEMAS: Final = "#/components/schemas/{name}"
_HEADERS: Final[dict[str, Json]] = {
    "X-Request-Id": {
        "description": "identifies the request in the server's log",
        "required": True,
        "schema": {"type": "string"},
    },
    "Revision": {
        "description": "the revision of the store when it was read: a number that grows with every change; "
        "not sent to keys that are limited to some buckets",
        "required": False,
        "schema": {"type": "integer", "minimum": 1},
    },
    "ETag": {
        "description": "identifies this version of the response",
        "required": True,
        "schema": {"type": "string"},
    },
    "Retry-After": {
        "description": "seconds to wait before a retry",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    },
}
_SECURITY: Final[dict[str, Json]] = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "a key, created with `dayline keys create`; needed if the server requires keys",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "dayline_session_5600",
        "description": "a signed-in browser: see `POST /api/1/session`; the name ends with the server's port",
    },
    "secret": {
        "type": "apiKey",
        "in": "header",
        "name": PROOF_HEADER,
        "description": "the `secret` of the session: its cookie alone gives no access. A GET request can have the "
        "parameter `ticket` instead: see `POST /api/1/session/tickets`",
    },
}
_IF_NONE_MATCH: Final = Parameter(
    name="If-None-Match",
    type=str,
    description="the ETag of the version that the client has; the response is 304 if it is current",
)
_IF_MATCH: Final = Parameter(
    name="If-Match",
    type=str,
    description="the ETag of the version that the client has; the response is 412 if it has changed",
)
_FILES: Final[Json] = {
    "type": "object",
    "description": "one or more files, each an export document, with any names",
    "properties": {"buckets.json": {"type": "string", "format": "binary"}},
    "additionalProperties": {"type": "string", "format": "binary"},
    "minProperties": 1,
}


class Description:
    """Serves the OpenAPI document of a route table. It is generated on the first request."""

    def __init__(self, calls: Sequence[Route]) -> None:
        self._calls = calls
        self._document: bytes | None = None

    async def get_openapi(self, call: Call) -> None:
        """For API browsers, code generators and tests."""
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
    """The document as JSON objects. Unless the server requires keys, requests are described as possible without one."""
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
            "responses": {kind.__name__: _error_answer(kind) for kind in sorted(kinds, key=_status_and_name)},
            "headers": _HEADERS,
            "securitySchemes": _SECURITY,
        },
    }


def errors_of(route: Route) -> list[type[DaylineError]]:
    """The errors of a route in order of their status: its own, and those that all routes of its kind have."""
    kinds: set[type[DaylineError]] = {Malformed, Forbidden, *route.errors}
    if route.scope is not None:
        kinds |= {Unauthorized, TooMany}
    if route.body is not None:
        kinds |= {WrongType, TooLarge, Invalid}
    if route.method != "GET":
        kinds |= {Unavailable}
    if route.is_conditional:
        kinds |= {Stale}
    if route.engine == "sqlite" and not any(issubclass(kind, NotFound) for kind in kinds):
        kinds |= {NotFound}
    # Each status has one description: that of the most specific class.
    exact = [kind for kind in kinds if not any(other is not kind and issubclass(other, kind) for other in kinds)]
    return sorted(exact, key=_status_and_name)


def _status_and_name(kind: type[DaylineError]) -> tuple[int, str]:
    """Sort key that makes the document the same in every process."""
    return _status(kind).value, kind.__name__


def answers_of(route: Route) -> list[Answer]:
    """The 2xx answers of a route."""
    return [answer for answer in (route.answer, route.other_answer) if answer is not None]


def parameters_of(route: Route) -> list[tuple[str, Parameter]]:
    """The parameters of a route, each with its location: `path`, `query` or `header`."""
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
        "parameters": [_parameter(location, parameter) for location, parameter in parameters_of(route)],
        "responses": {
            str(answer.status): _answer(route.name, answer, _headers_of(route), _example(route, answer))
            for answer in answers_of(route)
        },
    }
    if route.scope is not None:
        operation["security"] = [*([] if needs_keys else [{}]), {"key": []}, {"session": [], "secret": []}]
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": _content(route.body)}
    if route.is_tagged:
        operation["responses"]["304"] = _not_modified(_headers_of(route))
    for kind in errors_of(route):
        operation["responses"][str(_status(kind).value)] = {"$ref": f"#/components/responses/{kind.__name__}"}
    return operation


def _parameter(location: str, parameter: Parameter) -> Json:
    return {
        "name": parameter.name,
        "in": location,
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": _schema(parameter.type),
    }


def _content(body: Body) -> Json:
    # `examples`, not `example`: RapiDoc fills its forms only from the former.
    examples = {"usual": {"summary": "a typical request", "value": body.example}}
    content: Json = {body.media: {"schema": _schema(body.type), "examples": examples}}
    if body.is_document:
        content["multipart/form-data"] = {"schema": _FILES, "example": {"file": "the content of export.json"}}
    return content


def _headers_of(route: Route) -> list[str]:
    names = ["X-Request-Id"]
    names += ["Revision"] if route.has_revision else []
    return [*names, "ETag"] if route.is_tagged else names


def _not_modified(headers: Sequence[str]) -> Json:
    return {"description": "not modified", "headers": _header_refs(*headers)}


def _answer(name: str, answer: Answer, headers: Sequence[str], example: object) -> Json:
    return {
        "description": answer.description,
        "headers": _header_refs(*headers),
        "content": {
            answer.media: {"schema": _schema(answer.type), "example": example},
            **{
                media: {"schema": {"type": "string"}, "example": recorded_examples().get(f"{name} {media}", "")}
                for media in answer.renderings
            },
        },
    }


def _example(route: Route, answer: Answer) -> object:
    if answer.example is not None:
        return answer.example
    recorded = recorded_examples()
    return recorded[route.name] if answer is route.answer and route.name in recorded else example_of(answer.type)


def _error_answer(kind: type[DaylineError]) -> Json:
    names = ["X-Request-Id", "Retry-After"] if kind in (Unavailable, TooMany) else ["X-Request-Id"]
    answer: Json = {"description": kind.__doc__, "headers": _header_refs(*names)}
    if _status(kind) is not HTTPStatus.NOT_MODIFIED:
        answer["content"] = {"application/json": {"schema": _schema(ErrorBody)}}
    return answer


def _header_refs(*names: str) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _status(kind: type[DaylineError]) -> Status:
    return STATUS_OF[kind]


def _schema(kind: Any) -> Json:
    [schema], _ = msgspec.json.schema_components((kind,), ref_template=_SCHEMAS)
    return schema


def _components(calls: Sequence[Route]) -> dict[str, Json]:
    """The schemas of all structs. A struct is used in requests or in responses, never both: `required` differs."""
    received = _schemas_of([route.body.type for route in calls if route.body is not None])
    answers = [answer for route in calls for answer in answers_of(route)]
    sent = _schemas_of([ErrorBody, *(kind for answer in answers for kind in (answer.type, *answer.inner))])
    return dict(sorted((received | {name: _as_sent(schema) for name, schema in sent.items()}).items()))


def _schemas_of(kinds: Sequence[Any]) -> dict[str, Json]:
    _, components = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS)
    # Encoded and decoded, because the default of a field may be a tuple.
    schemas: dict[str, Json] = msgspec.json.decode(msgspec.json.encode(components))
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = inspect.cleandoc(schema["description"])  # Python strips it from 3.13 on
        for name, field in schema.get("properties", {}).items():
            field.setdefault("description", DESCRIPTIONS.get(name))
    return schemas


def _as_sent(schema: Json) -> Json:
    """The schema of a response: a field with a default is always present, only an unset field may be missing."""
    fields: dict[str, Json] = schema["properties"]
    required = [name for name, field in fields.items() if name in schema["required"] or "default" in field]
    properties = {name: {key: field[key] for key in field if key != "default"} for name, field in fields.items()}
    return {**schema, "properties": properties, "required": required}
