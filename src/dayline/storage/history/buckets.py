"""Changes of whole buckets inside a transaction. Each is an operation that can be undone."""

from collections.abc import Iterable, Sequence

import msgspec

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketExists, BucketNotFound, Conflict
from dayline.model.time import Microseconds
from dayline.storage.engine.rows import BucketRow
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.undo_log import PART_OF
from dayline.storage.operations.claims import check_idle


def update_bucket(tx: WriteTransaction, bucket_id: str, change: BucketChange, *, now: Microseconds) -> int:
    """Change the fields that are set and return the operation. Raises BucketNotFound."""
    row = tx.find(bucket_id)
    given = {
        field: value for field in change.__struct_fields__ if (value := getattr(change, field)) is not msgspec.UNSET
    }
    before = {field: getattr(row.bucket, field) for field in given}
    tx.set_bucket_fields(row, given)
    tx.notify(row.bucket.id, "changed")
    detail = {"before": before, "after": given}
    return tx.add_operation("update_bucket", now=now, bucket=row.bucket.id, bucket_key=row.key, detail=detail)


def delete_bucket(tx: WriteTransaction, bucket_id: str, *, now: Microseconds) -> int:
    """Hide a bucket of any size and return the operation. Its rows are purged when the trash expires."""
    row = tx.find(bucket_id)
    check_idle(tx, [row.key])
    return hide_bucket(tx, row, now=now)


def delete_buckets(tx: WriteTransaction, bucket_ids: Sequence[str], *, now: Microseconds) -> int:
    """Like `delete_bucket` for several, as one operation. Raises BucketNotFound, with nothing deleted."""
    rows = list({row.key: row for row in find_each(tx, bucket_ids)}.values())  # two ids may resolve to the same bucket
    check_idle(tx, [row.key for row in rows])
    operation = tx.add_operation("delete_buckets", now=now, events=sum(tx.event_count(row.key) for row in rows))
    for row in rows:
        hide_bucket(tx, row, now=now, part_of=operation)
    return operation


def hide_bucket(tx: WriteTransaction, row: BucketRow, *, now: Microseconds, part_of: int | None = None) -> int:
    """Delete a bucket that no operation is working on."""
    operation = tx.add_operation(
        "delete_bucket",
        now=now,
        bucket=row.bucket.id,
        bucket_key=row.key,
        events=tx.event_count(row.key),
        detail=None if part_of is None else {PART_OF: part_of},
    )
    tx.hide_bucket(row, now=now)
    tx.notify(row.bucket.id, "deleted")
    return operation


def restore_bucket(tx: WriteTransaction, key: int) -> BucketRow:
    """Make a hidden bucket visible again. Raises Conflict if its id is taken."""
    try:
        row = tx.restore_bucket(key)
    except BucketExists as error:
        raise Conflict("another bucket now has this id", hint="rename or delete that bucket, then undo this") from error
    tx.notify(row.bucket.id, "restored")
    return row


def find_each(tx: WriteTransaction, bucket_ids: Iterable[str]) -> list[BucketRow]:
    """Lock several buckets in one step, which prevents deadlocks. Raises BucketNotFound."""
    wanted = list(bucket_ids)
    buckets = tx.find_all(wanted)
    for bucket_id in wanted:
        if bucket_id not in buckets:
            raise BucketNotFound(bucket_id)
    return [buckets[bucket_id] for bucket_id in wanted]
