"""How long codes and sessions hold: by a clock that the test moves."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dayline.access.keyring import Keyring
from dayline.access.sessions import CODE_S, BrowserProof, Sessions
from dayline.model.time import SECOND, Microseconds
from dayline.storage.sqlite.database import SqliteDatabase

DAY: Microseconds = 86_400 * SECOND


class Clock:
    def __init__(self) -> None:
        self.now: Microseconds = 1_800_000_000 * SECOND

    def __call__(self) -> Microseconds:
        return self.now


@asynccontextmanager
async def opened(path: Path, clock: Clock, *, days: int = 30) -> AsyncGenerator[Sessions]:
    database = SqliteDatabase(path, asyncio.get_running_loop())
    try:
        yield Sessions(database.access, Keyring(database.access, clock=clock), days=days, clock=clock)
    finally:
        await database.close()


def run(test: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(test())


def test_code_holds_for_five_minutes(tmp_path: Path) -> None:
    async def test() -> None:
        clock = Clock()
        async with opened(tmp_path / "days.db", clock) as sessions:
            in_time, too_late = sessions.new_code(), sessions.new_code()

            clock.now += CODE_S * SECOND - 1
            assert sessions.use_code(in_time)
            clock.now += 1
            assert not sessions.use_code(too_late)

    assert CODE_S == 300
    run(test)


def test_code_is_used_up_by_being_used(tmp_path: Path) -> None:
    async def test() -> None:
        async with opened(tmp_path / "days.db", Clock()) as sessions:
            code = sessions.new_code()

            assert [sessions.use_code(code) is not None for _ in range(3)] == [True, False, False]

    run(test)


def test_code_that_came_too_late_does_not_work_when_the_clock_is_set_back(tmp_path: Path) -> None:
    async def test() -> None:
        clock = Clock()
        async with opened(tmp_path / "days.db", clock) as sessions:
            code = sessions.new_code()
            clock.now += CODE_S * SECOND
            assert not sessions.use_code(code)
            clock.now -= CODE_S * SECOND

            assert not sessions.use_code(code)

    run(test)


def test_unused_codes_do_not_accumulate(tmp_path: Path) -> None:
    async def test() -> None:
        async with opened(tmp_path / "days.db", Clock()) as sessions:
            codes = [sessions.new_code() for _ in range(1000)]

            assert len([code for code in codes if sessions.use_code(code)]) <= 100
            assert sessions.use_code(sessions.new_code())

    run(test)


@pytest.mark.parametrize("days", [1, 30])
def test_session_holds_for_its_days_and_is_then_forgotten(tmp_path: Path, days: int) -> None:
    async def test() -> None:
        clock = Clock()
        async with opened(tmp_path / "days.db", clock, days=days) as sessions:
            signed_in = await sessions.begin(key_id=None, address="127.0.0.1", agent="browser")
            proof = BrowserProof(cookie=signed_in.cookie, secret=signed_in.secret)

            clock.now += days * DAY - 1
            assert sessions.find(proof) == signed_in.session
            clock.now += 1
            assert sessions.find(proof) is None

            await sessions.begin(key_id=None, address="127.0.0.1", agent="browser")
            clock.now -= DAY
            assert sessions.find(proof) is None

        async with opened(tmp_path / "days.db", clock, days=days) as sessions:
            assert sessions.find(proof) is None
            assert len(sessions.all()) == 1

    run(test)


def test_cookie_and_secret_are_not_kept_but_their_digest(tmp_path: Path) -> None:
    async def test() -> None:
        async with opened(tmp_path / "days.db", Clock()) as sessions:
            signed_in = await sessions.begin(key_id=None, address="127.0.0.1", agent="x" * 1000)

        kept = (tmp_path / "days.db").read_bytes()
        assert signed_in.cookie.encode() not in kept
        assert signed_in.secret.encode() not in kept
        assert signed_in.session.digest in kept
        assert len(signed_in.session.agent) == 200

    run(test)
