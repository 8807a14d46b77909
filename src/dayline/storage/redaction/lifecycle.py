"""The states of a redaction, and the rules for going from one to the next.

applying ─▶ applied ─▶ final
    ╰───────┴─▶ undoing ─▶ undone
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from dayline.model.errors import Conflict, Gone, NotFound
from dayline.model.privacy.redaction import Redaction, RedactionOrder, State
from dayline.model.privacy.rules import RuleBook
from dayline.model.time import Microseconds, format_timestamp
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.undo_log import UNDOABLE_STATES
from dayline.storage.operations.claims import check_idle, claimed_buckets
from dayline.storage.redaction.records import Planned, RedactionRecord
from dayline.storage.redaction.rows import RedactionRows

REDACTION_FIELDS: Final = (
    "key, made, state, rules, buckets, changed_values, changed_events, dropped_events, has_rest, plan"
)


def record_of(row: object) -> RedactionRecord:
    """A row of REDACTION_FIELDS, followed by the operation that undoes it or NULL."""
    key, made, state, rules, buckets, values, events, dropped, has_rest, plan, undo = msgspec.convert(
        row, tuple[int, int, State, str, str, int, int, int, bool, str | int | None, int | None], strict=False
    )
    redaction = Redaction(
        id=key,
        made=format_timestamp(made),
        state=state,
        rules=msgspec.json.decode(rules, type=RuleBook),
        buckets=msgspec.json.decode(buckets, type=list[str]),
        changed_values=values,
        changed_events=events,
        dropped_events=dropped,
        undo=undo,
    )
    return RedactionRecord(redaction=redaction, made=made, has_rest=has_rest, plan="" if plan is None else str(plan))


def find(records: Iterable[RedactionRecord], key: int) -> RedactionRecord:
    """One of the redactions. Raises NotFound."""
    for record in records:
        if record.redaction.id == key:
            return record
    raise NotFound(f"there is no redaction {key}", hint="GET /api/1/privacy/redactions lists them")


def begin(rows: RedactionRows, order: RedactionOrder, planned: Planned, *, now: Microseconds) -> int:
    """Add a redaction of which nothing is done yet, and return its key. Raises Conflict."""
    tx = _locked(rows)
    buckets = [row.key for row in tx.find_all(order.buckets).values()]
    check_idle(tx, buckets if order.buckets else None)
    key = rows.add(order, planned, now=now)
    tx.add_operation("redaction", now=now, detail={"redaction": key, "buckets": buckets}, state="doing")
    return key


def end_applying(rows: RedactionRows, key: int) -> None:
    redaction = _end(rows, key, "applied")
    if redaction.undo is not None:
        events = redaction.changed_events + redaction.dropped_events
        rows.transaction.set_operation(redaction.undo, state="done", events=events)


def end_undo(rows: RedactionRows, key: int) -> None:
    redaction = _end(rows, key, "undone")
    if redaction.undo is not None:
        rows.transaction.set_operation(redaction.undo, state="undone")


def end_final(rows: RedactionRows, key: int) -> None:
    _end(rows, key, "final")


def begin_undo(rows: RedactionRows, key: int) -> None:
    """From now on it is being undone. Raises NotFound, Gone or Conflict, with nothing changed."""
    _locked(rows)
    records = rows.records()
    record = find(records, key)
    redaction = record.redaction
    if redaction.state == "final":
        raise Gone(f"redaction {key} is final: the originals are gone")
    newer = next((each.redaction.id for each in records if each.is_open and each.redaction.id > key), None)
    if newer is not None:
        raise Conflict(f"redaction {newer} was made after redaction {key}", hint=f"undo redaction {newer} first")
    if redaction.state == "undone":
        return
    # The copies of its events in the other bucket have the redacted texts, and would keep them.
    bucket_id = _merged_bucket(rows, record)
    if bucket_id is not None:
        raise Conflict(
            f"bucket {bucket_id!r}, which redaction {key} changed, was merged into another one since",
            hint="undo the merge first: GET /api/1/trash lists it",
        )
    _check_idle(rows, redaction)
    rows.set_state(key, "undoing")
    if redaction.undo is not None:
        rows.transaction.set_operation(redaction.undo, state="undoing")


def begin_final(rows: RedactionRows, key: int) -> None:
    """From now on it cannot be undone. Raises NotFound or Conflict, with nothing changed."""
    _locked(rows)
    records = rows.records()
    redaction = find(records, key).redaction
    if redaction.state in ("undoing", "undone"):
        raise Conflict(f"redaction {key} was undone: there is nothing to make final")
    older = next((each.redaction.id for each in reversed(records) if each.is_open and each.redaction.id < key), None)
    if older is not None:
        raise Conflict(f"redaction {older} was made before redaction {key}", hint=f"make redaction {older} final first")
    if redaction.state == "final":
        return
    _check_idle(rows, redaction)
    rows.set_state(key, "final", has_rest=True)
    if redaction.undo is not None:
        rows.transaction.forget_operation(redaction.undo)


def _merged_bucket(rows: RedactionRows, record: RedactionRecord) -> str | None:
    """The id of a bucket that the redaction changed and that was merged into another one since."""
    changed = set(rows.changed_buckets(record.redaction.id))
    for operation in reversed(rows.transaction.operations(UNDOABLE_STATES)):
        if operation.kind == "merge_buckets" and operation.made > record.made and operation.bucket_key in changed:
            return operation.bucket
    return None


def _check_idle(rows: RedactionRows, redaction: Redaction) -> None:
    """Raise Conflict while another operation works on a bucket of a redaction."""
    tx = rows.transaction
    operation = None if redaction.undo is None else tx.operation(redaction.undo)
    check_idle(tx, None if operation is None else claimed_buckets(operation), except_for=redaction.undo or 0)


def _locked(rows: RedactionRows) -> WriteTransaction:
    """The transaction, with all buckets locked and the lease checked."""
    rows.transaction.lock_buckets()
    rows.check_lease()
    return rows.transaction


def _end(rows: RedactionRows, key: int, state: State) -> Redaction:
    rows.check_lease()
    rows.set_state(key, state)
    return find(rows.records(), key).redaction
