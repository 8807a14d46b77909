"""The listeners of the stream, grouped by audience."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from dayline.api.live.listener import STREAM_TUNING, StreamClient, StreamListener, StreamTuning
from dayline.api.live.messages import Audience, StreamHello, Topic
from dayline.config.sections import StreamSettings
from dayline.maintenance.jobs import BackgroundJob, Jobs
from dayline.model.errors import Unavailable
from dayline.runtime.background import DetachedTasks
from dayline.storage.opening import Database
from dayline.storage.writing.notices import Commit

if TYPE_CHECKING:
    from dayline.api.live.channel import Channel, ChannelQueries


class StreamRequest(Struct, frozen=True, kw_only=True):
    """The topics that a client subscribes to, and the id of the last message it received, if any."""

    audience: Audience
    topics: frozenset[Topic]
    last_id: str | None


class Hub:
    """The stream of one tenant. Use on the event loop.

    Without listeners it does not subscribe to commits, so recording costs nothing extra.
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
        self._expiries: dict[Audience, asyncio.TimerHandle] = {}  # timers of channels without listeners
        self._closing = DetachedTasks("closing a stream")
        self._is_closed = False

    @property
    def listeners(self) -> int:
        return sum(len(channel.listeners) for channel in self._channels.values())

    async def listen(
        self, wanted: StreamRequest, queries: "Callable[[], ChannelQueries]", connected: StreamClient
    ) -> StreamListener:
        """Add a listener. Raises Unavailable."""
        channel = await self._current_channel(wanted, queries)
        listener = StreamListener(
            wanted.topics, connected, self._tuning, on_end=lambda listener: self._remove(channel, listener)
        )
        channel.add(listener, last_id=wanted.last_id, hello=self._hello(wanted.audience))
        self._cancel_expiry(channel)
        return listener

    async def first_messages(self, wanted: StreamRequest, queries: "Callable[[], ChannelQueries]") -> bytes:
        """The first messages for a client that does not keep listening. Raises Unavailable."""
        channel = await self._current_channel(wanted, queries)
        return channel.first_bytes(wanted.topics, last_id=wanted.last_id, hello=self._hello(wanted.audience))

    def tick(self) -> None:
        """Call this once a second: ends the streams of clients that have lost access."""
        for channel in list(self._channels.values()):
            for listener in list(channel.listeners):
                listener.check_access()

    def stop(self) -> None:
        """End all streams, and accept no others."""
        self._is_closed = True
        for channel in list(self._channels.values()):
            self._close_channel(channel)

    async def close(self) -> None:
        self.stop()
        await self._closing.finish()

    def _check_capacity(self) -> None:
        if self._is_closed:
            raise Unavailable("the server is stopping", hint="retry in a few seconds")
        if self.listeners >= self._max_listeners:
            raise Unavailable(
                f"{self._max_listeners} streams are open, which is the limit",
                hint="close one, or raise stream.max_listeners in the settings",
            )

    def _hello(self, audience: Audience) -> StreamHello:
        if audience.names:
            return StreamHello(resumed=False, version=self._version)
        revision = self._database.store(self._tenant).revision
        return StreamHello(resumed=False, version=self._version, revision=revision)

    async def _current_channel(self, wanted: StreamRequest, queries: "Callable[[], ChannelQueries]") -> "Channel":
        """The channel of an audience, with its `now` up to date. Raises Unavailable."""
        while True:
            self._check_capacity()
            channel = self._channels.get(wanted.audience) or self._open_channel(wanted.audience, queries())
            try:
                if "now" in wanted.topics:
                    await channel.now.look()
            finally:
                self._release(channel)
            self._check_capacity()
            if self._channels.get(wanted.audience) is channel:  # else it was closed while we waited
                return channel

    def _open_channel(self, audience: Audience, queries: "ChannelQueries") -> "Channel":
        from dayline.api.live.channel import Channel  # here, because a server starts without a stream

        channel = self._channels[audience] = Channel(audience, queries, self._tuning)
        self._subscribe()
        for job in self._jobs.all():
            if job.state == "running":
                channel.note_job(job)
        return channel

    def _cancel_expiry(self, channel: "Channel") -> None:
        ending = self._expiries.pop(channel.audience, None)
        if ending is not None:
            ending.cancel()

    def _release(self, channel: "Channel") -> None:
        """Close the channel after the replay time, unless a listener returns."""
        # A closed channel may have a successor, which must stay.
        is_current = self._channels.get(channel.audience) is channel
        if is_current and not channel.listeners and not self._is_closed:
            self._cancel_expiry(channel)
            self._expiries[channel.audience] = asyncio.get_running_loop().call_later(
                self._tuning.replay_s, self._close_channel, channel
            )

    def _remove(self, channel: "Channel", listener: StreamListener) -> None:
        channel.remove(listener)
        self._release(channel)

    def _close_channel(self, channel: "Channel") -> None:
        self._channels.pop(channel.audience, None)
        channel.end()
        self._cancel_expiry(channel)
        self._closing.start(channel.close())
        self._subscribe()

    def _subscribe(self) -> None:
        is_any = bool(self._channels)
        self._database.listen(self._note if is_any else None, tenant=self._tenant)
        self._jobs.on_change = self._note_job if is_any else _nothing

    def _note(self, commit: Commit) -> None:
        for channel in self._channels.values():
            channel.note(commit)

    def _note_job(self, job: BackgroundJob) -> None:
        for channel in self._channels.values():
            channel.note_job(job)


def _nothing(job: BackgroundJob) -> None:
    """There are no listeners."""
