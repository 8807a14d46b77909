"""A key that may read some buckets: everything is as if the others did not exist, and nothing can be changed."""

from collections.abc import Sequence
from typing import Any, Final

import pytest

from tests.access.watching import heartbeat
from tests.support.calls.clients import DAY
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

SEEN: Final = ("aw-watcher-window_laptop", "aw-watcher-afk_laptop")
HIDDEN: Final = ("aw-watcher-window_desktop", "aw-watcher-web_laptop2", "secret-diary")
UNKNOWN: Final = "aw-watcher-window_nowhere"
MARKER: Final = "quince"  # is in everything that is hidden


class Reader:
    """A client with a key for two of five buckets."""

    def __init__(self, server: KeyedServer) -> None:
        for bucket_id in (*SEEN, *HIDDEN):
            note = "plain" if bucket_id in SEEN else MARKER
            server.create(bucket_id, type="currentwindow", hostname=note, client=note, data={"note": note})
            past = [{**heartbeat(f"10:0{minute}:00", app=note), "duration": 60} for minute in range(3)]
            server.as_owner("POST", f"/api/0/buckets/{bucket_id}/events", past)
        server.as_owner("POST", "/api/0/settings/color", MARKER)
        self.server = server
        self.key = server.key("read", "aw-watcher-*_laptop")

    def call(self, method: str, path: str, body: object = None) -> Answer:
        answer = self.server.with_key(self.key, method, path, body)
        assert MARKER not in answer.body.decode()
        return answer

    def query(self, *lines: str, path: str = "/api/0/query/", periods: Sequence[str] = (DAY,)) -> Answer:
        return self.call("POST", path, {"query": list(lines), "timeperiods": list(periods)})


@pytest.fixture(scope="module")
def reader(keyed: KeyedServer) -> Reader:
    return Reader(keyed)


def test_list_holds_its_buckets_alone(reader: Reader) -> None:
    assert set(reader.call("GET", "/api/0/buckets/").json) == set(SEEN)


@pytest.mark.parametrize("path", ["", "/events", "/events/count", "/export"])
def test_own_bucket_is_read(reader: Reader, path: str) -> None:
    assert reader.call("GET", f"/api/0/buckets/{SEEN[0]}{path}").status == 200


@pytest.mark.parametrize(
    "path", ["", "/events", "/events?limit=1", "/events/count", "/events/1", "/events/x", "/export"]
)
@pytest.mark.parametrize("bucket_id", HIDDEN)
def test_hidden_bucket_is_404_like_one_that_is_not_there(reader: Reader, bucket_id: str, path: str) -> None:
    hidden = reader.call("GET", f"/api/0/buckets/{bucket_id}{path}")
    unknown = reader.call("GET", f"/api/0/buckets/{UNKNOWN}{path}")

    assert (hidden.status, unknown.status) == (404, 404)
    assert comparable(hidden, bucket_id) == comparable(unknown, UNKNOWN)


def test_event_of_a_hidden_bucket_is_not_found_in_one_of_its_own(reader: Reader) -> None:
    [event, *_] = reader.server.as_owner("GET", f"/api/0/buckets/{HIDDEN[0]}/events").json

    there = reader.call("GET", f"/api/0/buckets/{SEEN[0]}/events/{event['id']}")
    nowhere = reader.call("GET", f"/api/0/buckets/{SEEN[0]}/events/99999999")

    assert comparable(there, str(event["id"])) == comparable(nowhere, "99999999")


def test_export_holds_its_buckets_alone(reader: Reader) -> None:
    exported = reader.call("GET", "/api/0/export").json["buckets"]

    assert set(exported) == set(SEEN)
    assert all(len(bucket["events"]) == 3 for bucket in exported.values())


def test_query_names_its_buckets_alone(reader: Reader) -> None:
    assert set(reader.query("RETURN = query_bucket_names();").json[0]) == set(SEEN)


def test_query_finds_its_buckets_alone(reader: Reader) -> None:
    assert reader.query('RETURN = find_bucket("aw-watcher-window");').json == [SEEN[0]]


