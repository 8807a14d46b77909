"""One step from a schema to the next, and what every table needs: row security, and rights for the servers."""

from typing import Final

from msgspec import Struct

SCHEMA: Final = "dayline"
ROLE: Final = "dayline_server"


class Step(Struct, frozen=True, kw_only=True):
    """What it runs, and the tables that it makes: those of which a tenant sees its own rows, and those of all.

    One that only adds (`is_additive`) leaves the servers of the version before working.
    """

    tables: str
    of_tenants: tuple[str, ...] = ()
    of_all: tuple[str, ...] = ()
    is_additive: bool = True

    @property
    def statements(self) -> str:
        """All of it, to be run in one transaction by the owner."""
        return self.tables + "".join(map(separated, self.of_tenants)) + self._grants()

    def _grants(self) -> str:
        # Of events the table alone, not its parts: who names a part goes past the security of the whole.
        tables = (*self.of_tenants, *self.of_all)
        rights = f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(tables)} TO {ROLE};\n" if tables else ""
        return f"""
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
{rights}REVOKE INSERT, UPDATE, DELETE ON meta FROM {ROLE};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {ROLE};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {SCHEMA} TO {ROLE};
"""


def separated(table: str, column: str = "tenant") -> str:
    """What makes a transaction see the rows of its tenant alone, whoever owns the table.

    The setting is `=` and the tenant. Once it was set in a session, it is empty outside of transactions: that names
    nobody, though a tenant's name may be empty.
    """
    whose = f"{column} = substr(current_setting('dayline.tenant'), 2) AND current_setting('dayline.tenant') <> ''"
    return f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON {table} USING ({whose}) WITH CHECK ({whose});
"""
