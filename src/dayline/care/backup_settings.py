"""When backups are made, where they are kept, and for how long."""

from typing import Annotated

from msgspec import Meta, Struct


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
    first_s: Annotated[float, Meta(ge=0, description="seconds after the start before the first one")] = 120.0
    look_s: Annotated[float, Meta(gt=0, description="seconds between two looks whether one is due")] = 600.0
    daily: Annotated[int, Meta(ge=0, description="days of which the last backup is kept")] = 7
    weekly: Annotated[int, Meta(ge=0, description="weeks of which the last backup is kept")] = 4
    monthly: Annotated[int, Meta(ge=0, description="months of which the last backup is kept")] = 12
    most_mib: Annotated[
        int, Meta(ge=0, description="MiB that all of them may take, the oldest give way; 0: as many as they take")
    ] = 0