@pytest.mark.parametrize("path", ["/api/0/query/", "/api/1/query", "/api/1/query/explain"])
@pytest.mark.parametrize(
    "program",
    [
        'RETURN = query_bucket("{bucket}");',
        'RETURN = query_bucket_eventcount("{bucket}");',
        'RETURN = find_bucket("{bucket}");',
        'RETURN = flood(query_bucket(find_bucket("{bucket}")));',
        'names = query_bucket_names(); RETURN = query_bucket("{bucket}");',
    ],
)
@pytest.mark.parametrize("bucket_id", HIDDEN)
def test_query_of_a_hidden_bucket_fails_like_one_of_a_bucket_that_is_not_there(
    reader: Reader, bucket_id: str, program: str, path: str
) -> None:
    # Equally long names, so that columns and excerpts agree.
    unknown = bucket_id[:-1] + "X"

    hidden_answer = reader.query(program.replace("{bucket}", bucket_id), path=path)
    unknown_answer = reader.query(program.replace("{bucket}", unknown), path=path)

    assert hidden_answer.status == 400
    assert comparable(hidden_answer, bucket_id) == comparable(unknown_answer, unknown)


@pytest.mark.parametrize("misspelt", ["aw-watcher-window_desktopp", "secret-diar", "aw-watcher-web_laptop3"])
def test_hints_name_no_hidden_bucket(reader: Reader, misspelt: str) -> None:
    for program in (f'RETURN = query_bucket("{misspelt}");', f'RETURN = find_bucket("{misspelt}");'):
        answer = reader.query(program)

        assert answer.status == 400
        assert not [bucket_id for bucket_id in HIDDEN if bucket_id in answer.body.decode().replace(misspelt, "")]


def test_query_reads_its_own_bucket_whole(reader: Reader) -> None:
    [found] = reader.query(f'RETURN = query_bucket("{SEEN[0]}");').json

    assert [event["data"] for event in found] == [{"app": "plain"}] * 3


def test_same_query_by_another_key_still_sees_what_that_key_is_for(reader: Reader) -> None:
    program = {"query": ["RETURN = query_bucket_names();"], "timeperiods": [DAY]}
    everything = reader.server.key("read")

    for _ in range(2):
        assert set(reader.query(*program["query"]).json[0]) == set(SEEN)
        [names] = reader.server.with_key(everything, "POST", "/api/0/query/", program).json
        assert set(names) == {*SEEN, *HIDDEN}


def test_progress_of_goals_names_none_of_them(reader: Reader) -> None:
    goal = {"name": MARKER, "kind": "at_most", "seconds": 3600, "by": "app", "value": MARKER}
    made = reader.server.as_owner("POST", "/api/1/goals", goal)
    reader.server.as_owner("PUT", "/api/1/goals/work-hours", {"monday": "09:00-17:00"})

    progress = reader.call("GET", "/api/1/goals/progress")

    assert (made.status, progress.status) == (201, 200)
    assert (progress.json["goals"], progress.json["work"]) == ([], None)
    assert [goal["name"] for goal in reader.server.as_owner("GET", "/api/1/goals/progress").json["goals"]] == [MARKER]


def test_explanation_shows_the_category_of_its_own_event_without_the_pattern(reader: Reader) -> None:
    rules = [{"name": ["Plain"], "rule": {"regex": f"plain|{MARKER}"}}]
    assert reader.server.as_owner("PUT", "/api/1/categories", {"categories": rules}).status == 200
    [event, *_] = reader.call("GET", f"/api/0/buckets/{SEEN[0]}/events").json
    question = {"bucket": SEEN[0], "id": event["id"]}

    explained = reader.call("POST", "/api/1/categories/explain", question).json
    with_rules = reader.server.as_owner("POST", "/api/1/categories/explain", question).json

    assert (explained["category"], explained["winner"]["text"], explained["winner"]["pattern"]) == (
        ["Plain"],
        "plain",
        "",
    )
    assert with_rules["winner"]["pattern"] == f"plain|{MARKER}"


