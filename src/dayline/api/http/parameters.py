"""Query parameters shared by several routes, and page cursors."""

import base64
import binascii
import re
from collections.abc import Collection
from datetime import date
from typing import Annotated, Final, Literal, TypeVar, get_args

from msgspec import Meta
from msgspec.structs import replace

from dayline.api.http.call import Call
from dayline.api.http.route import Parameter
from dayline.insight.calendar import Calendar, Span, check_day
from dayline.insight.periods import PeriodName, named_period
from dayline.insight.request import Away, CommonRequest, Filter, Scope, calendar_of, parse_filter
from dayline.insight.summary.model import CompareWith, Comparison, comparison_of
from dayline.model.errors import BucketNotFound, DaylineError, Forbidden, Invalid, Malformed, Unavailable
from dayline.model.event import MAX_EVENT_ID
from dayline.model.settings.preferences import ClockTime, WeekStart, ZoneName, check_zone
from dayline.model.time import EARLIEST, LATEST, Microseconds, Timestamp, check_range, parse_parameter, shorten
from dayline.storage.history.contract import EventPosition

T = TypeVar("T", bound=str)

_CLOCK_TIME: Final = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_MAX_VALUES: Final = 100  # devices or filters

# The parameters of all insight routes, and the errors of those that a query process answers.
COMMON_ERRORS: tuple[type[DaylineError], ...] = (Invalid, Unavailable)

COMMON: tuple[Parameter, ...] = (
    Parameter(name="start", type=Timestamp, description="start of the range; use with `end`, or use `period`"),
    Parameter(name="end", type=Timestamp, description="end of the range (exclusive)"),
    Parameter(name="period", type=PeriodName, description="a named range; default: `today`"),
    Parameter(
        name="date",
        type=Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples=["2026-03-05"])],
        description="a day in the period; default: today",
    ),
    Parameter(name="tz", type=ZoneName, description="time zone of days; default: that of the preferences, else UTC"),
    Parameter(name="day_start", type=ClockTime, description="when days start; default: the preference"),
    Parameter(name="week_start", type=WeekStart, description="first day of the week; default: the preference"),
    Parameter(name="device", type=list[str], description="only this device, by its host name; may be repeated"),
    Parameter(
        name="filter",
        type=list[Annotated[str, Meta(examples=["category:under:Work"])]],
        description="only time that matches, as `field:op:value`; may be repeated",
    ),
    Parameter(name="away", type=Away, description="`include` also counts time away from the device"),
    Parameter(name="annotations", type=Literal["on", "off"], description="`off` ignores annotations"),
)


def common_parameters(call: Call, scope: Scope) -> CommonRequest:
    """The common parameters, with defaults from the settings. Raises Malformed or Invalid."""
    scope = _with_calendar(call, scope)
    if choice(call, "annotations", ("on", "off"), "on") == "off":
        scope = replace(scope, annotations=())
    start, end = _range(call, scope)
    return CommonRequest(
        scope=scope,
        start=start,
        end=end,
        devices=tuple(several(call, "device")),
        filters=tuple(_filter(call, text) for text in several(call, "filter")),
        away=choice(call, "away", get_args(Away), "exclude"),
    )


def comparison_parameters(call: Call, common: CommonRequest) -> Comparison | None:
    """The ranges to compare with; None if `compare` is missing. Raises Malformed or Invalid."""
    if call.request.get_param("compare") is None:
        return None
    kind: CompareWith = choice(call, "compare", get_args(CompareWith), "previous")
    custom = span_parameters(call, "compare_start", "compare_end") if kind == "custom" else None
    if kind == "custom" and custom is None:
        raise Malformed(
            "`compare_start` is required",
            hint="compare=custom needs compare_start and compare_end",
            field="compare_start",
        )
    span = common.start, common.end
    return comparison_of(common.calendar, kind, span, now=common.scope.now, custom=custom)


def choice(call: Call, name: str, known: tuple[T, ...], default: T) -> T:
    """A parameter with a fixed set of values. Raises Malformed."""
    text = call.request.get_param(name)
    if text is None:
        return default
    for word in known:
        if text == word:
            return word
    raise Malformed(f"{name}: unknown value {shorten(text)!r}; use {', '.join(known)}", field=name)


def text_parameter(call: Call, name: str, default: str, *, max_length: int) -> str:
    """A text. Raises Malformed if it is too long."""
    text = call.request.get_param(name)
    if text is not None and len(text) > max_length:
        raise Malformed(f"{name} must be at most {max_length} characters (got {len(text)})", field=name)
    return default if text is None else text


