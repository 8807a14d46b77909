"""The OpenAPI document: valid, complete, exact about what is required, and made from the route table alone."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import jsonschema_rs
import msgspec
import pytest
import schemathesis

from dayline import __version__
from dayline.api.data.sync_files import BYTES
from dayline.api.field_descriptions import DESCRIPTIONS
from dayline.api.http.openapi import errors_of, openapi
from dayline.api.http.route import PATH_FIELDS, TAGS, Body, Route
from dayline.api.routes import CALLS, ROUTES
from dayline.model.bucket import BucketView
from dayline.model.error_body import ErrorBody
from dayline.model.errors import BucketExists, Invalid, Unavailable
from scripts.docs_api import api_page
from scripts.markdown import anchor
from tests.support.calls.sealing import sealed
from tests.support.maintenance.aw_sync import PHONE, database
from tests.support.maintenance.migrating import installed
from tests.support.server import RunningServer

DOCUMENT: Final = openapi(CALLS, version=__version__)
OPERATIONS: Final[dict[str, dict[str, Any]]] = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
# What cannot be shown in a document that everybody reads: a key that works, and what is made with one.
NEED_A_KEY: Final[dict[str, Callable[[str], object]]] = {
    "begin_session": lambda text: {"key": text},
    "send_enveloped": lambda text: sealed("GET", "/api/0/buckets/", key=text),
}
# What needs a server without data, or changes one so that other examples would not work on it.
NEED_A_SERVER: Final = {
    "create_bucket", "start_demo", "start_migration", "start_import", "import_documents",
    "start_sync", "preview_sync", "join_sync", "leave_sync", "add_sync_source",
    "adopt_device", "remove_device",
}  # fmt: skip
BODIES: Final = [route for route in CALLS if route.body is not None]


def name_of(route: Route) -> str:
    """The call as a test report shows it."""
    return f"{route.method} {route.path}"


def body_of(route: Route) -> Body:
    assert route.body is not None
    return route.body


def contents(node: object) -> Iterator[dict[str, Any]]:
    """Everything in the document that says what a body or a response looks like."""
    if isinstance(node, dict):
        members = cast("dict[str, Any]", node)  # the document is JSON
        yield from members.get("content", {}).values()
        for value in members.values():
            yield from contents(value)


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the components that its references name."""
    return {**schema, "components": DOCUMENT["components"]}


def test_the_document_is_valid_openapi() -> None:
    schemathesis.openapi.from_dict(DOCUMENT).validate()


def test_every_component_is_a_valid_json_schema(subtests: pytest.Subtests) -> None:
    for name in DOCUMENT["components"]["schemas"]:
        with subtests.test(name=name):
            jsonschema_rs.meta.validate(DOCUMENT["components"]["schemas"][name])


def test_every_call_of_the_table_is_described_and_nothing_else() -> None:
    assert list(OPERATIONS) == [name_of(route) for route in CALLS]


def test_every_route_for_programs_is_among_the_calls() -> None:
    others = {route.path for route in ROUTES} - {route.path for route in CALLS}

    assert {path for path in others if path.startswith(("/api/0", "/api/1"))} == set()


def test_every_call_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]

    assert len(names) == len(set(names))


def test_every_call_has_a_summary_and_a_description(subtests: pytest.Subtests) -> None:
    for call in OPERATIONS:
        with subtests.test(call=call):
            assert OPERATIONS[call]["summary"]
            assert OPERATIONS[call]["description"]


def test_every_tag_is_used_and_explained() -> None:
    assert {tag for operation in OPERATIONS.values() for tag in operation["tags"]} == set(TAGS)
    assert [tag["name"] for tag in DOCUMENT["tags"]] == list(TAGS)


def test_every_field_of_a_path_is_a_required_parameter(subtests: pytest.Subtests) -> None:
    for call in [name_of(route) for route in CALLS if "{" in route.path]:
        with subtests.test(call=call):
            fields = {name for name in PATH_FIELDS if f"{{{name}}}" in call}
            parameters = [parameter for parameter in OPERATIONS[call]["parameters"] if parameter["in"] == "path"]

            assert {parameter["name"] for parameter in parameters} == fields
            assert all(parameter["required"] for parameter in parameters)


def test_no_body_and_no_answer_has_an_empty_schema() -> None:
    # An empty schema allows everything: it would look like a description and be none.
    described = list(contents(DOCUMENT))

    assert len(described) > len(OPERATIONS)
    assert [content for content in described if not content["schema"]] == []


