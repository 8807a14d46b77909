"""Every call of the interface by someone while another has data, with the names and numbers of what is the other's."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from dayline.api.http.route import BUCKET_ID, Route
from dayline.api.routes import CALLS
from tests.storage.postgres.tenants.diaries import PERIOD, Diary
from tests.support.postgres.cluster import Cluster
from tests.support.postgres.servers import Person, SharedServer

# What shows, together, whether anything of a person was changed; after each call the first ones.
STATE = (
    "/api/1/settings/history", "/api/1/trash", "/api/0/export", "/api/1/keys",
    "/api/0/settings", "/api/1/settings", "/api/1/privacy/rules", "/api/1/retention", "/api/1/annotations",
    "/api/1/aliases", "/api/1/privacy/redactions", "/api/1/categories", "/api/1/reports", "/api/1/goals",
)  # fmt: skip
FIRST = 4


class Two:
    """A user who has something of everything, and someone who has next to nothing."""

    def __init__(self, server: SharedServer) -> None:
        self.ann, self.bob = Diary(server, "ann"), Person(server, "bob")
        self.ids = _filled(self.ann)
        # Or else a call would make the demo, which takes its time.
        assert self.bob.create(BUCKET_ID).status == 200
        self.before = self.state()

    def state(self, most: int = len(STATE)) -> list[Any]:
        keys = [{**key, "last_used": None} for key in self.ann.get("/api/1/keys")]
        return [keys if path == "/api/1/keys" else self.ann.get(path) for path in STATE[:most]]


@pytest.fixture(scope="module")
def two(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    with SharedServer(postgres.new_database(), tmp_path_factory.mktemp("shared")) as server:
        yield Two(server)


@pytest.mark.parametrize("route", CALLS, ids=lambda route: route.name)
def test_a_call_shows_and_changes_nothing_of_another(route: Route, two: Two) -> None:
    answer = _called(route, two.bob, two.ids)

    assert (answer.status == 403) == (route.audience == "server"), answer
    assert answer.status != 500
    for field in ("job_id", "key_id"):  # no one else has such an id
        is_named = f"{{{field}}}" in route.path
        assert answer.status == 404 if is_named else two.ids[field] not in answer.body.decode()
    assert two.state(FIRST) == two.before[:FIRST]


def test_after_all_of_them_everything_of_the_other_is_as_it_was(two: Two) -> None:
    assert two.state() == two.before


def test_server_routes_are_for_the_maintainer_only(two: Two) -> None:
    answer = two.bob.call("GET", "/api/1/server")

    assert answer.status == 403
    assert answer.message == "GET /api/1/server is for server administrators, and this key belongs to one tenant"
    assert two.bob.server.as_owner("GET", "/api/1/server").status == 200


def _called(route: Route, person: Person, ids: dict[str, str]) -> Any:
    path = route.path
    for field, value in ids.items():
        path = path.replace(f"{{{field}}}", value)
    body, media = None, "application/json"
    if route.body is not None:
        body, media = msgspec.json.encode(route.body.example), route.body.media
    path = f"{path}?{PERIOD}&pulsetime=60&follow=0&q=Editor"
    return person.call(route.method, path, raw=body, headers={"Content-Type": media})


def _filled(ann: Diary) -> dict[str, str]:
    """Give her something of everything; the names and numbers of it, by the fields of paths."""
    ann.write("window", "insert", [(1, 2, True), (5, 2, False)])
    ann.write(BUCKET_ID, "beats", [(1, 2, True)])
    ann.write("tabs", "import", [(1, 2, True)])
    ann.keep()
    ann.set("theme", True)
    ann.redact(True)
    ann.done("PUT", "/api/1/reports/Invoice", {"by": "title", "title": ann.mark})
    ann.done("PATCH", "/api/1/settings", {"day_start": "05:00"})
    ann.done("PUT", "/api/1/retention", [{"bucket": ann.mark, "days": 365}])
    ann.done("POST", "/api/1/buckets/tabs/rename", {"id": f"tabs-{ann.mark}"})
    rules = [{"field": "title", "pattern": ann.mark, "action": "redact", "replacement": f"gone {ann.mark}"}]
    redaction = ann.call("POST", "/api/1/privacy/apply", {"rules": rules, "buckets": ["window"]})
    undo = ann.done("DELETE", f"/api/0/buckets/tabs-{ann.mark}").headers["undo-id"]
    document = b'{"buckets": {"imported": {"client": "c", "type": "t", "hostname": "h", "events": []}}}'
    job = ann.call("POST", "/api/1/imports", raw=document).json["id"]
    ann.get(f"/api/1/jobs/{job}?wait_s=30")
    [event, *_] = ann.get("/api/0/buckets/window/events")
    return {
        "bucket_id": "window",
        "event_id": str(event["id"]),
        "key_id": ann.key_id,
        "redaction_id": str(redaction.json["id"]) if redaction.status == 200 else "1",
        "undo_id": undo,
        "annotation_id": str(ann.get("/api/1/annotations")["annotations"][0]["id"]),
        "goal_id": str(ann.get("/api/1/goals")[0]["id"]),
        "number": "1",
        "version": "1",
        "backup": "days-20200101T000000Z.db.zst",
        "job_id": job,
        "report": "Invoice",
        "alias": "tabs",
        "key": "theme",
    }
