"""A key that may only append (decision 29): it creates its buckets, records into them, and learns nothing."""

from secrets import token_hex
from typing import Any, Final

import pytest

from tests.access.watching import Watcher, events, heartbeat
from tests.support.calls.clients import at, each_path
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

FIELDS: Final = {"client": "test-client", "type": "test.type", "hostname": "test-host"}


class Appender:
    """An append key for one bucket, which is there with one event in it, beside a bucket of another user."""

    def __init__(self, server: KeyedServer, name: str) -> None:
        self.server = server
        self.mine, self.foreign, self.unknown = f"{name}-mine", f"{name}-foreign", f"{name}-unknown"
        self.path = f"/api/0/buckets/{self.mine}"
        self.key = server.key("append", self.mine, f"{name}-new-*")
        for bucket_id in (self.mine, self.foreign):
            server.create(bucket_id)
            event = {**heartbeat("09:00:00", app=f"secret of {bucket_id}"), "duration": 60}
            server.as_owner("POST", f"/api/0/buckets/{bucket_id}/events", event)

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        return self.server.with_key(self.key, method, path, body, headers=headers)

    def events(self) -> list[dict[str, Any]]:
        return events(self.server, self.mine)


@pytest.fixture
def appender(keyed: KeyedServer) -> Appender:
    return Appender(keyed, token_hex(4))


def test_creates_a_bucket_of_its_own(appender: Appender) -> None:
    path = appender.path.replace("mine", "new-1")

    assert appender.call("POST", path, FIELDS).status == 200
    assert appender.server.as_owner("GET", path).json["client"] == "test-client"


def test_bucket_that_is_there_already_is_304_and_stays_as_it_is(appender: Appender) -> None:
    before = appender.server.as_owner("GET", appender.path).json

    answer = appender.call("POST", appender.path, {**FIELDS, "client": "another"})

    assert (answer.status, answer.body) == (304, b"")
    assert appender.server.as_owner("GET", appender.path).json == before


@each_path
def test_heartbeat_extends_the_last_event_when_the_data_are_equal_and_gets_it_back(
    appender: Appender, content_type: str
) -> None:
    path = f"{appender.path}/heartbeat?pulsetime=60"
    begun = appender.call("POST", path, heartbeat("10:00:00"), **{"Content-Type": content_type}).json

    extended = appender.call("POST", path, heartbeat("10:00:30"), **{"Content-Type": content_type})

    assert extended.status == 200
    assert extended.json == {**begun, "duration": 30}
    assert appender.events()[0] == extended.json


@each_path
def test_heartbeat_with_other_data_begins_an_event_and_reports_nothing_of_the_last_one(
    appender: Appender, content_type: str
) -> None:
    path = f"{appender.path}/heartbeat?pulsetime=3600"

    answer = appender.call("POST", path, heartbeat("09:30:00", app="mine"), **{"Content-Type": content_type})

    assert answer.status == 200
    assert (answer.json["timestamp"], answer.json["duration"]) == (at("09:30:00"), 0)
    assert b"secret" not in answer.body
    assert len(appender.events()) == 2


def test_heartbeat_cannot_name_the_event_that_it_extends(appender: Appender) -> None:
    [event] = appender.events()

    answer = appender.call("POST", f"{appender.path}/heartbeat?pulsetime=5", heartbeat("10:00:00", id=event["id"]))

    assert answer.status == 200
    assert answer.json["id"] != event["id"]
    assert event in appender.events()


def test_inserts_one_event_or_many_and_gets_them_back(appender: Appender) -> None:
    path = f"{appender.path}/events"

    one = appender.call("POST", path, heartbeat("10:00:00"))
    many = appender.call("POST", path, [heartbeat("11:00:00"), heartbeat("11:00:01")])

    assert (one.status, many.status) == (200, 200)
    assert appender.events()[:3] == [*reversed(many.json), one.json]


@pytest.mark.parametrize("is_list", [False, True])
def test_event_with_an_id_is_rejected_whether_or_not_there_is_such_an_event(appender: Appender, is_list: bool) -> None:
    [mine] = appender.events()
    [foreign] = events(appender.server, appender.foreign)
    answers: list[Answer] = []
    for event_id in (mine["id"], foreign["id"], 2**40):
        sent = heartbeat("10:00:00", id=event_id)
        answers.append(
            appender.call("POST", f"{appender.path}/events", [heartbeat("09:59:59"), sent] if is_list else sent)
        )

    assert {(answer.status, answer.message) for answer in answers} == {(403, answers[0].message)}
    assert answers[0].json["field"] == "id"
    assert appender.events() == [mine]
    assert events(appender.server, appender.foreign) == [foreign]


