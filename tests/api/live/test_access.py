"""Who hears what: keys, their buckets, and what becomes of a stream whose key ends."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.calls.listening import STREAM, OpenStream, beat
from tests.support.calls.sealing import opened, sealed, send_sealed
from tests.support.keyed_server import KeyedServer, audit_lines, signed_in
from tests.support.waiting import PATIENCE_S, eventually


def test_a_key_for_a_bucket_receives_no_changes_of_others(keyed: KeyedServer) -> None:
    keyed.create("mine", type="currentwindow", hostname="mine")
    keyed.create("theirs", type="currentwindow", hostname="theirs")
    key = keyed.key("read", "mine")
    with OpenStream(keyed, key=key) as stream, OpenStream(keyed, "topic=bucket", key=keyed.owner) as all_of_it:
        hello, now = stream.next(), stream.next()
        for number in range(5):
            beat(keyed, "theirs", f"secret {number}", key=keyed.owner)
            keyed.create(f"theirs_{number}")
            keyed.as_owner("POST", f"/api/0/settings/theirs_{number}", number)
        keyed.as_owner("DELETE", "/api/0/buckets/theirs_0")
        keyed.as_owner("POST", "/api/1/buckets/theirs_1/rename", {"id": "theirs_x"})
        while all_of_it.next("bucket").data != {"id": "theirs_x", "change": "renamed"}:
            pass
        beat(keyed, "mine", "of my own", key=keyed.owner)
        reported = [stream.next(), stream.next()]
        assert stream.passed() == []

    assert "revision" not in hello.data
    assert [each["device"] for each in now.data["devices"]] == ["mine"]
    assert {message.event for message in reported} == {"bucket", "now"}
    assert [message.data for message in reported if message.event == "bucket"] == [{"id": "mine", "change": "recorded"}]
    [now] = [message for message in reported if message.event == "now"]
    assert [(each["device"], each["title"]) for each in now.data["devices"]] == [("mine", "of my own")]
    # What happens elsewhere leaves no gap in the numbers either.
    assert [message.number for message in reported] == [hello.number + 1, hello.number + 2]


def test_an_id_is_of_no_use_to_a_key_that_sees_other_things(keyed: KeyedServer) -> None:
    with OpenStream(keyed, key=keyed.owner) as stream:
        last_id = stream.next("hello").id

    with OpenStream(keyed, key=keyed.key("read", "some"), last_id=last_id) as stream:
        assert [stream.next().event, stream.next().event] == ["hello", "reset"]


def test_a_read_key_receives_the_changes_of_what_it_may_read(keyed: KeyedServer) -> None:
    rule = {"action": "drop", "match": {"field": "title", "regex": "quince"}}
    with OpenStream(keyed, "topic=settings&topic=job", key=keyed.key("read")) as stream:
        with OpenStream(keyed, "topic=settings&topic=job", key=keyed.owner) as full:
            assert keyed.as_owner("PUT", "/api/1/privacy/rules", []).status == 200
            keyed.as_owner("PUT", "/api/1/retention", [])
            keyed.as_owner("POST", "/api/1/imports", {"buckets": {}})
            keyed.as_owner("PATCH", "/api/1/settings", {"theme": "light"})
            keyed.as_owner("POST", "/api/0/settings/last", rule)
            while full.next("settings").data != {"key": "last"}:
                pass
        heard = [stream.next("hello"), stream.next(), stream.next()]

    assert [message.data for message in heard[1:]] == [{"key": "theme"}, {"key": "last"}]


def test_a_revoked_key_receives_no_more_changes(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    with OpenStream(keyed, "topic=settings", key=made["key"]) as stream:
        stream.next("hello")
        keyed.as_owner("DELETE", f"/api/1/keys/{made['id']}")
        keyed.as_owner("POST", "/api/0/settings/after", 1)

        assert stream.is_over.wait(PATIENCE_S)
        assert stream.passed() == []


def test_an_expired_key_receives_no_more_changes(keyed: KeyedServer) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=0.5)
    with OpenStream(keyed, "topic=settings", key=keyed.key("read", expires=soon.isoformat())) as stream:
        assert stream.is_over.wait(PATIENCE_S)


@pytest.mark.parametrize("with_key", [True, False])
def test_a_browser_that_signs_out_receives_no_more_changes(keyed: KeyedServer, with_key: bool) -> None:
    browser = signed_in(keyed, keyed.key("read") if with_key else None)
    with OpenStream(keyed, "topic=settings", headers={"Cookie": browser.cookie, "X-Dayline": browser.secret}) as stream:
        stream.next("hello")
        assert browser.call("DELETE", "/api/1/session").status == 200

        assert stream.is_over.wait(PATIENCE_S)


def test_other_streams_continue_when_a_key_is_revoked(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    with OpenStream(keyed, "topic=settings", key=keyed.key("read")) as stream:
        with OpenStream(keyed, "topic=settings", key=made["key"]) as ended:
            keyed.as_owner("DELETE", f"/api/1/keys/{made['id']}")
            assert ended.is_over.wait(PATIENCE_S)
        keyed.as_owner("POST", "/api/0/settings/continues", 1)

        assert stream.next("settings").data == {"key": "continues"}


def test_opening_a_stream_is_one_line_of_the_audit(keyed: KeyedServer) -> None:
    made = keyed.made_key("read")
    with OpenStream(keyed, key=made["key"]) as stream:
        beat_until_now(keyed, stream)

        def lines() -> list[tuple[str, int]]:
            return [(line["call"], line["count"]) for line in audit_lines(keyed, key=made["id"])]

        eventually(lambda: bool(lines()))
        assert lines() == [("get_stream", 1)]


def beat_until_now(server: KeyedServer, stream: OpenStream) -> None:
    stream.next("now")
    server.create("audited", type="currentwindow", hostname="audited")
    beat(server, "audited", key=server.owner)
    stream.next("now")


def test_what_does_not_end_does_not_fit_into_an_envelope(keyed: KeyedServer) -> None:
    key = keyed.key("read", envelope=True)

    answer = opened(send_sealed(keyed, sealed("GET", STREAM, key=key)), key)

    assert answer.status == 422
