"""Finds another device by what a user calls it."""

from collections.abc import Sequence

from msgspec import Struct

from dayline.maintenance.sync.devices.adopting import Adopted, adopted_elsewhere
from dayline.maintenance.sync.state import SyncState
from dayline.model.errors import Conflict, NotFound
from dayline.model.upkeep.mirror import host_of_origin, origin_of
from dayline.storage.writing.mirrors import StoredBucket


class KnownDevice(Struct, frozen=True, kw_only=True):
    """Another device with its mirrors here, the number of the head that they are like, and what it has adopted itself.

    `adopted_by` names the device that has adopted it.
    """

    id: str
    name: str
    mirrors: list[StoredBucket]
    number: int
    adopted: Adopted
    adopted_by: str | None


def found_device(state: SyncState | None, everything: Sequence[StoredBucket], named: str) -> KnownDevice:
    """The device with this id, or else this name, or else mirrors with this host name.

    Raises NotFound, and Conflict for several.
    """
    mirrors: dict[str, list[StoredBucket]] = {} if state is None else {device: [] for device in state.peers}
    for stored in everything:
        if (origin := origin_of(stored.bucket)) is not None:
            mirrors.setdefault(origin.device, []).append(stored)
    names = {device: _names(state, device, mirrors[device]) for device in mirrors}
    found = (
        [device for device in mirrors if device == named]
        or [device for device, each in names.items() if named == each[0]]
        or [device for device, each in names.items() if named in each]
    )
    if not found:
        raise NotFound(f"no device is named {named[:40]!r}", hint="list them with: dayline sync", field="device")
    if len(found) > 1:
        raise Conflict(f"several devices are named {named!r}: {', '.join(sorted(found))}", hint="use the id of one")
    (device,) = found
    by = {} if state is None else {origin.device: name for origin, name in adopted_elsewhere(state).items()}
    peer = None if state is None else state.peers.get(device)
    return KnownDevice(
        id=device,
        name=names[device][0],
        mirrors=mirrors[device],
        number=0 if peer is None else peer.number,
        adopted={} if peer is None else peer.adopted,
        adopted_by=by.get(device),
    )


def not_in_space(device: KnownDevice) -> Conflict:
    """The error for a device of which only mirrors are here, from an earlier space."""
    return Conflict(f"{device.name} is not a device of this space", hint="list them with: dayline sync")


def _names(state: SyncState | None, device: str, mirrors: Sequence[StoredBucket]) -> list[str]:
    peer = None if state is None else state.peers.get(device)
    own = [] if peer is None else [peer.name]
    return [*own, *(host_of_origin(stored.bucket) for stored in mirrors)] or [device]
