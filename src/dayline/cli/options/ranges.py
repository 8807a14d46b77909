"""Options for a range of time, and the one parser for times, days and ranges that users type.

A day begins at the hour that the preferences set, in their time zone. A day that ends a range is included.
"""

import functools
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar, cast

import click
from msgspec import Struct

from dayline.cli.groups import WrongUsage
from dayline.cli.options.view import View
from dayline.model.errors import Invalid

if TYPE_CHECKING:
    from dayline.insight.periods import PeriodName

P = ParamSpec("P")
T = TypeVar("T")

_NAMES: Final["Mapping[str, PeriodName]"] = {
    "day": "yesterday",
    "week": "last-week",
    "month": "last-month",
    "year": "last-year",
    "7d": "last-7-days",
    "30d": "last-30-days",
}
_CLOCK: Final = re.compile(
    r"(?:(?P<day>[a-z]+|[0-9]{4}-[0-9]{2}-[0-9]{2})[ t]+)?(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
)
_LENGTH: Final = re.compile(r"([1-9][0-9]{0,4})([mhdw])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_WORDS: Final = ("today", "yesterday", *WEEKDAYS, *(name[:3] for name in WEEKDAYS))
_DAY_HINT: Final = "write 2026-03-05, today, yesterday or monday"
_TIME_HINT: Final = "write 2026-03-05, 2026-03-05T14:30, 09:00, yesterday 14:00, monday 9:30 or now"
_LAST_HINT: Final = "write day, week, month, year, or a length such as 7d, 12h or 2w"

date_option: Final = click.option(
    "--date", "-d", "day", metavar="DAY", help="A day: 2026-03-05, today, yesterday or monday."
)


class Range(Struct, frozen=True, kw_only=True):
    """A range as the user typed it: a period around a day, a length up to now, or a start and an end."""

    name: "PeriodName | None" = None
    day: str | None = None
    length: str | None = None
    start: str | None = None
    end: str | None = None

    @property
    def is_given(self) -> bool:
        """Whether an option or a default sets a range."""
        return self != Range()

    def parameters(self, view: View) -> dict[str, object]:
        """The query parameters of a call about summaries. Raises Invalid or WrongUsage."""
        if self.length is None and self.start is None and self.end is None:
            day = None if self.day is None else TimeParser(view).day(self.day, "--date").isoformat()
            return {"tz": view.zone, "period": self.name, "date": day}
        start, end = self.span(view)
        return {"tz": view.zone, "start": start, "end": end}

    def edges(self, view: View) -> tuple[str | None, str | None]:
        """The same as `span`, with None for an end that is open. Raises Invalid or WrongUsage."""
        if not self.is_given:
            return None, None
        if self.start is not None and self.end is None:
            return TimeParser(view).time(self.start, "--from").isoformat(), None
        start, end = self.span(view)
        return (None if self.start is None and self.end is not None else start), end

    def span(self, view: View) -> tuple[str, str]:
        """Start (included) and end (excluded) as RFC 3339. Raises Invalid or WrongUsage."""
        parser = TimeParser(view)
        if self.length is not None:
            return parser.last(self.length)
        if self.start is None and self.end is None:
            return self._named(view, parser)
        start = parser.epoch if self.start is None else parser.time(self.start, "--from").isoformat()
        end = parser.now.isoformat() if self.end is None else parser.time(self.end, "--to", is_end=True).isoformat()
        if datetime.fromisoformat(start) >= datetime.fromisoformat(end):
            raise WrongUsage(
                f"the range is empty: --to {end} is not after --from {start}", hint="a day given with --to is included"
            )
        return start, end

    def _named(self, view: View, parser: "TimeParser") -> tuple[str, str]:
        from dayline.insight.periods import named_period  # here, because most commands leave this to the server

        calendar = view.calendar()
        day = parser.today if self.day is None else parser.day(self.day, "--date")
        days = named_period(calendar, self.name or "today", day)
        start, end = calendar.span(days.first, days.after)
        return calendar.text(start), calendar.text(end)


class TimeParser:
    """Parses and formats times in the zone of the preferences, or of this computer if they set none."""

    def __init__(self, view: View, *, now: datetime | None = None) -> None:
        self._view = view
        self._calendar = view.calendar()
        self.now = view.in_zone(now or datetime.now(UTC))
        self.today = self._calendar.day_of(round(self.now.timestamp() * 1_000_000))

    @property
    def epoch(self) -> str:
        """The earliest start of a range, RFC 3339."""
        return self._calendar.text(self._calendar.day_edge(date(1970, 1, 2)))

    def day(self, text: str, option: str) -> date:
        """The day that a text names. A weekday is the last one, today included. Raises Invalid."""
        check_day(text, option)
        word = text.strip().lower()
        if word == "today":
            return self.today
        if word == "yesterday":
            return self.today - timedelta(days=1)
        weekday = next((number for number, name in enumerate(WEEKDAYS) if word in (name, name[:3])), None)
        if weekday is None:
            return date.fromisoformat(word)
        return self.today - timedelta(days=(self.today.weekday() - weekday) % 7)

    def time(self, text: str, option: str, *, near: datetime | None = None, is_end: bool = False) -> datetime:
        """The time that a text means. A time of day without a day is today, or on the day of `near`. Raises Invalid.

        A day alone is its start; with `is_end`, its end.
        """
        check_time(text, option)
        words = " ".join(text.lower().split())
        if words == "now":
            return self.now
        try:
            if is_day(words):
                return self._edge(self.day(words, option) + timedelta(days=is_end))
            clock = _CLOCK.fullmatch(words)
            if clock is None:
                return self._view.in_zone(datetime.fromisoformat(text.strip()))
            default = self.today if near is None else self._view.in_zone(near).date()
            day = default if clock["day"] is None else self.day(clock["day"], option)
            return self._view.in_zone(datetime.combine(day, time(int(clock["hour"]), int(clock["minute"]))))
        except (ValueError, OverflowError) as error:
            raise _invalid_time(text, option) from error

    def end_after(self, text: str, start: datetime, option: str) -> datetime:
        """An end. A time of day alone is the next one after `start`; a day alone is included."""
        end = self.time(text, option, near=start, is_end=True)
        clock = _CLOCK.fullmatch(text.strip())
        if clock is None or clock["day"] is not None or end > start:
            return end
        return self._view.in_zone((end + timedelta(days=1)).replace(tzinfo=None))

    def last(self, length: str) -> tuple[str, str]:
        """Start and end of `7d` or `12h`: whole days up to the end of today, or hours up to now."""
        match = _LENGTH.fullmatch(length)
        assert match is not None  # checked when the option was parsed
        span = timedelta(**{_UNITS[match[2]]: int(match[1])})
        if span < timedelta(days=1) or match[2] in "mh":
            return (self.now - span).isoformat(), self.now.isoformat()
        edges = self._calendar.span(self.today - span + timedelta(days=1), self.today + timedelta(days=1))
        return self._calendar.text(edges[0]), self._calendar.text(edges[1])

    def shown(self, text: str) -> str:
        """A time of the server as it is displayed."""
        return f"{self._view.in_zone(datetime.fromisoformat(text)):%Y-%m-%d %H:%M}"

    def _edge(self, day: date) -> datetime:
        return datetime.fromisoformat(self._calendar.text(self._calendar.day_edge(day)))


def range_options(default: "PeriodName | None" = None) -> Callable[[Callable[P, T]], Callable[..., T]]:
    """Give a command the options of ranges and pass it `range_`: the default period if none of them is given."""

    def decorate(command: Callable[P, T]) -> Callable[..., T]:
        @click.option("--today", "name", flag_value="today", help="Today.")
        @click.option("--week", "name", flag_value="week", help="This week, or the week of --date.")
        @click.option("--month", "name", flag_value="month", help="This month, or the month of --date.")
        @click.option("--year", "name", flag_value="year", help="This year, or the year of --date.")
        @click.option(
            "--last", "-l", metavar="LENGTH", help="The last 7d or 12h; or the previous day, week, month or year."
        )
        @date_option
        @click.option(
            "--from", "start", metavar="TIME", help="Start: 2026-03-05, 2026-03-05T14:30, yesterday, monday 9:30."
        )
        @click.option("--to", "end", metavar="TIME", help="End, in the same formats. A day is included.")
        @functools.wraps(command)
        def with_range(*args: P.args, **kwargs: P.kwargs) -> T:
            given = {name: cast("str | None", kwargs.pop(name)) for name in ("name", "last", "day", "start", "end")}
            kwargs["range_"] = _range(given, default)
            return command(*args, **kwargs)

        return with_range

    return decorate


def check_day(text: str, option: str) -> None:
    """Raise Invalid if a text is not a day."""
    word = text.strip().lower()
    try:
        if word not in _DAY_WORDS and not re.fullmatch(r"\d{4}(-?)\d{2}\1\d{2}", word):
            raise ValueError(word)
        if word not in _DAY_WORDS:
            date.fromisoformat(word)
    except ValueError as error:
        raise Invalid(f"{option}: {text[:40]!r} is not a day", hint=_DAY_HINT) from error


def check_time(text: str, option: str) -> None:
    """Raise Invalid if a text is not a time in one of our formats."""
    words = " ".join(text.lower().split())
    clock = _CLOCK.fullmatch(words)
    if words == "now" or is_day(words):
        return
    try:
        if clock is None:
            datetime.fromisoformat(text.strip())
            return
        time(int(clock["hour"]), int(clock["minute"]))
    except ValueError as error:
        raise _invalid_time(text, option) from error
    if clock["day"] is not None and not is_day(clock["day"]):
        raise _invalid_time(text, option)


def _invalid_time(text: str, option: str) -> Invalid:
    return Invalid(f"{option}: {text[:40]!r} is not a time", hint=_TIME_HINT)


def is_day(words: str) -> bool:
    """Whether a text names a day."""
    try:
        check_day(words, "")
    except Invalid:
        return False
    return True


def _range(given: dict[str, str | None], default: "PeriodName | None") -> Range:
    name, last, day, start, end = given.values()
    has_edges = start is not None or end is not None
    edges = " and ".join(option for option, text in (("--from", start), ("--to", end)) if text is not None)
    options = {f"--{name}": name is not None, "--last": last is not None, edges: has_edges}
    ways = [option for option, is_given in options.items() if is_given]
    if day is not None and (last is not None or has_edges or name == "today"):
        ways.append("--date")
    if len(ways) > 1:
        raise WrongUsage(f"{' and '.join(ways)} contradict each other", hint="give one of them")
    for text, option in ((start, "--from"), (end, "--to")):
        if text is not None:
            check_time(text, option)
    if day is not None:
        check_day(day, "--date")
    if start is not None and end is not None and is_day(start) and is_day(end):
        _check_order(start, end)  # here too, so that a typo is found without a database
    if has_edges:
        return Range(start=start, end=end)
    if last is not None:
        return _last(last.strip().lower())
    if name is not None:
        return Range(name=cast("PeriodName", name), day=day)
    return Range(name=default) if day is None else Range(name="day", day=day)


def _check_order(start: str, end: str) -> None:
    if re.match(r"[0-9]", start) and re.match(r"[0-9]", end) and start > end:
        raise WrongUsage(f"the range is empty: --to {end} is before --from {start}", hint="swap them")


def _last(text: str) -> Range:
    if text in _NAMES:
        return Range(name=_NAMES[text])
    if not _LENGTH.fullmatch(text):
        raise Invalid(f"--last: {text[:40]!r} is not a length of time", hint=_LAST_HINT)
    return Range(length=text)
