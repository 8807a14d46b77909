"""One pass: publish this device, then apply what the others have published. It returns a report, whatever happens."""

import asyncio
import shutil
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from dayline.maintenance.sync.devices.adopting import (
    Adopted,
    adopted_elsewhere,
    adopted_here,
    drop_adopted,
)
from dayline.maintenance.sync.devices.generations import (
    LeftOut,
    key_files,
    needs_next_generation,
    next_generation,
    with_key_files,
)
from dayline.maintenance.sync.digests.survey import Survey
from dayline.maintenance.sync.heads import Head, HeadRejected, read_head
from dayline.maintenance.sync.items.exchange import ItemExchange, RulesChanged
from dayline.maintenance.sync.publishing import Published, Publisher
from dayline.maintenance.sync.pulling import Pulled, Puller, not_pulled
from dayline.maintenance.sync.recovering import recover
from dayline.maintenance.sync.report import DeviceReport, DeviceState, PassReport, Recovered
from dayline.maintenance.sync.spaces.finding import Spaces
from dayline.maintenance.sync.spaces.protocol import KEYS, Listing, Space, no_space
from dayline.maintenance.sync.state import SyncState, encoded, no_state, read_state
from dayline.model.errors import Conflict, DaylineError, Invalid, Unavailable
from dayline.model.time import DAY, SECOND, Microseconds, format_timestamp
from dayline.model.upkeep.mirror import Origin, origin_of
from dayline.runtime.text import quantity
from dayline.storage.writing.mirrors import REPORT_KEY, MirrorFence, Mirrors

_MAX_IGNORED: Final = 20  # names in a report
_BEHIND_HINT: Final = (
    "after a restore, merge both: dayline sync recover; on the copy of a disk: dayline sync leave --new-identity"
)


class _Progress(Struct):
    """What a pass has done so far."""

    state: SyncState
    published: Published | None = None
    stopped: str | None = None
    is_behind: bool = False
    problem: str | None = None
    hint: str | None = None
    warnings: list[str] = []
    ignored: list[str] = []
    devices: list[DeviceReport] = []


