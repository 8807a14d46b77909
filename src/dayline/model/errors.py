"""Every error this package raises on purpose.

DaylineError
├── BucketExists   the bucket already exists: an ordinary response for watchers
├── Malformed      the request cannot be parsed: broken JSON, broken UTF-8, a bad parameter
├── Invalid        parsed, but not valid: a missing field, a time out of range; PatternInvalid, SettingsInvalid
├── Unauthorized   no key, or an invalid one: ClockSkew
├── Forbidden      authenticated, but not allowed: a foreign origin
├── NotFound       BucketNotFound, EventNotFound, KeyNotFound, SessionNotFound, PathNotFound, NotOnPostgres
├── NotAllowed     the path exists, the method does not
├── Conflict       EventElsewhere, EventIdReserved, MirrorReadOnly, AlreadyDone
├── Gone           it existed and has expired
├── Stale          it was changed by another client
├── TooLarge       above a limit named in the message
├── WrongType      a body that is not JSON
├── TooMany        rate limit exceeded
├── ClientGone     the client closed the connection before it had the response
└── Unavailable    StoreBusy, StoreLocked, StoreTooNew, StoreUnusable (NotADatabase), ReplicaUnusable, LostServer
"""

from collections.abc import Sequence
from typing import Any


class DaylineError(Exception):
    """The base class. `message` says what failed; `hint` says how to fix it."""

    def __init__(self, message: str, *, hint: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field


class BucketExists(DaylineError):
    """The bucket already exists, and nothing was changed: what a watcher gets on every start but its first."""

    def __init__(self, bucket_id: str) -> None:
        super().__init__(f"bucket {bucket_id!r} already exists")


class Malformed(DaylineError):
    """The request cannot be parsed: broken JSON, broken UTF-8, a bad parameter, or an unknown Host header."""


class Invalid(DaylineError):
    """The request can be parsed but is not valid: a missing field, a wrong type, a time out of range."""


class SettingsInvalid(Invalid):
    """The settings file, an environment variable or a flag of the server is wrong: a restart does not help."""


class PatternInvalid(Invalid):
    """An invalid regular expression. `column` is the position of the error from 1; None if there is no single one."""

    def __init__(self, message: str, *, hint: str | None = None, field: str | None = None, column: int | None = None):
        super().__init__(message, hint=hint, field=field)
        self.column = column


class Unauthorized(DaylineError):
    """A key is required, and it is missing or invalid."""


class ClockSkew(Unauthorized):
    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the call was made {abs(seconds):,.0f} s {'before' if seconds > 0 else 'after'} the server's current time",
            hint="set the clocks of both computers",
        )


class Forbidden(DaylineError):
    """Authenticated, but not allowed: a page of another origin, an extension that may only record, a restricted key."""


class NotFound(DaylineError):
    """There is no such bucket, event, key or path."""


class BucketNotFound(NotFound):
    def __init__(self, bucket_id: str) -> None:
        super().__init__(
            f"no bucket named {bucket_id!r}",
            hint="list the buckets with GET /api/0/buckets/; create one with POST /api/0/buckets/<id>",
        )


class EventNotFound(NotFound):
    def __init__(self, bucket_id: str, event_id: int | str) -> None:
        super().__init__(f"no event {event_id} in bucket {bucket_id!r}")


class KeyNotFound(NotFound):
    def __init__(self, key_id: str) -> None:
        super().__init__(f"no key with the id {key_id!r}", hint="list them with GET /api/1/keys or dayline keys list")


class SessionNotFound(NotFound):
    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"no session with the id {session_id[:40]!r}",
            hint="list them with GET /api/1/sessions or dayline keys sessions",
        )


class PathNotFound(NotFound):
    def __init__(self, path: str) -> None:
        super().__init__(f"no endpoint at {path!r}", hint="GET /api/ lists all endpoints")


class NotOnPostgres(NotFound):
    def __init__(self, what: str) -> None:
        super().__init__(
            f"not on PostgreSQL: {what[:1].lower()}{what[1:]}",
            hint="use the tools of the database server: see docs/guides/postgres.md",
        )


class NotAllowed(DaylineError):
    """`allowed` are the methods of the path."""

    def __init__(self, method: str, path: str, *, allowed: Sequence[str]) -> None:
        super().__init__(f"{path!r} does not support {method}", hint=f"allowed: {', '.join(allowed)}")
        self.allowed = allowed


class Conflict(DaylineError):
    """It conflicts with existing data: the id belongs to another bucket."""


class EventElsewhere(Conflict):
    def __init__(self, event_id: int, bucket_id: str) -> None:
        super().__init__(
            f"event {event_id} belongs to another bucket than {bucket_id!r}",
            hint="omit the id to insert a new event",
            field="id",
        )


class EventIdReserved(Conflict):
    def __init__(self, event_id: int, bucket_id: str) -> None:
        super().__init__(
            f"no event {event_id} in bucket {bucket_id!r}, and the id is reserved for a later event",
            hint="omit the id to insert a new event",
            field="id",
        )


class MirrorReadOnly(Conflict):
    """A change of a bucket that belongs to another device. `hostname` is that of the mirror."""

    def __init__(self, hostname: str) -> None:
        owner, _, device = hostname.partition("@")
        super().__init__(
            f"this bucket belongs to {owner}; delete it there, or adopt it",
            hint=f"to make it a bucket of this device: dayline sync adopt {device or owner}",
        )


class AlreadyDone(Conflict):
    def __init__(self) -> None:
        super().__init__("this change was already made", hint="use a new Idempotency-Key for every new change")


class Gone(DaylineError):
    """It existed and has expired."""


class Stale(DaylineError):
    """It was changed by another client since it was read."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        field: str | None = None,
        current: dict[str, Any] | None = None,
        tag: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, field=field)
        self.current = current  # its current state, as the call that reads it returns it
        self.tag = tag  # the ETag of the current state


class TooLarge(DaylineError):
    """Above a limit, which the message names."""


class WrongType(DaylineError):
    """The body does not have the content type that this call requires."""


class TooMany(DaylineError):
    """Too many requests: slow down."""

    def __init__(self, message: str, *, hint: str | None = None, retry_after_s: int = 60) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class ClientGone(DaylineError):
    """The client closed the connection before it had the response. Nothing was changed."""


class Unavailable(DaylineError):
    """It cannot be done now, though the request is valid: retry in a few seconds."""

    retry_after_s = 5


class LostServer(Unavailable):
    """The server became unreachable while a command was sending to it."""


class StoreBusy(Unavailable):
    """The change could not be committed in time; nothing of it was stored."""


class StoreLocked(Unavailable):
    pass


class StoreTooNew(Unavailable):
    pass


class StoreUnusable(Unavailable):
    pass


class NotADatabase(StoreUnusable):
    """The file is something else: trying again does not help."""


class ReplicaUnusable(StoreUnusable):
    """A replica cannot be read, or is behind: read from the primary instead."""
