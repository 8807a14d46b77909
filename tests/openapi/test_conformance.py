"""The server answers as its OpenAPI document says, whatever is sent to it: schemathesis against a real process."""

# schemathesis leaves some of its types open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUntypedFunctionDecorator=false

from collections.abc import Callable
from typing import Any, Final

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case, HookContext, SerializationContext
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from dayline import __version__
from dayline.api.openapi import openapi
from dayline.api.route import BUCKET_ID
from dayline.api.routes import CALLS
from tests.server import RunningServer

CHECKS: Final[list[CheckFunction]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]
EXAMPLES: Final = 3  # a call, besides the edges of every field, which are tried anyway: there are many calls


@schemathesis.serializer("application/jose")
def as_text(context: SerializationContext, value: Any) -> bytes:
    """A message is text, sent as it is."""
    return str(value).encode(errors="replace")


schema = schemathesis.openapi.from_dict(openapi(CALLS, version=__version__))


@schema.hook
def map_path_parameters(context: HookContext, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Half of the calls go to a bucket that exists: random ids would nearly all be unknown."""
    if path_parameters and len(str(path_parameters.get("bucket_id", ""))) % 2:
        return {**path_parameters, "bucket_id": BUCKET_ID}
    return path_parameters


def conformance_test(name: str) -> Callable[..., None]:
    """The test of one call."""

    for_each_case: Callable[..., Callable[..., None]] = schema.include(operation_id=name).parametrize()

    @for_each_case
    @settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
    def test(case: Case[Any], shared_server: RunningServer) -> None:
        if "bucket_id" in case.path_parameters:
            shared_server.create(BUCKET_ID)
            shared_server.post(f"/api/0/buckets/{BUCKET_ID}/events", {"id": 1, "timestamp": "2026-02-03T08:15:31Z"})

        if case.operation.path == "/api/1/stream":
            case.query = {**(case.query or {}), "follow": "0"}  # or else there would be no end to it
        if case.operation.path == DEMO:
            shared_server.create(BUCKET_ID)  # one of the demo's, so that nobody makes a year of it for a test

        response = case.call(base_url=shared_server.url, timeout=60)  # compacting waits for other work to end

        case.validate_response(response, checks=[*CHECKS, negative_data_rejection] if has_wrong_body(case) else CHECKS)

    return test


DEMO = "/api/1/demo"
IMPORTS = ("/api/0/import", "/api/1/imports")


def has_wrong_body(case: Case[Any]) -> bool:
    """Whether it was made to be refused for its JSON body: wrong parameters are often ignored, as clients expect."""
    if case.meta is None or case.media_type != "application/json" or case.operation.path in IMPORTS:
        return False  # an import leaves out the events that it cannot use, and a job says later what is wrong
    body = case.meta.components.get(ParameterLocation.BODY)
    return body is not None and body.mode.is_negative


# A function for each call, not one for all: to pytest their parameters would have one name, and xdist would run the
# first of them alone.
globals().update({f"test_{route.name}_answers_as_it_is_described": conformance_test(route.name) for route in CALLS})
