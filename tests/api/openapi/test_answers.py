"""The server answers as its OpenAPI document says, whatever is sent to it: schemathesis against a real process."""

# schemathesis leaves some of its types open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUntypedFunctionDecorator=false

from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, SerializationContext
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.generation.modes import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from dayline import __version__
from dayline.api.http.openapi import openapi
from dayline.api.http.route import BUCKET_ID
from dayline.api.routes import CALLS
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

CHECKS: Final[list[CheckFunction]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]
CASES: Final = 5  # of a call in the bounded run: there are some 6,000 edge cases of about 130 calls
EXAMPLES: Final = 20  # random ones of a call in the long run, in addition to all of its edge cases


@schemathesis.serializer("application/jose")
def as_text(context: SerializationContext, value: Any) -> bytes:
    """A message is text, sent as it is."""
    return str(value).encode(errors="replace")


schema = schemathesis.openapi.from_dict(openapi(CALLS, version=__version__))


def test_every_call_answers_as_it_is_described(shared_server: RunningServer) -> None:
    """A bounded run over the whole API: of each call's edge cases some, spread evenly over all of them."""
    failures: list[str] = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        edges = edges_of(operation)
        for case in edges[:: max(1, len(edges) // CASES)]:
            try:
                check(case, shared_server)
            except Exception as error:  # of every call, so that one run shows all that is wrong
                failures.append(f"{operation.label}: {error}")

    assert failures == []


def edges_of(operation: APIOperation[Any, Any, Any, Any]) -> list[Case[Any]]:
    """Valid and invalid values at their limits."""
    return list(
        schema.iter_coverage_cases(
            operation, generation_modes=list(GenerationMode), generation_config=schema.config.generation
        )
    )


def check(case: Case[Any], server: RunningServer) -> None:
    """Send it, and fail unless the response is as the document says."""
    if "bucket_id" in case.path_parameters:
        if len(str(case.path_parameters["bucket_id"])) % 2:  # half of the ids: random ones would nearly all be unknown
            case.path_parameters["bucket_id"] = BUCKET_ID
        server.create(BUCKET_ID)
        server.post(f"/api/0/buckets/{BUCKET_ID}/events", {"id": 1, "timestamp": "2026-02-03T08:15:31Z"})

    if case.operation.path == "/api/1/stream":
        case.query = {**(case.query or {}), "follow": "0"}  # or else there would be no end to it
    if case.operation.path == DEMO:
        server.create(BUCKET_ID)  # one of the demo's, so that no test generates a year of it

    if case.operation.path == "/api/1/sync/start" and isinstance(case.body, dict):
        place = case.body.get("location")  # folders are created by this call
        if isinstance(place, str) and place.startswith("/"):
            # A copy: it may be the example itself.
            case.body = {**case.body, "location": f"{server.database.parent}{place}"}

    response = case.call(base_url=server.url, timeout=PATIENCE_S)

    case.validate_response(response, checks=[*CHECKS, negative_data_rejection] if has_wrong_body(case) else CHECKS)


@pytest.mark.long
@pytest.mark.parametrize("name", [route.name for route in CALLS])
def test_a_call_answers_as_it_is_described_in_every_case(shared_server: RunningServer, name: str) -> None:
    """All edge cases of a call, and random ones."""
    operation = schema.find_operation_by_id(name)
    for case in edges_of(operation):
        check(case, shared_server)

    @given(case=st.one_of([operation.as_strategy(mode) for mode in GenerationMode]))
    @settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
    def check_random(case: Case[Any]) -> None:
        check(case, shared_server)

    check_random()


DEMO = "/api/1/demo"
IMPORTS = ("/api/0/import", "/api/1/imports")


def has_wrong_body(case: Case[Any]) -> bool:
    """Whether it was made to be refused for its JSON body: wrong parameters are often ignored, as clients expect."""
    if case.meta is None or case.media_type != "application/json" or case.operation.path in IMPORTS:
        return False  # an import leaves out the events that it cannot use, and a job says later what is wrong
    body = case.meta.components.get(ParameterLocation.BODY)
    return body is not None and body.mode.is_negative
