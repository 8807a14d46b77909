"""Times as people type them: 09:00, yesterday 14:00, monday 9:30, 2026-03-05 14:00, now."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from dayline.cli.calls.local import LocalServer
from dayline.cli.options.periods import whole_day
from dayline.insight.calendar import zone_of
from dayline.model.errors import Invalid
from dayline.model.goal import WEEKDAYS

_WORD = re.compile(r"[a-z]+")
_CLOCK = re.compile(r"(?:(?P<day>[a-z]+)\s+)?(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})")
_HINT: Final = "write 09:00, yesterday 14:00, monday 9:30, 2026-03-05 14:00, 2026-03-05, or now"


class SpokenTimes:
    """Reads and writes times in the zone of a person: that of the preferences, else that of this computer."""

    def __init__(self, zone: str | None, *, now: datetime | None = None) -> None:
        self._zone = None if zone is None else zone_of(zone)
        self._now = (now or datetime.now(UTC)).astimezone(self._zone)

    @classmethod
    def of(cls, server: LocalServer) -> "SpokenTimes":
        """Those of the person whose server this is."""
        return cls(server.call("GET", "/api/1/settings")["time_zone"])

    def moment(self, text: str, *, name: str, near: datetime | None = None, is_end: bool = False) -> datetime:
        """The time that a text means; a time of the day is one of today, or of the day of another. Raises Invalid.

        A day alone is its midnight, or with `is_end` the next one: the day is included.
        """
        words = " ".join(text.lower().split())
        if words == "now":
            return self._now
        found = _CLOCK.fullmatch(words)
        try:
            named = self._day(words, self._now.date()) if _WORD.fullmatch(words) else whole_day(words.upper())
            if named is not None:
                return self._in_zone(datetime.combine(named + timedelta(days=is_end), time()))
            if found is None:
                return self._in_zone(datetime.fromisoformat(text.strip()))
            day = self._day(found["day"], (near or self._now).astimezone(self._zone).date())
            return self._in_zone(datetime.combine(day, time(int(found["hour"]), int(found["minute"]))))
        except (ValueError, OverflowError) as error:
            raise Invalid(f"{name}: {text!r} is not a time", hint=_HINT) from error

    def after(self, text: str, start: datetime, *, name: str) -> datetime:
        """The end of something: a time of the day alone is the next one after the start, a day alone is included."""
        end = self.moment(text, name=name, near=start, is_end=True)
        is_clock = _CLOCK.fullmatch(text.strip()) is not None
        return self._in_zone((end + timedelta(days=1)).replace(tzinfo=None)) if is_clock and end <= start else end

    def shown(self, text: str) -> str:
        """A time of the server as people read it."""
        return f"{datetime.fromisoformat(text).astimezone(self._zone):%Y-%m-%d %H:%M}"

    def _in_zone(self, moment: datetime) -> datetime:
        if moment.tzinfo is not None:
            return moment.astimezone(self._zone)
        return moment.astimezone() if self._zone is None else moment.replace(tzinfo=self._zone)

    def _day(self, word: str | None, today: date) -> date:
        if word in (None, "today"):
            return today if word is None else self._now.date()
        if word == "yesterday":
            return self._now.date() - timedelta(days=1)
        # The last such day, today included: people speak of what was.
        weekday = next((number for number, name in enumerate(WEEKDAYS) if word in (name, name[:3])), None)
        if weekday is None:
            raise ValueError(word)
        return self._now.date() - timedelta(days=(self._now.weekday() - weekday) % 7)
