"""Generate docs/reference/api.md: every endpoint with its parameters, bodies, responses and errors."""

from collections.abc import Iterator
from typing import Any

import msgspec

from dayline import __version__
from dayline.api.http.errors import STATUS_OF, Status
from dayline.api.http.openapi import ABOUT, errors_of, openapi, parameters_of
from dayline.api.http.route import TAGS, Route
from dayline.api.routes import CALLS, ROUTES
from dayline.model.errors import DaylineError
from scripts.markdown import Rows, anchor, assemble, filled, pretty, table

Json = dict[str, Any]


def api_page() -> str:
    """Return the page."""
    document = openapi(CALLS, version=__version__)
    others = [route for route in ROUTES if route not in CALLS]
    return assemble(
        "# API reference",
        ABOUT.strip(),
        filled(
            "A running server has an interactive version of this page at `/api/`, and an OpenAPI 3.1 document at "
            "`/api/openapi.json`."
        ),
        table(
            ("Request", "What it does"),
            [(f"[`{route.method} {route.path}`](#{anchor(route.summary)})", route.summary) for route in CALLS],
        ),
        *(part for tag, about in TAGS.items() for part in tag_parts(document, tag, about)),
        "## Schemas",
        "Types of request and response bodies. Fields marked `?` are optional.",
        *(part for name, schema in document["components"]["schemas"].items() for part in shape_parts(name, schema)),
        "## Errors",
        filled(
            "Every error is an [ErrorBody](#errorbody). Its `type` is one of these, or a more specific one such as "
            "`BucketNotFound`. An unknown path returns 404 `PathNotFound`. An unsupported method returns 405 "
            "`NotAllowed`, with the supported methods in the header `Allow`."
        ),
        table(("Status", "Type", "Meaning"), error_rows()),
        "## Pages and files",
        "The server also has these paths for browsers.",
        table(("Path", "Content"), [(f"`{route.path}`", f"{route.summary}. {route.description}") for route in others]),
    )


def tag_parts(document: Json, tag: str, about: str) -> Iterator[str]:
    yield f"## Requests: {tag}"
    yield about
    for route in CALLS:
        if route.tag == tag:
            yield from call_parts(route, document["paths"][route.path][route.method.lower()])


def call_parts(route: Route, operation: Json) -> Iterator[str]:
    yield f"### {route.summary}"
    yield f"`{route.method} {route.path}`"
    yield filled(route.description)
    yield f"Required key: {needed_key(route)}."
    schemas = [parameter["schema"] for parameter in operation["parameters"]]
    rows: Rows = [
        (f"`{parameter.name}`" + ("" if parameter.is_required else "?"), place, kind_of(schema), parameter.description)
        for (place, parameter), schema in zip(parameters_of(route), schemas, strict=True)
    ]
    if rows:
        yield table(("Parameter", "In", "Type", "Meaning"), rows)
    if route.body is not None:
        content: Json = operation["requestBody"]["content"]
        form = ", or `multipart/form-data` with files of this type" if route.body.is_document else ""
        media = route.body.media
        yield f"Body: {kind_of(content[media]['schema'])} as `{media}`{form}."
        example = route.body.example if isinstance(route.body.example, str) else pretty(route.body.example)
        yield f"```{'json' if media == 'application/json' else 'text'}\n{example}\n```"
    if route.answer is not None:
        schema = operation["responses"][str(route.answer.status)]["content"][route.answer.media]["schema"]
        yield f"Response: {route.answer.status}, {kind_of(schema)}: {route.answer.description}."
    if route.other_answer is not None:
        other = route.other_answer
        schema = operation["responses"][str(other.status)]["content"][other.media]["schema"]
        yield f"Alternative response: {other.status}, {kind_of(schema)}: {other.description}."
    errors = ", ".join(f"{STATUS_OF[kind].value} {kind.__name__}" for kind in errors_of(route))
    yield f"[Errors](#errors): {errors}."


def needed_key(route: Route) -> str:
    """The scope that a key needs for this request, if the server requires keys."""
    if route.scope is None:
        return "none"
    return f"`{route.scope}`, for all buckets" if route.needs_all_buckets else f"`{route.scope}`"


def shape_parts(name: str, schema: Json) -> Iterator[str]:
    yield f"### {name}"
    yield filled(schema["description"])
    fields: dict[str, Json] = schema["properties"]
    yield table(
        ("Field", "Type", "Meaning"),
        [
            (
                f"`{field}`" + ("" if field in schema["required"] else "?"),
                kind_of(fields[field]),
                fields[field]["description"],
            )
            for field in fields
        ],
    )


def kind_of(schema: Json) -> str:
    """A short description of a schema."""
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
    return str(kind)


def error_rows() -> Rows:
    kinds: list[tuple[type[DaylineError], Status]] = sorted(STATUS_OF.items(), key=lambda item: item[1])
    used = {kind for route in CALLS for kind in errors_of(route)}
    return [(str(status.value), f"`{kind.__name__}`", str(kind.__doc__)) for kind, status in kinds if kind in used]
