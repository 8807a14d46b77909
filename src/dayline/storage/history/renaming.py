"""Renames a bucket and changes its host, inside a transaction, in constant time."""

from typing import Any

from dayline.model.bucket import check_bucket_id
from dayline.model.errors import BucketExists, Conflict
from dayline.model.time import Microseconds
from dayline.storage.engine.aliases import AliasTargets
from dayline.storage.engine.rows import BucketRow
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history import aliases
from dayline.storage.history.undo_log import Operation
from dayline.storage.history.undoing import bucket_of
from dayline.storage.operations.claims import check_idle


def rename_bucket(tx: WriteTransaction, row: BucketRow, new_id: str, *, keeps_alias: bool, now: Microseconds) -> int:
    """Change a bucket's id and return the operation. Raises Conflict if the id is taken."""
    former = row.bucket.id
    before = _rename(tx, row, new_id, keeps_alias=keeps_alias, now=now)
    detail = {"aliases": before, "other": new_id, "before": {}, "after": {}}
    return tx.add_operation("rename_bucket", now=now, bucket=former, bucket_key=row.key, detail=detail)


def change_host(tx: WriteTransaction, row: BucketRow, hostname: str, *, new_id: str, now: Microseconds) -> int:
    """Change the host name, and the id if it differs; returns the operation. Raises Conflict."""
    former, before_fields = row.bucket.id, {"hostname": row.bucket.hostname}
    before = _rename(tx, row, new_id, keeps_alias=True, now=now) if new_id != former else {}
    tx.set_bucket_fields(row, {"hostname": hostname})
    tx.notify(row.bucket.id, "changed")
    detail = {"aliases": before, "other": new_id, "before": before_fields, "after": {"hostname": hostname}}
    return tx.add_operation("change_host", now=now, bucket=former, bucket_key=row.key, detail=detail)


def id_on_host(bucket_id: str, hostname: str, new_hostname: str) -> str:
    """The id of a bucket on its new host: the ids of watchers end with the host name."""
    ending = f"_{hostname}"
    if not hostname or not bucket_id.endswith(ending):
        return bucket_id
    return f"{bucket_id.removesuffix(ending)}_{new_hostname}"


def undo_renaming(tx: WriteTransaction, operation: Operation) -> None:
    """Restore the former id, fields and aliases."""
    row = bucket_of(tx, operation)
    new_id: str = operation.detail["other"]
    after: dict[str, Any] = operation.detail["after"]
    if row.bucket.id != new_id or any(getattr(row.bucket, field) != value for field, value in after.items()):
        raise Conflict(
            f"bucket {new_id!r} was changed again since",
            hint="undo the later change first: GET /api/1/trash lists it",
        )
    if operation.bucket != new_id:
        aliases.check_free(tx, operation.bucket, operation=operation, own_key=row.key)
        _set_id(tx, row, operation.bucket)
    tx.set_alias_targets(aliases.targets_before(operation))
    if operation.detail["before"]:
        tx.set_bucket_fields(row, operation.detail["before"])
        tx.notify(row.bucket.id, "changed")
    tx.end_undoing(operation.key)


def _rename(tx: WriteTransaction, row: BucketRow, new_id: str, *, keeps_alias: bool, now: Microseconds) -> AliasTargets:
    """Change the id; returns the former targets of the aliases that changed with it."""
    check_bucket_id(new_id)
    _check_new_id(tx, row, new_id)
    check_idle(tx, [row.key])
    former = row.bucket.id
    before = aliases.set_aliases(tx, [new_id], None, now=now)
    before |= aliases.set_aliases(tx, [former], row.key if keeps_alias else None, now=now)
    _set_id(tx, row, new_id)
    return before


def _check_new_id(tx: WriteTransaction, row: BucketRow, new_id: str) -> None:
    """Raise Conflict if another bucket has this id or alias."""
    if tx.is_own_id(new_id):
        raise _id_taken(row, new_id)
    other = tx.alias_holder(new_id)
    if other is not None and other.key != row.key:
        raise Conflict(
            f"{new_id!r} is an alias of bucket {other.id!r}",
            hint=f"delete the alias first: DELETE /api/1/aliases/{new_id}",
            field="id",
        )


def _set_id(tx: WriteTransaction, row: BucketRow, bucket_id: str) -> None:
    tx.notify(row.bucket.id, "renamed")  # for both ids: a key may be limited to one of them
    try:
        tx.set_bucket_id(row, bucket_id)
    except BucketExists as error:  # another server created it first
        raise _id_taken(row, bucket_id) from error
    tx.notify(bucket_id, "renamed")


def _id_taken(row: BucketRow, new_id: str) -> Conflict:
    return Conflict(
        f"bucket {new_id!r} already exists",
        hint=f"merge it: POST /api/1/buckets/{row.bucket.id}/merge into {new_id}",
        field="id",
    )
