"""Aliases: former ids of a bucket, so that a watcher that still uses one keeps working.

A bucket's own id takes precedence over an alias of the same name. A deleted bucket keeps its aliases; they resolve to
nothing until it is restored.
"""

from collections.abc import Iterable

import msgspec

from dayline.model.errors import Conflict, NotFound
from dayline.model.time import Microseconds
from dayline.storage.engine.aliases import AliasTargets
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.undo_log import Operation
from dayline.storage.operations.claims import check_idle


def set_aliases(tx: WriteTransaction, aliases: Iterable[str], key: int | None, *, now: Microseconds) -> AliasTargets:
    """Point aliases to a bucket, or delete them; returns their former targets."""
    before = tx.alias_targets(aliases)
    tx.set_alias_targets({alias: None if key is None else (key, now) for alias in before})
    return before


def targets_before(operation: Operation) -> AliasTargets:
    """The former targets of the aliases that an operation changed."""
    return msgspec.convert(operation.detail["aliases"], AliasTargets)


def check_free(tx: WriteTransaction, bucket_id: str, *, operation: Operation, own_key: int | None = None) -> None:
    """Raise Conflict if an id that an operation freed now belongs to another bucket; `own_key` may have it."""
    if tx.is_own_id(bucket_id):
        raise Conflict(
            f"another bucket now has the id {bucket_id!r}", hint="rename or delete that bucket, then undo this"
        )
    other = tx.alias_holder(bucket_id)
    # An alias older than the operation does not matter: the bucket's own id took precedence then, and will again.
    if other is not None and other.key != own_key and other.since >= operation.made:
        raise Conflict(
            f"{bucket_id!r} is now an alias of bucket {other.id!r}",
            hint=f"undo the operation that added it, or delete it: DELETE /api/1/aliases/{bucket_id}",
        )


def remove_alias(tx: WriteTransaction, alias: str, *, now: Microseconds) -> int:
    """Delete an alias and return the operation. Raises NotFound."""
    row = tx.find_all([alias]).get(alias)
    if row is None or row.bucket.id == alias:
        raise no_alias(alias)
    check_idle(tx, [row.key])  # the end of undoing a merge needs the alias
    before = set_aliases(tx, [alias], None, now=now)
    tx.touch_bucket(row.key)
    tx.notify(row.bucket.id, "changed")
    detail = {"aliases": before, "other": alias}
    return tx.add_operation("remove_alias", now=now, bucket=row.bucket.id, bucket_key=row.key, detail=detail)


def no_alias(alias: str) -> NotFound:
    return NotFound(f"no alias named {alias!r}", hint="list them with GET /api/1/aliases")


def undo_remove_alias(tx: WriteTransaction, operation: Operation) -> None:
    row = tx.bucket_by_key(operation.bucket_key or 0)
    before = targets_before(operation)
    for alias in before:
        check_free(tx, alias, operation=operation)
    tx.set_alias_targets(before)
    if row is not None:
        tx.touch_bucket(row.key)
        tx.notify(row.bucket.id, "changed")
    tx.end_undoing(operation.key)
