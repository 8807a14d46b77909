"""`/api/1/demo`: demo data, generated in a process of its own and imported."""

import asyncio
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import falcon
import msgspec
from msgspec import Meta, Struct

from dayline.api.http.call import Call
from dayline.api.http.inner import App, InnerCall, Trusted, call_within
from dayline.api.http.services import TenantServices
from dayline.demo.export import DEVICES, SEED, DemoOrder, demo_classes
from dayline.demo.mark import is_demo
from dayline.insight.calendar import zone_of
from dayline.maintenance.jobs import Job, JobFault, JobResult
from dayline.model.category import CLASSES
from dayline.model.data import canonical_json, decode_body
from dayline.model.errors import BucketNotFound, Conflict, Unavailable
from dayline.model.preferences import ZoneName, preferences_of
from dayline.runtime.threads import in_thread
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.store import ImportReport, Store

_FEWEST_DAYS: Final = 10  # at once: fewer take longer to begin with than to make
_PARTS: Final = 10
_PATH: Final = f"/api/0/settings/{CLASSES}"


class RemovedDemoBucket(Struct, frozen=True, kw_only=True):
    """A bucket that is in the trash now, and what undoes that: the same for all of them."""

    bucket: str
    undo: int


async def make_demo(services: TenantServices, app: App, trusted: Trusted, order: DemoOrder, job: Job) -> JobResult:
    """Fill the store, and set the demo's categories where there are none. Cancelled, it leaves nothing."""
    try:
        result = await _filled(services, order, job)
    except asyncio.CancelledError:
        if job.is_given_up:
            await remove_demo_buckets(services.store)
            job.left = JobFault(message="it was cancelled; what there was of it is in the trash", type="Cancelled")
        raise
    await set_demo_categories(services.store, app, trusted)
    return result


async def remove_demo_buckets(store: Store) -> list[RemovedDemoBucket]:
    """Move every bucket of the demo to the trash, as one operation."""
    while ids := [bucket.id for bucket in store.buckets().values() if is_demo(bucket.data)]:
        with suppress(BucketNotFound):  # one was deleted since they were listed
            undo = await store.delete_buckets(ids)
            return [RemovedDemoBucket(bucket=bucket_id, undo=undo) for bucket_id in ids]
    return []


async def remove_demo_categories(store: Store, app: App, trusted: Trusted) -> bool:
    """Remove the categories if they are still the demo's; whether they were."""
    if await in_thread(store.setting, CLASSES) != canonical_json(demo_classes()):
        return False
    await _called(app, trusted, "DELETE")
    return True


async def set_demo_categories(store: Store, app: App, trusted: Trusted) -> None:
    """Set the demo's categories if there are none."""
    if await in_thread(store.setting, CLASSES) is None:
        await _called(app, trusted, "POST", msgspec.json.encode(demo_classes()))


async def _filled(services: TenantServices, order: DemoOrder, job: Job) -> JobResult:
    """Part after part, the oldest first: each is short, so that one can tell how far it is."""
    at_once = max(_FEWEST_DAYS, -(-order.days // _PARTS))
    progress = _Progress(job, order.days)
    reports: list[ImportReport] = []
    for done in range(0, order.days, at_once):
        days = min(at_once, order.days - done)
        progress.begin(done, days)
        part = msgspec.structs.replace(order, days=days, skipped=order.days - done - days)
        reports.append(await _imported(services, part, progress))
        progress.stored += reports[-1].imported
    job.advance(order.days, order.days, progress.stored)
    return JobResult(
        buckets=reports[-1].buckets,
        imported=progress.stored,
        skipped=sum(report.skipped for report in reports),
        invalid=sum(report.invalid for report in reports),
    )


class _Progress:
    """Events of a part, as days of the whole."""

    def __init__(self, job: Job, total: int) -> None:
        self._job = job
        self._total = total
        self._done, self._days = 0, 0
        self.stored = 0

    def begin(self, done: int, days: int) -> None:
        self._done, self._days = done, days
        self._job.advance(done, self._total, self.stored)

    def advance(self, done: int, total: int, stored: int) -> None:
        days = self._done + self._days * done // max(total, 1)
        self._job.advance(days, self._total, self.stored + stored)


async def _imported(services: TenantServices, part: DemoOrder, progress: _Progress) -> ImportReport:
    folder = await in_thread(services.server.database.scratch)
    try:
        document = folder / "demo.json"
        await _written(part, document)
        rules = services.privacy.rules
        return await services.store.import_files([document], rules=rules, on_progress=progress.advance)
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)


async def _written(part: DemoOrder, document: Path) -> None:
    try:
        await run_child("dayline.demo.export", document, given=msgspec.json.encode(part))
    except ChildFailed as error:
        raise Unavailable(f"the demo could not be made: {error}") from error


async def _called(app: App, trusted: Trusted, method: str, body: bytes | None = None) -> None:
    await call_within(app, InnerCall(method=method, path=_PATH, body=body, trusted=trusted))


# `/api/1/demo`: invented activity to look around with, and away with it.


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
    job = call.tenant.jobs.start_alone("demo", partial(make_demo, call.tenant, call.app, trusted, order))
    call.response.status = falcon.HTTP_202
    call.answer_value(job.view())


async def remove_demo(call: Call) -> None:
    """Moves the demo's buckets to the trash, and removes its categories if they were not changed.

    It is one operation: undoing it brings the buckets back, and the categories if there are none by then. A demo that
    is being made is cancelled first. What was recorded is not touched.
    """
    await call.store.begin()
    services = call.tenant
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
    return DemoOrder(until=_EPOCH + timedelta(microseconds=call.server.clock()), days=request.days, zone=zone)


def _zone(call: Call) -> str:
    return preferences_of(call.access.own_settings()).time_zone or call.server.facts.time_zone


async def _check_room(call: Call) -> None:
    call.tenant.jobs.check_alone("demo")
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
