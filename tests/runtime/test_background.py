"""Supervised background work: what fails is retried, reported and logged, and never ends silently."""

import asyncio
import errno
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from functools import partial
from typing import Any, Final, TypeVar

import pytest

from dayline.model.errors import StoreBusy, Unavailable
from dayline.model.health import BackgroundWork, Problem
from dayline.model.time import SECOND, format_timestamp
from dayline.runtime.background import BackgroundTask, BackgroundWorkers, DetachedTasks
from tests.support.waiting import eventually, eventually_async

T = TypeVar("T")

NOW: Final = 1_767_261_600 * SECOND  # 2026-01-01T10:00:00Z
RETRY_S: Final = 0.001
STALE: Final = OSError(errno.ESTALE, "Stale file handle", "/backups")


class Script:
    """Work that raises errors and returns pauses, one after the other. After the last one it runs until cancelled."""

    def __init__(self, *steps: BaseException | float | None) -> None:
        self._steps: Iterator[BaseException | float | None] = iter(steps)
        self.runs = 0
        self.is_over = asyncio.Event()

    async def __call__(self) -> float | None:
        self.runs += 1
        for step in self._steps:
            if isinstance(step, BaseException):
                raise step
            return step
        self.is_over.set()
        await asyncio.Event().wait()
        return None


def run(scenario: Coroutine[Any, Any, T]) -> T:
    async def limited() -> T:
        async with asyncio.timeout(60):  # so that what hangs fails
            return await scenario

    return asyncio.run(limited())


until = partial(eventually_async, pause_s=0)  # what it waits for may last for one step


def registry() -> BackgroundWorkers:
    return BackgroundWorkers(clock=lambda: NOW)


def started(
    workers: BackgroundWorkers, work: Callable[[], Awaitable[float | None]], *, interval_s: float | None = RETRY_S
) -> BackgroundTask:
    task = workers.task("sweep", work, interval_s=interval_s, retry_s=RETRY_S)
    task.start()
    return task


def only_state(workers: BackgroundWorkers) -> BackgroundWork:
    [state] = workers.states()
    return state


@pytest.mark.parametrize("error", [STALE, StoreBusy("no space"), ValueError("a defect"), MemoryError()])
def test_no_error_ends_the_work(error: Exception) -> None:
    async def scenario() -> None:
        script = Script(error, error, None)
        task = started(registry(), script)

        await script.is_over.wait()

        assert script.runs == 4
        await task.close()

    run(scenario())


def test_a_cancellation_of_something_that_the_work_waits_for_does_not_end_it() -> None:
    async def scenario() -> None:
        script = Script(asyncio.CancelledError())
        task = started(registry(), script)

        await script.is_over.wait()

        await task.close()

    run(scenario())


def test_pauses_double_up_to_a_maximum_while_it_fails_and_are_the_interval_again_afterwards() -> None:
    async def scenario() -> list[str | None]:
        workers, next_runs = registry(), list[str | None]()
        script = Script(STALE, STALE, STALE, STALE, None)
        task = workers.task("sweep", script, interval_s=60, retry_s=10, max_retry_s=25)
        task.start()
        while len(next_runs) < 5:
            await until(lambda: script.runs == len(next_runs) + 1 and only_state(workers).next_run is not None)
            next_runs.append(only_state(workers).next_run)
            task.wake()
        await task.close()
        return next_runs

    assert run(scenario()) == [format_timestamp(NOW + pause * SECOND) for pause in (10, 20, 25, 25, 60)]


def test_the_work_may_choose_its_next_pause() -> None:
    async def scenario() -> str | None:
        workers, script = registry(), Script(7)
        task = started(workers, script)
        await until(lambda: script.runs == 1 and only_state(workers).next_run is not None)
        next_run = only_state(workers).next_run
        await task.close()
        return next_run

    assert run(scenario()) == format_timestamp(NOW + 7 * SECOND)


def test_work_without_an_interval_runs_once_and_then_only_when_woken() -> None:
    async def scenario() -> None:
        workers, script = registry(), Script(None, None)
        task = started(workers, script, interval_s=None)
        await until(lambda: script.runs == 1 and only_state(workers).state == "waiting")
        assert only_state(workers).next_run is None

        task.wake()
        await until(lambda: script.runs == 2)

        await task.close()

    run(scenario())


def test_work_without_an_initial_delay_waits_for_its_first_wake_up() -> None:
    async def scenario() -> None:
        workers, script = registry(), Script(None)
        task = workers.task("sweep", script, interval_s=None, initial_delay_s=None)
        task.start()
        await until(lambda: only_state(workers).state == "waiting")
        await asyncio.sleep(0)
        assert script.runs == 0

        task.wake()
        await until(lambda: script.runs == 1)

        await task.close()

    run(scenario())


