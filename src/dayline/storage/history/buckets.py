"""Changes of buckets as a whole, inside a transaction. Each one is an operation that can be undone."""

from collections.abc import Iterable, Sequence

import msgspec

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketExists, BucketNotFound, Conflict
from dayline.model.time import Microseconds
from dayline.storage.engine import BucketRow, WriteTransaction
from dayline.storage.history.undo_log import PART_OF


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
    check_idle(tx, row.key)
    return hide_bucket(tx, row, now=now)


def delete_buckets(tx: WriteTransaction, bucket_ids: Sequence[str], *, now: Microseconds) -> int:
    """The same for several buckets as one operation with one undo. Raises BucketNotFound, with nothing deleted."""
    rows = list({row.key: row for row in find_each(tx, bucket_ids)}.values())  # two ids may lead to one bucket
    check_idle(tx, *(row.key for row in rows))
    operation = tx.add_operation("delete_buckets", now=now, events=sum(tx.event_count(row.key) for row in rows))
    for row in rows:
        hide_bucket(tx, row, now=now, part_of=operation)
    return operation


def hide_bucket(tx: WriteTransaction, row: BucketRow, *, now: Microseconds, part_of: int | None = None) -> int:
    """Delete a bucket that nothing is being done with."""
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
        raise Conflict(
            "there is another bucket of this id by now", hint="rename or delete that one, then undo this"
        ) from error
    tx.notify(row.bucket.id, "restored")
    return row


def find_each(tx: WriteTransaction, bucket_ids: Iterable[str]) -> list[BucketRow]:
    """Lock buckets, in one step so that two callers cannot wait for each other. Raises BucketNotFound."""
    wanted = list(bucket_ids)
    found = tx.find_all(wanted)
    for bucket_id in wanted:
        if bucket_id not in found:
            raise BucketNotFound(bucket_id)
    return [found[bucket_id] for bucket_id in wanted]


def check_idle(tx: WriteTransaction, *keys: int, besides: int = 0) -> None:
    """Raise Conflict while one of these buckets is being merged or unmerged by another operation."""
    merging = tx.merging_bucket(keys, besides=besides)
    if merging is not None:
        raise Conflict(f"bucket {merging!r} is being merged just now", hint="try again when that is done")
