"""Query processes come when they are needed, are used again, and go when no one asks."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import uvloop

from dayline.config.sections import QuerySettings
from dayline.query.errors import QueryProcessLost
from dayline.query.processes.messages import QueryJob
from dayline.query.processes.pool import ProcessPool
from dayline.query.processes.process import Lost, start_process
from tests.support.query.scripted import (
    COMMAND,
    SetClock,
    ask,
    children,
    eventually,
    pid_of,
    result_of,
    run,
    run_with_clock,
    started,
    workers,
)
from tests.support.query.scripted_worker import BEGUN_FOLDER


def test_without_a_query_there_is_no_process() -> None:
    async def test() -> None:
        async with workers():
            assert children() == set()

    run(test)


def test_the_next_query_gets_the_same_process() -> None:
    async def test() -> None:
        async with workers() as pool:
            assert len({await pid_of(pool) for _ in range(5)}) == 1
            assert len(children()) == 1

    run(test)


def test_queries_at_once_get_processes_of_their_own_up_to_the_limit() -> None:
    async def test() -> None:
        async with workers(workers=2) as pool:
            answers = [await started(ask(pool, "sleep 0.5")) for _ in range(4)]
            await asyncio.gather(*answers)

            assert len(children()) == 2

    run(test)


def test_the_process_that_was_used_last_is_preferred(tmp_path: Path) -> None:
    async def test() -> None:
        pool = ProcessPool(COMMAND, environment={BEGUN_FOLDER: str(tmp_path)}, settings=QuerySettings(workers=2))
        first, second = await pool.acquire("client"), await pool.acquire("client")
        pool.release(second)
        pool.release(first)

        assert await pool.acquire("client") is first

        pool.release(first)
        assert await pool.acquire("client") is first
        await pool.close()

    run(test)


def test_a_process_that_comes_free_takes_the_query_that_a_new_one_was_started_for() -> None:
    async def test() -> None:
        async with workers(workers=2) as pool:
            warm = await pid_of(pool)
            with pool.starts_held():
                answers = await asyncio.gather(result_of(pool, "report"), result_of(pool, "report"))

            assert [answer["pid"] for answer in answers] == [warm, warm]

    run(test)


def test_an_idle_process_ends_and_the_next_query_gets_a_new_one() -> None:
    async def test(clock: SetClock) -> None:
        async with workers(idle_s=60) as pool:
            first = await pid_of(pool)
            clock.advance(61)
            await eventually(lambda: children() == set())

            assert await pid_of(pool) != first

    run_with_clock(test)


def test_a_process_that_is_asked_now_and_then_stays() -> None:
    async def test(clock: SetClock) -> None:
        async with workers(idle_s=60) as pool:
            pids: set[int] = set()
            for _ in range(8):
                pids.add(await pid_of(pool))
                clock.advance(59)

            assert len(pids) == 1

    run_with_clock(test)


def test_an_idle_process_that_is_killed_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "dayline")

    async def test() -> None:
        async with workers() as pool:
            first = await pid_of(pool)
            os.kill(first, 9)
            await eventually(lambda: f"Query process {first} ended" in caplog.text)

            assert await pid_of(pool) != first

    run(test)


def test_a_process_gives_way_to_others_and_uses_one_thread() -> None:
    async def test() -> None:
        async with workers() as pool:
            seen = await result_of(pool, "report")

            assert seen["nice"] == os.nice(0) + 10
            assert seen["threads"] == "1"

    run(test)


def test_ctrl_c_at_the_terminal_is_left_to_the_server() -> None:
    async def test() -> None:
        async with workers() as pool:
            pid = await pid_of(pool)
            os.kill(pid, 2)

            assert await pid_of(pool) == pid

    run(test)


def test_a_command_that_fails_is_reported_to_each_query_and_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        command = (sys.executable, "-c", "raise SystemExit('no such database')")
        async with workers(command) as pool:
            outcomes = await asyncio.gather(*(ask(pool, "report") for _ in range(4)), return_exceptions=True)

        assert [str(outcome) for outcome in outcomes] == [
            "the process that ran the query ended unexpectedly (exit status 1)"
        ] * 4
        assert "no such database" in caplog.text

    run(test)


def test_a_command_that_does_not_exist_is_reported() -> None:
    async def test() -> None:
        async with workers(("/nowhere/python",)) as pool:
            [outcome] = await asyncio.gather(ask(pool, "report"), return_exceptions=True)

        assert str(outcome) == "no process can be started for the query: No such file or directory"

    run(test)


def test_starts_and_ends_are_in_the_log_for_those_who_look_closely(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "dayline")

    async def test() -> None:
        async with workers(idle_s=0.1) as pool:
            pid = await pid_of(pool)
            await eventually(lambda: children() == set())
            await eventually(lambda: "ended" in caplog.text)

        assert [f"Query process {pid} started", f"Query process {pid} ended (exit status 0)"] == [
            record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG
        ]

    run(test)


@pytest.mark.parametrize(("cores", "processes"), [(1, 2), (2, 2), (4, 2), (6, 3), (8, 4), (64, 4)])
def test_how_many_there_may_be_follows_the_cores(monkeypatch: pytest.MonkeyPatch, cores: int, processes: int) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)

    assert QuerySettings().processes == processes
    assert QuerySettings(workers=7).processes == 7


def test_a_process_whose_first_words_are_garbage_fails_its_query_at_once() -> None:
    # The error was none that was expected: it ended the start, and every query waited for 30 seconds from then on.
    garbage = (sys.executable, "-c", "import sys, time; print('\\0\\0\\0\\4what', flush=True); time.sleep(60)")

    async def test() -> None:
        async with workers(garbage, workers=1) as pool:
            for _ in range(2):
                with pytest.raises(QueryProcessLost, match="no process can be started"):
                    await ask(pool, "report")

    run(test)


def test_a_job_for_a_process_that_has_just_ended_is_lost_also_on_the_loop_of_the_server(tmp_path: Path) -> None:
    async def test() -> None:
        process = await start_process(COMMAND, {**os.environ, BEGUN_FOLDER: str(tmp_path)})
        await process.until_ready()
        process.kill()
        await process.status()
        await process.drained()

        assert await process.ask(QueryJob(text="report", periods=[])) == Lost(-signal.SIGKILL)
        await process.ended()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test())


def test_a_query_process_starts_without_an_event_loop() -> None:
    program = "import sys, dayline.cli.serve.query_process; sys.exit('asyncio' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