def test_every_answer_has_the_request_id(subtests: pytest.Subtests) -> None:
    for call in OPERATIONS:
        with subtests.test(call=call):
            answers = OPERATIONS[call]["responses"].values()
            shared = DOCUMENT["components"]["responses"]
            whole = [shared[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer for answer in answers]

            assert whole
            assert all("X-Request-Id" in answer["headers"] for answer in whole)


def test_every_field_that_the_server_always_sends_is_required() -> None:
    schemas = DOCUMENT["components"]["schemas"]

    assert set(schemas["BucketView"]["required"]) == set(BucketView.__struct_fields__)
    assert schemas["ErrorBody"]["required"] == ["message", "type", "request_id"]
    assert set(schemas["ErrorBody"]["properties"]) == set(ErrorBody.__struct_fields__)


def test_what_may_be_left_out_of_a_request_is_not_required() -> None:
    assert DOCUMENT["components"]["schemas"]["EventBody"]["required"] == ["timestamp"]
    assert DOCUMENT["components"]["schemas"]["NewBucket"]["required"] == ["type", "client", "hostname"]


def test_no_struct_with_optional_fields_is_both_received_and_sent() -> None:
    # What is required differs, and the two would share one schema.
    schemas = DOCUMENT["components"]["schemas"]
    received = _components([body_of(route).type for route in BODIES])
    sent = _components([route.answer.type for route in CALLS if route.answer is not None])

    both = received & sent

    assert both  # there are some without optional fields
    assert {name for name in both if set(schemas[name]["required"]) != set(schemas[name]["properties"])} == set()


def test_the_example_of_a_body_fits_its_schema(subtests: pytest.Subtests) -> None:
    for route in BODIES:
        with subtests.test(name_of(route)):
            content = OPERATIONS[name_of(route)]["requestBody"]["content"][body_of(route).media]

            jsonschema_rs.validate(resolved(content["schema"]), content["examples"]["usual"]["value"])


@pytest.mark.parametrize("route", BODIES, ids=name_of)
def test_the_example_of_a_body_works(route: Route, request: pytest.FixtureRequest) -> None:
    server: RunningServer = request.getfixturevalue("server" if route.name in NEED_A_SERVER else "shared_server")
    path = (
        route.path.replace("{bucket_id}", "aw-watcher-window_laptop")
        .replace("{key}", "durationDefault")
        .replace("{report}", "Invoice")
        .replace("{device}", "k7f3q2ab")
        .replace("{file}", "head")
    )
    if route.name not in ("create_bucket", "start_demo"):
        server.create("aw-watcher-window_laptop")
    if route.name in ("merge_bucket", "delete_selected_events"):
        server.create("aw-watcher-window_desktop")
    if "{event_id}" in path:
        event = {"timestamp": "2026-02-03T08:15:31Z", "duration": 60}
        made_id = server.post("/api/0/buckets/aw-watcher-window_laptop/events", event).json["id"]
        path = path.replace("{event_id}", str(made_id))
    if "{annotation_id}" in path:
        span = {"start": "2026-02-03T09:00:00Z", "end": "2026-02-03T09:15:00Z"}
        made = server.post("/api/1/annotations", {"kind": "exclude", **span}).json
        path = path.replace("{annotation_id}", str(made["id"]))
    if "{goal_id}" in path:
        goal = {"name": "Less of it", "kind": "at_most", "seconds": 3600}
        path = path.replace("{goal_id}", str(server.post("/api/1/goals", goal).json["id"]))
    example = body_of(route).example
    if route.name == "start_migration":
        example = {"path": str(installed(server.database.parent))}
    if body_of(route).media == BYTES:
        example = str(example).encode()
    elif "/sync/" in path:
        example = sync_example(route, server)
        if "/sync/devices/" in path:
            path = path.replace("k7f3q2ab", other_device(server, server.get("/api/1/sync/invite").json))
    if "key" in path or route.name in NEED_A_KEY:
        made = server.post("/api/1/keys", {"name": "example", "scope": "full", "envelope": True}).json
        path = path.replace("{key_id}", made["id"])
        if route.name in NEED_A_KEY:
            example = NEED_A_KEY[route.name](made["key"])

    answer = server.call(
        route.method,
        f"{path}?pulsetime=5",
        None if isinstance(example, bytes) else example,
        raw=example if isinstance(example, bytes) else None,
        headers={"Content-Type": body_of(route).media, **(session_of(server) if route.name == "create_ticket" else {})},
    )

    assert route.answer is not None
    assert answer.status == route.answer.status


def sync_example(route: Route, server: RunningServer) -> object:
    """The example, with a folder that exists and its invite."""
    space = {"location": str(server.database.parent / "Sync")}
    if route.name == "add_sync_source":
        folder = server.database.parent / "ActivityWatchSync"
        database(folder / PHONE / "test.db", [])
        return {"path": str(folder)}
    if route.name == "start_sync":
        return space
    invite = server.post("/api/1/sync/start", space).json["invite"]
    if route.name == "join_sync":
        assert server.post("/api/1/sync/leave", {}).status == 200
    has_location = route.name in ("preview_sync", "join_sync")
    return {**space, "invite": invite} if has_location else body_of(route).example


def other_device(server: RunningServer, invited: object) -> str:
    """Another device joins, and stops. The response is its id."""
    folder = server.database.parent / "other"
    folder.mkdir()
    with RunningServer(folder / "dayline.db") as other:
        other.create("aw-watcher-window_laptop", client="aw-watcher-window", type="currentwindow", hostname="laptop")
        assert other.post("/api/1/sync/join", invited).status == 200
        device: str = other.get("/api/1/sync").json["device"]["id"]
    assert server.post("/api/1/sync/run").status == 200
    return device


def session_of(server: RunningServer) -> dict[str, str]:
    """The headers of a browser that is signed in."""
    code = server.post("/api/1/session/codes").json["code"]
    answer = server.post("/api/1/session", {"code": code})
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0], "X-Dayline": answer.json["secret"]}


