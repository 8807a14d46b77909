"""What a document may look like, and what is refused as a whole (protocol 3.15)."""

import pytest

from tests.api.documents import bucket_entry, document, everything, import_json, import_text, report, text_of
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def test_inner_id_wins_over_the_key(shared_server: RunningServer) -> None:
    import_json(shared_server, {"buckets": {"outer-1": bucket_entry("inner-1", [])}})

    assert shared_server.get("/api/0/buckets/inner-1").status == 200
    assert shared_server.get("/api/0/buckets/outer-1").status == 404


@pytest.mark.parametrize("more", [{}, {"id": None}, {"id": ""}])
def test_key_is_the_id_where_the_inner_one_is_missing(shared_server: RunningServer, more: dict[str, object]) -> None:
    name = f"key-{len(more)}-{more.get('id')}"

    assert import_json(shared_server, {"buckets": {name: {**bucket_entry(None, []), **more}}}).status == 200
    assert RemoteBucket(shared_server, name).view()["id"] == name


def test_events_may_be_missing(shared_server: RunningServer) -> None:
    assert import_json(shared_server, {"buckets": {"none": bucket_entry("none")}}).json == report()
    assert RemoteBucket(shared_server, "none").count() == 0


def test_events_may_be_null(shared_server: RunningServer) -> None:
    assert import_json(shared_server, {"buckets": {"null": {**bucket_entry("null"), "events": None}}}).json == report()


def test_events_may_come_before_the_other_keys(shared_server: RunningServer) -> None:
    entry = {"events": [event(at("10:00:00"))], **bucket_entry("early")}

    assert next(iter(entry)) == "events"
    assert import_json(shared_server, {"buckets": {"early": entry}}).json == report(imported=1)
    assert RemoteBucket(shared_server, "early").count() == 1


def test_other_keys_of_any_kind_are_ignored(shared_server: RunningServer) -> None:
    entry = bucket_entry(
        "ignored", [event(at("10:00:00"))], metadata={"start": "x"}, last_updated=7, name=[{"a": "]}"}]
    )

    answer = import_json(
        shared_server,
        {"version": [1, {"a": "}"}], "buckets": {"ignored": entry}, "after": {"x": ["{", 1.5e3, None, True]}},
    )

    assert answer.json == report(imported=1)


def test_blanks_and_escapes_anywhere_change_nothing(shared_server: RunningServer) -> None:
    text = b""" \r\n\t{ "\\u0062uckets" : { "bl\\u0061nks" : {
        "id" : "blanks" , "type":"t","client":"c","hostname":"h" ,
        "events" : [ { "timestamp" : "2026-01-01T10:00:00Z" , "data" : { "t" : "\\"]}{[\\\\" } } ,
                     {"timestamp":"2026-01-01T10:00:01Z"} ] } } } \n"""

    assert import_text(shared_server, text).json == report(imported=2)
    assert RemoteBucket(shared_server, "blanks").stored()[1] == (at("10:00:00"), 0.0, {"t": '"]}{[\\'})


def test_byte_order_mark_is_skipped(shared_server: RunningServer) -> None:
    text = b"\xef\xbb\xbf" + text_of(document("bom", [event(at("10:00:00"))]))

    assert import_text(shared_server, text).json == report(imported=1)


def test_two_entries_of_one_bucket_are_merged(shared_server: RunningServer) -> None:
    entries = {
        "one": bucket_entry("both", [event(at("10:00:00")), event(at("11:00:00"))]),
        "two": bucket_entry("both", [event(at("11:00:00")), event(at("12:00:00"))]),
    }

    answer = import_json(shared_server, {"buckets": entries})

    assert (answer.json["imported"], answer.json["skipped"]) == (3, 1)
    assert RemoteBucket(shared_server, "both").count() == 3


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "buckets"),
        ({"bucket": {}}, "buckets"),
        ({"buckets": [bucket_entry("x", [])]}, "buckets"),
        ({"buckets": {"x": {"type": "t", "client": "c"}}}, "buckets.x.hostname"),
        ({"buckets": {"x": {**bucket_entry("x"), "events": {"a": 1}}}}, "buckets.x.events"),
    ],
)
def test_document_of_another_shape_is_422_and_changes_nothing(
    shared_server: RunningServer, body: object, field: str
) -> None:
    before = everything(shared_server)

    answer = import_text(shared_server, text_of(body))

    assert (answer.status, answer.json["field"]) == (422, field)
    assert everything(shared_server) == before


def test_fault_in_the_last_bucket_keeps_the_first_ones_out(shared_server: RunningServer) -> None:
    before = everything(shared_server)
    entries: dict[str, object] = {f"good-{n}": bucket_entry(f"good-{n}", [event(at("10:00:00"))]) for n in range(3)}

    assert import_json(shared_server, {"buckets": {**entries, "bad": {"type": "t"}}}).status == 422
    assert everything(shared_server) == before
