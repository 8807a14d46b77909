"""Many clients at once: nothing is lost, and each bucket's heartbeats keep their order (protocol 4, traps 42)."""

from concurrent.futures import ThreadPoolExecutor

from tests.api.remote_bucket import RemoteBucket, event
from tests.support.calls.clients import at
from tests.support.server import RunningServer


def test_each_watcher_of_many_gets_one_whole_event(shared_server: RunningServer) -> None:
    buckets = [RemoteBucket(shared_server, f"watcher-{number}") for number in range(8)]

    def watch(bucket: RemoteBucket) -> set[int]:
        bucket.create()
        return {bucket.heartbeat(at(f"10:00:{second:02}")).json["id"] for second in range(40)}

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(watch, buckets))

    assert [len(found) for found in ids] == [1] * 8
    assert len({event_id for found in ids for event_id in found}) == 8
    assert all(bucket.stored() == [(at("10:00:00"), 39.0, {"a": 1})] for bucket in buckets)


def test_many_clients_of_one_bucket_lose_nothing(bucket: RemoteBucket) -> None:
    def send(number: int) -> int:
        answer = bucket.heartbeat(at(f"10:{number // 60:02}:{number % 60:02}"), {"n": number}, pulsetime=0)
        return int(answer.json["id"])

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(send, range(200)))

    assert len(set(ids)) == 200
    assert sorted(bucket.ids()) == sorted(ids)


def test_one_of_several_creators_is_answered_200_and_the_others_304(shared_server: RunningServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(shared_server.create, "contested") for _ in range(16)]
        statuses = [answer.result().status for answer in answers]

    assert sorted(statuses) == [200, *[304] * 15]


def test_one_of_several_deletions_reports_that_the_event_existed(bucket: RemoteBucket) -> None:
    [stored] = bucket.insert(event(at("10:00:00")))

    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(bucket.delete_event, stored["id"]) for _ in range(16)]
        reported: list[bool] = [answer.result().json["success"] for answer in answers]

    assert sorted(reported) == [*[False] * 15, True]


def test_heartbeats_continue_while_large_answers_are_read(bucket: RemoteBucket, other_bucket: RemoteBucket) -> None:
    bucket.insert(*(event(at("10:00:00"), data={"n": n, "text": "x" * 100}) for n in range(5000)))

    with ThreadPoolExecutor(4) as pool:
        reads = [pool.submit(bucket.events) for _ in range(8)]
        statuses = {other_bucket.heartbeat(at(f"10:00:{second:02}")).status for second in range(60)}

    assert statuses == {200}
    assert all(len(read.result()) == 5000 for read in reads)
    assert other_bucket.stored() == [(at("10:00:00"), 59.0, {"a": 1})]
