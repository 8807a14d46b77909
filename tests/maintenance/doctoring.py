"""`dayline doctor` as a person runs it."""

import os
import subprocess
from pathlib import Path

from tests.support.processes.prepared import completed
from tests.support.waiting import PATIENCE_S


def doctor(database: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it on a database, to its end."""
    variables = {**os.environ, "HOME": str(database.parent)}
    return completed(["doctor", "--database", str(database), *arguments], variables, seconds=PATIENCE_S)
