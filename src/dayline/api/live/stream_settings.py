"""How many may listen to the stream, and for how long what they miss is kept."""

from typing import Annotated

from msgspec import Meta, Struct


class StreamSettings(Struct, frozen=True, kw_only=True):
    """What `GET /api/1/stream` gives, and to how many."""

    listeners: Annotated[int, Meta(ge=0, description="streams that may be open at once")] = 64
    ping_s: Annotated[
        float, Meta(gt=0, description="seconds of silence after which a stream says that it is still there")
    ] = 15.0
    replay_s: Annotated[
        float, Meta(ge=0, description="seconds for which messages are kept for those who come back")
    ] = 60.0
    replay_messages: Annotated[int, Meta(ge=0, description="messages that are kept for them at most")] = 2000
    queued_messages: Annotated[
        int, Meta(ge=1, description="messages that may wait for a slow reader before its stream is closed")
    ] = 1000
    queued_kib: Annotated[int, Meta(ge=1, description="KiB that may wait for a slow reader")] = 1024
    goal_s: Annotated[float, Meta(gt=0, description="seconds between two looks at the goals")] = 60.0
