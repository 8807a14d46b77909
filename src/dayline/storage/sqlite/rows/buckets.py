"""What all parts of a transaction share: the connection, and the key of a bucket."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import apsw
import msgspec

from dayline.model.errors import BucketNotFound
from dayline.storage.engine.tables import Table, Tables, Value
from dayline.storage.sqlite.file.errors import refuse_tenant

_KEY_OF_ALIAS = """
SELECT bucket.key FROM alias JOIN bucket ON bucket.key = alias.bucket WHERE alias.id = ? AND bucket.deleted IS NULL
"""


class FileRows(Tables):
    """A part of a transaction. A file has one tenant, so no row names it."""

    one_of = "{column} IN (SELECT value FROM json_each(:{name}))"

    @property
    @abstractmethod
    def db(self) -> apsw.Connection: ...

    def run(self, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self.db.execute(statement, values).fetchall()

    def list_of(self, values: Sequence[int | str]) -> str:
        return msgspec.json.encode(values).decode()

    def columns(self, table: Table) -> Sequence[str]:
        return [field for field in table.fields if field != "tenant"]

    def checked(self, row: Mapping[str, Value]) -> Mapping[str, Value]:
        refuse_tenant(row.get("tenant"))
        return {column: value for column, value in row.items() if column != "tenant"}


def bucket_key(db: apsw.Connection, bucket_id: str) -> int:
    """The key of the bucket with this id or alias. Raises BucketNotFound."""
    key = db.execute("SELECT key FROM bucket WHERE id = ? AND deleted IS NULL", (bucket_id,)).get
    if not isinstance(key, int):
        key = db.execute(_KEY_OF_ALIAS, (bucket_id,)).get
    if not isinstance(key, int):
        raise BucketNotFound(bucket_id)
    return key
