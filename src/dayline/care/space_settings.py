"""When old events are thinned, and when free room is given back."""

from typing import Annotated

from msgspec import Meta, Struct


class SpaceSettings(Struct, frozen=True, kw_only=True):
    """When the server looks after its room. What is thinned at all says `dayline retention`."""

    fresh_s: Annotated[float, Meta(ge=0, description="seconds for which what takes room is not measured again")] = 10.0
    first_s: Annotated[float, Meta(ge=0, description="seconds after the start before the first look")] = 600.0
    look_s: Annotated[float, Meta(gt=0, description="seconds between two looks for free pages")] = 3600.0
    thin_hours: Annotated[float, Meta(gt=0, description="hours between two applications of the retention rules")] = 24.0
    compact: Annotated[bool, Meta(description="whether free room is given back by itself")] = True
    compact_share: Annotated[
        float, Meta(ge=0, le=1, description="share of the file that has to be free before it is given back")
    ] = 0.2
    compact_mib: Annotated[float, Meta(ge=0, description="MiB that have to be free besides")] = 16.0
