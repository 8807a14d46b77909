"""The call that tells what changes as it happens."""

from typing import Literal

from dayline.api import stream
from dayline.api.live.messages import (
    StreamBucket,
    StreamGoal,
    StreamHello,
    StreamMessage,
    StreamRevision,
    StreamSetting,
    Topic,
)
from dayline.api.route import EVENT_STREAM, Answer, Parameter, Route
from dayline.model.errors import Invalid, Unavailable

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
        method="GET", path="/api/1/stream", handler=stream.get_stream, tag="server", scope="read",
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
