"""The small tables of a tenant, inside a transaction."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dayline.model.errors import Invalid
from dayline.storage.engine.tables import Table, Tables, Value
from dayline.storage.postgres.connection import Connection


class TenantRows(Tables):
    """A part of a transaction. PostgreSQL stores no text with a NUL character."""

    one_of = "{column} = ANY(:{name})"

    db: Connection
    tenant: str

    def run(self, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self.db.execute(_statement(statement), values).fetchall()

    def common(self, table: Table) -> Mapping[str, Value]:
        return {} if table.is_shared else {"tenant": self.tenant}

    def checked(self, row: Mapping[str, Value]) -> Mapping[str, Value]:
        check_texts(row)
        return row

    def can_have(self, value: object) -> bool:
        return not (isinstance(value, str) and "\0" in value)


def check_texts(fields: Mapping[str, Any]) -> None:
    """Raise Invalid for text that PostgreSQL cannot store."""
    for field, value in fields.items():
        if isinstance(value, str) and "\0" in value:
            raise Invalid(f"{field} contains a NUL character", field=field)


@lru_cache(maxsize=256)
def _statement(text: str) -> bytes:
    """A statement with parameters as psycopg writes them."""
    return re.sub(r":(\w+)", r"%(\1)s", text).encode()
