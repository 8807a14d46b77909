"""`/api/1/stream`: changes as server-sent events."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import falcon.asgi
import msgspec

from dayline.api.http.call import Call
from dayline.api.http.headers import session_token
from dayline.api.http.parameters import several
from dayline.api.http.route import EVENT_STREAM, Answer, Parameter, Route
from dayline.api.insight.goals import marks_of
from dayline.api.insight.timeline import now_of
from dayline.api.live.channel import Sight
from dayline.api.live.hub import Wanted
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
from dayline.model.errors import Invalid, Malformed, Unavailable
from dayline.model.time import shorten

_LAST_ID: Final = "Last-Event-ID"


async def get_stream(call: Call) -> None:
    """Each message is a StreamMessage, in the form of server-sent events. docs/reference/stream.md says when they come.

    The first is `hello`. Where its `resumed` is true, all that came after the last id follows. Where an id was given
    and it is false, `reset` follows: what was missed is not known any more, and everything is to be read again.

    A key hears of what it may read. One for some buckets hears of those, by `now` and `bucket` alone. In silence there
    is a comment every 15 seconds. Whoever reads too slowly is cut off, and can come back with the last id.
    """
    topics = _topics(call)
    audience = audience_of(call.caller)
    wanted = Wanted(audience=audience, topics=topics & audience.topics, last_id=_last_id(call))
    is_following = _is_following(call)
    hub, sight = call.tenant.stream, _sight(call)
    call.response.content_type = EVENT_STREAM
    call.response.set_header("X-Accel-Buffering", "no")  # a proxy is not to wait for more
    if call.request.method == "HEAD" or not is_following:
        call.response.data = await hub.missed(wanted, sight)
        return
    if not call.has_connection:
        raise Invalid("a stream needs a connection of its own, and has no place in an envelope", field="path")
    call.response.stream = await hub.listen(wanted, sight, _Connected(call))
    call.send_little_ahead()  # by a reader that falls behind, megabytes would be on their way before anybody noticed


class _Connected:
    """The client of a call, for as long as it may listen."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._holds = _standing(call)

    def is_admitted(self) -> bool:
        return not self._call.is_abandoned and self._holds()

    def hang_up(self) -> None:
        self._call.hang_up()


def _standing(call: Call) -> Callable[[], bool]:
    """Tells whether what has let the caller in still does."""
    gate, key_id = call.server.gate, call.caller.key_id
    if call.caller.kind == "session":
        token = session_token(call.request, call.server.port) or ""
        return lambda: gate.sessions.find(token) is not None
    if key_id:
        return lambda: gate.keyring.active(key_id) is not None
    return lambda: True


def _sight(call: Call) -> Callable[[], Sight]:
    """What everybody sees who may hear the same as this caller."""
    store = call.tenant.store

    def sight() -> Sight:
        plain = _without_parameters(call)
        return Sight(
            now=lambda: now_of(plain),
            goals=lambda: marks_of(plain),
            has_bucket=lambda bucket_id: bucket_id in store.buckets(),
        )

    return sight


def _without_parameters(call: Call) -> Call:
    """The same caller with a call that asks for nothing in particular, and does not end when this one does."""
    scope: dict[str, Any] = {**call.request.scope, "query_string": b"", "state": {}}
    return msgspec.structs.replace(call, request=falcon.asgi.Request(scope, _nothing))


async def _nothing() -> Mapping[str, str]:
    return {"type": "http.disconnect"}


def _topics(call: Call) -> frozenset[Topic]:
    known: dict[str, Topic] = {topic: topic for topic in TOPICS}
    asked = several(call, "topic")
    for name in asked:
        if name not in known:
            raise Invalid(
                f"there is no topic {shorten(name)!r}", hint=f"one or more of {', '.join(TOPICS)}", field="topic"
            )
    return frozenset(known[name] for name in asked) if asked else frozenset(TOPICS)


def _last_id(call: Call) -> str | None:
    # A browser that comes back sends the header, and the address that it began with.
    return call.request.get_header(_LAST_ID) or call.request.get_param("last_event_id") or None


def _is_following(call: Call) -> bool:
    text = call.request.get_param("follow", default="1")
    if text not in ("0", "1", "false", "true"):
        raise Malformed("follow must be 0 or 1", field="follow")
    return text in ("1", "true")


# Routes.


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
        summary="Hear at once of what changes",
        parameters=(
            Parameter(
                name="topic", type=list[Topic],
                description="what to hear of; may be repeated; where it is left out, everything",
            ),
            Parameter(
                name="Last-Event-ID", type=str, is_header=True,
                description="the last id that was heard: what came after it is sent first",
            ),
            Parameter(
                name="last_event_id", type=str,
                description="the same, for clients that cannot send the header",
            ),
            Parameter(
                name="follow", type=Literal["0", "1"],
                description="0: only what was missed, and what is in front; the answer ends there",
            ),
        ),
        answer=Answer(
            type=StreamMessage, description="messages, until either side ends it", media=EVENT_STREAM,
            example=_EXAMPLE, inner=(StreamHello, StreamRevision, StreamBucket, StreamGoal, StreamSetting),
        ),
        errors=(Invalid, Unavailable),
    ),
)  # fmt: skip
