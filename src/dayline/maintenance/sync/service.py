"""Sync of one tenant: starting and joining a space, passes in the background, and leaving."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import structs

from dayline.maintenance.sources.state import read_sources
from dayline.maintenance.sync.devices.adopting import adopt, planned
from dayline.maintenance.sync.devices.generations import LeftOut, is_replaced, key_files, with_key_files
from dayline.maintenance.sync.devices.naming import found_device, not_in_space
from dayline.maintenance.sync.heads import Head, HeadRejected, generation_of, read_head
from dayline.maintenance.sync.items.exchange import RulesChanged
from dayline.maintenance.sync.keys import SpaceKey, invite_of, new_signing_key, new_space_key, parse_invite
from dayline.maintenance.sync.passes import Passes, sync_off
from dayline.maintenance.sync.report import (
    Adoption,
    DeviceReport,
    Invite,
    OwnDevice,
    PassReport,
    Recovered,
    SyncPreview,
    SyncStatus,
)
from dayline.maintenance.sync.spaces.finding import Spaces
from dayline.maintenance.sync.spaces.protocol import SLOW, Listing, Space, Timing, no_space
from dayline.maintenance.sync.spaces.storing import SpaceStorage
from dayline.maintenance.sync.spaces.views import NO_ACCESS, SpaceAccess
from dayline.maintenance.sync.state import (
    SyncState,
    is_published,
    left_behind,
    new_state,
    no_state,
    read_left,
    read_report,
    read_state,
    with_session,
)
from dayline.model.errors import Conflict, Invalid, Unavailable
from dayline.model.health import Problem
from dayline.model.time import SECOND, Microseconds, format_timestamp, optional_timestamp
from dayline.model.upkeep.mirror import origin_of
from dayline.runtime.background import BackgroundWorkers
from dayline.storage.store import Store
from dayline.storage.writing.mirrors import LEFT_KEY, STATE_KEY

RETRY_S: Final = 30.0  # after a failure; at most four minutes later
INITIAL_DELAY_S: Final = 4.0  # after a start, which has more urgent work


class Sync:
    """Use on the event loop. Only one call works on the space at a time; a pass in the background waits for it."""

    def __init__(
        self,
        store: Store,
        *,
        scratch: Callable[[], Path],
        clock: Callable[[], Microseconds],
        hostname: str,
        background: BackgroundWorkers,
        can_publish: Callable[[], bool],
        storage: Callable[[], SpaceStorage],
        rules_changed: RulesChanged,
        tenant: str = "",
    ) -> None:
        self._store = store
        self._spaces = Spaces(storage)
        self._mirrors = store.mirrors
        self._clock = clock
        self._hostname = hostname
        self._passes = Passes(
            self._mirrors,
            self._spaces,
            scratch=scratch,
            clock=clock,
            revision=lambda: store.revision,
            can_publish=can_publish,
            rules_changed=rules_changed,
        )
        self._lock = asyncio.Lock()
        self.next_pass: Microseconds | None = None  # when the next one in the background begins
        self._task = background.task(
            "sync",
            self._run_in_background,
            interval_s=SLOW.interval_s,
            initial_delay_s=INITIAL_DELAY_S,
            retry_s=RETRY_S,
            max_retry_s=SLOW.interval_s,
            hint="dayline sync shows what to do",
            tenant=tenant,
        )

    async def resume(self) -> None:
        """The server has started: if its database was restored, what it records from here on can be recognized.

        Runs passes in the background from now on.
        """
        # Without the lease, which another server of the database may have for long: that one has begun a session too.
        await self._mirrors.edit(STATE_KEY, with_session)
        self._task.start()

    async def close(self) -> None:
        """Stop. An interrupted pass is repeated by the next one."""
        await self._task.close()
        await asyncio.to_thread(self._spaces.close)

    async def start(self, location: str, access: SpaceAccess = NO_ACCESS) -> Invite:
        """Start a space, or fill that of this device again, from now on with this access.

        Raises Conflict, Invalid and Unavailable.
        """
        async with self._lock:
            former = state = await asyncio.to_thread(read_state, self._mirrors)
            space = self._spaces.at(location, access)
            if state is not None and state.location != space.location:
                raise _in_space(state)
            await asyncio.to_thread(space.create)
            listing = await asyncio.to_thread(space.listing)  # before the key that was valid until now is replaced
            if state is None:
                if await asyncio.to_thread(_heads, space, listing):
                    raise Conflict(
                        f"{location} has a sync space already", hint=f"join it with: dayline sync join {location}"
                    )
                state = new_state(space.location, access, self._hostname, new_space_key(), new_signing_key())
                state = state.begun(await self._mirrors.next_event_id())
            state = structs.replace(state, access=access)
            report = await self._first_pass(state, former)
            if report.problem is not None:  # of a device that was in the space already
                raise Unavailable(report.problem, hint=report.hint)
            return Invite(invite=invite_of(state.space_key), location=state.location)

    async def preview(self, location: str, invite: str, access: SpaceAccess = NO_ACCESS) -> SyncPreview:
        """The devices of a space that this invite opens; nothing is changed. Raises Invalid and Unavailable."""
        async with self._lock:  # a connection is used by one thread at a time
            space, _, heads = await self._opened(location, access, parse_invite(invite))
        return SyncPreview(location=space.location, devices=[_shown(head) for head in heads])

    async def join(self, location: str, invite: str, access: SpaceAccess = NO_ACCESS) -> PassReport:
        """Join a space: publish this device, and apply the others. Raises Conflict, Invalid and Unavailable.

        A device that was left out of its space, because another one has replaced the key, is the same device then.
        """
        async with self._lock:
            former = await asyncio.to_thread(read_state, self._mirrors)
            if former is not None and former.location != self._spaces.at(location, access).location:
                raise _in_space(former)
            space, key, _ = await self._opened(location, access, parse_invite(invite))
            if former is not None:
                await self._check_left_out(space, former)
                return await self._first_pass(structs.replace(former, access=access).with_key(key), former)
            state = new_state(space.location, access, self._hostname, key, new_signing_key())
            left = await asyncio.to_thread(read_left, self._mirrors)
            if left is not None and left.device in (await asyncio.to_thread(space.listing)).devices:
                state = state.rejoined(left)
            state = state.begun(await self._mirrors.next_event_id())
            return await self._first_pass(state)

    async def _check_left_out(self, space: Space, state: SyncState) -> None:
        """Raise Conflict unless this device needs an invite to get the newest key of its space."""
        names = await asyncio.to_thread(key_files, space, await asyncio.to_thread(space.listing))
        try:
            await asyncio.to_thread(with_key_files, space, state, names)
        except LeftOut as error:
            if error.is_removed:
                raise Conflict(str(error), hint=error.hint) from error
            return
        raise _in_space(state)

    async def status(self) -> SyncStatus:
        """The last report. Nothing is read of the space."""
        state = await asyncio.to_thread(read_state, self._mirrors)
        if state is None:
            return SyncStatus(is_on=False)
        report = self._passes.latest or await asyncio.to_thread(read_report, self._mirrors)
        return SyncStatus(
            is_on=True,
            location=state.location,
            device=await asyncio.to_thread(self._own_device, state),
            report=report,
            next_pass=optional_timestamp(self.next_pass),
        )

    async def run(self, *, is_verifying: bool = False) -> PassReport:
        """Run a pass now. `is_verifying` computes all digests again, also of what has not changed. Raises Conflict."""
        async with self._lock:
            return await self._passes.run(is_verifying=is_verifying)

    async def recover(self) -> Recovered:
        """Merge a restored database with what it had published. Raises Conflict and Unavailable."""
        async with self._lock:
            return await self._passes.recover()

    async def adopt(self, device: str, *, is_dry_run: bool) -> Adoption:
        """Make the mirrors of a device, named by its id or its name, buckets of this one. Raises NotFound and Conflict.

        Others have them from this device after their next pass.
        """
        async with self._lock:
            if not is_dry_run and await asyncio.to_thread(read_state, self._mirrors) is not None:
                report = await self._passes.run()  # with the newest events that are there
                if report.is_behind:  # ids of new events may have been used
                    raise Conflict(report.stopped or "this database was restored", hint=report.hint)
            async with self._mirrors.lease():
                return await self._adopt(device, is_dry_run=is_dry_run)

    async def _adopt(self, device: str, *, is_dry_run: bool) -> Adoption:
        state = await asyncio.to_thread(read_state, self._mirrors)
        everything = await asyncio.to_thread(self._mirrors.buckets)
        chosen = found_device(state, everything, device)
        if not chosen.mirrors:
            raise Conflict(f"there are no mirrors of {chosen.name} here", hint="dayline sync shows all devices")
        if chosen.adopted_by is not None:
            raise Conflict(f"{chosen.name} was adopted by {chosen.adopted_by}", hint="undo that there first")
        source = (await asyncio.to_thread(read_sources, self._mirrors)).active_source(chosen.id)
        if source is not None:
            raise Conflict(
                f"{chosen.name} is still mirrored from {source}",
                hint=f"stop that first: dayline sync source {source} --remove",
            )
        buckets = await asyncio.to_thread(planned, self._mirrors, chosen.mirrors)
        adoption = Adoption(
            device=chosen.id, name=chosen.name, buckets=buckets, events=sum(each.events for each in buckets)
        )
        if is_dry_run:
            return adoption
        group = f"sync-adopt-{chosen.id}"  # also of what an interrupted call has adopted
        await adopt(self._mirrors, chosen.mirrors, chosen.adopted, number=chosen.number, group=group)
        return structs.replace(adoption, group=group)

    async def remove(self, device: str, *, deletes_mirrors: bool) -> PassReport:
        """Give the space a new key, without a device named by its id or its name, and publish with it from now on.

        Its mirrors stay, or are deleted; to delete them later, call it again.

        Raises NotFound, Conflict and Unavailable.
        """
        async with self._lock:
            state = await self._state()
            everything = await asyncio.to_thread(self._mirrors.buckets)
            chosen = found_device(state, everything, device)
            if chosen.id not in state.peers:
                raise not_in_space(chosen)
            is_removed = chosen.id in state.removed
            if is_removed and not deletes_mirrors:
                raise Conflict(
                    f"{chosen.name} was removed by {state.removed[chosen.id]}",
                    hint="to delete its mirrors here: dayline sync remove --delete-mirrors",
                )
            if not is_removed:
                await self._passes.run()  # every device that is there now gets the new key
                await self._passes.remove(chosen.id)
            if deletes_mirrors:
                async with self._mirrors.lease() as fence:
                    for stored in chosen.mirrors:
                        await self._mirrors.delete(stored.key, fence=fence)
            return await self._passes.run()

    async def confirm(self, device: str) -> SyncStatus:
        """Confirm that a device, named by its id or its name, is one of the user's. Raises NotFound and Conflict."""
        async with self._lock:
            state = await self._state()
            chosen = found_device(state, await asyncio.to_thread(self._mirrors.buckets), device)
            if chosen.id not in state.peers:
                raise not_in_space(chosen)
            await self._passes.confirm(chosen.id)
        return await self.status()

    def problems(self) -> list[Problem]:
        """A health problem for each device that has joined and was not confirmed. Reads memory."""
        report = self._passes.latest
        return [
            Problem(
                kind="sync",
                message=f"{device.name} ({device.id}) has joined the devices that sync",
                hint=f"if it is yours: dayline sync confirm {device.id}; if not: dayline sync remove {device.id}",
            )
            for device in ([] if report is None else report.devices)
            if device.is_new
        ]

    async def invite(self) -> Invite:
        """The invite for other devices. Raises Conflict."""
        state = await self._state()
        return Invite(invite=invite_of(state.space_key), location=state.location)

    async def renew_identity(self) -> PassReport:
        """Become another device of the same space: for the copy of a disk. Raises Conflict and Unavailable.

        The device that it was before is another one then, with mirrors here.
        """
        async with self._lock:
            former = await self._state()
            state = former.renewed().begun(await self._mirrors.next_event_id())
            return await self._passes.run(first=state, former=former)

    async def leave(self, *, keeps_mirrors: bool) -> None:
        """Stop syncing. Nothing in the space is changed: other devices keep what this one has published.

        The mirrors are deleted, or stay as they are, read-only, until this is called again. If it joins again, it is
        the same device, unless it could not publish any more. Raises Conflict if there is nothing to leave.
        """
        async with self._lock, self._mirrors.lease() as fence:
            state = await asyncio.to_thread(read_state, self._mirrors)
            everything = await asyncio.to_thread(self._mirrors.buckets)
            others = (await asyncio.to_thread(read_sources, self._mirrors)).devices  # they do not belong to the space
            mirrors = [
                stored
                for stored in everything
                if (origin := origin_of(stored.bucket)) is not None and origin.device not in others
            ]
            if state is None and (keeps_mirrors or not mirrors):
                raise sync_off()
            report = self._passes.latest or await asyncio.to_thread(read_report, self._mirrors)
            is_stopped = report is not None and report.stopped is not None
            left = {} if state is None else {LEFT_KEY: None} if is_stopped else left_behind(state)
            await self._mirrors.keep({**no_state(), **left})
            self._passes.latest = None
            for stored in [] if keeps_mirrors else mirrors:
                await self._mirrors.delete(stored.key, fence=fence)

    async def _first_pass(self, state: SyncState, former: SyncState | None = None) -> PassReport:
        """Publish what there is. Sync is on if that succeeds, also if other devices cannot be applied yet."""
        report = await self._passes.run(first=state, former=former)
        self._task.start()
        if self._timing(state) != SLOW:
            self._task.wake()  # it may have started long ago, and sleep
        return report

    async def _state(self) -> SyncState:
        state = await asyncio.to_thread(read_state, self._mirrors)
        if state is None:
            raise sync_off()
        return state

    async def _opened(self, location: str, access: SpaceAccess, key: SpaceKey) -> tuple[Space, SpaceKey, list[Head]]:
        """The space, if the key opens one of its heads, and the key with its generation.

        Raises Invalid and Unavailable.
        """
        space = self._spaces.at(location, access)
        listing = await asyncio.to_thread(space.listing)
        names = await asyncio.to_thread(key_files, space, listing)
        if await asyncio.to_thread(is_replaced, space, key, names):
            raise Invalid(
                "this invite is not valid any more: a device was removed since",
                hint="show the new one on another device with: dayline sync invite",
                field="invite",
            )
        files = await asyncio.to_thread(_heads, space, listing)
        if not files:
            raise no_space(space.location)
        heads: list[Head] = []
        for device, file in files.items():
            try:
                heads.append(await asyncio.to_thread(read_head, file, [key], device=device))
                key = SpaceKey(key.secret, generation_of(file))
            except HeadRejected:
                continue  # the pass reports it
        if not heads:
            raise Invalid(
                f"this invite does not open the space in {location}",
                hint="show the invite of that space on one of its devices with: dayline sync invite",
                field="invite",
            )
        return space, key, heads

    def _own_device(self, state: SyncState) -> OwnDevice:
        own = [bucket for bucket in self._store.buckets().values() if is_published(bucket)]
        return OwnDevice(
            id=state.device,
            name=state.name,
            published=optional_timestamp(state.published),
            buckets=len(own),
            events=sum(self._store.count(bucket.id, start=None, end=None) for bucket in own),
        )

    def _timing(self, state: SyncState) -> Timing:
        return self._spaces.at(state.location, state.access).timing

    async def _run_in_background(self) -> float:
        async with self._lock:
            state = await asyncio.to_thread(read_state, self._mirrors)
            if state is None:
                self.next_pass = None
                return SLOW.interval_s
            interval_s = self._timing(state).interval_s
            self.next_pass = self._clock() + round(interval_s * SECOND)
            report = await self._passes.run()
        stopped = None if report.stopped is None else f"nothing is published: {report.stopped}"
        if (message := report.problem or stopped) is not None:
            raise Unavailable(message, hint=report.hint)  # health shows it
        return interval_s


def _in_space(state: SyncState) -> Conflict:
    return Conflict(f"this device is in the sync space {state.location}", hint="leave it first: dayline sync leave")


def _heads(space: Space, listing: Listing) -> dict[str, bytes]:
    found = {device: space.head(device) for device in sorted(listing.devices)}
    return {device: file for device, file in found.items() if file is not None}


def _shown(head: Head) -> DeviceReport:
    return DeviceReport(
        id=head.device,
        name=head.name,
        state="waiting",
        text="not joined yet",
        made=format_timestamp(head.made),
        since=format_timestamp(head.made),
        buckets=len(head.buckets),
        events=head.events,
    )
