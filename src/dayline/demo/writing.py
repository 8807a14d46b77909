"""Writes a part of the demo as an export document, in a process of its own: python -m dayline.demo.writing FILE."""

import sys
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from dayline.demo.export import write_export
from dayline.demo.history import History
from dayline.demo.order import DemoOrder


def history_of(order: DemoOrder) -> History:
    """The days that are wanted. Those of one order and of the next make up one history."""
    until = order.until.astimezone(ZoneInfo(order.zone))
    return History(
        seed=order.seed,
        days=order.days,
        devices=order.devices,
        end=until.date() - timedelta(days=order.skipped),
        until=until,
        zone=order.zone,
    )


def main() -> None:
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=DemoOrder)
    with Path(sys.argv[1]).open("wb") as file:
        count = write_export(history_of(order).buckets(), file)
    sys.stdout.write(str(count))


if __name__ == "__main__":
    main()
