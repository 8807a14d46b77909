"""`/api/1/recording`: turns the recording of the server's own computer on and off."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Route
from dayline.client.watch.process import Session
from dayline.client.watch.recorder import RecorderState
from dayline.insight.now.recent import newest_events
from dayline.model.errors import Forbidden, Unavailable
from dayline.model.time import Microseconds, Timestamp, format_timestamp
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store


class RecordingChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether to record this computer."""

    enabled: bool


class RecordingBucket(Struct, frozen=True, kw_only=True):
    """A bucket that Dayline's watcher records into. `quiet`: another watcher does, so Dayline does not."""

    id: str
    state: Literal["recording", "quiet"]
    since: Timestamp


class RecordedWindow(Struct, frozen=True, kw_only=True):
    """The newest event of the watcher for windows."""

    app: str
    title: str
    start: Timestamp
    end: Timestamp


class RecordingView(Struct, frozen=True, kw_only=True):
    """Whether the server records its own computer, with Dayline's watcher for windows and presence.

    `starting`: the watcher is being started. `checking`: it finds out whether another watcher is recording, for up to
    15 seconds. `quiet`: another one is. `failed`: it ended or cannot start; the server tries again.
    """

    enabled: Annotated[bool, Meta(description="the setting `watch.enabled`")]
    state: RecorderState
    can_record: Annotated[bool, Meta(description="whether there is a desktop session that can be recorded")]
    session: Annotated[Session | None, Meta(description="the kind of the desktop session")]
    message: Annotated[str | None, Meta(description="why this computer is not recorded, or what cannot be observed")]
    hint: Annotated[str | None, Meta(description="what to do about it")]
    hostname: Annotated[str, Meta(description="the name of the server's computer")]
    is_local: Annotated[bool, Meta(description="whether this call came from the server's computer")]
    since: Annotated[Timestamp | None, Meta(description="when the watcher began to record")]
    buckets: list[RecordingBucket]
    window: Annotated[RecordedWindow | None, Meta(description="the newest event for windows of this computer")]


async def get_recording(call: Call) -> None:
    """Whether Dayline's own watcher records the computer that the server runs on, and why not if it does not."""
    call.answer_value(await _view(call))


async def change_recording(call: Call) -> None:
    """Starts or stops the watcher at once, and stores the setting `watch.enabled` in the settings file.

    It cannot be turned on if there is no desktop session, or one that Dayline cannot observe: then nothing is changed,
    and the response says what is missing. Only this computer can change it: who uses it must know that it is recorded.
    """
    change = await call.decoded(RecordingChange)
    if not call.origin.is_here:
        command = f"dayline settings set watch.enabled {str(change.enabled).lower()}"
        raise Forbidden(
            f"the recording of {call.server.hostname} can only be changed on that computer",
            hint=f"use the web UI there, or run there: {command}",
        )
    # The setting is in a file; the empty change of the store makes sure that a repeated request has no effect.
    await call.server.recorder.turn(on=change.enabled, claim=lambda: call.access.change_own_settings({}))
    call.answer_value(await _view(call))


async def _view(call: Call) -> RecordingView:
    recorder, server = call.server.recorder, call.server
    probe = await recorder.probe()
    failure = recorder.failure
    buckets = recorder.buckets()
    return RecordingView(
        enabled=recorder.enabled,
        state=recorder.state,
        can_record=probe.session is not None,
        session=probe.session,
        message=probe.message if failure is None else failure.message,
        hint=probe.hint if failure is None else failure.hint,
        hostname=server.hostname,
        is_local=call.origin.is_here,
        since=min((format_timestamp(each.since) for each in buckets if each.state == "recording"), default=None),
        buckets=[RecordingBucket(id=each.id, state=each.state, since=format_timestamp(each.since)) for each in buckets],
        window=await in_thread(_newest_window, call.store, f"aw-watcher-window_{server.hostname}", now=server.clock()),
    )


def _newest_window(store: Store, bucket_id: str, *, now: Microseconds) -> RecordedWindow | None:
    newest = newest_events(store, bucket_id, until=now, limit=1)
    if not newest:
        return None
    event = newest[0]
    return RecordedWindow(
        app=event.text("app") or "",
        title=event.text("title") or "",
        start=format_timestamp(event.start),
        end=format_timestamp(event.end),
    )


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/recording", handler=get_recording, tag="server", scope="full",
        audience="server", summary="Show whether this computer is recorded",
        answer=Answer(type=RecordingView, description="the state of Dayline's watcher"),
    ),
    Route(
        method="PUT", path="/api/1/recording", handler=change_recording, tag="server", scope="full",
        audience="server", is_destructive=True, summary="Record this computer, or stop",
        body=Body(type=RecordingChange, example={"enabled": False}),
        answer=Answer(type=RecordingView, description="the state after the change"), errors=(Unavailable,),
    ),
)  # fmt: skip