class Passes:
    """Runs passes of one device, one at a time. `can_publish` is false while the database is being repaired."""

    def __init__(
        self,
        mirrors: Mirrors,
        spaces: Spaces,
        *,
        scratch: Callable[[], Path],
        clock: Callable[[], Microseconds],
        revision: Callable[[], int],
        can_publish: Callable[[], bool],
        rules_changed: RulesChanged,
    ) -> None:
        self._mirrors = mirrors
        self._items = ItemExchange(mirrors.items, rules_changed=rules_changed)
        self._spaces = spaces
        self._scratch = scratch
        self._clock = clock
        self._can_publish = can_publish
        self._revision = revision
        self._survey = Survey(mirrors)
        self._mark: tuple[int, int] | None = None  # of the store when `_known` was published, and the day
        self._known: Head | None = None
        self._stored: SyncState | None = None  # by the last pass
        self.latest: PassReport | None = None  # of this process; those that differ only in their times are not stored

    async def run(
        self, *, first: SyncState | None = None, former: SyncState | None = None, is_verifying: bool = False
    ) -> PassReport:
        """Run a pass and store its report. Raises Conflict if sync is off.

        `first` is the state of a device that starts or joins a space, and `former` the stored one that it replaces. If
        its first pass cannot publish anything, everything stays as it was, and the error is raised.
        """
        began = self._clock()
        if is_verifying:
            self._survey.forget()
            self._mark = None
        async with self._mirrors.lease() as fence:
            progress = _Progress(await self._state() if first is None else await self._first(first, former))
            try:
                await self._run(progress, fence, is_first=first is not None, is_verifying=is_verifying)
            except DaylineError as error:
                if first is not None and progress.state.published is None:
                    await self._mirrors.keep(no_state() if former is None else encoded(former))
                    raise
                progress.problem, progress.hint = error.message, error.hint
            report, stored = _report(progress, began, self._clock()), self.latest
            self.latest = report
            # An idle pass writes nothing: they are frequent, and a disk may sleep.
            is_same = stored is not None and report == replace(stored, began=report.began, ended=report.ended)
            if not is_same or first is not None or progress.state != self._stored:
                await self._mirrors.keep({**encoded(progress.state), REPORT_KEY: msgspec.json.encode(report)})
                self._stored = progress.state
            return report

    async def recover(self) -> Recovered:
        """Merge a restored database with what it had published. Raises Conflict if there is nothing to merge."""
        async with self._mirrors.lease():
            state = await self._state()
            space = self._spaces.at(state.location, state.access)
            await asyncio.to_thread(space.listing)
            own = await asyncio.to_thread(_own_head, space, _Progress(state))
            if own is None or not state.is_behind(own):
                raise Conflict("there is nothing to recover: this database is as new as what it has published")
            state, recovered = await recover(self._mirrors, space, state, own)
            await self._mirrors.keep(encoded(state))
            await self._items.pull(space, state, own, now=self._clock())
            return recovered

    async def _first(self, first: SyncState, former: SyncState | None) -> SyncState:
        """The state of a device that starts or joins. Another server of the database may have stored one by now."""
        stored = await asyncio.to_thread(read_state, self._mirrors)
        if (None if stored is None else stored.device) != (None if former is None else former.device):
            raise Conflict(
                "another server of this database has just joined or left a space", hint="look at: dayline sync"
            )
        if stored is not None and stored.device == first.device:
            stored = replace(stored, access=first.access)
            return stored if first.generation <= stored.generation else stored.with_key(first.space_key)
        return first

    async def _state(self) -> SyncState:
        state = await asyncio.to_thread(read_state, self._mirrors)
        if state is None:
            raise sync_off()
        return state

    async def _run(self, progress: _Progress, fence: MirrorFence, *, is_first: bool, is_verifying: bool) -> None:
        if self._mark is None or self._mark[0] != self._revision():
            # Also if the space cannot be reached: the time of an edit is when it is noted.
            with suppress(Conflict):  # the annotations are worked on
                await self._items.note_edits(progress.state.device, now=self._clock())
        space = self._spaces.at(progress.state.location, progress.state.access)
        listing = await asyncio.to_thread(space.listing)
        progress.ignored = sorted(listing.ignored)
        names = await asyncio.to_thread(key_files, space, listing)
        if not await self._get_keys(space, progress, names):
            return
        own = await asyncio.to_thread(_own_head, space, progress)
        await asyncio.to_thread(_check_readable, space, progress.state, listing, is_first=is_first)
        if listing.devices and not progress.state.is_behind(own):
            await self._put_keys(space, progress, names)
        adopted = await adopted_here(self._mirrors)
        await self._publish(space, progress, own, adopted, is_verifying=is_verifying)
        if self._items.warning is not None:
            progress.warnings.append(self._items.warning)
        left, is_joining = await asyncio.to_thread(self._mirrored_devices), is_first and not progress.state.peers
        for device in sorted(listing.devices - {progress.state.device} | progress.state.peers.keys()):
            if device not in progress.state.peers and await asyncio.to_thread(space.head, device) is None:
                progress.ignored.append(f"{device}/")  # of one that could not join, or whose head is on its way
                continue
            keys = {
                *(adopted[device].keys if device in adopted else ()),
                *_keys(adopted_elsewhere(progress.state), device),
            }
            is_adopted, remover = bool(keys) and device not in left, progress.state.removed.get(device)
            if is_adopted or remover is not None:
                if device not in progress.state.peers:
                    continue  # it was gone before this device joined
                text = f"removed by {remover}"
                if is_adopted:
                    text = await asyncio.to_thread(_adopted_text, space, progress.state, device, adopted)
                kind: DeviceState = "adopted" if is_adopted else "removed"
                pulled = not_pulled(progress.state, device, kind, text, now=self._clock())
            else:
                puller = Puller(self._mirrors, self._survey, self._items, partial(self._remember, progress))
                try:
                    pulled = await puller.pull(
                        space, progress.state, device, fence, now=self._clock(), is_verifying=is_verifying,
                        adopted=keys, is_joining=is_joining,
                    )  # fmt: skip
                except Unavailable:
                    raise
                except DaylineError as error:  # of one device: the others continue
                    pulled = not_pulled(progress.state, device, "waiting", error.message, now=self._clock())
            await self._note(progress, pulled)
        state, warnings = await drop_adopted(self._mirrors, progress.state, adopted, fence)
        progress.warnings += warnings
        if state != progress.state:
            await self._remember(progress, state)

    async def _note(self, progress: _Progress, pulled: Pulled) -> None:
        if pulled.state != progress.state:
            await self._remember(progress, pulled.state)
        if pulled.report is not None:
            progress.devices.append(pulled.report)
        progress.warnings += pulled.warnings

    async def _get_keys(self, space: Space, progress: _Progress, names: Collection[str]) -> bool:
        """Use the keys of the space that this device does not have yet; False if it may not have them."""
        try:
            state, warnings = await asyncio.to_thread(with_key_files, space, progress.state, names)
        except LeftOut as error:
            progress.stopped, progress.hint = str(error), error.hint
            return False
        progress.warnings += warnings
        if state != progress.state:
            await self._remember(progress, state)
        return True

    async def _put_keys(self, space: Space, progress: _Progress, names: Collection[str]) -> None:
        """Write key files that are missing, and the next one if a removed device has the newest key."""
        for number, content in progress.state.key_files.items():
            if str(number) not in names:
                await self._put_key_file(space, number, content.encode("ascii"))
        if needs_next_generation(progress.state):
            await self._replace_key(space, progress, {})

    async def confirm(self, device: str) -> None:
        """Do not report a device as new any more."""
        async with self._mirrors.lease():
            state = await self._state()
            peer = replace(state.peers[device], is_new=False)
            await self._mirrors.keep(encoded(replace(state, peers=state.peers | {device: peer})))
            if (report := self.latest) is not None:
                devices = [replace(each, is_new=each.is_new and each.id != device) for each in report.devices]
                self.latest = replace(report, devices=devices)
                await self._mirrors.keep({REPORT_KEY: msgspec.json.encode(self.latest)})

    async def remove(self, device: str) -> None:
        """Replace the key of the space by one that a device does not get. Raises Conflict and Unavailable."""
        async with self._mirrors.lease():
            progress = _Progress(await self._state())
            space = self._spaces.at(progress.state.location, progress.state.access)
            listing = await asyncio.to_thread(space.listing)
            names = await asyncio.to_thread(key_files, space, listing)
            if await self._get_keys(space, progress, names):
                await asyncio.to_thread(_check_readable, space, progress.state, listing, is_first=False)
                own = await asyncio.to_thread(_own_head, space, progress)
                if own is not None and progress.state.is_behind(own):
                    progress.stopped = behind_text(progress.state, own)
                    progress.hint = _BEHIND_HINT
            if progress.stopped is not None:
                raise Conflict(progress.stopped, hint=progress.hint)
            await self._replace_key(space, progress, {device: progress.state.name})

    async def _replace_key(self, space: Space, progress: _Progress, removed: dict[str, str]) -> None:
        """Write the file first, and use its key as any other device does: a kill in between leaves both or none."""
        number, content = next_generation(progress.state, removed, now=self._clock())
        await self._put_key_file(space, number, content)
        state, _ = await asyncio.to_thread(with_key_files, space, progress.state, {str(number)})
        await self._remember(progress, state)

    async def _put_key_file(self, space: Space, number: int, content: bytes) -> None:
        scratch = await asyncio.to_thread(self._scratch)
        try:
            path = scratch / "keys"
            await asyncio.to_thread(path.write_bytes, content)
            await asyncio.to_thread(space.put, KEYS, str(number), path)
        finally:
            await asyncio.to_thread(_remove, scratch)

    def _mirrored_devices(self) -> set[str]:
        origins = (origin_of(stored.bucket) for stored in self._mirrors.buckets())
        return {origin.device for origin in origins if origin is not None}

    async def _remember(self, progress: _Progress, state: SyncState) -> None:
        progress.state = state
        await self._mirrors.keep(encoded(state))

    async def _publish(
        self, space: Space, progress: _Progress, own: Head | None, adopted: Adopted, *, is_verifying: bool
    ) -> None:
        state = progress.state
        by = {name for origin, name in adopted_elsewhere(state).items() if origin.device == state.device}
        if by:
            progress.stopped = f"this device was adopted by {', '.join(sorted(by))}, which has its events now"
            progress.hint = "undo the adoption there, or leave and join as a new device: dayline sync leave"
            return
        if state.is_behind(own):
            assert own is not None
            progress.stopped, progress.is_behind = behind_text(state, own), True
            progress.hint = _BEHIND_HINT
            return
        if not self._can_publish():
            progress.stopped = "the database is being repaired: nothing is published until it is complete"
            return
        now = self._clock()
        mark = self._revision(), now // DAY
        scratch = await asyncio.to_thread(self._scratch)
        try:
            publisher = Publisher(self._mirrors, self._survey, self._items, scratch, partial(self._remember, progress))
            progress.published = await publisher.publish(
                space,
                state,
                own,
                now=now,
                known=self._known if mark == self._mark else None,
                adopted=adopted,
                is_verifying=is_verifying,
            )
            progress.state = progress.published.state
            self._mark, self._known = mark, progress.published.head
        except Invalid as error:
            if state.published is None:
                raise
            progress.stopped, progress.hint = error.message, error.hint
        finally:
            await asyncio.to_thread(_remove, scratch)


