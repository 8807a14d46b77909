"""Writes a demo history as an ActivityWatch export, event by event."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

# The server imports this module for the order alone: what generates the demo is loaded when it is used.
if TYPE_CHECKING:
    from dayline.demo.history import DemoBucket, History
    from dayline.demo.lanes import DemoEvent

# Few writes to the file, and little memory.
EVENTS_A_WRITE = 500

SEED: Final = 7
DEVICES: Final = 3

# Category rules for the demo's apps and pages, in the format of the setting `classes`: name, color and pattern, which
# is matched with the app and the title of a window.
_RULES: Final[tuple[tuple[tuple[str, ...], str, str | None], ...]] = (
    (("Work",), "#3f7fbf", r"- Board( -|$)"),
    (("Work", "Code"), "#2f6fdf", r"^(Code|Terminal)$|- (Code|Questions)( -|$)|- Reference [0-9.]+( -|$)"),
    (("Work", "Meetings"), "#7a5fd0", r"^Zoom$"),
    (("Work", "Writing"), "#3f9f9f", r"^(LibreOffice|Obsidian)$"),
    (("Work", "Design"), "#bf5fb0", r"^Figma$"),
    (("Work", "Research"), "#5f9fd0", r"- (Wiki|Search)( -|$)"),
    (("Communication",), "#d0953f", None),
    (("Communication", "Mail"), "#d0a53f", r"^(Thunderbird|K-9 Mail)$|robin@example\.org - Mail"),
    (("Communication", "Chat"), "#d0803f", r"^(Slack|Signal|Discord)$"),
    (("Media",), "#d05f6f", r"^GIMP$|^Camera$|^YouTube$|- Video( -|$)"),
    (("Media", "Music"), "#5faf6f", r"^(Spotify|AntennaPod)$"),
    (("Media", "Games"), "#8faf3f", r"^(Steam|Rail Garden|Tiny Archipelago|Lantern Keeper|Hexfield|星の郵便局)$"),
    (("Media", "Reading"), "#bf7f5f", r"\| The Daily Example|- Forum( -|$)"),
    (("Errands",), "#8f8f8f", r"- (Shop|Recipes|Maps)( -|$)|^(Maps|Calendar|Clock)$"),
)


def write_export(buckets: "Iterable[DemoBucket]", file: BinaryIO) -> int:
    """Write `{"buckets": {…}}` to the file, oldest events first, and return the number of events."""
    encoder = msgspec.json.Encoder()
    count = 0
    file.write(b'{"buckets":{')
    for number, bucket in enumerate(buckets):
        attributes = {name: getattr(bucket, name) for name in ("id", "type", "client", "hostname", "created", "data")}
        head = encoder.encode(attributes).removesuffix(b"}")
        file.write((b",\n" if number else b"\n") + encoder.encode(bucket.id) + b":" + head + b',"events":[')
        count += _write_events(bucket.events(), file, encoder)
        file.write(b"]}")
    file.write(b"\n}}\n")
    return count


def _write_events(events: "Iterable[DemoEvent]", file: BinaryIO, encoder: msgspec.json.Encoder) -> int:
    from dayline.demo.routine import EPOCH

    count = 0
    lines: list[bytes] = []
    for start, duration, data in events:
        timestamp = (EPOCH + timedelta(microseconds=start)).replace(tzinfo=None).isoformat(timespec="milliseconds")
        event = {"timestamp": f"{timestamp}Z", "duration": duration / 1_000_000, "data": data}
        lines.append((b",\n" if count else b"\n") + encoder.encode(event))
        count += 1
        if len(lines) >= EVENTS_A_WRITE:
            file.write(b"".join(lines))
            lines.clear()
    file.write(b"".join(lines))
    return count


class DemoOrder(Struct, frozen=True, kw_only=True):
    """A number of days up to a time, in a time zone; `skipped` days at the end are left out."""

    until: datetime
    days: int
    skipped: int = 0
    zone: str
    seed: int = SEED
    devices: int = DEVICES


def history_of(order: DemoOrder) -> "History":
    """The days of an order. Consecutive orders together form one history."""
    from dayline.demo.history import History

    until = order.until.astimezone(ZoneInfo(order.zone))
    return History(
        seed=order.seed,
        days=order.days,
        devices=order.devices,
        end=until.date() - timedelta(days=order.skipped),
        until=until,
        zone=order.zone,
    )


def write_order(document: Path, order: DemoOrder) -> int:
    """Write the days of an order to a file, and return the number of events."""
    with document.open("wb") as file:
        return write_export(history_of(order).buckets(), file)


def demo_classes() -> list[dict[str, Any]]:
    """The value of the setting, as ActivityWatch's web UI writes it."""
    return [
        {
            "id": number,
            "name": list(name),
            "rule": {"type": "none"} if pattern is None else {"type": "regex", "regex": pattern, "ignore_case": False},
            "data": {"color": color},
        }
        for number, (name, color, pattern) in enumerate(_RULES)
    ]
