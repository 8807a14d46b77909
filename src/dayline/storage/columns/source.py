"""Events as columns: what a store hands to the query engine, and segments keep. Only query processes import this.

event      0    1    2    3                   one entry an event
value      0    1    0    2                   which of the distinct data objects it has
            │
field app  0    0    1                        one entry a data object: which of the field's items; -1: not there
            │
items      "Code", "Files"                    each distinct JSON value of the field once
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import Any, Final, Protocol, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from dayline.model.data import CanonicalJson, canonical_json, normal_form
from dayline.model.time import Microseconds
from dayline.transform.text import TextQuery

Times = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]  # numbers of distinct things: values or items
Flags = npt.NDArray[np.bool_]

_TEXTS_REMEMBERED: Final = 2000  # of the items of one field
MISSING: Final = -1  # the code of a field that a value does not have

_decode = msgspec.json.Decoder().decode


class Items:
    """Distinct JSON values, one after the other in one heap of bytes: strings as their UTF-8, others as JSON text.

    Distinct by their text: 1 and 1.0 are two items; `classes` says which are equal. Never changed once made, so that
    what is computed for each item may be kept as long as the object lives.
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
        """Roughly what it takes in memory."""
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
        """The bytes of these items, of all where none are named."""
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
        """The JSON texts of some items. Those of few are remembered: the same are shown again and again."""
        known = self._texts
        missing = np.array([index for index in indexes if index not in known], dtype=np.int32)
        flags = self.is_string[missing].tolist()
        found = {
            index: canonical_json(raw.decode()) if is_string else raw
            for index, raw, is_string in zip(missing.tolist(), self.raws(missing), flags, strict=True)
        }
        if len(known) + len(found) > _TEXTS_REMEMBERED:
            return {index: known[index] for index in indexes if index in known} | found
        known.update(found)
        return {index: known[index] for index in indexes}

    def value(self, index: int) -> Any:
        """One item, decoded."""
        raw = self.raw(index)
        return raw.decode() if self.is_string[index] else _decode(raw)

    def classes(self) -> Codes:
        """For each item the first one that is equal to it: 1 and 1.0 are, true and 1 are not."""
        if self._classes is None:
            classes = np.arange(len(self), dtype=np.int32)
            firsts: dict[bytes, int] = {}
            for index in np.flatnonzero(~self.is_string).tolist():
                classes[index] = firsts.setdefault(normal_form(self.raw(index)), index)
            self._classes = classes
        return self._classes


class Column(Struct, frozen=True, eq=False):
    """One field of many data objects: the code of its item for each, MISSING where the object lacks the field."""

    codes: Codes
    items: Items

    def take(self, which: Codes) -> "Column":
        """The field of some of the objects, in the order given."""
        return Column(self.codes[which], self.items)


class Dictionary(Protocol):
    """The distinct data objects of some events. Fields are decoded when they are asked for."""

    def __len__(self) -> int: ...

    def fields(self) -> Sequence[str]:
        """Every key that some object has."""
        ...

    def column(self, field: str) -> Column:
        """One field of every object. Where no object has it, every code is MISSING."""
        ...

    def classes(self) -> Codes:
        """For each object the first one that is equal to it, by value."""
        ...

    def texts(self, codes: Codes) -> list[CanonicalJson]:
        """The JSON text of these objects."""
        ...


class EventColumns(Struct, frozen=True, eq=False):
    """Events of one bucket, by start and then by id. `end` is never before `start`: a negative duration counts as none.

    Not clipped: what touches the range asked for, as it is stored.
    """

    start: Times
    end: Times
    id: Ids
    value: Codes
    dictionary: Dictionary


class SourceBucket(Struct, frozen=True, kw_only=True):
    """What a query needs to know to find a bucket."""

    id: str
    hostname: str
    type: str = ""
    aliases: tuple[str, ...] = ()


class ReadReport(Struct, kw_only=True):
    """Where the events of one read came from."""

    segments: int = 0
    segment_events: int = 0
    row_events: int = 0
    looked_through: int = 0  # values whose texts were not in an index


class Kept(Protocol):
    """Something that knows roughly how much memory it takes. It may grow while it is kept.

    What it holds together with others of its kind is not among its bytes, but told by a property `shares`, if any.
    """

    @property
    def nbytes(self) -> int: ...


K = TypeVar("K", bound=Kept)


class Cache(Protocol):
    """Things that are kept between queries, by key. What a key stands for never changes: a new state has new keys."""

    def get(self, key: Hashable, kind: type[K]) -> K | None: ...

    def put(self, key: Hashable, thing: Kept) -> None: ...


class ColumnSource(Protocol):
    """One state of a store, for one query. Raises StoreUnusable where the store cannot be read."""

    def buckets(self) -> Sequence[SourceBucket]:
        """Every bucket, in order of creation."""
        ...

    def events(self, bucket_id: str, start: Microseconds, end: Microseconds, report: ReadReport) -> EventColumns:
        """The events that touch the closed range. Raises BucketNotFound."""
        ...

    def matching(
        self, bucket_id: str, start: Microseconds, end: Microseconds, query: TextQuery, report: ReadReport
    ) -> EventColumns:
        """The events that touch the closed range and whose data have the texts asked for. Raises BucketNotFound."""
        ...

    def words_like(self, bucket_id: str, word: str) -> Sequence[tuple[str, int]]:
        """Words in a bucket's texts with the same first letter and about as long, and in how many values each is.

        As far as they are at hand: they are for proposals. Raises BucketNotFound.
        """
        ...

    def count(self, bucket_id: str, start: Microseconds, end: Microseconds) -> int:
        """How many events touch the closed range. Raises BucketNotFound."""
        ...

    def extent(self, bucket_id: str) -> tuple[Microseconds, Microseconds] | None:
        """A closed range that no event of the bucket reaches out of; None where it has none. Raises BucketNotFound."""
        ...

    def state(self, bucket_id: str, start: Microseconds, end: Microseconds) -> Hashable | None:
        """What tells whether `events` would give the same again; None where only reading them tells.

        Raises BucketNotFound.
        """
        ...

    @property
    def cache(self) -> Cache:
        """Where to keep what follows from events, under keys that have their state."""
        ...


def no_column(size: int) -> Column:
    """A field that none of `size` objects has."""
    return Column(np.full(size, MISSING, dtype=np.int32), Items.of([], []))
