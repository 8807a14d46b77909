"""Preferences for times: the zone, the start of a day, the style of durations; and calls that need them."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from dayline.cli.calls.call import LocalServer
from dayline.cli.options.time_zone import machine_zone
from dayline.cli.screens.amounts import DurationStyle
from dayline.cli.screens.charts import Palette
from dayline.model.errors import NotFound

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from dayline.insight.calendar import Calendar


WeekStart: TypeAlias = Literal["monday", "sunday", "saturday"]


class View(Struct, frozen=True, kw_only=True):
    """The preferences of `/api/1/settings` that commands use. The zone defaults to the zone of this computer."""

    time_zone: str | None = None
    day_start: str = "04:00"
    week_start: WeekStart = "monday"
    duration_style: DurationStyle = "hours"

    @property
    def zone(self) -> str:
        """The name of the zone for displayed times."""
        return self.time_zone or "UTC"

    def calendar(self) -> "Calendar":
        """The calendar, for commands that compute where days start and end."""
        from dayline.insight.calendar import Calendar  # here, because most commands leave this to the server

        return Calendar(self.zone, day_start=self.day_start, week_start=self.week_start)

    def local(self, moment: str) -> str:
        """A time of the server in the zone, as RFC 3339."""
        return datetime.fromisoformat(moment).astimezone(self._info()).isoformat()

    def in_zone(self, moment: datetime) -> datetime:
        """A time in the zone. One without an offset is meant in the zone already."""
        return moment.replace(tzinfo=self._info()) if moment.tzinfo is None else moment.astimezone(self._info())

    def now(self) -> datetime:
        """The current time in the zone."""
        return datetime.now(self._info())

    def _info(self) -> "ZoneInfo":
        from zoneinfo import ZoneInfo  # here, because not every command displays times

        return ZoneInfo(self.zone)


def view_of(server: LocalServer) -> View:
    """Fetch the preferences."""
    view = msgspec.convert(server.call("GET", "/api/1/settings"), View)
    return view if view.time_zone is not None else msgspec.structs.replace(view, time_zone=machine_zone())


class _Colors(msgspec.Struct):
    terminal: str


class _Category(msgspec.Struct):
    name: tuple[str, ...]


class _Categories(msgspec.Struct):
    categories: list[_Category] = []
    colors: list[_Colors] = []


def palette_of(server: LocalServer) -> Palette:
    """The colors of categories on a terminal, as the server decides them."""
    try:
        answer: Any = server.call("GET", "/api/1/categories")
    except NotFound:
        return Palette()  # an older server, which still runs while a newer version is installed
    categories = msgspec.convert(answer, _Categories)
    # An older server returns no colors.
    return Palette(
        {each.name: color.terminal for each, color in zip(categories.categories, categories.colors, strict=False)}
    )


def has_buckets(server: LocalServer) -> bool:
    """Whether the database has any bucket."""
    return bool(server.call("GET", "/api/0/buckets/"))
