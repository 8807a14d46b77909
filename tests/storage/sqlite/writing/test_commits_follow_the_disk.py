"""Commits are made on the event loop while the disk is quick, and by a thread while it is not."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path

import pytest

from dayline.storage.sqlite.writing import batches
from dayline.storage.store import Store
from tests.storage.sqlite.writing.commits import Commits
from tests.support.storage.opened import beat, bucket, events_of, opened, sent
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import PATIENCE_S, eventually_async

SLOW_S = 0.5


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "disk")
    with disk.mounted():
        yield disk


@pytest.fixture
def commits() -> Iterator[Commits]:
    commits = Commits()
    with commits.watched():
        yield commits


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit counts as quick unless the disk of the test slows it down, however busy the machine is."""
    monkeypatch.setattr(batches, "QUICK_COMMIT_S", SLOW_S)
    monkeypatch.setattr(batches, "IDLE_S", PATIENCE_S)


async def until_commits_are_quick(store: Store, commits: Commits) -> None:
    """Send lone heartbeats until the store trusts the disk."""
    await store.create_bucket(bucket("warm-up"))
    await next_on_loop(store, commits)


async def next_on_loop(store: Store, commits: Commits) -> None:
    """Send lone heartbeats until the commit of one is made on the loop."""
    deadline = time.monotonic() + PATIENCE_S
    for number in itertools.count():
        assert time.monotonic() < deadline, "no commit was made on the loop"
        commits.forget()
        await sent(store, "warm-up", beat(number))
        if commits.places == ["loop"]:
            return


def test_commits_move_to_the_thread_when_the_disk_is_slow_and_back_when_it_is_quick(
    tmp_path: Path, disk: Disk, commits: Commits
) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await until_commits_are_quick(store, commits)

            disk.slow(SLOW_S)
            await sent(store, "warm-up", beat(3000))  # the one that finds out
            commits.forget()
            for number in range(2):
                await sent(store, "warm-up", beat(3001 + number))
            assert commits.places == ["thread"] * 2

            disk.quick()
            await next_on_loop(store, commits)

    asyncio.run(scenario())


def test_a_slow_commit_leaves_the_event_loop_free(tmp_path: Path, disk: Disk, commits: Commits) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await store.create_bucket(bucket("slow"))
            disk.slow(SLOW_S)
            await sent(store, "slow", beat(0))

            disk.stick()
            answer = sent(store, "slow", beat(1))
            await eventually_async(lambda: disk.has_stuck_flush)  # with the loop stuck as well, this would not return
            assert not answer.done()
            disk.quick()
            await answer

    asyncio.run(scenario())


def test_the_first_commit_after_a_pause_is_made_by_the_thread(
    tmp_path: Path, disk: Disk, commits: Commits, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A disk may have gone to sleep in between.
    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await until_commits_are_quick(store, commits)
            monkeypatch.setattr(batches, "IDLE_S", 0)  # any pause is too long

            commits.forget()
            await sent(store, "warm-up", beat(3000))

            assert commits.places == ["thread"]

    asyncio.run(scenario())


def test_a_heavy_insert_is_made_by_the_thread(tmp_path: Path, disk: Disk, commits: Commits) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await until_commits_are_quick(store, commits)

            commits.forget()
            await store.insert("warm-up", [beat(number) for number in range(1000)])

            assert commits.places == ["thread"]

    asyncio.run(scenario())


def test_heartbeats_of_one_turn_share_one_commit(tmp_path: Path, commits: Commits) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            for number in range(10):
                await store.create_bucket(bucket(f"bucket {number}"))

            commits.forget()
            await asyncio.gather(*[sent(store, f"bucket {number % 10}", beat(number // 10)) for number in range(200)])

            assert len(commits.places) == 1
            assert all(len(events_of(store, f"bucket {number}")) == 1 for number in range(10))

    asyncio.run(scenario())


def test_a_single_heartbeat_does_not_wait_for_others(tmp_path: Path, commits: Commits) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await until_commits_are_quick(store, commits)

            # Its commit comes at the end of the turn of the loop in which it arrived: there is no timer.
            waited: list[int] = []
            for number in range(50):
                answer, turns = sent(store, "warm-up", beat(3000 + number)), 0
                while not answer.done():
                    await asyncio.sleep(0)
                    turns += 1
                waited.append(turns)

            assert min(waited) == 1

    asyncio.run(scenario())


def test_order_of_arrival_is_kept_while_commits_move_between_loop_and_thread(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "QUICK_COMMIT_S", 0.02)

    async def scenario() -> None:
        async with opened(tmp_path / "days.db") as store:
            await store.create_bucket(bucket("ordered"))
            answers: list[Awaitable[object]] = []
            for number in range(300):
                if number % 50 == 0:
                    disk.slow(0.02) if number % 100 == 50 else disk.quick()
                # All at one moment, each with data of its own: the ids show in which order they were applied.
                answers.append(sent(store, "ordered", beat(0, app=f"app {number:03}")))
                if number % 7 == 0:
                    answers.append(asyncio.ensure_future(store.insert("ordered", [beat(0, app=f"app {number:03}+")])))
                await asyncio.sleep(0.001 if number % 3 else 0)
            await asyncio.gather(*answers)

            apps = [
                str(event["data"])
                for event in sorted(events_of(store, "ordered"), key=lambda event: int(str(event["id"])))
            ]
            assert apps == sorted(apps)
            assert len(apps) == 300 + 43

    asyncio.run(scenario())
