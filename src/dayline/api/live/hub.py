"""All who listen to the stream, by what they may hear of."""

import asyncio
from collections.abc import Callable

from msgspec import Struct

from dayline.api.live.channel import Channel, Sight
from dayline.api.live.listener import STREAM_TUNING, Connected, Listener, StreamTuning
from dayline.api.live.messages import Audience, StreamHello, Topic
from dayline.config.sections import StreamSettings
from dayline.maintenance.jobs import Job, Jobs
from dayline.model.errors import Unavailable
from dayline.runtime.background import DetachedTasks
from dayline.storage.store import Commit, Database


class Wanted(Struct, frozen=True, kw_only=True):
    """What somebody wants to hear, and the id of the last message that they heard, if any."""

    audience: Audience
    topics: frozenset[Topic]
    last_id: str | None


class Hub:
    """Of one person. Used on the event loop.

    While there is nobody, it hears of nothing: recording then costs what it did without.
    """

    def __init__(
        self,
        settings: StreamSettings,
        database: Database,
        jobs: Jobs,
        *,
        version: str,
        tenant: str = "",
        tuning: StreamTuning = STREAM_TUNING,
    ) -> None:
        self._max_listeners = settings.max_listeners
        self._tuning = tuning
        self._database = database
        self._tenant = tenant
        self._jobs = jobs
        self._version = version
        self._channels: dict[Audience, Channel] = {}
        self._endings: dict[Audience, asyncio.TimerHandle] = {}  # of channels without listeners
        self._closing = DetachedTasks("closing a stream")
        self._is_closed = False

    @property
    def listeners(self) -> int:
        return sum(len(channel.listeners) for channel in self._channels.values())

    async def listen(self, wanted: Wanted, sight: Callable[[], Sight], connected: Connected) -> Listener:
        """Begin to listen. Raises Unavailable."""
        channel = await self._looked_at(wanted, sight)
        listener = Listener(
            wanted.topics, connected, self._tuning, on_end=lambda listener: self._ended(channel, listener)
        )
        channel.add(listener, last_id=wanted.last_id, hello=self._hello(wanted.audience))
        self._keep(channel)
        return listener

    async def missed(self, wanted: Wanted, sight: Callable[[], Sight]) -> bytes:
        """What a listener is told first, for somebody who does not stay. Raises Unavailable."""
        channel = await self._looked_at(wanted, sight)
        return channel.first_bytes(wanted.topics, last_id=wanted.last_id, hello=self._hello(wanted.audience))

    def tick(self) -> None:
        """To be called once a second: ends the streams of those who may not listen any longer."""
        for channel in list(self._channels.values()):
            for listener in list(channel.listeners):
                listener.look()

    def stop(self) -> None:
        """End all streams at once, and begin no others."""
        self._is_closed = True
        for channel in list(self._channels.values()):
            self._forget(channel)

    async def close(self) -> None:
        self.stop()
        await self._closing.finish()

    def _check_room(self) -> None:
        if self._is_closed:
            raise Unavailable("the server is stopping", hint="come back when it is there again")
        if self.listeners >= self._max_listeners:
            raise Unavailable(
                f"{self._max_listeners} streams are open, which is the limit of this server",
                hint="close one, or raise `max_listeners` in the section [stream] of the settings file",
            )

    def _hello(self, audience: Audience) -> StreamHello:
        if audience.names:
            return StreamHello(resumed=False, version=self._version)
        revision = self._database.store(self._tenant).revision
        return StreamHello(resumed=False, version=self._version, revision=revision)

    async def _looked_at(self, wanted: Wanted, sight: Callable[[], Sight]) -> Channel:
        """The channel of an audience, with what is in front known as of now. Raises Unavailable."""
        while True:
            self._check_room()
            channel = self._channels.get(wanted.audience) or self._opened(wanted.audience, sight())
            try:
                if "now" in wanted.topics:
                    await channel.now.look()
            finally:
                self._let_go(channel)
            self._check_room()
            if self._channels.get(wanted.audience) is channel:  # else it was let go of meanwhile
                return channel

    def _opened(self, audience: Audience, sight: Sight) -> Channel:
        channel = self._channels[audience] = Channel(audience, sight, self._tuning)
        self._hear()
        for job in self._jobs.all():
            if job.state == "running":
                channel.note_job(job)
        return channel

    def _keep(self, channel: Channel) -> None:
        ending = self._endings.pop(channel.audience, None)
        if ending is not None:
            ending.cancel()

    def _let_go(self, channel: Channel) -> None:
        """Keep it no longer than it is of use to those who come back."""
        # One that is forgotten may have a successor, which is not to end in its place.
        is_current = self._channels.get(channel.audience) is channel
        if is_current and not channel.listeners and not self._is_closed:
            self._keep(channel)
            self._endings[channel.audience] = asyncio.get_running_loop().call_later(
                self._tuning.replay_s, self._forget, channel
            )

    def _ended(self, channel: Channel, listener: Listener) -> None:
        channel.remove(listener)
        self._let_go(channel)

    def _forget(self, channel: Channel) -> None:
        self._channels.pop(channel.audience, None)
        channel.end()
        self._keep(channel)
        self._closing.start(channel.close())
        self._hear()

    def _hear(self) -> None:
        is_any = bool(self._channels)
        self._database.listen(self._note if is_any else None, tenant=self._tenant)
        self._jobs.on_change = self._note_job if is_any else _nothing

    def _note(self, commit: Commit) -> None:
        for channel in self._channels.values():
            channel.note(commit)

    def _note_job(self, job: Job) -> None:
        for channel in self._channels.values():
            channel.note_job(job)


def _nothing(job: Job) -> None:
    """Nobody listens."""
