"""No sequence of calls with an `append` key returns or changes anything outside what decision 29 allows."""

from itertools import product
from typing import Any, Final, cast, get_args
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from dayline.api.routes import CALLS, ROUTES
from tests.access.calling import FOREIGN, OWN, UNKNOWN, Drawn, Way, calls
from tests.access.watching import heartbeat
from tests.support.calls.sealing import opened, sealed, send_sealed
from tests.support.keyed_server import KeyedServer
from tests.support.profile import examples
from tests.support.server import Answer

# Stands wherever another user has written something; no call of these tests holds it.
MARKER: Final = "quince"
# Of the buckets that the key may create.
NEW_PREFIX: Final = "new-"
# What is the owner's and not a bucket's. The audit and the log report the calls themselves, and what looks at all
# buckets counts those of the key, too.
_OF_ALL_BUCKETS: Final = {
    "get_audit", "get_log", "list_keys", "get_findings", "get_space", "get_compaction", "get_welcome", "get_own_server",
    "get_plain_rule",
}  # fmt: skip
_OTHER_READS: Final = sorted(
    route.path
    for route in CALLS
    if route.method == "GET" and route.needs_all_buckets and "{" not in route.path
    if route.name not in _OF_ALL_BUCKETS
)
_OPEN: Final = {(route.method, route.path) for route in ROUTES if route.scope in (None, "append")}


def without_request_id(answer: Any) -> Any:
    """A response without what is another one each time if it is an error."""
    if not isinstance(answer, dict):
        return answer
    fields = cast("dict[str, Any]", answer)
    return {name: value for name, value in fields.items() if name != "request_id"}


class World:
    """A server with data of its owner's, and someone with an append key."""

    def __init__(self, server: KeyedServer) -> None:
        self.server = server
        made = server.made_key("append", OWN, f"{NEW_PREFIX}*", envelope=True)
        self.key: str = made["key"]
        other = server.made_key("full", name=MARKER, envelope=True)
        self.key_ids: list[str] = [made["id"], other["id"]]
        self.event_ids: list[int] = []
        for bucket_id in (OWN, FOREIGN):
            server.create(bucket_id, client=MARKER, hostname=MARKER, data={"note": MARKER})
            past = [heartbeat(f"09:0{minute}:00", app=f"{MARKER} {minute}") for minute in range(3)]
            answer = server.as_owner("POST", f"/api/0/buckets/{bucket_id}/events", past)
            self.event_ids += [event["id"] for event in answer.json]
        server.as_owner("POST", "/api/0/settings/color", MARKER)
        self._sign_in()
        self._rest, self._own = self._read_rest(), self._read_own()

    def make(self, drawn: Drawn, bucket: str) -> Answer:
        """Make a call about a bucket; of an enveloped one, what is inside the response."""
        path, query, body = drawn.path(bucket), drawn.query, drawn.sent_body(bucket)
        if drawn.way == "envelope" and not drawn.is_broken:
            message = sealed(
                drawn.method, path, None if body is None else msgspec.json.decode(body), key=self.key, query=query
            )
            answer = send_sealed(self.server, message)
            inside = opened(answer, self.key)
            body = b"" if inside.body is UNSET else bytes(inside.body)
            return Answer(inside.status, inside.headers, body)
        shown = {"Cookie": self._cookie, "X-Dayline": self._secret} if drawn.way == "session" else {}
        if drawn.way == "key":
            shown = {"Authorization": f"Bearer {self.key}"}
        target = f"{path}?{query}" if query else path
        answer = self.server.call(drawn.method, target, raw=body, headers={**shown, "Content-Type": drawn.media})
        if "set-cookie" in answer.headers:  # the session has ended, or begun again
            self._sign_in()
        return answer

    def _sign_in(self) -> None:
        answer = self.server.call("POST", "/api/1/session", {"key": self.key})
        assert answer.status == 201, answer.body
        self._cookie = answer.headers["set-cookie"].partition(";")[0]
        self._secret: str = answer.json["secret"]

    def assert_nothing_but_added(self) -> None:
        """Compare with how it was when this was last asked."""
        rest, own = self._rest, self._own
        self._rest, self._own = self._read_rest(), self._read_own()
        assert self._rest == rest
        assert_only_added(own, self._own)

    def _read_rest(self) -> dict[str, Any]:
        """Everything that the key has no part in, as the owner sees it."""
        owner = self.server.as_owner
        found = {path: owner("GET", path).json for path in _OTHER_READS}
        for path, answer in found.items():
            found[path] = without_request_id(answer)
        del found["/api/1/health"]["background"]  # when each worker last ran
        del found["/api/1/sessions"]  # the key signs in and out
        keys = owner("GET", "/api/1/keys").json
        found["keys"] = [{**key, "last_used": None, "last_address": None} for key in keys]
        exported = owner("GET", "/api/0/export").json["buckets"]
        found["buckets"] = {name: bucket for name, bucket in exported.items() if not is_own(name)}
        return found

    def _read_own(self) -> dict[str, dict[str, Any]]:
        """The buckets that the key is for, with their events."""
        owner = self.server.as_owner
        mine = {name: bucket for name, bucket in owner("GET", "/api/0/buckets/").json.items() if is_own(name)}
        return {
            name: {**bucket, "events": owner("GET", f"/api/0/buckets/{quote(name, safe='')}/events").json}
            for name, bucket in mine.items()
        }


