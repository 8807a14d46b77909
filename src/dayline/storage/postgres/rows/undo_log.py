"""The undo log in the database: operations, and events before and after them.

A change of an operation locks its bucket first, if it has one: buckets, operations and the counter of event ids are
locked in this order.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from dayline.model.errors import StoreBusy
from dayline.storage.engine.rows import EventChange, EventRow, LoggedEvent
from dayline.storage.history.undo_log import Operation
from dayline.storage.postgres.rows.tables import TenantRows

_NEXT_NUMBER: Final = "UPDATE tenant SET next_operation = next_operation + 1 WHERE id = %s RETURNING next_operation - 1"
_LOG: Final = """
INSERT INTO operation_event(tenant, operation, id, bucket, start, duration, value, new_start, new_duration, new_value)
SELECT %s, %s, new.* FROM unnest(
    %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]
) AS new
ON CONFLICT (tenant, operation, id) DO UPDATE SET
    new_start = excluded.new_start, new_duration = excluded.new_duration, new_value = excluded.new_value
"""
_LOGGED: Final = """
SELECT id, bucket, start, duration, value, new_start, new_duration, new_value FROM operation_event
WHERE tenant = %s AND operation = %s AND id > %s ORDER BY id LIMIT %s
"""
# By lists of keys instead of a join, so that the indexes are used, whatever the planner knows of the tables.
_CURRENT_OF_RANGE: Final = (
    "SELECT bucket, start, id, duration, value FROM event WHERE tenant = %s AND id BETWEEN %s AND %s"
)
_DENSE: Final = 4  # times as many ids as needed: then a range scan is faster

# Operations made in many slices, each in its own transaction. The server that makes one stores the time with every
# slice. If that was long ago, it was interrupted: the server has stopped, or lost the database.
LEASE_S: Final = 30.0  # a slice takes a fraction of a second; a server gives up after ten seconds without the database

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_LOG_SLICE: Final = f"""
UPDATE operation SET events = events + %s, detail = (detail::jsonb || jsonb_build_object('seen', {NOW}))::text
WHERE tenant = %s AND key = %s AND state = 'doing'
"""
_AGE: Final = f"SELECT {NOW} - %s"
# One by one, in any bucket: a planner that expects few events in a bucket or tenant would scan all of them, and only
# one index has the ids.
BY_ID: Final = """
SELECT found.* FROM unnest(%(ids)s::bigint[]) AS wanted(id)
CROSS JOIN LATERAL (
    SELECT bucket, start, id, duration, value FROM event
    WHERE tenant = %(tenant)s AND id BETWEEN wanted.id AND wanted.id ORDER BY id LIMIT 1
) AS found
"""


class UndoLog(TenantRows):
    """The part of a transaction that reads and writes logged events, and claims operations."""

    def operation_number(self) -> int:
        """Numbered per tenant in commit order: the counter is locked until the commit."""
        row = self.db.execute(_NEXT_NUMBER, (self.tenant,)).fetchone()
        assert row is not None
        return int(row[0])

    def log_events(self, operation: int, changes: Sequence[EventChange]) -> None:
        if changes:
            rows = [change.row for change in changes]
            named = [row.id for row in rows], [row.bucket for row in rows]
            before, after = [change.before for change in changes], [change.after for change in changes]
            self.db.execute(_LOG, (self.tenant, operation, *named, *_columns(before), *_columns(after)))

    def log_slice(self, operation: int, *, events: int) -> None:
        """An event that occurs in several slices is counted several times until the end. Raises StoreBusy if another
        server has ended the operation, because it took this one for dead.
        """
        if self.db.execute(_LOG_SLICE, (events, self.tenant, operation)).rowcount == 0:
            raise StoreBusy(
                f"operation {operation} was stopped: it was interrupted for too long",
                hint="what was done can be undone",
            )

    def is_under_way(self, operation: Operation) -> bool:
        row = self.db.execute(_AGE, (int(operation.detail.get("seen", 0)),)).fetchone()
        return row is not None and row[0] < LEASE_S * 1_000_000

    def newest_operation(self) -> int:
        row = self.db.execute("SELECT next_operation - 1 FROM tenant WHERE id = %s", (self.tenant,)).fetchone()
        return 0 if row is None else int(row[0])

    def logged_events(self, operation: Operation, *, after: int = 0, rows: int) -> list[LoggedEvent]:
        logged = self.db.execute(_LOGGED, (self.tenant, operation.key, after, rows)).fetchall()
        current = self._current([row[0] for row in logged])
        return [
            LoggedEvent(event_id, _row(event_id, bucket, before), _row(event_id, bucket, left), current.get(event_id))
            for event_id, bucket, *places in logged
            for before, left in ((places[:3], places[3:]),)
        ]

    def _current(self, ids: Sequence[int]) -> dict[int, EventRow]:
        """The current events with these ascending ids, in any bucket; others may be among them."""
        if ids and ids[-1] - ids[0] < _DENSE * len(ids):
            found = self.db.execute(_CURRENT_OF_RANGE, (self.tenant, ids[0], ids[-1]))
        else:
            found = self.db.execute(BY_ID, {"tenant": self.tenant, "ids": ids})
        return {row[2]: EventRow(*row) for row in found.fetchall()}


def _columns(rows: Iterable[EventRow | None]) -> tuple[list[int | None], list[int | None], list[int | None]]:
    some = [(None, None, None) if row is None else (row.start, row.duration, row.value) for row in rows]
    return [start for start, _, _ in some], [duration for _, duration, _ in some], [value for _, _, value in some]


def _row(event_id: int, bucket: int, place: Sequence[int | None]) -> EventRow | None:
    start, duration, value = place
    if start is None or duration is None or value is None:
        return None
    return EventRow(bucket, start, event_id, duration, value)
