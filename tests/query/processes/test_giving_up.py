"""A query that takes too long, or that no one waits for any more, is given up; its process continues if it can."""

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest
from msgspec import UNSET

from dayline.config.sections import QuerySettings
from dayline.query.errors import QueryTimeoutError
from dayline.query.processes.pool import ProcessPool
from tests.support.query.scripted import (
    COMMAND,
    ask,
    children,
    eventually,
    pid_of,
    result_of,
    run,
    started,
    under_way,
    workers,
)
from tests.support.query.scripted_worker import BEGUN_FOLDER
from tests.support.waiting import PATIENCE_S


@pytest.mark.parametrize("order", ["sleep 9999", "run-away", "sleep-deaf 9999"])
def test_a_query_that_takes_too_long_ends_at_its_limit(order: str) -> None:
    async def test() -> None:
        async with workers() as pool:
            await pid_of(pool)

            with pytest.raises(QueryTimeoutError, match=re.escape("the query took longer than 0.3 s")) as caught:
                await ask(pool, order, seconds=0.3)

            assert "timeout_s" in str(caught.value.hint)

    run(test)


@pytest.mark.parametrize("order", ["sleep 9999", "run-away", "tear-down 9999"])
def test_a_process_that_gives_up_its_query_is_used_again(order: str) -> None:
    async def test() -> None:
        async with workers(workers=1, cancel_s=PATIENCE_S) as pool:
            pid = await pid_of(pool)
            asking = await under_way(pool, order)
            asking.cancel()

            assert await pid_of(pool) == pid

    run(test)


def test_a_query_cancelled_by_a_signal_from_elsewhere_runs_again() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            pid = await pid_of(pool)
            asking = await under_way(pool, "sleep 0.5")
            os.kill(pid, signal.SIGTERM)

            assert (await asking).outcome.failure is UNSET

            assert await pid_of(pool) == pid

    run(test)


def test_a_process_that_does_not_give_up_its_query_is_killed() -> None:
    async def test() -> None:
        async with workers() as pool:
            pid = await pid_of(pool)
            asking = await under_way(pool, "sleep-deaf 9999")
            asking.cancel()
            await eventually(lambda: pid not in children())

            assert await pid_of(pool) != pid

    run(test)


def test_time_in_the_queue_does_not_count() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            first = await under_way(pool, "sleep 1")

            with pytest.raises(QueryTimeoutError, match=re.escape("the query took longer than 0.3 s")):
                await ask(pool, "sleep 9999", seconds=0.3)

            assert first.done()

    run(test)


@pytest.mark.parametrize("order", ["sleep 9999", "run-away", "sleep-deaf 9999"])
def test_a_query_that_is_cancelled_frees_its_process(order: str) -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            await pid_of(pool)
            running = await under_way(pool, order)
            running.cancel()

            assert await result_of(pool, "sleep 0") == "slept"

    run(test)


def test_a_query_that_is_cancelled_while_it_waits_is_never_run() -> None:
    async def test() -> None:
        async with workers(workers=1) as pool:
            pid = await pid_of(pool)
            running = await under_way(pool, "sleep 0.3")
            waiting = await started(ask(pool, "exit 1"))
            waiting.cancel()
            await running

            assert await pid_of(pool) == pid

    run(test)


def test_a_query_that_is_cancelled_when_its_turn_has_just_come_gives_its_process_back(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        pool = ProcessPool(COMMAND, environment={BEGUN_FOLDER: str(tmp_path)}, settings=QuerySettings(workers=1))
        process = await pool.acquire("first")
        second = await started(pool.acquire("second"))
        pool.release(process)
        second.cancel()

        assert await pool.acquire("third") is process

        await pool.close()

    run(test)


def test_many_queries_given_up_at_random_leave_no_process_lost() -> None:
    async def test() -> None:
        async with workers(workers=2) as pool:
            for number in range(60):
                asking = asyncio.get_running_loop().create_task(ask(pool, f"sleep {number % 5 * 0.01}"))
                await asyncio.sleep(number % 7 * 0.005)
                asking.cancel()

            slept = await asyncio.gather(*(result_of(pool, "sleep 0.05") for _ in range(10)))
            assert slept == ["slept"] * 10
            assert len(children()) <= 2

    run(test)
