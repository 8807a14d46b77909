"""Options for a period of time, and what they mean."""

import functools
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

import click
from msgspec import Struct

from dayline.cli.options.view import View
from dayline.model.errors import Invalid

if TYPE_CHECKING:
    from dayline.insight.periods import PeriodName


P = ParamSpec("P")
T = TypeVar("T")

LAST: Final = ("day", "week", "month", "year", "7-days", "30-days")
_NAMES: "Mapping[str, PeriodName]" = {
    "today": "today",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "last day": "yesterday",
    "last week": "last-week",
    "last month": "last-month",
    "last year": "last-year",
    "last 7-days": "last-7-days",
    "last 30-days": "last-30-days",
}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class Asked(Struct, frozen=True, kw_only=True):
    """A period by its name and a day, or from one time to another; None where nothing was said."""

    name: "PeriodName | None" = None
    day: str | None = None
    start: str | None = None
    end: str | None = None

    def parameters(self, view: View) -> dict[str, object]:
        """The parameters of a call about insight. Raises Invalid."""
        common: dict[str, object] = {"tz": view.zone}
        if self.start is None and self.end is None:
            return {**common, "period": self.name, "date": self.day}
        start, end = self.span(view)
        return {**common, "start": start, "end": end}

    def span(self, view: View) -> tuple[str, str]:
        """From which time to before which, RFC 3339. Raises Invalid."""
        from dayline.insight.periods import named_period  # here, because most commands leave that to the server

        calendar = view.calendar()
        today = calendar.day_of(round(view.now().timestamp() * 1_000_000))
        if self.start is None and self.end is None:
            day = today if self.day is None else check_day(self.day, "--date")
            days = named_period(calendar, self.name or "today", day)
            edges = calendar.span(days.first, days.after)
            return calendar.text(edges[0]), calendar.text(edges[1])
        start = calendar.text(calendar.day_edge(date(1970, 1, 2))) if self.start is None else _edge(self.start, view)
        end = view.now().isoformat() if self.end is None else _edge(self.end, view, is_end=True)
        if datetime.fromisoformat(start) >= datetime.fromisoformat(end):
            raise Invalid(f"--to {end} is not after --from {start}", hint="a day that --to names is included")
        return start, end


def period_options(usual: "PeriodName | None") -> Callable[[Callable[P, T]], Callable[..., T]]:
    """Give a command the options of periods, and pass it `asked`: the usual period where none of them is given."""

    def decorate(command: Callable[P, T]) -> Callable[..., T]:
        @click.option("--today", "name", flag_value="today", help="Today.")
        @click.option("--week", "name", flag_value="week", help="This week, or that of --date.")
        @click.option("--month", "name", flag_value="month", help="This month, or that of --date.")
        @click.option("--year", "name", flag_value="year", help="This year, or that of --date.")
        @click.option("--last", type=click.Choice(LAST), help="The one before: --last month.")
        @click.option("--date", "day", metavar="DAY", help="A day, or the day that the period is around: 2026-03-05.")
        @click.option("--from", "start", metavar="TIME", help="From a day or a time on: 2026-03-05, 2026-03-05T14:30.")
        @click.option("--to", "end", metavar="TIME", help="Up to a day, which is included, or to before a time.")
        @functools.wraps(command)
        def with_period(*args: P.args, **kwargs: P.kwargs) -> T:
            given = {name: _text(kwargs.pop(name)) for name in ("name", "last", "day", "start", "end")}
            kwargs["asked"] = _asked(given, usual)
            return command(*args, **kwargs)

        return with_period

    return decorate


def _asked(given: dict[str, str | None], usual: "PeriodName | None") -> Asked:
    name, last, day, start, end = given.values()
    told = {f"--{name}": name, "--last": last, "--from and --to": start or end}
    ways = [way for way, is_given in told.items() if is_given]
    if len(ways) > 1:
        raise click.UsageError(f"a period is given in one way, {' or '.join(ways)}")
    if day is not None:
        if start or end:
            raise click.UsageError("--date stands beside --from and --to: give one or the other")
        check_day(day, "--date")
    for text, option in ((start, "--from"), (end, "--to")):
        if text is not None:
            _moment(text, option)
    if start or end:
        return Asked(start=start, end=end)
    word = f"last {last}" if last is not None else name or ("day" if day is not None else "")
    return Asked(name=_NAMES[word] if word else usual, day=day)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def check_day(text: str, option: str) -> date:
    try:
        if not _DAY.fullmatch(text):
            raise ValueError(text)
        return date.fromisoformat(text)
    except ValueError as error:
        raise Invalid(f"{option}: {text[:40]!r} is not a day", hint="write 2026-03-05") from error


def whole_day(text: str) -> date | None:
    """The day that a text names without a time, in any form of ISO 8601; None for everything else.

    Every --to includes such a day, and ends before a time.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _moment(text: str, option: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid(
            f"{option}: {text[:40]!r} is neither a day nor a time", hint="write 2026-03-05 or 2026-03-05T14:30"
        ) from error


def _edge(text: str, view: View, *, is_end: bool = False) -> str:
    """A day as the moment at which it begins, or at which the next one does; a time as it is, in the zone."""
    option = "--to" if is_end else "--from"
    day = whole_day(text)
    if day is not None:
        calendar = view.calendar()
        return calendar.text(calendar.day_edge(day + timedelta(days=1) if is_end else day))
    moment = _moment(text, option)
    return view.in_zone(moment).isoformat()
