"""What all parts of a transaction share: the connection, and the key of a bucket."""

import apsw

from dayline.model.errors import BucketNotFound

_KEY_OF_ALIAS = """
SELECT bucket.key FROM alias JOIN bucket ON bucket.key = alias.bucket WHERE alias.id = ? AND bucket.deleted IS NULL
"""


class FileRows:
    """A part of a transaction."""

    @property
    def db(self) -> apsw.Connection:
        raise NotImplementedError


def bucket_key(db: apsw.Connection, bucket_id: str) -> int:
    """The key of the bucket with this id or alias. Raises BucketNotFound."""
    key = db.execute("SELECT key FROM bucket WHERE id = ? AND deleted IS NULL", (bucket_id,)).get
    if not isinstance(key, int):
        key = db.execute(_KEY_OF_ALIAS, (bucket_id,)).get
    if not isinstance(key, int):
        raise BucketNotFound(bucket_id)
    return key
