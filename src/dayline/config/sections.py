"""Sections of the settings file as plain structs, and what the server knows of how it was started."""

import os
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.time import Microseconds

SettingSource: TypeAlias = Literal["default", "file", "environment", "command line"]


class ServerSetting(Struct, frozen=True, kw_only=True):
    """A setting that the server was started with: it is changed where it came from, and by a new start."""

    name: Annotated[str, Meta(description="as in the settings file, with its section", examples=["server.port"])]
    value: Any
    source: SettingSource


class ServerFacts(Struct, frozen=True, kw_only=True):
    """How the server is reached on its own machine, where its files are, and what it was started with."""

    address: str
    database: str
    started: Microseconds
    time_zone: str = "UTC"
    log_file: str | None = None
    settings_file: str | None = None
    settings: tuple[ServerSetting, ...] = ()


# How much a client may send.


class KeyLimits(Struct, frozen=True, kw_only=True):
    """How much a key may do that is not for everything.

    A watcher sends a heartbeat a second at most, some 300 bytes each, into one or two buckets.
    """

    key_requests_per_second: Annotated[
        int, Meta(ge=1, description="requests a second that a key may send for 10 seconds or longer")
    ] = 1000
    key_mib_per_day: Annotated[int, Meta(ge=1, description="MiB that a key may send in a day (UTC)")] = 2048
    key_buckets: Annotated[int, Meta(ge=1, description="buckets that a key may create")] = 300


class Limits(KeyLimits, frozen=True, kw_only=True):
    """How much a client may send at once, and how much one key may do."""

    body_mib: Annotated[int, Meta(ge=1, description="MiB that a body may have, other than an import")] = 32
    connections_per_address: Annotated[
        int,
        Meta(
            ge=1, description="connections that an address may have open without a key; four times as many on loopback"
        ),
    ] = 256
    import_mib: Annotated[int, Meta(ge=1, description="MiB that an import may have")] = 1000


# How many may listen to the stream, and for how long what they miss is kept.


class StreamSettings(Struct, frozen=True, kw_only=True):
    """What `GET /api/1/stream` gives, and to how many."""

    max_listeners: Annotated[int, Meta(ge=0, description="streams that may be open at once")] = 64


# When backups are made, where they are kept, and for how long.


class BackupSettings(Struct, frozen=True, kw_only=True):
    """When a backup is made, and which are kept. The newest good one always is."""

    daily_backup: Annotated[
        bool, Meta(description="whether a backup is made by itself, once a day when something changed")
    ] = True
    folder: Annotated[
        str | None,
        Meta(
            description="folder for the backups, best on another disk; `~` and variables are expanded",
            extra={"default": "beside the database"},
        ),
    ] = None
    key_file: Annotated[
        str | None,
        Meta(
            description="file with the key that backups are encrypted with; `dayline backup make-key` makes one",
            extra={"default": "they are not encrypted"},
        ),
    ] = None
    passphrase_file: Annotated[
        str | None,
        Meta(
            description="file with a passphrase instead; it may also stand in `DAYLINE_BACKUP_PASSPHRASE`",
            extra={"default": "they are not encrypted"},
        ),
    ] = None
    upgrade_unsaved: Annotated[
        bool, Meta(description="whether an older database is upgraded also where no backup of it can be made before")
    ] = False
    every_hours: Annotated[float, Meta(gt=0, description="hours between two backups")] = 24.0
    daily: Annotated[int, Meta(ge=0, description="days of which the last backup is kept")] = 7
    weekly: Annotated[int, Meta(ge=0, description="weeks of which the last backup is kept")] = 4
    monthly: Annotated[int, Meta(ge=0, description="months of which the last backup is kept")] = 12
    most_mib: Annotated[
        int, Meta(ge=0, description="MiB that all of them may take, the oldest give way; 0: as many as they take")
    ] = 0


# How long deleted and changed data can be restored.


class TrashSettings(Struct, frozen=True, kw_only=True):
    """How long deleted and changed data can be restored."""

    days: Annotated[
        int, Meta(ge=0, description="days that deleted or changed data can be restored; 0 disables the trash")
    ] = 30


# When a database file is checked while it is in use.


class CheckSettings(Struct, frozen=True, kw_only=True):
    """When the file is checked. It is read by a process of its own, which gives way to everything else."""

    full_every_days: Annotated[
        float, Meta(gt=0, description="days between two full checks, which compare indexes with their tables besides")
    ] = 7.0


# When old events are thinned, and when free room is given back.


class SpaceSettings(Struct, frozen=True, kw_only=True):
    """When the server looks after its room. What is thinned at all says `dayline retention`."""

    compact: Annotated[bool, Meta(description="whether free room is given back by itself")] = True


# How many query processes there are, and what each query may take.


_FEW_CORES: Final = 4
_MOST_WORKERS: Final = 4


class QuerySettings(Struct, frozen=True, kw_only=True):
    """Limits of queries and of the processes that run them."""

    workers: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="processes that run queries side by side; one more answers quick callers while all are busy",
            extra={"default": f"2 on up to {_FEW_CORES} cores, else half of them, at most {_MOST_WORKERS}"},
        ),
    ] = None
    seconds: Annotated[float, Meta(gt=0, description="seconds that a query may take unless it asks for others")] = 60.0
    max_seconds: Annotated[float, Meta(gt=0, description="seconds that a query may ask for")] = 600.0
    memory_mib: Annotated[int, Meta(ge=256, description="MiB of memory that a process may take")] = 1536
    cache_mib: Annotated[int, Meta(ge=0, description="MiB of it for what was read before")] = 256
    result_mib: Annotated[int, Meta(ge=1, description="MiB that the answer to a query may have")] = 256

    @property
    def processes(self) -> int:
        """How many processes there may be."""
        if self.workers is not None:
            return self.workers
        cores = os.cpu_count() or 1
        return 2 if cores <= _FEW_CORES else min(cores // 2, _MOST_WORKERS)
