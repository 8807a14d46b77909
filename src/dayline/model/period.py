"""Periods: what a query is asked about, written as `start/end`."""

from msgspec import Struct

from dayline.model.errors import Invalid
from dayline.model.timestamps import Microseconds, checked_moment, shorten


class Period(Struct, frozen=True):
    """A closed range of time. One whose end lies before its start holds no events."""

    start: Microseconds
    end: Microseconds


def parse_period(text: str, *, field: str) -> Period:
    """Read `start/end`. Raises Invalid, naming `field`."""
    parts = text.split("/")
    if len(parts) != 2:
        raise Invalid(
            f"{field}: {shorten(text)} is not a period",
            hint="write start/end, such as 2026-02-03T04:00:00+01:00/2026-02-04T04:00:00+01:00",
            field=field,
        )
    return Period(checked_moment(parts[0], field=field), checked_moment(parts[1], field=field))
