"""A seeded demo history of several devices, as buckets that stream their events.

    history = History(seed=7, days=400, devices=3, end=date(2026, 3, 31))
    for bucket in history.buckets():
        for start, duration, data in bucket.events():
            ...

The events of a day depend only on the seed, the device and the date: a history of ten days is the end of one of four
hundred, and every bucket can be read separately. Memory is bounded by one day.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from dayline.demo.lanes import (
    DemoDevice,
    DemoEvent,
    DeviceDay,
    afk_events,
    editor_events,
    phone_events,
    web_events,
    window_events,
)
from dayline.demo.routine import EPOCH, MICROSECOND, DeviceKind
from dayline.model.bucket import DEMO_MARK

# Has daylight saving time, so 400 days include a change each way.
DEFAULT_ZONE: Final = "Europe/Berlin"

DEVICE_KINDS: Final[tuple[DeviceKind, ...]] = ("laptop", "desktop", "phone")

Lane = Callable[[DeviceDay], Iterator[DemoEvent]]


class DemoBucket(Struct, frozen=True, kw_only=True):
    """A bucket's attributes and its events."""

    id: str
    type: str
    client: str
    hostname: str
    created: datetime
    data: dict[str, object]
    days: Callable[[], Iterator[DeviceDay]]
    lane: Lane
    until: datetime | None

    def events(self) -> Iterator[DemoEvent]:
        """The events, ascending and without overlaps; each call starts again. The data is shared: do not change it."""
        events = (event for day in self.days() for event in self.lane(day))
        return events if self.until is None else _cut(events, (self.until - EPOCH) // MICROSECOND)


class History(Struct, frozen=True, kw_only=True):
    """`days` days up to and including `end`, on `devices` devices: laptop, desktop, phone, and again.

    `until` cuts the last day: no event ends after it.
    """

    seed: int
    days: int
    devices: int
    end: date
    until: datetime | None = None
    zone: str = DEFAULT_ZONE

    def buckets(self) -> Iterator[DemoBucket]:
        """The buckets of all devices, in a fixed order."""
        for number in range(self.devices):
            yield from self._buckets_of(_device(number))

    def _buckets_of(self, device: DemoDevice) -> Iterator[DemoBucket]:
        first_day = self.end - timedelta(days=self.days - 1)
        created = datetime(first_day.year, first_day.month, first_day.day, tzinfo=UTC)

        def days() -> Iterator[DeviceDay]:
            zone = ZoneInfo(self.zone)
            for number in range(self.days):
                yield DeviceDay(seed=self.seed, device=device, day=first_day + timedelta(days=number), zone=zone)

        for client, bucket_type, lane in _LANES[device.kind]:
            yield DemoBucket(
                id=f"{client}_{device.hostname}",
                type=bucket_type,
                client=client,
                hostname=device.hostname,
                created=created,
                data={DEMO_MARK: True},
                days=days,
                lane=lane,
                until=self.until,
            )


def _cut(events: Iterator[DemoEvent], until: int) -> Iterator[DemoEvent]:
    for event in events:
        if event.start >= until:
            return
        yield event._replace(duration=min(event.duration, until - event.start))


def _device(number: int) -> DemoDevice:
    """The device with that number; from the fourth on, a second laptop and so on."""
    kind = DEVICE_KINDS[number % len(DEVICE_KINDS)]
    turn = number // len(DEVICE_KINDS)
    return DemoDevice(kind=kind, hostname=f"{kind}-{turn + 1}" if turn else kind)


def _lanes_of_computer(browser: str) -> tuple[tuple[str, str, Lane], ...]:
    return (
        ("aw-watcher-window", "currentwindow", window_events),
        ("aw-watcher-afk", "afkstatus", afk_events),
        (f"aw-watcher-web-{browser}", "web.tab.current", web_events),
        ("aw-watcher-vscode", "app.editor.activity", editor_events),
    )


_LANES: Final[dict[DeviceKind, tuple[tuple[str, str, Lane], ...]]] = {
    "laptop": _lanes_of_computer("firefox"),
    "desktop": _lanes_of_computer("chrome"),
    "phone": (("aw-watcher-android", "currentwindow", phone_events),),
}
