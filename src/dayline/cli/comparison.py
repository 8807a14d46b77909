"""What a period is compared with: the one before, and while it goes on only as much of that as has passed of this."""

from typing import TYPE_CHECKING, Final

from dayline.cli.periods import Asked
from dayline.cli.view import View

if TYPE_CHECKING:
    from dayline.insight.periods import PeriodName

# Periods that are over in any case need no look at the clock.
_OVER: Final["tuple[PeriodName, ...]"] = ("yesterday", "last-week", "last-month", "last-year")
_BEFORE: Final = {"today": "yesterday", "week": "last week", "month": "last month", "year": "last year"}


def comparison(asked: Asked, view: View) -> tuple[dict[str, object], str | None]:
    """The parameters of the call, and words for it where the server's own would not do. Raises Invalid."""
    previous: dict[str, object] = {"compare": "previous"}
    if asked.name in _OVER:
        return previous, None
    from datetime import datetime

    from dayline.insight.periods import previous_span

    now = view.now()
    start, end = (datetime.fromisoformat(edge) for edge in asked.span(view))
    if not start <= now < end:
        return previous, None
    calendar = view.calendar()
    first, after = previous_span(calendar, *(round(moment.timestamp() * 1_000_000) for moment in (start, end)))
    passed = round((now - start).total_seconds() * 1_000_000)
    custom: dict[str, object] = {
        "compare": "custom",
        "compare_start": calendar.text(first),
        "compare_end": calendar.text(min(first + max(passed, 1), after)),
    }
    return custom, f"{_BEFORE.get(asked.name or '', 'before')} by this time"
