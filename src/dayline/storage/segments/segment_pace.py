"""When segments are built, and texts indexed."""

from typing import Annotated

from msgspec import Meta, Struct


class SegmentPace(Struct, frozen=True, kw_only=True):
    """When closed months are packed as segments, and which."""

    first_s: Annotated[
        float, Meta(ge=0, description="seconds after the start before segments are built: it has enough to do")
    ] = 20.0
    every_s: Annotated[float, Meta(gt=0, description="seconds between two looks for months to build")] = 300.0
    after_import_s: Annotated[float, Meta(ge=0, description="seconds after an import before they are built")] = 5.0
    least_events: Annotated[
        int, Meta(ge=1, description="events that a month must have: fewer are read as quickly from rows")
    ] = 500
    least_values: Annotated[
        int, Meta(ge=1, description="new values that there must be before they are indexed: fewer are looked through")
    ] = 500
