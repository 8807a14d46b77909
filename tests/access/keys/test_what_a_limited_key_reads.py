"""What a key for some buckets can read that is not of those buckets: nothing that names other things of the owner."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from dayline.api.http.route import PATH_FIELDS
from dayline.api.routes import ROUTES
from tests.access.watching import heartbeat
from tests.support.keyed_server import KeyedServer

HIDDEN: Final = "zq-hidden"  # in everything that the key must not see
OWN: Final = "own-window"
RANGE: Final = "start=2020-01-01T00:00:00Z&end=2030-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyedServer]:
    with KeyedServer(tmp_path_factory.mktemp("owned") / "days.db") as server:
        for bucket, host in ((OWN, "laptop"), (f"{HIDDEN}-bucket", f"{HIDDEN}-host")):
            assert server.create(bucket, type="currentwindow", hostname=host).status == 200
        made(server, "POST", f"/api/0/buckets/{OWN}/events", [{**heartbeat("10:00:00", app="own"), "duration": 60}])
        other = [{**heartbeat("11:00:00", app=HIDDEN), "duration": 60}]
        made(server, "POST", f"/api/0/buckets/{HIDDEN}-bucket/events", other)
        rule = {"type": "regex", "regex": HIDDEN}
        made(server, "POST", "/api/0/settings/classes", [{"id": 1, "name": [HIDDEN], "rule": rule, "data": {}}])
        made(server, "POST", f"/api/0/settings/{HIDDEN}", HIDDEN)
        project = {"name": HIDDEN, "conditions": [{"field": "app", "op": "is", "value": "own"}], "rate": 98765}
        made(server, "PUT", "/api/1/projects", {"projects": [project]})
        goal = {"name": HIDDEN, "kind": "at_least", "seconds": 3600, "by": "category", "category": [HIDDEN]}
        made(server, "POST", "/api/1/goals", goal)
        made(server, "PUT", f"/api/1/reports/{HIDDEN}", {"period": "today", "title": HIDDEN})
        note = {
            "start": "2026-01-02T10:00:00Z",
            "end": "2026-01-02T10:01:00Z",
            "kind": "entry",
            "label": HIDDEN,
            "note": HIDDEN,
        }
        made(server, "POST", "/api/1/annotations", note)
        yield server


def made(server: KeyedServer, method: str, path: str, body: Any) -> None:
    answer = server.as_owner(method, path, body)
    assert answer.status < 300, answer.body


def paths() -> list[str]:
    """The path of every GET that needs a key for reading, with fields of what the owner has."""
    values = {"bucket_id": f"{HIDDEN}-bucket", "event_id": "1", "report": HIDDEN, "key": HIDDEN, "alias": HIDDEN}
    found: list[str] = []
    for route in ROUTES:
        if route.scope == "read" and route.method == "GET" and route.name != "get_stream":
            path = route.path
            for name in PATH_FIELDS:
                path = path.replace(f"{{{name}}}", values.get(name, "1"))
            found.append(path)
    return found


@pytest.mark.parametrize("query", ["", f"?{RANGE}", f"?{RANGE}&by=project&q=own&date=2026-01-02"])
def test_no_answer_names_what_is_not_of_its_buckets(owned: KeyedServer, query: str) -> None:
    # A timesheet by project contained the names of projects and their rates.
    key = owned.key("read", OWN)

    for path in paths():
        answer = owned.with_key(key, "GET", f"{path}{query}")

        assert answer.status < 500, path
        if answer.status < 400:  # an error names what was asked for
            assert not re.search(f"{HIDDEN}|98765".encode(), answer.body), (path, answer.body[:500])


@pytest.mark.parametrize("path", ["summary", "series", "reports/timesheet"])
@pytest.mark.parametrize("query", ["by=project", "filter=project:is:x"])
def test_time_by_project_needs_a_key_for_all_buckets(owned: KeyedServer, path: str, query: str) -> None:
    limited, whole = owned.key("read", OWN), owned.key("read")

    refused = owned.with_key(limited, "GET", f"/api/1/{path}?{RANGE}&{query}")

    assert (refused.status, refused.json["field"]) == (403, query.partition("=")[0])
    assert "needs a key for all buckets" in refused.message
    assert owned.with_key(whole, "GET", f"/api/1/{path}?{RANGE}&{query}").status == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/0/query/", {"query": ["RETURN = query_bucket_names();"], "timeperiods": ["2020-01-01/2030-01-01"]}),
        ("/api/1/categories/explain", {"event": {"bucket": OWN, "id": 1}}),
        (f"/api/1/categories/preview?{RANGE}", {"categories": []}),
    ],
)
def test_no_computation_names_what_is_not_of_its_buckets(owned: KeyedServer, path: str, body: object) -> None:
    answer = owned.with_key(owned.key("read", OWN), "POST", path, body)

    assert answer.status < 500
    assert HIDDEN not in answer.body.decode()
