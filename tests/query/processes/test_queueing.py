"""Queries that wait for a process: clients take turns, and there is an end to waiting."""

import asyncio
import re
from collections.abc import Sequence

import pytest

from dayline.query.errors import QueriesBusy
from dayline.query.processes.fair_queue import FairQueue
from dayline.query.processes.pool import Borrowers
from tests.support.query.scripted import (
    SetClock,
    ask,
    eventually,
    pid_of,
    result_of,
    run,
    run_with_clock,
    started,
    under_way,
    workers,
)


def taken(queue: FairQueue[str]) -> list[str]:
    return [queue.take() for _ in range(len(queue))]


def filled(*items: str, places: int = 100) -> FairQueue[str]:
    """A queue of items that begin with the letter of their client."""
    queue: FairQueue[str] = FairQueue(places)
    for item in items:
        queue.put(item[0], item)
    return queue


@pytest.mark.parametrize(
    ("items", "order"),
    [
        (["a1", "a2", "a3"], ["a1", "a2", "a3"]),
        (["a1", "a2", "a3", "b1"], ["a1", "b1", "a2", "a3"]),
        (["a1", "a2", "b1", "b2", "c1", "c2"], ["a1", "b1", "c1", "a2", "b2", "c2"]),
    ],
)
def test_clients_take_turns(items: Sequence[str], order: Sequence[str]) -> None:
    assert taken(filled(*items)) == order


def test_a_client_that_asks_again_is_queued_behind_the_others() -> None:
    queue = filled("a1", "b1", "b2")
    assert queue.take() == "a1"

    queue.put("a", "a2")

    assert taken(queue) == ["b1", "a2", "b2"]


def test_a_place_that_is_given_up_is_free() -> None:
    queue = filled("a1", "b1", "a2", places=4)
    queue.remove("a", "a1")
    queue.remove("a", "a1")
    queue.remove("z", "z1")

    assert len(queue) == 2
    assert taken(queue) == ["a2", "b1"]


def test_a_full_queue_takes_no_more() -> None:
    queue = filled("a1", "a2", "b1", "b2", places=4)

    with pytest.raises(QueriesBusy, match="4 queries are waiting already"):
        queue.put("c", "c1")

    assert queue.take() == "a1"
    queue.put("c", "c1")


def test_one_client_cannot_take_all_places() -> None:
    queue = filled("a1", "a2", places=4)

    with pytest.raises(QueriesBusy, match="2 queries of this client are waiting already"):
        queue.put("a", "a3")

    queue.put("b", "b1")


def test_one_with_many_queries_does_not_keep_another_waiting() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            await pid_of(pool)
            many = [await started(ask(pool, "sleep 0.05", client="greedy")) for _ in range(40)]

            await ask(pool, "sleep 0.05", client="modest")

            assert sum(query.done() for query in many) <= 3
            await asyncio.gather(*many)

    run(test)


def test_if_too_many_wait_the_next_is_rejected_at_once() -> None:
    async def test() -> None:
        async with workers(workers=1, max_queued=4) as pool:
            await pid_of(pool)
            running = await under_way(pool, "sleep 9999")
            waiting = [await started(result_of(pool, "sleep 0", client=name)) for name in "aabb"]

            with pytest.raises(QueriesBusy, match="4 queries are waiting already"):
                await ask(pool, "sleep 0", client="c")

            running.cancel()
            assert await asyncio.gather(*waiting) == ["slept"] * 4

    run(test)


def test_waiting_has_an_end() -> None:
    async def test(clock: SetClock) -> None:
        async with workers(workers=1, queue_s=30) as pool:
            running = await under_way(pool, "sleep 9999", seconds=9999)
            waiting = await started(ask(pool, "sleep 0"))
            clock.advance(31)

            with pytest.raises(QueriesBusy, match=re.escape("no process was free for the query within 30 s")):
                await waiting

            running.cancel()
            assert await result_of(pool, "sleep 0") == "slept"

    run_with_clock(test)


def test_a_quick_caller_is_answered_while_the_long_queries_of_another_hold_every_process() -> None:
    async def test() -> None:
        async with workers(workers=2, reserved=1) as pool:
            # Before, the quick caller waited until one of the long queries ended.
            held = [await under_way(pool, f"sleep 999{number}", client="greedy") for number in range(2)]
            more = [await started(ask(pool, "sleep 9999", client="greedy")) for _ in range(10)]

            assert await result_of(pool, "sleep 0", client="quick") == "slept"
            assert await result_of(pool, "sleep 0", client="quick") == "slept"

            assert not any(query.done() for query in (*held, *more))
            for query in (*held, *more):
                query.cancel()

    run(test)


def test_a_caller_that_has_used_much_time_does_not_get_the_reserved_process() -> None:
    async def test(clock: SetClock) -> None:
        async with workers(workers=1, reserved=1, queue_s=9999, idle_s=9999) as pool:
            long = await under_way(pool, "sleep 9998", client="slow", seconds=99999)
            clock.advance(600)
            long.cancel()
            await eventually(lambda: long.done())
            held = await under_way(pool, "sleep 9999", client="other", seconds=99999)
            waiting = await started(result_of(pool, "sleep 0", client="slow"))

            assert await result_of(pool, "sleep 0", client="quick") == "slept"
            assert not waiting.done()

            held.cancel()
            assert await waiting == "slept"

    run_with_clock(test)


def test_a_key_for_some_buckets_has_one_process_at_a_time() -> None:
    async def test() -> None:
        async with workers(workers=2) as pool:
            held = await under_way(pool, "sleep 9999", client="bound", buckets=("a",))
            waiting = await started(result_of(pool, "sleep 0", client="bound", buckets=("a",)))

            assert await result_of(pool, "sleep 0", client="free") == "slept"
            assert not waiting.done()

            held.cancel()
            assert await waiting == "slept"

    run(test)


def test_a_key_for_some_buckets_has_fewer_places() -> None:
    queue: FairQueue[str] = FairQueue(16)
    queue.put("bound", "1", gets_few=True)
    queue.put("bound", "2", gets_few=True)

    with pytest.raises(QueriesBusy, match="2 queries of this client are waiting already"):
        queue.put("bound", "3", gets_few=True)
    for number in range(8):
        queue.put("free", str(number))


def test_a_caller_is_quick_as_long_as_it_uses_less_than_half_of_what_another_does() -> None:
    seconds = [0.0]
    borrowers = Borrowers(lambda: seconds[0])
    borrowers.lend("a process", "greedy")
    for _ in range(10):  # a second of each two
        borrowers.lend("another process", "modest")
        seconds[0] += 1
        borrowers.settle("another process")
        seconds[0] += 1.5

    assert borrowers.is_quick("modest")
    assert not borrowers.is_quick("greedy")
    borrowers.settle("a process")
    assert not borrowers.is_quick("modest")  # no one else runs: five seconds of a minute are the limit
    seconds[0] += 60
    assert borrowers.is_quick("modest")
