"""Every call that changes something changes it once with the same message or the same token; a new call must do so."""

from pathlib import Path
from secrets import token_hex
from typing import Final
from urllib.parse import urlencode

import msgspec
import pytest

from dayline.api.http.route import Route
from dayline.api.routes import CALLS
from tests.access.envelope.enveloping import Sender
from tests.access.watching import heartbeat
from tests.support.calls.clients import at
from tests.support.keyed_server import KeyedServer
from tests.support.maintenance.aw_sync import PHONE, database
from tests.support.maintenance.migrating import installed

# What is allowed to those who may change something, and changes nothing that lasts; to revoke again neither. A
# second backup only makes old ones give way earlier, and a job that was cancelled stays so.
LEAVE_NOTHING: Final = {
    "create_sign_in_code", "preview_redaction", "revoke_key", "revoke_session", "confirm_session", "make_backup",
    "verify_backup", "cancel_job",
    "preview_retention", "apply_retention", "compact_database", "preview_sync", "run_sync", "verify_sync",
    "confirm_device",
}  # fmt: skip
# Sessions are for browsers, which do not repeat what they send.
OF_BROWSERS: Final = {"end_other_sessions"}
# It needs a restored database, and a second one finds nothing to recover: maintenance/sync/test_recover.py.
OF_RESTORED: Final = {"recover_sync"}
# They need another device: maintenance/sync/test_adopt.py and its neighbors.
OF_DEVICES: Final = {"adopt_device", "remove_device"}
CHANGES: Final = [
    route
    for route in CALLS
    if route.scope in ("append", "full") and route.method != "GET" and route.answer is not None
    if route.name not in LEAVE_NOTHING | OF_BROWSERS | OF_RESTORED | OF_DEVICES
]


class Place:
    """A bucket with an event, a key, a setting and a redaction, for one call to change."""

    def __init__(self, server: KeyedServer, route: Route) -> None:
        self.name, self.home = token_hex(4), server.database.parent
        self.space = space_for(server, route, self.home / f"space-{self.name}")
        self.source = source_for(server, route, self.home / f"source-{self.name}")
        end_jobs(server)
        server.create(self.name)
        if route.name == "start_demo":
            clear(server)
        else:
            server.create("aw-watcher-window_desktop")  # for what is merged
        event = server.as_owner("POST", f"/api/0/buckets/{self.name}/events", heartbeat("10:00:00", duration=60)).json
        server.as_owner("POST", f"/api/0/settings/{self.name}", 1)
        self.fields = {
            "{bucket_id}": self.name,
            "{event_id}": str(event["id"]),
            "{key_id}": server.made_key("read")["id"],
            "{key}": self.name,
            "{redaction_id}": redacted(server, self.name) if "{redaction_id}" in route.path else "",
            "{alias}": aliased(server, self.name) if "{alias}" in route.path else "",
            "{undo_id}": deleted(server, self.name) if "{undo_id}" in route.path else "",
            "{group}": deleted_as_group(server, self.name) if "{group}" in route.path else "",
            "{annotation_id}": annotated(server) if "{annotation_id}" in route.path else "",
            "{goal_id}": aimed(server) if "{goal_id}" in route.path else "",
            "{report}": kept_report(server, self.name) if "{report}" in route.path else "",
            "{version}": changed_categories(server) if "{version}" in route.path else "",
            "{number}": changed_setting(server) if "{number}" in route.path else "",
        }

    def path(self, route: Route) -> str:
        path = route.path
        for field, value in self.fields.items():
            path = path.replace(field, value)
        return path.replace(self.name, f"{self.name}-new") if route.name == "create_bucket" else path

    def query(self, route: Route) -> str:
        """What heartbeats need, which other calls ignore, and the folder to remove."""
        return urlencode({"pulsetime": 5, "path": self.source})

    def body(self, route: Route) -> object:
        """An example of its own: an import of what is there already changes nothing."""
        if route.body is None:
            return None
        if route.name == "start_migration":
            return {"path": str(installed(self.home))}
        if route.name == "start_demo":
            return {"days": 1}
        if route.name in ("start_sync", "join_sync"):
            return self.space
        if route.name == "add_sync_source":
            return {"path": str(self.source)}
        if route.name == "split_event":
            return {"at": at("10:00:30")}
        text = msgspec.json.encode(route.body.example)
        return msgspec.json.decode(text.replace(b"aw-watcher-window_laptop", f"{self.name}-imported".encode()))


def clear(server: KeyedServer) -> None:
    """Delete all buckets but those of tests: the demo wants to make its own."""
    for bucket_id in server.as_owner("GET", "/api/0/buckets/").json:
        if bucket_id.startswith("aw-watcher-"):
            server.as_owner("DELETE", f"/api/0/buckets/{bucket_id}")


