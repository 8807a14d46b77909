"""The work behind `/api/1/demo`: a process invents days, and they are imported as anybody's would be."""

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from dayline.api.call import Services, in_thread
from dayline.api.inner import App, InnerCall, Trusted, call_within
from dayline.care.jobs import Job, JobFault, JobResult
from dayline.demo.categories import demo_classes
from dayline.demo.mark import is_demo
from dayline.demo.order import DemoOrder
from dayline.model.category_settings import CLASSES
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound, Unavailable
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.store import ImportReport, Store

_FEWEST_DAYS: Final = 10  # at once: fewer take longer to begin with than to make
_PARTS: Final = 10
_PATH: Final = f"/api/0/settings/{CLASSES}"


class RemovedDemoBucket(Struct, frozen=True, kw_only=True):
    """A bucket that is in the trash now, and what undoes that: the same for all of them."""

    bucket: str
    undo: int


async def make_demo(services: Services, app: App, trusted: Trusted, order: DemoOrder, job: Job) -> JobResult:
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


async def _filled(services: Services, order: DemoOrder, job: Job) -> JobResult:
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


async def _imported(services: Services, part: DemoOrder, progress: _Progress) -> ImportReport:
    folder = await in_thread(services.database.scratch)
    try:
        document = folder / "demo.json"
        await _written(part, document)
        rules = services.privacy.rules
        return await services.store.import_files([document], rules=rules, on_progress=progress.advance)
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)


async def _written(part: DemoOrder, document: Path) -> None:
    try:
        await run_child("dayline.demo.writing", document, given=msgspec.json.encode(part))
    except ChildFailed as error:
        raise Unavailable(f"the demo could not be made: {error}") from error


async def _called(app: App, trusted: Trusted, method: str, body: bytes | None = None) -> None:
    await call_within(app, InnerCall(method=method, path=_PATH, body=body, trusted=trusted))
