"""When a database file is checked while it is in use."""

from typing import Annotated

from msgspec import Meta, Struct


class CheckSettings(Struct, frozen=True, kw_only=True):
    """When the file is checked. It is read by a process of its own, which gives way to everything else."""

    quick_after_s: Annotated[
        float, Meta(ge=0, description="seconds after the start before every page is looked at once")
    ] = 60.0
    full_every_days: Annotated[
        float, Meta(gt=0, description="days between two full checks, which compare indexes with their tables besides")
    ] = 7.0
    look_s: Annotated[float, Meta(gt=0, description="seconds between two looks whether a full check is due")] = 3600.0