def test_a_document_may_be_imported_as_json_or_as_a_form() -> None:
    content = OPERATIONS["POST /api/0/import"]["requestBody"]["content"]

    assert set(content) == {"application/json", "multipart/form-data"}


def test_creating_a_bucket_twice_is_described_as_an_answer_without_a_body() -> None:
    assert OPERATIONS["POST /api/0/buckets/{bucket_id}"]["responses"]["304"] == {
        "$ref": "#/components/responses/BucketExists"
    }
    assert "content" not in DOCUMENT["components"]["responses"]["BucketExists"]


def test_only_a_call_with_a_body_can_be_rejected_for_one_and_only_a_write_can_be_put_off() -> None:
    by_name = {route.name: errors_of(route) for route in CALLS}

    assert Invalid not in by_name["get_events"]
    assert Invalid in by_name["insert_events"]
    assert Unavailable not in by_name["export_all"]
    assert Unavailable in by_name["delete_bucket"]
    assert BucketExists in by_name["create_bucket"]


@pytest.mark.parametrize("path", ["/api/openapi.json", "/api/swagger.json", "/api/openapi.json/"])
def test_the_server_serves_the_document(shared_server: RunningServer, path: str) -> None:
    answer = shared_server.get(path)

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json == DOCUMENT


def _components(kinds: list[Any]) -> set[str]:
    _, components = msgspec.json.schema_components(kinds)
    return set(components)


def test_a_server_that_requires_keys_documents_it_for_every_call_that_needs_one() -> None:
    paths = openapi(CALLS, version=__version__, needs_keys=True)["paths"]

    security = {route.name: paths[route.path][route.method.lower()].get("security") for route in CALLS}

    assert {name for name, each in security.items() if each} == {
        route.name for route in CALLS if route.scope is not None
    }
    assert not any({} in each for each in security.values() if each)
    # A server without keys accepts requests without one; the schemes are described all the same.
    assert all({} in operation["security"] for operation in OPERATIONS.values() if "security" in operation)
    assert set(DOCUMENT["components"]["securitySchemes"]) == {"key", "session", "secret"}


def test_every_property_has_a_description_and_each_description_is_used() -> None:
    schemas: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
    properties = [(name, field, each) for name, one in schemas.items() for field, each in one["properties"].items()]

    assert [f"{name}.{field}" for name, field, each in properties if not each.get("description")] == []
    texts = {each["description"] for _, _, each in properties}
    assert [name for name, text in DESCRIPTIONS.items() if text not in texts] == []


def test_every_success_body_has_an_example_of_its_schema() -> None:
    bodies = [
        (name, media, content)
        for name, operation in OPERATIONS.items()
        for status, answer in operation["responses"].items()
        if status.startswith("2") and "content" in answer
        for media, content in answer["content"].items()
        if media == "application/json"
    ]

    assert len(bodies) > 100
    assert [name for name, _, content in bodies if "example" not in content] == []
    wrong = [
        f"{name}: {error.message}"
        for name, _, content in bodies
        for error in jsonschema_rs.validator_for(resolved(content["schema"])).iter_errors(content["example"])
    ]
    assert wrong == []


def test_every_part_has_a_description_and_every_body_an_example() -> None:
    missing: list[str] = []
    for name, operation in OPERATIONS.items():
        bodies = {"request": operation.get("requestBody", {}), **operation["responses"]}
        missing += [f"{name}: {each['name']}" for each in operation["parameters"] if not each.get("description")]
        missing += [f"{name}: {status}" for status, each in operation["responses"].items() if not described(each)]
        missing += [
            f"{name}: example of {status} as {media}"
            for status, body in bodies.items()
            if status == "request" or status.startswith("2")
            for media, content in body.get("content", {}).items()
            if not content.keys() & {"example", "examples"} or content.get("example") == ""
        ]
    missing += [name for name, each in DOCUMENT["components"]["schemas"].items() if not each.get("description")]
    missing += [name for name, each in DOCUMENT["components"]["headers"].items() if not each.get("description")]

    assert missing == []


def described(response: dict[str, Any]) -> bool:
    return "$ref" in response or bool(response["description"])


def test_a_tag_has_at_most_a_dozen_operations() -> None:
    counts = Counter(route.tag for route in CALLS)

    assert {tag: count for tag, count in counts.items() if count > 12} == {}
    assert set(counts) == set(TAGS)


def test_headings_of_the_reference_are_unique() -> None:
    # Two links "Delete an event" led to the first of two operations.
    headings = re.findall(r"^#+ (.*)$", api_page(), re.MULTILINE)

    assert [heading for heading, count in Counter(map(anchor, headings)).items() if count > 1] == []
