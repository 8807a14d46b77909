"""Every method of the client against a real server: one that asks for no key, and with a key, plain and enveloped."""

import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import TypeAlias

import pytest
from msgspec.structs import replace

from dayline.client.client import Client
from dayline.client.types import ClientEvent, ImportReport
from tests.client.times import at, moment
from tests.support.keyed_server import KeyedServer
from tests.support.server import RunningServer

DAY = (moment(-3600), moment(3600))
Way: TypeAlias = Callable[[], Client]


@pytest.fixture(scope="module")
def ways(shared_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Way]]:
    """How a client reaches a server, and what it needs to be let in."""
    with KeyedServer(tmp_path_factory.mktemp("keyed") / "days.db") as keyed:
        yield {
            "open": lambda: Client(shared_server.url),
            "key": lambda: Client(keyed.url, key=keyed.key("full")),
            "envelope": lambda: Client(keyed.url, key=keyed.key("full", envelope=True), envelope=True),
        }


@pytest.fixture(params=["open", "key", "envelope"])
def client(ways: dict[str, Way], request: pytest.FixtureRequest) -> Iterator[Client]:
    way: str = request.param
    with ways[way]() as client:
        yield client


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """What no other test calls anything; it needs encoding."""
    return f"füße & co/1% {request.node.name}"


@pytest.fixture
def bucket(client: Client, name: str) -> str:
    """A bucket of the test's own."""
    assert client.create_bucket(name, type="t", client="c", hostname="h")
    return name


def id_of(event: ClientEvent) -> int:
    assert event.id is not None
    return event.id


def test_info_shows_what_the_server_is(client: Client) -> None:
    assert client.info().version.endswith("(dayline)")
    assert not client.info().testing


def test_log_is_a_list_of_records(client: Client) -> None:
    assert all(record.level for record in client.log())


def test_bucket_is_made_once(client: Client, name: str) -> None:
    first = client.create_bucket(name, type="t", client="c", hostname="h", data={"a": 1})
    second = client.create_bucket(name, type="other", client="c", hostname="h")

    bucket = client.bucket(name)
    assert (first, second) == (True, False)
    assert (bucket.id, bucket.type, bucket.hostname, bucket.data) == (name, "t", "h", {"a": 1})
    assert client.buckets()[name] == bucket


def test_bucket_without_a_host_name_gets_that_of_this_machine(client: Client, name: str) -> None:
    client.create_bucket(name, type="t", client="c")

    assert client.bucket(name).hostname == client.info().hostname  # the server runs on the same one


def test_update_changes_what_is_given_and_nothing_else(client: Client, bucket: str) -> None:
    client.update_bucket(bucket, hostname="new", data={"b": 2})

    changed = client.bucket(bucket)
    assert (changed.type, changed.client, changed.hostname, changed.data) == ("t", "c", "new", {"b": 2})


def test_deleted_bucket_is_gone(client: Client, bucket: str) -> None:
    client.delete_bucket(bucket)

    assert bucket not in client.buckets()


def test_inserted_events_come_back_with_ids(client: Client, bucket: str) -> None:
    one = client.insert(bucket, at(0, lasting=1.5, app="a"))
    two = client.insert(bucket, at(10, n=1), at(20, lasting=0.000001, n=1.0, deep={"x": [None, "ü"]}))

    first = id_of(one[0])
    assert one == [at(0, lasting=1.5, id=first, app="a")]
    assert [event.id for event in two] == [first + 1, first + 2]
    assert client.events(bucket) == [two[1], two[0], one[0]]
    assert client.event(bucket, first) == one[0]
    assert client.insert(bucket) == []


def test_times_of_any_zone_are_the_same_instants(client: Client, bucket: str) -> None:
    elsewhere = replace(at(0.123456), timestamp=moment(0.123456).astimezone(timezone(timedelta(hours=-7, minutes=-30))))

    stored = client.insert(bucket, elsewhere)[0]

    assert stored.timestamp == moment(0.123456)
    assert stored.timestamp.tzinfo is UTC


