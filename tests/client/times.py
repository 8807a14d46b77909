"""Times and events for the tests of the client."""

from datetime import UTC, datetime, timedelta
from typing import Any

from dayline.client.types import ClientEvent


def moment(second: float) -> datetime:
    """This many seconds after ten o'clock on a day."""
    return datetime(2026, 1, 1, 10, tzinfo=UTC) + timedelta(seconds=second)


def at(second: float, *, lasting: float = 0.0, id: int | None = None, **data: Any) -> ClientEvent:
    """An event this many seconds after ten o'clock on a day."""
    return ClientEvent(timestamp=moment(second), duration=timedelta(seconds=lasting), data=data, id=id)
