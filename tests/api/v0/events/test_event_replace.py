"""Replacing events by id: how the web UI edits them (protocol 3.8)."""

import pytest

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at


def test_event_of_this_bucket_is_overwritten(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0, {"old": 1}))

    [replaced] = bucket.insert(event(at("12:00:00"), 9.0, {"new": 2}, id=stored["id"]))

    assert replaced == {"id": stored["id"], "timestamp": at("12:00:00"), "duration": 9.0, "data": {"new": 2}}
    assert bucket.events() == [replaced]
    assert bucket.event(stored["id"]).json == replaced
    assert bucket.count() == 1


def test_bare_object_replaces_too(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0))

    answer = bucket.post_events(event(at("10:00:00"), 2.0, id=stored["id"]))

    assert (answer.status, answer.json["id"]) == (200, stored["id"])
    assert bucket.stored() == [(at("10:00:00"), 2.0, {"a": 1})]


def test_same_start_and_other_data_are_replaced(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0, {"title": "before"}))

    bucket.insert(event(at("10:00:00"), 1.0, {"title": "after"}, id=stored["id"]))

    assert bucket.stored() == [(at("10:00:00"), 1.0, {"title": "after"})]


def test_event_moved_to_another_month_is_found_there_alone(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0))

    bucket.insert(event(at("10:00:00", date="2025-03-01"), 1.0, id=stored["id"]))

    assert bucket.count(start=at("00:00:00"), end=at("23:00:00")) == 0
    assert bucket.count(start=at("00:00:00", date="2025-03-01"), end=at("23:00:00", date="2025-03-01")) == 1


def test_neighbors_stay_as_they_are(bucket: RemoteBucket) -> None:
    before, edited, after = bucket.insert(event(at("10:00:00")), event(at("10:00:00"), 1.0), event(at("10:00:00")))

    bucket.insert(event(at("10:00:00"), 5.0, {"b": 2}, id=edited["id"]))

    assert bucket.event(before["id"]).json == before
    assert bucket.event(after["id"]).json == after


def test_deleted_id_can_be_created_again_by_name(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))
    bucket.delete_event(stored["id"])

    bucket.insert(event(at("11:00:00"), id=stored["id"]))

    assert bucket.ids() == [stored["id"]]


def test_event_of_another_bucket_is_409_and_stays_there(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    [elsewhere] = other_bucket.insert(event(at("10:00:00"), 3.0))

    answer = bucket.post_events([event(at("10:00:00"), 1.0), event(at("11:00:00"), 9.0, id=elsewhere["id"])])

    assert (answer.status, answer.json["field"]) == (409, "id")
    assert str(elsewhere["id"]) in answer.message
    assert bucket.count() == 0
    assert other_bucket.events() == [elsewhere]


@pytest.mark.parametrize("event_id", ["1", 1.5, 1.0, True, [], {}, 0, -1, 2**63, 2**64, 10**30])
def test_id_that_is_no_positive_integer_is_422(bucket: RemoteBucket, event_id: object) -> None:
    answer = bucket.post_events(event(at("10:00:00"), id=event_id))

    assert (answer.status, answer.json["field"]) == (422, "id")
    assert bucket.count() == 0


def test_last_of_two_with_the_same_id_in_one_list_stays(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0))

    bucket.insert(event(at("10:00:00"), 2.0, id=stored["id"]), event(at("12:00:00"), 3.0, id=stored["id"]))

    assert bucket.stored() == [(at("12:00:00"), 3.0, {"a": 1})]
    assert bucket.count() == 1


def test_new_and_replaced_events_may_come_in_one_list(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00"), 1.0))

    new, replaced = bucket.insert(event(at("09:00:00"), 1.0), event(at("10:00:00"), 2.0, id=stored["id"]))

    assert replaced["id"] == stored["id"] != new["id"]
    assert bucket.stored() == [(at("10:00:00"), 2.0, {"a": 1}), (at("09:00:00"), 1.0, {"a": 1})]
