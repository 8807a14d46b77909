"""`dayline doctor` as a person runs it."""

import os
import subprocess
import sys
from pathlib import Path


def doctor(database: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it on a database, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "dayline", "doctor", "--database", str(database), *arguments],
        env={**os.environ, "HOME": str(database.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
