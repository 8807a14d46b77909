"""Plain events into tables and back."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.time import Period
from dayline.query.columns.table import NO_ID, Table
from dayline.query.functions.ordering import concatenate
from dayline.query.language.environment import Context, Trace
from dayline.storage.columns.dictionaries import TextDictionary
from tests.query.reference.events import Event
from tests.support.query.memory_source import MemorySource

SECOND = 1_000_000


class Plain(NamedTuple):
    """An event in a form whose equality is exact: 1, 1.0 and true are three different things in its data."""

    start: int
    duration: int
    data: CanonicalJson
    id: int | None


def at(start: float, duration: float, data: dict[str, Any] | str | None = None, *, id: int | None = None) -> Event:
    """An event in seconds, as the vectors of the protocol are written; a letter is an app."""
    fields = {"app": data} if isinstance(data, str) else data or {}
    return Event(round(start * SECOND), round(duration * SECOND), fields, id)


def table_of(events: Iterable[Event]) -> Table:
    """The events in one table with one dictionary."""
    listed = list(events)
    codes: dict[CanonicalJson, int] = {}
    values = [codes.setdefault(canonical_json(event.data), len(codes)) for event in listed]
    start = np.array([event.start for event in listed], dtype=np.int64)
    duration = np.array([max(event.duration, 0) for event in listed], dtype=np.int64)
    ids = np.array([NO_ID if event.id is None else event.id for event in listed], dtype=np.int64)
    return Table(start, start + duration, ids, np.array(values, dtype=np.int32), TextDictionary(list(codes)))


def table_of_parts(parts: Sequence[Sequence[Event]]) -> Table:
    """The events in one table whose dictionary is joined from one for each part."""
    return concatenate([table_of(part) for part in parts])


def events_of(table: Table) -> list[Event]:
    """What is in a table."""
    texts = table.data.texts(table.value)
    return [
        Event(start, duration, msgspec.json.decode(text), None if number == NO_ID else number)
        for start, duration, text, number in zip(
            table.start.tolist(), table.duration.tolist(), texts, table.id.tolist(), strict=True
        )
    ]


def plain(events: Iterable[Event] | Table) -> list[Plain]:
    """Events for comparing."""
    listed = events_of(events) if isinstance(events, Table) else events
    return [Plain(event.start, event.duration, canonical_json(event.data), event.id) for event in listed]


def context_of(
    buckets: dict[str, list[Event]],
    *,
    period: Period | None = None,
    periods: Sequence[Period] = (),
    hostnames: dict[str, str] | None = None,
) -> Context:
    """A context over buckets in memory."""
    stored = {
        name: [(event.start, event.duration, event.data, event.id or 0) for event in events]
        for name, events in buckets.items()
    }
    whole = period or Period(0, 10**15)
    return Context(
        source=MemorySource(stored, hostnames),
        periods=periods or [whole],
        period=whole,
        trace=Trace(),
        printed=[],
    )