def test_woken_while_it_runs_it_runs_once_more() -> None:
    async def scenario() -> None:
        runs = 0

        async def work() -> None:
            nonlocal runs
            runs += 1
            if runs == 1:
                task.wake()
                task.wake()

        task = registry().task("sweep", work, interval_s=None)
        task.start()

        await until(lambda: runs == 2)

        await task.close()
        assert runs == 2

    run(scenario())


def test_a_task_that_has_not_taken_its_first_step_can_be_closed() -> None:
    async def scenario() -> None:
        workers, script = registry(), Script()
        task = started(workers, script)

        await task.close()

        assert script.runs == 0
        assert workers.states() == []

    run(scenario())


@pytest.mark.parametrize("is_running", [True, False])
def test_a_task_that_has_failed_can_be_closed(is_running: bool) -> None:
    async def scenario() -> None:
        script = Script(ValueError("a defect"))
        task = started(registry(), script) if is_running else registry().task("sweep", script, interval_s=60)
        task.start()
        await until(lambda: script.runs == (2 if is_running else 1))

        await task.close()

    run(scenario())


def test_work_that_swallows_its_cancellation_ends_nevertheless() -> None:
    async def scenario() -> None:
        runs = 0

        async def work() -> None:
            nonlocal runs
            runs += 1
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return

        task = started(registry(), work)
        await until(lambda: runs == 1)

        await task.close()

        assert runs == 1

    run(scenario())


def test_the_state_names_the_last_error_until_the_work_succeeds() -> None:
    async def scenario() -> None:
        workers, script = registry(), Script(STALE, STALE, None)
        task = workers.task("sweep", script, interval_s=60)
        task.start()
        await until(lambda: only_state(workers).failures == 1)
        task.wake()
        await until(lambda: only_state(workers).failures == 2 and only_state(workers).next_run is not None)
        assert only_state(workers) == BackgroundWork(
            name="sweep",
            state="failing",
            last_run=format_timestamp(NOW),
            next_run=format_timestamp(NOW + 20 * SECOND),
            last_error="/backups: Stale file handle",
            failures=2,
        )

        task.wake()
        await until(lambda: only_state(workers).state == "waiting")

        assert only_state(workers).last_error is None
        assert only_state(workers).failures == 0
        await task.close()

    run(scenario())


def test_a_streak_of_failures_is_logged_once_with_its_cause_and_once_at_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        script = Script(STALE, STALE, STALE, None)
        task = started(registry(), script)
        await script.is_over.wait()
        await task.close()

    with caplog.at_level(logging.INFO):
        run(scenario())

    failure, end = caplog.records
    assert failure.getMessage().startswith("sweep failed: /backups: Stale file handle; next attempt in ")
    assert (failure.levelname, failure.exc_info) == ("WARNING", None)
    assert (end.levelname, end.getMessage()) == ("INFO", "sweep works again after 3 failed attempts")


