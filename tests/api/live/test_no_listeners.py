"""While no one listens, commits send no notices: recording costs what it does without a stream."""

import asyncio
from pathlib import Path

from dayline.api.live.channel import ChannelQueries
from dayline.api.live.hub import Hub, StreamRequest
from dayline.api.live.listener import StreamTuning
from dayline.api.live.messages import Audience
from dayline.api.live.now_watch import AnswerNow
from dayline.config.sections import StreamSettings
from dayline.insight.goals.model import GoalProgress
from dayline.insight.now.model import NowResponse
from dayline.maintenance.jobs import Jobs
from dayline.model.time import now_us
from dayline.storage.sqlite.database import SqliteDatabase
from dayline.storage.writing.notices import OnCommit
from tests.support.waiting import PATIENCE_S, eventually_async


class Asked(SqliteDatabase):
    """A database that remembers who wants to hear of its commits."""

    on_commit: OnCommit | None = None

    def is_heard(self) -> bool:
        return self.on_commit is not None

    def listen(self, on_commit: OnCommit | None, *, tenant: str = "") -> None:
        self.on_commit = on_commit
        super().listen(on_commit)


class Reader:
    def is_admitted(self) -> bool:
        return True

    def hang_up(self) -> None:
        """There is no connection."""


async def now() -> NowResponse:
    return NowResponse(now="2026-02-03T08:15:31Z", is_settled=True, devices=[])


async def goals() -> list[GoalProgress]:
    return []


def test_commits_are_announced_from_the_first_listener_until_none_can_resume(tmp_path: Path) -> None:
    async def test() -> None:
        database = Asked(tmp_path / "days.db", asyncio.get_running_loop())
        hub = Hub(StreamSettings(), database, Jobs(clock=now_us), version="1", tuning=StreamTuning(replay_s=0.1))
        wanted = StreamRequest(audience=Audience((), True), topics=frozenset({"now"}), last_id=None)
        try:
            assert not database.is_heard()
            listener = await hub.listen(
                wanted, lambda: ChannelQueries(now=now, goals=goals, has_bucket=lambda bucket_id: True), Reader()
            )
            assert b"event: hello\n" in await anext(listener)
            assert database.is_heard()
            listener.end()
            assert database.is_heard()  # it may come back
            await eventually_async(lambda: not database.is_heard())
        finally:
            await hub.close()
            await database.close()

    asyncio.run(test())


def test_who_waits_for_a_channel_that_is_forgotten_does_not_end_the_one_in_its_place(tmp_path: Path) -> None:
    async def test() -> None:
        database = Asked(tmp_path / "days.db", asyncio.get_running_loop())
        hub = Hub(StreamSettings(), database, Jobs(clock=now_us), version="1", tuning=StreamTuning(replay_s=0.05))
        wanted = StreamRequest(audience=Audience((), True), topics=frozenset({"now"}), last_id=None)
        is_late, is_asked, may_answer = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def late() -> NowResponse:
            if is_late.is_set():
                is_asked.set()
                await may_answer.wait()
            return await now()

        def queries(answer: AnswerNow) -> ChannelQueries:
            return ChannelQueries(now=answer, goals=goals, has_bucket=lambda bucket_id: True)

        try:
            await hub.first_messages(wanted, lambda: queries(late))
            is_late.set()
            waiting = asyncio.create_task(hub.first_messages(wanted, lambda: queries(late)))
            await asyncio.wait_for(is_asked.wait(), PATIENCE_S)
            await eventually_async(lambda: not database.is_heard())
            await hub.listen(wanted, lambda: queries(now), Reader())
            may_answer.set()
            assert b"event: hello\n" in await waiting

            await asyncio.sleep(0.2)  # several times as long as a channel without listeners is kept

            assert hub.listeners == 1
            assert database.is_heard()
        finally:
            await hub.close()
            await database.close()

    asyncio.run(test())
