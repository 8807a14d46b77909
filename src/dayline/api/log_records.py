"""The latest log records, kept in memory for `GET /api/0/log`."""

import logging
from collections import deque
from typing import Final

from msgspec import Struct

from dayline.model.timestamps import Timestamp, format_timestamp

KEPT: Final = 1000


class LogRecord(Struct, frozen=True, kw_only=True):
    """One line of the log."""

    timestamp: Timestamp
    level: str
    logger: str
    message: str


class LogRecords(logging.Handler):
    """A log handler that remembers."""

    def __init__(self) -> None:
        super().__init__()
        self._records: deque[LogRecord] = deque(maxlen=KEPT)

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(
            LogRecord(
                timestamp=format_timestamp(int(record.created * 1_000_000)),
                level=record.levelname.lower(),
                logger=record.name,
                message=record.getMessage(),
            )
        )

    def newest_first(self) -> list[LogRecord]:
        return list(reversed(self._records))
