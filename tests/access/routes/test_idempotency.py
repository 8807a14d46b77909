"""`Idempotency-Key`: a change that is sent again with the same token is answered 409 and changes nothing."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import pytest

from tests.access.watching import events, heartbeat
from tests.support.calls.clients import each_path
from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer

FIELDS: Final = {"client": "c", "type": "t", "hostname": "h"}


class Writer:
    """A client with a full key and a bucket, who sends changes with tokens."""

    def __init__(self, server: KeyedServer) -> None:
        self.server = server
        self.bucket = f"once-{token_hex(4)}"
        self.path = f"/api/0/buckets/{self.bucket}"
        self.key = server.key("full")
        server.create(self.bucket)

    def send(self, method: str, path: str, body: object = None, *, token: str, **headers: str) -> Answer:
        return self.server.with_key(self.key, method, path, body, headers={"Idempotency-Key": token, **headers})

    def events(self) -> list[dict[str, Any]]:
        return events(self.server, self.bucket)


@pytest.fixture
def writer(keyed: KeyedServer) -> Writer:
    return Writer(keyed)


def token() -> str:
    return token_hex(16)


def assert_already_done(answer: Answer) -> None:
    assert (answer.status, answer.json["type"]) == (409, "AlreadyDone")


@each_path
def test_heartbeat_is_stored_once(writer: Writer, content_type: str) -> None:
    path, mine = f"{writer.path}/heartbeat?pulsetime=60", token()
    first = writer.send("POST", path, heartbeat("10:00:00"), token=mine, **{"Content-Type": content_type})
    assert first.status == 200

    again = writer.send("POST", path, heartbeat("10:00:30"), token=mine, **{"Content-Type": content_type})

    assert_already_done(again)
    assert writer.events() == [first.json]


def test_token_of_a_heartbeat_holds_in_both_paths_and_for_inserts(writer: Writer) -> None:
    mine = token()
    beat = heartbeat("10:00:00")
    assert writer.send("POST", f"{writer.path}/heartbeat?pulsetime=1", beat, token=mine).status == 200

    for path in ("heartbeat?pulsetime=1", "heartbeat?pulsetime=2", "events"):
        assert_already_done(writer.send("POST", f"{writer.path}/{path}", heartbeat("11:00:00"), token=mine))
    assert len(writer.events()) == 1


def test_heartbeats_with_tokens_of_their_own_are_all_stored(writer: Writer) -> None:
    for second in range(5):
        beat = heartbeat(f"10:00:0{second}")
        assert writer.send("POST", f"{writer.path}/heartbeat?pulsetime=5", beat, token=token()).status == 200

    assert [event["duration"] for event in writer.events()] == [4]


@each_path
def test_of_many_at_the_same_time_one_is_stored(writer: Writer, content_type: str) -> None:
    mine = token()

    def send(number: int) -> int:
        path = f"{writer.path}/" + ("events" if number % 2 else "heartbeat?pulsetime=0")
        beat = heartbeat(f"10:00:{number:02}")
        return writer.send("POST", path, beat, token=mine, **{"Content-Type": content_type}).status

    with ThreadPoolExecutor(16) as threads:
        statuses = list(threads.map(send, range(16)))

    assert sorted(statuses) == [200] + [409] * 15
    assert len(writer.events()) == 1


def test_insert_is_stored_once(writer: Writer) -> None:
    mine = token()
    sent = [heartbeat("10:00:00"), heartbeat("11:00:00")]
    first = writer.send("POST", f"{writer.path}/events", sent, token=mine)

    assert_already_done(writer.send("POST", f"{writer.path}/events", sent, token=mine))
    assert writer.events() == first.json[::-1]


def test_bucket_that_was_deleted_is_not_made_again_by_the_same_call(writer: Writer) -> None:
    path, mine = f"{writer.path}-new", token()
    assert writer.send("POST", path, FIELDS, token=mine).status == 200
    assert writer.send("DELETE", path, token=token()).status == 200

    assert_already_done(writer.send("POST", path, FIELDS, token=mine))
    assert writer.server.as_owner("GET", path).status == 404


def test_bucket_is_changed_once(writer: Writer) -> None:
    mine = token()
    assert writer.send("PUT", writer.path, {"hostname": "first"}, token=mine).status == 200

    assert_already_done(writer.send("PUT", writer.path, {"hostname": "second"}, token=mine))
    assert writer.server.as_owner("GET", writer.path).json["hostname"] == "first"


def test_recreated_bucket_is_not_deleted_by_the_same_call(writer: Writer) -> None:
    mine = token()
    assert writer.send("DELETE", writer.path, token=mine).status == 200
    writer.server.create(writer.bucket)

    assert_already_done(writer.send("DELETE", writer.path, token=mine))
    assert writer.server.as_owner("GET", writer.path).status == 200


def test_event_is_deleted_once(writer: Writer) -> None:
    one, other = (writer.send("POST", f"{writer.path}/events", heartbeat("10:00:00"), token=token()).json for _ in "ab")
    mine = token()
    assert writer.send("DELETE", f"{writer.path}/events/{one['id']}", token=mine).json == {"success": True}

    assert_already_done(writer.send("DELETE", f"{writer.path}/events/{other['id']}", token=mine))
    assert writer.events() == [other]


def test_setting_is_set_once_and_deleted_once(writer: Writer) -> None:
    path, setting, deleting = f"/api/0/settings/{writer.bucket}", token(), token()
    assert writer.send("POST", path, "dark", token=setting).status == 201

    assert_already_done(writer.send("POST", path, "light", token=setting))
    assert writer.server.as_owner("GET", path).json == "dark"
    assert writer.send("DELETE", path, token=deleting).status == 200
    writer.server.as_owner("POST", path, "new")
    assert_already_done(writer.send("DELETE", path, token=deleting))
    assert writer.server.as_owner("GET", path).json == "new"


def test_privacy_filters_are_set_once(writer: Writer) -> None:
    path, mine = "/api/0/settings/privacy_filters", token()
    assert writer.send("POST", path, [], token=mine).status == 201
    writer.server.as_owner("DELETE", path)

    assert_already_done(writer.send("POST", path, [], token=mine))
    assert writer.server.as_owner("GET", path).json is None


def test_import_is_made_once(writer: Writer) -> None:
    mine, bucket_id = token(), f"{writer.bucket}-imported"
    document = {"buckets": {bucket_id: {**FIELDS, "id": bucket_id, "events": [heartbeat("10:00:00")]}}}
    assert writer.send("POST", "/api/0/import", document, token=mine).json["imported"] == 1
    writer.server.as_owner("DELETE", f"/api/0/buckets/{bucket_id}")

    assert_already_done(writer.send("POST", "/api/0/import", document, token=mine))
    assert writer.server.as_owner("GET", f"/api/0/buckets/{bucket_id}").status == 404


def test_key_is_made_once(writer: Writer) -> None:
    mine, body = token(), {"name": writer.bucket, "scope": "read"}
    assert writer.send("POST", "/api/1/keys", body, token=mine).status == 201

    assert_already_done(writer.send("POST", "/api/1/keys", body, token=mine))
    names = [key["name"] for key in writer.server.as_owner("GET", "/api/1/keys").json]
    assert names.count(writer.bucket) == 1


def test_key_is_rotated_and_revoked_once(writer: Writer) -> None:
    mine, made = token(), writer.server.made_key("read")
    new = writer.send("POST", f"/api/1/keys/{made['id']}/rotate", {}, token=mine)
    assert new.status == 201

    assert_already_done(writer.send("POST", f"/api/1/keys/{new.json['id']}/rotate", {}, token=mine))
    assert_already_done(writer.send("DELETE", f"/api/1/keys/{new.json['id']}", token=mine))
    assert writer.server.with_key(new.json["key"], "GET", "/api/0/buckets/").status == 200


def test_change_that_is_rejected_keeps_no_token(writer: Writer) -> None:
    mine, path = token(), f"{writer.path}-later"
    assert writer.send("POST", f"{path}/heartbeat?pulsetime=5", heartbeat("10:00:00"), token=mine).status == 404
    assert writer.send("POST", f"{path}/events", heartbeat("10:00:00"), token=mine).status == 404
    assert writer.send("POST", f"{writer.path}/events", {"timestamp": "soon"}, token=mine).status == 422
    assert writer.send("POST", writer.path, FIELDS, token=mine).status == 304
    assert writer.send("DELETE", path, token=mine).status == 404
    writer.server.create(f"{writer.bucket}-later")

    assert writer.send("POST", f"{path}/heartbeat?pulsetime=5", heartbeat("10:00:00"), token=mine).status == 200


def test_change_that_is_not_allowed_keeps_no_token(keyed: KeyedServer) -> None:
    writer, mine = Writer(keyed), token()
    appending = keyed.key("append", writer.bucket)
    headers = {"Idempotency-Key": mine}
    assert keyed.with_key(appending, "DELETE", writer.path, headers=headers).status == 403

    answer = keyed.with_key(appending, "POST", f"{writer.path}/events", heartbeat("10:00:00"), headers=headers)

    assert answer.status == 200


def test_tokens_of_two_keys_do_not_meet(keyed: KeyedServer) -> None:
    writer, mine = Writer(keyed), token()
    for key in (writer.key, keyed.key("append", writer.bucket), keyed.owner):
        answer = keyed.with_key(
            key, "POST", f"{writer.path}/events", heartbeat("10:00:00"), headers={"Idempotency-Key": mine}
        )
        assert answer.status == 200
    assert len(writer.events()) == 3


def test_token_of_a_read_is_not_used_up(writer: Writer) -> None:
    mine = token()
    for _ in range(2):
        assert writer.send("GET", writer.path, token=mine).status == 200
        assert writer.send("POST", "/api/1/query/check", {"query": "RETURN = 1;"}, token=mine).status == 200

    assert writer.send("POST", f"{writer.path}/events", heartbeat("10:00:00"), token=mine).status == 200


@pytest.mark.parametrize("text", ["", "x" * 65, "a b", "a/b", "a:b", "ä", "a,b", '"a"', "a\tb"])
def test_malformed_token_is_400_and_changes_nothing(writer: Writer, text: str) -> None:
    for path in ("heartbeat?pulsetime=5", "events"):
        answer = writer.send("POST", f"{writer.path}/{path}", heartbeat("10:00:00"), token=text)

        assert (answer.status, answer.json["type"]) == (400, "Malformed")
    assert writer.events() == []


@pytest.mark.parametrize("text", ["x", "x" * 64, "AZaz09_-"])
def test_token_may_have_letters_digits_hyphens_and_underscores(writer: Writer, text: str) -> None:
    assert writer.send("POST", f"{writer.path}/events", heartbeat("10:00:00"), token=text).status == 200


def test_tokens_survive_the_end_of_the_server(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        writer, inserting, beating = Writer(server), token(), token()
        calls = [
            ("events", heartbeat("10:00:00"), inserting),
            ("heartbeat?pulsetime=1", heartbeat("11:00:00"), beating),
        ]
        for path, body, mine in calls:
            assert writer.send("POST", f"{writer.path}/{path}", body, token=mine).status == 200
        for end in (server.kill, server.stop):
            end()
            server.start()

            for path, body, mine in calls:
                assert_already_done(writer.send("POST", f"{writer.path}/{path}", body, token=mine))
            assert len(writer.events()) == 2
