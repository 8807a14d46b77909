"""A bucket as stored."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.bucket import Bucket

FIELDS: Final = (
    "key, id, type, client, hostname, created, data, creator, dictionary, version, first_start, last_end, deleted"
)


class BucketRecord(Struct, eq=False):
    """A bucket with the state of its rows. A write transaction that finds it has locked it."""

    key: int
    bucket: Bucket
    dictionary: int
    version: int
    is_deleted: bool = False


def bucket_of_row(row: Sequence[Any]) -> BucketRecord:
    """Decode a row of FIELDS."""
    key, bucket_id, kind, client, hostname, created, data, creator, dictionary, version, *rest = row
    start, end, deleted = rest
    bucket = Bucket(
        id=bucket_id,
        type=kind,
        client=client,
        hostname=hostname,
        created=created,
        data=msgspec.json.decode(data, type=dict[str, Any]),
        start=start,
        end=end,
        creator=creator,
    )
    return BucketRecord(
        key=key,
        bucket=bucket,
        dictionary=dictionary,
        version=version,
        is_deleted=deleted is not None,
    )
