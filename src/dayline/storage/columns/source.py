"""Events as columns: what a store passes to the query engine, and segments contain. Only query processes import this.

event      0    1    2    3                   one entry per event
value      0    1    0    2                   which of the distinct data objects it has
           │
field app  0    0    1                        one entry per data object: which of the field's items; -1: none
           │
items      "Code", "Files"                    each distinct JSON value of the field once
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import Any, Final, Protocol, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs

from dayline.model.data import CanonicalJson, canonical_json, normal_form
from dayline.model.time import Microseconds
from dayline.transform.text import TextQuery

Times = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]  # numbers of distinct things: values or items
Flags = npt.NDArray[np.bool_]

_TEXTS_REMEMBERED: Final = 2000  # items of one field
MISSING: Final = -1  # the code of a field that a value does not have

_decode = msgspec.json.Decoder().decode


class Items:
    """Distinct JSON values in one buffer: strings as UTF-8, others as JSON text.

    Distinct by text: 1 and 1.0 are two items; `classes` maps equal ones. Immutable, so results computed per item can be
    cached for the lifetime of the object.
    """

    def __init__(self, heap: bytes, offsets: Times, is_string: Flags) -> None:
        self._heap = heap
        self._offsets = offsets
        self.is_string = is_string
        self._classes: Codes | None = None
        self._texts: dict[int, CanonicalJson] = {}

    @classmethod
    def of(cls, raws: Sequence[bytes], is_string: Sequence[bool] | Flags) -> "Items":
        """Items from their bytes."""
        offsets = np.zeros(len(raws) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, raws), dtype=np.int64, count=len(raws)), out=offsets[1:])
        return cls(b"".join(raws), offsets, np.asarray(is_string, dtype=np.bool_))

    @classmethod
    def of_values(cls, values: Iterable[object]) -> "Items":
        """Items from decoded JSON values, which must be distinct."""
        listed = list(values)
        raws = [value.encode() if isinstance(value, str) else canonical_json(value) for value in listed]
        return cls.of(raws, [isinstance(value, str) for value in listed])

    def __len__(self) -> int:
        return len(self.is_string)

    @property
    def nbytes(self) -> int:
        """Approximate memory use."""
        return len(self._heap) + self._offsets.nbytes + self.is_string.nbytes

    @property
    def heap(self) -> bytes:
        return self._heap

    @property
    def offsets(self) -> Times:
        return self._offsets

    def raw(self, index: int) -> bytes:
        """The bytes of one item."""
        return self._heap[self._offsets[index] : self._offsets[index + 1]]

    def raws(self, indexes: Codes | None = None) -> Iterator[bytes]:
        """The bytes of these items, or of all."""
        heap = self._heap
        if indexes is None:
            low, high = self._offsets[:-1].tolist(), self._offsets[1:].tolist()
        else:
            low, high = self._offsets[indexes].tolist(), self._offsets[indexes + 1].tolist()
        return (heap[first:last] for first, last in zip(low, high, strict=True))

    def json(self, index: int) -> CanonicalJson:
        """The JSON text of one item."""
        raw = self.raw(index)
        return canonical_json(raw.decode()) if self.is_string[index] else raw

    def texts(self, indexes: Set[int]) -> dict[int, CanonicalJson]:
        """The JSON texts of some items. A few recent ones are cached."""
        known = self._texts
        missing = np.array([index for index in indexes if index not in known], dtype=np.int32)
        flags = self.is_string[missing].tolist()
        unpacked = {
            index: canonical_json(raw.decode()) if is_string else raw
            for index, raw, is_string in zip(missing.tolist(), self.raws(missing), flags, strict=True)
        }
        if len(known) + len(unpacked) > _TEXTS_REMEMBERED:
            return {index: known[index] for index in indexes if index in known} | unpacked
        known.update(unpacked)
        return {index: known[index] for index in indexes}

    def value(self, index: int) -> Any:
        """The decoded item."""
        raw = self.raw(index)
        return raw.decode() if self.is_string[index] else _decode(raw)

    def classes(self) -> Codes:
        """For each item, the first equal one: 1 equals 1.0, but true does not equal 1."""
        if self._classes is None:
            classes = np.arange(len(self), dtype=np.int32)
            firsts: dict[bytes, int] = {}
            for index in np.flatnonzero(~self.is_string).tolist():
                classes[index] = firsts.setdefault(normal_form(self.raw(index)), index)
            self._classes = classes
        return self._classes


class Column(Struct, frozen=True, eq=False):
    """One field of many data objects: the code of its item for each, MISSING if the object lacks the field."""

    codes: Codes
    items: Items

    def take(self, which: Codes) -> "Column":
        """The field of these objects, in this order."""
        return Column(self.codes[which], self.items)


class Dictionary(Protocol):
    """The distinct data objects of some events. Fields are decoded on demand."""

    def __len__(self) -> int: ...

    def fields(self) -> Sequence[str]:
        """All keys of all objects."""
        ...

    def column(self, field: str) -> Column:
        """One field of all objects. If no object has it, every code is MISSING."""
        ...

    def classes(self) -> Codes:
        """For each object, the first one with an equal value."""
        ...

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        """The JSON texts of these objects."""
        ...


class EventColumns(Struct, frozen=True, eq=False):
    """Events of one bucket ordered by start and id. `end` is never before `start`: negative durations count as 0.

    Not clipped: events that overlap the requested range, as stored.
    """

    start: Times
    end: Times
    id: Ids
    value: Codes
    dictionary: Dictionary


class SourceBucket(Struct, frozen=True, kw_only=True):
    """What a query needs to find a bucket."""

    id: str
    hostname: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    is_mirror: bool = False


def with_plain_ids(buckets: Sequence[SourceBucket]) -> list[SourceBucket]:
    """Mirrors get their ids at the origin as aliases, unless another bucket has them."""
    taken = {name for bucket in buckets for name in (bucket.id, *bucket.aliases)}
    renamed: list[SourceBucket] = []
    for bucket in buckets:
        plain = bucket.id.rpartition("@")[0]
        if bucket.is_mirror and plain not in taken:
            taken.add(plain)
            bucket = structs.replace(bucket, aliases=(*bucket.aliases, plain))
        renamed.append(bucket)
    return renamed


class ReadReport(Struct, kw_only=True):
    """Where the events of one read came from."""

    segments: int = 0
    segment_events: int = 0
    row_events: int = 0
    looked_through: int = 0  # values whose texts were not in an index


class Cacheable(Protocol):
    """An object that knows its approximate memory use, which may grow.

    Parts shared with other objects are not included; the optional property `shares` lists them.
    """

    @property
    def nbytes(self) -> int: ...


K = TypeVar("K", bound=Cacheable)


class Cache(Protocol):
    """Objects kept between queries, by key. The object of a key never changes: a new state has new keys."""

    def get(self, key: Hashable, kind: type[K]) -> K | None: ...

    def put(self, key: Hashable, thing: Cacheable) -> None: ...


class ColumnSource(Protocol):
    """One state of a store, for one query. Raises StoreUnusable if the store cannot be read."""

    def buckets(self) -> Sequence[SourceBucket]:
        """All buckets, in order of creation."""
        ...

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        """The events that overlap the closed range. Raises BucketNotFound."""
        ...

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        """The events that overlap the closed range and whose data matches the query. Raises BucketNotFound."""
        ...

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        """Words of a bucket's texts with the same first letter and a similar length, with the number of values of each.

        Only those available without extra reads: they are used for suggestions. Raises BucketNotFound.
        """
        ...

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        """The number of events that overlap the closed range. Raises BucketNotFound."""
        ...

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        """A closed range that contains all events of the bucket; None if there are none. Raises BucketNotFound."""
        ...

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        """A value that stays the same while `events` returns the same; None if only reading can show that.

        Raises BucketNotFound.
        """
        ...

    @property
    def cache(self) -> Cache:
        """A cache for results derived from events, under keys that include their state."""
        ...


def no_column(size: int) -> Column:
    """A field that none of `size` objects has."""
    return Column(np.full(size, MISSING, dtype=np.int32), Items.of([], []))
