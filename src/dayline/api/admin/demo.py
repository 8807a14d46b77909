"""`/api/1/demo`: generates demo data in a child process, imports it, and removes it again."""

import asyncio
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct

from dayline.api.http.call import Call
from dayline.api.http.inner import App, InnerCall, Trusted, call_within
from dayline.api.http.services import TenantServices
from dayline.demo.export import DEVICES, SEED, DemoOrder, demo_classes
from dayline.insight.calendar import zone_of
from dayline.maintenance.jobs import BackgroundJob, JobFault, JobResult
from dayline.model.bucket import is_demo
from dayline.model.category import CLASSES
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound, Conflict
from dayline.model.settings.preferences import ZoneName, preferences_of
from dayline.model.upkeep.mirror import is_mirror
from dayline.runtime.threads import in_thread
from dayline.storage.operations.children import ChildFunction
from dayline.storage.store import Store
from dayline.storage.transfer.report import ImportReport

_MIN_DAYS: Final = 10  # days generated at a time: starting a process for fewer takes longer than generating them
_PARTS: Final = 10
_PATH: Final = f"/api/0/settings/{CLASSES}"

run_generator = ChildFunction("dayline.demo.export:write_order", int, failure="cannot generate the demo data")


class RemovedDemoBucket(Struct, frozen=True, kw_only=True):
    """A demo bucket that was moved to the trash. All of them share one undo entry."""

    bucket: str
    undo: int


async def make_demo(
    services: TenantServices, app: App, trusted: Trusted, order: DemoOrder, job: BackgroundJob
) -> JobResult:
    """Import the demo and set its categories if none are set. If the job is canceled, nothing remains."""
    try:
        result = await _generate(services, order, job)
    except asyncio.CancelledError:
        if job.is_given_up:
            await remove_demo_buckets(services.store)
            job.left = JobFault(message="canceled: the demo buckets are in the trash", type="Cancelled")
        raise
    await set_demo_categories(services.store, app, trusted)
    return result


async def remove_demo_buckets(store: Store) -> list[RemovedDemoBucket]:
    """Move every demo bucket to the trash, as one operation."""
    while ids := [bucket.id for bucket in store.buckets().values() if is_demo(bucket.data) and not is_mirror(bucket)]:
        with suppress(BucketNotFound):  # a bucket was deleted after we listed them
            undo = await store.delete_buckets(ids)
            return [RemovedDemoBucket(bucket=bucket_id, undo=undo) for bucket_id in ids]
    return []


async def remove_demo_categories(store: Store, app: App, trusted: Trusted) -> bool:
    """Remove the categories if they are still the demo's. Returns whether it removed them."""
    if await in_thread(store.setting, CLASSES) != canonical_json(demo_classes()):
        return False
    await _call_settings(app, trusted, "DELETE")
    return True


async def set_demo_categories(store: Store, app: App, trusted: Trusted) -> None:
    """Set the demo's categories if none are set."""
    if await in_thread(store.setting, CLASSES) is None:
        await _call_settings(app, trusted, "POST", msgspec.json.encode(demo_classes()))


