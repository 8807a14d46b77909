"""The parameters that all calls about insight have in common."""

from typing import Annotated, Literal

from msgspec import Meta

from dayline.api.route import Parameter
from dayline.insight.common_request import Away
from dayline.insight.periods import PeriodName
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.model.preferences import ClockTime, WeekStart, ZoneName
from dayline.model.timestamps import Timestamp

# What a call may be refused with that has such parameters, and is answered by a query process.
REFUSALS: tuple[type[DaylineError], ...] = (Invalid, Unavailable)

COMMON: tuple[Parameter, ...] = (
    Parameter(name="start", type=Timestamp, description="where the range begins; with `end`, or `period` instead"),
    Parameter(name="end", type=Timestamp, description="the moment before which the range ends"),
    Parameter(name="period", type=PeriodName, description="a range by its name; `today` where nothing is said"),
    Parameter(
        name="date",
        type=Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples=["2026-03-05"])],
        description="the day that the period is around; today where it is left out",
    ),
    Parameter(name="tz", type=ZoneName, description="the time zone of days; that of the preferences, else UTC"),
    Parameter(name="day_start", type=ClockTime, description="when days begin; as in the preferences"),
    Parameter(name="week_start", type=WeekStart, description="the day on which weeks begin; as in the preferences"),
    Parameter(name="device", type=list[str], description="only this device, by its host name; may be repeated"),
    Parameter(
        name="filter",
        type=list[Annotated[str, Meta(examples=["category:under:Work"])]],
        description="only time of which this holds, as `field:op:value`; may be repeated",
    ),
    Parameter(name="away", type=Away, description="`include`: time away from the device counts, too"),
    Parameter(name="annotations", type=Literal["on", "off"], description="`off`: what was recorded, and nothing else"),
)
