"""What is reported of folders of ActivityWatch. Plain: the reports of sync have it."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from dayline.model.time import Timestamp

SourceState = Literal["current", "waiting", "skipped"]


class SourceDevice(Struct, frozen=True, kw_only=True):
    """A device in a folder. `current`: everything that its files have is here.

    `text` explains every other state.
    """

    id: Annotated[str, Meta(description="what is added to the ids of its buckets", examples=["w5k2c7ra"])]
    name: Annotated[str, Meta(description="its host name, or its id in ActivityWatch if it has none")]
    state: Annotated[
        SourceState,
        Meta(description="`current`, `waiting` for a file that cannot be read yet, or `skipped`: this computer itself"),
    ]
    text: Annotated[str, Meta(description="why the state is not `current`; empty otherwise")]
    read: Annotated[Timestamp | None, Meta(description="when its files were last read; null if they never were")]
    buckets: Annotated[int, Meta(description="how many mirrors it has here")]
    events: Annotated[int, Meta(description="how many events these have")]
    repeated: Annotated[int, Meta(description="repetitions of events in its files, which are stored once")] = 0
    invalid: Annotated[int, Meta(description="events of its files that are not valid, which are left out")] = 0


class SourceReport(Struct, frozen=True, kw_only=True):
    """A folder of ActivityWatch, and the devices in it."""

    path: Annotated[str, Meta(description="the folder")]
    problem: Annotated[str | None, Meta(description="why the folder cannot be read; null if it can")] = None
    devices: Annotated[list[SourceDevice], Meta(description="the devices with files in it")] = []
    ignored: Annotated[list[str], Meta(description="conflict copies in it, which are not read")] = []

    @property
    def faults(self) -> list[str]:
        """What is wrong with it."""
        waiting = [f"{device.name}: {device.text}" for device in self.devices if device.state == "waiting"]
        return waiting if self.problem is None else [self.problem, *waiting]


class SourceList(Struct, frozen=True, kw_only=True):
    """All folders."""

    sources: Annotated[list[SourceReport], Meta(description="the folders, in the order in which they were added")]
