"""One schema step, with row security and privileges for its tables."""

from typing import Final

from msgspec import Struct

SCHEMA: Final = "dayline"
ROLE: Final = "dayline_server"


class Step(Struct, frozen=True, kw_only=True):
    """The SQL of a step, and the tables it creates: those with rows per tenant, and shared ones.

    An additive step (`is_additive`) is compatible with servers of the previous version.
    """

    tables: str
    of_tenants: tuple[str, ...] = ()
    of_all: tuple[str, ...] = ()
    is_additive: bool = True

    @property
    def statements(self) -> str:
        """All statements, to be run in one transaction by the owner."""
        return self.tables + "".join(map(separated, self.of_tenants)) + self._grants()

    def _grants(self) -> str:
        # Of the events only the parent table: access to a partition would bypass its row security.
        tables = (*self.of_tenants, *self.of_all)
        rights = f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(tables)} TO {ROLE};\n" if tables else ""
        return f"""
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
{rights}REVOKE INSERT, UPDATE, DELETE ON meta FROM {ROLE};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {ROLE};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {SCHEMA} TO {ROLE};
"""


def separated(table: str, column: str = "tenant") -> str:
    """Limits a transaction to the rows of its tenant, also for the owner of the table."""
    whose = own_rows(column)
    return f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON {table} USING ({whose}) WITH CHECK ({whose});
"""


def own_rows(column: str = "tenant") -> str:
    """The condition for rows of the tenant of a transaction.

    The setting is `=` followed by the tenant. Outside of transactions, a setting that was used in a session is empty,
    which is no tenant, although a tenant's name may be empty. As a subquery it is read once per statement, not per row.
    A transaction that records for several tenants lists them in another setting.
    """
    setting = "current_setting('dayline.tenant')"
    several = "(SELECT string_to_array(current_setting('dayline.tenants', true), ','))::text[]"
    return (
        f"({column} = (SELECT CASE WHEN {setting} <> '' THEN substr({setting}, 2) END) OR {column} = ANY ({several}))"
    )
