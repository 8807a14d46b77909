"""Acts that are made in many slices, each a transaction of its own: which of them are still being made.

The server that makes one notes the time with every slice. Where that was long ago, it was cut off: the server has
ended, or lost the database.
"""

from typing import Final

from dayline.model.errors import Conflict
from dayline.model.trash import ActKind
from dayline.storage.history.act import Act
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.writing.turn import Turn

MADE_IN_SLICES: Final[tuple[ActKind, ...]] = ("mend_events", "delete_events", "thin_bucket")
LEASE_S: Final = 30.0  # a slice takes a part of a second; a server gives up after ten without the database

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_NOTE: Final = f"""
UPDATE act SET events = events + %s, detail = json_build_object('seen', {NOW})::text WHERE tenant = %s AND key = %s
"""
_END: Final = """
UPDATE act SET state = 'done', detail = '{}',
    events = (SELECT count(*) FROM act_event WHERE tenant = %(tenant)s AND act = %(act)s)
WHERE tenant = %(tenant)s AND key = %(act)s AND state = 'doing'
"""
_FORGET_EMPTY: Final = "DELETE FROM act WHERE tenant = %(tenant)s AND key = %(act)s AND events = 0"
_AGE: Final = f"SELECT {NOW} - %s"


def note_slice(turn: Turn, act: int, *, events: int) -> None:
    """So many events more, and it goes on. One that it comes back to may be counted twice until the end."""
    turn.db.execute(_NOTE, (events, turn.tenant, act))


def end(turn: Turn, act: int) -> None:
    """It is done; where it did nothing, it never was."""
    place = {"tenant": turn.tenant, "act": act}
    if turn.db.execute(_END, place).rowcount:
        turn.db.execute(_FORGET_EMPTY, place)


def end_cut_off(turn: Turn, act: int) -> None:
    """What it had done by the time that it was cut off is all it did: that can be undone."""
    found = acts.lock_any(turn, act)
    if found is not None and found.state == "doing" and not _is_under_way(turn, found):
        end(turn, act)


def check_done(turn: Turn, act: Act) -> None:
    """Raise Conflict for an act that is still being made.

    Mending, deleting or thinning that was cut off can be undone as far as it came.
    """
    if act.state != "doing" or act.kind == "merge_buckets":
        return
    if act.kind not in MADE_IN_SLICES or _is_under_way(turn, act):
        raise Conflict(f"what {act.key} would undo is still being done", hint="wait until it is done, then undo it")


def _is_under_way(turn: Turn, act: Act) -> bool:
    row = turn.db.execute(_AGE, (int(act.detail.get("seen", 0)),)).fetchone()
    return row is not None and row[0] < LEASE_S * 1_000_000
