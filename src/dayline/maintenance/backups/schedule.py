"""When backups are created and how many are kept: the settings that can be changed while the server runs."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.config.sections import BackupSettings

Kept = Annotated[int, Meta(ge=0, le=1000)]


class BackupSchedule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The schedule of automatic backups. All of the last 24 hours and the newest good one are always kept."""

    enabled: Annotated[bool, Meta(description="back up the database automatically when it has changed")]
    interval_hours: Annotated[float, Meta(ge=1, le=744, description="hours between two backups", examples=[24.0])]
    keep_daily: Annotated[Kept, Meta(description="days of which the last backup is kept", examples=[7])]
    keep_weekly: Annotated[Kept, Meta(description="weeks of which the last backup is kept", examples=[4])]
    keep_monthly: Annotated[Kept, Meta(description="months of which the last backup is kept", examples=[12])]


def schedule_of(settings: BackupSettings) -> BackupSchedule:
    """The part of the settings that is the schedule."""
    return BackupSchedule(
        enabled=settings.enabled,
        interval_hours=settings.interval_hours,
        keep_daily=settings.keep_daily,
        keep_weekly=settings.keep_weekly,
        keep_monthly=settings.keep_monthly,
    )
