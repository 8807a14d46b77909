"""Publishes the items of this device, and applies those of others."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, structs

from dayline.maintenance.sync.heads import Head
from dayline.maintenance.sync.items.ledger import Snapshot, ledger_of, left_out_text, merge, take, usable
from dayline.maintenance.sync.items.model import digest_of_lines, encoded_items, read_items, write_items
from dayline.maintenance.sync.items.settings import RULES
from dayline.maintenance.sync.keys import key_of
from dayline.maintenance.sync.packs import PackDamaged
from dayline.maintenance.sync.spaces.protocol import Space
from dayline.maintenance.sync.state import SyncState
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds
from dayline.runtime.text import quantity
from dayline.storage.writing.shared_items import ItemReads, ItemWrites, SharedItems

_AT_ONCE: Final = 50  # items of a transaction: a heartbeat waits for it

RulesChanged = Callable[[], Awaitable[None]]


class PulledItems(Struct, frozen=True, kw_only=True):
    """Whether the file of a device is missing, and what could not be used."""

    is_waiting: bool = False
    problem: str | None = None
    warning: str | None = None


class ItemExchange:
    """Use on the event loop. `rules_changed` puts privacy rules in force that came from another device."""

    def __init__(self, items: SharedItems, *, rules_changed: RulesChanged) -> None:
        self._items = items
        self._rules_changed = rules_changed
        self.warning: str | None = None  # about the items of this device, as they were noted last

    async def note_edits(self, device: str, *, now: Microseconds) -> bytes:
        """Note what was edited here since the last time. Returns the lines of its items. Raises Conflict."""
        snapshot, is_noted = await asyncio.to_thread(self._items.read, lambda reads: _taken(reads, device, now=now))
        if not is_noted:
            snapshot = await self._items.change(lambda writes: _kept(writes, device, now=now))
        self.warning = left_out_text(snapshot)
        return await asyncio.to_thread(lambda: encoded_items(snapshot.items(device)))

    async def publish(
        self, space: Space, state: SyncState, scratch: Path, there: Collection[str], *, now: Microseconds
    ) -> tuple[str, int]:
        """Write the file of all items if it is not there; returns its digest and its size. Raises Conflict."""
        lines = await self.note_edits(state.device, now=now)
        digest = digest_of_lines(lines)
        if not digest or state.space_key.pack_name(digest) in there:
            return digest, 0
        return digest, await asyncio.to_thread(_write, space, state, scratch / "items", lines, digest, now)

    async def pull(self, space: Space, state: SyncState, head: Head, *, now: Microseconds) -> PulledItems:
        """Apply the items that a head lists. Can be repeated, so that it continues after a kill."""
        if not head.items:
            return PulledItems()
        ledger = await asyncio.to_thread(self._items.read, lambda reads: ledger_of(reads.state()))
        if ledger.applied.get(head.device) == head.items and head.device != state.device:
            return PulledItems()
        key = key_of(state.space_keys, head.space)
        name = key.pack_name(head.items)
        file = await asyncio.to_thread(space.open_pack, head.device, name)
        if file is None:
            return PulledItems(is_waiting=True)
        try:
            with file:
                found = await asyncio.to_thread(read_items, file, key, digest=head.items)
        except PackDamaged as error:
            return PulledItems(is_waiting=True, problem=f"{head.device}/{name} cannot be used: {error}")
        items, others = await asyncio.to_thread(usable, found)
        known = {device: peer.name for device, peer in state.peers.items()} | {state.device: state.name}
        changed: list[str] = []

        def names(device: str) -> str:
            return known.get(device, head.name)

        try:
            for first in range(0, len(items), _AT_ONCE):
                some = items[first : first + _AT_ONCE]
                changed += await self._items.change(
                    partial(merge, device=state.device, items=some, now=now, names=names),
                    by=head.name,
                    group=f"sync-{head.device}-{head.number}",
                    rows=len(some),
                )
            await self._items.change(lambda writes: _note_applied(writes, head))
        except Conflict as error:  # the annotations are worked on: the next pass repeats it
            return PulledItems(is_waiting=True, problem=error.message)
        finally:
            if RULES & set(changed):
                await self._rules_changed()
        if not others:
            return PulledItems()
        return PulledItems(
            warning=f"{head.name} has {quantity(len(others), 'setting')} that this version cannot use: {others[0][:60]}"
        )


def _taken(reads: ItemReads, device: str, *, now: Microseconds) -> tuple[Snapshot, bool]:
    """All items, and whether all edits are noted."""
    snapshot = take(reads, device, now=now)
    return snapshot, snapshot.ledger == ledger_of(reads.state())


def _kept(writes: ItemWrites, device: str, *, now: Microseconds) -> Snapshot:
    snapshot = take(writes, device, now=now)
    writes.keep(msgspec.json.encode(snapshot.ledger))
    return snapshot


def _note_applied(writes: ItemWrites, head: Head) -> None:
    ledger = ledger_of(writes.state())
    writes.keep(msgspec.json.encode(structs.replace(ledger, applied=ledger.applied | {head.device: head.items})))


def _write(space: Space, state: SyncState, path: Path, lines: bytes, digest: str, now: Microseconds) -> int:
    with path.open("wb") as file:
        write_items(file, state.space_key, lines, made=now)
    space.put(state.device, state.space_key.pack_name(digest), path)
    return path.stat().st_size
