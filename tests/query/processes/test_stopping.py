"""When the recording process stops, its query processes are gone at once; when it is killed, soon."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence

import pytest

from dayline.model.errors import Unavailable
from dayline.query.processes.process import STREAMED_BYTES
from dayline.query.processes.workers import ResultStream
from tests.support.query.scripted import ask, children, is_running, run, started, workers
from tests.support.waiting import eventually


def test_running_and_waiting_queries_fail_because_the_server_stops() -> None:
    async def test() -> None:
        async with workers(workers=2) as pool:
            queries = [
                await started(ask(pool, order)) for order in ("sleep-deaf 9999", "run-away", "sleep 1", "sleep 1")
            ]
            await pool.until_begun("sleep-deaf 9999", "run-away")

            pool.stop()
            outcomes = await asyncio.gather(*queries, return_exceptions=True)
            await pool.close()

            assert [str(outcome) for outcome in outcomes] == ["the server is stopping"] * 4
            assert all(isinstance(outcome, Unavailable) for outcome in outcomes)
            assert children() == set()

    run(test)


def test_a_query_that_arrives_while_the_server_stops_fails_with_the_reason() -> None:
    async def test() -> None:
        async with workers() as pool:
            pool.stop()

            with pytest.raises(Unavailable, match="the server is stopping"):
                await ask(pool, "report")

    run(test)


def test_a_process_that_is_just_starting_ends_too() -> None:
    async def test() -> None:
        async with workers() as pool:
            query = await started(ask(pool, "report"))
            await pool.close()

            [outcome] = await asyncio.gather(query, return_exceptions=True)
            assert str(outcome) == "the server is stopping"
            assert children() == set()

    run(test)


def test_large_results_that_are_being_read_do_not_hold_up_the_end() -> None:
    async def test() -> None:
        async with workers() as pool:
            answered = await ask(pool, f"body {STREAMED_BYTES * 4}")
            assert isinstance(answered.body, ResultStream)
            await answered.body.read()

            pool.stop()
            answered.body.close()
            await pool.close()

            assert children() == set()

    run(test)


def test_closing_twice_is_harmless() -> None:
    async def test() -> None:
        async with workers() as pool:
            await ask(pool, "report")
            await pool.close()
            await pool.close()

    run(test)


@pytest.mark.parametrize(
    "orders", [("sleep 9999", "run-away"), ("sleep 0", "sleep 0"), (f"body {STREAMED_BYTES * 4}",)]
)
def test_processes_end_when_their_parent_is_killed(orders: Sequence[str]) -> None:
    parent = subprocess.Popen([sys.executable, "-m", "tests.query.processes.parent", *orders], stdout=subprocess.PIPE)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"begun\n"
        if orders[0] != "sleep 9999":
            assert parent.stdout.readline() == b"answered\n"
        processes = children(parent.pid)
    finally:
        parent.kill()
        parent.communicate()

    eventually(lambda: not any(map(is_running, processes)))
