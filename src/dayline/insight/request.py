"""What every insight request has: a range, the calendar, devices and filters. No numpy."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta, Struct

from dayline.insight.calendar import Calendar
from dayline.insight.periods import Language, label_of
from dayline.insight.projects.model import Project
from dayline.model.category import Category, Path
from dayline.model.edits.annotation import Annotation
from dayline.model.errors import Malformed
from dayline.model.settings.preferences import ClockTime, WeekStart, ZoneName
from dayline.model.time import Microseconds, shorten


class Scope(Struct, frozen=True, kw_only=True):
    """The settings that insight requests depend on: calendar, categories, and what counts as active."""

    now: Microseconds
    zone: str = "UTC"
    day_start: str = "04:00"
    week_start: WeekStart = "monday"
    categories: tuple[Category, ...] = ()
    projects: tuple[Project, ...] = ()
    annotations: tuple[Annotation, ...] = ()  # enabled ones only
    always_active: str = ""  # pattern for apps and titles that count without input


Field: TypeAlias = Literal["category", "app", "title", "domain", "url", "project", "device", "bucket"]
FilterOperator: TypeAlias = Literal["is", "not", "has", "under"]
Away: TypeAlias = Literal["exclude", "include"]

FIELDS: Final[tuple[Field, ...]] = get_args(Field)
_OPERATORS: Final[tuple[FilterOperator, ...]] = get_args(FilterOperator)
_HINT: Final = "write field:op:value, such as category:under:Work or domain:not:example.org"

LocalTime = Annotated[
    str,
    Meta(
        description="RFC 3339 with the offset of the zone",
        extra_json_schema={"format": "date-time"},
        examples=["2026-03-05T04:00:00+01:00"],
    ),
]


class Filter(Struct, frozen=True, kw_only=True):
    """A condition that time must meet to be counted. `path` is the value if the field is category."""

    field: Field
    op: FilterOperator
    value: str
    path: Path = ()


class CommonRequest(Struct, frozen=True, kw_only=True):
    """The range [start, end) and what else every request has. `scope.zone` is the requested zone."""

    scope: Scope
    start: Microseconds
    end: Microseconds
    devices: tuple[str, ...] = ()  # empty: all
    filters: tuple[Filter, ...] = ()
    away: Away = "exclude"

    @property
    def calendar(self) -> Calendar:
        """The calendar of this request."""
        return calendar_of(self.scope)


class RangeResponse(Struct, frozen=True, kw_only=True):
    """The range of a response, from `start` to before `end`, and its calendar settings."""

    start: LocalTime
    end: LocalTime
    tz: ZoneName
    day_start: ClockTime
    week_start: WeekStart
    label: Annotated[str, Meta(description="name of the range", examples=["Thu 5 Mar 2026"])]


def calendar_of(scope: Scope) -> Calendar:
    """The calendar of these settings."""
    return Calendar(scope.zone, day_start=scope.day_start, week_start=scope.week_start)


def range_answer(
    calendar: Calendar, start: Microseconds, end: Microseconds, language: Language = "en"
) -> RangeResponse:
    """A range as answers show it."""
    return RangeResponse(
        start=calendar.text(start),
        end=calendar.text(end),
        tz=calendar.zone,
        day_start=calendar.day_start,
        week_start=calendar.week_start,
        label=label_of(calendar, start, end, language),
    )


def parse_filter(text: str) -> Filter:
    """Parse `field:op:value`. Raises Malformed."""
    field, _, rest = text.partition(":")
    op, colon, value = rest.partition(":")
    for known_field in FIELDS:
        for known_op in _OPERATORS:
            if colon and (field, op) == (known_field, known_op):
                return _check_filter(Filter(field=known_field, op=known_op, value=value))
    raise Malformed(
        f"filter: {shorten(text)!r} is not a filter",
        hint=f"{_HINT}; fields are {', '.join(FIELDS)}, ops {', '.join(_OPERATORS)}",
        field="filter",
    )


def _check_filter(asked: Filter) -> Filter:
    if asked.op == "under" and asked.field != "category":
        raise Malformed(
            f"filter: {asked.field} has no `under`",
            hint="only categories have others under them; use `has`",
            field="filter",
        )
    if asked.field == "category" and asked.op != "has":
        return msgspec.structs.replace(asked, path=parse_path(asked.value))
    return asked


def parse_path(text: str) -> Path:
    """Parse a category: `Work/Code`, or a JSON list if a name contains a slash. Raises Malformed."""
    if not text.startswith("["):
        return tuple(text.split("/"))
    try:
        return msgspec.json.decode(text, type=Path)
    except msgspec.MsgspecError as error:
        raise Malformed(
            f"{shorten(text)!r} is not a category",
            hint='write Work/Code, or ["Work","Code"] if a name has a slash',
            field="filter",
        ) from error