async def _generate(services: TenantServices, order: DemoOrder, job: BackgroundJob) -> JobResult:
    """Generate and import in short parts, the oldest first, so that the progress is accurate."""
    at_once = max(_MIN_DAYS, -(-order.days // _PARTS))
    progress = _DemoProgress(job, order.days)
    reports: list[ImportReport] = []
    for done in range(0, order.days, at_once):
        days = min(at_once, order.days - done)
        progress.begin(done, days)
        part = msgspec.structs.replace(order, days=days, skipped=order.days - done - days)
        reports.append(await _import_part(services, part, progress))
        progress.stored += reports[-1].imported
    job.advance(order.days, order.days, progress.stored)
    return JobResult(
        buckets=reports[-1].buckets,
        imported=progress.stored,
        skipped=sum(report.skipped for report in reports),
        invalid=sum(report.invalid for report in reports),
    )


class _DemoProgress:
    """Converts the events of a part into days of the whole job."""

    def __init__(self, job: BackgroundJob, total: int) -> None:
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


async def _import_part(services: TenantServices, part: DemoOrder, progress: _DemoProgress) -> ImportReport:
    folder = await in_thread(services.server.database.scratch)
    try:
        document = folder / "demo.json"
        await run_generator(document, part)
        rules = services.privacy.rules
        return await services.store.import_files([document], rules=rules, on_progress=progress.advance)
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)


async def _call_settings(app: App, trusted: Trusted, method: str, body: bytes | None = None) -> None:
    await call_within(app, InnerCall(method=method, path=_PATH, body=body, trusted=trusted))


MAX_DAYS: Final = 365
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class DemoRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many days of demo data to generate, ending now, and the time zone of its days.

    The default time zone is that of the preferences, else of the server.
    """

    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)] = 30
    full_days: Annotated[bool, Meta(description="end with yesterday, the last full day, instead of now")] = False
    time_zone: ZoneName | None = None


class DemoRemoved(Struct, frozen=True, kw_only=True):
    """What was removed. `undo` has the id of the undo entry that restores it, or is empty if there was no demo."""

    buckets: list[RemovedDemoBucket]
    undo: list[int]
    has_removed_categories: Annotated[
        bool, Meta(description="true if the demo's categories were unchanged and removed")
    ]


async def start_demo(call: Call) -> None:
    """Generates demo activity on a laptop, a desktop and a phone, and sets categories if none are set.

    The demo has its own buckets, so you can remove it with `DELETE /api/1/demo` without touching recorded data. The
    body is optional. The job's progress counts days.
    """
    order = await _order(call)
    await _check_no_demo(call)
    await call.store.begin()
    call.note_destruction()  # it deletes nothing, but writes as much as an import
    trusted = Trusted(caller=call.caller, origin=call.origin)
    job = call.tenant.jobs.start_exclusive("demo", partial(make_demo, call.tenant, call.app, trusted, order))
    call.answer_value(job.view(), status=202)


async def remove_demo(call: Call) -> None:
    """Moves the demo's buckets to the trash, and removes its categories if they are unchanged.

    It is one operation: undoing it restores the buckets, and the categories if none are set by then. A demo job that
    is still running is canceled first. Recorded data is not touched.
    """
    await call.store.begin()
    services = call.tenant
    making = services.jobs.running("demo")
    if making is not None:
        await services.jobs.cancel(making)
    trusted = Trusted(caller=call.caller, origin=call.origin)
    buckets = await remove_demo_buckets(services.store)
    has_removed = await remove_demo_categories(services.store, call.app, trusted) if buckets else False
    undo = sorted({bucket.undo for bucket in buckets})
    call.answer_value(DemoRemoved(buckets=buckets, undo=undo, has_removed_categories=has_removed))


async def _order(call: Call) -> DemoOrder:
    is_given = bool(call.content_kind or call.request.content_length)
    request = await call.decoded(DemoRequest) if is_given else DemoRequest()
    preferred = await in_thread(_zone, call)
    zone = request.time_zone or preferred
    zone_of(zone)  # raises Invalid for an unknown zone
    until = _EPOCH + timedelta(microseconds=call.server.clock())
    if request.full_days:
        midnight = until.astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
        until = midnight - timedelta(microseconds=1)
    return DemoOrder(until=until, days=request.days, zone=zone)


def _zone(call: Call) -> str:
    return preferences_of(call.access.own_settings()).time_zone or call.server.facts.time_zone


async def _check_no_demo(call: Call) -> None:
    call.tenant.jobs.check_exclusive("demo")
    taken = await in_thread(_demo_ids)
    buckets = call.store.buckets()
    if any(is_demo(bucket.data) and not is_mirror(bucket) for bucket in buckets.values()):
        raise Conflict("the demo data already exists", hint="DELETE /api/1/demo removes it")
    for bucket_id in taken:
        if bucket_id in buckets:
            # The demo events could not be separated from the others again.
            raise Conflict(
                f"bucket {bucket_id!r} already exists and is not part of the demo",
                hint="dayline demo --serve runs the demo on a separate server",
            )


def _demo_ids() -> list[str]:
    from dayline.demo.history import History  # imported here because few servers ever need it

    today = datetime.now(UTC).date()
    return [bucket.id for bucket in History(seed=SEED, days=1, devices=DEVICES, end=today).buckets()]
