"""Everything of a database, table by table, in a form that each backend can read and write.

Keys and ids stay as they are, and times are microseconds since 1970.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.time import Microseconds

ROWS_AT_ONCE: Final = 10_000

Row: TypeAlias = Sequence[Any]
ColumnType: TypeAlias = Literal["bigint", "text", "bytea"]


class CopiedTable(Struct, frozen=True, kw_only=True):
    """A table and its columns in the order of a row. `unproven` are columns that may come to differ."""

    name: str
    columns: Mapping[str, ColumnType]
    unproven: frozenset[str] = frozenset()


class CopiedBucket(Struct, frozen=True, kw_only=True):
    """A bucket, also one in the trash."""

    key: int
    id: str
    is_deleted: bool


class CopiedEvent(Struct, frozen=True, array_like=True):
    """An event with its data, wherever those are kept."""

    start: Microseconds
    id: int
    duration: Microseconds
    data: CanonicalJson


class Counters(Struct, frozen=True, kw_only=True):
    """The numbers that come next; those before were given, though what had them may be gone."""

    event: int
    bucket: int
    value: int
    act: int


class Copied(Protocol):
    """One side of a copy: a database as it is at one moment, for as long as it is open."""

    @property
    def name(self) -> str:
        """What people call it; no password in it."""
        ...

    def buckets(self) -> list[CopiedBucket]: ...

    def count_events(self) -> int:
        """Of all buckets."""
        ...

    def events(self, bucket: int) -> Iterator[CopiedEvent]:
        """Those of the bucket with this key, in no particular order."""
        ...

    def rows(self, table: CopiedTable) -> Iterator[Sequence[Row]]:
        """The rows of a table, some at a time."""
        ...

    def counters(self) -> Counters: ...

    def left_out(self) -> list[str]:
        """What is not copied, in words."""
        ...


class CopyTarget(Copied, Protocol):
    """The other side: nothing of it is there before `keep`."""

    def write(self, table: CopiedTable, rows: Sequence[Row]) -> None: ...

    def settle(self, counters: Counters) -> None:
        """Called behind the last row."""
        ...

    def keep(self) -> None:
        """Have it in its place for good."""
        ...


def _table(name: str, columns: str, unproven: str = "") -> CopiedTable:
    """Columns are text but for those with a mark: `#` a number, `!` bytes."""
    types: dict[str, ColumnType] = {}
    for column in columns.split():
        plain = column.rstrip("#!")
        types[plain] = "bigint" if column.endswith("#") else "bytea" if column.endswith("!") else "text"
    return CopiedTable(name=name, columns=types, unproven=frozenset(unproven.split()))


# `salt` tells texts of the same hash apart where the key of the table has it. The figures of months are bounds, which
# each backend widens in its own way.
TABLES: Final[Sequence[CopiedTable]] = (
    _table("bucket", "key# thinned# id type client hostname created# data creator deleted# dictionary#"),
    _table("value", "key# bucket# hash# salt# json", "salt"),
    _table("event", "bucket# start# id# duration# value#"),
    _table("month", "bucket# month# events# longest# reach#", "longest reach"),
    _table("alias", "id bucket# made#"),
    _table("setting", "key json"),
    _table("setting_history", "number# key json changed#"),
    _table("act", "key# kind made# state bucket bucket_key# events# detail"),
    _table("act_event", "act# id# bucket# start# duration# value# new_start# new_duration# new_value#"),
    _table("redaction", "key# made# state rules buckets changed_values# changed_events# dropped_events#"),
    _table("redacted_value", "redaction# value# bucket# hash# json next_id#"),
    _table("redacted_event", "redaction# bucket# start# id# duration# value# target#"),
    _table("replaced_event", "id# redaction#"),
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
