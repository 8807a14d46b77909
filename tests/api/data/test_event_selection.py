"""Many events at once: listed page by page, each exactly once, and deleted by what they have in common."""

from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at

EVENTS: Final = 1200  # more than is written in one slice


@pytest.fixture
def filled(bucket: RemoteBucket) -> RemoteBucket:
    """Nine events, some of which begin together or reach far."""
    bucket.insert(
        event(at("09:00:00"), 7200, {"app": "Mail", "title": "all morning"}),
        *(event(at(f"10:0{n // 2}:00"), 60, {"app": "Editor", "title": f"Draft, {n}"}) for n in range(8)),
    )
    return bucket


def page(bucket: RemoteBucket, **parameters: object) -> dict[str, Any]:
    answer = bucket.server.get(f"/api/1/buckets/{quote(bucket.id, safe='')}/events?{urlencode(parameters, doseq=True)}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def ids(found: dict[str, Any]) -> list[int]:
    return [one["id"] for one in found["events"]]


def delete(bucket: RemoteBucket, **selector: object) -> dict[str, Any]:
    answer = bucket.server.post("/api/1/events/delete", {"bucket": bucket.id, **selector})
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("size", [1, 2, 3, 9, 50])
def test_pages_give_every_event_once_while_others_are_inserted(filled: RemoteBucket, order: str, size: int) -> None:
    there = set(filled.ids())
    listed: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        found = page(filled, limit=size, order=order, **cursor)
        listed += found["events"]
        if len(listed) < len(there):
            filled.insert(event(at("10:02:00"), 1), event(at("08:00:00"), 1), event(at("12:00:00"), 1))
        if found["cursor"] is None:
            break
        cursor = {"cursor": found["cursor"]}

    places = [(one["timestamp"], one["id"]) for one in listed]
    assert places == sorted(places, reverse=order == "newest")
    assert len(set(places)) == len(places)
    assert there <= {one["id"] for one in listed}


def test_a_range_gives_what_reaches_into_it_unclipped(filled: RemoteBucket) -> None:
    found = page(filled, start=at("10:03:30"), end=at("10:30:00"))

    assert [(one["timestamp"], one["end"]) for one in found["events"]] == [
        (at("10:03:00"), at("10:04:00")), (at("10:03:00"), at("10:04:00")), (at("09:00:00"), at("11:00:00")),
    ]  # fmt: skip
    assert page(filled, start=at("11:00:00")) == {"events": [], "cursor": None}
    assert page(filled, end=at("09:00:00"))["events"] == []


def test_filters_ask_for_fields_of_the_data(filled: RemoteBucket) -> None:
    assert len(page(filled, filter="app:is:Mail")["events"]) == 1
    assert len(page(filled, filter="app:is:mail")["events"]) == 0
    assert len(page(filled, filter="title:has:DRAFT, 3")["events"]) == 1
    assert len(page(filled, filter=["app:is:Editor", "title:has:all"])["events"]) == 0
    assert len(page(filled, filter="url:has:e")["events"]) == 0


@pytest.mark.parametrize(
    "parameter",
    ["filter=app", "filter=app:like:x", "cursor=nonsense", "cursor=OTk5OTk5OTk5OTk5OTk5OTk5OS4x", "order=random"],
)
def test_a_bad_parameter_is_named(filled: RemoteBucket, parameter: str) -> None:
    answer = filled.server.get(f"/api/1/buckets/{filled.id}/events?{parameter}")

    assert (answer.status, answer.json["field"]) == (400, parameter.partition("=")[0])


@pytest.mark.parametrize(
    ("selector", "count"),
    [
        ({"start": at("10:01:00"), "end": at("10:03:00")}, 4),
        ({"start": at("10:01:00"), "end": at("10:03:00"), "edge": "touch"}, 5),
        ({"data": [{"field": "app", "value": "Editor"}]}, 8),
        ({"data": [{"field": "title", "op": "has", "value": "draft"}], "end": at("10:01:00")}, 2),
        ({"start": at("13:00:00")}, 0),
    ],
)
def test_a_dry_run_lists_what_is_deleted_and_one_undo_restores_all_of_it(
    filled: RemoteBucket, selector: dict[str, Any], count: int
) -> None:
    export = filled.server.get(f"{filled.path}/export").body

    reported = delete(filled, dry_run=True, **selector)
    assert filled.server.get(f"{filled.path}/export").body == export
    deleted = delete(filled, **selector)

    assert reported["events"] == count
    assert (reported["undo"], reported["dry_run"], deleted["dry_run"]) == (None, True, False)
    assert {**deleted, "undo": None, "dry_run": True} == reported
    assert filled.count() == 9 - count
    if count:
        assert filled.server.post(f"/api/1/undo/{deleted['undo']}").json["events"] == count
    assert filled.server.get(f"{filled.path}/export").body == export


@pytest.mark.parametrize(
    ("start", "end", "events", "cut", "seconds", "left"),
    [
        # Inside an event: two remain, and the later one keeps the id.
        ("09:10:00", "09:20:00", 1, 1, 600, [("09:00:00", "09:10:00"), ("09:20:00", "11:00:00")]),
        # At its start and at its end.
        ("08:00:00", "09:30:00", 1, 1, 1800, [("09:30:00", "11:00:00")]),
        ("10:30:00", None, 1, 1, 1800, [("09:00:00", "10:30:00")]),
        # Others inside are deleted whole.
        ("10:00:00", "10:03:30", 9, 3, 210 + 6 * 60 + 2 * 30, [("09:00:00", "10:00:00"), ("10:03:30", "11:00:00")]),
        # The edges of the range are not in it.
        ("11:00:00", "12:00:00", 0, 0, 0, [("09:00:00", "11:00:00")]),
        (None, "09:00:00", 0, 0, 0, [("09:00:00", "11:00:00")]),
    ],
)
def test_a_cut_deletes_only_the_time_inside_the_range_and_undo_restores_it(
    filled: RemoteBucket, start: str | None, end: str | None, events: int, cut: int, seconds: int, left: list[Any]
) -> None:
    export = filled.server.get(f"{filled.path}/export").body
    [mail] = ids(page(filled, filter="app:is:Mail"))
    times = {name: at(time) for name, time in (("start", start), ("end", end)) if time}

    reported = delete(filled, dry_run=True, edge="cut", **times)
    assert filled.server.get(f"{filled.path}/export").body == export
    deleted = delete(filled, edge="cut", **times)

    assert (deleted["events"], deleted["cut"], deleted["seconds"]) == (events, cut, seconds)
    assert {**deleted, "undo": None, "dry_run": True} == reported
    found = page(filled, filter="app:is:Mail", order="oldest")
    assert [(one["timestamp"], one["end"]) for one in found["events"]] == [(at(low), at(high)) for low, high in left]
    assert ids(found)[-1] == mail
    if events:
        [item] = [item for item in filled.server.get("/api/1/trash").json if item["bucket"] == filled.id]
        assert (item["id"], item["kind"]) == (deleted["undo"], "delete_events")
        assert filled.server.post(f"/api/1/undo/{deleted['undo']}").status == 200
    assert filled.server.get(f"{filled.path}/export").body == export


def test_what_is_recorded_after_a_cut_is_kept_when_it_is_undone(bucket: RemoteBucket) -> None:
    data = {"app": "Editor"}
    bucket.heartbeat(at("10:00:00"), data, duration=600, pulsetime=60)
    deleted = delete(bucket, edge="cut", start=at("10:02:00"), end=at("10:05:00"))

    bucket.heartbeat(at("10:10:30"), data, duration=30, pulsetime=60)
    assert bucket.server.post(f"/api/1/undo/{deleted['undo']}").status == 200

    [event_] = page(bucket)["events"]
    assert (event_["timestamp"], event_["end"]) == (at("10:00:00"), at("10:11:00"))


@pytest.mark.parametrize(
    ("selector", "field"),
    [
        ({"data": [{"field": "app", "value": "Mail"}]}, "edge"),
        ({"start": at("10:00:00"), "end": at("10:00:00")}, "end"),
        ({"start": at("10:00:00"), "end": at("09:00:00")}, "end"),
        ({"start": "yesterday", "end": at("09:00:00")}, "start"),
    ],
)
def test_a_cut_without_a_range_is_rejected_and_changes_nothing(
    filled: RemoteBucket, selector: dict[str, Any], field: str
) -> None:
    export = filled.server.get(f"{filled.path}/export").body

    answer = filled.server.post("/api/1/events/delete", {"bucket": filled.id, "edge": "cut", **selector})

    assert (answer.status, answer.json["field"]) == (422, field)
    assert filled.server.get(f"{filled.path}/export").body == export


def test_ids_mean_those_events_of_the_bucket(filled: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [elsewhere] = other_bucket.insert(event(at("10:00:00"), 5))
    chosen = list(filled.ids()[2:5])

    assert delete(filled, ids=[*chosen, chosen[0], elsewhere["id"], 2**50])["events"] == 3
    assert not set(chosen) & set(filled.ids())
    assert other_bucket.count() == 1


def test_samples_are_the_longest(filled: RemoteBucket) -> None:
    reported = delete(filled, dry_run=True, start=at("00:00:00"))

    assert len(reported["samples"]) == 5
    assert reported["samples"][0]["data"]["app"] == "Mail"
    assert reported["seconds"] == 7200 + 8 * 60


def test_a_selector_without_a_condition_is_rejected(filled: RemoteBucket) -> None:
    answer = filled.server.post("/api/1/events/delete", {"bucket": filled.id, "edge": "touch"})

    assert answer.status == 422
    assert filled.count() == 9


def test_many_events_are_one_act(bucket: RemoteBucket) -> None:
    bucket.insert(*(event(at("10:00:00"), n, {"n": n}) for n in range(EVENTS)))
    export = bucket.server.get(f"{bucket.path}/export").body

    deleted = delete(bucket, start=at("10:00:00"))

    assert (deleted["events"], bucket.count()) == (EVENTS, 0)
    [item] = [item for item in bucket.server.get("/api/1/trash").json if item["bucket"] == bucket.id]
    assert (item["id"], item["kind"], item["events"], item["state"]) == (
        deleted["undo"], "delete_events", EVENTS, "done",
    )  # fmt: skip
    bucket.server.post(f"/api/1/undo/{deleted['undo']}")
    assert bucket.server.get(f"{bucket.path}/export").body == export
