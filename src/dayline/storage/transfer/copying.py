"""The contents of a database table by table, in a form that every backend can read and write.

Keys and ids are kept, and times are microseconds since 1970.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds

ROWS_AT_ONCE: Final = 10_000

Row: TypeAlias = Sequence[Any]
ColumnType: TypeAlias = Literal["bigint", "text", "bytea"]
BucketValue: TypeAlias = tuple[int, CanonicalJson]  # the key of a bucket, and data of its events


class CopiedTable(Struct, frozen=True, kw_only=True):
    """A table and its columns in row order. The comparison after a copy ignores the columns in `unproven`."""

    name: str
    columns: Mapping[str, ColumnType]
    unproven: frozenset[str] = frozenset()


class CopiedBucket(Struct, frozen=True, kw_only=True):
    """A bucket, possibly in the trash."""

    key: int
    id: str
    is_deleted: bool


class CopiedEvent(Struct, frozen=True, array_like=True):
    """An event with its data."""

    start: Microseconds
    id: int
    duration: Microseconds
    data: CanonicalJson


class Counters(Struct, frozen=True, kw_only=True):
    """The next ids of each kind; lower ids were assigned already, even if their rows are gone."""

    event: int
    bucket: int
    value: int
    operation: int


class Copied(ABC):
    """The source of a copy: a consistent snapshot of a database, valid while it is open."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name to display, without a password."""
        ...

    @property
    @abstractmethod
    def schema(self) -> int:
        """The number of the engine's schema."""
        ...

    def buckets(self) -> list[CopiedBucket]:
        """All buckets, in order of creation."""
        return [
            CopiedBucket(key=record["key"], id=record["id"], is_deleted=record["deleted"] is not None)
            for record in self.records("bucket")
        ]

    def records(self, table: str) -> Iterator[dict[str, Any]]:
        """The rows of a table by column."""
        columns = tuple(TABLE_OF_NAME[table].columns)
        for rows in self.rows(TABLE_OF_NAME[table]):
            for row in rows:
                yield dict(zip(columns, row, strict=True))

    @abstractmethod
    def count_events(self) -> int:
        """The number of events in all buckets."""
        ...

    @abstractmethod
    def events(self, bucket: int) -> Iterator[CopiedEvent]:
        """The events of the bucket with this key, in any order."""
        ...

    @abstractmethod
    def event_lines(self, bucket: int, head: str) -> Iterator[bytes]:
        """The events of the bucket as JSON, ordered by start and id: `head`, the id, `,` and the other members."""
        ...

    @abstractmethod
    def rows(self, table: CopiedTable) -> Iterator[Sequence[Row]]:
        """The rows of a table in the order of its key, in batches; access keys in order of creation."""
        ...

    @abstractmethod
    def counters(self) -> Counters: ...

    def left_out(self) -> list[str]:
        """What is not copied, as text."""
        return []


class CopyTarget(Copied):
    """The target of a copy. It becomes visible only with `keep`."""

    is_kept = False

    @abstractmethod
    def write(self, table: CopiedTable, rows: Sequence[Row]) -> None: ...

    @abstractmethod
    def value_keys(self, values: Collection[BucketValue]) -> Mapping[BucketValue, int]:
        """The keys of values, for a source that has none; new ones are written."""
        ...

    @abstractmethod
    def settle(self, counters: Counters) -> None:
        """Store the counters, after the last row. Raises Conflict, here or in `write`, if two events have one id."""
        ...

    def keep(self) -> None:
        """Make the copy permanent."""
        self.is_kept = True


def repeated_id(event_id: int) -> Conflict:
    """The error if two events have this id."""
    return Conflict(f"two events have the id {event_id}", hint="run dayline doctor --repair on the source")


def _table(name: str, columns: str, unproven: str = "") -> CopiedTable:
    """Columns are text unless marked: `#` is an integer, `!` is bytes."""
    types: dict[str, ColumnType] = {}
    for column in columns.split():
        plain = column.rstrip("#!")
        types[plain] = "bigint" if column.endswith("#") else "bytea" if column.endswith("!") else "text"
    return CopiedTable(name=name, columns=types, unproven=frozenset(unproven.split()))


# `salt` distinguishes texts with equal hashes. The statistics of months are bounds, which each backend widens in its
# own way.
TABLES: Final[Sequence[CopiedTable]] = (
    _table("bucket", "key# downsampled# id type client hostname created# data creator deleted# dictionary#"),
    _table("value", "key# bucket# hash# salt# json", "salt"),
    _table("event", "bucket# start# id# duration# value#"),
    _table("month", "bucket# month# events# longest# reach#", "longest reach"),
    _table("alias", "id bucket# made#"),
    _table("setting", "key json"),
    _table("setting_history", "number# key json changed#"),
    _table("operation", "key# kind made# state bucket bucket_key# events# detail"),
    _table("operation_event", "operation# id# bucket# start# duration# value# new_start# new_duration# new_value#"),
    _table("redaction", "key# made# state rules buckets changed_values# changed_events# dropped_events#"),
    _table("redacted_value", "redaction# value# bucket# hash# json"),
    _table("redacted_event", "redaction# bucket# start# id# duration# value#"),
    _table(
        "access_key",
        "id name scope buckets created# expires# revoked# salt! digest! envelope_key! last_used# last_address",
    ),
    _table("session", "digest! key_id created# expires# address agent confirmed# last_used# last_address"),
    _table("once", "token until#"),
    _table("audit", "number# slot# who key_id address call bucket status# first# last# count#"),
    _table("own_setting", "key json"),
    _table("own_setting_history", "number# key json changed#"),
)
TABLE_OF_NAME: Final = {table.name: table for table in TABLES}
