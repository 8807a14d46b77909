"""`/api/1/audit`: who did what to which bucket, every refusal, and every destructive act on its own."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.access.watching import Watcher, heartbeat
from tests.support.calls.clients import CONTENT_TYPES
from tests.support.calls.sealing import opened, sealed, send_sealed
from tests.support.keyed_server import KeyedServer, audit_lines, counts, signed_in

ANONYMOUS = "nobody"  # as in the API


def test_heartbeats_of_a_day_are_one_line_on_either_path(keyed: KeyedServer) -> None:
    keyed.create("day")
    made = keyed.made_key("append", "day", name="window watcher")
    for number in range(6):
        content_type = list(CONTENT_TYPES.values())[number % 2]
        beat = heartbeat(f"10:00:0{number}")
        path = "/api/0/buckets/day/heartbeat?pulsetime=5"
        assert keyed.with_key(made["key"], "POST", path, beat, headers={"Content-Type": content_type}).status == 200
    assert audit_lines(keyed, key=made["id"])[0]["count"] == 6  # asking writes the line, and begins a new count
    with Watcher(keyed, "day", made["key"]) as watcher:
        assert [watcher.beat().status for _ in range(4)] == [200] * 4

    [line] = audit_lines(keyed, key=made["id"])

    assert counts([line]) == [("send_heartbeat", "day", 200, 10)]
    assert (line["who"], line["key_id"], line["key_name"]) == (f"key {made['id']}", made["id"], "window watcher")
    assert line["address"] == "127.0.0.1"
    assert line["first"] < line["last"]


def test_each_kind_of_call_has_a_line_for_each_bucket(keyed: KeyedServer) -> None:
    key = keyed.made_key("full")
    for bucket_id in ("kind-1", "kind-2"):
        keyed.create(bucket_id)
        for _ in range(2):
            keyed.with_key(key["key"], "GET", f"/api/0/buckets/{bucket_id}/events")
            keyed.with_key(key["key"], "POST", f"/api/0/buckets/{bucket_id}/events", heartbeat("10:00:00"))

    assert set(counts(audit_lines(keyed, key=key["id"]))) == {
        ("get_events", "kind-1", 200, 2),
        ("get_events", "kind-2", 200, 2),
        ("insert_events", "kind-1", 200, 2),
        ("insert_events", "kind-2", 200, 2),
    }


def test_rejections_are_counted_with_their_status(keyed: KeyedServer) -> None:
    key = keyed.made_key("append", "refusals-mine")
    for _ in range(3):
        keyed.with_key(key["key"], "GET", "/api/0/buckets/refusals-foreign/events")
        keyed.with_key("wrong", "GET", "/api/0/buckets/refusals-foreign/events")
        keyed.call("DELETE", "/api/0/buckets/refusals-foreign")

    lines = audit_lines(keyed, bucket="refusals-foreign", refused=1)

    assert {(line["who"], line["call"], line["status"], line["count"]) for line in lines} == {
        (f"key {key['id']}", "get_events", 403, 3),
        (ANONYMOUS, "get_events", 401, 3),
        (ANONYMOUS, "delete_bucket", 401, 3),
    }


def test_rejected_heartbeats_are_listed_as_rejected_on_either_path(keyed: KeyedServer) -> None:
    key = keyed.made_key("append", "never-made")
    with Watcher(keyed, "never-made", key["key"]) as watcher:
        assert [watcher.beat().status for _ in range(3)] == [404] * 3

    assert counts(audit_lines(keyed, key=key["id"])) == [("send_heartbeat", "never-made", 404, 3)]


def test_an_unknown_call_is_listed_as_a_rejection(keyed: KeyedServer) -> None:
    def nameless() -> int:
        return sum(line["count"] for line in audit_lines(keyed, refused=1) if line["call"] == "-")

    before = nameless()
    keyed.call("GET", "/api/0/nowhere")
    keyed.call("GET", "/api/0/buckets/", headers={"Host": "evil.example"})
    keyed.call("GET", "/api/0/buckets/", headers={"Origin": "https://evil.example"})

    assert nameless() == before + 3


def test_pages_and_info_leave_no_line(keyed: KeyedServer) -> None:
    before = len(audit_lines(keyed))
    for path in ("/", "/api/", "/api/0/info", "/api/openapi.json", "/api/1/session"):
        assert keyed.call("GET", path).status == 200

    assert len(audit_lines(keyed)) == before


def test_wrong_sign_ins_and_envelopes_are_rejections(keyed: KeyedServer) -> None:
    wrong = f"dayline_aaaaaaaa_{'A' * 43}"
    keyed.call("POST", "/api/1/session", {"key": wrong})
    send_sealed(keyed, sealed("GET", "/api/0/buckets/", key=wrong))

    reported = {(line["who"], line["call"], line["status"]) for line in audit_lines(keyed, refused=1)}
    assert {(ANONYMOUS, "begin_session", 401), (ANONYMOUS, "send_enveloped", 401)} <= reported


@pytest.mark.parametrize("minutes", [-6, 6])
def test_call_from_another_time_is_a_rejection_of_its_key(keyed: KeyedServer, minutes: int) -> None:
    made = keyed.made_key("read", envelope=True)
    message = sealed("GET", "/api/0/buckets/", key=made["key"], time=datetime.now(UTC) + timedelta(minutes=minutes))
    assert opened(send_sealed(keyed, message), made["key"]).status == 401

    [line] = audit_lines(keyed, key=made["id"])

    assert (line["who"], line["status"], line["count"]) == (f"envelope {made['id']}", 401, 1)


def test_sessions_and_envelopes_are_distinguished_from_the_key_itself(keyed: KeyedServer) -> None:
    made = keyed.made_key("read", envelope=True)
    keyed.with_key(made["key"], "GET", "/api/0/buckets/")
    signed_in(keyed, made["key"]).call("GET", "/api/0/buckets/")
    send_sealed(keyed, sealed("GET", "/api/0/buckets/", key=made["key"]))

    reported = {line["who"] for line in audit_lines(keyed, key=made["id"])}

    assert reported == {f"{kind} {made['id']}" for kind in ("key", "session", "envelope")}


def test_every_destructive_act_has_a_line_of_its_own(keyed: KeyedServer) -> None:
    keyed.create("acts")
    made = keyed.made_key("full")
    path = "/api/0/buckets/acts"
    ids: list[int] = []
    for _ in range(2):
        event = keyed.with_key(made["key"], "POST", f"{path}/events", heartbeat("10:00:00")).json
        ids.append(event["id"])
        keyed.with_key(made["key"], "POST", f"{path}/events", heartbeat("11:00:00", id=event["id"]))
        keyed.with_key(made["key"], "DELETE", f"{path}/events/{event['id']}")
    keyed.with_key(made["key"], "DELETE", path)

    lines = audit_lines(keyed, key=made["id"])

    assert sorted(counts(lines)) == [
        ("delete_bucket", "acts", 200, 1),
        *((f"delete_event {event_id}", "acts", 200, 1) for event_id in ids),
        ("insert_events", "acts", 200, 1),  # each with the id of an event that was there
        ("insert_events", "acts", 200, 1),
        ("insert_events", "acts", 200, 2),  # without ids: counted together
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "call"),
    [
        ("POST", "/api/0/settings/theme", "dark", "set_setting theme"),
        ("DELETE", "/api/0/settings/theme", None, "delete_setting theme"),
        ("POST", "/api/0/import", {"buckets": {}}, "import_documents"),
        ("POST", "/api/1/keys", {"name": "x", "scope": "read"}, "create_key"),
        ("DELETE", "/api/1/session/others", None, "end_other_sessions"),
    ],
)
def test_what_changes_settings_keys_or_sessions_has_a_line_of_its_own(
    keyed: KeyedServer, method: str, path: str, body: object, call: str
) -> None:
    made = keyed.made_key("full")
    for _ in range(2):
        assert keyed.with_key(made["key"], method, path, body).status < 300

    assert [line["call"] for line in audit_lines(keyed, key=made["id"])] == [call, call]


def test_destructive_act_is_there_when_the_server_is_killed_right_after_it(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.create("gone")
        made = server.made_key("full")
        assert server.with_key(made["key"], "DELETE", "/api/0/buckets/gone").status == 200
        server.kill()
        server.start()

        assert counts(audit_lines(server, key=made["id"])) == [("delete_bucket", "gone", 200, 1)]


def test_what_was_counted_is_written_when_the_server_stops(tmp_path: Path) -> None:
    with KeyedServer(tmp_path / "days.db") as server:
        server.create("kept")
        made = server.made_key("append", "kept")
        with Watcher(server, "kept", made["key"]) as watcher:
            assert [watcher.beat().status for _ in range(5)] == [200] * 5
        server.call("GET", "/api/0/buckets/kept")
        server.stop()
        server.start()

        assert counts(audit_lines(server, bucket="kept", refused=1)) == [("get_bucket", "kept", 401, 1)]
        assert counts(audit_lines(server, key=made["id"])) == [("send_heartbeat", "kept", 200, 5)]
        with Watcher(server, "kept", made["key"]) as watcher:
            watcher.beat()
        assert counts(audit_lines(server, key=made["id"])) == [("send_heartbeat", "kept", 200, 6)]


def test_filters_leave_only_what_was_asked_for(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    before = datetime.now(UTC)
    for bucket_id in ("filter-1", "filter-2"):
        keyed.with_key(made["key"], "GET", f"/api/0/buckets/{bucket_id}")
        keyed.with_key(made["key"], "GET", "/api/0/buckets/")

    assert {line["bucket"] for line in audit_lines(keyed, key=made["id"])} == {"filter-1", "filter-2", ""}
    assert counts(audit_lines(keyed, key=made["id"], bucket="filter-1")) == [("get_bucket", "filter-1", 404, 1)]
    assert {line["status"] for line in audit_lines(keyed, key=made["id"], refused="true")} == {404}
    assert len(audit_lines(keyed, key=made["id"], since=before.isoformat())) == 3
    assert audit_lines(keyed, key=made["id"], since=(before + timedelta(hours=1)).isoformat()) == []
    assert audit_lines(keyed, key=made["id"], until=before.isoformat()) == []
    assert len(audit_lines(keyed, key=made["id"], until=(before + timedelta(hours=1)).isoformat())) == 3
    assert {line["call"] for line in audit_lines(keyed, key=made["id"], call="list_buckets")} == {"list_buckets"}
    assert audit_lines(keyed, key=made["id"], call="list") == []
    assert audit_lines(keyed, key="aaaaaaaa") == []


def test_a_call_is_found_by_its_name_whatever_it_was_done_to(keyed: KeyedServer) -> None:
    keyed.as_owner("DELETE", "/api/0/settings/found-by-name")

    assert "delete_setting found-by-name" in {line["call"] for line in audit_lines(keyed, call="delete_setting")}


def test_the_line_that_was_added_to_last_comes_first(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    for bucket_id in ("sorted-1", "sorted-2", "sorted-3", "sorted-1"):
        keyed.with_key(made["key"], "GET", f"/api/0/buckets/{bucket_id}")

    lines = audit_lines(keyed, key=made["id"])

    assert [line["bucket"] for line in lines] == ["sorted-1", "sorted-3", "sorted-2"]
    assert [line["last"] for line in lines] == sorted((line["last"] for line in lines), reverse=True)


def test_cursor_leads_through_all_lines_once(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    for number in range(7):
        keyed.with_key(made["key"], "GET", f"/api/0/buckets/page-{number}")
    everything = audit_lines(keyed, key=made["id"])

    found, cursor = list[int](), ""
    for _ in range(4):
        page = keyed.as_owner("GET", f"/api/1/audit?key={made['id']}&limit=3{cursor}").json
        found += [line["number"] for line in page["lines"]]
        if page["cursor"] is None:
            break
        cursor = f"&cursor={page['cursor']}"

    assert found == [line["number"] for line in everything]
    assert found == sorted(found, reverse=True)
    assert len(found) == 7


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=-1", "limit=x", "cursor=0", "cursor=x", "cursor=" + "9" * 30, "since=yesterday"]
)
def test_parameter_that_is_no_number_or_time_is_400(keyed: KeyedServer, query: str) -> None:
    answer = keyed.as_owner("GET", f"/api/1/audit?{query}")

    assert (answer.status, answer.json["field"]) == (400, query.partition("=")[0])


def test_the_audit_log_needs_the_scope_full(keyed: KeyedServer) -> None:
    statuses = [
        keyed.with_key(key, "GET", "/api/1/audit").status
        for key in (None, keyed.key("read"), keyed.key("append"), keyed.key("full", "some"), keyed.key("full"))
    ]

    assert statuses == [401, 403, 403, 403, 200]
