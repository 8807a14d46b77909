"""Names that are also segments of paths: every bucket, setting and report stays reachable."""

import pytest

from dayline.api.http.call import Call
from dayline.api.http.route import PATH_FIELDS, Method, Route
from dayline.api.http.router import Router
from dayline.api.routes import ROUTES
from dayline.model.errors import NotAllowed, PathNotFound
from tests.api.remote_bucket import event
from tests.support.calls.clients import at
from tests.support.server import RunningServer

SEGMENTS = sorted({part for route in ROUTES for part in route.path.split("/") if part and not part.startswith("{")})
TEXTS = [PATH_FIELDS[name].type for name in ("bucket_id", "alias", "key", "report", "backup", "job_id")]


async def nothing(call: Call) -> None: ...


def route(path: str, method: Method = "GET") -> Route:
    return Route(method=method, path=path, handler=nothing, summary="", tag="events", scope="read", answer=None)


# `/api/1/events/delete` hid the events of a bucket called `delete`.
def test_a_bucket_called_delete_is_reached_by_every_path(shared_server: RunningServer) -> None:
    shared_server.create("delete")
    [stored] = shared_server.post("/api/0/buckets/delete/events", [event(at("10:00:00"), 4.0)]).json
    path = f"/api/1/events/delete/{stored['id']}"

    assert shared_server.get(path).status == 200
    assert shared_server.call("PATCH", path, {"duration": 6.0}).status == 200
    assert shared_server.post(f"{path}/split", {"at": at("10:00:02")}).status == 200
    assert shared_server.call("DELETE", path).status == 200
    assert shared_server.call("DELETE", "/api/0/buckets/delete").status == 200


def test_a_field_may_have_the_name_of_any_segment() -> None:
    router = Router(ROUTES)

    for template in ROUTES:
        for name in SEGMENTS if "*" not in template.path else []:
            path, fields = named(template.path, name)
            if (template.path, name) != ("/api/1/reports/{report}", "timesheet"):
                assert router.find(template.method, path) == (template, fields)


def named(path: str, name: str) -> tuple[str, dict[str, str]]:
    """The path with this name for every text, and the fields."""
    fields = [part.strip("{}") for part in path.split("/") if part.startswith("{")]
    values = {field: name if PATH_FIELDS[field].type in TEXTS else "7" for field in fields}
    return path.format_map(values), values


def test_a_literal_comes_first_and_other_paths_go_to_the_field() -> None:
    literal, field = route("/a/delete", "POST"), route("/a/{bucket_id}/{event_id}")
    router = Router([literal, field])

    assert router.find("POST", "/a/delete") == (literal, {})
    assert router.find("GET", "/a/delete/5") == (field, {"bucket_id": "delete", "event_id": "5"})
    with pytest.raises(NotAllowed):
        router.find("GET", "/a/delete")
    with pytest.raises(PathNotFound):
        router.find("GET", "/a/delete/5/6")


@pytest.mark.parametrize(
    "paths",
    [
        ("/a/{bucket_id}", "/a/delete"),
        ("/a/delete", "/a/{bucket_id}"),
        ("/a/{bucket_id}/events", "/a/delete/{key}"),
        ("/a/{bucket_id}/{key}", "/a/delete/all"),
        ("/a/{report}", "/a/invoice"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_literal_that_hides_a_value_of_a_field_is_rejected_at_the_start(
    paths: tuple[str, str], method: Method
) -> None:
    with pytest.raises(ValueError, match="hides this value of"):
        Router([route(paths[0]), route(paths[1], method)])


@pytest.mark.parametrize(
    "paths",
    [
        ("/a/{event_id}", "/a/count"),  # a number
        ("/a/{report}", "/a/timesheet"),  # reserved
        ("/a/{bucket_id}/{event_id}", "/a/delete"),  # of another length
    ],
)
def test_a_literal_that_no_value_can_be_is_accepted(paths: tuple[str, str]) -> None:
    Router([route(path) for path in paths])


def test_a_field_has_one_name_at_one_place() -> None:
    with pytest.raises(ValueError, match="are called"):
        Router([route("/a/{bucket_id}"), route("/a/{key}/b")])


def test_a_report_cannot_have_the_name_of_a_path(shared_server: RunningServer) -> None:
    assert shared_server.call("PUT", "/api/1/reports/timesheet", {}).status == 405
    refused = shared_server.call("PUT", "/api/1/reports/%74imesheet", {})

    assert (refused.status, refused.json["hint"]) == (422, "use up to 100 printable characters, and not timesheet")
    assert shared_server.get("/api/1/reports").json == []