def test_event_whose_id_is_null_has_none(appender: Appender) -> None:
    assert appender.call("POST", f"{appender.path}/events", heartbeat("10:00:00", id=None)).status == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/0/buckets/", None),
        ("GET", "/api/0/buckets/{mine}", None),
        ("GET", "/api/0/buckets/{mine}/events", None),
        ("GET", "/api/0/buckets/{mine}/events?limit=1", None),
        ("GET", "/api/0/buckets/{mine}/events/count", None),
        ("GET", "/api/0/buckets/{mine}/events/{event}", None),
        ("GET", "/api/0/buckets/{mine}/export", None),
        ("GET", "/api/0/export", None),
        ("PUT", "/api/0/buckets/{mine}", {"hostname": "elsewhere"}),
        ("DELETE", "/api/0/buckets/{mine}", None),
        ("DELETE", "/api/0/buckets/{mine}/events/{event}", None),
        ("POST", "/api/0/query/", {"query": ["RETURN = 1;"], "timeperiods": []}),
        ("POST", "/api/1/query", {"query": "RETURN = 1;", "timeperiods": []}),
        ("POST", "/api/1/query/check", {"query": "RETURN = 1;"}),
        ("POST", "/api/1/query/explain", {"query": "RETURN = 1;", "timeperiods": []}),
        ("POST", "/api/0/import", {"buckets": {}}),
        ("GET", "/api/0/settings", None),
        ("POST", "/api/0/settings/theme", "dark"),
        ("GET", "/api/1/keys", None),
        ("POST", "/api/1/keys", {"name": "mine", "scope": "full"}),
        ("GET", "/api/1/audit", None),
        ("GET", "/api/0/log", None),
        ("POST", "/api/1/session/codes", None),
    ],
)
def test_reads_replaces_deletes_exports_and_queries_nothing(
    appender: Appender, method: str, path: str, body: object
) -> None:
    [event] = appender.events()

    answer = appender.call(method, path.format(mine=appender.mine, event=event["id"]), body)

    assert (answer.status, answer.json["type"]) == (403, "Forbidden")
    assert b"secret" not in answer.body
    assert appender.events() == [event]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("HEAD", "", None),
        ("POST", "", FIELDS),
        ("POST", "", {}),
        ("PUT", "", {"hostname": "elsewhere"}),
        ("DELETE", "", None),
        ("GET", "/events", None),
        ("POST", "/events", [heartbeat("10:00:00")]),
        ("POST", "/events", [heartbeat("10:00:00", id=1)]),
        ("POST", "/events", "broken"),
        ("GET", "/events/count", None),
        ("GET", "/events/1", None),
        ("DELETE", "/events/1", None),
        ("POST", "/heartbeat?pulsetime=5", heartbeat("10:00:00")),
        ("POST", "/heartbeat", heartbeat("10:00:00")),
        ("GET", "/export", None),
    ],
)
def test_foreign_bucket_is_403_whether_it_exists_or_not(
    appender: Appender, method: str, path: str, body: object
) -> None:
    there = appender.call(method, f"/api/0/buckets/{appender.foreign}{path}", body)
    not_there = appender.call(method, f"/api/0/buckets/{appender.unknown}{path}", body)

    assert there.status == not_there.status == 403
    assert comparable(there, appender.foreign) == comparable(not_there, appender.unknown)
    assert len(events(appender.server, appender.foreign)) == 1
    assert appender.unknown not in appender.server.as_owner("GET", "/api/0/buckets/").json


def comparable(answer: Answer, bucket_id: str) -> tuple[dict[str, str], bytes]:
    """Everything that a response says, but for the name that was asked about and what is new in every response."""
    headers = {
        name: value for name, value in answer.headers.items() if name not in ("x-request-id", "date", "content-length")
    }
    body = answer.body.replace(answer.headers["x-request-id"].encode(), b"?").replace(bucket_id.encode(), b"?")
    return headers, body


def test_watcher_does_not_get_from_its_bucket_into_another_on_one_connection(appender: Appender) -> None:
    with Watcher(appender.server, appender.mine, appender.key) as mine:
        assert mine.beat().status == mine.beat().status == 200
    with Watcher(appender.server, appender.foreign, appender.key) as foreign:
        assert foreign.beat().status == foreign.beat().status == 403

    assert len(events(appender.server, appender.foreign)) == 1


def test_append_key_without_buckets_records_into_all_and_reads_none(appender: Appender) -> None:
    key = appender.server.key("append")
    path = f"/api/0/buckets/{appender.foreign}"

    assert appender.server.with_key(key, "POST", f"{path}/events", heartbeat("10:00:00")).status == 200
    assert appender.server.with_key(key, "GET", f"{path}/events").status == 403


def test_bucket_whose_name_only_decodes_to_its_own_is_its_own(appender: Appender) -> None:
    path = f"{appender.path.replace('mine', '%6d%69%6e%65')}/heartbeat?pulsetime=5"

    assert appender.call("POST", path, heartbeat("10:00:00")).status == 200


@pytest.mark.parametrize("trick", ["{mine}%2F..%2F{foreign}", "{mine}/../{foreign}", "{mine}%00", "{mine};{foreign}"])
def test_foreign_bucket_is_not_reached_by_way_of_its_own(appender: Appender, trick: str) -> None:
    path = trick.format(mine=appender.mine, foreign=appender.foreign)

    answer = appender.call("POST", f"/api/0/buckets/{path}/heartbeat?pulsetime=5", heartbeat("10:00:00"))

    assert answer.status in (400, 403, 404)
    assert len(events(appender.server, appender.foreign)) == 1
