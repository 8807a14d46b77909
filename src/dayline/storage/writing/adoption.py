"""Adoption: the mirror of a bucket of another device becomes a bucket of this device.

Its events are merged into the bucket that has the plain id of the mirror, which is created if it is missing. They get
ids of this device: other devices accept no others from it.
"""

from msgspec import Struct, structs

from dayline.model.bucket import Bucket
from dayline.model.errors import Gone
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import host_of_origin, is_mirror, origin_of, plain_id
from dayline.storage.engine.transaction import ReadTransaction, WriteTransaction
from dayline.storage.history.merges import begin_merge


class AdoptionTarget(Struct, frozen=True):
    """The bucket that a mirror becomes. `is_new`: it has to be created; otherwise the events are added to it."""

    bucket: Bucket
    is_new: bool


def adoption_target(tx: ReadTransaction, mirror: Bucket) -> AdoptionTarget:
    """The bucket with the plain id of a mirror, if it has the same type; otherwise a new one."""
    plain = plain_id(mirror)
    holder = tx.alias_holder(plain)
    known = tx.bucket(plain) if holder is not None or tx.is_own_id(plain) else None
    if known is not None and known.type == mirror.type and not is_mirror(known):
        return AdoptionTarget(known, is_new=False)
    origin = origin_of(mirror)
    assert origin is not None, "only mirrors are adopted"
    new_id = plain if known is None else f"{plain}_{origin.device}"
    bucket = structs.replace(mirror, id=new_id, hostname=host_of_origin(mirror), creator=None, start=None, end=None)
    return AdoptionTarget(bucket, is_new=True)


def begin_adoption(tx: WriteTransaction, key: int, plain: str, *, now: Microseconds) -> int:
    """Begin to merge a mirror with this plain id into its target; returns the operation. Raises Gone and Conflict."""
    tx.lock_buckets(key, bucket_id=plain)  # in one step, which prevents deadlocks
    source = tx.bucket_by_key(key)
    if source is None or not is_mirror(source.bucket):
        raise Gone("the mirror was deleted or adopted while this was being done")
    target = adoption_target(tx, source.bucket)
    if target.is_new:
        tx.create_bucket(target.bucket)
    row = tx.find(target.bucket.id)
    return begin_merge(tx, source, row.key, row.bucket.id, now=now, is_new=target.is_new)