def several(call: Call, name: str) -> list[str]:
    """The values of a parameter that may be repeated. Raises Malformed."""
    texts = call.request.get_param_as_list(name) or []
    if len(texts) > _MAX_VALUES:
        raise Malformed(f"{name} is repeated {len(texts)} times; the limit is {_MAX_VALUES}", field=name)
    return texts


def span_parameters(call: Call, first: str, last: str) -> Span | None:
    """The range given by two parameters, or None if both are missing. Raises Malformed or Invalid."""
    if not (call.request.has_param(first) or call.request.has_param(last)):
        return None
    start, end = (_required_time(call, name, f"send {first} and {last}, or neither") for name in (first, last))
    if start >= end:
        raise Invalid(f"{last} must be after {first}", field=last)
    return start, end


def check_projects(call: Call, fields: Collection[str], name: str) -> None:
    """Raise Forbidden if a key for some buckets asks for projects: their names and rates are of the owner."""
    if "project" in fields and not call.caller.buckets.is_all:
        raise Forbidden(
            f"`{name}` with projects needs a key for all buckets, and this key is limited to some", field=name
        )


def _filter(call: Call, text: str) -> Filter:
    asked = parse_filter(text)
    check_projects(call, [asked.field], "filter")
    if asked.field != "bucket" or asked.op == "has":
        return asked
    try:
        return replace(asked, value=call.store.bucket(asked.value).id)  # resolves an alias
    except BucketNotFound:
        return asked


def _required_time(call: Call, name: str, hint: str) -> Microseconds:
    text = call.request.get_param(name)
    if text is None:
        raise Malformed(f"`{name}` is required", hint=hint, field=name)
    try:
        time = parse_parameter(text)
    except ValueError as error:
        raise Malformed(f"{name}: {error}", field=name) from error
    check_range(time, field=name)
    return time


def _with_calendar(call: Call, scope: Scope) -> Scope:
    zone = call.request.get_param("tz") or scope.zone
    try:
        check_zone(zone)
    except DaylineError as error:
        raise Invalid(
            f"tz: unknown time zone {shorten(zone)!r}", hint="use a name such as Europe/Berlin or UTC", field="tz"
        ) from error
    day_start = call.request.get_param("day_start") or scope.day_start
    if _CLOCK_TIME.fullmatch(day_start) is None:
        raise Malformed(
            f"day_start: invalid time of day {shorten(day_start)!r}", hint="use HH:MM, such as 04:00", field="day_start"
        )
    week_start = choice(call, "week_start", get_args(WeekStart), scope.week_start)
    return replace(scope, zone=zone, day_start=day_start, week_start=week_start)


def _range(call: Call, scope: Scope) -> Span:
    span = span_parameters(call, "start", "end")
    name = call.request.get_param("period")
    if span is not None:
        if name is not None:
            raise Malformed(
                "`period` cannot be combined with `start` and `end`", hint="send one or the other", field="period"
            )
        return span
    calendar = calendar_of(scope)
    period = named_period(calendar, choice(call, "period", get_args(PeriodName), "today"), _day(call, scope, calendar))
    return calendar.span(period.first, period.after)


def _day(call: Call, scope: Scope, calendar: Calendar) -> date:
    text = call.request.get_param("date")
    if text is None:
        return calendar.day_of(scope.now)
    try:
        if len(text) != len("2026-03-05"):
            raise ValueError(text)
        day = date.fromisoformat(text)
    except ValueError as error:
        raise Malformed(
            f"date: invalid date {shorten(text)!r}", hint="use YYYY-MM-DD, such as 2026-03-05", field="date"
        ) from error
    check_day(day, field="date")
    return day


def cursor_text(last: EventPosition) -> str:
    """The cursor of the page after this event."""
    return base64.urlsafe_b64encode(f"{last.start}.{last.id}".encode()).decode().rstrip("=")


def cursor_of(call: Call) -> EventPosition | None:
    """The last event of the previous page; None for the first page. Raises Malformed."""
    text = call.request.get_param("cursor")
    if text is None:
        return None
    try:
        padded = text + "=" * (-len(text) % 4)
        start, _, event_id = base64.b64decode(padded, altchars=b"-_", validate=True).partition(b".")
        last = EventPosition(int(start), int(event_id))
        if not (EARLIEST <= last.start <= LATEST and 0 < last.id <= MAX_EVENT_ID):
            raise ValueError(text)
        return last
    except (ValueError, binascii.Error) as error:
        raise Malformed(
            f"invalid cursor {text[:40]!r}", hint="use the cursor of the previous page", field="cursor"
        ) from error
