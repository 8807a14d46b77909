"""The page docs/reference/api.md: every call with its parameters, bodies, answers and errors."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import msgspec

from dayline import __version__
from dayline.api.http.errors import STATUS_OF
from dayline.api.http.openapi import ABOUT, errors_of, openapi, parameters_of
from dayline.api.http.route import TAGS, Route
from dayline.api.routes import CALLS, ROUTES
from dayline.model.errors import DaylineError
from scripts.markdown import Rows, anchor, assemble, filled, pretty, table

Json = dict[str, Any]


def api_page() -> str:
    """Every call with its parameters, bodies, answers and errors."""
    document = openapi(CALLS, version=__version__)
    others = [route for route in ROUTES if route not in CALLS]
    return assemble(
        "# The API",
        ABOUT.strip(),
        filled(
            "The server has this page in a form to try things out, at `/api/`, and for programs, as OpenAPI 3.1, at "
            "`/api/openapi.json`."
        ),
        table(
            ("call", ""),
            [(f"[`{route.method} {route.path}`](#{anchor(route.summary)})", route.summary) for route in CALLS],
        ),
        *(part for tag, about in TAGS.items() for part in tag_parts(document, tag, about)),
        "## Shapes",
        "What bodies and answers are made of. Fields marked `?` may be left out.",
        *(part for name, schema in document["components"]["schemas"].items() for part in shape_parts(name, schema)),
        "## Errors",
        filled(
            "Every error has the shape of [ErrorBody](#errorbody); its `type` is one of these, or a more exact one "
            "under it, such as `BucketNotFound`. An unknown path is 404 `PathNotFound`; a method that a path does not "
            "have is 405 `NotAllowed`, with those that it has in the header `Allow`."
        ),
        table(("status", "type", "meaning"), error_rows()),
        "## Pages and files",
        "Besides the calls, the server has these for browsers.",
        table(("path", ""), [(f"`{route.path}`", f"{route.summary}. {route.description}") for route in others]),
    )


def tag_parts(document: Json, tag: str, about: str) -> Iterator[str]:
    yield f"## {tag.capitalize()}"
    yield about
    for route in CALLS:
        if route.tag == tag:
            yield from call_parts(route, document["paths"][route.path][route.method.lower()])


def call_parts(route: Route, operation: Json) -> Iterator[str]:
    yield f"### {route.summary}"
    yield f"`{route.method} {route.path}`"
    yield filled(route.description)
    yield f"Key: {needed_key(route)}."
    schemas = [parameter["schema"] for parameter in operation["parameters"]]
    rows: Rows = [
        (f"`{parameter.name}`" + ("" if parameter.is_required else "?"), place, kind_of(schema), parameter.description)
        for (place, parameter), schema in zip(parameters_of(route), schemas, strict=True)
    ]
    if rows:
        yield table(("parameter", "in", "type", "meaning"), rows)
    if route.body is not None:
        content: Json = operation["requestBody"]["content"]
        form = ", or `multipart/form-data` with files of it" if route.body.is_document else ""
        media = route.body.media
        yield f"Body: {kind_of(content[media]['schema'])} as `{media}`{form}."
        example = route.body.example if isinstance(route.body.example, str) else pretty(route.body.example)
        yield f"```{'json' if media == 'application/json' else 'text'}\n{example}\n```"
    if route.answer is not None:
        schema = operation["responses"][str(route.answer.status)]["content"][route.answer.media]["schema"]
        yield f"Answer: {route.answer.status}, {kind_of(schema)}: {route.answer.description}."
    if route.other_answer is not None:
        other = route.other_answer
        schema = operation["responses"][str(other.status)]["content"][other.media]["schema"]
        yield f"Or: {other.status}, {kind_of(schema)}: {other.description}."
    errors = ", ".join(f"{STATUS_OF[kind].value} {kind.__name__}" for kind in errors_of(route))
    yield f"[Errors](#errors): {errors}."


def needed_key(route: Route) -> str:
    """What a key must be to make this call, where the server asks for keys."""
    if route.scope is None:
        return "none"
    return f"`{route.scope}`, for all buckets" if route.is_server_wide else f"`{route.scope}`"


def shape_parts(name: str, schema: Json) -> Iterator[str]:
    yield f"### {name}"
    yield schema["description"]
    fields: dict[str, Json] = schema["properties"]
    yield table(
        ("field", "type"),
        [(f"`{field}`" + ("" if field in schema["required"] else "?"), kind_of(fields[field])) for field in fields],
    )


def kind_of(schema: Json) -> str:
    """A schema in words."""
    kind = schema.get("type")
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(kind_of, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{msgspec.json.encode(value).decode()}`" for value in schema["enum"])
    if kind == "array":
        return f"array of {kind_of(schema['items'])}"
    if kind == "object" and "additionalProperties" in schema:
        values = schema["additionalProperties"]
        return f"object of {kind_of(values)}" if values else "`{}`"
    if isinstance(kind, list):
        return "any JSON value"
    if schema.get("format") == "date-time":
        return "time"
    return f"number ({schema['description']})" if kind == "number" and "description" in schema else str(kind)


def error_rows() -> Rows:
    kinds: list[tuple[type[DaylineError], HTTPStatus]] = sorted(STATUS_OF.items(), key=lambda item: item[1])
    used = {kind for route in CALLS for kind in errors_of(route)}
    return [(str(status.value), f"`{kind.__name__}`", str(kind.__doc__)) for kind, status in kinds if kind in used]
