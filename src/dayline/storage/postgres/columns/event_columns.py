"""Events that touch a period, from segments and from rows."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.timestamps import Microseconds, clamp
from dayline.storage.columns.column_parts import Part, cut, joined, row_part
from dayline.storage.columns.columns import EventColumns, Ids, ReadReport
from dayline.storage.columns.found_values import FoundValues
from dayline.storage.columns.value_columns import Found, ValueColumns
from dayline.storage.columns.value_texts import ReadTexts
from dayline.storage.postgres.columns.month_figures import MonthFigures, month_spans, row_spans
from dayline.storage.postgres.columns.owner import Owner
from dayline.storage.postgres.columns.row_columns import Place, Rows, read_rows, read_texts
from dayline.storage.postgres.columns.segment_columns import SegmentColumns
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.segments.month_span import MonthSpan


class ReadEvents(Struct, frozen=True, eq=False):
    """Events of one month after the other, and the segments that some of them are from."""

    parts: Sequence[Part]
    found: Found | None

    def having(self, chosen: FoundValues) -> "ReadEvents":
        """Those of some values."""
        flags = None if self.found is None else chosen.among_packed(self.found.values)
        of_rows = (part if part.key is None else part.taken(chosen.among(part.key)) for part in self.parts)
        return ReadEvents([part.having(flags) for part in of_rows], self.found)


class EventReader:
    """Reads the events of one tenant, and keeps what it decoded."""

    def __init__(self, tenant: str, values: ValueColumns, segments: SegmentColumns) -> None:
        self._tenant = tenant
        self._values = values
        self._segments = segments

    def read(
        self,
        db: Connection,
        owner: Owner,
        months: Sequence[MonthFigures],
        period: tuple[Microseconds, Microseconds],
        keys: Ids | None = None,
    ) -> ReadEvents:
        """The events that touch a period; those of rows have some of these values if so asked."""
        first, last = clamp(period[0]), clamp(period[1])
        spans = month_spans(months, first, last) if period[0] <= period[1] else []
        generation = next((month.generation for month in months if month.generation is not None), None)
        found = self._segments.find(db, owner, spans, generation)
        segments = found.segments if found is not None else {}
        parts: list[Part] = []
        for is_packed, some in groupby(spans, key=lambda span: span.month in segments):
            if is_packed:
                parts += [cut(segments[span.month], span, first) for span in some]
            else:
                rows = self.rows(db, owner, list(some), first, keys)
                parts.append(row_part(rows.start, rows.duration, rows.id, rows.key))
        return ReadEvents(parts, found)

    def rows(
        self, db: Connection, owner: Owner, spans: Sequence[MonthSpan], first: Microseconds, keys: Ids | None = None
    ) -> Rows:
        """The rows of events that start within spans and end at `first` or later."""
        return read_rows(db, self.place(owner), row_spans(spans), first, keys)

    def columns(self, db: Connection, owner: Owner, read: ReadEvents, report: ReadReport) -> EventColumns:
        """What was read, with what its values stand for."""
        of_rows = [part.key for part in read.parts if part.key is not None]
        packed = [part.value for part in read.parts if part.value is not None]
        report.row_events += sum(map(len, of_rows))
        report.segment_events += sum(map(len, packed))
        report.segments += len(packed)
        dictionary, codes = self._values.codes(owner, read.found, of_rows, self._texts(db, owner))
        return joined(read.parts, codes, dictionary)

    def texts(self, db: Connection, owner: Owner) -> Callable[[Ids], list[CanonicalJson]]:
        """What gives the texts of some values."""
        return lambda keys: self._values.texts(owner, keys, self._texts(db, owner))

    def place(self, owner: Owner) -> Place:
        return Place(self._tenant, owner.bucket)

    def _texts(self, db: Connection, owner: Owner) -> ReadTexts:
        return partial(read_texts, db, self.place(owner))
