"""The log: readable on a terminal, JSON elsewhere and in a rotated file in the folder of the database."""

import asyncio
import logging
import logging.handlers
import os
import sys
import traceback
from collections import deque
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec
from msgspec import Struct

from dayline.model.time import Timestamp, format_timestamp
from dayline.runtime.files import NO_LINK

log = logging.getLogger(__name__)

FILE_BYTES: Final = 5 << 20
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_LINK
MAX_FILES: Final = 3
_STANDARD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_COLORS: Final = {logging.DEBUG: "2", logging.INFO: "0", logging.WARNING: "33", logging.ERROR: "31"}


class JsonLines(logging.Formatter):
    """One JSON object per record, including its `extra` fields."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "timestamp": format_timestamp(int(record.created * 1_000_000)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD_FIELDS}
        if record.exc_info is not None:
            line["traceback"] = "".join(traceback.format_exception(*record.exc_info))
        return msgspec.json.encode(line, enc_hook=str).decode()


class Readable(logging.Formatter):
    """Time, level unless it is INFO, and message: for terminals."""

    def format(self, record: logging.LogRecord) -> str:
        color = _COLORS.get(record.levelno, "0")
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        text = f"\x1b[2m{self.formatTime(record, '%H:%M:%S')}\x1b[0m \x1b[{color}m{level}{record.getMessage()}\x1b[0m"
        if record.exc_info is not None:
            text += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip()
        return text


class UnwritableIgnored(logging.Handler):
    """Drops records that cannot be written: the base class would print a traceback for each while the disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


class Console(UnwritableIgnored, logging.StreamHandler[TextIO]):
    """The terminal, or standard error. Records that it cannot write (a closed pipe) are still in the file."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.setFormatter(Readable() if stream.isatty() else JsonLines())


class LogFile(UnwritableIgnored, logging.handlers.RotatingFileHandler):
    """The rotated file. Records that it cannot write (a full disk) are still on the console."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=MAX_FILES, encoding="utf-8", delay=True)
        self.setFormatter(JsonLines())

    def _open(self) -> TextIOWrapper:
        # Not through a symbolic link: another user of the folder could choose the file that we append to.
        return os.fdopen(os.open(self.baseFilename, _APPEND, 0o600), "a", encoding="utf-8")


class IgnoreCancelled(logging.Filter):
    """Drops errors of requests that were canceled because the server stops."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.exc_info is None or not isinstance(record.exc_info[1], asyncio.CancelledError)


def set_up(*, level: str, file: Path, records: logging.Handler) -> None:
    """Send the log to standard error, to the file, and to the handler for `/api/0/log`."""
    stream: TextIO | None = sys.stderr  # None if the process was started without one
    root = logging.getLogger()
    root.handlers = [*([] if stream is None else [Console(stream)]), LogFile(file), records]
    root.setLevel(level.upper())
    if file.is_symlink():
        log.warning("%s is a symbolic link, so the log is not written to it: delete it", file)
    # Its start and stop messages would duplicate ours.
    logging.getLogger("uvicorn").setLevel(max(logging.WARNING, root.level))
    logging.getLogger("uvicorn.error").addFilter(IgnoreCancelled())
    # It would log every connection attempt; our messages report when an outage begins and ends.
    logging.getLogger("psycopg.pool").setLevel(max(logging.ERROR, root.level))


# The latest log records, in memory for `GET /api/0/log`.
MAX_RECORDS: Final = 1000


class LogRecord(Struct, frozen=True, kw_only=True):
    """One log record."""

    timestamp: Timestamp
    level: str
    logger: str
    message: str


class LogRecords(logging.Handler):
    """A log handler that stores the latest records."""

    def __init__(self) -> None:
        super().__init__()
        self._records: deque[LogRecord] = deque(maxlen=MAX_RECORDS)

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
