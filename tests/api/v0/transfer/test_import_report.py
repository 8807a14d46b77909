"""What an import answers, and what it makes of buckets (protocol 3.15)."""

import pytest

from tests.api.documents import bucket_entry, document, everything, import_json, report
from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def test_absent_bucket_is_created_with_its_fields(shared_server: RunningServer) -> None:
    entry = bucket_entry("new", [event(at("10:00:00"), 1.0)], created="2020-02-02T02:02:02.500+00:00", data={"k": [1]})

    answer = import_json(shared_server, {"buckets": {"new": entry}})

    assert (answer.status, answer.json) == (200, report(imported=1))
    bucket = RemoteBucket(shared_server, "new")
    assert bucket.view() == {
        "id": "new",
        "type": "t",
        "client": "c",
        "hostname": "h",
        "created": "2020-02-02T02:02:02.500Z",
        "data": {"k": [1]},
        "metadata": {"start": at("10:00:00"), "end": at("10:00:01")},
        "last_updated": at("10:00:01"),
        "events": None,
    }
    assert bucket.stored() == [(at("10:00:00"), 1.0, {"a": 1})]


def test_created_and_data_are_optional(shared_server: RunningServer) -> None:
    import_json(shared_server, document("bare", []))

    view = RemoteBucket(shared_server, "bare").view()
    assert view["data"] == {}
    assert view["created"] > "2026"


def test_present_bucket_keeps_its_fields_and_gains_the_events(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))
    before = {name: bucket.view()[name] for name in ("type", "client", "hostname", "created", "data")}

    import_json(
        bucket.server, document(bucket.id, [event(at("09:00:00"))], data={"x": 1}, created="2020-01-01T00:00:00Z")
    )

    assert {name: bucket.view()[name] for name in before} == before
    assert bucket.stored() == [(at("10:00:00"), 1.0, {"a": 1}), (at("09:00:00"), 0.0, {"a": 1})]


def test_existing_events_keep_their_ids(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0))

    import_json(bucket.server, document(bucket.id, [event(at("10:00:00"), 1.0), event(at("11:00:00"))]))

    assert bucket.event(stored["id"]).json == stored
    assert bucket.count() == 2


def test_identical_events_are_skipped_and_counted(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0, {"x": 1, "y": 2}))

    answer = import_json(
        bucket.server,
        document(
            bucket.id, [event("2026-01-01T11:00:00+01:00", 1, {"y": 2, "x": 1}), event(at("10:00:00"), 1.0, {"x": 2})]
        ),
    )

    assert answer.json == report(imported=1, skipped=1)


@pytest.mark.parametrize(
    "other",
    [
        event(at("10:00:00.000001"), 1.0),
        event(at("10:00:00"), 1.000001),
        event(at("10:00:00"), 1.0, {"a": 2}),
        event(at("10:00:00"), 1.0, {"a": True}),
    ],
)
def test_event_that_differs_in_anything_is_imported(bucket: RemoteBucket, other: dict[str, object]) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))

    assert import_json(bucket.server, document(bucket.id, [other])).json == report(imported=1)


def test_same_event_in_another_bucket_is_not_skipped(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0))

    assert import_json(bucket.server, document(other_bucket.id, [event(at("10:00:00"), 1.0)])).json == report(
        imported=1
    )


def test_importing_twice_changes_nothing_the_second_time(shared_server: RunningServer) -> None:
    events = [event(at(f"10:00:{n:02}"), n / 4, {"n": n % 3}) for n in range(50)]
    first = import_json(shared_server, document("twice", events))
    before = everything(shared_server), RemoteBucket(shared_server, "twice").ids()

    second = import_json(shared_server, document("twice", events))

    assert (first.json, second.json) == (report(imported=50), report(skipped=50))
    assert (everything(shared_server), RemoteBucket(shared_server, "twice").ids()) == before


def test_duplicates_inside_the_document_are_stored_once(shared_server: RunningServer) -> None:
    same = event(at("10:00:00"), 1.0)

    answer = import_json(shared_server, document("inside", [same, event(at("10:00:01")), same, {**same, "id": 7}]))

    assert answer.json == report(imported=2, skipped=2)
    assert RemoteBucket(shared_server, "inside").count() == 2


def test_duplicates_that_were_inserted_before_stay_two(bucket: RemoteBucket) -> None:
    bucket.insert(event(at("10:00:00"), 1.0), event(at("10:00:00"), 1.0))

    import_json(bucket.server, document(bucket.id, [event(at("10:00:00"), 1.0)]))

    assert bucket.count() == 2


def test_several_buckets_are_imported_at_once(shared_server: RunningServer) -> None:
    entries = {f"several-{n}": bucket_entry(f"several-{n}", [event(at("10:00:00"), n)]) for n in range(5)}

    assert import_json(shared_server, {"buckets": entries}).json == report(buckets=5, imported=5)
    assert all(RemoteBucket(shared_server, name).count() == 1 for name in entries)


def test_no_buckets_are_no_error(shared_server: RunningServer) -> None:
    answer = import_json(shared_server, {"buckets": {}})

    assert (answer.status, answer.json) == (200, report(buckets=0))


def test_deleted_bucket_can_be_imported_again(shared_server: RunningServer) -> None:
    import_json(shared_server, document("again", [event(at("10:00:00"), 1.0)]))
    bucket = RemoteBucket(shared_server, "again")
    bucket.delete()

    assert import_json(shared_server, document("again", [event(at("10:00:00"), 1.0)])).json == report(imported=1)
    assert bucket.stored() == [(at("10:00:00"), 1.0, {"a": 1})]


def test_events_of_many_months_and_years_are_all_found(shared_server: RunningServer) -> None:
    dates = [f"{year}-{month:02}-01" for year in (1970, 1999, 2024, 2261) for month in range(1, 13)]

    import_json(shared_server, document("months", [event(at("00:00:00", date=date), 1.0) for date in dates]))

    bucket = RemoteBucket(shared_server, "months")
    assert [timestamp for timestamp, _, _ in bucket.stored()] == [at("00:00:00", date=date) for date in dates[::-1]]
    assert bucket.extent() == ("1970-01-01T00:00:00Z", "2261-12-01T00:00:01Z")
    assert all(bucket.count(start=at("00:00:00", date=date), end=at("00:00:00", date=date)) == 1 for date in dates[::7])


def test_an_imported_event_is_found_by_every_range_that_it_reaches_into(shared_server: RunningServer) -> None:
    day = 86_400.0
    import_json(shared_server, document("long", [event(at("00:00:00", date="2026-01-20"), 20 * day)]))

    bucket = RemoteBucket(shared_server, "long")
    for date in ("2026-01-20", "2026-01-25", "2026-02-05"):
        when = {"start": at("12:00:00", date=date), "end": at("13:00:00", date=date)}
        assert (date, bucket.count(**when), len(bucket.events(**when))) == (date, 1, 1)


def test_import_does_not_need_a_slash_and_does_not_mind_one(shared_server: RunningServer) -> None:
    assert shared_server.post("/api/0/import/", {"buckets": {}}).status == 200