def _first(names: list[str]) -> list[str]:
    """The first names, and how many others there are: the report is stored."""
    left = len(names) - _MAX_IGNORED
    return [*names[:_MAX_IGNORED], f"and {quantity(left, 'other')}"] if left > 0 else names


def sync_off() -> Conflict:
    return Conflict("sync is off", hint="turn it on with: dayline sync start LOCATION, or dayline sync join LOCATION")


def behind_text(state: SyncState, own: Head) -> str:
    """Why a device publishes nothing."""
    since = "" if state.published is None else f" since {format_timestamp(state.published // SECOND * SECOND)}"
    return (
        f"this database is older than what {own.name} has published{since} "
        f"({quantity(own.events, 'event')} are published): it was restored, or runs twice"
    )


def _own_head(space: Space, progress: _Progress) -> Head | None:
    state = progress.state
    file = space.head(state.device)
    if file is None:
        return None
    try:
        return read_head(file, state.space_keys, device=state.device)
    except HeadRejected as error:
        # Readers accept the next one, because its number continues from the clock and it names the one before.
        progress.warnings.append(f"the head of this device is written again: {error}")
        return None


def _check_readable(space: Space, state: SyncState, listing: Listing, *, is_first: bool) -> None:
    """Raise Unavailable unless this device can read the space, or may fill it."""
    files = {device: file for device in sorted(listing.devices) if (file := space.head(device)) is not None}
    if not files and not is_first:
        raise no_space(space.location)
    if not files or state.device in files:
        return
    for device, file in files.items():
        with suppress(HeadRejected):
            read_head(file, state.space_keys, device=device)
            return
    raise Unavailable(
        f"the sync space in {space.location} is another one than that of this device",
        hint="nothing was written: check what is mounted there, or leave and join it with: dayline sync leave",
    )


def _keys(origins: Iterable[Origin], device: str) -> set[int]:
    return {origin.key for origin in origins if origin.device == device}


def _adopted_text(space: Space, state: SyncState, device: str, here: Adopted) -> str:
    file = None if device not in here or device in state.removed else space.head(device)
    with suppress(HeadRejected):
        if file is not None and read_head(file, state.space_keys, device=device).number > here[device].number:
            return "adopted here without its newest events: undo the adoption, sync, and adopt again"
    by = {name for origin, name in adopted_elsewhere(state).items() if origin.device == device}
    return "adopted here" if device in here else f"adopted by {', '.join(sorted(by))}"


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _report(progress: _Progress, began: Microseconds, ended: Microseconds) -> PassReport:
    published = progress.published
    return PassReport(
        began=format_timestamp(began),
        ended=format_timestamp(ended),
        written=0 if published is None else published.packs,
        written_bytes=0 if published is None else published.bytes,
        has_new_head=published is not None and published.has_new_head,
        stopped=progress.stopped,
        is_behind=progress.is_behind,
        problem=progress.problem,
        hint=progress.hint,
        warnings=progress.warnings,
        ignored=_first(progress.ignored),
        devices=progress.devices,
    )