def test_a_defect_is_logged_with_its_traceback_also_within_a_streak(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        script = Script(STALE, ValueError("a defect"), STALE)
        task = started(registry(), script)
        await script.is_over.wait()
        await task.close()

    run(scenario())

    _, defect = caplog.records
    assert defect.levelname == "ERROR"
    assert defect.exc_info is not None
    assert isinstance(defect.exc_info[1], ValueError)


async def failing(workers: BackgroundWorkers, error: Exception, **options: Any) -> BackgroundTask:
    task = workers.task("sweep", Script(error), interval_s=60, **options)
    task.start()
    await until(lambda: bool(workers.problems([])))
    return task


def test_a_failing_worker_is_a_problem() -> None:
    async def scenario() -> list[Problem]:
        workers = registry()
        task = await failing(workers, STALE)
        problems = workers.problems([])
        await task.close()
        return problems

    assert run(scenario()) == [
        Problem(
            kind="background",
            message="sweep is failing: /backups: Stale file handle",
            hint="Dayline retries it automatically; the log has the details",
            since=format_timestamp(NOW),
        )
    ]


def test_a_failure_that_its_owner_reports_is_not_reported_twice() -> None:
    async def scenario() -> None:
        workers = registry()
        task = await failing(workers, STALE, problem_kind="backup", hint="free some space")

        assert workers.problems([Problem(kind="backup", message="no backup")]) == []
        [problem] = workers.problems([Problem(kind="clock", message="wrong")])
        assert (problem.kind, problem.hint) == ("backup", "free some space")
        await task.close()

    run(scenario())


@pytest.mark.parametrize(("error", "reported"), [(StoreBusy("no space"), 0), (ValueError("a defect"), 1)])
def test_a_store_that_takes_no_writes_is_not_reported_again_for_everything_that_writes(
    error: Exception, reported: int
) -> None:
    async def scenario() -> None:
        workers = registry()
        task = await failing(workers, error)

        assert len(workers.problems([Problem(kind="disk", message="full")])) == reported
        await task.close()

    run(scenario())


def test_a_tenant_sees_the_work_of_the_server_and_its_own() -> None:
    async def scenario() -> None:
        workers = registry()
        own = workers.task("sweep", Script(), interval_s=None)
        ann = await failing(workers, STALE, tenant="ann")
        bob = workers.task("sweep", Script(), interval_s=None, tenant="bob")
        own.start()
        bob.start()

        assert [state.name for state in workers.states("bob")] == ["sweep", "sweep of tenant 'bob'"]
        assert workers.problems([], "bob") == []
        assert [state.name for state in workers.states()] == ["sweep", "sweep of tenant 'ann'"]
        assert len(workers.problems([])) == 1
        for task in (own, ann, bob):
            await task.close()

    run(scenario())


def test_no_error_ends_a_thread() -> None:
    workers, runs = registry(), list[int]()

    def work() -> None:
        runs.append(1)
        if len(runs) < 3:
            raise ValueError("a defect")

    thread = workers.thread("watch", work, interval_s=RETRY_S, retry_s=RETRY_S)
    thread.start()

    eventually(lambda: len(runs) > 4)

    assert thread.close()
    assert workers.states() == []


def test_a_thread_is_woken_and_closed_while_it_waits() -> None:
    workers, runs = registry(), threading.Semaphore(0)
    thread = workers.thread("watch", lambda: runs.release(), interval_s=None)
    thread.start()
    assert runs.acquire(timeout=60)
    thread.wake()
    assert runs.acquire(timeout=60)

    assert thread.close()


def test_a_thread_cleans_up_when_it_stops_though_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    stopped = threading.Event()

    def on_stop() -> None:
        stopped.set()
        raise OSError("the connection is lost")

    thread = registry().thread("watch", lambda: None, interval_s=None, on_stop=on_stop)
    thread.start()

    assert thread.close()

    assert stopped.is_set()
    assert "watch did not stop cleanly" in caplog.text


def test_closing_a_thread_waits_no_longer_than_its_limit() -> None:
    may_end, is_running = threading.Event(), threading.Event()

    def work() -> None:
        is_running.set()
        may_end.wait(60)

    thread = registry().thread("watch", work, interval_s=None)
    thread.start()
    is_running.wait(60)

    assert not thread.close(0.001)

    may_end.set()
    assert thread.close()


def test_a_thread_that_was_never_started_can_be_closed() -> None:
    assert registry().thread("watch", lambda: None, interval_s=None).close()


def test_detached_work_continues_after_its_caller_is_cancelled() -> None:
    async def scenario() -> None:
        tasks, may_end, results = DetachedTasks("a merge"), asyncio.Event(), list[str]()

        async def work() -> None:
            await may_end.wait()
            results.append("done")

        caller = asyncio.create_task(tasks.run(work()))
        await asyncio.sleep(0)
        caller.cancel()
        may_end.set()

        await until(lambda: bool(results))

    run(scenario())


def test_the_caller_gets_the_error_of_detached_work_and_the_log_does_not(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        with pytest.raises(ValueError, match="a defect"):
            await DetachedTasks("a merge").run(Script(ValueError("a defect"))())

    run(scenario())

    assert caplog.records == []


def test_an_error_of_detached_work_is_logged_once_the_caller_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        tasks, may_end = DetachedTasks("a merge"), asyncio.Event()

        async def work() -> None:
            await may_end.wait()
            raise ValueError("a defect")

        caller = asyncio.create_task(tasks.run(work()))
        await asyncio.sleep(0)
        caller.cancel()
        await asyncio.wait([caller])
        may_end.set()
        await until(lambda: bool(caplog.records))

    run(scenario())

    assert [record.getMessage() for record in caplog.records] == ["a merge failed: ValueError: a defect"]


def test_detached_work_logs_a_streak_of_failures_once(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        tasks = DetachedTasks("a look")
        for step in (STALE, STALE, None, STALE):
            await asyncio.wait([tasks.start(Script(step)())])

    with caplog.at_level(logging.INFO):
        run(scenario())

    assert [record.getMessage() for record in caplog.records] == [
        "a look failed: /backups: Stale file handle",
        "a look works again after 2 failed attempts",
        "a look failed: /backups: Stale file handle",
    ]


def test_closing_detached_tasks_answers_the_callers_that_wait() -> None:
    async def scenario() -> None:
        tasks = DetachedTasks("a merge")
        caller = asyncio.create_task(tasks.run(Script()()))
        await asyncio.sleep(0)

        await tasks.close()

        with pytest.raises(Unavailable, match="the server is stopping"):
            await caller

    run(scenario())