@pytest.fixture(scope="module")
def world(keyed: KeyedServer) -> World:
    return World(keyed)


@given(data=st.data())
@settings(max_examples=examples(settings().max_examples, daily=10))
def test_no_sequence_of_calls_returns_or_changes_anything_else(world: World, data: st.DataObject) -> None:
    any_call = calls(event_ids=world.event_ids, key_ids=world.key_ids, settings=["color"])
    sequence = data.draw(st.lists(any_call, min_size=10, max_size=30))

    for drawn in sequence:
        answer = world.make(drawn, drawn.bucket)

        assert_reveals_nothing(drawn, answer)
        if drawn.bucket == FOREIGN and drawn.method != "OPTIONS":
            assert comparable(answer, FOREIGN) == comparable(world.make(drawn, UNKNOWN), UNKNOWN)

    world.assert_nothing_but_added()


@pytest.mark.parametrize("way", get_args(Way))
def test_each_call_that_needs_more_is_rejected(world: World, way: Way) -> None:
    fields = {"event_id": str(world.event_ids[0]), "key_id": world.key_ids[1], "key": "color", "redaction_id": "1"}
    allowed: list[str] = []
    for route, bucket in product(CALLS, (OWN, FOREIGN)):
        body = None if route.body is None else route.body.example
        drawn = Drawn(route=route, method=route.method, bucket=bucket, fields=fields, body=body, way=way)
        answer = world.make(drawn, bucket)

        assert_reveals_nothing(drawn, answer)
        # Sessions are for browsers: some calls make no sense in an envelope, whatever the key.
        is_refused = answer.status == 403 or (answer.status == 422 and way == "envelope" and "/session" in route.path)
        if (route.method, route.path) not in _OPEN and not is_refused:
            allowed.append(f"{route.name} of {bucket}: {answer.status}")

    assert allowed == []
    world.assert_nothing_but_added()


def assert_reveals_nothing(drawn: Drawn, answer: Answer) -> None:
    assert answer.status < 500, (drawn.route.name, answer.body)
    assert MARKER not in answer.body.decode()
    assert MARKER not in str(answer.headers)
    if answer.status < 300 and drawn.is_plain:
        assert (drawn.route.method, drawn.route.path) in _OPEN
        assert "{bucket_id}" not in drawn.route.path or drawn.bucket != FOREIGN


def comparable(answer: Answer, bucket_id: str) -> tuple[int, dict[str, str], bytes]:
    """All that a response says, but for the name that was asked about and what is new in every response."""
    # The number of the request is in the body too, and is one digit longer now and then.
    new = ("x-request-id", "date", "set-cookie", "content-length")
    headers = {name: value for name, value in answer.headers.items() if name not in new}
    body = answer.body.replace(answer.headers.get("x-request-id", "-").encode(), b"?")
    for text in (bucket_id, bucket_id.upper(), bucket_id.replace("o", "%6F"), bucket_id.replace("o", "%256F")):
        body = body.replace(text.encode(), b"?")
    return answer.status, headers, body


def assert_only_added(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> None:
    """Buckets stay as they are; an event may have become longer, and none is gone."""
    for name, bucket in before.items():
        ours = after[name]
        for field in ("id", "type", "client", "hostname", "created", "data"):
            assert ours[field] == bucket[field]
        events = {event["id"]: event for event in ours["events"]}
        for event in bucket["events"]:
            now = events[event["id"]]
            assert (now["timestamp"], now["data"]) == (event["timestamp"], event["data"])
            assert now["duration"] >= event["duration"]


def is_own(bucket_id: str) -> bool:
    return bucket_id == OWN or bucket_id.startswith(NEW_PREFIX)