def test_explanation_of_data_that_was_never_recorded_needs_a_key_for_all_buckets(reader: Reader) -> None:
    # Otherwise a caller could try one word after another and learn the rules from the responses.
    refused = reader.call("POST", "/api/1/categories/explain", {"data": {"app": "anything"}})

    assert refused.status == 403
    assert "all buckets" in refused.json["hint"]


@pytest.mark.parametrize("bucket_id", [SEEN[0], HIDDEN[0], UNKNOWN])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "", {"client": "c", "type": "t", "hostname": "h"}),
        ("PUT", "", {"hostname": "h"}),
        ("DELETE", "", None),
        ("POST", "/events", [heartbeat("12:00:00")]),
        ("POST", "/heartbeat?pulsetime=5", heartbeat("12:00:00")),
        ("DELETE", "/events/1", None),
    ],
)
def test_every_change_of_a_bucket_is_403(reader: Reader, method: str, path: str, body: object, bucket_id: str) -> None:
    before = exported(reader.server)

    assert reader.call(method, f"/api/0/buckets/{bucket_id}{path}", body).status == 403
    assert exported(reader.server) == before


@pytest.mark.parametrize("scope", ["read", "full", "append"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/0/settings", None),
        ("GET", "/api/0/settings/color", None),
        ("POST", "/api/0/settings/color", "red"),
        ("DELETE", "/api/0/settings/color", None),
        ("POST", "/api/0/import", {"buckets": {}}),
        ("GET", "/api/0/log", None),
        ("GET", "/api/1/keys", None),
        ("GET", "/api/1/audit", None),
        ("POST", "/api/1/session/codes", None),
    ],
)
def test_what_concerns_the_server_as_a_whole_needs_a_key_for_all_buckets(
    reader: Reader, method: str, path: str, body: object, scope: str
) -> None:
    key = reader.server.key(scope, "*_laptop")

    assert reader.server.with_key(key, method, path, body).status == 403
    assert reader.server.as_owner("GET", "/api/0/settings/color").json == MARKER


def test_settings_are_read_with_a_key_for_all_buckets_and_not_written(reader: Reader) -> None:
    key = reader.server.key("read")

    assert reader.server.with_key(key, "GET", "/api/0/settings/color").json == MARKER
    assert reader.server.with_key(key, "GET", "/api/0/settings").json["color"] == MARKER
    assert reader.server.with_key(key, "POST", "/api/0/settings/color", "red").status == 403
    assert reader.server.with_key(key, "DELETE", "/api/0/settings/color").status == 403


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        (
            "POST",
            "",
            {"client": "c", "type": "t", "hostname": "h"},
            403,
        ),  # it cannot be made, whether or not it is there
        ("PUT", "", {"hostname": "h"}, 404),
        ("DELETE", "", None, 404),
        ("POST", "/events", [heartbeat("12:00:00")], 404),
        ("POST", "/heartbeat?pulsetime=5", heartbeat("12:00:00"), 404),
        ("DELETE", "/events/1", None, 404),
    ],
)
def test_full_key_for_some_buckets_changes_no_other_and_learns_nothing(
    reader: Reader, method: str, path: str, body: object, status: int
) -> None:
    key, before = reader.server.key("full", *SEEN), exported(reader.server)

    hidden, unknown = (
        reader.server.with_key(key, method, f"/api/0/buckets/{bucket_id}{path}", body)
        for bucket_id in (HIDDEN[0], UNKNOWN)
    )

    assert (hidden.status, unknown.status) == (status, status)
    assert comparable(hidden, HIDDEN[0]) == comparable(unknown, UNKNOWN)
    assert exported(reader.server) == before


def exported(server: KeyedServer) -> Any:
    return server.as_owner("GET", "/api/0/export").json


def comparable(answer: Answer, name: str) -> bytes:
    """What a response says, but for the name that was asked about and the number of the request."""
    return answer.body.replace(answer.headers["x-request-id"].encode(), b"?").replace(name.encode(), b"?")