def test_events_are_selected_by_range_and_limit(client: Client, bucket: str) -> None:
    _, second, third = client.insert(bucket, at(0, lasting=5), at(10, lasting=5), at(20, lasting=5))

    assert client.events(bucket, start=moment(12), end=moment(22)) == [
        at(20, lasting=2, id=third.id),
        at(12, lasting=3, id=second.id),
    ]
    assert client.events(bucket, limit=1) == [third]
    assert client.events(bucket, limit=0) == []
    assert client.count(bucket) == 3
    assert client.count(bucket, start=moment(6)) == 2
    assert client.count(bucket, end=moment(6)) == 1


def test_end_of_an_event_is_its_start_and_duration() -> None:
    assert at(1, lasting=2.5).end == moment(3.5)


def test_event_is_replaced_by_its_id(client: Client, bucket: str) -> None:
    stored = client.insert(bucket, at(0, app="a"))[0]

    assert client.replace(bucket, replace(stored, data={"app": "b"})) == at(0, id=stored.id, app="b")
    assert client.events(bucket) == [at(0, id=stored.id, app="b")]


def test_deleting_an_event_shows_whether_there_was_one(client: Client, bucket: str) -> None:
    stored = id_of(client.insert(bucket, at(0))[0])

    assert client.delete_event(bucket, stored)
    assert not client.delete_event(bucket, stored)
    assert client.count(bucket) == 0


def test_heartbeats_extend_the_last_event(client: Client, bucket: str) -> None:
    first = client.heartbeat(bucket, at(0, app="a"), 5)
    second = client.heartbeat(bucket, at(5.5, app="a"), 5.5)
    third = client.heartbeat(bucket, at(12, id=first.id, app="a"), pulsetime=0)

    assert first == at(0, id=first.id, app="a")
    assert second == at(0, lasting=5.5, id=first.id, app="a")
    assert third == at(12, id=id_of(first) + 1, app="a")


def test_query_gives_a_result_for_each_period(client: Client, bucket: str) -> None:
    client.insert(bucket, at(0, lasting=5), at(10, lasting=5))
    program = f'RETURN = sum_durations(query_bucket("{bucket}"));'

    assert client.query(program, [DAY, (moment(12), moment(3600))]) == [10.0, 3.0]
    assert client.query(["a = 1;", "RETURN = a;"], [DAY]) == [1.0]
    assert client.query("RETURN = NAME;", [DAY], name="mine & yours") == ["mine & yours"]
    assert client.query(program, []) == []


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}, 1.0, "dark", {"a": [1, {"b": None}]}])
def test_settings_come_back_as_they_were_stored(client: Client, value: object) -> None:
    client.set_setting("a/b c.d", value)

    assert client.setting("a/b c.d") == value
    assert client.settings()["a/b c.d"] == value


def test_deleted_setting_is_not_set(client: Client) -> None:
    client.set_setting("theme", "dark")
    client.delete_setting("theme")
    client.delete_setting("theme")

    assert client.setting("theme") is None
    assert "theme" not in client.settings()


def test_exported_documents_can_be_imported(client: Client, bucket: str, tmp_path: Path) -> None:
    client.insert(bucket, at(0, lasting=1, app="a"), at(10, app="b"))
    client.create_bucket(f"{bucket} too", type="t", client="c", hostname="h")
    one, everything = client.export_bucket(bucket), client.export()
    document = tmp_path / "export.json"
    document.write_bytes(everything)
    client.delete_bucket(bucket)

    assert list(json.loads(one)["buckets"]) == [bucket]
    assert set(json.loads(everything)["buckets"]) >= {bucket, f"{bucket} too"}
    report = client.import_documents(document, io.BytesIO(one))
    assert (report.imported, report.invalid) == (2, 0)
    assert report.skipped >= 2
    assert [event.data for event in client.events(bucket)] == [{"app": "b"}, {"app": "a"}]
    assert client.import_documents() == ImportReport()


def test_large_document_is_imported(client: Client, name: str, tmp_path: Path) -> None:
    events = [{"timestamp": f"2026-01-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}Z"} for n in range(5_000)]
    bucket = {"id": name, "type": "t", "client": "c", "hostname": "h", "events": events}
    document = tmp_path / "export.json"
    document.write_text(json.dumps({"buckets": {name: bucket}}))

    assert client.import_documents(document).imported == 5_000
    assert client.count(name) == 5_000
    assert len(client.events(name)) == 5_000


def test_default_address_is_the_usual_one() -> None:
    assert repr(Client()) == "Client('http://localhost:5600')"
