"""What a server tells, other than buckets and events."""

from msgspec import Struct

from dayline.model.timestamps import Timestamp


class ServerInfo(Struct, frozen=True, kw_only=True):
    """What a server says of itself, to anybody."""

    hostname: str
    version: str
    testing: bool
    device_id: str


class LogRecord(Struct, frozen=True, kw_only=True):
    """One line of a server's log."""

    timestamp: Timestamp
    level: str
    logger: str
    message: str


class ImportReport(Struct, frozen=True, kw_only=True):
    """What an import did: buckets read, events stored, skipped because they were there, left out as unusable."""

    buckets: int = 0
    imported: int = 0
    skipped: int = 0
    invalid: int = 0

    def __add__(self, other: "ImportReport") -> "ImportReport":
        return ImportReport(
            buckets=self.buckets + other.buckets,
            imported=self.imported + other.imported,
            skipped=self.skipped + other.skipped,
            invalid=self.invalid + other.invalid,
        )


class ErrorBody(Struct, frozen=True, kw_only=True):
    """What an answer says when it is not a success. Other servers send the message alone."""

    message: str
    type: str = ""
    hint: str | None = None
    request_id: str | None = None


class Deletion(Struct, frozen=True, kw_only=True):
    """Whether there was something to delete."""

    success: bool
