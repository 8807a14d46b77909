"""The command line of a query process, for whoever starts one."""

import sys
from pathlib import Path
from typing import Final

from dayline.query.settings import QuerySettings

MODULE: Final = "dayline.cli.query_worker"


def query_command(database: Path, settings: QuerySettings, *, is_still: bool = False) -> tuple[str, ...]:
    """What starts a process for queries to a database; to one that nobody has open where it is still."""
    return (
        sys.executable, "-m", MODULE, str(database),
        "--cache-mib", str(settings.cache_mib), "--memory-mib", str(settings.memory_mib),
        *(("--still",) if is_still else ()),
    )  # fmt: skip
