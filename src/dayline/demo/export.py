"""Writes a demo history as an ActivityWatch export, event by event."""

from collections.abc import Iterable
from datetime import timedelta
from typing import BinaryIO

import msgspec

from dayline.demo.calendar import EPOCH
from dayline.demo.history import DemoBucket
from dayline.demo.lanes import DemoEvent

# Enough for few calls to the file, small enough not to matter.
EVENTS_A_WRITE = 500


def write_export(buckets: Iterable[DemoBucket], file: BinaryIO) -> int:
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


def _write_events(events: Iterable[DemoEvent], file: BinaryIO, encoder: msgspec.json.Encoder) -> int:
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
