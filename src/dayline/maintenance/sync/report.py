"""What sync reports: of a pass, of each device, and to those who ask for the status."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dayline.model.time import Timestamp

DeviceState = Literal["identical", "waiting", "rejected", "forked"]


class DeviceReport(Struct, frozen=True, kw_only=True):
    """Another device after a pass. `identical`: all digests of its newest head are those of its mirrors here.

    `text` explains every other state. `made` is the time of its head, and `since` when it got this state.
    """

    id: str
    name: str
    state: DeviceState
    text: str
    made: Timestamp | None
    since: Timestamp
    buckets: int
    events: int
    waiting: Annotated[int, Meta(description="packs that its head lists and that are not here yet")] = 0
    fetched: Annotated[int, Meta(description="packs that this pass applied")] = 0


class PassReport(Struct, frozen=True, kw_only=True):
    """A pass. `stopped` is the reason why this device publishes nothing; `problem` why the pass ended early."""

    began: Timestamp
    ended: Timestamp
    written: Annotated[int, Meta(description="packs written")] = 0
    written_bytes: int = 0
    has_new_head: bool = False
    stopped: str | None = None
    problem: str | None = None
    hint: str | None = None
    warnings: list[str] = []
    ignored: Annotated[list[str], Meta(description="files of the space that are neither heads nor packs")] = []
    devices: list[DeviceReport] = []

    @property
    def is_identical(self) -> bool:
        """Whether everything arrived, and nothing was rejected."""
        is_fine = self.stopped is None and self.problem is None
        return is_fine and all(device.state == "identical" for device in self.devices)


class OwnDevice(Struct, frozen=True, kw_only=True):
    """This device in its space. `published` is the time of its last head."""

    id: str
    name: str
    published: Timestamp | None
    buckets: int
    events: int


class SyncStatus(Struct, frozen=True, kw_only=True):
    """The state of sync. Without sync, everything but `is_on` is null."""

    is_on: bool
    location: str | None = None
    device: OwnDevice | None = None
    report: PassReport | None = None
    next_pass: Timestamp | None = None


class SyncPreview(Struct, frozen=True, kw_only=True):
    """What joining a space would bring."""

    location: str
    devices: list[DeviceReport]


class Recovered(Struct, frozen=True, kw_only=True):
    """What was merged. `restored` counts published events that were missing or different here, `kept` those that were
    recorded since, and `removed` those that had been deleted. All of it is undone with the undo group.
    """

    restored: int
    kept: int
    removed: int
    group: str


class Invite(Struct, frozen=True, kw_only=True):
    """The invite. It has the key of the space: whoever has it can read everything that is synced."""

    invite: str
    location: str
