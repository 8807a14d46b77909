"""`/api/1/stream`: changes as server-sent events."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import falcon.asgi
import msgspec

from dayline.api.http.call import Call
from dayline.api.http.parameters import several
from dayline.api.http.route import EVENT_STREAM, Answer, Parameter, Route
from dayline.api.insight.goals import goals_today
from dayline.api.insight.timeline import now_of
from dayline.api.live.channel import ChannelQueries
from dayline.api.live.hub import StreamRequest
from dayline.api.live.messages import (
    TOPICS,
    StreamBucket,
    StreamGoal,
    StreamHello,
    StreamMessage,
    StreamRevision,
    StreamSetting,
    Topic,
    audience_of,
)
from dayline.model.errors import Invalid, Unavailable
from dayline.model.time import shorten

_LAST_ID: Final = "Last-Event-ID"


async def get_stream(call: Call) -> None:
    """Server-sent events; each is a StreamMessage. See docs/reference/stream.md.

    The first message is `hello`. If its `resumed` is true, all messages after the last id follow. If you sent an id and
    `resumed` is false, `reset` follows: the missed messages are not available any more, so read everything again. A key
    receives what it may read; a key that is limited to some buckets receives only `now` and `bucket` for those. A
    comment is sent after 15 seconds without a message. A client that reads too slowly is disconnected, and can
    reconnect with the last id.
    """
    topics = _topics(call)
    audience = audience_of(call.caller)
    wanted = StreamRequest(audience=audience, topics=topics & audience.topics, last_id=_last_id(call))
    is_following = call.flag("follow", default=True)
    hub, queries = call.tenant.stream, _channel_queries(call)
    call.response.content_type = EVENT_STREAM
    call.response.set_header("X-Accel-Buffering", "no")  # disables buffering in proxies
    if call.request.method == "HEAD" or not is_following:
        call.response.data = await hub.first_messages(wanted, queries)
        return
    if not call.has_connection:
        raise Invalid("a stream cannot be opened inside an envelope", field="path")
    call.response.stream = await hub.listen(wanted, queries, _CallClient(call))
    call.send_little_ahead()  # otherwise megabytes are buffered before we notice a slow reader


class _CallClient:
    """The client of a call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._holds = _standing(call)
        self.hang_up = call.hang_up

    def is_admitted(self) -> bool:
        return not self._call.is_abandoned and self._holds()


def _standing(call: Call) -> Callable[[], bool]:
    """A function that returns whether the caller's key or session is still valid."""
    gate, key_id, session = call.server.gate, call.caller.key_id, call.caller.session
    if session:
        return lambda: gate.sessions.is_valid(session)
    if key_id:
        return lambda: gate.keyring.active(key_id) is not None
    return lambda: True


def _channel_queries(call: Call) -> Callable[[], ChannelQueries]:
    """The endpoints of a channel, called with this caller's rights."""
    store = call.tenant.store

    def queries() -> ChannelQueries:
        plain = _without_parameters(call)
        return ChannelQueries(
            now=lambda: now_of(plain),
            goals=lambda: goals_today(plain),
            has_bucket=lambda bucket_id: bucket_id in store.buckets(),
        )

    return queries


def _without_parameters(call: Call) -> Call:
    """A call of the same caller without parameters, which does not end with this one."""
    scope: dict[str, Any] = {**call.request.scope, "query_string": b"", "state": {}}
    return msgspec.structs.replace(call, request=falcon.asgi.Request(scope, _nothing))


async def _nothing() -> Mapping[str, str]:
    return {"type": "http.disconnect"}


def _topics(call: Call) -> frozenset[Topic]:
    known: dict[str, Topic] = {topic: topic for topic in TOPICS}
    asked = several(call, "topic")
    for name in asked:
        if name not in known:
            raise Invalid(f"unknown topic {shorten(name)!r}", hint=f"topics: {', '.join(TOPICS)}", field="topic")
    return frozenset(known[name] for name in asked) if asked else frozenset(TOPICS)


def _last_id(call: Call) -> str | None:
    # A browser that reconnects sends the header, and its original URL.
    return call.request.get_header(_LAST_ID) or call.request.get_param("last_event_id") or None


_EXAMPLE = """\
retry: 1000

id: 5f0c2f6d3ab1e744-12
event: hello
data: {"resumed":false,"version":"1.0.0","revision":1790000000000000}

id: 5f0c2f6d3ab1e744-13
event: bucket
data: {"id":"aw-watcher-window_laptop","change":"recorded"}

: ping

"""

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/stream", handler=get_stream, tag="server", scope="read",
        summary="Stream changes",
        parameters=(
            Parameter(
                name="topic", type=list[Topic],
                description="only this topic; may be repeated; default: all",
            ),
            Parameter(
                name="Last-Event-ID", type=str, is_header=True,
                description="the last id received: messages after it are sent first",
            ),
            Parameter(
                name="last_event_id", type=str,
                description="the same, for clients that cannot send the header",
            ),
            Parameter(
                name="follow", type=Literal["0", "1"],
                description="0: only send missed messages and the current activity, then end",
            ),
        ),
        answer=Answer(
            type=StreamMessage, description="messages until either side closes the connection", media=EVENT_STREAM,
            example=_EXAMPLE, inner=(StreamHello, StreamRevision, StreamBucket, StreamGoal, StreamSetting),
        ),
        errors=(Invalid, Unavailable),
    ),
)  # fmt: skip