def end_jobs(server: KeyedServer) -> None:
    """Cancel what is under way: there is one job of some kinds at a time."""
    for job in server.as_owner("GET", "/api/1/jobs").json["jobs"]:
        server.as_owner("DELETE", f"/api/1/jobs/{job['id']}")


def space_for(server: KeyedServer, route: Route, folder: Path) -> dict[str, str]:
    """A sync space that the call can use. Sync is on if it can be left, otherwise off."""
    if not route.path.startswith("/api/1/sync/"):
        return {}
    server.as_owner("POST", "/api/1/sync/leave", {})
    location = {"location": str(folder)}
    if route.name == "start_sync":
        return location
    invite = server.as_owner("POST", "/api/1/sync/start", location).json["invite"]
    if route.name == "join_sync":
        server.as_owner("POST", "/api/1/sync/leave", {})
    return {**location, "invite": invite}


def source_for(server: KeyedServer, route: Route, folder: Path) -> Path:
    """A folder of aw-sync; it is mirrored if that can be stopped."""
    if route.name in ("add_sync_source", "remove_sync_source"):
        database(folder / PHONE / "test.db", [])
    if route.name == "remove_sync_source":
        assert server.as_owner("POST", "/api/1/sync/sources", {"path": str(folder)}).status == 200
    return folder


def deleted(server: KeyedServer, bucket_id: str) -> str:
    """What undoes the deletion of an event."""
    path = f"/api/0/buckets/{bucket_id}/events"
    event = server.as_owner("POST", path, heartbeat("11:00:00")).json
    return server.as_owner("DELETE", f"{path}/{event['id']}").headers["undo-id"]


def deleted_as_group(server: KeyedServer, bucket_id: str) -> str:
    """The id of a group of two deletions."""
    path = f"/api/0/buckets/{bucket_id}/events"
    for time in ("11:00:00", "11:10:00"):
        event = server.as_owner("POST", path, heartbeat(time)).json
        server.as_owner("DELETE", f"{path}/{event['id']}", headers={"Undo-Group": bucket_id})
    return bucket_id


def annotated(server: KeyedServer) -> str:
    """The id of a new annotation."""
    span = {"start": "2026-02-03T09:00:00Z", "end": "2026-02-03T09:15:00Z"}
    return str(server.as_owner("POST", "/api/1/annotations", {"kind": "exclude", **span}).json["id"])


def aimed(server: KeyedServer) -> str:
    """The id of a new goal."""
    goal = {"name": "Less of it", "kind": "at_most", "seconds": 3600}
    return str(server.as_owner("POST", "/api/1/goals", goal).json["id"])


def aliased(server: KeyedServer, bucket_id: str) -> str:
    """An alias of a bucket."""
    server.as_owner("POST", f"/api/1/buckets/{bucket_id}/rename", {"id": f"{bucket_id}-renamed"})
    return bucket_id


def redacted(server: KeyedServer, bucket_id: str) -> str:
    """The id of a redaction that can be undone or made final: the only one that is neither."""
    for redaction in server.as_owner("GET", "/api/1/privacy/redactions").json:
        server.as_owner("POST", f"/api/1/privacy/redactions/{redaction['id']}/undo")
    rule = {"buckets": [bucket_id], "field": "app", "pattern": "editor", "action": "redact"}
    answer = server.as_owner("POST", "/api/1/privacy/apply", {"rules": [rule]})
    assert answer.status == 200, answer.body
    return str(answer.json["id"])


def kept_report(server: KeyedServer, name: str) -> str:
    """The name of a report."""
    server.as_owner("PUT", f"/api/1/reports/{name}", {"by": "app"})
    return name


def changed_categories(server: KeyedServer) -> str:
    """The number of a version of the categories."""
    answer = server.as_owner("PUT", "/api/1/categories", {"categories": [{"name": ["Work"]}]})
    return str(answer.json["version"]["number"])


def changed_setting(server: KeyedServer) -> str:
    """The number of a change of a setting."""
    server.as_owner("PATCH", "/api/1/settings", {"theme": "dark"})
    return str(server.as_owner("GET", "/api/1/settings/history").json["changes"][0]["number"])


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.name)
def test_change_in_an_envelope_is_made_once(keyed: KeyedServer, route: Route) -> None:
    place, sender = Place(keyed, route), Sender(keyed)
    message = sender.sealed(route.method, place.path(route), place.body(route), query=place.query(route))

    assert [sender.send(message).status for _ in range(2)] == [route.answer.status if route.answer else 0, 409]


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.name)
def test_change_with_a_token_is_made_once(keyed: KeyedServer, route: Route) -> None:
    place, key = Place(keyed, route), keyed.key("full")
    path, body = f"{place.path(route)}?{place.query(route)}", place.body(route)
    headers = {"Idempotency-Key": token_hex(8)}

    statuses = [keyed.with_key(key, route.method, path, body, headers=headers).status for _ in range(2)]

    assert statuses == [route.answer.status if route.answer else 0, 409]
