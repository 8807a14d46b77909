"""The command line of a query process, for whoever starts one."""

import sys
from pathlib import Path
from typing import Final

from dayline.config.sections import QuerySettings

MODULE: Final = "dayline.cli.serve.query_process"
# The address of a PostgreSQL database is passed in it: it may have a password, and everybody sees the command lines of
# processes.
DATABASE_VARIABLE: Final = "DAYLINE_QUERY_DATABASE"
REPLICA_VARIABLE: Final = "DAYLINE_QUERY_REPLICA"


def query_command(database: Path, settings: QuerySettings, *, is_still: bool = False) -> tuple[str, ...]:
    """What starts a process for queries to a database; to one that nobody has open where it is still."""
    return *_process(settings), str(database), *(("--still",) if is_still else ())


def postgres_query_command(settings: QuerySettings) -> tuple[str, ...]:
    """The same for a PostgreSQL database, which `postgres_environment` names."""
    return _process(settings)


def postgres_environment(address: str, replica: str | None = None) -> dict[str, str]:
    """What the environment of such a process has besides."""
    return {DATABASE_VARIABLE: address} | ({} if replica is None else {REPLICA_VARIABLE: replica})


def _process(settings: QuerySettings) -> tuple[str, ...]:
    return (
        sys.executable, "-m", MODULE, "--cache-mib", str(settings.cache_mib), "--memory-mib", str(settings.memory_mib),
    )  # fmt: skip
