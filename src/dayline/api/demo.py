"""`/api/1/demo`: invented activity to look around with, and away with it."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Final

import falcon
import msgspec
from msgspec import Meta, Struct

from dayline.api.call import Call, in_thread
from dayline.api.demo_making import RemovedDemoBucket, make_demo, remove_demo_buckets, remove_demo_categories
from dayline.api.inner import Trusted
from dayline.demo.mark import is_demo
from dayline.demo.order import DEVICES, SEED, DemoOrder
from dayline.insight.calendar import zone_of
from dayline.model.errors import Conflict
from dayline.model.preferences import ZoneName, preferences_of
from dayline.model.wire import decode_body

MOST_DAYS: Final = 365
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class DemoRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many days up to now, in whose time zone: without one, that of the preferences, else of the server."""

    days: Annotated[int, Meta(ge=1, le=MOST_DAYS)] = 30
    time_zone: ZoneName | None = None


class DemoRemoved(Struct, frozen=True, kw_only=True):
    """What was removed. `undo` has the one number that brings everything back; it is empty if there was no demo."""

    buckets: list[RemovedDemoBucket]
    undo: list[int]
    has_removed_categories: Annotated[bool, Meta(description="whether the categories were the demo's, unchanged")]


_request = msgspec.json.Decoder(DemoRequest)


async def start_demo(call: Call) -> None:
    """One person's invented days on a laptop, a desktop and a phone, and categories for them where there are none.

    They are in buckets of their own, also where something was recorded already, and can be removed again. The body may
    be left out. The progress of the job counts days.
    """
    order = await _order(call)
    await _check_room(call)
    await call.store.begin()
    call.note_destruction()  # of nothing, but it changes as much as an import does
    trusted = Trusted(caller=call.caller, seen=call.seen)
    job = call.services.jobs.start_alone("demo", partial(make_demo, call.services, call.app, trusted, order))
    call.response.status = falcon.HTTP_202
    call.answer_value(job.view())


async def remove_demo(call: Call) -> None:
    """Moves the demo's buckets to the trash, and removes its categories if they were not changed.

    It is one operation: undoing it brings the buckets back, and the categories if there are none by then. A demo that
    is being made is cancelled first. What was recorded is not touched.
    """
    await call.store.begin()
    services = call.services
    making = services.jobs.running("demo")
    if making is not None:
        await services.jobs.cancel(making)
    trusted = Trusted(caller=call.caller, seen=call.seen)
    buckets = await remove_demo_buckets(services.store)
    has_removed = await remove_demo_categories(services.store, call.app, trusted) if buckets else False
    undo = sorted({bucket.undo for bucket in buckets})
    call.answer_value(DemoRemoved(buckets=buckets, undo=undo, has_removed_categories=has_removed))


async def _order(call: Call) -> DemoOrder:
    is_given = bool(call.content_kind or call.request.content_length)
    request = decode_body(await call.json_body(), _request) if is_given else DemoRequest()
    preferred = await in_thread(_zone, call)
    zone = request.time_zone or preferred
    zone_of(zone)  # or it is refused
    return DemoOrder(until=_EPOCH + timedelta(microseconds=call.services.clock()), days=request.days, zone=zone)


def _zone(call: Call) -> str:
    return preferences_of(call.access.own_settings()).time_zone or call.services.facts.time_zone


async def _check_room(call: Call) -> None:
    call.services.jobs.check_alone("demo")
    taken = await in_thread(_demo_ids)
    buckets = call.store.buckets()
    if any(is_demo(bucket.data) for bucket in buckets.values()):
        raise Conflict("the demo is here already", hint="DELETE /api/1/demo removes it")
    for bucket_id in taken:
        if bucket_id in buckets:
            # Nobody could take the invented events out of it again.
            raise Conflict(
                f"there is a bucket {bucket_id!r} already that is not of the demo",
                hint="dayline demo --serve shows it apart from your data",
            )


def _demo_ids() -> list[str]:
    from dayline.demo.history import History  # here, because few servers ever need it

    today = datetime.now(UTC).date()
    return [bucket.id for bucket in History(seed=SEED, days=1, devices=DEVICES, end=today).buckets()]
