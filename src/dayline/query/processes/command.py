"""The command line and environment of a query process."""

import sys
from pathlib import Path
from typing import Final

from dayline.config.sections import QuerySettings

MODULE: Final = "dayline.cli.serve.query_process"
# Contains the address of a PostgreSQL database: it may have a password, and command lines are visible to all users.
DATABASE_VARIABLE: Final = "DAYLINE_QUERY_DATABASE"
REPLICA_VARIABLE: Final = "DAYLINE_QUERY_REPLICA"


def query_command(database: Path, settings: QuerySettings, *, is_still: bool = False) -> tuple[str, ...]:
    """The command of a process for queries to a file. `is_still`: no other process has the database open."""
    return *postgres_query_command(settings), "still" if is_still else "shared", str(database)


def postgres_query_command(settings: QuerySettings) -> tuple[str, ...]:
    """The same for a PostgreSQL database, named in `postgres_environment`."""
    return sys.executable, "-m", MODULE, str(settings.cache_mib), str(settings.memory_mib)


def postgres_environment(address: str, replica: str | None = None) -> dict[str, str]:
    """The additional environment variables of such a process."""
    return {DATABASE_VARIABLE: address} | ({} if replica is None else {REPLICA_VARIABLE: replica})
