"""The command line of a query process, for whoever starts one."""

import sys
from pathlib import Path
from typing import Final

from dayline.query.settings import QuerySettings

MODULE: Final = "dayline.cli.query_worker"
# The address of a PostgreSQL database is passed in it: it may have a password, and everybody sees the command lines of
# processes.
DATABASE_VARIABLE: Final = "DAYLINE_QUERY_DATABASE"


def query_command(database: Path, settings: QuerySettings, *, is_still: bool = False) -> tuple[str, ...]:
    """What starts a process for queries to a database; to one that nobody has open where it is still."""
    return *_process(settings), str(database), *(("--still",) if is_still else ())


def postgres_query_command(tenant: str, settings: QuerySettings) -> tuple[str, ...]:
    """The same for one tenant of a PostgreSQL database, which `postgres_environment` names."""
    return *_process(settings), *(("--tenant", tenant) if tenant else ())


def postgres_environment(address: str) -> dict[str, str]:
    """What the environment of such a process has besides."""
    return {DATABASE_VARIABLE: address}


def _process(settings: QuerySettings) -> tuple[str, ...]:
    return (
        sys.executable, "-m", MODULE, "--cache-mib", str(settings.cache_mib), "--memory-mib", str(settings.memory_mib),
    )  # fmt: skip
