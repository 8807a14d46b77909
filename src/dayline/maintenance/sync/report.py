"""What sync reports: of a pass, of each device, and to those who ask for the status."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dayline.maintenance.sources.report import SourceReport
from dayline.model.time import Timestamp

DeviceState = Literal["identical", "waiting", "rejected", "forked", "adopted", "removed"]


class DeviceReport(Struct, frozen=True, kw_only=True):
    """Another device after a pass. `identical`: all digests of its newest head are those of its mirrors here.

    `adopted`: its buckets are now those of another device. `removed`: it does not have the newest key of the space.
    `text` explains every other state. `made` is the time of its
    head, and `since` when it got this state.
    """

    id: Annotated[str, Meta(description="identifies the device", examples=["k7f3q2ab"])]
    name: Annotated[str, Meta(description="the name that the device gave itself")]
    state: DeviceState
    text: Annotated[str, Meta(description="why the state is not `identical`; empty otherwise")]
    made: Annotated[
        Timestamp | None, Meta(description="when its newest head was written; null if it has not been read")
    ]
    since: Annotated[Timestamp, Meta(description="when it got this state")]
    buckets: Annotated[int, Meta(description="how many buckets it has")]
    events: Annotated[int, Meta(description="how many events it has")]
    waiting: Annotated[int, Meta(description="packs that its head lists and that are not here yet")] = 0
    fetched: Annotated[int, Meta(description="packs that this pass applied")] = 0
    is_new: Annotated[
        bool, Meta(description="whether it has joined since this device did, and was not confirmed here")
    ] = False


class PassReport(Struct, frozen=True, kw_only=True):
    """A pass. `stopped` is the reason why this device publishes nothing; `problem` why the pass ended early."""

    began: Annotated[Timestamp, Meta(description="when the pass began")]
    ended: Annotated[Timestamp, Meta(description="when the pass ended")]
    written: Annotated[int, Meta(description="packs written")] = 0
    written_bytes: Annotated[int, Meta(description="bytes of these packs")] = 0
    has_new_head: Annotated[bool, Meta(description="whether something had changed here")] = False
    stopped: Annotated[str | None, Meta(description="why this device publishes nothing; null if it does")] = None
    is_behind: Annotated[
        bool,
        Meta(description="whether it publishes nothing because it was restored: POST /api/1/sync/recover merges it"),
    ] = False
    problem: Annotated[str | None, Meta(description="why the pass ended early; null if it did not")] = None
    hint: Annotated[str | None, Meta(description="what to do about it; null if there is nothing to add")] = None
    warnings: Annotated[list[str], Meta(description="what does not stop sync, such as a wrong clock")] = []
    ignored: Annotated[list[str], Meta(description="files of the space that are neither heads nor packs")] = []
    devices: Annotated[list[DeviceReport], Meta(description="the other devices")] = []
    sources: Annotated[list[SourceReport], Meta(description="folders of ActivityWatch, which were read as well")] = []

    @property
    def is_identical(self) -> bool:
        """Whether everything arrived, and nothing was rejected."""
        is_fine = self.stopped is None and self.problem is None and not any(source.faults for source in self.sources)
        return is_fine and all(device.state in ("identical", "adopted", "removed") for device in self.devices)


class OwnDevice(Struct, frozen=True, kw_only=True):
    """This device in its space. `published` is the time of its last head."""

    id: Annotated[str, Meta(description="identifies the device", examples=["k7f3q2ab"])]
    name: Annotated[str, Meta(description="the name by which other devices know it")]
    published: Annotated[Timestamp | None, Meta(description="when its last head was written; null if none was")]
    buckets: Annotated[int, Meta(description="how many buckets it publishes")]
    events: Annotated[int, Meta(description="how many events it publishes")]


class SyncStatus(Struct, frozen=True, kw_only=True):
    """The state of sync. Without sync, everything but `is_on` and `sources` is null."""

    is_on: Annotated[bool, Meta(description="whether this device is in a space")]
    location: Annotated[str | None, Meta(description="the folder; null without sync")] = None
    device: Annotated[OwnDevice | None, Meta(description="this device; null without sync")] = None
    report: Annotated[PassReport | None, Meta(description="the last pass; null before the first")] = None
    next_pass: Annotated[Timestamp | None, Meta(description="when the next pass begins; null if that is not known")] = (
        None
    )
    sources: Annotated[
        list[SourceReport], Meta(description="folders of ActivityWatch, whose devices are mirrored")
    ] = []


class SyncPreview(Struct, frozen=True, kw_only=True):
    """What joining a space would bring."""

    location: Annotated[str, Meta(description="the folder")]
    devices: Annotated[list[DeviceReport], Meta(description="the devices that have published something there")]


class Recovered(Struct, frozen=True, kw_only=True):
    """What was merged. `restored` counts published events that were missing or different here, `kept` those that were
    recorded since, and `removed` those that had been deleted. All of it is undone with the undo group.
    """

    restored: Annotated[int, Meta(description="published events that were missing or different here")]
    kept: Annotated[int, Meta(description="events that were recorded since")]
    removed: Annotated[int, Meta(description="events that had been deleted before the restore")]
    group: Annotated[str, Meta(description="undoes all of it: POST /api/1/undo/groups/{group}")]


class AdoptedBucket(Struct, frozen=True, kw_only=True):
    """A mirror, and the bucket of this device that gets its events."""

    bucket: Annotated[str, Meta(description="the id of the mirror")]
    into: Annotated[str, Meta(description="the id of the bucket that gets its events")]
    is_new: Annotated[bool, Meta(description="whether that bucket is created; otherwise the events are added to it")]
    events: Annotated[int, Meta(description="how many events the mirror has")]


class Adoption(Struct, frozen=True, kw_only=True):
    """What was adopted, or would be. All of it is undone with the undo group."""

    device: Annotated[str, Meta(description="identifies the device", examples=["k7f3q2ab"])]
    name: Annotated[str, Meta(description="the name of the device")]
    buckets: Annotated[list[AdoptedBucket], Meta(description="its mirrors, and what becomes of them")]
    events: Annotated[int, Meta(description="how many events the mirrors have")]
    group: Annotated[
        str | None, Meta(description="undoes all of it: POST /api/1/undo/groups/{group}; null if nothing was changed")
    ] = None


class Invite(Struct, frozen=True, kw_only=True):
    """The invite. It has the key of the space: anyone with it can read everything that is synced."""

    invite: Annotated[str, Meta(description="enter it on another device", examples=["dayline-sync_k7f3q2ab_…"])]
    location: Annotated[str, Meta(description="the folder")]
