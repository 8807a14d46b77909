"""Every error this package raises on purpose.

DaylineError
├── BucketExists   the bucket is there already: for watchers an ordinary answer
├── Malformed      the bytes cannot be read: broken JSON, broken UTF-8, a bad parameter
├── Invalid        readable, but wrong: a missing field, a time out of range; PatternInvalid, SettingsInvalid
├── Unauthorised   no key, or not a valid one: ClockSkew
├── Forbidden      known, but not allowed: a foreign origin
├── NotFound       BucketNotFound, EventNotFound, KeyNotFound, SessionNotFound, PathNotFound, NotOnPostgres
├── NotAllowed     the path exists, the method does not
├── Conflict       EventElsewhere, AlreadyDone
├── Gone           it was here, and its time is over
├── Stale          it was changed by somebody else in the meantime
├── TooLarge       over a limit that the message names
├── WrongType      a body that is not JSON
├── TooMany        slow down
└── Unavailable    StoreBusy, StoreLocked, StoreTooNew, StoreUnusable, ReplicaUnusable, LostServer
"""

from collections.abc import Sequence
from typing import Any


class DaylineError(Exception):
    """The root of the family. `message` names the thing; `hint` says what mends it."""

    def __init__(self, message: str, *, hint: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field


class BucketExists(DaylineError):
    """The bucket exists already, and nothing was changed: what a watcher gets on every start but its first."""

    def __init__(self, bucket_id: str) -> None:
        super().__init__(f"bucket {bucket_id!r} exists already")


class Malformed(DaylineError):
    """The request cannot be read: broken JSON, broken UTF-8, a bad parameter, or a Host header that is not ours."""


class Invalid(DaylineError):
    """Readable, but not what is asked for: a missing field, a wrong type, a time out of range."""


class SettingsInvalid(Invalid):
    """The settings file, an environment variable or a flag of the server is wrong: a restart does not help."""


class PatternInvalid(Invalid):
    """A regular expression that is none. `column` counts its characters from 1; None where none is at fault alone."""

    def __init__(self, message: str, *, hint: str | None = None, field: str | None = None, column: int | None = None):
        super().__init__(message, hint=hint, field=field)
        self.column = column


class Unauthorised(DaylineError):
    """A key is needed, and there is none, or not a valid one."""


class ClockSkew(Unauthorised):
    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the call was made {abs(seconds):,.0f} s {'before' if seconds > 0 else 'after'} the time of this server",
            hint="set the clocks of both computers",
        )


class Forbidden(DaylineError):
    """Known, but not allowed: a page of another origin, an extension that may only record, a key for other things."""


class NotFound(DaylineError):
    """There is no such bucket, event, key or path."""


class BucketNotFound(NotFound):
    def __init__(self, bucket_id: str) -> None:
        super().__init__(
            f"no bucket named {bucket_id!r}",
            hint="GET /api/0/buckets/ lists the buckets; POST /api/0/buckets/<id> creates one",
        )


class EventNotFound(NotFound):
    def __init__(self, bucket_id: str, event_id: int | str) -> None:
        super().__init__(f"no event {event_id} in bucket {bucket_id!r}")


class KeyNotFound(NotFound):
    def __init__(self, key_id: str) -> None:
        super().__init__(f"no key has the id {key_id!r}", hint="GET /api/1/keys lists them; so does dayline keys list")


class SessionNotFound(NotFound):
    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"no session has the id {session_id[:40]!r}",
            hint="GET /api/1/sessions lists them; so does dayline keys sessions",
        )


class PathNotFound(NotFound):
    def __init__(self, path: str) -> None:
        super().__init__(f"nothing is served at {path!r}", hint="GET /api/ shows every call")


class NotOnPostgres(NotFound):
    def __init__(self, what: str) -> None:
        super().__init__(
            f"not on PostgreSQL: {what[:1].lower()}{what[1:]}",
            hint="a database server has tools of its own for this: see docs/guides/postgres.md",
        )


class NotAllowed(DaylineError):
    """`allowed` are the methods that the path does have."""

    def __init__(self, method: str, path: str, *, allowed: Sequence[str]) -> None:
        super().__init__(f"{method} is not a method of {path!r}", hint=f"allowed are {', '.join(allowed)}")
        self.allowed = allowed


class Conflict(DaylineError):
    """It cannot be done without harm to something else: the id belongs to another bucket."""


class EventElsewhere(Conflict):
    def __init__(self, event_id: int, bucket_id: str) -> None:
        super().__init__(
            f"event {event_id} belongs to another bucket than {bucket_id!r}",
            hint="leave out the id to insert a new event",
            field="id",
        )


class AlreadyDone(Conflict):
    def __init__(self) -> None:
        super().__init__("this change was made already", hint="every new change needs a token of its own")


class Gone(DaylineError):
    """It was here, and its time is over."""


class Stale(DaylineError):
    """It was changed by somebody else in the meantime."""

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
        self.current = current  # what it is now, as the call that reads it tells it
        self.tag = tag  # and its ETag


class TooLarge(DaylineError):
    """Over a limit, which the message names."""


class WrongType(DaylineError):
    """The body is not declared as the type that this call takes."""


class TooMany(DaylineError):
    """Too many requests: slow down."""

    def __init__(self, message: str, *, hint: str | None = None, retry_after_s: int = 60) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class Unavailable(DaylineError):
    """It cannot be done now, and nothing is wrong with the request: send it again a few seconds later."""

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


class ReplicaUnusable(StoreUnusable):
    """A copy of the data cannot be read, or lacks something: the data themselves can be asked instead."""
